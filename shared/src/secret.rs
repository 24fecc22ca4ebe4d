//! The five credentials, each a type of its own, because mixing them up is how sessions
//! get stolen. None of them prints itself, but the one that grants nothing.
//!
//! | type | what it grants |
//! | --- | --- |
//! | [`AccessToken`] | a login |
//! | [`HandoffToken`] | entering the world once, 60 seconds from select |
//! | [`SessionToken`] | nothing: it names a session |
//! | [`SessionTicket`] | the first realtime claim of a session |
//! | [`ResumeToken`] | a later claim; it rotates |

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::limits::{MAX_TOKEN_LEN, MIN_TOKEN_LEN};

/// Text that cannot be a credential; the text itself is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a {0}: expected {MIN_TOKEN_LEN} to {MAX_TOKEN_LEN} characters of A-Z, a-z, 0-9, '-' and '_'"
)]
pub struct NotAToken(&'static str);

macro_rules! token {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $shown:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The token itself, to be sent or hashed, never logged.
            #[must_use]
            pub fn expose(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NotAToken;

            fn from_str(text: &str) -> Result<Self, NotAToken> {
                let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
                if (MIN_TOKEN_LEN..=MAX_TOKEN_LEN).contains(&text.len()) && text.bytes().all(legal)
                {
                    Ok(Self(text.to_owned()))
                } else {
                    Err(NotAToken($kind))
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotAToken;

            fn try_from(text: String) -> Result<Self, NotAToken> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(token: $name) -> Self {
                token.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let shown: fn(&str) -> &str = $shown;
                write!(f, concat!(stringify!($name), "({})"), shown(&self.0))
            }
        }
    };
}

token!(
    /// A login: bearer of the login role's HTTP API.
    AccessToken,
    "access token",
    |_| "…"
);
token!(
    /// Enters the world once; made at select, `handoff-{uuid}`.
    HandoffToken,
    "handoff token",
    |_| "…"
);
token!(
    /// Names a session: key of its resume ledger, echoed by the Welcome. It grants
    /// nothing, so it may be shown.
    SessionToken,
    "session token",
    |text| text
);
token!(
    /// The secret of a session's first realtime claim.
    SessionTicket,
    "session ticket",
    |_| "…"
);
token!(
    /// The secret of a later realtime claim.
    ResumeToken,
    "resume token",
    |_| "…"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_never_print_themselves() {
        let secret = "handoff-6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001";
        assert_eq!(format!("{:?}", secret.parse::<HandoffToken>().unwrap()), "HandoffToken(…)");
        assert_eq!(format!("{:?}", secret.parse::<SessionTicket>().unwrap()), "SessionTicket(…)");
        let error = "short".parse::<AccessToken>().unwrap_err().to_string();
        assert!(!error.contains("short"), "{error}");
    }

    #[test]
    fn credentials_are_bounded_and_free_of_separators() {
        for text in [String::new(), "a".repeat(MAX_TOKEN_LEN + 1), "a:b-cdefghijklmnop".into()] {
            assert!(text.parse::<HandoffToken>().is_err(), "{text:?}");
        }
    }
}
