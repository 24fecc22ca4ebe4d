//! What happens in a zone: who is in it, where everybody walks, who sees whom. What players
//! do besides is in [`deeds`].
//!
//! A value that is told what came in and is asked to tick. It knows no clock, no channel
//! and no store, so it can be tested tick by tick and cannot fail.

pub mod deeds;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::ids::{Appearance, CharacterId, SessionEpoch};
use shared::limits::TICK_HZ;
use shared::realtime::message::{EntityId, InputPacket, Seen, ServerMessage};
use shared::realtime::snapshot::{Snapshot, SnapshotSender, View};
use shared::world::Tile;
use shared::world::map::ZoneMap;
use shared::world::movement::{Body, step};

use super::flowers::Flowers;
use super::input_queue::InputQueue;
use super::interest::in_view;
use super::zone::Joined;

/// Ticks without any input after which a body stops looking as if it walked. It is half a
/// second: longer than the network's hiccups, shorter than it takes to look odd.
pub const STANDS_AFTER_TICKS: u32 = TICK_HZ / 2;

/// A player that enters.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The character.
    pub character_id: CharacterId,
    /// The epoch of its session.
    pub epoch: SessionEpoch,
    /// Its name.
    pub name: String,
    /// How it looks.
    pub appearance: Appearance,
    /// Where it was committed last.
    pub tile: Tile,
}

/// Where a character stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The character.
    pub character_id: CharacterId,
    /// The epoch of its session.
    pub epoch: SessionEpoch,
    /// Its tile.
    pub tile: Tile,
}

/// What is to be sent to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A control message; each one, in order.
    Message {
        /// To whom.
        to: EntityId,
        /// What.
        message: ServerMessage,
    },
    /// A snapshot; only the newest matters.
    Snapshot {
        /// To whom.
        to: EntityId,
        /// What.
        snapshot: Snapshot,
    },
}

impl Output {
    /// To whom it goes.
    #[must_use]
    pub fn to(&self) -> EntityId {
        match self {
            Self::Message { to, .. } | Self::Snapshot { to, .. } => *to,
        }
    }
}

#[derive(Debug)]
struct Player {
    character_id: CharacterId,
    epoch: SessionEpoch,
    name: String,
    appearance: Appearance,
    body: Body,
    inputs: InputQueue,
    ticks_without_input: u32,
    snapshots: SnapshotSender,
    /// Bodies that this player has been told the name of.
    met: BTreeSet<EntityId>,
    /// The tile that the store has, or is about to have.
    saved: Tile,
    dead: bool,
    /// The version of the flowers that the player's connection was told; 0 for none.
    told_flowers: u64,
}

/// A zone.
#[derive(Debug)]
pub struct ZoneState {
    map: Arc<ZoneMap>,
    tick: u32,
    next_entity: u32,
    players: BTreeMap<EntityId, Player>,
    flowers: Flowers,
}

impl ZoneState {
    /// An empty zone.
    #[must_use]
    pub fn new(map: Arc<ZoneMap>) -> Self {
        Self { map, tick: 0, next_entity: 1, players: BTreeMap::new(), flowers: Flowers::new() }
    }

    /// Lets a player in: in the body that its session has here, or in a new one. Either way
    /// the player knows nothing yet, so what it must know is told from here on.
    pub fn join(&mut self, arrival: Arrival) -> Joined {
        let entity = match self.body_of(arrival.character_id) {
            Some((entity, epoch)) if epoch == arrival.epoch => entity,
            _ => self.embody(arrival),
        };
        let player = self.players.get_mut(&entity).expect("who joins has a body");
        player.connect_anew();
        Joined { entity, tick: self.tick, position: player.body.position }
    }

    /// Puts a new body at the committed tile, or where the map now puts it.
    fn embody(&mut self, arrival: Arrival) -> EntityId {
        let entity = EntityId(self.next_entity);
        self.next_entity += 1;
        let position = self.map.standing_place(arrival.tile);
        let player = Player {
            character_id: arrival.character_id,
            epoch: arrival.epoch,
            name: arrival.name,
            appearance: arrival.appearance,
            body: Body::standing(position),
            inputs: InputQueue::default(),
            ticks_without_input: 0,
            snapshots: SnapshotSender::default(),
            met: BTreeSet::new(),
            saved: arrival.tile,
            dead: false,
            told_flowers: 0,
        };
        self.players.insert(entity, player);
        entity
    }

    /// Nobody steers a body any more: it stands where it is, and what it had still to walk
    /// is forgotten.
    pub fn let_stand(&mut self, entity: EntityId) {
        if let Some(player) = self.players.get_mut(&entity) {
            player.inputs = InputQueue::default();
            player.body.walking = false;
        }
    }

    /// Takes in what a player sent; from somebody who is not here it is passed over.
    pub fn input(&mut self, entity: EntityId, packet: &InputPacket) {
        if let Some(player) = self.players.get_mut(&entity) {
            player.inputs.push(packet);
            if let Some(tick) = packet.acked_tick {
                player.snapshots.acknowledge(tick);
            }
        }
    }

    /// Takes a player out and tells those who have met it.
    pub fn leave(&mut self, entity: EntityId) -> Option<(Departure, Vec<Output>)> {
        let gone = self.players.remove(&entity)?;
        let mut outputs = Vec::new();
        for (to, player) in &mut self.players {
            if player.met.remove(&entity) {
                let message = ServerMessage::Gone(entity);
                outputs.push(Output::Message { to: *to, message });
            }
        }
        Some((gone.place(), outputs))
    }

    /// One step of the simulation: everybody walks, then everybody looks, then dies who has
    /// walked onto a hazard, so that everybody who hears of it knows of whom.
    pub fn tick(&mut self) -> Vec<Output> {
        self.tick += 1;
        self.flowers.regrow(self.tick);
        for player in self.players.values_mut() {
            player.walk(&self.map);
        }
        // Every pair is looked at. A zone of its greatest capacity has 250,000, which is
        // under a millisecond; a grid would have to be kept in step with every walk.
        let everybody: Vec<(EntityId, Body)> =
            self.players.iter().map(|(entity, player)| (*entity, player.body)).collect();
        let mut outputs = Vec::new();
        for (own, body) in &everybody {
            let view: View = everybody
                .iter()
                .filter(|(_, other)| in_view(body.position, other.position))
                .copied()
                .collect();
            outputs.extend(self.introduce(*own, &view));
            if let Some(player) = self.players.get_mut(own) {
                let acked = player.inputs.acked();
                let snapshot = player.snapshots.encode(self.tick, acked, *own, &view);
                outputs.push(Output::Snapshot { to: *own, snapshot });
            }
        }
        outputs.extend(self.die());
        outputs.extend(self.tell_flowers());
        outputs
    }

    /// Names for `to` whoever it sees for the first time.
    fn introduce(&mut self, to: EntityId, view: &View) -> Vec<Output> {
        let Some(player) = self.players.get_mut(&to) else { return Vec::new() };
        let new: Vec<EntityId> =
            view.keys().copied().filter(|entity| player.met.insert(*entity)).collect();
        let seen = |entity: EntityId| {
            let stranger = self.players.get(&entity)?;
            let (name, appearance) = (stranger.name.clone(), stranger.appearance.clone());
            let dead = stranger.dead;
            let message = ServerMessage::Seen(Seen { entity, name, appearance, dead });
            Some(Output::Message { to, message })
        };
        new.into_iter().filter_map(seen).collect()
    }

    /// The body and the epoch of a character that is here.
    #[must_use]
    pub fn body_of(&self, character: CharacterId) -> Option<(EntityId, SessionEpoch)> {
        let mut all = self.players.iter();
        let (entity, player) = all.find(|(_, player)| player.character_id == character)?;
        Some((*entity, player.epoch))
    }

    /// Whether nobody is here.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// Places that have changed since they were last marked as saved.
    #[must_use]
    pub fn unsaved(&self) -> Vec<Departure> {
        let changed = self.players.values().filter(|p| p.body.position.tile() != p.saved);
        changed.map(Player::place).collect()
    }

    /// Notes that everybody's place now is on its way to the store.
    pub fn mark_saved(&mut self) {
        for player in self.players.values_mut() {
            player.saved = player.body.position.tile();
        }
    }
}

impl Player {
    /// Forgets what belonged to an earlier connection. The rest is the session's, and stays.
    fn connect_anew(&mut self) {
        self.inputs = InputQueue::default();
        self.ticks_without_input = 0;
        self.snapshots = SnapshotSender::default();
        self.met.clear();
        self.told_flowers = 0;
    }

    fn walk(&mut self, map: &ZoneMap) {
        let mut walked = false;
        for input in self.inputs.take_tick() {
            // Of the dead an input is acknowledged all the same: its client waits for that.
            if !self.dead {
                self.body = step(map, self.body, input);
                walked = true;
            }
        }
        self.ticks_without_input = if walked { 0 } else { self.ticks_without_input + 1 };
        if self.ticks_without_input >= STANDS_AFTER_TICKS {
            // Only how it looks: where it stands and which way it faces, and so every
            // later step, stay what the client predicts from.
            self.body.walking = false;
        }
    }

    fn place(&self) -> Departure {
        let tile = self.body.position.tile();
        Departure { character_id: self.character_id, epoch: self.epoch, tile }
    }
}

#[cfg(test)]
#[path = "simulation_tests.rs"]
mod tests;
