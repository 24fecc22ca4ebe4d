//! Sessions that come back from the ledger, with every step failed.

use shared::coordination::{
    AccountClaims, InstanceRecord, LedgerClaims, LedgerPhase, ResumeLedgerRecord,
};
use shared::ids::{SessionEpoch, Try, UnixMillis};
use shared::version::PayloadVersion;

use super::super::admission::entry_of_ledger;
use super::super::authority::RaisedBy;
use super::model::{NOW, Outside, accepted, character, elsewhere, input, placement, record};
use super::tests::undone;
use super::*;

/// The ledger record of a session that was accepted, and the row that it raised.
fn unclaimed() -> (ResumeLedgerRecord, Character) {
    let row = Character {
        epoch: SessionEpoch(4),
        raised_by: Some(RaisedBy {
            handoff: input().token,
            attempt_id: input().hello.attempt_id,
            r#try: Try::FIRST,
            session_token: input().session_token,
            instance: input().instance,
        }),
        ..character()
    };
    let record = ResumeLedgerRecord {
        payload_version: PayloadVersion::CURRENT,
        session_token: input().session_token,
        ticket: input().ticket,
        handoff: input().token,
        account_id: row.account_id,
        claims: AccountClaims { username: "mara".to_owned() },
        login: record().login,
        character_id: row.id,
        character_name: row.name.clone(),
        epoch: row.epoch,
        attempt_id: input().hello.attempt_id,
        r#try: Try::FIRST,
        instance: input().instance,
        incarnation: 1,
        placement: placement(),
        tile: row.tile,
        phase: LedgerPhase::Pending,
        expires_at: UnixMillis(60_000),
    };
    (record, row)
}

fn secret(digit: &str) -> TokenHash {
    digit.repeat(64).parse().unwrap()
}

/// The ledger record of a session that was played, at another instance, and its row.
fn played() -> (ResumeLedgerRecord, Character) {
    let (record, row) = unclaimed();
    let claims = LedgerClaims { generation: 3, newest: secret("e"), previous: Some(secret("f")) };
    let record = ResumeLedgerRecord {
        phase: LedgerPhase::Active(claims),
        instance: elsewhere().instance_id,
        ..record
    };
    (record, Character { claimed: true, ..row })
}

/// Another instance, as the registry has it.
fn process(incarnation: u64) -> InstanceRecord {
    InstanceRecord {
        payload_version: PayloadVersion::CURRENT,
        id: elsewhere().instance_id,
        incarnation,
        http_url: elsewhere().http_url,
        internal_url: elsewhere().http_url,
        http_port: 8082,
        endpoints: vec![],
        zones: vec![],
        draining: false,
        expires_at: UnixMillis(60_000),
    }
}

fn recovery(
    outside: &mut Outside,
    secret: &TokenHash,
    record: ResumeLedgerRecord,
) -> (Outcome, usize) {
    let here = input().instance;
    let input = HandshakeInput::of_ledger(&record, here, vec![placement()]);
    outside.drive(&input, recover(&input, 2, secret, record))
}

fn recovered(outside: &mut Outside, secret: &TokenHash, record: ResumeLedgerRecord) -> Outcome {
    recovery(outside, secret, record).0
}

#[test]
fn an_unclaimed_session_comes_back_from_the_ledger_with_a_raised_epoch() {
    let (record, row) = unclaimed();
    let mut outside = Outside { row: Some(row), ..Outside::new() };
    let session = accepted(recovered(&mut outside, &input().ticket, record.clone()));
    assert_eq!(session.session_token, record.session_token);
    assert_eq!(session.character.epoch, SessionEpoch(5), "the earlier process is fenced");
    assert_eq!(session.claimed_before, None);
    assert_eq!(outside.directory.loads()[0].occupied, 1);
    assert!(!outside.consumed);
}

#[test]
fn a_session_that_was_played_comes_back_by_either_secret_that_its_client_may_hold() {
    for held in ["e", "f"] {
        let (record, row) = played();
        let mut outside = Outside { row: Some(row.clone()), ..Outside::new() };
        let session = accepted(recovered(&mut outside, &secret(held), record.clone()));
        assert_eq!(session.session_token, record.session_token);
        assert_eq!((session.character.epoch, session.character.tile), (SessionEpoch(5), row.tile));
        assert!(session.character.claimed, "no further try of its attempt raises again");
        let by = session.character.raised_by.as_ref().unwrap();
        assert_eq!(by.instance, input().instance, "it is here now");
        let Some(claims) = session.claimed_before else { panic!("it had claims") };
        assert_eq!(LedgerPhase::Active(claims), record.phase);
    }
}

#[test]
fn what_the_ledger_has_of_others_comes_back_to_nobody() {
    let check = |sample: fn() -> (ResumeLedgerRecord, Character),
                 held: &TokenHash,
                 change: fn(&mut ResumeLedgerRecord, &mut Character)| {
        let (mut record, mut row) = sample();
        change(&mut record, &mut row);
        let mut outside = Outside { row: Some(row), ..Outside::new() };
        let outcome = recovered(&mut outside, held, record);
        assert_eq!(outcome, Outcome::Rejected(RejectionCode::Superseded));
        assert!(outside.holds_nothing() && !outside.raised);
    };
    let ticket = input().ticket;
    check(unclaimed, &ticket, |record, _| record.ticket = "d".repeat(64).parse().unwrap());
    check(unclaimed, &ticket, |_, row| row.claimed = true);
    check(unclaimed, &ticket, |_, row| row.epoch = SessionEpoch(3));
    check(unclaimed, &ticket, |_, row| row.raised_by = None);
    check(unclaimed, &ticket, |_, row| {
        row.raised_by.as_mut().unwrap().session_token = "session-of-another".parse().unwrap();
    });
    check(played, &secret("e"), |_, row| {
        row.raised_by.as_mut().unwrap().session_token = "session-of-another".parse().unwrap();
    });
    for wrong in [ticket, secret("0")] {
        check(played, &wrong, |_, _| {});
    }
}

#[test]
fn a_session_whose_process_may_still_live_waits() {
    for (incarnation, waits) in [(1, true), (2, false)] {
        let (record, row) = played();
        let living = vec![process(incarnation)];
        let mut outside = Outside { row: Some(row), living, ..Outside::new() };
        let outcome = recovered(&mut outside, &secret("e"), record);
        assert_eq!(outcome == Outcome::Unavailable, waits, "{outcome:?}");
        assert_eq!(outside.raised, !waits);
    }
    let (mut record, row) = played();
    (record.instance, record.incarnation) = (input().instance, 3);
    let mut outside = Outside { row: Some(row), ..Outside::new() };
    let outcome = recovered(&mut outside, &secret("e"), record);
    assert_eq!(outcome, Outcome::Unavailable, "a later process has this one's name");
    assert!(!outside.raised);
}

#[test]
fn a_session_that_its_process_has_let_go_waits_for_nobody() {
    let (record, row) = played();
    let LedgerPhase::Active(claims) = record.phase.clone() else { panic!("it was claimed") };
    for instance in [elsewhere().instance_id, input().instance] {
        let phase = LedgerPhase::Left(claims.clone());
        let record = ResumeLedgerRecord { phase, instance, ..record.clone() };
        let living = vec![process(1)];
        let mut outside = Outside { row: Some(row.clone()), living, ..Outside::new() };
        let session = accepted(recovered(&mut outside, &secret("e"), record));
        assert_eq!(session.claimed_before, Some(claims.clone()));
    }
}

#[test]
fn a_recovery_needs_its_login() {
    let (record, row) = played();
    let mut outside = Outside { row: Some(row), login_lives: false, ..Outside::new() };
    let outcome = recovered(&mut outside, &secret("e"), record);
    assert_eq!(outcome, Outcome::Rejected(RejectionCode::LoginEnded));
    assert!(outside.holds_nothing() && !outside.raised);
}

#[test]
fn a_recovery_whose_raise_was_overtaken_by_its_own_waits_and_by_another_session_ends() {
    let (record, row) = played();
    let entry = Box::new(entry_of_ledger(&input().instance, record));
    let over = |row: Character| {
        let mut directory = Outside::new().directory;
        let seat = directory.reserve(&placement(), row.id, NOW).unwrap();
        let raising = State::Raising(seat, entry.clone());
        let lost = Event::Raised(EpochRaised::Superseded);
        let (state, effect) = step(&input(), raising, lost).unwrap();
        assert_eq!(effect, Effect::ReadCharacter(row.id, None));
        undone(state, Event::Read(Some(Box::new(row)))).1
    };
    let own = Character { epoch: SessionEpoch(5), ..row.clone() };
    assert_eq!(over(own.clone()), Outcome::Unavailable);
    let ended = Outcome::Rejected(RejectionCode::Superseded);
    assert_eq!(over(row), ended, "the account has entered since");
    assert_eq!(over(Character { raised_by: None, ..own }), ended);
}

#[test]
fn a_recovery_that_finds_no_seat_changes_nothing_and_may_be_repeated() {
    for (record, row) in [unclaimed(), played()] {
        let held = if row.claimed { secret("e") } else { record.ticket.clone() };
        let mut outside = Outside { row: Some(row), ..Outside::new() };
        outside.directory.drain();
        assert_eq!(recovered(&mut outside, &held, record), Outcome::Unavailable);
        assert!(!outside.raised);
    }
}

#[test]
fn a_recovery_that_fails_at_any_step_may_be_repeated() {
    let (record, row) = played();
    let mut sound = Outside { row: Some(row.clone()), ..Outside::new() };
    let steps = recovery(&mut sound, &secret("e"), record.clone()).1;
    for number in 0..steps {
        for after in [false, true] {
            let mut outside = Outside { row: Some(row.clone()), ..Outside::new() };
            outside.ledger.insert(record.session_token.clone());
            outside.broken.insert(number, after);
            let first = recovered(&mut outside, &secret("e"), record.clone());
            if matches!(first, Outcome::Accepted(_)) {
                continue;
            }
            assert_eq!(first, Outcome::Unavailable, "step {number}, after: {after}");
            assert_eq!(outside.directory.loads()[0].occupied, 0);
            assert!(outside.presence.is_empty());
            assert!(outside.ledger.contains(&record.session_token), "step {number}");
            outside.broken.clear();
            let epoch = outside.row.as_ref().unwrap().epoch;
            let session = accepted(recovered(&mut outside, &secret("e"), record.clone()));
            assert_eq!(session.character.epoch, epoch.next());
        }
    }
}
