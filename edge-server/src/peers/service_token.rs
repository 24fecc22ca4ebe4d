//! The secrets of a deployment: by which its parts know each other, and by which those who run
//! it are known.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Characters of a service token, at least: 128 bits, were it hex.
pub const MIN_SERVICE_TOKEN_LEN: usize = 32;
/// Characters of a service token, at most.
pub const MAX_SERVICE_TOKEN_LEN: usize = 256;

/// Bearer of the control plane's routes; never printed.
#[derive(Clone)]
pub struct ServiceToken(String);

/// Text that cannot be a service token; the text itself is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write {MIN_SERVICE_TOKEN_LEN} to {MAX_SERVICE_TOKEN_LEN} letters, digits and signs of \
     ASCII, such as 64 random hex digits"
)]
pub struct NotAServiceToken;

impl ServiceToken {
    /// Whether this is the token, in a time that tells nothing about it.
    #[must_use]
    pub fn is(&self, presented: &str) -> bool {
        // Hashes are of one length, whatever is presented.
        let digest = |text: &str| <[u8; 32]>::from(Sha256::digest(text.as_bytes()));
        digest(&self.0).ct_eq(&digest(presented)).into()
    }

    /// The token itself, to be sent, never logged.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl FromStr for ServiceToken {
    type Err = NotAServiceToken;

    fn from_str(text: &str) -> Result<Self, NotAServiceToken> {
        let length = MIN_SERVICE_TOKEN_LEN..=MAX_SERVICE_TOKEN_LEN;
        if length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAServiceToken)
        }
    }
}

impl fmt::Debug for ServiceToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceToken(…)")
    }
}

/// Bearer of the routes for those who run the deployment; of the form of a [`ServiceToken`].
#[derive(Clone, Debug)]
pub struct AdminToken(ServiceToken);

impl AdminToken {
    /// Whether this is the token, in a time that tells nothing about it.
    #[must_use]
    pub fn is(&self, presented: &str) -> bool {
        self.0.is(presented)
    }
}

impl FromStr for AdminToken {
    type Err = NotAServiceToken;

    fn from_str(text: &str) -> Result<Self, NotAServiceToken> {
        text.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let text = "0123456789abcdef0123456789abcdef";
        let token: ServiceToken = text.parse().unwrap();
        assert!(token.is(text));
        let longer = format!("{text}0");
        for other in ["", &text[1..], &longer, "0123456789abcdef0123456789abcdeF"] {
            assert!(!token.is(other), "{other}");
        }
    }

    #[test]
    fn a_service_token_is_long_fits_into_a_header_and_never_prints_itself() {
        let text = "s3cret-".repeat(5);
        let shown = format!("{:?}", text.parse::<ServiceToken>().unwrap());
        assert!(!shown.contains("s3cret"), "{shown}");
        let short = &text[..MIN_SERVICE_TOKEN_LEN - 1];
        let spaced = format!("{text} {text}");
        let long = "x".repeat(MAX_SERVICE_TOKEN_LEN + 1);
        for bad in ["", short, &spaced, &long, &"ü".repeat(40)] {
            let error = bad.parse::<ServiceToken>().unwrap_err().to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
