//! Records to test with. Ids are made from small numbers, so that a failure can be read.

use std::time::Duration;

use edge_server::domain::authority::{EpochRaise, RaiseGround, RaisedBy};
use edge_server::stores::{AccountCreation, CharacterCreation, LocationSave, NewCharacter};
use shared::account::Account;
use shared::coordination::{
    AccountClaims, AssignHold, HandoffCacheRecord, HandoffClaimant, HandoffScope, InstanceRecord,
    LedgerClaims, LedgerPhase, PresenceRecord, ResumeLedgerRecord, TokenHash, ZoneLoad,
};
use shared::gameplay::RealtimeEndpoint;
use shared::ids::{
    AccountEntry, AccountId, Appearance, AttemptId, CharacterId, Placement, RealmId, SessionEpoch,
    Try, UnixMillis,
};
use shared::limits::HANDOFF_TOKEN_LIFE;
use shared::secret::SessionToken;
use shared::version::PayloadVersion;
use shared::world::Tile;
use uuid::Uuid;

use super::family::Stores;

/// The moment at which tests begin.
pub(crate) const NOW: UnixMillis = UnixMillis(1_800_000_000_000);

/// How long the login of [`given_character`] lives.
pub(crate) const LOGIN_SECONDS: u64 = 3_600;
/// The password hash of every account that [`given_account`] creates.
pub(crate) const PHC: &str = "$argon2id$x";

/// Later than [`NOW`].
pub(crate) fn later(seconds: u64) -> UnixMillis {
    NOW.plus(Duration::from_secs(seconds))
}

/// One millisecond before `moment`.
pub(crate) fn just_before(moment: UnixMillis) -> UnixMillis {
    UnixMillis(moment.0 - 1)
}

pub(crate) fn account_id(number: u128) -> AccountId {
    AccountId::new(Uuid::from_u128(0xacc0_0000 + number))
}

pub(crate) fn character_id(number: u128) -> CharacterId {
    CharacterId::new(Uuid::from_u128(0xc4a0_0000 + number))
}

pub(crate) fn attempt_id(number: u128) -> AttemptId {
    AttemptId::new(Uuid::from_u128(0xa770_0000 + number))
}

pub(crate) fn token(number: u128) -> TokenHash {
    format!("{number:064x}").parse().unwrap()
}

pub(crate) fn session(name: &str) -> SessionToken {
    format!("session-of-test-{name}").parse().unwrap()
}

pub(crate) fn dawn() -> RealmId {
    "dawn".parse().unwrap()
}

pub(crate) fn account(number: u128, username: &str) -> Account {
    Account { id: account_id(number), username: username.to_owned() }
}

/// A name of letters that differs for every number.
pub(crate) fn name(number: u128) -> String {
    let letter = |n: u128| char::from(b'a' + u8::try_from(n % 26).unwrap());
    format!("Mara{}{}", letter(number / 26), letter(number))
}

pub(crate) fn new_character(number: u128, account: u128, name: &str) -> NewCharacter {
    NewCharacter {
        id: character_id(number),
        account_id: account_id(account),
        realm: dawn(),
        name: name.to_owned(),
        appearance: Appearance::default(),
        zone: "harbor".parse().unwrap(),
        tile: Tile { x: 7, y: 9 },
    }
}

/// Creates account `number`.
pub(crate) async fn given_account(stores: &Stores, number: u128) -> AccountId {
    let account = account(number, &format!("player{number}"));
    let creation = stores.accounts.create_account(&account, PHC, NOW).await.unwrap();
    assert_eq!(creation, AccountCreation::Created);
    account.id
}

/// Creates account and character 1, and a login of the account.
pub(crate) async fn given_character(stores: &Stores) -> CharacterId {
    let account = given_account(stores, 1).await;
    stores.logins.create_login(&login(), account, PHC, later(LOGIN_SECONDS)).await.unwrap();
    let character = new_character(1, 1, "Mara");
    let creation = stores.characters.create_character(&character, NOW).await.unwrap();
    assert_eq!(creation, CharacterCreation::Created);
    character.id
}

pub(crate) fn raised_by(attempt: u128, r#try: u32, session_name: &str) -> RaisedBy {
    RaisedBy {
        handoff: token(0x9a5_0000 + attempt),
        attempt_id: attempt_id(attempt),
        r#try: Try(r#try),
        session_token: session(session_name),
        instance: "edge-a".parse().unwrap(),
    }
}

/// A raise of character 1 for the login that [`given_character`] makes.
pub(crate) fn raise(expected: u64, by: RaisedBy) -> EpochRaise {
    let zone = harbor().zone;
    raise_on(RaiseGround::Admission { login: login(), zone, place: None }, expected, by)
}

/// A raise of character 1.
pub(crate) fn raise_on(ground: RaiseGround, expected: u64, by: RaisedBy) -> EpochRaise {
    let expected = SessionEpoch(expected);
    EpochRaise { character_id: character_id(1), expected, by, ground }
}

/// The login of account 1.
pub(crate) fn login() -> TokenHash {
    token(0x1091)
}

/// A promise of a seat to an account in the harbor of an instance.
pub(crate) fn hold(number: u128, account: u128, instance: &str) -> AssignHold {
    AssignHold {
        payload_version: PayloadVersion::CURRENT,
        token: token(number),
        account_id: account_id(account),
        placement: harbor(),
        instance: instance.parse().unwrap(),
        expires_at: NOW.plus(HANDOFF_TOKEN_LIFE),
    }
}

/// A save of character 1.
pub(crate) fn save(epoch: u64, zone: &str, x: u16, y: u16) -> LocationSave {
    LocationSave {
        character_id: character_id(1),
        epoch: SessionEpoch(epoch),
        zone: zone.parse().unwrap(),
        tile: Tile { x, y },
    }
}

/// A handoff of character 1 to the harbor on `edge-a`.
pub(crate) fn handoff(number: u128, scope: HandoffScope) -> HandoffCacheRecord {
    HandoffCacheRecord {
        payload_version: PayloadVersion::CURRENT,
        token: token(number),
        account_id: account_id(1),
        claims: AccountClaims { username: "player1".to_owned() },
        login: login(),
        character_id: character_id(1),
        realm_id: dawn(),
        target_zone: "harbor".parse().unwrap(),
        target_placement: harbor(),
        target_instance: "edge-a".parse().unwrap(),
        dungeon_run_id: None,
        start_tile: None,
        transfer: None,
        redirected_from: vec![],
        expected_epoch: SessionEpoch(3),
        scope,
        expires_at: NOW.plus(HANDOFF_TOKEN_LIFE),
    }
}

pub(crate) fn harbor() -> Placement {
    "dawn/harbor".parse().unwrap()
}

pub(crate) fn on_instance(id: &str) -> HandoffScope {
    HandoffScope::Instance(id.parse().unwrap())
}

/// `edge-a` carries the harbor at port 8081, `edge-b` the ruins at 8082.
pub(crate) fn claimant(attempt: u128, instance: &str) -> HandoffClaimant {
    let (placement, port) = match instance {
        "edge-a" => ("dawn/harbor", 8081),
        _ => ("dawn/ruins", 8082),
    };
    HandoffClaimant {
        attempt_id: attempt_id(attempt),
        instance: instance.parse().unwrap(),
        placements: vec![placement.parse().unwrap()],
        port,
    }
}

pub(crate) fn presence(
    account: u128,
    character: u128,
    session_name: &str,
    epoch: u64,
) -> PresenceRecord {
    PresenceRecord {
        payload_version: PayloadVersion::CURRENT,
        account_id: account_id(account),
        character_id: character_id(character),
        session_token: session(session_name),
        epoch: SessionEpoch(epoch),
        entry: AccountEntry(epoch),
        instance: "edge-a".parse().unwrap(),
        incarnation: 1,
        placement: harbor(),
        profile: "quic-standard".to_owned(),
        expires_at: later(120),
    }
}

pub(crate) fn ledger(session_name: &str, epoch: u64) -> ResumeLedgerRecord {
    ResumeLedgerRecord {
        payload_version: PayloadVersion::CURRENT,
        session_token: session(session_name),
        ticket: token(99),
        handoff: token(98),
        account_id: account_id(1),
        claims: AccountClaims { username: "player1".to_owned() },
        login: login(),
        character_id: character_id(1),
        character_name: "Mara".to_owned(),
        epoch: SessionEpoch(epoch),
        attempt_id: attempt_id(1),
        r#try: Try::FIRST,
        instance: "edge-a".parse().unwrap(),
        incarnation: 1,
        placement: harbor(),
        tile: Tile { x: 7, y: 9 },
        phase: LedgerPhase::Pending,
        expires_at: later(120),
    }
}

/// What a session holds that has been claimed once.
pub(crate) fn first_claim() -> LedgerPhase {
    LedgerPhase::Active(LedgerClaims { generation: 1, newest: token(30), previous: None })
}

pub(crate) fn instance(id: &str, incarnation: u64) -> InstanceRecord {
    InstanceRecord {
        payload_version: PayloadVersion::CURRENT,
        id: id.parse().unwrap(),
        incarnation,
        http_url: "http://127.0.0.1:8081".to_owned(),
        internal_url: "http://10.0.0.8:8081".to_owned(),
        http_port: 8081,
        endpoints: vec![RealtimeEndpoint {
            url: "https://127.0.0.1:4433/realtime".to_owned(),
            cert_hashes: vec!["ab".repeat(32)],
            healthy: true,
        }],
        zones: vec![ZoneLoad { placement: harbor(), occupied: 2, capacity: 100 }],
        draining: false,
        expires_at: later(10),
    }
}
