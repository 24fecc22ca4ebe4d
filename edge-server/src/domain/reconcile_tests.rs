//! Tests of the decision, over every small world that chance makes.

use proptest::prelude::*;
use shared::coordination::{
    AccountClaims, HandoffScope, LedgerClaims, LedgerPhase, TransferActivation,
};
use shared::ids::{AccountEntry, Appearance, Try};
use shared::realtime::command::CommandSequence;
use shared::version::PayloadVersion;
use shared::world::Tile;
use uuid::Uuid;

use super::*;
use crate::domain::authority::RaisedBy;

const NOW: UnixMillis = UnixMillis(1_000);

fn token(number: u64) -> TokenHash {
    format!("{number:064x}").parse().unwrap()
}

fn session(number: u64) -> SessionToken {
    format!("session-of-test-{number}").parse().unwrap()
}

fn instance(number: u64) -> InstanceId {
    format!("edge-{number}").parse().unwrap()
}

fn character(number: u64) -> CharacterId {
    CharacterId::new(Uuid::from_u128(u128::from(number)))
}

fn account() -> AccountId {
    AccountId::new(Uuid::from_u128(7))
}

fn row(number: u64, epoch: u64, raised_by: u64) -> Character {
    Character {
        id: character(number),
        account_id: account(),
        realm: "dawn".parse().unwrap(),
        name: "Mara".to_owned(),
        appearance: Appearance::default(),
        zone: "harbor".parse().unwrap(),
        tile: Tile { x: 1, y: 1 },
        gathered: 0,
        epoch: SessionEpoch(epoch),
        entry: AccountEntry(epoch),
        raised_by: Some(RaisedBy {
            handoff: token(1),
            attempt_id: "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap(),
            r#try: Try::FIRST,
            session_token: session(raised_by),
            instance: instance(0),
        }),
        claimed: true,
        last_command: CommandSequence(0),
    }
}

fn handoff(expected: u64) -> HandoffCacheRecord {
    HandoffCacheRecord {
        payload_version: PayloadVersion::CURRENT,
        token: token(1),
        account_id: account(),
        claims: AccountClaims { username: "mara".to_owned() },
        login: token(2),
        character_id: character(0),
        realm_id: "dawn".parse().unwrap(),
        target_zone: "harbor".parse().unwrap(),
        target_placement: "dawn/harbor".parse().unwrap(),
        target_instance: instance(0),
        dungeon_run_id: None,
        start_tile: None,
        transfer: None,
        redirected_from: vec![],
        expected_epoch: SessionEpoch(expected),
        scope: HandoffScope::Instance(instance(0)),
        expires_at: UnixMillis(NOW.0 + 1),
    }
}

#[test]
fn a_forgotten_handoff_comes_back_only_while_its_authority_stands() {
    let rows = |row: Option<Character>| Rows::from([(character(0), row)]);
    let logins = BTreeSet::from([(token(2), account())]);
    let restored = |record: HandoffCacheRecord, rows: &Rows, logins: &BTreeSet<_>, now| {
        restorations(vec![record], rows, logins, now).len()
    };
    let standing = rows(Some(row(0, 3, 0)));
    assert_eq!(restored(handoff(3), &standing, &logins, NOW), 1);
    assert_eq!(restored(handoff(2), &standing, &logins, NOW), 0, "somebody has entered since");
    assert_eq!(restored(handoff(4), &standing, &logins, NOW), 0);
    assert_eq!(restored(handoff(3), &rows(None), &logins, NOW), 0, "the character is gone");
    assert_eq!(restored(handoff(3), &Rows::new(), &logins, NOW), 0, "it was not read");
    assert_eq!(restored(handoff(3), &standing, &BTreeSet::new(), NOW), 0, "logged out");
    assert_eq!(restored(handoff(3), &standing, &logins, UnixMillis(NOW.0 + 1)), 0, "too late");
}

#[test]
fn a_transfer_is_rolled_back_once_its_time_is_over_and_nobody_has_activated_it() {
    let moving = HandoffCacheRecord {
        transfer: Some(TransferActivation {
            payload_version: PayloadVersion::CURRENT,
            source_instance: instance(1),
            source_session: session(1),
            source_zone: "meadow".parse().unwrap(),
            target_zone: "harbor".parse().unwrap(),
            target_tile: Tile { x: 1, y: 1 },
        }),
        ..handoff(3)
    };
    let end = moving.expires_at;
    assert_eq!(lapsed_transfers(vec![moving.clone()], NOW), []);
    assert_eq!(lapsed_transfers(vec![handoff(3)], end), [], "no transfer");
    let lapsed = lapsed_transfers(vec![moving], end);
    let (character_id, token) = (character(0), token(1));
    assert_eq!(roll_backs(&lapsed, &BTreeSet::from([token.clone()])), []);
    let expected = Repair::RollBackTransfer { character_id, token };
    assert_eq!(roll_backs(&lapsed, &BTreeSet::new()), [expected]);
}

#[test]
fn a_session_that_is_being_recovered_keeps_its_records() {
    let recovered = Rows::from([(character(0), Some(row(0, 4, 5)))]);
    let (there, kept) = (presence_at(0, 5, 3, 0, 1), ledger_at(0, 5, 3, 0, 1));
    let in_ledger = BTreeSet::from([session(5)]);
    assert_eq!(removals(&[there], &[kept], &in_ledger, &recovered), []);
}

fn presence_at(of: u64, name: u64, epoch: u64, at: u64, incarnation: u64) -> PresenceRecord {
    PresenceRecord {
        payload_version: PayloadVersion::CURRENT,
        account_id: account(),
        character_id: character(of),
        session_token: session(name),
        epoch: SessionEpoch(epoch),
        entry: AccountEntry(epoch),
        instance: instance(at),
        incarnation,
        placement: "dawn/harbor".parse().unwrap(),
        profile: "quic-standard".to_owned(),
        expires_at: UnixMillis(NOW.0 + 1),
    }
}

fn ledger_at(of: u64, name: u64, epoch: u64, at: u64, incarnation: u64) -> ResumeLedgerRecord {
    ResumeLedgerRecord {
        payload_version: PayloadVersion::CURRENT,
        session_token: session(name),
        ticket: token(3),
        handoff: token(1),
        account_id: account(),
        claims: AccountClaims { username: "mara".to_owned() },
        login: token(2),
        character_id: character(of),
        character_name: "Mara".to_owned(),
        epoch: SessionEpoch(epoch),
        attempt_id: "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap(),
        r#try: Try::FIRST,
        instance: instance(at),
        incarnation,
        placement: "dawn/harbor".parse().unwrap(),
        tile: Tile { x: 1, y: 1 },
        phase: if name.is_multiple_of(2) {
            LedgerPhase::Active(LedgerClaims { generation: 1, newest: token(4), previous: None })
        } else {
            LedgerPhase::Pending
        },
        expires_at: UnixMillis(NOW.0 + 1),
    }
}

/// What a run reads; characters, sessions, instances and epochs are a handful each.
#[derive(Clone, Debug)]
struct Seen {
    scope: Scope,
    presence: Vec<PresenceRecord>,
    ledger: Vec<ResumeLedgerRecord>,
    living: Vec<InstanceRecord>,
    rows: Rows,
}

impl Seen {
    fn decide(&self) -> Vec<Repair> {
        let presence = orphaned_presence(&self.scope, self.presence.clone(), &self.living);
        let ledger = orphaned_ledger(&self.scope, self.ledger.clone(), &self.living);
        let in_ledger = self.ledger.iter().map(|one| one.session_token.clone()).collect();
        removals(&presence, &ledger, &in_ledger, &self.rows)
    }

    fn apply(&mut self, repairs: &[Repair]) {
        for repair in repairs {
            match repair {
                Repair::RestoreHandoff(_) | Repair::RollBackTransfer { .. } => {}
                Repair::RemoveLedger { session, epoch, .. } => {
                    self.ledger.retain(|one| one.session_token != *session || one.epoch != *epoch);
                }
                Repair::RemovePresence { session, epoch, .. } => {
                    self.presence
                        .retain(|one| one.session_token != *session || one.epoch != *epoch);
                }
            }
        }
    }
}

fn seen() -> impl Strategy<Value = Seen> {
    // A session is one character's.
    let record = (0..3_u64, 0..4_u64, 0..4_u64, 0..3_u64, 0..4_u64)
        .prop_map(|(of, name, epoch, at, process)| (of, of * 4 + name, epoch, at, process));
    let living = prop::collection::btree_map(0..3_u64, 0..4_u64, 0..3);
    let rows = prop::collection::btree_map(
        0..3_u64,
        prop::option::weighted(0.8, (0..4_u64, 0..4_u64)),
        0..4,
    );
    let scope = prop::option::of(0..3_u64);
    // A character has one presence, a session one ledger record: as the stores' keys hold it.
    let presence = prop::collection::vec(record.clone(), 0..6);
    let ledger = prop::collection::vec(record, 0..6);
    (scope, presence, ledger, living, rows).prop_map(|(scope, presence, ledger, living, rows)| {
        let presence: BTreeMap<_, _> = presence
            .into_iter()
            .map(|(of, name, epoch, at, process)| (of, presence_at(of, name, epoch, at, process)))
            .collect();
        let ledger: BTreeMap<_, _> = ledger
            .into_iter()
            .map(|(of, name, epoch, at, process)| (name, ledger_at(of, name, epoch, at, process)))
            .collect();
        Seen {
            scope: scope.map_or(Scope::Everything, |id| Scope::Instance(instance(id))),
            presence: presence.into_values().collect(),
            ledger: ledger.into_values().collect(),
            living: living.into_iter().map(|(id, process)| registered(id, process)).collect(),
            rows: rows
                .into_iter()
                .map(|(of, at)| (character(of), at.map(|(epoch, by)| row(of, epoch, of * 4 + by))))
                .collect(),
        }
    })
}

fn registered(id: u64, incarnation: u64) -> InstanceRecord {
    InstanceRecord {
        payload_version: PayloadVersion::CURRENT,
        id: instance(id),
        incarnation,
        http_url: "http://127.0.0.1:8081".to_owned(),
        internal_url: "http://127.0.0.1:8081".to_owned(),
        http_port: 8_081,
        endpoints: vec![],
        zones: vec![],
        draining: false,
        expires_at: UnixMillis(NOW.0 + 1),
    }
}

proptest! {
    #[test]
    fn what_a_living_process_or_a_later_one_has_written_is_left_alone(seen in seen()) {
        let mut after = seen.clone();
        after.apply(&seen.decide());
        let answered = |at: &InstanceId, incarnation: u64| {
            seen.living.iter().any(|one| one.id == *at && one.incarnation <= incarnation)
        };
        for one in seen.presence.iter().filter(|one| answered(&one.instance, one.incarnation)) {
            prop_assert!(after.presence.contains(one), "{one:?}");
        }
        for one in seen.ledger.iter().filter(|one| answered(&one.instance, one.incarnation)) {
            prop_assert!(after.ledger.contains(one), "{one:?}");
        }
        if let Scope::Instance(own) = &seen.scope {
            for one in seen.ledger.iter().filter(|one| one.instance != *own) {
                prop_assert!(after.ledger.contains(one), "another instance's: {one:?}");
            }
        }
    }

    #[test]
    fn a_session_that_nobody_outranks_can_be_claimed_afterwards(seen in seen()) {
        let mut after = seen.clone();
        after.apply(&seen.decide());
        for one in &seen.ledger {
            let stands = match seen.rows.get(&one.character_id) {
                None => true,
                Some(None) => false,
                Some(Some(row)) => row.epoch <= one.epoch,
            };
            prop_assert!(!stands || after.ledger.contains(one), "{one:?}");
        }
        for one in &seen.presence {
            let claimable = after.ledger.iter().any(|kept| kept.session_token == one.session_token);
            let stands = match seen.rows.get(&one.character_id) {
                None => true,
                Some(None) => false,
                Some(Some(row)) => row.epoch <= one.epoch,
            };
            prop_assert!(!(claimable && stands) || after.presence.contains(one), "{one:?}");
        }
    }

    #[test]
    fn what_has_been_repaired_is_not_repaired_again(seen in seen()) {
        let mut after = seen.clone();
        after.apply(&seen.decide());
        prop_assert_eq!(after.decide(), []);
    }
}
