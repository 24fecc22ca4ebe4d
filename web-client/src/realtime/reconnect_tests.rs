//! A transport that loses its connection, and how it comes back.

use shared::gameplay::{RealtimeEndpoint, RealtimeSessionActivation};
use shared::limits::{
    CLIENT_DIAL_TIMEOUT, CLIENT_PROBE_TIMEOUT, CLIENT_SILENCE_TIMEOUT, RESUME_GRACE,
};
use shared::realtime::message::{Bye, ByeCode, Claim, Welcome};

use super::reconnect::Located;
use super::transport::TransportAction as Do;
use super::transport::TransportEvent as Event;
use super::transport::*;
use super::transport_tests::live;
use crate::connection::fixtures::{OWN, activation, snapshot_with, welcome};

const SILENCE_MS: f64 = 3_000.0;
const LOST_AT: f64 = 50_000.0;

fn losses() -> Vec<Event> {
    vec![
        Event::StreamClosed,
        Event::ConnectionLost { reason: "net".into() },
        Event::ByeReceived(Bye::of(ByeCode::TimedOut)),
        Event::ByeReceived(Bye::of(ByeCode::Unavailable)),
    ]
}

fn reconnecting() -> Transport {
    let mut transport = live();
    transport.apply(&Event::ConnectionLost { reason: String::new() }, LOST_AT);
    assert_eq!(transport.state(), TransportState::Reconnecting);
    transport
}

fn dialling() -> Transport {
    let mut transport = reconnecting();
    assert_eq!(transport.apply(&Event::RedialDue { attempt: 1 }, LOST_AT + 300.0), [Do::Redial]);
    transport
}

fn redial_after(actions: &[Do]) -> u32 {
    let [.., Do::Close, Do::Schedule { event, .. }] = actions else { panic!("{actions:?}") };
    let Event::RedialDue { attempt } = **event else { panic!("{actions:?}") };
    attempt
}

#[test]
fn every_loss_of_a_live_session_is_reconnected() {
    for loss in losses() {
        let mut transport = live();
        let actions = transport.apply(&loss, LOST_AT);
        assert_eq!(transport.state(), TransportState::Reconnecting, "{loss:?}");
        assert_eq!(redial_after(&actions), 1, "{loss:?}");
        assert_eq!(transport.reconnect_attempt(), 1);
    }
}

#[test]
fn what_ends_the_session_itself_is_not_reconnected() {
    for code in [
        ByeCode::Superseded,
        ByeCode::UnknownSession,
        ByeCode::LoginEnded,
        ByeCode::Malformed,
        ByeCode::ProtocolVersion,
    ] {
        let mut transport = live();
        transport.apply(&Event::ByeReceived(Bye::of(code)), 1.0);
        assert_eq!(transport.state(), TransportState::DisconnectedByServer, "{code:?}");
    }
}

#[test]
fn the_session_is_claimed_again_with_the_token_of_the_last_welcome() {
    let mut transport = dialling();
    assert_eq!(
        transport.apply(&Event::DialStarted, LOST_AT + 301.0),
        [schedule(CLIENT_DIAL_TIMEOUT, Event::DialTimedOut)]
    );
    let actions = transport.apply(&Event::Opened, LOST_AT + 320.0);
    let [Do::SendHello(hello)] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(hello.claim, Claim::Resume(welcome().resume_token));

    let second = Welcome { resume_token: "resume-token-number-2".parse().unwrap(), ..welcome() };
    let actions = transport.apply(&Event::Welcome(second.clone()), LOST_AT + 330.0);
    assert_eq!(actions, [schedule(CLIENT_SILENCE_TIMEOUT, Event::SilenceCheck)]);
    assert_eq!(transport.state(), TransportState::Live);
    assert_eq!(transport.reconnect_attempt(), 0);
    assert_eq!(transport.resume_token(), Some(&second.resume_token));
}

#[test]
fn between_two_dials_nothing_of_the_old_connection_is_heard() {
    for late in [
        Event::ConnectionLost { reason: String::new() },
        Event::StreamClosed,
        Event::Unreadable,
        Event::Opened,
        Event::DialTimedOut,
        Event::Welcome(welcome()),
        Event::Snapshot(snapshot_with(1, &[OWN])),
        Event::RedialDue { attempt: 7 },
        Event::SilenceCheck,
        Event::ProbeTimedOut { number: 1 },
    ] {
        let mut transport = reconnecting();
        assert!(transport.apply(&late, LOST_AT + 1.0).is_empty(), "{late:?}");
        assert_eq!(transport.state(), TransportState::Reconnecting, "{late:?}");
    }
}

#[test]
fn a_failed_dial_is_followed_by_the_next_until_the_grace_is_over() {
    for failure in [
        Event::DialTimedOut,
        Event::StreamClosed,
        Event::ConnectionLost { reason: "refused".into() },
        Event::ByeReceived(Bye::of(ByeCode::TimedOut)),
        Event::ByeReceived(Bye::of(ByeCode::Unavailable)),
    ] {
        let mut transport = dialling();
        let actions = transport.apply(&failure, LOST_AT + 400.0);
        assert_eq!(redial_after(&actions), 2, "{failure:?}");
        assert_eq!(
            transport.apply(&Event::RedialDue { attempt: 2 }, LOST_AT + 900.0),
            [Do::Locate(welcome().resume_token)]
        );
        assert!(transport.apply(&failure, LOST_AT + 901.0).is_empty(), "it is not dialling yet");
        let unknown = Event::Located(Located::Unknown);
        assert_eq!(transport.apply(&unknown, LOST_AT + 910.0), [Do::Redial]);
        assert!(transport.apply(&unknown, LOST_AT + 911.0).is_empty(), "an answer counts once");
        let over = LOST_AT + RESUME_GRACE.as_secs_f64() * 1_000.0;
        let actions = transport.apply(&failure, over);
        assert!(actions.contains(&Do::Close), "{failure:?}");
        assert_eq!(transport.state(), TransportState::TimedOut, "{failure:?}");
        assert!(transport.last_message().starts_with("the connection could not be restored"));
    }
}

/// Whose first dial has failed and who asks where the session is.
fn locating() -> Transport {
    let mut transport = dialling();
    transport.apply(&Event::DialTimedOut, LOST_AT + 5_000.0);
    let actions = transport.apply(&Event::RedialDue { attempt: 2 }, LOST_AT + 6_000.0);
    assert_eq!(actions, [Do::Locate(welcome().resume_token)]);
    transport
}

#[test]
fn a_session_that_has_another_endpoint_by_now_is_dialled_there() {
    let at = |url: &str, healthy| RealtimeEndpoint {
        url: url.to_owned(),
        cert_hashes: vec!["new".to_owned()],
        healthy,
    };
    let mut transport = locating();
    let places = vec![at("https://sick", false), at("https://moved", true)];
    let instance = "edge-2".parse().unwrap();
    let located = Event::Located(Located::At { instance, endpoints: places });
    assert_eq!(transport.apply(&located, LOST_AT + 6_100.0), [Do::Redial]);
    assert_eq!(transport.endpoint(), &at("https://moved", true));
}

#[test]
fn a_session_that_is_over_is_not_dialled_any_more() {
    let mut transport = locating();
    let ended = Event::Located(Located::Ended("the session has ended".to_owned()));
    assert_eq!(transport.apply(&ended, LOST_AT + 6_100.0), [Do::Close]);
    assert_eq!(transport.state(), TransportState::DisconnectedByServer);
    assert_eq!(transport.last_message(), "the session has ended");
}

#[test]
fn a_claim_that_is_refused_for_good_is_not_repeated() {
    for code in [ByeCode::UnknownSession, ByeCode::Superseded] {
        let mut transport = locating();
        transport.apply(&Event::Located(Located::Unknown), LOST_AT + 6_100.0);
        let bye = Event::ByeReceived(Bye::of(code));
        assert_eq!(transport.apply(&bye, LOST_AT + 6_400.0), [Do::SendBye, Do::Close]);
        assert_eq!(transport.state(), TransportState::DisconnectedByServer);
    }
}

#[test]
fn a_server_that_does_not_know_the_session_is_believed_once_it_was_asked_where_that_is() {
    let mut transport = dialling();
    let bye = Event::ByeReceived(Bye::of(ByeCode::UnknownSession));
    let actions = transport.apply(&bye, LOST_AT + 400.0);
    assert_eq!(redial_after(&actions), 2);
    let asked = transport.apply(&Event::RedialDue { attempt: 2 }, LOST_AT + 900.0);
    assert_eq!(asked, [Do::Locate(welcome().resume_token)]);
}

#[test]
fn a_draining_server_has_let_the_session_go_and_the_page_asks_where_it_goes_on() {
    for mut transport in [live(), dialling(), claiming_of_before()] {
        let bye = Bye::of(ByeCode::ShuttingDown);
        let actions = transport.apply(&Event::ByeReceived(bye.clone()), LOST_AT + 400.0);
        assert_eq!(redial_after(&actions), 2);
        assert_eq!(transport.state(), TransportState::Reconnecting);
        assert_eq!(transport.last_message(), bye.detail, "the reason is told");
        let asked = transport.apply(&Event::RedialDue { attempt: 2 }, LOST_AT + 900.0);
        assert_eq!(asked, [Do::Locate(welcome().resume_token)]);
    }
}

/// A page that was loaded anew and claims the session that its tab had.
fn claiming_of_before() -> Transport {
    let token = welcome().resume_token;
    let RealtimeSessionActivation { session_token, mut endpoints, .. } = activation();
    let endpoint = endpoints.pop().unwrap();
    let mut transport = Transport::new(endpoint, session_token, Claim::Resume(token));
    transport.apply(&Event::DialStarted, LOST_AT);
    transport
}

#[test]
fn a_claim_of_a_session_of_before_asks_where_it_is_instead_of_giving_up() {
    for failure in [
        Event::DialTimedOut,
        Event::StreamClosed,
        Event::ConnectionLost { reason: "certificate".into() },
        Event::ByeReceived(Bye::of(ByeCode::Unavailable)),
        Event::ByeReceived(Bye::of(ByeCode::TimedOut)),
    ] {
        let mut transport = claiming_of_before();
        let actions = transport.apply(&failure, LOST_AT + 400.0);
        assert_eq!(transport.state(), TransportState::Reconnecting, "{failure:?}");
        assert_eq!(redial_after(&actions), 2, "{failure:?}");
        let due = Event::RedialDue { attempt: 2 };
        let asked = transport.apply(&due, LOST_AT + 900.0);
        assert_eq!(asked, [Do::Locate(welcome().resume_token)], "{failure:?}");
        transport.apply(&Event::Located(Located::Unknown), LOST_AT + 910.0);
        let over = LOST_AT + 400.0 + RESUME_GRACE.as_secs_f64() * 1_000.0;
        transport.apply(&Event::DialTimedOut, over);
        assert_eq!(transport.state(), TransportState::TimedOut, "it ends with the grace");
    }
    for code in [ByeCode::UnknownSession, ByeCode::Superseded] {
        let mut transport = claiming_of_before();
        transport.apply(&Event::ByeReceived(Bye::of(code)), LOST_AT + 400.0);
        assert_eq!(transport.state(), TransportState::DisconnectedByServer, "{code:?}");
    }
}

#[test]
fn leaving_while_reconnecting_has_nothing_to_drain() {
    let mut transport = reconnecting();
    assert_eq!(transport.disconnect(), [Do::Close]);
    assert!(transport.is_disconnect_finished());
    assert!(transport.apply(&Event::RedialDue { attempt: 1 }, LOST_AT + 300.0).is_empty());
}

#[test]
fn a_server_that_is_heard_is_pinged_for_the_time_that_it_takes_and_not_doubted() {
    let mut transport = live();
    transport.apply(&Event::Snapshot(snapshot_with(1, &[OWN])), 2_020.0);
    let actions = transport.apply(&Event::SilenceCheck, 3_020.0);
    let end = Event::ProbeTimedOut { number: 1 };
    let asks = [
        Do::SendPing(1),
        schedule(CLIENT_PROBE_TIMEOUT, end.clone()),
        schedule(CLIENT_SILENCE_TIMEOUT, Event::SilenceCheck),
    ];
    assert_eq!(actions, asks);
    transport.apply(&Event::Pong(7), 3_030.0);
    assert_eq!(transport.round_trip_ms(), None, "an answer to another question");
    transport.apply(&Event::Pong(1), 3_060.0);
    assert_eq!(transport.round_trip_ms(), Some(40.0));
    assert!(transport.apply(&end, 6_020.0).is_empty());
    assert_eq!(transport.state(), TransportState::Live);
}

#[test]
fn asking_anew_does_not_put_the_end_of_the_question_off() {
    let mut transport = live();
    transport.apply(&Event::SilenceCheck, 20.0 + SILENCE_MS);
    let actions = transport.apply(&Event::SilenceCheck, 20.0 + 2.0 * SILENCE_MS);
    assert_eq!(actions, [schedule(CLIENT_SILENCE_TIMEOUT, Event::SilenceCheck)]);
    transport.apply(&Event::ProbeTimedOut { number: 1 }, 20.0 + 2.0 * SILENCE_MS);
    assert_eq!(transport.state(), TransportState::Reconnecting);
}

#[test]
fn a_silent_server_is_asked_and_given_up_if_it_says_nothing() {
    let mut transport = live();
    let actions = transport.apply(&Event::SilenceCheck, 20.0 + SILENCE_MS);
    let asks = [
        Do::SendPing(1),
        schedule(CLIENT_PROBE_TIMEOUT, Event::ProbeTimedOut { number: 1 }),
        schedule(CLIENT_SILENCE_TIMEOUT, Event::SilenceCheck),
    ];
    assert_eq!(actions, asks);
    let actions = transport.apply(&Event::ProbeTimedOut { number: 1 }, 20.0 + 2.0 * SILENCE_MS);
    assert_eq!(redial_after(&actions), 1);
    assert_eq!(transport.last_message(), "the server fell silent");
}

/// Checks come by a clock of their own, and a server may fall silent at any moment between two.
#[test]
fn a_server_that_falls_silent_is_given_up_in_time_whenever_that_is() {
    let bound = 2.0 * SILENCE_MS + CLIENT_PROBE_TIMEOUT.as_secs_f64() * 1_000.0;
    for heard_until in [21.0, 1_000.0, SILENCE_MS - 1.0, SILENCE_MS, 4_321.0, 10_000.0] {
        let mut transport = live();
        let mut due = vec![(20.0 + SILENCE_MS, Event::SilenceCheck)];
        let mut heard_at = 20.0;
        while transport.state() == TransportState::Live {
            due.sort_by(|a, b| b.0.total_cmp(&a.0));
            let (at, event) = due.pop().unwrap();
            while heard_at + 50.0 < at.min(heard_until) {
                heard_at += 50.0;
                transport.apply(&Event::Pong(0), heard_at);
            }
            assert!(at <= heard_at + bound, "silent since {heard_at}, unnoticed at {at}");
            for action in transport.apply(&event, at) {
                if let Do::Schedule { after, event } = action {
                    due.push((at + after.as_secs_f64() * 1_000.0, *event));
                }
            }
        }
        assert_eq!(transport.last_message(), "the server fell silent");
    }
}

#[test]
fn anything_that_is_heard_answers_the_question() {
    for heard in [Event::Pong(1), Event::Snapshot(snapshot_with(1, &[OWN]))] {
        let mut transport = live();
        transport.apply(&Event::SilenceCheck, 20.0 + SILENCE_MS);
        transport.apply(&heard, 30.0 + SILENCE_MS);
        let end = Event::ProbeTimedOut { number: 1 };
        assert!(transport.apply(&end, 20.0 + 2.0 * SILENCE_MS).is_empty(), "{heard:?}");
        assert_eq!(transport.state(), TransportState::Live);
    }
}

#[test]
fn a_page_that_wakes_asks_before_it_trusts_the_connection() {
    let mut transport = live();
    let hours_later = 7_200_000.0;
    let actions = transport.apply(&Event::Woken, hours_later);
    let limit = schedule(CLIENT_PROBE_TIMEOUT, Event::ProbeTimedOut { number: 1 });
    assert_eq!(actions, [Do::SendPing(1), limit]);
    assert_eq!(transport.state(), TransportState::Live, "nothing is lost before it is known");
    // A second way of waking asks anew; the first question's end is nobody's business then.
    transport.apply(&Event::Woken, hours_later + 1.0);
    let end = |number| Event::ProbeTimedOut { number };
    assert!(transport.apply(&end(1), hours_later + 3_000.0).is_empty());
    transport.apply(&end(2), hours_later + 3_001.0);
    assert_eq!(transport.state(), TransportState::Reconnecting);
}

#[test]
fn a_page_that_wakes_between_two_dials_does_not_wait_for_the_next() {
    let mut transport = reconnecting();
    assert_eq!(transport.apply(&Event::Woken, LOST_AT + 10.0), [Do::Redial]);
    assert!(transport.apply(&Event::RedialDue { attempt: 1 }, LOST_AT + 300.0).is_empty());
    assert!(transport.apply(&Event::Woken, LOST_AT + 310.0).is_empty(), "one dial at a time");
}
