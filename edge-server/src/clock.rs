//! The only place that reads the clock or the system's randomness. Flows get both from
//! here; decisions get them as arguments.

use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest, Sha256};
use shared::coordination::TokenHash;
use shared::ids::UnixMillis;
use shared::secret::{AccessToken, HandoffToken, ResumeToken, SessionTicket, SessionToken};
use tokio::time::Instant;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// What a session's name begins with; its UUID follows.
const SESSION_PREFIX: &str = "session-";
/// What a resume token begins with; its session's name and the secret follow.
const RESUME_PREFIX: &str = "resume-";

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

    /// Now, on a clock that only goes forward and that nobody sets: for spans within the
    /// process.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    pub fn moment(self) -> Instant {
        Instant::now()
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
    format!("{SESSION_PREFIX}{}", new_uuid()).parse().expect("a fresh name has the form of a token")
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

    /// The secret of the claim that follows the `claims`th of a session:
    /// `resume-{session token}-{secret}`, so that whoever reads it can tell which session it
    /// is for (see [`session_of`]). `None` for a name that [`new_session_token`] does not
    /// give: clients say names before anybody knows them, and a longer one has no room here.
    #[must_use]
    pub fn resume_token(&self, session: &SessionToken, claims: u64) -> Option<ResumeToken> {
        if !is_session_name(session.expose()) {
            return None;
        }
        let secret = self.secret(session, &claims.to_be_bytes());
        let text = format!("{RESUME_PREFIX}{}-{secret}", session.expose());
        Some(text.parse().expect("a name of this server and a fresh secret have room in a token"))
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

/// The session that a resume token names, if it has the form that
/// [`TicketPress::resume_token`] gives it. Whether its secret opens that session only the
/// process that has the session can tell.
#[must_use]
pub fn session_of(token: &ResumeToken) -> Option<SessionToken> {
    let (name, secret) = token.expose().strip_prefix(RESUME_PREFIX)?.rsplit_once('-')?;
    let well_formed = is_session_name(name) && secret.parse::<TokenHash>().is_ok();
    if well_formed { name.parse().ok() } else { None }
}

/// Whether text has the form that [`new_session_token`] gives.
fn is_session_name(text: &str) -> bool {
    text.strip_prefix(SESSION_PREFIX)
        .is_some_and(|id| id.len() == Hyphenated::LENGTH && Uuid::try_parse(id).is_ok())
}

/// The only form in which a secret is stored.
#[must_use]
pub fn hash_token(secret: &str) -> TokenHash {
    hex::encode(Sha256::digest(secret.as_bytes())).parse().expect("SHA-256 is 64 hex digits")
}

#[cfg(test)]
mod tests {
    use shared::limits::MAX_TOKEN_LEN;

    use super::*;

    #[test]
    fn a_resume_token_names_its_session_and_no_two_are_alike() {
        let press = TicketPress::new();
        let session = new_session_token();
        let first = press.resume_token(&session, 1).unwrap();
        let second = press.resume_token(&session, 2).unwrap();
        assert_ne!(first, second);
        assert_ne!(first, TicketPress::new().resume_token(&session, 1).unwrap());
        assert_eq!(session_of(&first), Some(session.clone()));
        assert_eq!(session_of(&second), Some(session));
    }

    #[test]
    fn a_name_that_no_server_gives_has_no_resume_token() {
        let press = TicketPress::new();
        let uuid = new_uuid();
        for name in [
            "session-of-somebody".to_owned(),
            "s".repeat(MAX_TOKEN_LEN),
            format!("session-{}", uuid.simple()),
            format!("{uuid}-session"),
        ] {
            assert_eq!(press.resume_token(&name.parse().unwrap(), 1), None, "{name}");
        }
    }

    #[test]
    fn what_is_no_resume_token_names_no_session() {
        let (uuid, secret) = (new_uuid(), "0".repeat(64));
        for text in [
            format!("resume-{secret}"),
            format!("resume-session-{uuid}"),
            format!("resume-session-{uuid}-{}", &secret[1..]),
            format!("resume-session-{uuid}-{}", secret.replace('0', "z")),
            format!("resume-session-{}-{secret}", uuid.simple()),
            format!("resume-{uuid}-{secret}"),
            format!("ticket-session-{uuid}-{secret}"),
            format!("session-{uuid}-{secret}"),
        ] {
            assert_eq!(session_of(&text.parse().unwrap()), None, "{text}");
        }
    }
}
