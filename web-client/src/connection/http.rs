//! HTTP as data: the calls that jobs ask for and what becomes of them.

use std::time::Duration;

use shared::secret::AccessToken;

/// The method of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Makes something.
    Post,
    /// Takes something away.
    Delete,
}

impl HttpMethod {
    /// The method's name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

/// One request.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpCall {
    /// The method.
    pub method: HttpMethod,
    /// An absolute URL, or a path on the page's own origin.
    pub url: String,
    /// Goes into `Authorization: Bearer …`.
    pub bearer: Option<AccessToken>,
    /// A JSON body, to be sent as `application/json`.
    pub body: Option<String>,
    /// How long to wait for the whole answer before it is given up.
    pub timeout: Duration,
}

/// Bodies carry passwords and tokens, so only their presence is shown.
impl std::fmt::Debug for HttpCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpCall")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("bearer", &self.bearer)
            .field("has_body", &self.body.is_some())
            .finish()
    }
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpOutcome {
    /// The server answered.
    Answered {
        /// The status.
        status: u16,
        /// The whole body.
        body: Vec<u8>,
        /// Seconds of a `Retry-After` header.
        retry_after: Option<u32>,
    },
    /// No connection, or it broke before the answer was whole.
    Unreachable,
    /// No answer in time.
    TimedOut,
}
