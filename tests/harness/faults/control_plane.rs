//! The control plane with a plan in front of it, as roles see it; and the game servers, as
//! it sees them.

use std::sync::Arc;

use async_trait::async_trait;
use edge_server::peers::control_plane::{ControlPlane, ControlPlaneResult, HeartbeatAnswer};
use edge_server::peers::session_holders::{HolderUnreachable, SessionHolders};
use edge_server::stores::EpochWrite;
use shared::account::GameEndpoint;
use shared::control_plane::{HeldSession, InstanceDrain};
use shared::coordination::{
    AssignRequest, Assignment, HandoffCacheRecord, HandoffClaimant, HandoffLookup, InstanceRecord,
    PresenceRecord, Redirection, ReleaseRequest, TokenHash, TransferActivated,
};
use shared::ids::{AccountId, CharacterId, SessionEpoch};
use shared::secret::SessionToken;

use super::Plan;

/// A control plane behind a plan.
pub struct FaultyControlPlane {
    /// What is called.
    pub inner: Arc<dyn ControlPlane>,
    /// What goes wrong.
    pub plan: Arc<Plan>,
}

#[async_trait]
impl ControlPlane for FaultyControlPlane {
    async fn assign(&self, request: &AssignRequest) -> ControlPlaneResult<Assignment> {
        let call = || self.inner.assign(request);
        self.plan.around("control_plane.assign", call).await
    }

    async fn prepare(&self, record: &HandoffCacheRecord) -> ControlPlaneResult<()> {
        let call = || self.inner.prepare(record);
        self.plan.around("control_plane.prepare", call).await
    }

    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup> {
        let call = || self.inner.preflight(token, claimant);
        self.plan.around("control_plane.preflight", call).await
    }

    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup> {
        let call = || self.inner.consume(token, claimant);
        self.plan.around("control_plane.consume", call).await
    }

    async fn redirect(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
    ) -> ControlPlaneResult<Redirection> {
        let call = || self.inner.redirect(token, claimant, to);
        self.plan.around("control_plane.redirect", call).await
    }

    async fn confirm_transfer(&self, record: &TransferActivated) -> ControlPlaneResult<EpochWrite> {
        let call = || self.inner.confirm_transfer(record);
        self.plan.around("control_plane.confirm_transfer", call).await
    }

    async fn transfer_status(
        &self,
        token: &TokenHash,
    ) -> ControlPlaneResult<Option<TransferActivated>> {
        let call = || self.inner.transfer_status(token);
        self.plan.around("control_plane.transfer_status", call).await
    }

    async fn release(&self, request: &ReleaseRequest) -> ControlPlaneResult<()> {
        let call = || self.inner.release(request);
        self.plan.around("control_plane.release", call).await
    }

    async fn heartbeat(
        &self,
        record: &InstanceRecord,
        sessions: &[HeldSession],
    ) -> ControlPlaneResult<HeartbeatAnswer> {
        let call = || self.inner.heartbeat(record, sessions);
        self.plan.around("control_plane.heartbeat", call).await
    }

    async fn drain(&self, request: &InstanceDrain) -> ControlPlaneResult<bool> {
        self.plan.around("control_plane.drain", || self.inner.drain(request)).await
    }

    async fn deregister(&self, record: &InstanceRecord) -> ControlPlaneResult<()> {
        let call = || self.inner.deregister(record);
        self.plan.around("control_plane.deregister", call).await
    }

    async fn instances(&self) -> ControlPlaneResult<Vec<InstanceRecord>> {
        let call = || self.inner.instances();
        self.plan.around("control_plane.instances", call).await
    }

    async fn put_presence(&self, record: &PresenceRecord) -> ControlPlaneResult<EpochWrite> {
        let call = || self.inner.put_presence(record);
        self.plan.around("control_plane.put_presence", call).await
    }

    async fn presence_of_character(
        &self,
        id: CharacterId,
    ) -> ControlPlaneResult<Option<PresenceRecord>> {
        let call = || self.inner.presence_of_character(id);
        self.plan.around("control_plane.presence_of_character", call).await
    }

    async fn remove_presence(
        &self,
        account: AccountId,
        character: CharacterId,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> ControlPlaneResult<()> {
        let call = || self.inner.remove_presence(account, character, session, epoch);
        self.plan.around("control_plane.remove_presence", call).await
    }
}

/// Game servers behind a plan, as the control plane reaches them.
pub struct FaultyHolders {
    /// What is called.
    pub inner: Arc<dyn SessionHolders>,
    /// What goes wrong.
    pub plan: Arc<Plan>,
}

#[async_trait]
impl SessionHolders for FaultyHolders {
    async fn release(
        &self,
        instance: &InstanceRecord,
        request: &ReleaseRequest,
    ) -> Result<(), HolderUnreachable> {
        let call = || self.inner.release(instance, request);
        self.plan.around("holders.release", call).await
    }

    async fn drain(
        &self,
        instance: &InstanceRecord,
        request: &InstanceDrain,
    ) -> Result<(), HolderUnreachable> {
        let call = || self.inner.drain(instance, request);
        self.plan.around("holders.drain", call).await
    }
}
