//! What a job is asked to do, and why it may fail.

use shared::account::CreateCharacter;
use shared::ids::{AttemptId, CharacterId, RealmId};
use shared::problem::{Problem, ProblemCode};
use shared::secret::AccessToken;

use super::flow::MultiplayerConnectionFlow;
use super::handshake::HandshakeError;
use super::start::LoginMethod;
use super::state::ClientCompatibility;
use super::status::Credential;

/// What a job has to do, with everything that it needs: a job never looks at the state.
#[derive(Clone, Debug)]
pub struct JobRequest {
    /// Origin of the login role.
    pub login_endpoint: String,
    /// What the handshake says of the client.
    pub compatibility: ClientCompatibility,
    /// The work.
    pub work: JobWork,
}

/// The work of a job.
#[derive(Clone, Debug)]
pub enum JobWork {
    /// See [`MultiplayerConnectionFlow::Authenticate`].
    Authenticate {
        /// How.
        method: LoginMethod,
    },
    /// See [`MultiplayerConnectionFlow::QuickConnect`].
    QuickConnect {
        /// How to log in.
        method: LoginMethod,
        /// The wish to enter.
        attempt: AttemptId,
    },
    /// See [`MultiplayerConnectionFlow::ConnectCharacter`].
    ConnectCharacter {
        /// The login.
        access_token: AccessToken,
        /// The selected realm.
        realm: RealmId,
        /// The selected character.
        character: CharacterId,
        /// The wish to enter.
        attempt: AttemptId,
    },
    /// See [`MultiplayerConnectionFlow::CreateCharacter`].
    CreateCharacter {
        /// The login.
        access_token: AccessToken,
        /// Where.
        realm: RealmId,
        /// Whom.
        character: CreateCharacter,
    },
    /// See [`MultiplayerConnectionFlow::DeleteCharacter`].
    DeleteCharacter {
        /// The login.
        access_token: AccessToken,
        /// Where.
        realm: RealmId,
        /// Whom.
        character: CharacterId,
    },
    /// See [`MultiplayerConnectionFlow::SwitchRealm`].
    SwitchRealm {
        /// The login.
        access_token: AccessToken,
        /// The realm.
        realm: RealmId,
        /// Its index in the list.
        index: usize,
        /// Whom to select, where that character is still there; else the first one.
        character: Option<CharacterId>,
    },
}

impl JobRequest {
    /// The flow that the work belongs to.
    #[must_use]
    pub fn flow(&self) -> MultiplayerConnectionFlow {
        match self.work {
            JobWork::Authenticate { .. } => MultiplayerConnectionFlow::Authenticate,
            JobWork::QuickConnect { .. } => MultiplayerConnectionFlow::QuickConnect,
            JobWork::ConnectCharacter { .. } => MultiplayerConnectionFlow::ConnectCharacter,
            JobWork::CreateCharacter { .. } => MultiplayerConnectionFlow::CreateCharacter,
            JobWork::DeleteCharacter { .. } => MultiplayerConnectionFlow::DeleteCharacter,
            JobWork::SwitchRealm { .. } => MultiplayerConnectionFlow::SwitchRealm,
        }
    }
}

impl JobRequest {
    /// Whether the work may end in a realtime session, which needs WebTransport. Other than
    /// its flow, a login that is continued may go back into the world.
    #[must_use]
    pub fn may_start_realtime(&self) -> bool {
        match &self.work {
            JobWork::Authenticate { method } => {
                matches!(method, LoginMethod::Continue { session: Some(_), .. })
            }
            _ => self.flow().enters_the_world(),
        }
    }
}

/// Why a job has failed; its text goes behind `Error: `.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The server said why.
    #[error("{}", if .0.detail.is_empty() { &.0.title } else { &.0.detail })]
    Refused(Problem),
    /// The server said why, and when it is worth asking again.
    #[error("{}", told_with_wait(.problem, *.seconds))]
    RefusedForNow {
        /// Why.
        problem: Problem,
        /// Seconds from the answer on.
        seconds: u32,
    },
    /// No connection.
    #[error("the server cannot be reached: check the connection and try again")]
    Unreachable,
    /// No answer in time.
    #[error("the server does not answer: try again in a moment")]
    TimedOut,
    /// An answer that is not the expected one.
    #[error("the server's answer (status {status}) is not understood: reload the page")]
    NotUnderstood {
        /// The HTTP status.
        status: u16,
    },
    /// The page has lost what its next call needs.
    #[error("the page has lost its way: reload the page")]
    LostItsWay,
    /// The handshake broke its contract.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// Quick connect found no realm.
    #[error("no realm is open: try again later")]
    NoRealms,
    /// Quick connect found no character.
    #[error("there is no character yet: log in and create one")]
    NoCharacters,
}

/// The server's sentence with the wait in place of its moment.
fn told_with_wait(problem: &Problem, seconds: u32) -> String {
    let told = if problem.detail.is_empty() { &problem.title } else { &problem.detail };
    let what = [": wait a moment", ": try again in a moment"]
        .iter()
        .find_map(|moment| told.strip_suffix(moment))
        .unwrap_or(told);
    let (count, unit) = match seconds {
        0..=90 => (seconds.max(1), "second"),
        91..=5_400 => (seconds.div_ceil(60), "minute"),
        _ => (seconds.div_ceil(3_600), "hour"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{what}: try again in {count} {unit}{plural}")
}

impl JobError {
    /// The error of a problem; what a server cannot do for now carries its `Retry-After`.
    #[must_use]
    pub fn of_problem(problem: Problem, retry_after: Option<u32>) -> Self {
        match (problem.status, retry_after) {
            (429 | 503, Some(seconds)) => Self::RefusedForNow { problem, seconds },
            _ => Self::Refused(problem),
        }
    }

    /// The part of the login form that it is about.
    #[must_use]
    pub fn about(&self) -> Option<Credential> {
        let Self::Refused(problem) = self else { return None };
        match problem.code {
            ProblemCode::InvalidCredentials => Some(Credential::Both),
            ProblemCode::InvalidUsername
            | ProblemCode::UsernameTaken
            | ProblemCode::UsernameReserved
            | ProblemCode::UsernameConfusable => Some(Credential::Username),
            ProblemCode::InvalidPassword => Some(Credential::Password),
            _ => None,
        }
    }

    /// Whether only a page that is loaded anew can do better.
    #[must_use]
    pub fn wants_reload(&self) -> bool {
        matches!(self, Self::NotUnderstood { .. } | Self::LostItsWay)
    }

    /// Whether the server tells by it that the login has ended.
    #[must_use]
    pub fn says_that_the_login_has_ended(&self) -> bool {
        matches!(self, Self::Refused(problem) if problem.code == ProblemCode::Unauthenticated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: ProblemCode, detail: &str, retry_after: Option<u32>, expected: &str) {
        let error = JobError::of_problem(Problem::new(code, detail), retry_after);
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn who_has_to_wait_is_told_how_long() {
        let limited = ProblemCode::RateLimited;
        let address = "too many tries from this address: wait a moment";
        let expected = "too many tries from this address: try again in";
        check(limited, address, Some(4), &format!("{expected} 4 seconds"));
        check(limited, address, Some(1), &format!("{expected} 1 second"));
        check(limited, address, Some(0), &format!("{expected} 1 second"));
        check(limited, address, Some(91), &format!("{expected} 2 minutes"));
        check(limited, address, Some(7_201), &format!("{expected} 3 hours"));
        check(limited, address, None, address);
        check(
            ProblemCode::ZoneFull,
            "the zone is full: try again in a moment",
            Some(5),
            "the zone is full: try again in 5 seconds",
        );
        let wrong = "username or password is wrong";
        check(ProblemCode::InvalidCredentials, wrong, Some(2), wrong);
    }
}
