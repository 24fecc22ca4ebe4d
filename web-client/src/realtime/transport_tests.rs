//! The transport through its states.

use shared::gameplay::RealtimeEndpoint;
use shared::limits::CLIENT_DIAL_TIMEOUT;
use shared::realtime::message::{Bye, ByeCode, Claim, Welcome};

use super::transport::TransportAction as Do;
use super::transport::TransportEvent as Event;
use super::transport::*;
use crate::connection::fixtures::{OWN, activation, snapshot_with, welcome};

pub(super) fn connecting() -> Transport {
    let endpoint =
        RealtimeEndpoint { url: "https://well".to_owned(), cert_hashes: Vec::new(), healthy: true };
    let ticket = "ticket-0123456789abcdef".parse().unwrap();
    Transport::new(endpoint, activation().session_token, Claim::Ticket(ticket))
}

pub(super) fn live() -> Transport {
    let mut transport = connecting();
    transport.apply(&Event::DialStarted, 0.0);
    transport.apply(&Event::Opened, 10.0);
    transport.apply(&Event::Welcome(welcome()), 20.0);
    assert_eq!(transport.state(), TransportState::Live);
    transport
}

fn ends() -> Vec<Event> {
    vec![
        Event::ByeReceived(Bye::of(ByeCode::ShuttingDown)),
        Event::Unreadable,
        Event::StreamClosed,
        Event::ConnectionLost { reason: String::new() },
    ]
}

#[test]
fn a_dial_says_hello_with_the_ticket_and_is_live_after_the_welcome_only() {
    let mut transport = connecting();
    let actions = transport.apply(&Event::DialStarted, 0.0);
    assert_eq!(actions, [schedule(CLIENT_DIAL_TIMEOUT, Event::DialTimedOut)]);
    let actions = transport.apply(&Event::Opened, 1.0);
    let [Do::SendHello(hello)] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(hello.session_token, activation().session_token);
    assert!(matches!(hello.claim, Claim::Ticket(_)));
    assert_eq!(transport.state(), TransportState::Connecting);
    assert_eq!(transport.last_packet_at(), None);
    transport.apply(&Event::Welcome(welcome()), 20.0);
    assert_eq!(transport.state(), TransportState::Live);
    assert_eq!(transport.last_packet_at(), Some(20.0));
    transport.apply(&Event::Snapshot(snapshot_with(1, &[OWN])), 70.0);
    assert_eq!(transport.last_packet_at(), Some(70.0));
}

#[test]
fn a_welcome_to_another_session_hangs_up() {
    let mut transport = connecting();
    let session_token = "session-of-somebody-else".parse().unwrap();
    let other = Welcome { session_token, ..welcome() };
    assert_eq!(transport.apply(&Event::Welcome(other), 0.0), [Do::Close]);
    assert_eq!(transport.state(), TransportState::DisconnectedByServer);
    assert!(transport.apply(&Event::Welcome(welcome()), 1.0).is_empty());
    assert_eq!(transport.state(), TransportState::DisconnectedByServer);
}

#[test]
fn the_dial_timer_fires_in_vain_once_the_session_is_live() {
    let mut transport = live();
    assert!(transport.apply(&Event::DialTimedOut, 5_000.0).is_empty());
    assert_eq!(transport.state(), TransportState::Live);
    let mut transport = connecting();
    assert_eq!(transport.apply(&Event::DialTimedOut, 5_000.0), [Do::Close]);
    assert_eq!(transport.state(), TransportState::TimedOut);
}

#[test]
fn a_dial_that_fails_is_told_as_no_broken_connection() {
    let failed = Event::ConnectionLost { reason: "no route".to_owned() };
    let mut transport = connecting();
    transport.apply(&Event::DialStarted, 0.0);
    transport.apply(&failed, 1.0);
    let message = "the game server cannot be reached (no route): enter the world again in a moment";
    assert_eq!(transport.last_message(), message);
    let mut transport = connecting();
    transport.apply(&Event::DialStarted, 0.0);
    assert!(!transport.has_said_hello());
    transport.apply(&Event::Opened, 1.0);
    assert!(transport.has_said_hello());
    transport.apply(&failed, 2.0);
    let message = "the connection broke (no route): enter the world again";
    assert_eq!(transport.last_message(), message, "the dial itself has not failed");
    let mut transport = live();
    transport.apply(&failed, 1.0);
    assert_eq!(transport.last_message(), "the connection broke (no route)");
}

#[test]
fn a_bye_of_the_server_is_echoed() {
    let mut transport = live();
    let bye = Bye::of(ByeCode::Superseded);
    let actions = transport.apply(&Event::ByeReceived(bye.clone()), 1.0);
    assert_eq!(actions, [Do::SendBye, Do::Close]);
    assert_eq!(transport.state(), TransportState::DisconnectedByServer);
    assert_eq!(transport.last_message(), bye.detail);
    let mut transport = connecting();
    transport.apply(&Event::ByeReceived(Bye::of(ByeCode::TimedOut)), 1.0);
    assert_eq!(transport.state(), TransportState::TimedOut);
}

#[test]
fn every_end_of_a_connection_is_noticed_once() {
    for open in [connecting as fn() -> Transport, live] {
        for end in ends() {
            let mut transport = open();
            assert!(transport.apply(&end, 1.0).contains(&Do::Close), "{end:?}");
            let may_come_back = transport.state() == TransportState::Reconnecting;
            assert!(transport.state().is_lost() || may_come_back, "{end:?}");
            let message = transport.last_message().to_owned();
            for late in ends() {
                assert!(transport.apply(&late, 2.0).is_empty());
            }
            assert_eq!(transport.last_message(), message);
        }
    }
}

#[test]
fn a_clean_disconnect_says_bye_and_waits_for_any_answer() {
    for end in ends().into_iter().chain([Event::ByeTimedOut]) {
        let mut transport = live();
        let actions = transport.disconnect();
        assert_eq!(actions, [Do::SendBye, schedule(GOODBYE_TIMEOUT, Event::ByeTimedOut)]);
        assert_eq!(transport.last_message(), DISCONNECT_REQUESTED);
        assert!(transport.awaits_the_goodbye() && !transport.is_disconnect_finished());
        assert!(transport.apply(&Event::Snapshot(snapshot_with(1, &[OWN])), 2.0).is_empty());
        assert!(transport.awaits_the_goodbye());
        assert_eq!(transport.apply(&end, 3.0), [Do::Close], "{end:?}");
        assert!(transport.is_disconnect_finished(), "{end:?}");
        assert_eq!(transport.state(), TransportState::ClosedByUser);
    }
}

#[test]
fn disconnecting_before_the_welcome_has_nothing_to_drain() {
    let mut transport = connecting();
    assert_eq!(transport.disconnect(), [Do::Close]);
    assert!(transport.is_disconnect_finished());
}

#[test]
fn a_server_cannot_hold_a_logout_up_with_the_words_of_the_request() {
    let mut transport = live();
    transport.disconnect();
    let detail = DISCONNECT_REQUESTED.to_owned();
    transport.apply(&Event::ByeReceived(Bye { code: ByeCode::LoggedOut, detail }), 2.0);
    assert!(transport.is_disconnect_finished());
}

#[test]
fn states_have_the_names_of_the_spec() {
    let names: Vec<_> = TransportState::ALL.iter().map(|state| state.as_str()).collect();
    let debug: Vec<_> = TransportState::ALL.iter().map(|s| format!("{s:?}")).collect();
    assert_eq!(names, debug);
}
