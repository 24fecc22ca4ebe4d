//! Names of what can be going on: flows, their stages, and the one pending job.

use shared::gameplay::HandshakeResponse;
use shared::ids::InstanceId;

use super::cleanup::CleanupScope;

/// Numbers the jobs of one page, so that a dropped job's completion is told apart from
/// the pending one's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// What the player wants of the network. A new one is added only where its lifecycle
/// differs from all of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MultiplayerConnectionFlow {
    /// Log in, after registering where asked to; fetch realms and characters.
    Authenticate,
    /// Enter the world with the selected character.
    ConnectCharacter,
    /// Log in and enter the world with the first character of the first realm.
    QuickConnect,
    /// Create a character in the selected realm.
    CreateCharacter,
    /// Delete a character of the selected realm.
    DeleteCharacter,
    /// Fetch the characters of a realm and select it; also refreshes a roster.
    SwitchRealm,
}

impl MultiplayerConnectionFlow {
    /// Every flow.
    pub const ALL: [Self; 6] = [
        Self::Authenticate,
        Self::ConnectCharacter,
        Self::QuickConnect,
        Self::CreateCharacter,
        Self::DeleteCharacter,
        Self::SwitchRealm,
    ];

    /// What a start of the flow, and its failure, invalidates.
    #[must_use]
    pub fn cleanup_scope(self) -> CleanupScope {
        match self {
            Self::Authenticate | Self::QuickConnect => CleanupScope::AuthenticatedSession,
            Self::ConnectCharacter
            | Self::CreateCharacter
            | Self::DeleteCharacter
            | Self::SwitchRealm => CleanupScope::WorldEntry,
        }
    }

    /// Whether the flow is a wish to enter the world.
    #[must_use]
    pub fn enters_the_world(self) -> bool {
        matches!(self, Self::ConnectCharacter | Self::QuickConnect)
    }
}

/// Which request of a job is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PendingJobStage {
    /// `POST /v1/accounts`.
    Registering,
    /// `POST /v1/sessions`.
    Authenticating,
    /// `GET /v1/realms`.
    FetchingRealms,
    /// `GET /v1/realms/{realm}/characters`.
    FetchingCharacters,
    /// `POST /v1/realms/{realm}/characters`.
    CreatingCharacter,
    /// `DELETE /v1/realms/{realm}/characters/{id}`.
    DeletingCharacter,
    /// `POST /v1/select-character`.
    RequestingHandoff,
    /// `POST /v1/handshake`.
    Handshaking {
        /// Redirects followed so far.
        redirects: u32,
    },
}

/// What a job has found so far, for diagnosis: what is on its way into the state, and what
/// never gets there because the job fails. Nothing is decided by it, and no secret is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFound {
    /// Whether it has a login.
    pub login: bool,
    /// How many realms it was told of.
    pub realms: Option<usize>,
    /// How many characters it was told of.
    pub characters: Option<usize>,
    /// Whither its handoff leads.
    pub handoff: Option<InstanceId>,
    /// Whither the last redirect leads that it has followed.
    pub redirect: Option<InstanceId>,
    /// The last answer to its handshake.
    pub handshake: Option<HandshakeFound>,
}

/// What an answer to a handshake has, and what it lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandshakeFound {
    /// Whether the server has let the character in.
    pub accepted: bool,
    /// Whether there is a session ticket.
    pub has_ticket: bool,
    /// Whether there is an activation.
    pub has_activation: bool,
}

impl HandshakeFound {
    /// What is in an answer.
    #[must_use]
    pub fn of(response: &HandshakeResponse) -> Self {
        Self {
            accepted: response.accepted,
            has_ticket: response.session_ticket.is_some(),
            has_activation: response.activation.is_some(),
        }
    }
}

/// The one job that the page's executor works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingJob {
    /// Its number.
    pub id: JobId,
    /// What it is for.
    pub flow: MultiplayerConnectionFlow,
    /// How far it is.
    pub stage: PendingJobStage,
}

impl PendingJob {
    /// What has to be cleared when the job fails at its present stage. No stage leaves
    /// more behind than its flow started with, so the flow alone decides.
    #[must_use]
    pub fn failure_scope(&self) -> CleanupScope {
        self.flow.cleanup_scope()
    }
}
