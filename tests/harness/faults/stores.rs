//! Every store port with a plan in front of it.

use std::sync::Arc;

use async_trait::async_trait;
use edge_server::domain::authority::{Character, EpochRaise, EpochRaised};
use edge_server::stores::postgres::PostgresStores;
use edge_server::stores::redis::RedisStores;
use edge_server::stores::sqlite::SqliteStores;
use edge_server::stores::{
    AccountCreation, AccountStore, CharacterCreation, CharacterDeletion, CharacterStore,
    CoordinationGarbage, CoordinationListing, EpochWrite, GatherOutcome, HandoffStore,
    HeldPresence, HoldStore, LegacyHandoffStore, LifecycleCounts, LifecycleJournal, LocationSave,
    LoginCreation, LoginStore, NewCharacter, Page, PageMark, PasswordChange, PresenceStore,
    RegistryStore, ResumeLedgerStore, SaveOutcome, StoreResult, StoredAccount, TransferMarkerStore,
};
use shared::account::{Account, GameEndpoint};
use shared::control_plane::HeldSession;
use shared::coordination::{
    AssignHold, HandoffCacheRecord, HandoffClaimant, HandoffLookup, InstanceRecord, PresenceRecord,
    Redirection, ResumeLedgerRecord, TokenHash, TransferActivated,
};
use shared::ids::{
    AccountId, CharacterId, InstanceId, LifecycleId, RealmId, SessionEpoch, UnixMillis,
};
use shared::lifecycle::LifecycleEntry;
use shared::realtime::command::CommandSequence;
use shared::secret::SessionToken;

use super::Plan;

/// Every port of a store family.
#[derive(Clone)]
pub struct Ports {
    /// See [`AccountStore`].
    pub accounts: Arc<dyn AccountStore>,
    /// See [`LoginStore`].
    pub logins: Arc<dyn LoginStore>,
    /// See [`CharacterStore`].
    pub characters: Arc<dyn CharacterStore>,
    /// See [`LegacyHandoffStore`].
    pub legacy_handoffs: Arc<dyn LegacyHandoffStore>,
    /// See [`HandoffStore`].
    pub handoffs: Arc<dyn HandoffStore>,
    /// See [`HoldStore`].
    pub holds: Arc<dyn HoldStore>,
    /// See [`TransferMarkerStore`].
    pub transfers: Arc<dyn TransferMarkerStore>,
    /// See [`PresenceStore`].
    pub presence: Arc<dyn PresenceStore>,
    /// See [`ResumeLedgerStore`].
    pub ledger: Arc<dyn ResumeLedgerStore>,
    /// See [`RegistryStore`].
    pub registry: Arc<dyn RegistryStore>,
    /// See [`LifecycleJournal`].
    pub journal: Arc<dyn LifecycleJournal>,
    /// See [`CoordinationGarbage`].
    pub garbage: Arc<dyn CoordinationGarbage>,
    /// See [`CoordinationListing`].
    pub listing: Arc<dyn CoordinationListing>,
}

impl Ports {
    /// The embedded family: one file has everything.
    #[must_use]
    pub fn embedded(all: &Arc<SqliteStores>) -> Self {
        Self {
            accounts: all.clone(),
            logins: all.clone(),
            characters: all.clone(),
            legacy_handoffs: all.clone(),
            handoffs: all.clone(),
            holds: all.clone(),
            transfers: all.clone(),
            presence: all.clone(),
            ledger: all.clone(),
            registry: all.clone(),
            journal: all.clone(),
            garbage: all.clone(),
            listing: all.clone(),
        }
    }

    /// The deployed family: durable data here, coordination data there.
    #[must_use]
    pub fn deployed(durable: &Arc<PostgresStores>, coordination: &Arc<RedisStores>) -> Self {
        Self {
            accounts: durable.clone(),
            logins: durable.clone(),
            characters: durable.clone(),
            legacy_handoffs: durable.clone(),
            handoffs: coordination.clone(),
            holds: coordination.clone(),
            transfers: coordination.clone(),
            presence: coordination.clone(),
            ledger: coordination.clone(),
            registry: coordination.clone(),
            journal: coordination.clone(),
            garbage: coordination.clone(),
            listing: coordination.clone(),
        }
    }
}

/// A store family behind a plan.
#[derive(Clone)]
pub struct FaultyStores {
    /// What is called.
    pub inner: Ports,
    /// What goes wrong.
    pub plan: Arc<Plan>,
}

impl FaultyStores {
    /// A family without faults.
    #[must_use]
    pub fn without_faults(inner: Ports) -> Self {
        Self { inner, plan: Arc::default() }
    }
}

#[async_trait]
impl AccountStore for FaultyStores {
    async fn create_account(
        &self,
        account: &Account,
        password_hash: &str,
        now: UnixMillis,
    ) -> StoreResult<AccountCreation> {
        let call = || self.inner.accounts.create_account(account, password_hash, now);
        self.plan.around("accounts.create_account", call).await
    }

    async fn account_by_username(&self, username: &str) -> StoreResult<Option<StoredAccount>> {
        let call = || self.inner.accounts.account_by_username(username);
        self.plan.around("accounts.account_by_username", call).await
    }

    async fn change_password(
        &self,
        account: AccountId,
        verified: &str,
        new: &str,
    ) -> StoreResult<PasswordChange> {
        let call = || self.inner.accounts.change_password(account, verified, new);
        self.plan.around("accounts.change_password", call).await
    }
}

#[async_trait]
impl LoginStore for FaultyStores {
    async fn create_login(
        &self,
        token: &TokenHash,
        account: AccountId,
        verified: &str,
        expires_at: UnixMillis,
    ) -> StoreResult<LoginCreation> {
        let call = || self.inner.logins.create_login(token, account, verified, expires_at);
        self.plan.around("logins.create_login", call).await
    }

    async fn account_of_login(
        &self,
        token: &TokenHash,
        now: UnixMillis,
    ) -> StoreResult<Option<Account>> {
        let call = || self.inner.logins.account_of_login(token, now);
        self.plan.around("logins.account_of_login", call).await
    }

    async fn delete_login(&self, token: &TokenHash) -> StoreResult<()> {
        let call = || self.inner.logins.delete_login(token);
        self.plan.around("logins.delete_login", call).await
    }

    async fn prune_logins(&self, now: UnixMillis) -> StoreResult<u64> {
        let call = || self.inner.logins.prune_logins(now);
        self.plan.around("logins.prune_logins", call).await
    }
}

#[async_trait]
impl CharacterStore for FaultyStores {
    async fn create_character(
        &self,
        character: &NewCharacter,
        now: UnixMillis,
    ) -> StoreResult<CharacterCreation> {
        let call = || self.inner.characters.create_character(character, now);
        self.plan.around("characters.create_character", call).await
    }

    async fn roster(&self, account: AccountId, realm: &RealmId) -> StoreResult<Vec<Character>> {
        let call = || self.inner.characters.roster(account, realm);
        self.plan.around("characters.roster", call).await
    }

    async fn character(&self, id: CharacterId) -> StoreResult<Option<Character>> {
        let call = || self.inner.characters.character(id);
        self.plan.around("characters.character", call).await
    }

    async fn delete_character(
        &self,
        account: AccountId,
        id: CharacterId,
        expected: SessionEpoch,
        now: UnixMillis,
    ) -> StoreResult<CharacterDeletion> {
        let call = || self.inner.characters.delete_character(account, id, expected, now);
        self.plan.around("characters.delete_character", call).await
    }

    async fn raise_epoch(&self, raise: &EpochRaise, now: UnixMillis) -> StoreResult<EpochRaised> {
        let call = || self.inner.characters.raise_epoch(raise, now);
        self.plan.around("characters.raise_epoch", call).await
    }

    async fn mark_claimed(&self, id: CharacterId, epoch: SessionEpoch) -> StoreResult<SaveOutcome> {
        let call = || self.inner.characters.mark_claimed(id, epoch);
        self.plan.around("characters.mark_claimed", call).await
    }

    async fn save_locations(&self, saves: &[LocationSave]) -> StoreResult<Vec<SaveOutcome>> {
        let call = || self.inner.characters.save_locations(saves);
        self.plan.around("characters.save_locations", call).await
    }

    async fn gather(
        &self,
        id: CharacterId,
        epoch: SessionEpoch,
        sequence: CommandSequence,
    ) -> StoreResult<GatherOutcome> {
        let call = || self.inner.characters.gather(id, epoch, sequence);
        self.plan.around("characters.gather", call).await
    }
}

#[async_trait]
impl LegacyHandoffStore for FaultyStores {
    async fn put_handoff_row(&self, record: &HandoffCacheRecord) -> StoreResult<()> {
        let call = || self.inner.legacy_handoffs.put_handoff_row(record);
        self.plan.around("legacy_handoffs.put_handoff_row", call).await
    }

    async fn move_handoff_row(&self, token: &TokenHash, to: &InstanceId) -> StoreResult<()> {
        let call = || self.inner.legacy_handoffs.move_handoff_row(token, to);
        self.plan.around("legacy_handoffs.move_handoff_row", call).await
    }

    async fn handoff_rows(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<HandoffCacheRecord>> {
        let call = || self.inner.legacy_handoffs.handoff_rows(after, now);
        self.plan.around("legacy_handoffs.handoff_rows", call).await
    }

    async fn prune_handoff_rows(&self, now: UnixMillis) -> StoreResult<u64> {
        let call = || self.inner.legacy_handoffs.prune_handoff_rows(now);
        self.plan.around("legacy_handoffs.prune_handoff_rows", call).await
    }
}

#[async_trait]
impl HandoffStore for FaultyStores {
    async fn put_handoff(&self, record: &HandoffCacheRecord) -> StoreResult<()> {
        let call = || self.inner.handoffs.put_handoff(record);
        self.plan.around("handoffs.put_handoff", call).await
    }

    async fn forgotten_handoffs(
        &self,
        tokens: &[TokenHash],
        now: UnixMillis,
    ) -> StoreResult<Vec<TokenHash>> {
        let call = || self.inner.handoffs.forgotten_handoffs(tokens, now);
        self.plan.around("handoffs.forgotten_handoffs", call).await
    }

    async fn restore_handoff(
        &self,
        record: &HandoffCacheRecord,
        now: UnixMillis,
    ) -> StoreResult<bool> {
        let call = || self.inner.handoffs.restore_handoff(record, now);
        self.plan.around("handoffs.restore_handoff", call).await
    }

    async fn end_handoff(&self, token: &TokenHash, now: UnixMillis) -> StoreResult<bool> {
        let call = || self.inner.handoffs.end_handoff(token, now);
        self.plan.around("handoffs.end_handoff", call).await
    }

    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> StoreResult<HandoffLookup> {
        let call = || self.inner.handoffs.preflight(token, claimant, now);
        self.plan.around("handoffs.preflight", call).await
    }

    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> StoreResult<HandoffLookup> {
        let call = || self.inner.handoffs.consume(token, claimant, now);
        self.plan.around("handoffs.consume", call).await
    }

    async fn redirect(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
        now: UnixMillis,
    ) -> StoreResult<Redirection> {
        let call = || self.inner.handoffs.redirect(token, claimant, to, now);
        self.plan.around("handoffs.redirect", call).await
    }
}

#[async_trait]
impl HoldStore for FaultyStores {
    async fn hold(
        &self,
        hold: &AssignHold,
        room: Option<u32>,
        now: UnixMillis,
    ) -> StoreResult<bool> {
        let call = || self.inner.holds.hold(hold, room, now);
        self.plan.around("holds.hold", call).await
    }

    async fn give_up(&self, account: AccountId) -> StoreResult<()> {
        let call = || self.inner.holds.give_up(account);
        self.plan.around("holds.give_up", call).await
    }
}

#[async_trait]
impl TransferMarkerStore for FaultyStores {
    async fn put_activated(
        &self,
        record: &TransferActivated,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let call = || self.inner.transfers.put_activated(record, now);
        self.plan.around("transfers.put_activated", call).await
    }

    async fn activated(
        &self,
        token: &TokenHash,
        now: UnixMillis,
    ) -> StoreResult<Option<TransferActivated>> {
        let call = || self.inner.transfers.activated(token, now);
        self.plan.around("transfers.activated", call).await
    }
}

#[async_trait]
impl PresenceStore for FaultyStores {
    async fn put_presence(
        &self,
        record: &PresenceRecord,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let call = || self.inner.presence.put_presence(record, now);
        self.plan.around("presence.put_presence", call).await
    }

    async fn presence_of_character(
        &self,
        id: CharacterId,
        now: UnixMillis,
    ) -> StoreResult<Option<PresenceRecord>> {
        let call = || self.inner.presence.presence_of_character(id, now);
        self.plan.around("presence.presence_of_character", call).await
    }

    async fn presence_of_account(
        &self,
        id: AccountId,
        now: UnixMillis,
    ) -> StoreResult<Option<PresenceRecord>> {
        let call = || self.inner.presence.presence_of_account(id, now);
        self.plan.around("presence.presence_of_account", call).await
    }

    async fn held_presence(
        &self,
        sessions: &[HeldSession],
        incarnation: u64,
        now: UnixMillis,
    ) -> StoreResult<HeldPresence> {
        let call = || self.inner.presence.held_presence(sessions, incarnation, now);
        self.plan.around("presence.held_presence", call).await
    }

    async fn remove_presence(
        &self,
        account: AccountId,
        character: CharacterId,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> StoreResult<bool> {
        let call = || self.inner.presence.remove_presence(account, character, session, epoch);
        self.plan.around("presence.remove_presence", call).await
    }
}

#[async_trait]
impl ResumeLedgerStore for FaultyStores {
    async fn put_ledger(
        &self,
        record: &ResumeLedgerRecord,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let call = || self.inner.ledger.put_ledger(record, now);
        self.plan.around("ledger.put_ledger", call).await
    }

    async fn ledger(
        &self,
        session: &SessionToken,
        now: UnixMillis,
    ) -> StoreResult<Option<ResumeLedgerRecord>> {
        let call = || self.inner.ledger.ledger(session, now);
        self.plan.around("ledger.ledger", call).await
    }

    async fn remove_ledger(
        &self,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> StoreResult<bool> {
        let call = || self.inner.ledger.remove_ledger(session, epoch);
        self.plan.around("ledger.remove_ledger", call).await
    }
}

#[async_trait]
impl RegistryStore for FaultyStores {
    async fn put_instance(&self, record: &InstanceRecord) -> StoreResult<EpochWrite> {
        let call = || self.inner.registry.put_instance(record);
        self.plan.around("registry.put_instance", call).await
    }

    async fn instances(&self, now: UnixMillis) -> StoreResult<Vec<InstanceRecord>> {
        let call = || self.inner.registry.instances(now);
        self.plan.around("registry.instances", call).await
    }

    async fn remove_instance(&self, id: &InstanceId, incarnation: u64) -> StoreResult<bool> {
        let call = || self.inner.registry.remove_instance(id, incarnation);
        self.plan.around("registry.remove_instance", call).await
    }
}

#[async_trait]
impl LifecycleJournal for FaultyStores {
    async fn begin_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<()> {
        let call = || self.inner.journal.begin_work(worker, entry);
        self.plan.around("journal.begin_work", call).await
    }

    async fn take_work(
        &self,
        worker: &InstanceId,
        now: UnixMillis,
    ) -> StoreResult<Option<LifecycleEntry>> {
        let call = || self.inner.journal.take_work(worker, now);
        self.plan.around("journal.take_work", call).await
    }

    async fn finish_work(&self, worker: &InstanceId, id: LifecycleId) -> StoreResult<bool> {
        let call = || self.inner.journal.finish_work(worker, id);
        self.plan.around("journal.finish_work", call).await
    }

    async fn defer_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<bool> {
        let call = || self.inner.journal.defer_work(worker, entry);
        self.plan.around("journal.defer_work", call).await
    }

    async fn bury_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<bool> {
        let call = || self.inner.journal.bury_work(worker, entry);
        self.plan.around("journal.bury_work", call).await
    }

    async fn recover_work(&self, worker: &InstanceId, now: UnixMillis) -> StoreResult<u64> {
        let call = || self.inner.journal.recover_work(worker, now);
        self.plan.around("journal.recover_work", call).await
    }

    async fn workers(&self) -> StoreResult<Vec<InstanceId>> {
        self.plan.around("journal.workers", || self.inner.journal.workers()).await
    }

    async fn dead_letters(&self, after: Option<&PageMark>) -> StoreResult<Page<LifecycleEntry>> {
        self.plan.around("journal.dead_letters", || self.inner.journal.dead_letters(after)).await
    }

    async fn requeue(&self, id: LifecycleId, now: UnixMillis) -> StoreResult<bool> {
        self.plan.around("journal.requeue", || self.inner.journal.requeue(id, now)).await
    }

    async fn lifecycle_counts(&self) -> StoreResult<LifecycleCounts> {
        self.plan.around("journal.lifecycle_counts", || self.inner.journal.lifecycle_counts()).await
    }
}

#[async_trait]
impl CoordinationGarbage for FaultyStores {
    async fn prune_coordination(&self, now: UnixMillis) -> StoreResult<u64> {
        let call = || self.inner.garbage.prune_coordination(now);
        self.plan.around("garbage.prune_coordination", call).await
    }
}

#[async_trait]
impl CoordinationListing for FaultyStores {
    async fn list_handoffs(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<HandoffCacheRecord>> {
        let call = || self.inner.listing.list_handoffs(after, now);
        self.plan.around("listing.list_handoffs", call).await
    }

    async fn list_presence(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<PresenceRecord>> {
        let call = || self.inner.listing.list_presence(after, now);
        self.plan.around("listing.list_presence", call).await
    }

    async fn list_ledger(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<ResumeLedgerRecord>> {
        let call = || self.inner.listing.list_ledger(after, now);
        self.plan.around("listing.list_ledger", call).await
    }
}
