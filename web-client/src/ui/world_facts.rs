//! What the world's root element says of the session, from the authoritative projection
//! and never from prediction.

use std::collections::BTreeSet;

use shared::world::Tile;

use crate::connection::MultiplayerConnectionState;
use crate::realtime::transport::TransportState;

/// The facts that the page shows as `data-` attributes and in the HUD. They change far
/// less often than snapshots arrive, and only a change makes the page render.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldFacts {
    /// Slug of the zone.
    pub zone: String,
    /// The instance that serves it.
    pub instance: String,
    /// Health of the transport; none without a session.
    pub transport: Option<TransportState>,
    /// The tile of the authoritative local player.
    pub tile: Option<Tile>,
    /// Players in view, oneself among them.
    pub players: usize,
    /// Flowers that the character has gathered.
    pub gathered: u32,
    /// Flowers of the map that do not glow, by their index.
    pub picked_flowers: BTreeSet<u16>,
    /// Dials since the connection was lost; 0 while it is there.
    pub reconnect_attempt: u32,
    /// Whether the character is dead.
    pub dead: bool,
    /// One's own name.
    pub name: String,
    /// One's own appearance.
    pub appearance: String,
    /// Whether the world may be shown.
    pub ready: bool,
}

impl WorldFacts {
    /// Reads the facts.
    #[must_use]
    pub fn of(state: &MultiplayerConnectionState) -> Self {
        let Some(handle) = &state.realtime else { return Self::default() };
        let character = &handle.activation.character;
        Self {
            zone: handle.world.zone().to_string(),
            instance: handle.world.instance().to_string(),
            transport: Some(handle.transport.state()),
            tile: handle.world.local_tile(),
            players: handle.world.players_in_view(),
            gathered: handle.world.gathered(),
            picked_flowers: handle.world.picked_flowers().clone(),
            reconnect_attempt: handle.transport.reconnect_attempt(),
            dead: handle.world.own_is_dead(),
            name: character.name.clone(),
            appearance: character.appearance.to_string(),
            ready: state.world_entry_ready(),
        }
    }

    /// The transport's state in the spec's word.
    #[must_use]
    pub fn transport_text(&self) -> &'static str {
        self.transport.map_or("", TransportState::as_str)
    }

    /// The tile as `x,y`; empty before the first snapshot.
    #[must_use]
    pub fn tile_text(&self) -> String {
        self.tile.map(|tile| tile.to_string()).unwrap_or_default()
    }
}
