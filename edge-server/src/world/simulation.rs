//! What happens in a zone: who is in it, where everybody walks, who sees whom.
//!
//! A value that is told what came in and is asked to tick. It knows no clock, no channel
//! and no store, so it can be tested tick by tick and cannot fail.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use shared::ids::{Appearance, CharacterId, SessionEpoch};
use shared::limits::TICK_HZ;
use shared::realtime::message::{EntityId, InputPacket, Seen, ServerMessage};
use shared::realtime::snapshot::{Snapshot, SnapshotSender, View};
use shared::world::Tile;
use shared::world::map::ZoneMap;
use shared::world::movement::{Body, step};

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
}

/// A zone.
#[derive(Debug)]
pub struct ZoneState {
    map: Arc<ZoneMap>,
    tick: u32,
    next_entity: u32,
    players: BTreeMap<EntityId, Player>,
}

impl ZoneState {
    /// An empty zone.
    #[must_use]
    pub fn new(map: Arc<ZoneMap>) -> Self {
        Self { map, tick: 0, next_entity: 1, players: BTreeMap::new() }
    }

    /// Lets a player in, at its committed tile or where the map now puts it.
    pub fn join(&mut self, arrival: Arrival) -> Joined {
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
        };
        self.players.insert(entity, player);
        Joined { entity, tick: self.tick, position }
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

    /// One step of the simulation: everybody walks, then everybody looks.
    pub fn tick(&mut self) -> Vec<Output> {
        self.tick += 1;
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
            let message = ServerMessage::Seen(Seen { entity, name, appearance });
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
    fn walk(&mut self, map: &ZoneMap) {
        let mut walked = false;
        for input in self.inputs.take_tick() {
            self.body = step(map, self.body, input);
            walked = true;
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
mod tests {
    use proptest::prelude::*;
    use shared::limits::VIEW_RADIUS_TILES;
    use shared::realtime::snapshot::SnapshotReceiver;
    use shared::world::map::test_map::draw;
    use shared::world::movement::MoveInput;
    use uuid::Uuid;

    use super::*;

    fn field() -> ZoneState {
        let edge = "#".repeat(80);
        let inner = format!("#@{}#", ".".repeat(77));
        let row = format!("#{}#", ".".repeat(78));
        ZoneState::new(Arc::new(draw(&[&edge, &inner, &row, &row, &edge])))
    }

    fn arrival(number: u128, tile: Tile) -> Arrival {
        Arrival {
            character_id: CharacterId::new(Uuid::from_u128(number)),
            epoch: SessionEpoch(1),
            name: format!("Player {number}"),
            appearance: Appearance::default(),
            tile,
        }
    }

    fn right(newest: u32, count: usize) -> InputPacket {
        InputPacket { acked_tick: None, newest, inputs: vec![MoveInput::towards(1, 0); count] }
    }

    fn messages(outputs: &[Output], wanted: EntityId) -> Vec<ServerMessage> {
        let of = |output: &Output| match output {
            Output::Message { to, message } if *to == wanted => Some(message.clone()),
            _ => None,
        };
        outputs.iter().filter_map(of).collect()
    }

    fn snapshot(outputs: &[Output], wanted: EntityId) -> Snapshot {
        let of = |output: &Output| match output {
            Output::Snapshot { to, snapshot } if *to == wanted => Some(snapshot.clone()),
            _ => None,
        };
        outputs.iter().find_map(of).unwrap()
    }

    fn seen(entity: EntityId, number: u128) -> ServerMessage {
        let (name, appearance) = (format!("Player {number}"), Appearance::default());
        ServerMessage::Seen(Seen { entity, name, appearance })
    }

    #[test]
    fn bodies_are_numbered_from_one_and_never_again() {
        let mut zone = field();
        let first = zone.join(arrival(1, Tile { x: 1, y: 1 }));
        assert_eq!(first.entity, EntityId(1));
        zone.leave(first.entity).unwrap();
        assert_eq!(zone.join(arrival(1, Tile { x: 1, y: 1 })).entity, EntityId(2));
        assert!(zone.leave(first.entity).is_none());
    }

    #[test]
    fn who_stands_in_a_new_wall_joins_at_the_spawn_and_is_saved_there() {
        let mut zone = field();
        let joined = zone.join(arrival(1, Tile { x: 0, y: 0 }));
        assert_eq!(joined.position.tile(), Tile { x: 1, y: 1 });
        assert_eq!(zone.unsaved().len(), 1);
        zone.mark_saved();
        assert_eq!(zone.unsaved(), []);
    }

    #[test]
    fn a_body_is_introduced_once_and_its_leaving_told_once() {
        let mut zone = field();
        let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
        let two = zone.join(arrival(2, Tile { x: 5, y: 1 })).entity;
        let outputs = zone.tick();
        assert_eq!(messages(&outputs, one), [seen(one, 1), seen(two, 2)]);
        assert_eq!(messages(&outputs, two), [seen(one, 1), seen(two, 2)]);
        assert_eq!(messages(&zone.tick(), one), []);
        let (place, outputs) = zone.leave(two).unwrap();
        assert_eq!(place.tile, Tile { x: 5, y: 1 });
        assert_eq!(messages(&outputs, one), [ServerMessage::Gone(two)]);
        assert_eq!(messages(&zone.tick(), one), []);
        assert_eq!(snapshot(&zone.tick(), one).changed.len(), 1);
    }

    #[test]
    fn a_far_body_is_neither_introduced_nor_shown_until_it_comes_near() {
        let far = u16::try_from(VIEW_RADIUS_TILES).unwrap() + 2;
        let mut zone = field();
        let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
        let two = zone.join(arrival(2, Tile { x: 1 + far, y: 1 })).entity;
        let outputs = zone.tick();
        assert_eq!(messages(&outputs, one), [seen(one, 1)]);
        assert_eq!(snapshot(&outputs, one).changed.len(), 1);
        let mut met = false;
        for tick in 1..=20 {
            zone.input(one, &right(tick, 1));
            met |= messages(&zone.tick(), one).contains(&seen(two, 2));
        }
        assert!(met);
        let (_, outputs) = zone.leave(one).unwrap();
        assert_eq!(messages(&outputs, two), [ServerMessage::Gone(one)]);
    }

    #[test]
    fn snapshots_acknowledge_inputs_as_they_are_walked() {
        let mut zone = field();
        let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
        assert_eq!(snapshot(&zone.tick(), one).acked_input, 0);
        zone.input(one, &right(2, 2));
        assert_eq!(snapshot(&zone.tick(), one).acked_input, 1);
        assert_eq!(snapshot(&zone.tick(), one).acked_input, 2);
        assert_eq!(snapshot(&zone.tick(), one).acked_input, 2);
    }

    #[test]
    fn a_body_whose_client_falls_silent_soon_stops_walking_on_the_spot() {
        let mut zone = field();
        let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
        zone.input(one, &right(1, 1));
        zone.tick();
        let walked = zone.players[&one].body;
        assert!(walked.walking);
        for _ in 0..STANDS_AFTER_TICKS {
            zone.tick();
        }
        assert_eq!(zone.players[&one].body, Body { walking: false, ..walked });
    }

    #[test]
    fn an_acknowledged_snapshot_is_the_next_ones_baseline() {
        let mut zone = field();
        let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
        assert_eq!(snapshot(&zone.tick(), one).baseline, None);
        zone.input(one, &InputPacket { acked_tick: Some(1), newest: 0, inputs: Vec::new() });
        assert_eq!(snapshot(&zone.tick(), one).baseline, Some(1));
    }

    proptest! {
        /// A client that replays its unacknowledged inputs over each snapshot ends where
        /// the server ends, however its packets are lost and delayed, as long as no more
        /// than the queue holds is under way.
        #[test]
        fn prediction_meets_authority(
            ways in prop::collection::vec((-1..=1i32, -1..=1i32), 1..120),
            arrives in prop::collection::vec(any::<bool>(), 120),
        ) {
            let mut zone = field();
            let map = zone.map.clone();
            let joined = zone.join(arrival(1, Tile { x: 3, y: 2 }));
            let (one, mut receiver) = (joined.entity, SnapshotReceiver::default());
            let mut unacked: Vec<(u32, MoveInput)> = Vec::new();
            let mut predicted = Body::standing(joined.position);
            for (i, (x, y)) in ways.iter().enumerate() {
                let sequence = u32::try_from(i).unwrap() + 1;
                let input = MoveInput::towards(*x, *y);
                unacked.push((sequence, input));
                predicted = step(&map, predicted, input);
                // At most a few in a row are lost, or the queue drops some for good.
                if arrives[i] || i % 4 == 0 {
                    let inputs: Vec<_> =
                        unacked.iter().rev().take(6).rev().map(|(_, input)| *input).collect();
                    let acked_tick = receiver.acked_tick();
                    zone.input(one, &InputPacket { acked_tick, newest: sequence, inputs });
                }
                let snapshot = snapshot(&zone.tick(), one);
                let authority = receiver.apply(&snapshot).unwrap()[&one];
                unacked.retain(|(sequence, _)| *sequence > snapshot.acked_input);
                let replayed =
                    unacked.iter().fold(authority, |body, (_, input)| step(&map, body, *input));
                prop_assert_eq!(replayed.position, predicted.position);
            }
        }
    }
}
