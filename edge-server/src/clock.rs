//! The only place that reads the clock or the system's randomness. Flows get both from
//! here; decisions get them as arguments.

use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest, Sha256};
use shared::coordination::TokenHash;
use shared::ids::UnixMillis;
use shared::secret::{AccessToken, HandoffToken, ResumeToken, SessionTicket, SessionToken};
use uuid::Uuid;

/// The wall clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock;

impl Clock {
    /// Now, in UTC. A clock before 1970 counts as 1970.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    pub fn now(self) -> UnixMillis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// A fresh random UUID (version 4).
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the one place that draws ids")]
pub fn new_uuid() -> Uuid {
    Uuid::new_v4()
}

/// 256 random bits.
#[expect(clippy::disallowed_methods, reason = "the one place that draws secrets")]
fn random_bytes() -> [u8; 32] {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

/// A new login.
#[must_use]
pub fn new_access_token() -> AccessToken {
    let text = format!("access-{}", hex::encode(random_bytes()));
    text.parse().expect("a fresh secret has the form of a token")
}

/// A new handoff token: `handoff-{uuid}`, 122 random bits.
#[must_use]
pub fn new_handoff_token() -> HandoffToken {
    format!("handoff-{}", new_uuid()).parse().expect("a fresh secret has the form of a token")
}

/// A new session name.
#[must_use]
pub fn new_session_token() -> SessionToken {
    format!("session-{}", new_uuid()).parse().expect("a fresh name has the form of a token")
}

/// Makes the tickets of one process. A ticket follows from its session's name, so that a
/// handshake which is asked again can give the same one without keeping the secret.
pub struct TicketPress {
    key: [u8; 32],
}

impl TicketPress {
    /// A press with a fresh key.
    #[must_use]
    pub fn new() -> Self {
        Self { key: random_bytes() }
    }

    /// The secret of the first claim of a session: 256 bits, HMAC-SHA-256 of its name.
    #[must_use]
    pub fn ticket(&self, session: &SessionToken) -> SessionTicket {
        let text = format!("ticket-{}", self.secret(session, b""));
        text.parse().expect("a fresh secret has the form of a token")
    }

    /// The secret of the claim that follows the `claims`th of a session.
    #[must_use]
    pub fn resume_token(&self, session: &SessionToken, claims: u64) -> ResumeToken {
        let text = format!("resume-{}", self.secret(session, &claims.to_be_bytes()));
        text.parse().expect("a fresh secret has the form of a token")
    }

    fn secret(&self, session: &SessionToken, more: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes any key");
        mac.update(session.expose().as_bytes());
        mac.update(more);
        hex::encode(mac.finalize().into_bytes())
    }
}

impl Default for TicketPress {
    fn default() -> Self {
        Self::new()
    }
}

/// The only form in which a secret is stored.
#[must_use]
pub fn hash_token(secret: &str) -> TokenHash {
    hex::encode(Sha256::digest(secret.as_bytes())).parse().expect("SHA-256 is 64 hex digits")
}
