//! What happens to the connection, and what it asks of the page in return. Both are
//! plain data, so that every flow can be replayed on the host.

use super::flow::{JobFound, JobId, PendingJobStage};
use super::http::HttpCall;
use super::job::{Job, JobError, JobRequest};
use super::notice::Notice;
use super::saved_session::SavedSession;
use super::snapshot::NetworkSnapshot;
use super::start::ValidationError;
use crate::realtime::handle::RealtimeGeneration;
use crate::realtime::transport::{TransportAction, TransportEvent};
use shared::gameplay::RealtimeEndpoint;
use shared::realtime::command::Command;

/// The event model of the spec, and what the realtime session and the player add to it.
/// A job's events carry its id: those of a dropped job change nothing. Realtime events
/// carry the generation of their handle: those of a dropped handle change nothing.
#[derive(Debug)]
pub enum ConnectionEvent {
    /// A validated flow starts; made by the `start_*` functions.
    Started {
        /// What the job has to do.
        request: Box<JobRequest>,
    },
    /// The job has reached a stage.
    Pending {
        /// Which job.
        job: JobId,
        /// Which stage.
        stage: PendingJobStage,
        /// What it has found on the way there.
        found: JobFound,
    },
    /// The job is done.
    Succeeded {
        /// Which job.
        job: JobId,
        /// What it brings.
        snapshot: Box<NetworkSnapshot>,
    },
    /// The job has failed.
    Failed {
        /// Which job.
        job: JobId,
        /// At which stage.
        stage: PendingJobStage,
        /// What it has found on the way there.
        found: JobFound,
        /// Why.
        error: JobError,
    },
    /// The browser lacks what the job needs.
    RuntimeUnavailable {
        /// Which job.
        job: JobId,
        /// What is missing.
        problem: RuntimeProblem,
    },
    /// A flow was asked for that cannot start from the present state.
    ValidationFailed(ValidationError),
    /// Discard everything and return to Idle. The spec's event; the page itself reaches it by
    /// a loss or a logout, which say or do something beside it.
    Reset,
    /// The player wants to log out.
    LogoutRequested,
    /// The player leaves the world for the roster, which is fetched anew once the server has
    /// said goodbye.
    LeaveWorld,
    /// The player does something in the world.
    Command(Command),
    /// The world that the session is in, or moves to, cannot be shown: the page raises it
    /// where the scene of the activation's map does not load. The account and the roster
    /// survive for another try.
    TransferFailed {
        /// The handle of the session.
        generation: RealtimeGeneration,
        /// For the player: what happened.
        reason: String,
        /// Whether only a page that is loaded anew can do better.
        wants_reload: bool,
    },
    /// The page was asleep, hidden or without a network, and is not any more.
    Woken {
        /// When, in milliseconds of the page's monotonic clock.
        at: f64,
    },
    /// Something happened on the realtime session.
    Realtime {
        /// On which handle.
        generation: RealtimeGeneration,
        /// When, in milliseconds of the page's monotonic clock.
        at: f64,
        /// What.
        event: TransportEvent,
    },
}

/// What a browser may lack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeProblem {
    /// There is no WebTransport.
    #[error("this browser has no WebTransport: use a current Chromium, Chrome, Edge or Firefox")]
    NoWebTransport,
    /// The page was not loaded from a secure origin, where WebTransport is hidden.
    #[error("the page needs a secure address: open it by https, or on this machine")]
    InsecureContext,
}

/// What the page has to do after a reduction, in this order.
#[derive(Debug)]
pub enum Effect {
    /// Run the job on the executor: see [`Job`].
    SpawnJob(Box<Job>),
    /// Dial the endpoint under the generation and open the control stream; report
    /// [`TransportEvent::DialStarted`], [`TransportEvent::Opened`] and whatever follows.
    StartRealtime {
        /// The handle that the session belongs to.
        generation: RealtimeGeneration,
        /// The endpoint to dial.
        endpoint: RealtimeEndpoint,
    },
    /// Act on the connection of the generation, where it still exists.
    Transport {
        /// Whose connection.
        generation: RealtimeGeneration,
        /// What to do.
        action: TransportAction,
    },
    /// End the connection of the generation: say Bye where the stream is open, wait at most
    /// [`GOODBYE_TIMEOUT`](crate::realtime::transport::GOODBYE_TIMEOUT) for the answer, close,
    /// drop.
    /// The handle is gone already, so further events of it change nothing.
    RequestRealtimeShutdown {
        /// Whose connection.
        generation: RealtimeGeneration,
    },
    /// Ask where the session is whose connection was lost, and report
    /// [`TransportEvent::Located`] with what [`located`](super::locate::located) reads in the
    /// answer.
    LocateSession {
        /// The handle that the session belongs to.
        generation: RealtimeGeneration,
        /// The question.
        call: HttpCall,
    },
    /// Show the player something that has happened, and forget it.
    Show(Notice),
    /// Keep the session for a page that is loaded anew in this tab.
    KeepSession(Box<SavedSession>),
    /// The session that was kept is over, or not wanted any more.
    ForgetSession,
    /// The login that was kept is worth nothing any more, and what belonged to it neither.
    ForgetLogin,
    /// Tell the login role that the login has ended. Nobody waits for the answer: the
    /// login also ends by itself.
    EndLogin(HttpCall),
}
