//! Every flow through success, failure, a missing runtime and a reset, each a test of its own.

use shared::realtime::message::{Bye, ByeCode, Welcome};

use super::cleanup::CleanupScope;
use super::event::{ConnectionEvent, Effect, RuntimeProblem};
use super::fixtures::*;
use super::flow::{JobFound, MultiplayerConnectionFlow as Flow, PendingJob, PendingJobStage};
use super::flow_tests::start_of;
use super::job::JobError;
use super::reducer::reduce;
use super::start::start_login_flow;
use super::state::MultiplayerConnectionState;
use super::status::ConnectionStatus;
use crate::realtime::transport::TransportEvent;

/// A state in which every flow may start, with the flow started.
fn started(flow: Flow) -> (MultiplayerConnectionState, Vec<Effect>, PendingJob) {
    let mut state = authenticated_state();
    let effects = start_of(flow, &mut state);
    assert!(matches!(&effects[..], [Effect::SpawnJob(_)]), "{effects:?}");
    let job = state.pending_job.unwrap();
    (state, effects, job)
}

/// What is left of the state after the flow's scope has been cleaned up.
#[track_caller]
fn is_cleaned_up(flow: Flow, state: &MultiplayerConnectionState) {
    assert!(state.pending_job.is_none() && has_no_world(state));
    match flow.cleanup_scope() {
        CleanupScope::AuthenticatedSession => assert!(is_empty(state)),
        CleanupScope::WorldEntry => assert!(keeps_the_roster(state)),
    }
}

fn success(flow: Flow) {
    let (mut state, effects, _) = started(flow);
    let [Effect::SpawnJob(job)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(job.may_start_realtime(), flow.enters_the_world());
    let left = run(&mut state, effects, &mut Server::default());
    assert!(state.pending_job.is_none() && state.login_response.is_some());
    let realtime_starts =
        left.iter().filter(|effect| matches!(effect, Effect::StartRealtime { .. })).count();
    let enters = flow.enters_the_world();
    assert_eq!((realtime_starts, state.realtime.is_some()), (usize::from(enters), enters));
    let status = if enters { ConnectionStatus::Connected } else { ConnectionStatus::Authenticated };
    assert_eq!(state.status, status);
}

/// Fails the flow at each of its calls in turn.
fn failure(flow: Flow) {
    let (mut state, effects, _) = started(flow);
    let mut server = Server::default();
    run(&mut state, effects, &mut server);
    let calls = server.calls;
    for (nth, call) in calls.iter().enumerate() {
        let (mut state, effects, _) = started(flow);
        let mut server = Server { silent_from: Some(nth), ..Server::default() };
        let left = run(&mut state, effects, &mut server);
        assert!(left.is_empty(), "{left:?} after {call}");
        let tries = server.calls.iter().skip(nth);
        assert!(tries.len() > 0 && tries.clone().all(|tried| tried == call), "{call}");
        is_cleaned_up(flow, &state);
        let status = state.status.to_string();
        assert_eq!(status, "Error: the server does not answer: try again in a moment", "{call}");
    }
}

/// Fails the flow's realtime side at each of its steps in turn. Its job is done by then, so
/// whichever flow it was, login and roster are there for another try.
fn realtime_failure(flow: Flow) {
    let other = Welcome { session_token: "session-of-another-one".parse().unwrap(), ..welcome() };
    let steps = [TransportEvent::DialStarted, TransportEvent::Opened];
    let failures = [
        TransportEvent::ConnectionLost { reason: "no route".to_owned() },
        TransportEvent::DialTimedOut,
        TransportEvent::StreamClosed,
        TransportEvent::ByeReceived(Bye::of(ByeCode::Unavailable)),
        TransportEvent::ByeReceived(Bye::of(ByeCode::UnknownSession)),
        TransportEvent::Welcome(other),
    ];
    for (reached, failure) in
        (0..=steps.len()).flat_map(|n| failures.iter().map(move |failure| (n, failure)))
    {
        let (mut state, effects, _) = started(flow);
        run(&mut state, effects, &mut Server::default());
        for step in &steps[..reached] {
            realtime(&mut state, step.clone());
        }
        let effects = realtime(&mut state, failure.clone());
        assert!(shuts_down(&effects) && has_no_world(&state), "{failure:?} after {reached}");
        assert_eq!((state.realms.len(), state.characters.len()), (2, 3));
        assert!(state.login_response.is_some() && state.pending_job.is_none());
        let status = state.status.to_string();
        assert!(status.starts_with("Error: the world could not be entered: "), "{status}");
    }
}

#[test]
fn an_entry_that_fails_at_dial_or_welcome_keeps_login_and_roster() {
    for flow in [Flow::ConnectCharacter, Flow::QuickConnect] {
        realtime_failure(flow);
    }
}

fn runtime_unavailable(flow: Flow) {
    let (mut state, _, job) = started(flow);
    let problem = RuntimeProblem::NoWebTransport;
    reduce(&mut state, ConnectionEvent::RuntimeUnavailable { job: job.id, problem });
    is_cleaned_up(flow, &state);
    assert!(state.status.to_string().starts_with("Error: this browser has no WebTransport"));
}

fn reset(flow: Flow) {
    let (mut state, _, PendingJob { id: job, .. }) = started(flow);
    reduce(&mut state, ConnectionEvent::Reset);
    assert!(is_empty(&state) && state.pending_job.is_none());
    assert_eq!(state.status, ConnectionStatus::Idle);
    let snapshot = Box::new(logged_in());
    let stage = PendingJobStage::Authenticating;
    let late = [
        ConnectionEvent::Pending { job, stage, found: JobFound::default() },
        ConnectionEvent::Succeeded { job, snapshot },
        ConnectionEvent::Failed {
            job,
            stage,
            found: JobFound::default(),
            error: JobError::Unreachable,
        },
        ConnectionEvent::RuntimeUnavailable { job, problem: RuntimeProblem::InsecureContext },
    ];
    for event in late {
        assert!(reduce(&mut state, event).is_empty());
        assert!(is_empty(&state));
        assert_eq!(state.status, ConnectionStatus::Idle);
    }
}

fn while_pending(flow: Flow) {
    let mut state = authenticated_state();
    let _ = start_login_flow(&mut state, password());
    let (job, status) = (state.pending_job, state.status.clone());
    assert!(start_of(flow, &mut state).is_empty());
    assert_eq!((state.pending_job, state.status), (job, status));
}

fn end_of_the_login(flow: Flow) {
    let (mut state, effects, _) = started(flow);
    let ended = problem(shared::problem::ProblemCode::Unauthenticated, "log in again");
    // The first call that presents a login, or the login itself.
    let ends = ["/sessions", "/characters", "/select-character", &uuid_text(10)];
    let answers = ends.map(|end| (end.to_owned().leak() as &'static str, ended.clone()));
    let left = run(&mut state, effects, &mut Server::instead(answers));
    assert!(is_empty(&state), "{:?}", state.status);
    assert!(left.iter().any(|effect| matches!(effect, Effect::ForgetLogin)));
    assert_eq!(state.status.to_string(), "Error: log in again");
}

macro_rules! each_flow {
    ($($module:ident: $flow:ident,)*) => {$(
        mod $module {
            use super::Flow::$flow;

            #[test]
            fn success() {
                super::success($flow);
            }

            #[test]
            fn failure_at_any_call_cleans_up_its_scope_and_no_more() {
                super::failure($flow);
            }

            #[test]
            fn runtime_unavailable_cleans_up_its_scope_and_says_what_is_missing() {
                super::runtime_unavailable($flow);
            }

            #[test]
            fn reset_drops_the_job_and_its_completion_comes_to_nothing() {
                super::reset($flow);
            }

            #[test]
            fn a_start_while_a_job_is_pending_does_nothing() {
                super::while_pending($flow);
            }

            #[test]
            fn an_ended_login_clears_the_account_and_forgets_the_login() {
                super::end_of_the_login($flow);
            }
        }
    )*};
}

each_flow! {
    login: Authenticate,
    character_connect: ConnectCharacter,
    quick_connect: QuickConnect,
    create_character: CreateCharacter,
    delete_character: DeleteCharacter,
    realm_switch: SwitchRealm,
}
