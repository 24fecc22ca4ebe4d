//! A model of everything outside that a handshake can change, for its tests.

use std::collections::{BTreeMap, BTreeSet};

use shared::coordination::{AccountClaims, HandoffScope};
use shared::ids::{AccountEntry, AccountId, AttemptId, SessionEpoch, Try, UnixMillis};
use shared::realtime::command::CommandSequence;
use shared::version::PayloadVersion;
use shared::world::Tile;
use uuid::Uuid;

use super::super::session_directory::{RegistrationRefused, SessionDirectory};
use super::*;

pub(super) const NOW: UnixMillis = UnixMillis(1_000);

pub(super) fn placement() -> Placement {
    "dawn/harbor".parse().unwrap()
}

pub(super) fn input() -> HandshakeInput {
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

pub(super) fn character() -> Character {
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
        entry: AccountEntry(7),
        raised_by: None,
        claimed: false,
        last_command: CommandSequence::NONE,
    }
}

pub(super) fn record() -> HandoffCacheRecord {
    HandoffCacheRecord {
        payload_version: PayloadVersion::CURRENT,
        token: input().token,
        account_id: character().account_id,
        claims: AccountClaims { username: "mara".to_owned() },
        login: "c".repeat(64).parse().unwrap(),
        character_id: character().id,
        realm_id: character().realm,
        target_zone: "harbor".parse().unwrap(),
        target_placement: placement(),
        target_instance: "edge-a".parse().unwrap(),
        dungeon_run_id: None,
        start_tile: None,
        transfer: None,
        redirected_from: vec![],
        expected_epoch: SessionEpoch(3),
        scope: HandoffScope::Instance("edge-a".parse().unwrap()),
        expires_at: UnixMillis(60_000),
    }
}

pub(super) fn elsewhere() -> GameEndpoint {
    GameEndpoint {
        instance_id: "edge-b".parse().unwrap(),
        http_url: "http://127.0.0.1:8082".to_owned(),
    }
}

/// What the outside holds, as far as a handshake can change it.
pub(super) struct Outside {
    pub(super) record: Result<HandoffLookup, Event>,
    pub(super) row: Option<Character>,
    pub(super) login_lives: bool,
    pub(super) directory: SessionDirectory<()>,
    pub(super) assignment: Assignment,
    pub(super) asked: Vec<AssignRequest>,
    pub(super) redirected: bool,
    pub(super) consumed: bool,
    pub(super) released: Vec<ReleaseRequest>,
    pub(super) raised: bool,
    /// Somebody else of the account enters just before the end.
    pub(super) pushed_out: bool,
    /// The character is deleted just before the end.
    pub(super) deleted: bool,
    /// Presence of the account is of another version.
    pub(super) presence_unreadable: bool,
    /// The login ends just before the end.
    pub(super) logged_out: bool,
    pub(super) living: Vec<InstanceRecord>,
    pub(super) ledger: BTreeSet<SessionToken>,
    pub(super) presence: BTreeSet<SessionToken>,
    pub(super) confirmed: BTreeSet<TokenHash>,
    /// Steps that do not answer, by their number; `true`: after they have worked.
    pub(super) broken: BTreeMap<usize, bool>,
}

impl Outside {
    pub(super) fn new() -> Self {
        Self {
            record: Ok(HandoffLookup::Found { record: Box::new(record()) }),
            row: Some(character()),
            login_lives: true,
            directory: SessionDirectory::new(BTreeMap::from([(placement(), 1)])),
            assignment: Assignment::Full,
            asked: vec![],
            redirected: false,
            consumed: false,
            released: vec![],
            raised: false,
            pushed_out: false,
            deleted: false,
            presence_unreadable: false,
            logged_out: false,
            living: vec![],
            ledger: BTreeSet::new(),
            presence: BTreeSet::new(),
            confirmed: BTreeSet::new(),
            broken: BTreeMap::new(),
        }
    }

    pub(super) fn of(record: HandoffCacheRecord) -> Self {
        Self { record: Ok(HandoffLookup::Found { record: Box::new(record) }), ..Self::new() }
    }

    pub(super) fn lookup(&self) -> Event {
        match &self.record {
            Ok(lookup) => Event::Looked(lookup.clone()),
            Err(_) => Event::PayloadUnreadable,
        }
    }

    pub(super) fn take(&mut self, effect: Effect) -> Event {
        match effect {
            Effect::Preflight => self.lookup(),
            Effect::Consume => {
                self.consumed = true;
                self.lookup()
            }
            Effect::ListInstances => Event::Living(self.living.clone()),
            Effect::Reserve { placement, character } => {
                match self.directory.reserve(&placement, character, NOW) {
                    Ok(seat) => Event::Reserved(seat),
                    Err(refused) => Event::Refused(refused),
                }
            }
            Effect::Assign(request) => {
                self.asked.push(request);
                Event::Assigned(self.assignment.clone())
            }
            Effect::Redirect(to) => {
                assert!(!self.consumed, "a token that was burnt cannot go elsewhere");
                self.redirected = true;
                Event::Redirected(Redirection::Moved { to })
            }
            Effect::ReadCharacter(_, Some(_)) if !self.login_lives => Event::LoginEnded,
            Effect::ReadCharacter(..) => Event::Read(self.row.clone().map(Box::new)),
            Effect::FindPending { token, epoch } => match self.directory.pending(&token, epoch) {
                Some((session, true)) => Event::Found(Box::new(session.clone())),
                Some((_, false)) => Event::Unavailable,
                None => Event::NotFound,
            },
            Effect::Release(request) => {
                if let ReleaseRequest::Character { up_to, .. } = &request {
                    assert!(!self.raised, "who is taken over saves before the raise");
                    assert_eq!(Some(*up_to), self.row.as_ref().map(|row| row.epoch));
                }
                let unreadable = self.presence_unreadable;
                self.released.push(request);
                if unreadable { Event::PayloadUnreadable } else { Event::Released }
            }
            Effect::RaiseEpoch(raise) => Event::Raised(self.raise(&raise)),
            Effect::Register(seat, session) => match self.directory.register(seat, session, NOW) {
                Ok(_) => Event::Registered,
                Err(RegistrationRefused::ReservationEnded) => Event::ReservationEnded,
                Err(RegistrationRefused::Outranked) => Event::Outranked,
            },
            Effect::CheckStanding(session) => {
                if self.logged_out {
                    return Event::LoginEnded;
                }
                if self.deleted {
                    return Event::Gone;
                }
                if self.pushed_out {
                    self.directory.remove_pending(&session.session_token, session.character.epoch);
                }
                if self.directory.settle(&session.session_token) {
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
            Effect::ConfirmTransfer(session, token) => {
                assert!(self.raised && self.presence.contains(&session.session_token));
                self.confirmed.insert(token);
                Event::Written
            }
            Effect::ReleaseReservation(seat) => {
                self.directory.release(seat);
                Event::Undone
            }
            Effect::RemovePending(session) => {
                let (token, epoch) = (&session.session_token, session.character.epoch);
                let removed = self.directory.remove_pending(token, epoch);
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

    pub(super) fn raise(&mut self, raise: &EpochRaise) -> EpochRaised {
        if matches!(raise.ground, RaiseGround::Admission { .. }) && !self.login_lives {
            return EpochRaised::LoginEnded;
        }
        let Some(row) = &mut self.row else { return EpochRaised::Gone };
        match judge_raise(row, raise) {
            RaiseJudgement::Superseded => EpochRaised::Superseded,
            RaiseJudgement::AlreadyOwn => EpochRaised::Raised(row.clone()),
            RaiseJudgement::Raise => {
                self.raised = true;
                row.epoch = row.epoch.next();
                row.entry = AccountEntry(row.entry.0 + 1);
                row.claimed &= raise.ground.keeps_claimed();
                row.raised_by = Some(raise.by.clone());
                if let Some(place) = raise.ground.place() {
                    (row.zone, row.tile) = (place.zone.clone(), place.tile);
                }
                EpochRaised::Raised(row.clone())
            }
        }
    }

    pub(super) fn run(&mut self, input: &HandshakeInput) -> (Outcome, usize) {
        self.drive(input, begin(input))
    }

    pub(super) fn drive(
        &mut self,
        input: &HandshakeInput,
        first: (State, Effect),
    ) -> (Outcome, usize) {
        let (mut state, mut effect) = first;
        self.raised = false;
        for number in 0..30 {
            if let Effect::Finish(outcome) = effect {
                self.directory.check_invariants().unwrap();
                return (outcome, number);
            }
            // Steps inside one process (Reserve, Register, undos) cannot be unavailable, and
            // a release that fails is fenced by the raise.
            let crosses = matches!(
                effect,
                Effect::Preflight
                    | Effect::ListInstances
                    | Effect::Assign(_)
                    | Effect::Redirect(_)
                    | Effect::Consume
                    | Effect::ReadCharacter(..)
                    | Effect::RaiseEpoch(_)
                    | Effect::PersistLedger(_)
                    | Effect::WritePresence(_)
                    | Effect::ConfirmTransfer(..)
                    | Effect::CheckStanding(_)
            );
            let event = match self.broken.get(&number) {
                Some(after) if crosses => {
                    if *after {
                        self.take(effect);
                    }
                    Event::Unavailable
                }
                _ => self.take(effect),
            };
            (state, effect) = step(input, state, event).unwrap();
        }
        panic!("the handshake does not end");
    }

    /// I6: a failed handshake leaves nothing behind.
    pub(super) fn holds_nothing(&self) -> bool {
        self.directory.loads().iter().all(|load| load.occupied == 0)
            && self.ledger.is_empty()
            && self.presence.is_empty()
    }
}

/// The same attempt again, under another session name.
pub(super) fn tried(r#try: u32) -> HandshakeInput {
    let mut again = input();
    again.hello.r#try = Try(r#try);
    again.session_token = format!("session-of-another-try-{}", r#try).parse().unwrap();
    again
}

pub(super) fn accepted(outcome: Outcome) -> PendingRealtimeSession {
    match outcome {
        Outcome::Accepted(session) => *session,
        other => panic!("{other:?}"),
    }
}
