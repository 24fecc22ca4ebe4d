//! The ports: what flows may ask of a store, and nothing about how it is kept.
//!
//! Durable data (accounts, logins, characters, legacy handoff rows) and coordination data
//! (handoffs, presence, ledger, registry) are ports of their own, because a deployment
//! keeps them in two stores and no transaction spans both. Time is always handed in:
//! a record has expired when its `expires_at` says so at the caller's `now`.

mod columns;
mod found;
mod held;
pub mod keys;
mod lifecycle;
mod listing;
pub mod postgres;
pub mod redis;
mod schema;
pub mod sqlite;

use async_trait::async_trait;
use shared::account::{Account, GameEndpoint};
use shared::control_plane::HeldSession;
use shared::coordination::{
    AssignHold, HandoffCacheRecord, HandoffClaimant, HandoffLookup, InstanceRecord, PresenceRecord,
    Redirection, ResumeLedgerRecord, TokenHash, TransferActivated,
};
use shared::ids::{
    AccountId, Appearance, CharacterId, InstanceId, RealmId, SessionEpoch, UnixMillis, ZoneId,
};
use shared::realtime::command::CommandSequence;
use shared::secret::SessionToken;
use shared::world::Tile;

pub use held::HeldPresence;
pub use lifecycle::{LifecycleCounts, LifecycleJournal, UNREADABLE_PASSED_OVER, UNREADABLE_PAUSE};
pub use listing::{CoordinationListing, LISTING_PAGE, Page, PageMark};
pub use schema::NewerSchema;

use crate::domain::authority::{Character, EpochRaise, EpochRaised};

/// What a port answers.
pub type StoreResult<T> = Result<T, StoreError>;

/// Why a store did not answer. The outcome of a write that ended so is unknown.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be reached, is locked for too long, or failed inside.
    #[error("store unavailable: {0}")]
    Unavailable(String),
    /// A record is there and this build cannot read it, such as one with a payload
    /// version of the future. Nothing was changed.
    #[error("unreadable record under {key}: {reason}")]
    Unreadable {
        /// Where the record stands.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The store refuses what this build asks of it: a bug, or a schema that was changed by
    /// hand. Nothing was changed.
    #[error("store refused: {0}")]
    Refused(String),
}

/// Errors of which some end by themselves.
pub trait Outage: std::error::Error {
    /// Whether asking again makes sense: what cannot be read stays unreadable.
    fn may_pass(&self) -> bool;
}

impl Outage for StoreError {
    fn may_pass(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// An account with what a login is checked against.
#[derive(Clone)]
pub struct StoredAccount {
    /// The account.
    pub account: Account,
    /// A PHC string of argon2id.
    pub password_hash: String,
}

/// What a creation came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccountCreation {
    /// The account exists now.
    Created,
    /// Its username, in whatever case, existed before.
    UsernameTaken,
    /// Its username looks like one that existed before: `domain::names::skeleton`.
    UsernameConfusable,
}

/// What a change of password came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordChange {
    /// The new password is the account's, and every login of it has ended.
    Changed,
    /// The account has another password than the one that was verified, or is gone; nothing
    /// was changed.
    NotVerified,
}

/// Accounts.
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Creates an account; usernames are unique without regard to case, and so are their
    /// skeletons. A taken name is told before a confusable one.
    async fn create_account(
        &self,
        account: &Account,
        password_hash: &str,
        now: UnixMillis,
    ) -> StoreResult<AccountCreation>;

    /// The account of a username, without regard to case.
    async fn account_by_username(&self, username: &str) -> StoreResult<Option<StoredAccount>>;

    /// One atomic step: if `verified` is still the account's password hash, `new` takes its
    /// place and every login of the account ends.
    async fn change_password(
        &self,
        account: AccountId,
        verified: &str,
        new: &str,
    ) -> StoreResult<PasswordChange>;
}

/// What storing a login came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginCreation {
    /// The login exists now.
    Created,
    /// The account has another password than the one that was verified, or is gone; there
    /// is no login.
    NotVerified,
}

/// Logins: access tokens by their hash.
#[async_trait]
pub trait LoginStore: Send + Sync {
    /// One atomic step: stores a login if `verified` is still the account's password hash,
    /// so that a login with an old password does not outlive its change.
    async fn create_login(
        &self,
        token: &TokenHash,
        account: AccountId,
        verified: &str,
        expires_at: UnixMillis,
    ) -> StoreResult<LoginCreation>;

    /// The account of a login that has not expired.
    async fn account_of_login(
        &self,
        token: &TokenHash,
        now: UnixMillis,
    ) -> StoreResult<Option<Account>>;

    /// Ends a login; one that is not there is no error.
    async fn delete_login(&self, token: &TokenHash) -> StoreResult<()>;

    /// Removes logins that have expired; gives how many.
    async fn prune_logins(&self, now: UnixMillis) -> StoreResult<u64>;
}

/// A character to be created.
#[derive(Clone, Debug)]
pub struct NewCharacter {
    /// Its id.
    pub id: CharacterId,
    /// Whose it is.
    pub account_id: AccountId,
    /// Where it shall live.
    pub realm: RealmId,
    /// Its name; its case folded and its skeleton are unique among the living of the realm.
    pub name: String,
    /// How it looks.
    pub appearance: Appearance,
    /// Its first zone.
    pub zone: ZoneId,
    /// Its first tile.
    pub tile: Tile,
}

/// What a creation came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterCreation {
    /// The character exists now.
    Created,
    /// The realm has a character of that name, in whatever case.
    NameTaken,
    /// The realm has a character whose name looks like that: `domain::names::skeleton`.
    NameConfusable,
    /// The account has as many characters in the realm as it may.
    RosterFull,
}

/// What a deletion came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterDeletion {
    /// The character is gone, and no session of an earlier epoch can write it.
    Deleted,
    /// The account has no such character.
    NotFound,
    /// The character's epoch is no longer the expected one: somebody entered with it.
    Superseded,
}

/// A committed place of a character, written by the session that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationSave {
    /// Which character.
    pub character_id: CharacterId,
    /// The epoch of the session that writes.
    pub epoch: SessionEpoch,
    /// The zone.
    pub zone: ZoneId,
    /// The tile in it.
    pub tile: Tile,
}

/// What became of a [`LocationSave`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveOutcome {
    /// It is durable.
    Saved,
    /// The character has another epoch, or is gone: the session has lost it.
    Stale,
}

/// What a gathering came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherOutcome {
    /// One more flower is the character's, and that is durable.
    Gathered {
        /// All of its flowers, this one among them.
        total: u32,
    },
    /// The command, or a later one, has had its effect before; nothing was changed.
    Already {
        /// All of its flowers.
        total: u32,
    },
    /// The character has another epoch, or is gone: the session has lost it.
    Stale,
}

/// Characters.
#[async_trait]
pub trait CharacterStore: Send + Sync {
    /// Creates a character with epoch 0. A full roster is told before a taken name, and
    /// that before a confusable one.
    async fn create_character(
        &self,
        character: &NewCharacter,
        now: UnixMillis,
    ) -> StoreResult<CharacterCreation>;

    /// The characters of an account in a realm, oldest first.
    async fn roster(&self, account: AccountId, realm: &RealmId) -> StoreResult<Vec<Character>>;

    /// One character, whoever's it is.
    async fn character(&self, id: CharacterId) -> StoreResult<Option<Character>>;

    /// Deletes a character of `account` whose epoch is `expected`; raises the epoch, so
    /// that every session and handoff of it is stale. The name becomes free.
    async fn delete_character(
        &self,
        account: AccountId,
        id: CharacterId,
        expected: SessionEpoch,
        now: UnixMillis,
    ) -> StoreResult<CharacterDeletion>;

    /// Raises the epoch in one atomic step, if `domain::authority::judge_raise` allows it
    /// inside the transaction; writes the raise's place, if it has one, in the same
    /// statement, and makes it the account's next entry. What begins a new count of commands
    /// (`RaiseGround::continues_commands`) sets the number of the last one to none. The login
    /// of an admission is looked up in the same transaction: one that has ended or expired at
    /// `now` is [`EpochRaised::LoginEnded`], whatever the row says.
    async fn raise_epoch(&self, raise: &EpochRaise, now: UnixMillis) -> StoreResult<EpochRaised>;

    /// Notes that the session of this epoch has been claimed: its attempt is over, and no
    /// further try of it raises again. Stale as well where the account has entered since
    /// with another character: of two sessions of an account one is played.
    async fn mark_claimed(&self, id: CharacterId, epoch: SessionEpoch) -> StoreResult<SaveOutcome>;

    /// Commits places, each only if its epoch is the row's; one outcome for each, in
    /// order. Zone and tile are one value.
    async fn save_locations(&self, saves: &[LocationSave]) -> StoreResult<Vec<SaveOutcome>>;

    /// Adds a flower to what the character has gathered and notes the command that did it, in
    /// one statement, if the epoch is the row's and the number is higher than the one noted.
    async fn gather(
        &self,
        id: CharacterId,
        epoch: SessionEpoch,
        sequence: CommandSequence,
    ) -> StoreResult<GatherOutcome>;
}

/// The spec's legacy `handoff_tokens` rows, from which a cache can be rebuilt.
#[async_trait]
pub trait LegacyHandoffStore: Send + Sync {
    /// Writes the row of a prepared handoff; the same token again replaces it.
    async fn put_handoff_row(&self, record: &HandoffCacheRecord) -> StoreResult<()>;

    /// Notes that a redirect has moved the handoff of a row to an instance, so that it is
    /// rebuilt there. A row that is not there is no error.
    async fn move_handoff_row(&self, token: &TokenHash, to: &InstanceId) -> StoreResult<()>;

    /// Rows that have not expired, as the records that they were written for, but for the
    /// instances that have sent them on. One without an epoch or of another payload version
    /// could revive an authority that is gone: it is left alone, and counted.
    async fn handoff_rows(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<HandoffCacheRecord>>;

    /// Removes rows that have expired; gives how many.
    async fn prune_handoff_rows(&self, now: UnixMillis) -> StoreResult<u64>;
}

/// Prepared handoffs and their consumed markers.
#[async_trait]
pub trait HandoffStore: Send + Sync {
    /// Stores a record under its scope; the same token again, under whatever scope,
    /// replaces it.
    async fn put_handoff(&self, record: &HandoffCacheRecord) -> StoreResult<()>;

    /// Those of `tokens` that neither a record nor a consumed marker nor a redirect knows: the
    /// store has lost them, or never had them.
    async fn forgotten_handoffs(
        &self,
        tokens: &[TokenHash],
        now: UnixMillis,
    ) -> StoreResult<Vec<TokenHash>>;

    /// One atomic step: puts a record back that has not expired, if the store has
    /// [forgotten](Self::forgotten_handoffs) it; gives whether it did. What has been consumed
    /// and is still known to be, or has moved on, never comes back.
    async fn restore_handoff(
        &self,
        record: &HandoffCacheRecord,
        now: UnixMillis,
    ) -> StoreResult<bool>;

    /// One atomic step: removes the record of a token if it has expired by `now` unused, and
    /// the promise of a seat with it; gives whether it did.
    async fn end_handoff(&self, token: &TokenHash, now: UnixMillis) -> StoreResult<bool>;

    /// What consume would answer, without consuming.
    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> StoreResult<HandoffLookup>;

    /// One atomic step: check the marker, take the record under any of the claimant's
    /// scopes, write the marker, drop the promise of a seat. The same attempt at the same instance gets the same
    /// record again for as long as the marker lives; anybody else gets
    /// [`HandoffLookup::AlreadyConsumed`]. A record or marker that this build cannot read
    /// is an error and stays where it is.
    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> StoreResult<HandoffLookup>;

    /// One atomic step: moves the record that stands under one of the claimant's scopes, and
    /// the promise of a seat with it, to the instance `to`; leaves a redirect record behind.
    /// Both keep their `expires_at`. Asked again after it has worked, gives where the record
    /// has gone.
    async fn redirect(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
        now: UnixMillis,
    ) -> StoreResult<Redirection>;
}

/// Promises of seats.
#[async_trait]
pub trait HoldStore: Send + Sync {
    /// Promises a seat, if fewer than `room` promises to other accounts live at `now` for the
    /// same placement and instance; `None` is without bound. One atomic step; an earlier
    /// promise to the same account, wherever it is, is given up for it. Gives whether it
    /// stands.
    async fn hold(
        &self,
        hold: &AssignHold,
        room: Option<u32>,
        now: UnixMillis,
    ) -> StoreResult<bool>;

    /// Gives up what is promised to an account.
    async fn give_up(&self, account: AccountId) -> StoreResult<()>;
}

/// Markers of activated transfers.
#[async_trait]
pub trait TransferMarkerStore: Send + Sync {
    /// Writes the marker; one of a higher epoch is left alone.
    async fn put_activated(
        &self,
        record: &TransferActivated,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite>;

    /// The marker of a transfer's token, if it has not expired.
    async fn activated(
        &self,
        token: &TokenHash,
        now: UnixMillis,
    ) -> StoreResult<Option<TransferActivated>>;
}

/// What a write that respects epochs came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpochWrite {
    /// It stands.
    Written,
    /// A record with a higher epoch stands there; it was left alone.
    Superseded,
}

/// Presence by account and by character.
#[async_trait]
pub trait PresenceStore: Send + Sync {
    /// Writes presence under both keys in one step. A record of the same character with a
    /// higher epoch, or of the account with a higher entry, that has not expired is left
    /// alone, and then neither key is written.
    async fn put_presence(
        &self,
        record: &PresenceRecord,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite>;

    /// Presence of a character, if it has not expired.
    async fn presence_of_character(
        &self,
        id: CharacterId,
        now: UnixMillis,
    ) -> StoreResult<Option<PresenceRecord>>;

    /// Presence of an account, if it has not expired.
    async fn presence_of_account(
        &self,
        id: AccountId,
        now: UnixMillis,
    ) -> StoreResult<Option<PresenceRecord>>;

    /// How presence stands to the sessions that a process of this incarnation holds.
    async fn held_presence(
        &self,
        sessions: &[HeldSession],
        incarnation: u64,
        now: UnixMillis,
    ) -> StoreResult<HeldPresence>;

    /// Removes both keys where they still belong to this session and epoch; another
    /// session's are left alone. Gives whether any was removed.
    async fn remove_presence(
        &self,
        account: AccountId,
        character: CharacterId,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> StoreResult<bool>;
}

/// The resume ledger.
#[async_trait]
pub trait ResumeLedgerStore: Send + Sync {
    /// Writes a session; a record under the same token with a higher epoch is left alone.
    async fn put_ledger(
        &self,
        record: &ResumeLedgerRecord,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite>;

    /// The record of a session, if it has not expired.
    async fn ledger(
        &self,
        session: &SessionToken,
        now: UnixMillis,
    ) -> StoreResult<Option<ResumeLedgerRecord>>;

    /// Removes the record if it has this epoch. Gives whether it was removed.
    async fn remove_ledger(&self, session: &SessionToken, epoch: SessionEpoch)
    -> StoreResult<bool>;
}

/// The registry of game servers.
#[async_trait]
pub trait RegistryStore: Send + Sync {
    /// Registers or renews an instance; a record of a higher incarnation is left alone.
    async fn put_instance(&self, record: &InstanceRecord) -> StoreResult<EpochWrite>;

    /// Instances whose lease has not expired, by id.
    async fn instances(&self, now: UnixMillis) -> StoreResult<Vec<InstanceRecord>>;

    /// Removes an instance if it has this incarnation. Gives whether it was removed.
    async fn remove_instance(&self, id: &InstanceId, incarnation: u64) -> StoreResult<bool>;
}

/// Removal of coordination rows that expired long ago. Nothing depends on it: readers
/// judge expiry themselves.
#[async_trait]
pub trait CoordinationGarbage: Send + Sync {
    /// Removes what had expired at `now`; gives how many rows.
    async fn prune_coordination(&self, now: UnixMillis) -> StoreResult<u64>;
}
