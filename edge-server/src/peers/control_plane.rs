//! The control plane as the other roles see it.
//!
//! It owns allocation, handoff records with their markers, the registry and presence.
//! It decides expiry with its own clock, so that one clock judges a record's whole life.

use async_trait::async_trait;
use shared::account::GameEndpoint;
use shared::control_plane::{
    HeartbeatWrite, HeldSession, InstanceDrain, RecordWrite, RecordWriteOutcome,
};
use shared::coordination::{
    AssignRequest, Assignment, HandoffCacheRecord, HandoffClaimant, HandoffLookup, InstanceRecord,
    PresenceRecord, Redirection, ReleaseRequest, TokenHash, TransferActivated,
};
use shared::ids::{AccountId, CharacterId, SessionEpoch};
use shared::secret::SessionToken;

use crate::stores::{EpochWrite, Outage, StoreError};

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

impl Outage for ControlPlaneError {
    fn may_pass(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

impl From<StoreError> for ControlPlaneError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) | StoreError::Refused(_) => {
                Self::Unavailable(error.to_string())
            }
            StoreError::Unreadable { .. } => Self::Unreadable(error.to_string()),
        }
    }
}

impl From<EpochWrite> for RecordWrite {
    fn from(write: EpochWrite) -> Self {
        Self { outcome: outcome_of(write) }
    }
}

impl From<RecordWrite> for EpochWrite {
    fn from(write: RecordWrite) -> Self {
        write_of(write.outcome)
    }
}

fn outcome_of(write: EpochWrite) -> RecordWriteOutcome {
    match write {
        EpochWrite::Written => RecordWriteOutcome::Written,
        EpochWrite::Superseded => RecordWriteOutcome::Superseded,
    }
}

fn write_of(outcome: RecordWriteOutcome) -> EpochWrite {
    match outcome {
        RecordWriteOutcome::Written => EpochWrite::Written,
        RecordWriteOutcome::Superseded => EpochWrite::Superseded,
    }
}

/// What a heartbeat came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeartbeatAnswer {
    /// Whether the instance stands in the registry.
    pub outcome: EpochWrite,
    /// Those of its sessions whose character, or account, is in the world with a later one.
    pub superseded: Vec<SessionToken>,
    /// Those that presence does not know, or knows from an earlier incarnation only.
    pub absent: Vec<SessionToken>,
}

impl From<HeartbeatAnswer> for HeartbeatWrite {
    fn from(answer: HeartbeatAnswer) -> Self {
        Self {
            outcome: outcome_of(answer.outcome),
            superseded: answer.superseded,
            absent: answer.absent,
        }
    }
}

impl From<HeartbeatWrite> for HeartbeatAnswer {
    fn from(write: HeartbeatWrite) -> Self {
        Self {
            outcome: write_of(write.outcome),
            superseded: write.superseded,
            absent: write.absent,
        }
    }
}

/// What the control plane answers.
pub type ControlPlaneResult<T> = Result<T, ControlPlaneError>;

/// What roles ask of the control plane.
#[async_trait]
pub trait ControlPlane: Send + Sync {
    /// `assign/game`: finds an instance for one handoff, and promises it a seat there.
    async fn assign(&self, request: &AssignRequest) -> ControlPlaneResult<Assignment>;

    /// `handoffs/prepare`: stores a record, and its legacy row beside it.
    async fn prepare(&self, record: &HandoffCacheRecord) -> ControlPlaneResult<()>;

    /// `handoffs/preflight`: reads, consumes nothing.
    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup>;

    /// `handoffs/consume`: see [`crate::stores::HandoffStore::consume`].
    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup>;

    /// `handoffs/redirect`: see [`crate::stores::HandoffStore::redirect`].
    async fn redirect(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
    ) -> ControlPlaneResult<Redirection>;

    /// `transfers/confirm`: the target has activated a transfer. A marker of a higher epoch
    /// is left alone.
    async fn confirm_transfer(&self, record: &TransferActivated) -> ControlPlaneResult<EpochWrite>;

    /// `transfers/status`: the marker of an activated transfer, if there is one.
    async fn transfer_status(
        &self,
        token: &TokenHash,
    ) -> ControlPlaneResult<Option<TransferActivated>>;

    /// `sessions/release`: asks the instance that holds the sessions in question to save
    /// their characters and end them, and waits a bounded time for it. Nothing is asked
    /// where presence names no instance, or one whose lease has lapsed: its sessions are
    /// fenced by the next raise.
    async fn release(&self, request: &ReleaseRequest) -> ControlPlaneResult<()>;

    /// `instances`: registers an instance or renews its lease; tells which of its sessions
    /// presence knows to be outranked, and which it does not know. Presence that does not answer costs no lease.
    async fn heartbeat(
        &self,
        record: &InstanceRecord,
        sessions: &[HeldSession],
    ) -> ControlPlaneResult<HeartbeatAnswer>;

    /// `instances`: takes an instance of this incarnation out.
    async fn deregister(&self, record: &InstanceRecord) -> ControlPlaneResult<()>;

    /// `instances/drain`: has an instance admit nobody new, or admit players again; who plays
    /// there plays on. Gives whether there is such an instance.
    async fn drain(&self, request: &InstanceDrain) -> ControlPlaneResult<bool>;

    /// `instances`: those whose lease is alive, by id.
    async fn instances(&self) -> ControlPlaneResult<Vec<InstanceRecord>>;

    /// `presence`: writes by account and by character.
    async fn put_presence(&self, record: &PresenceRecord) -> ControlPlaneResult<EpochWrite>;

    /// `presence`: of one character, as far as the process of its instance lives: a session
    /// does not outlive the lease of who serves it.
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
