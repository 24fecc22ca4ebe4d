//! The handshake against a model of everything that it can hold, with every step failed.

use std::collections::BTreeSet;

use shared::coordination::TransferActivation;
use shared::ids::{AccountEntry, SessionEpoch};
use shared::version::PayloadVersion;
use shared::world::Tile;
use uuid::Uuid;

use super::model::{NOW, Outside, accepted, character, elsewhere, input, placement, record, tried};
use super::*;

#[test]
fn a_good_handshake_ends_with_seat_ledger_and_presence_of_the_raised_character() {
    let mut outside = Outside::new();
    let (outcome, _) = outside.run(&input());
    let session = accepted(outcome);
    assert_eq!(session.character.epoch, SessionEpoch(4));
    let (character_id, up_to) = (character().id, SessionEpoch(3));
    let (account_id, before) = (character().account_id, AccountEntry(8));
    assert_eq!(
        outside.released,
        [
            ReleaseRequest::Character { account_id, character_id, up_to },
            ReleaseRequest::EarlierEntries { account_id, before },
        ]
    );
    assert_eq!(session.session_token, input().session_token);
    assert_eq!(outside.directory.loads()[0].occupied, 1);
    assert!(outside.ledger.contains(&session.session_token));
    assert!(outside.presence.contains(&session.session_token));
}

#[test]
fn a_failure_at_any_step_leaves_nothing_and_a_higher_try_gets_in() {
    let steps = Outside::new().run(&input()).1;
    for number in 0..steps {
        for after in [false, true] {
            let mut outside = Outside::new();
            outside.broken.insert(number, after);
            let (outcome, _) = outside.run(&input());
            if !matches!(outcome, Outcome::Accepted(_)) {
                assert_eq!(outcome, Outcome::Unavailable, "step {number}");
                assert!(outside.holds_nothing(), "step {number}, after: {after}");
            }
            outside.broken.clear();
            let (outcome, _) = outside.run(&tried(2));
            assert!(matches!(outcome, Outcome::Accepted(_)), "step {number}: {outcome:?}");
        }
    }
}

#[test]
fn a_handshake_that_is_pushed_out_at_its_end_removes_its_own_records() {
    let mut outside = Outside::new();
    outside.pushed_out = true;
    let (outcome, _) = outside.run(&input());
    assert_eq!(outcome, Outcome::Rejected(RejectionCode::Superseded));
    assert!(outside.holds_nothing());
}

#[track_caller]
fn check_rejected(change: impl FnOnce(&mut Outside, &mut HandshakeInput), code: RejectionCode) {
    let (mut outside, mut input) = (Outside::new(), input());
    change(&mut outside, &mut input);
    let (outcome, _) = outside.run(&input);
    assert_eq!(outcome, Outcome::Rejected(code));
    let released = &outside.released;
    assert!(released.is_empty(), "{released:?} asked to leave for a handshake that is refused");
    assert!(!outside.raised);
    assert!(outside.ledger.is_empty() && outside.presence.is_empty());
}

#[test]
fn each_refusal_has_its_code_and_changes_nothing() {
    use RejectionCode as Code;
    check_rejected(|_, i| i.hello.protocol_version = 99, Code::ProtocolVersionUnsupported);
    check_rejected(|_, i| i.hello.transports = vec!["tcp".into()], Code::TransportUnsupported);
    check_rejected(|o, _| o.record = Ok(HandoffLookup::Missing), Code::HandoffMissing);
    check_rejected(
        |o, _| o.record = Ok(HandoffLookup::AlreadyConsumed),
        Code::HandoffAlreadyConsumed,
    );
    check_rejected(|o, _| o.record = Err(Event::Released), Code::PayloadVersionUnsupported);
    check_rejected(|_, i| i.carried = vec!["dusk/harbor".parse().unwrap()], Code::WrongZone);
    check_rejected(
        |o, _| {
            let mut lying = record();
            lying.target_zone = "meadow".parse().unwrap();
            o.record = Ok(HandoffLookup::Found { record: Box::new(lying) });
        },
        Code::WrongZone,
    );
    check_rejected(
        |o, _| {
            o.directory.drain();
        },
        Code::ZoneFull,
    );
    check_rejected(
        |o, _| {
            let other = CharacterId::new(Uuid::from_u128(99));
            let _held = o.directory.reserve(&placement(), other, NOW).unwrap();
        },
        Code::ZoneFull,
    );
    check_rejected(|o, _| o.row.as_mut().unwrap().epoch = SessionEpoch(4), Code::Superseded);
    check_rejected(|o, _| o.row = None, Code::Superseded);
}

#[test]
fn a_login_that_has_ended_lets_nobody_in() {
    let mut outside = Outside { login_lives: false, ..Outside::new() };
    let (outcome, _) = outside.run(&input());
    assert_eq!(outcome, Outcome::Rejected(RejectionCode::LoginEnded));
    assert!(outside.holds_nothing() && !outside.raised);
    assert_eq!(outside.released, [], "nobody makes way for it");

    // It ended between the look and the raise.
    let entry = Box::new(entry_of_handoff(&input(), record()));
    let seat = outside.directory.reserve(&placement(), character().id, NOW).unwrap();
    let ended = Event::Raised(EpochRaised::LoginEnded);
    let (state, effect) = step(&input(), State::Raising(seat, entry), ended).unwrap();
    assert!(matches!(effect, Effect::ReleaseReservation(_)), "{effect:?}");
    let (_, effect) = step(&input(), state, Event::Undone).unwrap();
    assert_eq!(effect, Effect::Finish(Outcome::Rejected(RejectionCode::LoginEnded)));

    let mut outside = Outside { logged_out: true, ..Outside::new() };
    let (outcome, _) = outside.run(&input());
    assert_eq!(outcome, Outcome::Rejected(RejectionCode::LoginEnded));
    assert!(outside.holds_nothing(), "logged out in the middle");
}

#[test]
fn a_character_that_was_deleted_in_the_middle_is_not_let_in() {
    let mut outside = Outside { deleted: true, ..Outside::new() };
    let (outcome, _) = outside.run(&input());
    assert_eq!(outcome, Outcome::Rejected(RejectionCode::Superseded));
    assert!(outside.holds_nothing());
}

#[test]
fn a_session_that_cannot_be_read_is_not_entered_over() {
    let mut outside = Outside { presence_unreadable: true, ..Outside::new() };
    let (outcome, _) = outside.run(&input());
    assert_eq!(outcome, Outcome::Rejected(RejectionCode::PayloadVersionUnsupported));
    assert!(outside.holds_nothing() && !outside.raised);

    // It came to be after the raise.
    let session = accepted(Outside::new().run(&input()).0);
    let state = State::ReleasingEarlier(Box::new(session.clone()));
    let (state, effect) = step(&input(), state, Event::PayloadUnreadable).unwrap();
    assert_eq!(effect, Effect::RemovePending(session));
    let (_, effect) = step(&input(), state, Event::Undone).unwrap();
    let refused = Outcome::Rejected(RejectionCode::PayloadVersionUnsupported);
    assert_eq!(effect, Effect::Finish(refused));
}

#[track_caller]
fn check_sent_on(outside: &mut Outside, input: &HandshakeInput) {
    outside.assignment = Assignment::Assigned { endpoint: elsewhere() };
    let (outcome, _) = outside.run(input);
    assert_eq!(outcome, Outcome::Redirected(elsewhere()));
    assert!(!outside.consumed && !outside.raised && outside.released.is_empty());
    assert_eq!(outside.asked[0].excluding, ["edge-a".parse().unwrap()]);
    assert_eq!(outside.asked[0].placement, placement());
}

#[test]
fn an_instance_that_cannot_admit_sends_on_without_burning_the_token() {
    let mut draining = Outside::new();
    draining.directory.drain();
    check_sent_on(&mut draining, &input());

    let mut full = Outside::new();
    let other = CharacterId::new(Uuid::from_u128(99));
    let _held = full.directory.reserve(&placement(), other, NOW).unwrap();
    check_sent_on(&mut full, &input());

    let carries_it_no_more = HandshakeInput { carried: vec![], ..input() };
    check_sent_on(&mut Outside::new(), &carries_it_no_more);
}

#[test]
fn a_player_is_sent_on_a_bounded_number_of_times_and_nowhere_twice() {
    let visited = |n: u32| HandoffCacheRecord {
        redirected_from: (0..n).map(|i| format!("full-{i}").parse().unwrap()).collect(),
        ..record()
    };
    let mut last = Outside::of(visited(MAX_HANDSHAKE_REDIRECTS - 1));
    last.directory.drain();
    last.run(&input());
    assert_eq!(last.asked[0].excluding.len(), MAX_HANDSHAKE_REDIRECTS as usize);
    assert_eq!(last.asked[0].excluding[0], "full-0".parse().unwrap());

    let mut over = Outside::of(visited(MAX_HANDSHAKE_REDIRECTS));
    over.assignment = Assignment::Assigned { endpoint: elsewhere() };
    over.directory.drain();
    assert_eq!(over.run(&input()).0, Outcome::Rejected(RejectionCode::ZoneFull));
    assert!(over.asked.is_empty() && !over.redirected);
}

#[test]
fn a_redirect_whose_answer_was_lost_is_given_again() {
    let mut outside = Outside::new();
    outside.record = Ok(HandoffLookup::Redirected { to: elsewhere() });
    assert_eq!(outside.run(&input()).0, Outcome::Redirected(elsewhere()));
}

#[test]
fn a_failure_while_being_sent_on_is_an_outage_and_leaves_the_token_alone() {
    let draining = || {
        let mut outside = Outside::new();
        outside.assignment = Assignment::Assigned { endpoint: elsewhere() };
        outside.directory.drain();
        outside
    };
    let steps = draining().run(&input()).1;
    for number in 0..steps {
        for after in [false, true] {
            let mut outside = draining();
            outside.broken.insert(number, after);
            let (outcome, _) = outside.run(&input());
            let reserve = matches!(outcome, Outcome::Redirected(_));
            assert!(reserve || outcome == Outcome::Unavailable, "step {number}: {outcome:?}");
            assert!(!outside.consumed && outside.holds_nothing());
        }
    }
}

#[track_caller]
fn check_redirection(answer: Redirection, code: RejectionCode) {
    let to_there = Event::Redirected(answer);
    let state = State::Redirecting(RejectionCode::ZoneFull);
    let (_, effect) = step(&input(), state, to_there).unwrap();
    assert_eq!(effect, Effect::Finish(Outcome::Rejected(code)));
}

#[test]
fn a_token_that_cannot_be_moved_is_refused_as_what_it_is() {
    check_redirection(Redirection::Missing, RejectionCode::HandoffMissing);
    check_redirection(Redirection::AlreadyConsumed, RejectionCode::HandoffAlreadyConsumed);
    check_redirection(Redirection::ConsumedBySelf, RejectionCode::ZoneFull);
}

#[test]
fn an_equal_or_lower_try_gets_the_session_that_stands_and_no_second_seat() {
    let mut outside = Outside::new();
    let first = accepted(outside.run(&input()).0);
    let again = accepted(outside.run(&tried(1)).0);
    assert_eq!(again, first, "the same try");
    assert_eq!(outside.directory.loads()[0].occupied, 1);

    let second = accepted(outside.run(&tried(2)).0);
    assert_ne!(second.session_token, first.session_token);
    assert_eq!(second.character.epoch, SessionEpoch(5));
    let late = accepted(outside.run(&tried(1)).0);
    assert_eq!(late, second, "a lower try, late");
    assert_eq!(outside.directory.loads()[0].occupied, 1);
}

#[test]
fn a_try_that_lost_gets_nothing_that_is_not_ready_or_not_there() {
    let mut outside = Outside::new();
    let first = accepted(outside.run(&input()).0);
    outside.directory.remove_pending(&first.session_token, first.character.epoch);
    let outcome = outside.run(&tried(1)).0;
    assert_eq!(outcome, Outcome::Rejected(RejectionCode::Superseded), "it has ended");

    let seat = outside.directory.reserve(&placement(), character().id, NOW).unwrap();
    outside.directory.register(seat, first, NOW).unwrap();
    assert_eq!(outside.run(&tried(1)).0, Outcome::Unavailable, "it is still being made");
}

fn transfer() -> HandoffCacheRecord {
    let activation = TransferActivation {
        payload_version: PayloadVersion::CURRENT,
        source_instance: "edge-b".parse().unwrap(),
        source_session: "session-at-the-source".parse().unwrap(),
        source_zone: "meadow".parse().unwrap(),
        target_zone: "harbor".parse().unwrap(),
        target_tile: Tile { x: 30, y: 31 },
    };
    HandoffCacheRecord { transfer: Some(activation), ..record() }
}

#[test]
fn a_transfer_starts_at_its_target_and_is_confirmed_last() {
    let mut outside = Outside::of(transfer());
    outside.login_lives = false;
    let session = accepted(outside.run(&input()).0);
    assert_eq!(session.character.tile, Tile { x: 30, y: 31 });
    assert_eq!(outside.row.as_ref().unwrap().tile, Tile { x: 30, y: 31 });
    assert_eq!(outside.confirmed, BTreeSet::from([record().token]));
    assert_eq!(outside.released, [], "the frozen source ends by the confirmation");
}

#[test]
fn a_failure_at_any_step_of_a_transfer_leaves_nothing_here() {
    let steps = Outside::of(transfer()).run(&input()).1;
    for number in 0..steps {
        for after in [false, true] {
            let mut outside = Outside::of(transfer());
            outside.broken.insert(number, after);
            let (outcome, _) = outside.run(&input());
            if !matches!(outcome, Outcome::Accepted(_)) {
                assert_eq!(outcome, Outcome::Unavailable, "step {number}");
                assert!(outside.holds_nothing(), "step {number}, after: {after}");
            }
        }
    }
}

/// Takes a machine from `state` to its end; gives the undos on the way.
pub(super) fn undone(mut state: State, event: Event) -> (Vec<Effect>, Outcome) {
    let (mut undos, mut event) = (vec![], event);
    loop {
        let (next, effect) = step(&input(), state, event).unwrap();
        if let Effect::Finish(outcome) = effect {
            return (undos, outcome);
        }
        undos.push(effect);
        (state, event) = (next, Event::Undone);
    }
}

#[test]
fn who_is_outranked_at_a_write_undoes_what_it_holds_and_no_more() {
    let session = accepted(Outside::new().run(&input()).0);
    let boxed = || Box::new(session.clone());
    let [pending, ledger, presence] = [
        Effect::RemovePending(session.clone()),
        Effect::RemoveLedger(session.clone()),
        Effect::RemovePresence(session.clone()),
    ];
    let superseded = Outcome::Rejected(RejectionCode::Superseded);
    let check = |state, undos: Vec<&Effect>| {
        let (made, outcome) = undone(state, Event::Outranked);
        assert_eq!((made.iter().collect(), outcome), (undos, superseded.clone()));
    };
    check(State::Registering(boxed()), vec![]);
    check(State::PersistingLedger(boxed()), vec![&pending]);
    check(State::WritingPresence(boxed()), vec![&ledger, &pending]);
    check(State::ConfirmingTransfer(boxed()), vec![&presence, &ledger, &pending]);
    check(State::CheckingStanding(boxed()), vec![&presence, &ledger]);
}

#[test]
fn a_seat_that_ended_meanwhile_is_an_outage_and_holds_nothing() {
    let session = accepted(Outside::new().run(&input()).0);
    let state = State::Registering(Box::new(session));
    assert_eq!(undone(state, Event::ReservationEnded), (vec![], Outcome::Unavailable));
}

#[test]
fn a_transfer_that_contradicts_itself_is_refused() {
    let mut lying = transfer();
    lying.transfer.as_mut().unwrap().target_zone = "meadow".parse().unwrap();
    let (outcome, _) = Outside::of(lying).run(&input());
    assert_eq!(outcome, Outcome::Rejected(RejectionCode::WrongZone));
}

#[test]
fn a_character_whose_zone_is_gone_begins_where_the_handoff_says() {
    let start = Tile { x: 2, y: 3 };
    let mut outside = Outside::of(HandoffCacheRecord { start_tile: Some(start), ..record() });
    outside.row.as_mut().unwrap().zone = "sunken".parse().unwrap();
    let session = accepted(outside.run(&input()).0);
    assert_eq!((session.character.zone.as_str(), session.character.tile), ("harbor", start));
}

#[test]
fn a_refused_handshake_before_consume_leaves_the_token_alone() {
    let mut outside = Outside::new();
    outside.directory.drain();
    outside.run(&input());
    assert!(!outside.consumed);
}

#[test]
fn an_event_that_nobody_waits_for_is_illegal() {
    let (state, _) = begin(&input());
    let error = step(&input(), state, Event::Registered).unwrap_err().to_string();
    assert!(error.contains("Preflighting") && error.contains("Registered"), "{error}");
}
