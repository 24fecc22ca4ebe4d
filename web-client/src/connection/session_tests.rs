//! The realtime session as the connection owns it: failed entries, losses, stale handles,
//! logout, leaving, and zone-transfer recovery.

use shared::gameplay::{HandshakeResponse, Rejection, RejectionCode};
use shared::problem::ProblemCode;
use shared::realtime::message::{Bye, ByeCode, EntityId};

use super::event::{ConnectionEvent, Effect};
use super::fixtures::*;
use super::reducer::reduce;
use super::start::*;
use super::status::ConnectionStatus;
use crate::realtime::handle::RealtimeGeneration;
use crate::realtime::transport::{TransportAction, TransportEvent, TransportState};

#[test]
fn a_world_entry_that_fails_on_the_realtime_side_keeps_the_roster() {
    let other = shared::realtime::message::Welcome {
        session_token: "session-of-somebody-else".parse().unwrap(),
        ..welcome()
    };
    for (event, expected) in [
        (TransportEvent::DialTimedOut, "the game server does not answer"),
        (TransportEvent::StreamClosed, "closed the connection"),
        (TransportEvent::ConnectionLost { reason: "gone".into() }, "broke (gone)"),
        (TransportEvent::ByeReceived(Bye::of(ByeCode::UnknownSession)), "the session has ended"),
        (TransportEvent::Welcome(other), "welcomed another session"),
    ] {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        run(&mut state, effects, &mut Server::default());
        realtime(&mut state, TransportEvent::Opened);
        let effects = realtime(&mut state, event);
        assert!(shuts_down(&effects), "{effects:?}");
        assert!(has_no_world(&state) && keeps_the_roster(&state));
        let status = state.status.to_string();
        assert!(status.starts_with("Error: the world could not be entered: "), "{status}");
        assert!(status.contains(expected), "{status}");
    }
}

#[test]
fn unexpected_loss_resets_everything_but_says_why() {
    let mut state = state_in_world();
    let bye = Bye::of(ByeCode::Superseded);
    let effects = realtime(&mut state, TransportEvent::ByeReceived(bye));
    assert!(shuts_down(&effects));
    assert!(!effects.iter().any(|e| matches!(e, Effect::EndLogin(_))), "the login may go on");
    assert!(is_empty(&state));
    assert_eq!(
        state.status.to_string(),
        "Error: you were disconnected: your account has entered the world elsewhere. Log in or \
         continue to play on"
    );
}

#[test]
fn every_loss_advises_on_what_the_login_screen_offers() {
    for (event, expected) in [
        (
            TransportEvent::ByeReceived(Bye::of(ByeCode::Superseded)),
            "your account has entered the world elsewhere",
        ),
        (
            TransportEvent::ByeReceived(Bye::of(ByeCode::UnknownSession)),
            "the session has ended, or goes on in another window",
        ),
        (TransportEvent::Unreadable, "the server sent what this page cannot read: reload the page"),
    ] {
        let mut state = state_in_world();
        realtime(&mut state, event);
        let status = state.status.to_string();
        assert!(
            status.ends_with(&format!("{expected}. Log in or continue to play on")),
            "{status}"
        );
        assert!(!status.contains("enter the world again"), "{status}");
    }
}

#[test]
fn a_session_whose_login_has_ended_leads_to_the_login_and_says_why() {
    let mut state = state_in_world();
    let bye = TransportEvent::ByeReceived(Bye::of(ByeCode::LoginEnded));
    let effects = realtime(&mut state, bye);
    assert!(shuts_down(&effects));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::ForgetLogin)));
    assert!(is_empty(&state));
    let status = state.status.to_string();
    assert!(status.starts_with("Error: your login has ended"), "{status}");
    assert!(status.ends_with(". Log in again"), "{status}");
    assert!(!status.contains("continue"), "there is nothing to continue as: {status}");
}

#[test]
fn events_of_an_old_handle_change_nothing() {
    let mut state = state_in_world();
    let old = generation(&state);
    let effects = start_character_connect(&mut state, attempt());
    run(&mut state, effects, &mut Server::default());
    assert_ne!(generation(&state), old);
    for event in [
        TransportEvent::Opened,
        TransportEvent::Welcome(welcome()),
        TransportEvent::ConnectionLost { reason: String::new() },
    ] {
        let event = ConnectionEvent::Realtime { generation: old, at: 0.0, event };
        assert!(reduce(&mut state, event).is_empty());
    }
    assert_eq!(state.transport_state(), Some(TransportState::Connecting));
}

#[test]
fn a_clean_logout_waits_for_the_server_and_then_ends_the_login() {
    let mut state = state_in_world();
    let effects = reduce(&mut state, ConnectionEvent::LogoutRequested);
    assert_eq!(state.status.to_string(), "Disconnecting from realtime session...");
    assert!(matches!(&effects[0], Effect::Transport { action: TransportAction::SendBye, .. }));
    assert!(state.login_response.is_some() && !state.world_entry_ready());
    assert!(reduce(&mut state, ConnectionEvent::LogoutRequested).is_empty());
    assert!(start_character_connect(&mut state, attempt()).is_empty());
    realtime(&mut state, TransportEvent::Snapshot(snapshot_with(102, &[OWN, EntityId(8)])));
    assert_eq!(state.status, ConnectionStatus::Disconnecting);
    let effects = realtime(&mut state, TransportEvent::ByeReceived(Bye::of(ByeCode::LoggedOut)));
    assert!(is_empty(&state));
    assert_eq!(state.status, ConnectionStatus::Idle);
    assert!(shuts_down(&effects));
    let Some(Effect::EndLogin(call)) = effects.last() else { panic!("{effects:?}") };
    assert_eq!(call.url, "http://login.test/v1/sessions/current");
}

#[test]
fn a_logout_without_an_established_session_skips_the_wait() {
    let mut state = authenticated_state();
    let effects = reduce(&mut state, ConnectionEvent::LogoutRequested);
    assert!(is_empty(&state) && state.status == ConnectionStatus::Idle);
    assert!(matches!(&effects[..], [Effect::ForgetLogin, Effect::EndLogin(_)]));

    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    run(&mut state, effects, &mut Server::default());
    let effects = reduce(&mut state, ConnectionEvent::LogoutRequested);
    assert!(is_empty(&state) && shuts_down(&effects), "connecting is nothing to drain");
}

#[test]
fn leaving_the_world_fetches_the_roster_after_the_servers_goodbye() {
    for end in
        [TransportEvent::ByeReceived(Bye::of(ByeCode::LoggedOut)), TransportEvent::ByeTimedOut]
    {
        let mut state = state_in_world();
        let effects = reduce(&mut state, ConnectionEvent::LeaveWorld);
        assert!(matches!(&effects[0], Effect::Transport { action: TransportAction::SendBye, .. }));
        assert_eq!(state.status, ConnectionStatus::Disconnecting);
        assert!(state.is_draining() && keeps_the_roster(&state));
        assert!(reduce(&mut state, ConnectionEvent::LeaveWorld).is_empty());

        let effects = realtime(&mut state, end);
        assert!(shuts_down(&effects) && has_no_world(&state) && keeps_the_roster(&state));
        let mut server = Server::default();
        run(&mut state, effects, &mut server);
        assert_eq!(server.calls, ["GET http://login.test/v1/realms/dawn/characters"]);
        assert_eq!(state.status, ConnectionStatus::Authenticated);
        assert!(keeps_the_roster(&state), "who has left is still the selected one");
    }
}

#[test]
fn leaving_before_the_world_is_there_has_nothing_to_wait_for() {
    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    run(&mut state, effects, &mut Server::default());
    let effects = reduce(&mut state, ConnectionEvent::LeaveWorld);
    assert!(shuts_down(&effects) && has_no_world(&state) && keeps_the_roster(&state));
    assert_eq!(state.status, ConnectionStatus::Authenticated);
}

#[test]
fn a_logout_while_leaving_ends_the_login() {
    let mut state = state_in_world();
    reduce(&mut state, ConnectionEvent::LeaveWorld);
    assert!(reduce(&mut state, ConnectionEvent::LogoutRequested).is_empty());
    let effects = realtime(&mut state, TransportEvent::ByeTimedOut);
    assert!(is_empty(&state) && matches!(effects.last(), Some(Effect::EndLogin(_))));
}

#[test]
fn zone_transfer_recovery_keeps_account_and_roster() {
    let mut state = state_in_world();
    let generation = generation(&state);
    let reason = "the way to the ruins is closed: enter the world again".to_owned();
    let stale = RealtimeGeneration(generation.0 + 1);
    let event = ConnectionEvent::TransferFailed {
        generation: stale,
        reason: reason.clone(),
        wants_reload: false,
    };
    assert!(reduce(&mut state, event).is_empty() && state.world_entry_ready());
    let event = ConnectionEvent::TransferFailed { generation, reason, wants_reload: true };
    assert!(shuts_down(&reduce(&mut state, event)));
    assert!(has_no_world(&state) && keeps_the_roster(&state));
    assert!(state.status.to_string().starts_with("Error: the way to the ruins"));
    assert!(state.status.wants_reload());
}

#[test]
fn whoever_is_told_to_reload_the_page_is_offered_it_and_nobody_else() {
    let mut told = Vec::new();
    for event in [
        TransportEvent::Unreadable,
        TransportEvent::ByeReceived(Bye::of(ByeCode::ProtocolVersion)),
        TransportEvent::ByeReceived(Bye::of(ByeCode::Malformed)),
        TransportEvent::ByeReceived(Bye::of(ByeCode::UnknownSession)),
        TransportEvent::StreamClosed,
    ] {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        run(&mut state, effects, &mut Server::default());
        realtime(&mut state, event);
        told.push(state.status);
    }
    let old = Rejection::of(RejectionCode::ProtocolVersionUnsupported);
    for answer in [
        ok(&HandshakeResponse::reject(old)),
        ok(&rejected()),
        ok(&"nonsense"),
        problem(ProblemCode::NotFound, "no such character: choose another"),
    ] {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        run(&mut state, effects, &mut Server::instead([("/v1/handshake", answer)]));
        told.push(state.status);
    }
    let mut state = authenticated_state();
    reduce(&mut state, ConnectionEvent::ValidationFailed(ValidationError::NoAttemptId));
    told.push(state.status);
    assert_eq!(told.iter().filter(|status| status.wants_reload()).count(), 6);
    for status in told {
        assert!(status.is_error());
        assert_eq!(status.wants_reload(), status.to_string().contains("reload the page"));
    }
}
