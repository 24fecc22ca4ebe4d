//! Tests of later claims, and of what the loss of a connection does.

use shared::coordination::{LedgerClaims, ReleaseRequest};
use shared::limits::RESUME_GRACE;

use super::super::tests::{
    CAPACITY, account_of, answer, at, character_id, claim, directory, enter, login, placement,
    reclaim, session, ticket, token,
};
use super::super::{AdmissionRefused, Displaced};
use super::*;

const FIRST: ClaimGeneration = ClaimGeneration::FIRST;
const SECOND: ClaimGeneration = ClaimGeneration(2);

/// Character and session have the same number; its connection is reached by `handle`.
fn playing(directory: &mut SessionDirectory<&'static str>, number: u128, handle: &'static str) {
    enter(directory, number, number, at(0));
    claim(directory, number, number, handle, at(0)).unwrap();
    directory.open(&token(number), epoch(number));
    directory.acknowledge(&own(number), FIRST);
}

fn own(number: u128) -> PendingRealtimeSession {
    session(number, number, number as u64)
}

fn epoch(number: u128) -> SessionEpoch {
    SessionEpoch(number as u64)
}

fn is_linkdead(directory: &SessionDirectory<&'static str>, number: u128) -> bool {
    directory.active[&token(number)].is_linkdead()
}

fn grace_after(seconds: u64) -> UnixMillis {
    at(seconds).plus(RESUME_GRACE)
}

#[track_caller]
fn gives(displaced: &Displaced<&'static str>, live: &[&str]) {
    assert_eq!(displaced.live, live);
    assert_eq!(displaced.pending, []);
}

#[test]
fn a_linkdead_session_keeps_its_seat_until_its_grace_is_over() {
    let mut directory = directory();
    playing(&mut directory, 1, "lost");
    playing(&mut directory, 2, "plays");
    assert_eq!(directory.lose(&own(1), FIRST, at(10)), Loss::Linkdead);
    assert!(is_linkdead(&directory, 1) && !is_linkdead(&directory, 2));
    gives(&directory.expire(UnixMillis(grace_after(10).0 - 1)), &[]);
    gives(&directory.expire(grace_after(10)), &["lost"]);
    let late = reclaim(&mut directory, 1, &answer(1, 1), "new", at(11));
    assert_eq!(late.unwrap_err(), ClaimRefused::Unknown, "it has been asked to end");
    assert_eq!(directory.loads()[0].occupied, 2, "until it has left");
    assert!(directory.begin_leaving(&own(1), FIRST));
    directory.remove_active(&token(1), epoch(1)).unwrap();
    assert_eq!(directory.loads()[0].occupied, 1);
}

#[test]
fn a_claim_after_the_grace_opens_nothing_even_before_anybody_has_looked() {
    let mut directory = directory();
    playing(&mut directory, 1, "lost");
    directory.lose(&own(1), FIRST, at(10));
    let late = reclaim(&mut directory, 1, &answer(1, 1), "new", grace_after(10));
    assert_eq!(late.unwrap_err(), ClaimRefused::Unknown);
    assert!(reclaim(&mut directory, 1, &answer(1, 1), "new", grace_after(9)).is_ok());
    gives(&directory.expire(grace_after(99)), &[]);
}

#[test]
fn a_session_moves_to_a_new_connection_whether_or_not_its_loss_was_noticed() {
    for noticed in [true, false] {
        let mut directory = directory();
        playing(&mut directory, 1, "old");
        if noticed {
            directory.lose(&own(1), FIRST, at(1));
        }
        let moved = reclaim(&mut directory, 1, &answer(1, 1), "new", at(2)).unwrap();
        assert_eq!((moved.session, moved.claim, moved.replaced), (own(1), SECOND, "old"));
        assert!(!is_linkdead(&directory, 1));
        assert_eq!(directory.ask_to_end(|_| true), ["new"]);
        assert_eq!(directory.loads()[0].occupied, 1);
        directory.check_invariants().unwrap();
    }
}

#[test]
fn the_late_end_of_an_older_connection_finds_itself_stale() {
    let mut directory = directory();
    playing(&mut directory, 1, "old");
    reclaim(&mut directory, 1, &answer(1, 1), "new", at(1)).unwrap();
    assert_eq!(directory.lose(&own(1), FIRST, at(2)), Loss::Stale);
    assert!(!directory.begin_leaving(&own(1), FIRST));
    directory.acknowledge(&own(1), FIRST);
    assert!(directory.is_playing(&token(1)) && !is_linkdead(&directory, 1));
    assert!(reclaim(&mut directory, 1, &answer(1, 1), "again", at(3)).is_ok(), "still unheard");
    let of_another_epoch = session(1, 1, 9);
    assert_eq!(directory.lose(&of_another_epoch, ClaimGeneration(3), at(4)), Loss::Stale);
}

#[test]
fn the_secret_before_opens_until_the_client_was_heard_on_the_new_connection() {
    let mut directory = directory();
    playing(&mut directory, 1, "first");
    let spent = reclaim(&mut directory, 1, &ticket(1), "x", at(1));
    assert_eq!(spent.unwrap_err(), ClaimRefused::WrongSecret, "it was heard after its ticket");
    reclaim(&mut directory, 1, &answer(1, 1), "second", at(1)).unwrap();
    let lost_welcome = reclaim(&mut directory, 1, &answer(1, 1), "third", at(2)).unwrap();
    assert_eq!(lost_welcome.replaced, "second");
    directory.acknowledge(&own(1), lost_welcome.claim);
    for spent in [answer(1, 1), answer(1, 2)] {
        let refused = reclaim(&mut directory, 1, &spent, "x", at(3)).unwrap_err();
        assert_eq!(refused, ClaimRefused::WrongSecret);
    }
    assert!(reclaim(&mut directory, 1, &answer(1, 3), "fourth", at(3)).is_ok());
}

#[test]
fn a_wrong_secret_leaves_the_session_as_it_is() {
    let mut directory = directory();
    playing(&mut directory, 1, "old");
    playing(&mut directory, 2, "other");
    directory.lose(&own(1), FIRST, at(1));
    for wrong in [ticket(9), answer(2, 1), answer(1, 2)] {
        let refused = reclaim(&mut directory, 1, &wrong, "x", at(2)).unwrap_err();
        assert_eq!(refused, ClaimRefused::WrongSecret);
        assert_eq!(directory.look(&token(1), &wrong, at(2)), Err(refused));
    }
    let unknown = reclaim(&mut directory, 3, &answer(3, 1), "x", at(2)).unwrap_err();
    assert_eq!(unknown, ClaimRefused::Unknown);
    assert!(is_linkdead(&directory, 1));
    let right = reclaim(&mut directory, 1, &answer(1, 1), "new", at(2)).unwrap();
    assert_eq!((right.claim, right.replaced), (SECOND, "old"));
}

#[test]
fn whoever_was_asked_to_end_is_not_claimed_again_and_ends_when_the_connection_is_lost() {
    let mut directory = directory();
    playing(&mut directory, 1, "asked");
    directory.ask_to_end(|_| true);
    let refused = reclaim(&mut directory, 1, &answer(1, 1), "x", at(1)).unwrap_err();
    assert_eq!(refused, ClaimRefused::Unknown);
    assert_eq!(directory.lose(&own(1), FIRST, at(1)), Loss::Ends);
    assert!(!is_linkdead(&directory, 1));
}

#[test]
fn whoever_leaves_is_not_claimed_again() {
    let mut directory = directory();
    playing(&mut directory, 1, "leaves");
    assert!(directory.begin_leaving(&own(1), FIRST));
    let refused = reclaim(&mut directory, 1, &answer(1, 1), "x", at(1)).unwrap_err();
    assert_eq!(refused, ClaimRefused::Unknown);
}

#[test]
fn a_session_is_brought_back_once_at_a_time_and_goes_on_counting_its_claims() {
    let mut directory = directory();
    assert!(directory.begin_recovery(&token(1)));
    assert!(!directory.begin_recovery(&token(1)), "it is on its way");
    enter(&mut directory, 1, 1, at(0));
    assert_eq!(claim(&mut directory, 1, 1, "x", at(0)), Err(ClaimRefused::Opening));
    directory.end_recovery(&token(1));
    assert!(!directory.begin_recovery(&token(1)), "it is here");
    let before = LedgerClaims { generation: 6, newest: answer(1, 6), previous: Some(answer(1, 5)) };
    let waiting = directory.pending.get_mut(&token(1)).unwrap();
    waiting.session.claimed_before = Some(before);
    assert_eq!(waiting.session.life(), RESUME_GRACE);
    let answer_of = |claim: ClaimGeneration| answer(1, claim.0);
    let by_ticket = directory.claim(&token(1), &ticket(1), answer_of, "x", at(0));
    assert_eq!(by_ticket, Err(ClaimRefused::WrongSecret), "the ticket was spent");
    let claimed = directory.claim(&token(1), &answer(1, 5), answer_of, "x", at(0)).unwrap();
    assert_eq!(claimed.claim, ClaimGeneration(7));
    directory.open(&token(1), epoch(1));
    let ledger = directory.ledger_claims(&claimed.session).unwrap();
    assert_eq!((ledger.generation, ledger.newest), (7, answer(1, 7)));
    let ahead = directory.look_ahead(&token(1), &answer(1, 7), answer_of, at(1)).unwrap().1;
    assert_eq!((ahead.generation, ahead.previous), (8, Some(answer(1, 7))));
    assert_eq!(directory.ledger_claims(&claimed.session).unwrap().generation, 7, "a look");
    assert!(directory.begin_leaving(&claimed.session, claimed.claim));
    assert_eq!(directory.ledger_claims(&claimed.session), None, "its end has begun");
    assert_eq!(directory.last_claims(&claimed.session).unwrap().generation, 7);
}

#[test]
fn a_draining_instance_ends_linkdead_sessions_and_keeps_no_further_one() {
    let mut directory = directory();
    playing(&mut directory, 1, "lost");
    playing(&mut directory, 2, "plays");
    directory.lose(&own(1), FIRST, at(1));
    gives(&directory.drain(), &["lost"]);
    assert_eq!(directory.lose(&own(2), FIRST, at(2)), Loss::Drains);
    let refused = reclaim(&mut directory, 2, &answer(2, 1), "x", at(2)).unwrap_err();
    assert_eq!(refused, ClaimRefused::Draining);
    directory.check_invariants().unwrap();
}

#[test]
fn a_linkdead_session_that_would_wait_in_vain_is_told() {
    let mut directory = directory();
    playing(&mut directory, 1, "lost");
    directory.lose(&own(1), FIRST, at(1));
    directory.check_invariants().unwrap();
    directory.draining = true;
    let broken = directory.check_invariants().unwrap_err();
    assert!(broken.contains("waits in vain"), "{broken}");
}

#[test]
fn a_full_zone_takes_the_player_whose_linkdead_body_fills_it_and_nobody_else() {
    let mut directory = directory();
    for number in 1..=u128::from(CAPACITY) {
        playing(&mut directory, number, "plays");
    }
    directory.lose(&own(2), FIRST, at(1));
    let stranger = directory.reserve(&placement(), character_id(9), at(1));
    assert_eq!(stranger, Err(AdmissionRefused::Full), "a linkdead session has its seat");
    let seat = directory.reserve(&placement(), character_id(2), at(1)).unwrap();
    let displaced = directory.register(seat, session(2, 12, 12), at(1)).unwrap();
    gives(&displaced, &["plays"]);
    assert_eq!(directory.loads()[0].occupied, CAPACITY);
    directory.check_invariants().unwrap();
}

#[test]
fn every_release_means_linkdead_sessions_too() {
    let account_id = account_of(1);
    for request in [
        ReleaseRequest::Character { account_id, character_id: character_id(1), up_to: epoch(1) },
        ReleaseRequest::EarlierEntries { account_id, before: shared::ids::AccountEntry(2) },
        ReleaseRequest::Login { account_id, login: login(1) },
        ReleaseRequest::Account { account_id },
    ] {
        let mut directory = directory();
        playing(&mut directory, 1, "lost");
        directory.lose(&own(1), FIRST, at(1));
        gives(&directory.let_go(&request), &["lost"]);
        let refused = reclaim(&mut directory, 1, &answer(1, 1), "x", at(2)).unwrap_err();
        assert_eq!(refused, ClaimRefused::Unknown, "{request:?}");
    }
}

#[test]
fn a_first_claim_is_through_before_another_one_comes() {
    let mut directory = directory();
    enter(&mut directory, 1, 1, at(0));
    claim(&mut directory, 1, 1, "opening", at(0)).unwrap();
    let early = reclaim(&mut directory, 1, &ticket(1), "x", at(0)).unwrap_err();
    assert_eq!(early, ClaimRefused::Opening);
    directory.open(&token(1), SessionEpoch(9));
    let early = reclaim(&mut directory, 1, &ticket(1), "x", at(0)).unwrap_err();
    assert_eq!(early, ClaimRefused::Opening, "of another epoch");
    directory.open(&token(1), epoch(1));
    assert!(!directory.restore_pending(&token(1), epoch(1), at(0)), "it plays");
    assert!(directory.is_active(&token(1)));
    let by_ticket = reclaim(&mut directory, 1, &ticket(1), "x", at(0)).unwrap();
    assert_eq!((by_ticket.claim, by_ticket.replaced), (SECOND, "opening"));
}
