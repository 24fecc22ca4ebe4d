//! What happens when the connection of a session is lost: the session becomes linkdead. Its
//! body stays in the zone and stands still, its seat and its records stay, its place is
//! committed, and it waits: for the next claim, for somebody who asks it to end, or for the
//! end of its grace, which the keeper of the instance tells it.

use shared::realtime::message::{ByeCode, EntityId};

use super::disconnect::EndReason;
use crate::domain::session_claims::ClaimGeneration;
use crate::domain::session_directory::{Loss, PendingRealtimeSession};
use crate::game::GameServer;
use crate::session_handle::SessionControl;
use crate::world::zone::ZoneHandle;

/// The body that a claim steers.
#[derive(Clone, Debug)]
pub struct Embodied {
    /// Where it is.
    pub zone: ZoneHandle,
    /// Which one.
    pub entity: EntityId,
}

/// Returns when this claim has nothing to wait for any more, with the reason: `lost` where
/// the session is not kept at all.
pub async fn run(
    game: &GameServer,
    session: &PendingRealtimeSession,
    claim: ClaimGeneration,
    body: &Embodied,
    lost: EndReason,
    control: &mut SessionControl,
) -> EndReason {
    let loss = game.directory().lose(session, claim, game.clock.now());
    match loss {
        Loss::Ends => lost,
        Loss::Drains => EndReason::Ended(ByeCode::ShuttingDown),
        Loss::Stale => EndReason::Ended(ByeCode::Superseded),
        Loss::Linkdead => {
            let token = &session.session_token;
            tracing::info!(?token, ?lost, character = %session.character.name, "linkdead");
            body.zone.detach(body.entity, claim).await;
            EndReason::Ended(control.asked_to_end().await)
        }
    }
}
