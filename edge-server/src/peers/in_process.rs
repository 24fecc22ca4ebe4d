//! The control plane in the same process as the roles that ask it.

use std::sync::Arc;

use async_trait::async_trait;
use shared::account::GameEndpoint;
use shared::control_plane::{HeldSession, InstanceDrain};
use shared::coordination::{
    AssignHold, AssignRequest, Assignment, HandoffCacheRecord, HandoffClaimant, HandoffLookup,
    InstanceRecord, PresenceRecord, Redirection, ReleaseRequest, TokenHash, TransferActivated,
};
use shared::ids::{AccountId, CharacterId, SessionEpoch};
use shared::limits::HANDOFF_TOKEN_LIFE;
use shared::secret::SessionToken;
use shared::version::PayloadVersion;

use super::control_plane::{ControlPlane, ControlPlaneError, ControlPlaneResult, HeartbeatAnswer};
use super::session_holders::SessionHolders;
use crate::clock::Clock;
use crate::domain::allocation::{Candidates, candidates};
use crate::stores::{
    EpochWrite, HandoffStore, HeldPresence, HoldStore, LegacyHandoffStore, PresenceStore,
    RegistryStore, TransferMarkerStore,
};

/// See the module.
pub struct InProcessControlPlane {
    /// Handoffs, markers and redirects.
    pub handoffs: Arc<dyn HandoffStore>,
    /// Promises of seats.
    pub holds: Arc<dyn HoldStore>,
    /// Legacy rows.
    pub legacy_handoffs: Arc<dyn LegacyHandoffStore>,
    /// Markers of activated transfers.
    pub transfers: Arc<dyn TransferMarkerStore>,
    /// Presence.
    pub presence: Arc<dyn PresenceStore>,
    /// The registry.
    pub registry: Arc<dyn RegistryStore>,
    /// The game servers, as those who hold sessions.
    pub holders: Arc<dyn SessionHolders>,
    /// Judges every expiry.
    pub clock: Clock,
}

#[async_trait]
impl ControlPlane for InProcessControlPlane {
    async fn assign(&self, request: &AssignRequest) -> ControlPlaneResult<Assignment> {
        let now = self.clock.now();
        let living = self.registry.instances(now).await?;
        let Candidates::Carried(line) = candidates(request, &living) else {
            return Ok(Assignment::NotCarried);
        };
        for candidate in line {
            let endpoint = candidate.endpoint;
            let hold = AssignHold {
                payload_version: PayloadVersion::CURRENT,
                token: request.hold_for.clone(),
                account_id: request.account_id,
                placement: request.placement.clone(),
                instance: endpoint.instance_id.clone(),
                expires_at: now.plus(HANDOFF_TOKEN_LIFE),
            };
            let promised = self.holds.hold(&hold, candidate.room, now).await?;
            if promised {
                return Ok(Assignment::Assigned { endpoint });
            }
        }
        Ok(Assignment::Full)
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

    async fn redirect(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
    ) -> ControlPlaneResult<Redirection> {
        let answer = self.handoffs.redirect(token, claimant, to, self.clock.now()).await?;
        if let Redirection::Moved { to } = &answer {
            // So that it is rebuilt where the player has been sent. One that is not told stands
            // for the old place, and costs that player a new selection after a loss.
            if let Err(error) = self.legacy_handoffs.move_handoff_row(token, &to.instance_id).await
            {
                tracing::warn!(%error, "the row of a redirected handoff keeps its first target");
            }
        }
        Ok(answer)
    }

    async fn confirm_transfer(&self, record: &TransferActivated) -> ControlPlaneResult<EpochWrite> {
        Ok(self.transfers.put_activated(record, self.clock.now()).await?)
    }

    async fn transfer_status(
        &self,
        token: &TokenHash,
    ) -> ControlPlaneResult<Option<TransferActivated>> {
        Ok(self.transfers.activated(token, self.clock.now()).await?)
    }

    async fn release(&self, request: &ReleaseRequest) -> ControlPlaneResult<()> {
        let now = self.clock.now();
        let account = match request {
            ReleaseRequest::Character { account_id, .. }
            | ReleaseRequest::EarlierEntries { account_id, .. }
            | ReleaseRequest::Login { account_id, .. }
            | ReleaseRequest::Account { account_id } => *account_id,
        };
        if matches!(request, ReleaseRequest::Login { .. } | ReleaseRequest::Account { .. }) {
            self.holds.give_up(account).await?;
        }
        // Also where a character is asked for: what cannot be read under the account's key
        // is known before anybody raises.
        let of_account = self.presence.presence_of_account(account, now).await?;
        let presence = match request {
            ReleaseRequest::Character { character_id, .. } => {
                self.presence.presence_of_character(*character_id, now).await?
            }
            _ => of_account,
        };
        let Some(presence) = presence else { return Ok(()) };
        let living = self.registry.instances(now).await?;
        let Some(holder) = living.into_iter().find(|one| one.id == presence.instance) else {
            return Ok(());
        };
        self.holders
            .release(&holder, request)
            .await
            .map_err(|error| ControlPlaneError::Unavailable(error.to_string()))
    }

    async fn heartbeat(
        &self,
        record: &InstanceRecord,
        sessions: &[HeldSession],
    ) -> ControlPlaneResult<HeartbeatAnswer> {
        let outcome = self.registry.put_instance(record).await?;
        let now = self.clock.now();
        let looked = self.presence.held_presence(sessions, record.incarnation, now).await;
        let HeldPresence { outranked: superseded, absent } = looked.unwrap_or_else(|error| {
            tracing::warn!(%error, instance = %record.id, "its sessions were not looked up");
            HeldPresence::default()
        });
        Ok(HeartbeatAnswer { outcome, superseded, absent })
    }

    async fn deregister(&self, record: &InstanceRecord) -> ControlPlaneResult<()> {
        self.registry.remove_instance(&record.id, record.incarnation).await?;
        Ok(())
    }

    async fn drain(&self, request: &InstanceDrain) -> ControlPlaneResult<bool> {
        let living = self.registry.instances(self.clock.now()).await?;
        let Some(instance) = living.into_iter().find(|one| one.id == request.instance) else {
            return Ok(false);
        };
        let drained = self.holders.drain(&instance, request).await;
        drained.map_err(|error| ControlPlaneError::Unavailable(error.to_string()))?;
        Ok(true)
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
        let now = self.clock.now();
        let Some(presence) = self.presence.presence_of_character(id, now).await? else {
            return Ok(None);
        };
        let living = self.registry.instances(now).await?;
        let its_process = |one: &InstanceRecord| {
            one.id == presence.instance && one.incarnation == presence.incarnation
        };
        Ok(living.iter().any(its_process).then_some(presence))
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
