//! The one place where the connection state changes.

use shared::gameplay::{
    HandshakeResponse, RealtimeEndpoint, RealtimeSessionActivation, RejectionCode,
};
use shared::limits::CLIENT_ERROR_SHOWN;
use shared::realtime::command::{Command, CommandAnswer, CommandOutcome};
use shared::realtime::message::{ByeCode, Claim};
use shared::secret::ResumeToken;

use super::cleanup::{CleanupScope, clean_up};
use super::event::{ConnectionEvent, Effect};
use super::flow::{HandshakeFound, JobFound, PendingJob};
use super::handshake::{HandshakeError, HandshakeStep, handshake_step};
use super::job::{Job, JobRequest, end_login_call};
use super::locate::locate_call;
use super::notice::{NotDone, Notice};
use super::saved_session::SavedSession;
use super::snapshot::NetworkSnapshot;
use super::start::start_realm_switch;
use super::state::MultiplayerConnectionState;
use super::status::ConnectionStatus;
use crate::realtime::endpoint::first_healthy;
use crate::realtime::handle::{Asked, Goodbye, RealtimeGeneration, RealtimeSessionHandle};
use crate::realtime::transport::{TransportAction, TransportEvent, TransportState};

/// Reduces an event into the state and says what the page has to do, in order.
///
/// Events of a job that is not pending, and of a realtime handle that is not the present
/// one, change nothing.
pub fn reduce(state: &mut MultiplayerConnectionState, event: ConnectionEvent) -> Vec<Effect> {
    use ConnectionEvent as Event;

    let mut effects = Vec::new();
    match event {
        Event::Started { request } => started(state, *request, &mut effects),
        Event::Pending { job, stage, found } => {
            if let Some(pending) = state.pending_job.as_mut().filter(|pending| pending.id == job) {
                pending.stage = stage;
                state.job_found = found;
                state.status = ConnectionStatus::Pending(stage);
            }
        }
        Event::Succeeded { job, snapshot } => {
            if let Some(pending) = state.pending_job.take_if(|pending| pending.id == job) {
                succeeded(state, pending, *snapshot, &mut effects);
            }
        }
        Event::Failed { job, stage, found, error } => {
            if let Some(pending) = state.pending_job.take_if(|pending| pending.id == job) {
                state.job_found = found;
                let ended = error.says_that_the_login_has_ended();
                let status = match error.about() {
                    None => ConnectionStatus::error_mended_by_reload(error.wants_reload(), error),
                    about => ConnectionStatus::error_about(about, error),
                };
                failed(state, PendingJob { stage, ..pending }, status, &mut effects);
                if ended {
                    login_ended(state, &mut effects);
                }
            }
        }
        Event::RuntimeUnavailable { job, problem } => {
            if let Some(pending) = state.pending_job.take_if(|pending| pending.id == job) {
                // Nothing can go back into a session here: without it, a login that is
                // continued once more shows the roster.
                effects.push(Effect::ForgetSession);
                failed(state, pending, ConnectionStatus::error(problem), &mut effects);
            }
        }
        Event::ValidationFailed(error) => {
            state.status = match error.about() {
                None => ConnectionStatus::error_mended_by_reload(error.wants_reload(), error),
                about => ConnectionStatus::error_about(about, error),
            };
            state.error_since = None;
        }
        Event::Reset => reset(state, &mut effects),
        Event::LogoutRequested => logout_requested(state, &mut effects),
        Event::LeaveWorld => leave_world(state, &mut effects),
        Event::Command(command) => issue(state, command, &mut effects),
        Event::Woken { at } => {
            if let Some(handle) = &state.realtime {
                let generation = handle.generation;
                realtime(state, generation, at, &TransportEvent::Woken, &mut effects);
            }
        }
        Event::TransferFailed { generation, reason, wants_reload } => {
            if is_present(state, generation) {
                clean_up(state, CleanupScope::WorldEntry, &mut effects);
                state.status = ConnectionStatus::error_mended_by_reload(wants_reload, reason);
            }
        }
        Event::Realtime { generation, at, event } => {
            realtime(state, generation, at, &event, &mut effects);
        }
    }
    effects
}

fn started(state: &mut MultiplayerConnectionState, request: JobRequest, effects: &mut Vec<Effect>) {
    if state.is_busy() {
        return;
    }
    clean_up(state, request.flow().cleanup_scope(), effects);
    let job = Job::new(state.next_job(), request);
    state.pending_job = Some(job.pending());
    state.job_found = job.found();
    state.status = ConnectionStatus::Pending(job.pending().stage);
    effects.push(Effect::SpawnJob(Box::new(job)));
}

fn succeeded(
    state: &mut MultiplayerConnectionState,
    job: PendingJob,
    snapshot: NetworkSnapshot,
    effects: &mut Vec<Effect>,
) {
    let start = match snapshot.handshake.as_ref().filter(|handshake| handshake.accepted) {
        Some(handshake) => match RealtimeStart::of(handshake, snapshot.resume_token.clone()) {
            Ok(start) => Some(start),
            Err(error) => {
                state.job_found.handshake = Some(HandshakeFound::of(handshake));
                if snapshot.resume_token.is_some() {
                    // Kept, it would stand in the way of every later login of this tab.
                    effects.push(Effect::ForgetSession);
                }
                return failed(state, job, ConnectionStatus::error(error), effects);
            }
        },
        None => None,
    };
    if start.is_none() && snapshot.login_response.is_some() {
        // A session of before that could be gone back to would have come with the login.
        effects.push(Effect::ForgetSession);
    }
    if start.is_some() {
        // Every start of a flow has cleaned up, so this finds nothing; without it, a flow that
        // forgets would leave a connection without an owner.
        clean_up(state, CleanupScope::WorldEntry, effects);
    }
    let rejection = snapshot.handshake.as_ref().and_then(|handshake| handshake.rejection.clone());
    snapshot.merge_into(state);
    // What it has found is in the state now; only the way there is told nowhere else.
    let redirect = state.job_found.redirect.take();
    state.job_found = JobFound { redirect, ..JobFound::default() };
    if let Some(start) = start {
        start_realtime(state, start, effects);
    } else if let Some(rejection) = rejection {
        if rejection.code == RejectionCode::LoginEnded {
            login_ended(state, effects);
        }
        let wants_reload = rejection.code == RejectionCode::ProtocolVersionUnsupported;
        state.status = ConnectionStatus::error_mended_by_reload(wants_reload, rejection.detail);
    } else {
        state.status = status_without_a_world(state);
    }
}

fn failed(
    state: &mut MultiplayerConnectionState,
    job: PendingJob,
    status: ConnectionStatus,
    effects: &mut Vec<Effect>,
) {
    clean_up(state, job.failure_scope(), effects);
    state.status = status;
}

/// The server has told that the login is over. A status that says so stays.
fn login_ended(state: &mut MultiplayerConnectionState, effects: &mut Vec<Effect>) {
    clean_up(state, CleanupScope::AuthenticatedSession, effects);
    effects.push(Effect::ForgetLogin);
}

/// Everything that a realtime session needs before it may start.
struct RealtimeStart {
    activation: RealtimeSessionActivation,
    claim: Claim,
    endpoint: RealtimeEndpoint,
}

impl RealtimeStart {
    fn of(
        handshake: &HandshakeResponse,
        resume_token: Option<ResumeToken>,
    ) -> Result<Self, HandshakeError> {
        match handshake_step(handshake, 0) {
            HandshakeStep::Accept { ticket, activation } => {
                let endpoint = first_healthy(&activation.endpoints)
                    .ok_or(HandshakeError::NoHealthyEndpoint)?
                    .clone();
                let claim = resume_token.map_or(Claim::Ticket(ticket), Claim::Resume);
                Ok(Self { activation: *activation, claim, endpoint })
            }
            HandshakeStep::Error(error) => Err(error),
            HandshakeStep::Follow(_) | HandshakeStep::Reject(_) => Err(HandshakeError::Empty),
        }
    }
}

fn start_realtime(
    state: &mut MultiplayerConnectionState,
    start: RealtimeStart,
    effects: &mut Vec<Effect>,
) {
    let generation = state.next_generation();
    let RealtimeStart { activation, claim, endpoint } = start;
    effects.push(Effect::StartRealtime { generation, endpoint: endpoint.clone() });
    state.realtime = Some(RealtimeSessionHandle::new(generation, activation, claim, endpoint));
    state.status = ConnectionStatus::Connected;
}

fn is_present(state: &MultiplayerConnectionState, generation: RealtimeGeneration) -> bool {
    state.realtime.as_ref().is_some_and(|handle| handle.generation == generation)
}

fn realtime(
    state: &mut MultiplayerConnectionState,
    generation: RealtimeGeneration,
    at: f64,
    event: &TransportEvent,
    effects: &mut Vec<Effect>,
) {
    let Some(handle) = state.realtime.as_mut().filter(|handle| handle.generation == generation)
    else {
        return;
    };
    let asked = handle.apply(event, at);
    let (was_in_world, goodbye) = (handle.was_in_world(), handle.goodbye);
    let transport = &handle.transport;
    let (health, attempt) = (transport.state(), transport.reconnect_attempt());
    let last_message = transport.last_message().to_owned();
    let wants_reload = transport.wants_reload();
    carry_out(state, asked, effects);
    if health == TransportState::Live {
        keep_session(state, event, effects);
    }
    if health.is_lost() {
        match event {
            TransportEvent::ByeReceived(bye) if bye.code == ByeCode::LoginEnded => {
                reset(state, effects);
                effects.push(Effect::ForgetLogin);
                state.status = ConnectionStatus::Error(format!("{last_message}. Log in again"));
            }
            _ => lost(state, was_in_world, wants_reload, &last_message, effects),
        }
    } else if state.realtime_disconnect_finished() {
        match goodbye {
            Goodbye::ToLogin => log_out(state, effects),
            Goodbye::ToRoster => return_to_roster(state, effects),
        }
    } else if state.is_draining() {
        state.status = ConnectionStatus::Disconnecting;
    } else if health == TransportState::Reconnecting {
        state.status = ConnectionStatus::Reconnecting { attempt };
    } else if state.status.is_error() && state.world_entry_ready() {
        // What went wrong did not touch the world: it is told for a while.
        let since = *state.error_since.get_or_insert(at);
        if at - since >= CLIENT_ERROR_SHOWN.as_secs_f64() * 1_000.0 {
            state.status = ConnectionStatus::InWorld;
        }
    } else if let ConnectionStatus::Connected | ConnectionStatus::Reconnecting { .. } = state.status
    {
        state.status = if state.world_entry_ready() {
            ConnectionStatus::InWorld
        } else {
            ConnectionStatus::Connected
        };
    }
}

/// Keeps what a page that is loaded anew needs, whenever it has changed.
fn keep_session(
    state: &mut MultiplayerConnectionState,
    event: &TransportEvent,
    effects: &mut Vec<Effect>,
) {
    let has_gathered = match event {
        TransportEvent::Welcome(welcome) => Some(welcome.gathered),
        TransportEvent::Answered(CommandAnswer {
            outcome: CommandOutcome::Gathered { total },
            ..
        }) => Some(*total),
        _ => return,
    };
    let (Some(handle), Some(handshake)) = (&state.realtime, &mut state.handshake) else { return };
    if let (Some(total), Some(activation)) = (has_gathered, &mut handshake.activation) {
        activation.character.gathered = total;
    }
    if let Some(token) = handle.transport.resume_token() {
        let session = SavedSession { handshake: handshake.clone(), resume_token: token.clone() };
        effects.push(Effect::KeepSession(Box::new(session)));
    }
}

/// Hands on what a realtime session asks for. A dial has a new generation, so that nothing
/// of the connection before can speak for it.
fn carry_out(state: &mut MultiplayerConnectionState, asked: Asked, effects: &mut Vec<Effect>) {
    effects.extend(asked.notices.into_iter().map(Effect::Show));
    for action in asked.actions {
        if let TransportAction::Locate(token) = action {
            let Some(handle) = &state.realtime else { return };
            let call = locate_call(&state.login_endpoint, token);
            effects.push(Effect::LocateSession { generation: handle.generation, call });
            continue;
        }
        let new = (action == TransportAction::Redial).then(|| state.next_generation());
        let Some(handle) = &mut state.realtime else { return };
        if let Some(generation) = new {
            handle.generation = generation;
            let endpoint = handle.transport.endpoint().clone();
            effects.push(Effect::StartRealtime { generation, endpoint });
        } else {
            effects.push(Effect::Transport { generation: handle.generation, action });
        }
    }
}

fn issue(state: &mut MultiplayerConnectionState, command: Command, effects: &mut Vec<Effect>) {
    match &mut state.realtime {
        Some(handle) => {
            let asked = handle.issue(command);
            carry_out(state, asked, effects);
        }
        None => {
            let reason = NotDone::NotInWorld;
            effects.push(Effect::Show(Notice::NotDone { command, reason }));
        }
    }
}

/// Before the world was entered, a lost transport is a failed world entry: login and roster
/// stay. Afterwards it is an unexpected loss, which discards everything but the reason.
fn lost(
    state: &mut MultiplayerConnectionState,
    was_in_world: bool,
    wants_reload: bool,
    reason: &str,
    effects: &mut Vec<Effect>,
) {
    if was_in_world {
        reset(state, effects);
        // Whoever ended the session advises on entering again; the login comes first here.
        let what = reason.split_once(": enter the world again").map_or(reason, |(what, _)| what);
        let told = format!("you were disconnected: {what}. Log in or continue to play on");
        state.status = ConnectionStatus::error_mended_by_reload(wants_reload, told);
    } else {
        clean_up(state, CleanupScope::WorldEntry, effects);
        let told = format!("the world could not be entered: {reason}");
        state.status = ConnectionStatus::error_mended_by_reload(wants_reload, told);
    }
}

fn logout_requested(state: &mut MultiplayerConnectionState, effects: &mut Vec<Effect>) {
    if state.is_draining() || state.has_realtime_session() {
        drain(state, Goodbye::ToLogin, effects);
    } else {
        log_out(state, effects);
    }
}

/// The roster says who is in the world, so an established session is drained before the
/// roster is shown and fetched anew.
fn leave_world(state: &mut MultiplayerConnectionState, effects: &mut Vec<Effect>) {
    if state.is_draining() {
        return;
    }
    if state.has_realtime_session() {
        return drain(state, Goodbye::ToRoster, effects);
    }
    state.pending_job = None;
    if state.realtime.as_ref().is_some_and(RealtimeSessionHandle::was_in_world) {
        // Reconnecting: the server may still hold the body, which the roster will say.
        return return_to_roster(state, effects);
    }
    clean_up(state, CleanupScope::WorldEntry, effects);
    state.status = status_without_a_world(state);
}

/// Says goodbye, or changes where a goodbye that is under way leads.
fn drain(state: &mut MultiplayerConnectionState, goodbye: Goodbye, effects: &mut Vec<Effect>) {
    let Some(handle) = &mut state.realtime else { return };
    let asked = handle.leave(goodbye);
    carry_out(state, asked, effects);
    state.status = ConnectionStatus::Disconnecting;
}

/// The last step of leaving the world.
fn return_to_roster(state: &mut MultiplayerConnectionState, effects: &mut Vec<Effect>) {
    clean_up(state, CleanupScope::WorldEntry, effects);
    state.status = status_without_a_world(state);
    if let Some(index) = state.selected_realm {
        effects.extend(start_realm_switch(state, index));
    }
}

/// The last step of a logout: the login ends as well, and nothing is left.
fn log_out(state: &mut MultiplayerConnectionState, effects: &mut Vec<Effect>) {
    let end_login =
        state.access_token().map(|token| end_login_call(&state.login_endpoint, token.clone()));
    reset(state, effects);
    effects.push(Effect::ForgetLogin);
    effects.extend(end_login.map(Effect::EndLogin));
}

fn reset(state: &mut MultiplayerConnectionState, effects: &mut Vec<Effect>) {
    state.pending_job = None;
    state.job_found = JobFound::default();
    clean_up(state, CleanupScope::AuthenticatedSession, effects);
    state.status = ConnectionStatus::Idle;
}

fn status_without_a_world(state: &MultiplayerConnectionState) -> ConnectionStatus {
    if state.login_response.is_none() {
        ConnectionStatus::Idle
    } else if state.realms.is_empty() {
        ConnectionStatus::AuthenticatedWithoutRealms
    } else if state.characters.is_empty() {
        ConnectionStatus::AuthenticatedWithoutCharacters
    } else {
        ConnectionStatus::Authenticated
    }
}

impl MultiplayerConnectionState {
    /// Whether a start would be passed over: a job is pending or a logout drains.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.pending_job.is_some() || self.is_draining()
    }

    /// Whether a job is on its way into the world. A flow that could not even start, or
    /// was refused before its first request, is not.
    #[must_use]
    pub fn is_entering_the_world(&self) -> bool {
        self.pending_job.is_some_and(|job| job.flow.enters_the_world())
    }

    /// Whether a clean goodbye waits for the realtime session to end.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.transport_state() == Some(TransportState::ClosedByUser)
    }
}
