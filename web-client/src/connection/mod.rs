//! The connection flow: login, realm and character selection, handoff, handshake,
//! realtime startup, loss and logout. Source: the spec's "Client Multiplayer Connection
//! Flow And Session Cleanup".
//!
//! One [`MultiplayerConnectionState`] lives for as long as the page. Everything that
//! happens to it is a [`ConnectionEvent`], reduced in one place by [`reduce`], which
//! answers with [`Effect`]s for the page's executor. The `start_*` functions check what a
//! flow needs before anything of the state is touched.
//!
//! Nothing here does IO, reads a clock or makes random ids, and nothing here is UI state:
//! what a screen shows is no evidence of login or world authority.

pub mod cleanup;
pub mod diagnosis;
pub mod event;
pub mod flow;
pub mod handshake;
pub mod http;
pub mod job;
mod job_request;
pub mod locate;
pub mod readiness;
pub mod reducer;
pub mod saved_session;
pub mod snapshot;
pub mod start;
pub mod state;
pub mod status;

#[cfg(test)]
mod each_flow_tests;
#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod flow_tests;
#[cfg(test)]
mod random_events_tests;
#[cfg(test)]
mod reconnect_tests;
#[cfg(test)]
mod rules_tests;
#[cfg(test)]
mod session_tests;

pub use event::{ConnectionEvent, Effect};
pub use flow::{JobFound, JobId, MultiplayerConnectionFlow, PendingJob, PendingJobStage};
pub use job::{Job, JobStep};
pub use reducer::reduce;
pub use saved_session::SavedSession;
pub use snapshot::NetworkSnapshot;
pub use state::{ClientCompatibility, MultiplayerConnectionState};
pub use status::ConnectionStatus;

pub use crate::realtime::notice::{self, Notice};
