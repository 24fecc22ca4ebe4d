//! The handshake against a model of everything that it can hold, with every step failed.

use std::collections::{BTreeMap, BTreeSet};

use shared::coordination::{AccountClaims, HandoffScope};
use shared::ids::{AccountId, AttemptId, SessionEpoch, Try, UnixMillis};
use shared::version::PayloadVersion;
use shared::world::Tile;
use uuid::Uuid;

use super::super::session_directory::{RegistrationRefused, SessionDirectory};
use super::*;

const NOW: UnixMillis = UnixMillis(1_000);

fn placement() -> Placement {
    "dawn/harbor".parse().unwrap()
}

fn input() -> HandshakeInput {
    HandshakeInput {
        hello: GameHello {
            protocol_version: PROTOCOL_VERSION,
            client_build: "test".to_owned(),
            transports: vec![QUIC.to_owned()],
            attempt_id: AttemptId::new(Uuid::from_u128(7)),
            r#try: Try::FIRST,
        },
        token: "a".repeat(64).parse().unwrap(),
        instance: "edge-a".parse().unwrap(),
        carried: vec![placement()],
        session_token: "session-of-the-test".parse().unwrap(),
        ticket: "b".repeat(64).parse().unwrap(),
    }
}

fn character() -> Character {
    Character {
        id: CharacterId::new(Uuid::from_u128(1)),
        account_id: AccountId::new(Uuid::from_u128(2)),
        realm: "dawn".parse().unwrap(),
        name: "Mara".to_owned(),
        appearance: shared::ids::Appearance::default(),
        zone: "harbor".parse().unwrap(),
        tile: Tile { x: 4, y: 5 },
        gathered: 0,
        epoch: SessionEpoch(3),
        raised_by: None,
        claimed: false,
    }
}

fn record() -> HandoffCacheRecord {
    HandoffCacheRecord {
        payload_version: PayloadVersion::CURRENT,
        token: input().token,
        account_id: character().account_id,
        claims: AccountClaims { username: "mara".to_owned() },
        character_id: character().id,
        realm_id: character().realm,
        target_zone: "harbor".parse().unwrap(),
        target_placement: placement(),
        target_instance: "edge-a".parse().unwrap(),
        dungeon_run_id: None,
        expected_epoch: SessionEpoch(3),
        scope: HandoffScope::Instance("edge-a".parse().unwrap()),
        expires_at: UnixMillis(60_000),
    }
}

/// What the outside holds, as far as a handshake can change it.
struct Outside {
    record: Result<HandoffLookup, Event>,
    row: Option<Character>,
    directory: SessionDirectory<()>,
    consumed: bool,
    released: bool,
    raised: bool,
    /// Somebody else of the account enters just before the end.
    pushed_out: bool,
    ledger: BTreeSet<SessionToken>,
    presence: BTreeSet<SessionToken>,
    /// Steps that do not answer, by their number; `true`: after they have worked.
    broken: BTreeMap<usize, bool>,
}

impl Outside {
    fn new() -> Self {
        Self {
            record: Ok(HandoffLookup::Found { record: Box::new(record()) }),
            row: Some(character()),
            directory: SessionDirectory::new(BTreeMap::from([(placement(), 1)])),
            consumed: false,
            released: false,
            raised: false,
            pushed_out: false,
            ledger: BTreeSet::new(),
            presence: BTreeSet::new(),
            broken: BTreeMap::new(),
        }
    }

    fn lookup(&self) -> Event {
        match &self.record {
            Ok(lookup) => Event::Looked(lookup.clone()),
            Err(_) => Event::PayloadUnreadable,
        }
    }

    fn take(&mut self, input: &HandshakeInput, effect: Effect) -> Event {
        match effect {
            Effect::Preflight => self.lookup(),
            Effect::Consume => {
                self.consumed = true;
                self.lookup()
            }
            Effect::Reserve { placement, character } => {
                match self.directory.reserve(&placement, character, NOW) {
                    Ok(seat) => Event::Reserved(seat),
                    Err(refused) => Event::Refused(refused),
                }
            }
            Effect::ReadCharacter(_) => Event::Read(self.row.clone().map(Box::new)),
            Effect::ReleaseHolder { read, .. } => {
                assert_eq!(Some(read), self.row.as_ref().map(|row| row.epoch));
                self.released = true;
                Event::Released
            }
            Effect::RaiseEpoch(raise) => {
                let Some(row) = &mut self.row else { return Event::Raised(EpochRaised::Gone) };
                match judge_raise(row, raise.expected, &raise.by) {
                    RaiseJudgement::Superseded => Event::Raised(EpochRaised::Superseded),
                    RaiseJudgement::AlreadyOwn => Event::Raised(EpochRaised::Raised(row.clone())),
                    RaiseJudgement::Raise => {
                        self.raised = true;
                        row.epoch = row.epoch.next();
                        row.raised_by = Some(raise.by);
                        Event::Raised(EpochRaised::Raised(row.clone()))
                    }
                }
            }
            Effect::Register(seat, session) => match self.directory.register(seat, session, NOW) {
                Ok(_) => Event::Registered,
                Err(RegistrationRefused::ReservationEnded) => Event::ReservationEnded,
                Err(RegistrationRefused::Outranked) => Event::Outranked,
            },
            Effect::CheckStanding(session) => {
                if self.pushed_out {
                    self.directory.remove_pending(&session.session_token, session.character.epoch);
                }
                if self.directory.is_pending(&session.session_token) {
                    Event::Stands
                } else {
                    Event::Outranked
                }
            }
            Effect::PersistLedger(session) => {
                self.ledger.insert(session.session_token);
                Event::Written
            }
            Effect::WritePresence(session) => {
                self.presence.insert(session.session_token);
                Event::Written
            }
            Effect::ReleaseReservation(seat) => {
                self.directory.release(seat);
                Event::Undone
            }
            Effect::RemovePending(session) => {
                let removed =
                    self.directory.remove_pending(&input.session_token, session.character.epoch);
                assert!(removed, "an undo of something that is not there");
                Event::Undone
            }
            Effect::RemoveLedger(session) => {
                self.ledger.remove(&session.session_token);
                Event::Undone
            }
            Effect::RemovePresence(session) => {
                self.presence.remove(&session.session_token);
                Event::Undone
            }
            Effect::Finish(_) => unreachable!("the driver takes Finish"),
        }
    }

    fn run(&mut self, input: &HandshakeInput) -> (Outcome, usize) {
        let (mut state, mut effect) = begin(input);
        for number in 0..30 {
            if let Effect::Finish(outcome) = effect {
                self.directory.check_invariants().unwrap();
                return (outcome, number);
            }
            // Steps inside one process (Reserve, Register, undos) cannot be unavailable.
            let crosses = matches!(
                effect,
                Effect::Preflight
                    | Effect::Consume
                    | Effect::ReadCharacter(_)
                    | Effect::RaiseEpoch(_)
                    | Effect::PersistLedger(_)
                    | Effect::WritePresence(_)
            );
            let event = match self.broken.get(&number) {
                Some(after) if crosses => {
                    if *after {
                        self.take(input, effect);
                    }
                    Event::Unavailable
                }
                _ => self.take(input, effect),
            };
            (state, effect) = step(input, state, event).unwrap();
        }
        panic!("the handshake does not end");
    }

    /// I6: a failed handshake leaves nothing behind.
    fn holds_nothing(&self) -> bool {
        self.directory.loads().iter().all(|load| load.occupied == 0)
            && self.ledger.is_empty()
            && self.presence.is_empty()
    }
}

#[test]
fn a_good_handshake_ends_with_seat_ledger_and_presence_of_the_raised_character() {
    let mut outside = Outside::new();
    let (outcome, _) = outside.run(&input());
    let Outcome::Accepted(session) = outcome else { panic!("{outcome:?}") };
    assert_eq!(session.character.epoch, SessionEpoch(4));
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
            let mut again = input();
            again.hello.r#try = Try(2);
            again.session_token = "session-of-the-second-try".parse().unwrap();
            let (outcome, _) = outside.run(&again);
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
    assert!(!outside.released, "somebody was asked to leave for a handshake that is refused");
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
