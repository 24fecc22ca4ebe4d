//! What realtime sessions ask of the game server.

use async_trait::async_trait;
use shared::ids::{CharacterId, Placement, SessionEpoch, UnixMillis};
use shared::realtime::command::CommandSequence;
use shared::realtime::message::{ByeCode, RealtimeHello};
use shared::world::Tile;

use crate::domain::session_claims::ClaimGeneration;
use crate::domain::session_directory::PendingRealtimeSession;
use crate::flows::activate_session::{self, ActivatedSession};
use crate::flows::disconnect::{self, EndReason};
use crate::flows::lose_connection::{self, Embodied};
use crate::game::GameServer;
use crate::session_handle::SessionControl;
use crate::stores::{GatherOutcome, StoreResult};
use crate::world::zone::ZoneHandle;

/// A game server as its realtime endpoint sees it.
#[async_trait]
pub trait SessionHost: Send + Sync + 'static {
    /// Claims a session.
    ///
    /// # Errors
    /// What the client is told where the claim is refused; nothing was claimed then.
    async fn activate(&self, hello: &RealtimeHello) -> Result<ActivatedSession, ByeCode>;

    /// The client was heard on the connection of a claim.
    fn acknowledge(&self, session: &PendingRealtimeSession, claim: ClaimGeneration);

    /// The connection of a claim is lost. Returns when the claim has nothing to wait for any
    /// more, with the reason.
    async fn lose(
        &self,
        session: &PendingRealtimeSession,
        claim: ClaimGeneration,
        body: &Embodied,
        lost: EndReason,
        control: &mut SessionControl,
    ) -> EndReason;

    /// Begins the end of a claim's session; `false` where a later claim has the session, and
    /// nothing of it must be touched.
    fn begin_end(&self, session: &PendingRealtimeSession, claim: ClaimGeneration) -> bool;

    /// Ends a claimed session: saves its character's last place, if it is known, and
    /// removes what names the session. Called exactly once for each session, by the claim
    /// that has begun the end.
    async fn disconnect(
        &self,
        session: &PendingRealtimeSession,
        last: Option<Tile>,
        reason: EndReason,
    );

    /// Counts a gathered flower, once for each command of the session of this epoch.
    async fn gather(
        &self,
        character: CharacterId,
        epoch: SessionEpoch,
        sequence: CommandSequence,
    ) -> StoreResult<GatherOutcome>;

    /// The zone of a placement, if it is carried.
    fn zone(&self, placement: &Placement) -> Option<ZoneHandle>;

    /// Hands the certificates out, by their hashes, from now on.
    fn publish_certificates(&self, hashes: &[String]);

    /// Now.
    fn now(&self) -> UnixMillis;
}

#[async_trait]
impl SessionHost for GameServer {
    async fn activate(&self, hello: &RealtimeHello) -> Result<ActivatedSession, ByeCode> {
        activate_session::run(self, hello).await
    }

    fn acknowledge(&self, session: &PendingRealtimeSession, claim: ClaimGeneration) {
        self.directory().acknowledge(session, claim);
    }

    async fn lose(
        &self,
        session: &PendingRealtimeSession,
        claim: ClaimGeneration,
        body: &Embodied,
        lost: EndReason,
        control: &mut SessionControl,
    ) -> EndReason {
        lose_connection::run(self, session, claim, body, lost, control).await
    }

    fn begin_end(&self, session: &PendingRealtimeSession, claim: ClaimGeneration) -> bool {
        disconnect::begin(self, session, claim)
    }

    async fn disconnect(
        &self,
        session: &PendingRealtimeSession,
        last: Option<Tile>,
        reason: EndReason,
    ) {
        disconnect::run(self, session, last, reason).await;
    }

    async fn gather(
        &self,
        character: CharacterId,
        epoch: SessionEpoch,
        sequence: CommandSequence,
    ) -> StoreResult<GatherOutcome> {
        self.characters.gather(character, epoch, sequence).await
    }

    fn zone(&self, placement: &Placement) -> Option<ZoneHandle> {
        self.zones.get(placement).cloned()
    }

    fn publish_certificates(&self, hashes: &[String]) {
        let mut endpoints =
            self.endpoints.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        for endpoint in endpoints.iter_mut() {
            endpoint.cert_hashes = hashes.to_vec();
        }
    }

    fn now(&self) -> UnixMillis {
        self.clock.now()
    }
}
