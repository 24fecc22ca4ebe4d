//! HTTP between the parts of a backend: the client, what is read of an answer, and how an
//! error is told.

use std::fmt::Write as _;
use std::time::Duration;

use reqwest::Response;

use crate::http::listener::HTTP_HEAD_TIMEOUT;

/// To reach one address.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an idle connection is kept. Servers close theirs after [`HTTP_HEAD_TIMEOUT`];
/// a call must not meet one that is closing.
pub(super) const IDLE_CONNECTION_LIFE: Duration = Duration::from_secs(5);
/// Bytes of an answer: a registry of some thousand zones, and more.
pub(super) const MAX_ANSWER_BYTES: usize = 1024 * 1024;

const _: () = assert!(IDLE_CONNECTION_LIFE.as_millis() < HTTP_HEAD_TIMEOUT.as_millis());

/// A client that sends each request once, to the address that it names and nowhere else: what
/// it carries is a secret of the backend.
pub(super) fn client() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_CONNECTION_LIFE)
        .build()
        .expect("a client without TLS and proxies has nothing that could fail")
}

/// The body of an answer.
///
/// # Errors
/// Why there is none, or that it is of no sound size.
pub(super) async fn read(mut response: Response) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_ANSWER_BYTES => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => {
                return Err(format!("the answer has more than {MAX_ANSWER_BYTES} bytes"));
            }
            Ok(None) => return Ok(body),
            Err(error) => return Err(in_full(&error)),
        }
    }
}

/// An error with what it comes from; reqwest's own text stops at the first of them.
pub(super) fn in_full(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        write!(text, ": {error}").expect("writing into a string succeeds");
        cause = error.source();
    }
    text
}
