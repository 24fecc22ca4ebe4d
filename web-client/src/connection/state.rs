//! The connection state: what the page knows of its login, its roster, its way into the
//! world and its realtime session, over all screens.

use shared::account::{LoginResponse, Realm, RosterCharacter, SelectResponse};
use shared::gameplay::{GameHello, HandshakeResponse, QUIC};
use shared::ids::{AttemptId, Try};
use shared::secret::AccessToken;
use shared::version::PROTOCOL_VERSION;

use super::flow::{JobFound, JobId, PendingJob};
use super::status::ConnectionStatus;
use crate::realtime::handle::{RealtimeGeneration, RealtimeSessionHandle};

/// What servers decide compatibility by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCompatibility {
    /// The realtime and handshake protocol of this build.
    pub protocol_version: u32,
    /// The build's name, for the servers' logs.
    pub client_build: String,
    /// Transports that this browser can use, best first.
    pub transports: Vec<String>,
}

impl ClientCompatibility {
    /// This build in a browser that has WebTransport.
    #[must_use]
    pub fn quic(client_build: impl Into<String>) -> Self {
        Self {
            protocol_version: PROTOCOL_VERSION,
            client_build: client_build.into(),
            transports: vec![QUIC.to_owned()],
        }
    }

    /// The hello of a handshake.
    #[must_use]
    pub fn hello(&self, attempt_id: AttemptId, r#try: Try) -> GameHello {
        GameHello {
            protocol_version: self.protocol_version,
            client_build: self.client_build.clone(),
            transports: self.transports.clone(),
            attempt_id,
            r#try,
        }
    }
}

/// The page's connection to the game, from login to play. Only
/// [`reduce`](super::reducer::reduce) and the `start_*` functions change it.
#[derive(Debug)]
pub struct MultiplayerConnectionState {
    /// Origin of the login role without a trailing slash; empty for the page's own.
    pub login_endpoint: String,
    /// What servers decide compatibility by.
    pub compatibility: ClientCompatibility,
    /// Who is logged in, with the access token.
    pub login_response: Option<LoginResponse>,
    /// The realm list.
    pub realms: Vec<Realm>,
    /// Index of the selected realm; none exactly when there are no realms.
    pub selected_realm: Option<usize>,
    /// The characters of the account in the selected realm.
    pub characters: Vec<RosterCharacter>,
    /// Index of the selected character; none exactly when there are no characters.
    pub selected_character: Option<usize>,
    /// Answer to the last select.
    pub handoff: Option<SelectResponse>,
    /// Answer to the last handshake; a rejected one stays for its reason.
    pub handshake: Option<HandshakeResponse>,
    /// The realtime session, where one was started.
    pub realtime: Option<RealtimeSessionHandle>,
    /// The job that is under way.
    pub pending_job: Option<PendingJob>,
    /// What that job has found, or the last one if that has failed.
    pub job_found: JobFound,
    /// What the player is told.
    pub status: ConnectionStatus,
    /// Since when an error has been told beside a world that is ready; the first event of
    /// the world after it sets the time.
    pub(super) error_since: Option<f64>,
    /// The last number given to a job or a realtime handle. It survives every cleanup:
    /// a number that came twice would let a dropped job or connection speak for a new one.
    last_number: u64,
}

impl MultiplayerConnectionState {
    /// A page that has not logged in.
    #[must_use]
    pub fn new(login_endpoint: impl Into<String>, compatibility: ClientCompatibility) -> Self {
        let login_endpoint: String = login_endpoint.into();
        Self {
            login_endpoint: login_endpoint.trim_end_matches('/').to_owned(),
            compatibility,
            login_response: None,
            realms: Vec::new(),
            selected_realm: None,
            characters: Vec::new(),
            selected_character: None,
            handoff: None,
            handshake: None,
            realtime: None,
            pending_job: None,
            job_found: JobFound::default(),
            status: ConnectionStatus::Idle,
            error_since: None,
            last_number: 0,
        }
    }

    /// The token of the login.
    #[must_use]
    pub fn access_token(&self) -> Option<&AccessToken> {
        self.login_response.as_ref().map(|login| &login.access_token)
    }

    /// The selected realm.
    #[must_use]
    pub fn realm(&self) -> Option<&Realm> {
        self.realms.get(self.selected_realm?)
    }

    /// The selected character.
    #[must_use]
    pub fn character(&self) -> Option<&RosterCharacter> {
        self.characters.get(self.selected_character?)
    }

    /// Whether this job is the one under way. An executor asks before each request: a
    /// dropped job must not go on to take a seat in the world.
    #[must_use]
    pub fn is_pending(&self, job: JobId) -> bool {
        self.pending_job.is_some_and(|pending| pending.id == job)
    }

    /// Selects a character of the roster; an index beyond it means the last one.
    pub fn select_character(&mut self, index: usize) {
        self.selected_character = clamp_selection(Some(index), self.characters.len());
    }

    /// A number for a job that is about to start.
    pub(super) fn next_job(&mut self) -> JobId {
        self.last_number += 1;
        JobId(self.last_number)
    }

    /// A number for a realtime handle that is about to be made.
    pub(super) fn next_generation(&mut self) -> RealtimeGeneration {
        self.last_number += 1;
        RealtimeGeneration(self.last_number)
    }
}

/// The selection that fits a list of `len` entries: the old one where it still fits, the
/// last entry where it lies beyond, the first where there was none.
#[must_use]
pub fn clamp_selection(selected: Option<usize>, len: usize) -> Option<usize> {
    Some(selected.unwrap_or(0).min(len.checked_sub(1)?))
}
