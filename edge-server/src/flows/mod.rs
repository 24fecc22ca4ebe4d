//! Walkthroughs, one file each: a flow calls ports in the order that a decision asks for.
//! Flows know no HTTP and no sockets; what they refuse is a [`Refusal`], and a store that
//! does not answer is logged once, here, where it becomes one.

pub mod activate_session;
pub mod change_password;
pub mod diagnose_character;
pub mod disconnect;
pub mod game_handshake;
pub mod locate_session;
pub mod login;
pub mod login_server;
pub mod logout;
pub mod lose_connection;
pub mod passwords;
pub mod reconcile_startup;
pub mod release_sessions;
pub mod resume_session;
pub mod roster;
pub mod select_character;
pub mod session_lifecycle;
pub mod session_records;

use std::time::Duration;

use shared::account::RuleBroken;
use shared::problem::{Problem, ProblemCode};

use crate::peers::control_plane::ControlPlaneError;
use crate::stores::StoreError;

/// When a client should come back after a store or a peer did not answer.
pub const RETRY_UNAVAILABLE_AFTER: Duration = Duration::from_secs(2);

/// Why a flow did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What the client is told.
    pub problem: Problem,
    /// When trying again makes sense, where it does.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// A refusal of `code` with a sentence that says what to do.
    #[must_use]
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self { problem: Problem::new(code, detail), retry_after: None }
    }

    /// A refusal that ends by itself after a while.
    #[must_use]
    pub fn later(code: ProblemCode, detail: impl Into<String>, after: Duration) -> Self {
        Self { problem: Problem::new(code, detail), retry_after: Some(after) }
    }

    /// A part does not answer.
    #[must_use]
    pub fn unavailable() -> Self {
        let detail = "the server cannot do this right now: try again in a moment";
        Self::later(ProblemCode::Unavailable, detail, RETRY_UNAVAILABLE_AFTER)
    }

    /// A rule of names or passwords is broken.
    #[must_use]
    pub fn rule(broken: RuleBroken) -> Self {
        Self::new(broken.code(), broken.to_string())
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "a store did not answer");
        Self::unavailable()
    }
}

impl From<ControlPlaneError> for Refusal {
    fn from(error: ControlPlaneError) -> Self {
        tracing::error!(%error, "the control plane did not answer");
        Self::unavailable()
    }
}
