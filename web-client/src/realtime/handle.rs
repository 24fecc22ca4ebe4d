//! One realtime session as the connection state owns it: transport and world together.

use shared::gameplay::{RealtimeEndpoint, RealtimeSessionActivation};
use shared::realtime::command::CommandOutcome;
use shared::secret::SessionTicket;

use super::projection::WorldProjection;
use super::transport::{Transport, TransportAction, TransportEvent, TransportState};

/// Numbers the handles of one page, so that events of a dropped one are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RealtimeGeneration(pub u64);

/// Where the player's goodbye to the world leads, once the server has answered it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goodbye {
    /// Out of the account.
    #[default]
    ToLogin,
    /// To the account's characters.
    ToRoster,
}

/// A realtime session that was activated, in whatever state its transport is.
#[derive(Clone, Debug)]
pub struct RealtimeSessionHandle {
    /// Which handle this is.
    pub generation: RealtimeGeneration,
    /// What was activated.
    pub activation: RealtimeSessionActivation,
    /// The connection.
    pub transport: Transport,
    /// The world as the server shows it.
    pub world: WorldProjection,
    /// Where a goodbye leads.
    pub goodbye: Goodbye,
}

impl RealtimeSessionHandle {
    /// Applies an activation: the world is known by name, nothing of it is seen yet.
    #[must_use]
    pub fn new(
        generation: RealtimeGeneration,
        activation: RealtimeSessionActivation,
        ticket: SessionTicket,
        endpoint: RealtimeEndpoint,
    ) -> Self {
        Self {
            generation,
            transport: Transport::new(endpoint, activation.session_token.clone(), ticket),
            world: WorldProjection::new(&activation),
            activation,
            goodbye: Goodbye::default(),
        }
    }

    /// Takes an event of this handle's connection. The world listens to a live transport
    /// only, so nothing that comes before the Welcome or after the end can change it.
    pub fn apply(&mut self, event: &TransportEvent, now: f64) -> Vec<TransportAction> {
        let before = self.transport.state();
        let actions = self.transport.apply(event, now);
        if self.transport.state() == TransportState::Live {
            match event {
                TransportEvent::Welcome(welcome) if before != TransportState::Live => {
                    self.world.welcome(welcome);
                }
                TransportEvent::Snapshot(snapshot) => {
                    // Late, doubled and baseless snapshots are part of datagrams; the next
                    // one makes them good.
                    let _ = self.world.apply_snapshot(snapshot, now);
                }
                TransportEvent::Seen(seen) => self.world.seen(seen.clone()),
                TransportEvent::Gone(entity) => self.world.gone(*entity),
                TransportEvent::Died(entity) => self.world.died_or_lives(*entity, true),
                TransportEvent::Revived(entity) => self.world.died_or_lives(*entity, false),
                TransportEvent::PickedFlowers(picked) => {
                    self.world.flowers_picked(picked.iter().copied());
                }
                TransportEvent::Answered(answer) => {
                    if let CommandOutcome::Gathered { total } = answer.outcome {
                        self.world.has_gathered(total);
                    }
                }
                _ => {}
            }
        }
        actions
    }

    /// Whether the transport is live and the world contains the authoritative local player.
    #[must_use]
    pub fn has_live_player(&self) -> bool {
        self.transport.state() == TransportState::Live && self.world.local_player().is_some()
    }
}
