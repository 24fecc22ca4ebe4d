//! The control plane as the other roles see it, and its in-process implementation.
//!
//! It owns allocation, handoff records with their markers, the registry and presence.
//! It decides expiry with its own clock, so that one clock judges a record's whole life.

use std::sync::Arc;

use async_trait::async_trait;
use shared::coordination::{
    AssignRequest, Assignment, HandoffCacheRecord, HandoffClaimant, HandoffLookup, InstanceRecord,
    PresenceRecord, TokenHash,
};
use shared::ids::{AccountId, CharacterId, SessionEpoch};
use shared::secret::SessionToken;

use crate::clock::Clock;
use crate::domain::allocation;
use crate::stores::{
    EpochWrite, HandoffStore, LegacyHandoffStore, PresenceStore, RegistryStore, StoreError,
};

/// Why the control plane gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ControlPlaneError {
    /// It, or the store behind it, cannot be reached. The outcome of a write is unknown.
    #[error("control plane unavailable: {0}")]
    Unavailable(String),
    /// A record is there that this build cannot read; nothing was changed.
    #[error("unreadable coordination record: {0}")]
    Unreadable(String),
}

impl From<StoreError> for ControlPlaneError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(error.to_string()),
            StoreError::Unreadable { .. } => Self::Unreadable(error.to_string()),
        }
    }
}

/// What the control plane answers.
pub type ControlPlaneResult<T> = Result<T, ControlPlaneError>;

/// What roles ask of the control plane.
#[async_trait]
pub trait ControlPlane: Send + Sync {
    /// `assign/game`: finds an instance for one handoff.
    async fn assign(&self, request: &AssignRequest) -> ControlPlaneResult<Assignment>;

    /// `handoffs/prepare`: stores a record, and its legacy row beside it.
    async fn prepare(&self, record: &HandoffCacheRecord) -> ControlPlaneResult<()>;

    /// `handoffs/preflight`: reads, consumes nothing.
    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup>;

    /// `handoffs/consume`: see [`HandoffStore::consume`].
    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup>;

    /// `instances`: registers an instance or renews its lease.
    async fn heartbeat(&self, record: &InstanceRecord) -> ControlPlaneResult<EpochWrite>;

    /// `instances`: takes an instance of this incarnation out.
    async fn deregister(&self, record: &InstanceRecord) -> ControlPlaneResult<()>;

    /// `instances`: those whose lease is alive, by id.
    async fn instances(&self) -> ControlPlaneResult<Vec<InstanceRecord>>;

    /// `presence`: writes by account and by character.
    async fn put_presence(&self, record: &PresenceRecord) -> ControlPlaneResult<EpochWrite>;

    /// `presence`: of one character.
    async fn presence_of_character(
        &self,
        id: CharacterId,
    ) -> ControlPlaneResult<Option<PresenceRecord>>;

    /// `presence`: removes what still belongs to this session and epoch.
    async fn remove_presence(
        &self,
        account: AccountId,
        character: CharacterId,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> ControlPlaneResult<()>;
}

/// The control plane in the same process.
pub struct InProcessControlPlane {
    /// Handoffs and markers.
    pub handoffs: Arc<dyn HandoffStore>,
    /// Legacy rows.
    pub legacy_handoffs: Arc<dyn LegacyHandoffStore>,
    /// Presence.
    pub presence: Arc<dyn PresenceStore>,
    /// The registry.
    pub registry: Arc<dyn RegistryStore>,
    /// Judges every expiry.
    pub clock: Clock,
}

#[async_trait]
impl ControlPlane for InProcessControlPlane {
    async fn assign(&self, request: &AssignRequest) -> ControlPlaneResult<Assignment> {
        let living = self.registry.instances(self.clock.now()).await?;
        Ok(allocation::assign(request, &living))
    }

    async fn prepare(&self, record: &HandoffCacheRecord) -> ControlPlaneResult<()> {
        // The row first: a cache entry without its row could not be rebuilt.
        self.legacy_handoffs.put_handoff_row(record).await?;
        self.handoffs.put_handoff(record).await?;
        Ok(())
    }

    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup> {
        Ok(self.handoffs.preflight(token, claimant, self.clock.now()).await?)
    }

    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup> {
        Ok(self.handoffs.consume(token, claimant, self.clock.now()).await?)
    }

    async fn heartbeat(&self, record: &InstanceRecord) -> ControlPlaneResult<EpochWrite> {
        Ok(self.registry.put_instance(record).await?)
    }

    async fn deregister(&self, record: &InstanceRecord) -> ControlPlaneResult<()> {
        self.registry.remove_instance(&record.id, record.incarnation).await?;
        Ok(())
    }

    async fn instances(&self) -> ControlPlaneResult<Vec<InstanceRecord>> {
        Ok(self.registry.instances(self.clock.now()).await?)
    }

    async fn put_presence(&self, record: &PresenceRecord) -> ControlPlaneResult<EpochWrite> {
        Ok(self.presence.put_presence(record, self.clock.now()).await?)
    }

    async fn presence_of_character(
        &self,
        id: CharacterId,
    ) -> ControlPlaneResult<Option<PresenceRecord>> {
        Ok(self.presence.presence_of_character(id, self.clock.now()).await?)
    }

    async fn remove_presence(
        &self,
        account: AccountId,
        character: CharacterId,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> ControlPlaneResult<()> {
        self.presence.remove_presence(account, character, session, epoch).await?;
        Ok(())
    }
}
