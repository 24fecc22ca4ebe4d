//! Tests of the session directory.

use std::time::Duration;

use proptest::prelude::*;
use shared::ids::{AccountEntry, InstanceId};
use shared::realtime::command::CommandSequence;
use shared::world::Tile;
use uuid::Uuid;

use super::super::authority::RaisedBy;
use super::super::session_claims::{ClaimGeneration, ClaimRefused};
use super::*;

pub(super) const CAPACITY: u32 = 3;

pub(super) fn placement() -> Placement {
    "dawn/harbor".parse().unwrap()
}

pub(super) fn directory() -> SessionDirectory<&'static str> {
    SessionDirectory::new(BTreeMap::from([(placement(), CAPACITY)]))
}

pub(super) fn character_id(n: u128) -> CharacterId {
    CharacterId::new(Uuid::from_u128(n))
}

pub(super) fn ticket(name: u128) -> TokenHash {
    format!("{name:064x}").parse().unwrap()
}

/// Characters 10 to 19 are of account 1, and so on; those below 10 have their own.
pub(super) fn account_of(character: u128) -> AccountId {
    let account = if character >= 10 { character / 10 } else { character };
    AccountId::new(Uuid::from_u128(account))
}

pub(super) fn session(character: u128, name: u128, epoch: u64) -> PendingRealtimeSession {
    let session_token: SessionToken = format!("session-number-{name}").parse().unwrap();
    let attempt_id = AttemptId::new(Uuid::from_u128(name));
    let instance: InstanceId = "edge-a".parse().unwrap();
    PendingRealtimeSession {
        session_token: session_token.clone(),
        ticket: ticket(name),
        handoff: ticket(0x100 + name),
        account_id: account_of(character),
        claims: AccountClaims { username: "mara".to_owned() },
        login: login(1),
        character: Character {
            id: character_id(character),
            account_id: account_of(character),
            realm: "dawn".parse().unwrap(),
            name: "Mara".to_owned(),
            appearance: shared::ids::Appearance::default(),
            zone: "harbor".parse().unwrap(),
            tile: Tile { x: 1, y: 1 },
            gathered: 0,
            epoch: SessionEpoch(epoch),
            entry: entry(name),
            raised_by: Some(RaisedBy {
                handoff: ticket(0x100 + name),
                attempt_id,
                r#try: Try::FIRST,
                session_token,
                instance,
            }),
            claimed: false,
            last_command: CommandSequence::NONE,
        },
        placement: placement(),
        attempt_id,
        r#try: Try::FIRST,
        transfer: None,
        claimed_before: None,
    }
}

/// Sessions are named in the order of their entries.
fn entry(name: u128) -> AccountEntry {
    AccountEntry(u64::try_from(name).unwrap())
}

pub(super) fn login(number: u128) -> TokenHash {
    format!("{:064x}", 0x1000 + number).parse().unwrap()
}

/// The secret that answers the claim of that number of a session.
pub(super) fn answer(name: u128, claim: u64) -> TokenHash {
    ticket((name << 64) + (1 << 32) + u128::from(claim))
}

/// The first claim, by a ticket.
pub(super) fn claim(
    directory: &mut SessionDirectory<&'static str>,
    name: u128,
    by: u128,
    handle: &'static str,
    now: UnixMillis,
) -> Result<PendingRealtimeSession, ClaimRefused> {
    let answer = |claim: ClaimGeneration| answer(name, claim.0);
    let claimed = directory.claim(&token(name), &ticket(by), answer, handle, now)?;
    assert_eq!(claimed.claim, ClaimGeneration::FIRST);
    Ok(claimed.session)
}

/// A later claim, by any secret.
pub(super) fn reclaim(
    directory: &mut SessionDirectory<&'static str>,
    name: u128,
    secret: &TokenHash,
    handle: &'static str,
    now: UnixMillis,
) -> Result<Reclaimed<&'static str>, ClaimRefused> {
    directory.reclaim(&token(name), secret, |claim| answer(name, claim.0), handle, now)
}

fn is_pending(directory: &SessionDirectory<&'static str>, name: u128) -> bool {
    directory.pending.contains_key(&token(name))
}

pub(super) fn token(name: u128) -> SessionToken {
    session(1, name, 1).session_token
}

pub(super) fn at(seconds: u64) -> UnixMillis {
    UnixMillis(0).plus(Duration::from_secs(seconds))
}

pub(super) fn enter(
    directory: &mut SessionDirectory<&'static str>,
    character: u128,
    name: u128,
    now: UnixMillis,
) {
    let seat = directory.reserve(&placement(), character_id(character), now).unwrap();
    directory.register(seat, session(character, name, name as u64), now).unwrap();
}

#[test]
fn a_full_zone_still_takes_the_player_whose_own_body_fills_it() {
    let mut directory = directory();
    for n in 1..=3 {
        enter(&mut directory, n, n, at(0));
        claim(&mut directory, n, n, "task", at(0)).unwrap();
    }
    let stranger = directory.reserve(&placement(), character_id(9), at(0));
    assert_eq!(stranger, Err(AdmissionRefused::Full));
    enter(&mut directory, 2, 12, at(0));
    assert_eq!(directory.loads()[0].occupied, CAPACITY);
    directory.check_invariants().unwrap();
}

#[test]
fn a_seat_that_nobody_registers_ends_by_itself() {
    let mut directory = directory();
    for n in 1..=3 {
        let _held = directory.reserve(&placement(), character_id(n), at(0)).unwrap();
    }
    assert_eq!(
        directory.reserve(&placement(), character_id(9), at(9)),
        Err(AdmissionRefused::Full)
    );
    assert!(directory.reserve(&placement(), character_id(9), at(10)).is_ok());
}

#[test]
fn a_look_for_what_has_ended_ends_reservations_at_their_moment_and_not_before() {
    let mut directory = directory();
    let _held = directory.reserve(&placement(), character_id(1), at(0)).unwrap();
    directory.expire(at(9));
    assert_eq!(directory.loads()[0].occupied, 1);
    directory.expire(at(10));
    assert_eq!(directory.loads()[0].occupied, 0);
}

#[test]
fn a_late_registration_finds_its_seat_gone() {
    let mut directory = directory();
    let seat = directory.reserve(&placement(), character_id(1), at(0)).unwrap();
    let late = directory.register(seat, session(1, 1, 1), at(10));
    assert_eq!(late.unwrap_err(), RegistrationRefused::ReservationEnded);
    assert_eq!(directory.loads()[0].occupied, 0);
}

#[test]
fn a_ticket_opens_its_own_session_once_and_in_time() {
    let mut directory = directory();
    enter(&mut directory, 1, 1, at(0));
    assert_eq!(claim(&mut directory, 1, 2, "x", at(1)), Err(ClaimRefused::WrongSecret));
    assert_eq!(claim(&mut directory, 2, 2, "x", at(1)), Err(ClaimRefused::Unknown));
    assert_eq!(claim(&mut directory, 1, 1, "x", at(30)), Err(ClaimRefused::Unknown));
    assert!(claim(&mut directory, 1, 1, "x", at(29)).is_ok());
    assert_eq!(claim(&mut directory, 1, 1, "x", at(29)), Err(ClaimRefused::Unknown));
}

#[test]
fn a_pending_session_that_nobody_claims_is_handed_over_for_cleanup() {
    let mut directory = directory();
    enter(&mut directory, 1, 1, at(0));
    assert_eq!(directory.expire(at(29)).pending, []);
    assert_eq!(directory.expire(at(30)).pending, [session(1, 1, 1)]);
    assert_eq!(directory.loads()[0].occupied, 0);
}

#[test]
fn entering_again_replaces_what_waited_before() {
    let mut directory = directory();
    enter(&mut directory, 1, 1, at(0));
    enter(&mut directory, 1, 2, at(0));
    assert_eq!(claim(&mut directory, 1, 1, "x", at(0)), Err(ClaimRefused::Unknown));
    assert!(claim(&mut directory, 2, 2, "x", at(0)).is_ok());
}

#[test]
fn stale_cleanup_never_touches_a_newer_session() {
    let mut directory = directory();
    enter(&mut directory, 1, 1, at(0));
    assert!(!directory.remove_pending(&token(1), SessionEpoch(99)));
    claim(&mut directory, 1, 1, "x", at(0)).unwrap();
    assert!(directory.remove_active(&token(1), SessionEpoch(0)).is_none());
    assert!(directory.remove_active(&token(1), SessionEpoch(1)).is_some());
}

#[test]
fn the_latest_entry_of_an_account_pushes_its_other_characters_out() {
    let mut directory = directory();
    enter(&mut directory, 11, 1, at(0));
    claim(&mut directory, 1, 1, "first", at(0)).unwrap();
    enter(&mut directory, 12, 2, at(0));
    let seat = directory.reserve(&placement(), character_id(13), at(0)).unwrap();
    let displaced = directory.register(seat, session(13, 3, 1), at(0)).unwrap();
    assert_eq!(displaced.pending, [session(12, 2, 2)]);
    assert_eq!(displaced.live, ["first"]);
    assert!(!is_pending(&directory, 2) && is_pending(&directory, 3));
    directory.check_invariants().unwrap();
}

#[test]
fn a_late_registration_never_pushes_a_higher_epoch_out() {
    let mut directory = directory();
    let seat = directory.reserve(&placement(), character_id(1), at(0)).unwrap();
    let later = directory.reserve(&placement(), character_id(1), at(0)).unwrap();
    directory.register(later, session(1, 2, 5), at(0)).unwrap();
    let refused = directory.register(seat, session(1, 1, 4), at(0)).unwrap_err();
    assert_eq!(refused, RegistrationRefused::Outranked);
    assert!(is_pending(&directory, 2));
    claim(&mut directory, 2, 2, "x", at(0)).unwrap();
    let seat = directory.reserve(&placement(), character_id(1), at(0)).unwrap();
    let refused = directory.register(seat, session(1, 1, 4), at(0)).unwrap_err();
    assert_eq!(refused, RegistrationRefused::Outranked);
}

#[test]
fn a_claim_that_failed_comes_back_unless_the_account_entered_anew() {
    let mut directory = directory();
    enter(&mut directory, 11, 1, at(0));
    claim(&mut directory, 1, 1, "x", at(0)).unwrap();
    assert!(!directory.restore_pending(&token(1), SessionEpoch(9), at(0)), "of another epoch");
    assert!(directory.restore_pending(&token(1), SessionEpoch(1), at(0)));
    claim(&mut directory, 1, 1, "x", at(0)).unwrap();
    enter(&mut directory, 12, 2, at(0));
    assert!(!directory.restore_pending(&token(1), SessionEpoch(1), at(0)));
    assert!(!is_pending(&directory, 1));
    assert_eq!(directory.loads()[0].occupied, 1, "its seat is free");
}

#[test]
fn a_claim_that_failed_does_not_come_back_once_its_session_was_asked_to_end() {
    let mut directory = directory();
    enter(&mut directory, 11, 1, at(0));
    claim(&mut directory, 1, 1, "x", at(0)).unwrap();
    let request = ReleaseRequest::Login { account_id: account_of(11), login: login(1) };
    assert_eq!(directory.let_go(&request).live, ["x"]);
    assert!(!directory.restore_pending(&token(1), SessionEpoch(1), at(0)));
    assert!(!is_pending(&directory, 1));
}

#[test]
fn a_claim_that_failed_does_not_come_back_to_an_instance_that_drains() {
    let mut directory = directory();
    enter(&mut directory, 11, 1, at(0));
    claim(&mut directory, 1, 1, "x", at(0)).unwrap();
    directory.drain();
    assert!(!directory.restore_pending(&token(1), SessionEpoch(1), at(0)));
}

#[test]
fn of_two_entries_of_an_account_the_later_one_stays_whoever_registers_first() {
    let mut directory = directory();
    let early = directory.reserve(&placement(), character_id(11), at(0)).unwrap();
    enter(&mut directory, 12, 2, at(0));
    let refused = directory.register(early, session(11, 1, 1), at(0)).unwrap_err();
    assert_eq!(refused, RegistrationRefused::Outranked);
    assert!(is_pending(&directory, 2));
    directory.check_invariants().unwrap();
}

#[test]
fn a_claim_that_failed_comes_back_over_a_session_that_is_still_leaving() {
    let mut directory = directory();
    enter(&mut directory, 11, 1, at(0));
    claim(&mut directory, 1, 1, "leaves", at(0)).unwrap();
    enter(&mut directory, 12, 2, at(0));
    claim(&mut directory, 2, 2, "x", at(0)).unwrap();
    assert!(directory.restore_pending(&token(2), SessionEpoch(2), at(0)));
}

#[test]
fn a_session_that_is_leaving_plays_no_more_and_keeps_its_seat() {
    let mut directory = directory();
    enter(&mut directory, 1, 1, at(0));
    claim(&mut directory, 1, 1, "x", at(0)).unwrap();
    let leaving = |directory: &SessionDirectory<_>| {
        directory.all_active().map(ActiveRealtimeSession::is_leaving).collect::<Vec<_>>()
    };
    assert!(!directory.begin_leaving(&session(1, 1, 99), ClaimGeneration::FIRST));
    assert!(!directory.begin_leaving(&session(1, 1, 1), ClaimGeneration(2)));
    assert!(directory.is_playing(&token(1)));
    assert_eq!(leaving(&directory), [false]);
    assert!(directory.begin_leaving(&session(1, 1, 1), ClaimGeneration::FIRST));
    assert!(!directory.is_playing(&token(1)));
    assert_eq!(leaving(&directory), [true]);
    assert_eq!(directory.loads()[0].occupied, 1);
}

#[test]
fn a_draining_instance_admits_nobody_new() {
    let mut directory = directory();
    enter(&mut directory, 2, 2, at(0));
    let seat = directory.reserve(&placement(), character_id(3), at(0)).unwrap();
    assert!(!directory.is_draining());
    assert_eq!(directory.drain().pending, [session(2, 2, 2)]);
    assert!(directory.is_draining());
    let refused = directory.register(seat, session(3, 3, 1), at(0)).unwrap_err();
    assert_eq!(refused, RegistrationRefused::ReservationEnded);
    assert_eq!(directory.loads()[0].occupied, 0);
    assert_eq!(
        directory.reserve(&placement(), character_id(1), at(0)),
        Err(AdmissionRefused::Draining)
    );
}

#[test]
fn a_pending_session_is_told_to_nobody_before_everything_of_it_is_written() {
    let mut directory = directory();
    enter(&mut directory, 1, 1, at(0));
    let settled = |directory: &SessionDirectory<_>, epoch| {
        directory.pending(&token(1), SessionEpoch(epoch)).map(|(_, settled)| settled)
    };
    assert_eq!(settled(&directory, 1), Some(false));
    assert!(directory.settle(&token(1)));
    assert_eq!(settled(&directory, 1), Some(true));
    assert_eq!(settled(&directory, 2), None, "of another epoch");
    assert!(!directory.settle(&token(2)), "nobody waits under that name");
}

/// Two characters of account 1 and one of account 2 wait; another of account 1 plays.
fn crowd() -> SessionDirectory<&'static str> {
    let mut directory = SessionDirectory::new(BTreeMap::from([(placement(), 2 * CAPACITY)]));
    enter(&mut directory, 11, 1, at(0));
    claim(&mut directory, 1, 1, "plays", at(0)).unwrap();
    let seat = directory.reserve(&placement(), character_id(12), at(0)).unwrap();
    let of_other_login = PendingRealtimeSession { login: login(2), ..session(12, 2, 2) };
    directory.register(seat, of_other_login, at(0)).unwrap();
    enter(&mut directory, 21, 3, at(0));
    directory
}

#[track_caller]
fn check_release(request: ReleaseRequest, pending: &[u128], live: &[&str]) {
    let mut directory = crowd();
    let released = directory.let_go(&request);
    let names: Vec<_> = released.pending.iter().map(|one| one.session_token.clone()).collect();
    assert_eq!(names, pending.iter().map(|name| token(*name)).collect::<Vec<_>>(), "{request:?}");
    assert_eq!(released.live, live, "{request:?}");
    for name in [2, 3] {
        assert_eq!(is_pending(&directory, name), !pending.contains(&name), "{request:?}");
    }
    assert!(directory.is_playing(&token(1)), "who plays leaves by itself, once it has saved");
}

#[test]
fn a_release_means_the_sessions_of_its_request_and_no_others() {
    let account_id = account_of(11);
    let character_id = character_id(11);
    let up_to = SessionEpoch(1);
    let request = ReleaseRequest::Character { account_id, character_id, up_to };
    check_release(request, &[], &["plays"]);
    let up_to = SessionEpoch(0);
    check_release(ReleaseRequest::Character { account_id, character_id, up_to }, &[], &[]);
    // One that waits has nothing to save: the raise that follows fences it.
    let (character_id, up_to) = (self::character_id(12), SessionEpoch(2));
    check_release(ReleaseRequest::Character { account_id, character_id, up_to }, &[], &[]);
    for (before, pending, live) in
        [(1, &[][..], &[][..]), (2, &[], &["plays"]), (3, &[2], &["plays"])]
    {
        let request = ReleaseRequest::EarlierEntries { account_id, before: entry(before) };
        check_release(request, pending, live);
    }
    check_release(ReleaseRequest::Login { account_id, login: login(1) }, &[], &["plays"]);
    check_release(ReleaseRequest::Login { account_id, login: login(2) }, &[2], &[]);
    let stranger = account_of(21);
    check_release(ReleaseRequest::Login { account_id: stranger, login: login(2) }, &[], &[]);
    check_release(ReleaseRequest::Account { account_id }, &[2], &["plays"]);
}

#[test]
fn a_directory_that_broke_its_own_rules_says_which() {
    let waiting = |session| Waiting { session, expires_at: at(9), settled: true };
    let check = |break_it: &dyn Fn(&mut SessionDirectory<&'static str>), expected: &str| {
        let mut directory = directory();
        enter(&mut directory, 11, 1, at(0));
        assert_eq!(directory.check_invariants(), Ok(()));
        break_it(&mut directory);
        let broken = directory.check_invariants().unwrap_err();
        assert!(broken.contains(expected), "{broken}");
    };
    check(&|d| d.capacities.extend([(placement(), 0)]), "dawn/harbor seats 1 of 0");
    check(&|d| d.pending.extend([(token(2), waiting(session(12, 2, 2)))]), "two pending sessions");
    check(
        &|d| {
            claim(d, 1, 1, "x", at(0)).unwrap();
            d.pending.insert(token(1), waiting(session(11, 1, 1)));
        },
        "is pending and active",
    );
}

proptest! {
    /// Whatever order players come, wait, claim and leave in, no zone overfills.
    #[test]
    fn no_order_of_events_overfills_a_zone(
        events in prop::collection::vec((0u8..9, 10u128..26, 0u64..40), 1..120)
    ) {
        let mut directory = directory();
        let mut seats = Vec::new();
        let mut name = 0;
        let mut now = at(0);
        for (event, character, wait) in events {
            match event {
                0 => {
                    if let Ok(seat) = directory.reserve(&placement(), character_id(character), now) {
                        seats.push((seat, character));
                    }
                }
                1 => {
                    if let Some((seat, character)) = seats.pop() {
                        name += 1;
                        let _ = directory.register(seat, session(character, name, 1), now);
                    }
                }
                2 => {
                    let _ = claim(&mut directory, name, name, "x", now);
                    directory.open(&token(name), SessionEpoch(1));
                }
                3 => {
                    directory.remove_active(&token(name), SessionEpoch(1));
                }
                4 => {
                    directory.expire(now);
                }
                5 => {
                    let own = session(character, name, 1);
                    let claims = directory.active.get(&token(name)).map(|a| a.claims.generation());
                    directory.lose(&own, claims.unwrap_or(ClaimGeneration::FIRST), now);
                }
                6 => {
                    let _ = reclaim(&mut directory, name, &ticket(name), "y", now);
                }
                7 if wait == 0 => {
                    directory.drain();
                }
                _ => now = now.plus(Duration::from_secs(wait)),
            }
            prop_assert_eq!(directory.check_invariants(), Ok(()));
        }
    }
}
