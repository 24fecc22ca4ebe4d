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

/// Why a job has failed; its text goes behind `Error: `.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The server said why.
    #[error("{}", if .0.detail.is_empty() { &.0.title } else { &.0.detail })]
    Refused(Problem),
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

impl JobError {
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

    /// Whether the server tells by it that the login has ended.
    #[must_use]
    pub fn says_that_the_login_has_ended(&self) -> bool {
        matches!(self, Self::Refused(problem) if problem.code == ProblemCode::Unauthenticated)
    }
}
