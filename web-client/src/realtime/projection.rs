//! The world as the server shows it: who is in view, where, and which body is one's own.
//! Never touched by prediction; what screens and tests call authoritative comes from here.

use std::collections::{BTreeMap, BTreeSet};

use shared::gameplay::RealtimeSessionActivation;
use shared::ids::{InstanceId, Placement, ZoneId};
use shared::realtime::message::{EntityId, Seen, Welcome};
use shared::realtime::snapshot::{NotApplied, Snapshot, SnapshotReceiver};
use shared::world::Tile;
use shared::world::movement::Body;

use super::interpolation::{Interpolation, RenderedBody};

/// The authoritative local player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalPlayer {
    /// Its body's number.
    pub entity: EntityId,
    /// Its body in the newest snapshot.
    pub body: Body,
    /// The newest input that this body includes; 0 for none.
    pub acked_input: u32,
}

/// The authoritative view of one session.
#[derive(Clone, Debug)]
pub struct WorldProjection {
    placement: Placement,
    instance: InstanceId,
    own: Option<EntityId>,
    acked_input: u32,
    receiver: SnapshotReceiver,
    people: BTreeMap<EntityId, Seen>,
    /// Bodies that are dead.
    dead: BTreeSet<EntityId>,
    /// Indices of the map's flowers that do not glow.
    picked_flowers: BTreeSet<u16>,
    /// Flowers that the character has gathered.
    gathered: u32,
    /// Bodies that have left the zone but that late snapshots may still show.
    gone: BTreeSet<EntityId>,
    interpolation: Interpolation,
}

impl WorldProjection {
    /// The world that an activation names, with nobody in it yet.
    #[must_use]
    pub fn new(activation: &RealtimeSessionActivation) -> Self {
        Self {
            placement: activation.placement.clone(),
            instance: activation.instance_id.clone(),
            own: None,
            acked_input: 0,
            receiver: SnapshotReceiver::default(),
            people: BTreeMap::new(),
            dead: BTreeSet::new(),
            picked_flowers: BTreeSet::new(),
            gathered: activation.character.gathered,
            gone: BTreeSet::new(),
            interpolation: Interpolation::default(),
        }
    }

    /// Learns which body is one's own. Seeing it is left to the first snapshot: a Welcome
    /// promises a place, a snapshot shows it.
    ///
    /// After a reconnect the last view stays until the first snapshot replaces it; bodies that
    /// have left meanwhile go with it.
    pub fn welcome(&mut self, welcome: &Welcome) {
        self.own = Some(welcome.entity);
        // Inputs are numbered anew on each connection.
        self.acked_input = 0;
        self.placement = welcome.placement.clone();
        self.has_gathered(welcome.gathered);
    }

    /// Takes a snapshot that arrived at `now`.
    ///
    /// # Errors
    /// [`NotApplied`] for one that is late or lacks its baseline; the view stays as it was.
    pub fn apply_snapshot(&mut self, snapshot: &Snapshot, now: f64) -> Result<(), NotApplied> {
        let view = self.receiver.apply(snapshot)?;
        self.acked_input = self.acked_input.max(snapshot.acked_input);
        self.gone.retain(|entity| view.contains_key(entity));
        self.interpolation.push(snapshot.tick, view.clone(), now);
        Ok(())
    }

    /// Learns who a body is.
    pub fn seen(&mut self, seen: Seen) {
        self.died_or_lives(seen.entity, seen.dead);
        self.people.insert(seen.entity, seen);
    }

    /// Learns that a body has died, or lives again.
    pub fn died_or_lives(&mut self, entity: EntityId, dead: bool) {
        if dead {
            self.dead.insert(entity);
        } else {
            self.dead.remove(&entity);
        }
    }

    /// Learns which flowers do not glow; all others do.
    pub fn flowers_picked(&mut self, picked: impl IntoIterator<Item = u16>) {
        self.picked_flowers = picked.into_iter().collect();
    }

    /// Learns how many flowers the character has gathered.
    pub fn has_gathered(&mut self, total: u32) {
        self.gathered = self.gathered.max(total);
    }

    /// Forgets a body that has left the zone.
    pub fn gone(&mut self, entity: EntityId) {
        self.people.remove(&entity);
        self.dead.remove(&entity);
        if self.receiver.view().is_some_and(|view| view.contains_key(&entity)) {
            self.gone.insert(entity);
        }
    }

    /// The zone.
    #[must_use]
    pub fn zone(&self) -> &ZoneId {
        &self.placement.zone
    }

    /// Notes who serves it now: a session may go on at another instance.
    pub fn is_served_by(&mut self, instance: &InstanceId) {
        self.instance.clone_from(instance);
    }

    /// The instance that serves it.
    #[must_use]
    pub fn instance(&self) -> &InstanceId {
        &self.instance
    }

    /// One's own body, once a snapshot has shown it.
    #[must_use]
    pub fn local_player(&self) -> Option<LocalPlayer> {
        let entity = self.own?;
        let body = *self.receiver.view()?.get(&entity)?;
        Some(LocalPlayer { entity, body, acked_input: self.acked_input })
    }

    /// The tile of one's own body.
    #[must_use]
    pub fn local_tile(&self) -> Option<Tile> {
        self.local_player().map(|player| player.body.position.tile())
    }

    /// How many players are in view, oneself among them.
    #[must_use]
    pub fn players_in_view(&self) -> usize {
        self.bodies().count()
    }

    /// The bodies of the newest snapshot, one's own among them.
    pub fn bodies(&self) -> impl Iterator<Item = (EntityId, &Body)> {
        self.receiver
            .view()
            .into_iter()
            .flatten()
            .filter(|(entity, _)| !self.gone.contains(entity))
            .map(|(entity, body)| (*entity, body))
    }

    /// Who a body is, where the server has said so.
    #[must_use]
    pub fn person(&self, entity: EntityId) -> Option<&Seen> {
        self.people.get(&entity)
    }

    /// Tick of the newest applied snapshot, to be acknowledged with the next inputs.
    #[must_use]
    pub fn acked_tick(&self) -> Option<u32> {
        self.receiver.acked_tick()
    }

    /// Whether a body is the player's own.
    #[must_use]
    pub fn is_own(&self, entity: EntityId) -> bool {
        self.own == Some(entity)
    }

    /// One's own body, once the server has told which it is.
    #[must_use]
    pub fn own_entity(&self) -> Option<EntityId> {
        self.own
    }

    /// Whether a body is dead.
    #[must_use]
    pub fn is_dead(&self, entity: EntityId) -> bool {
        self.dead.contains(&entity)
    }

    /// Whether the player's own body is dead.
    #[must_use]
    pub fn own_is_dead(&self) -> bool {
        self.own.is_some_and(|own| self.is_dead(own))
    }

    /// The flowers that have been picked, by their index in the map; all others glow.
    #[must_use]
    pub fn picked_flowers(&self) -> &BTreeSet<u16> {
        &self.picked_flowers
    }

    /// Flowers that the character has gathered.
    #[must_use]
    pub fn gathered(&self) -> u32 {
        self.gathered
    }

    /// The bodies of others as they are to be drawn at `now`, a little in the past and
    /// moving smoothly. One's own is drawn from [`Prediction`](super::prediction).
    #[must_use]
    pub fn render(&self, now: f64) -> Vec<RenderedBody> {
        self.interpolation
            .render(now)
            .into_iter()
            .filter(|body| Some(body.entity) != self.own && !self.gone.contains(&body.entity))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use shared::world::{Facing, Position, SUBTILE};

    use super::*;
    use crate::connection::fixtures::{OWN, activation, snapshot_with, welcome};

    const OTHER: EntityId = EntityId(8);

    fn world() -> WorldProjection {
        let mut world = WorldProjection::new(&activation());
        world.welcome(&welcome());
        world
    }

    fn seen(entity: EntityId, name: &str) -> Seen {
        Seen { entity, name: name.to_owned(), appearance: Default::default(), dead: false }
    }

    #[test]
    fn a_welcome_alone_shows_nobody() {
        let world = world();
        assert_eq!((world.local_player(), world.players_in_view()), (None, 0));
        assert_eq!((world.zone().as_str(), world.instance().as_str()), ("harbor", "edge-1"));
        assert!(world.render(1_000.0).is_empty());
    }

    #[test]
    fn snapshots_show_the_local_player_and_others() {
        let mut world = world();
        let snapshot = Snapshot { acked_input: 4, ..snapshot_with(101, &[OWN, OTHER]) };
        world.apply_snapshot(&snapshot, 1_000.0).unwrap();
        world.seen(seen(OTHER, "Bert"));
        let player = world.local_player().unwrap();
        assert_eq!((player.entity, player.acked_input), (OWN, 4));
        assert_eq!(world.local_tile(), Some(activation().tile));
        assert_eq!((world.players_in_view(), world.acked_tick()), (2, Some(101)));
        let drawn = world.render(2_000.0);
        assert_eq!(drawn.iter().map(|body| body.entity).collect::<Vec<_>>(), [OTHER]);
        assert_eq!(world.person(OTHER).map(|person| person.name.as_str()), Some("Bert"));
    }

    #[test]
    fn late_doubled_and_baseless_snapshots_change_nothing() {
        let mut world = world();
        world.apply_snapshot(&snapshot_with(101, &[OWN]), 0.0).unwrap();
        let late = snapshot_with(100, &[OWN, OTHER]);
        assert_eq!(world.apply_snapshot(&late, 10.0), Err(NotApplied::Stale));
        let doubled = snapshot_with(101, &[OWN]);
        assert_eq!(world.apply_snapshot(&doubled, 20.0), Err(NotApplied::Stale));
        let baseless = Snapshot { baseline: Some(99), ..snapshot_with(102, &[OTHER]) };
        assert_eq!(world.apply_snapshot(&baseless, 30.0), Err(NotApplied::UnknownBaseline));
        assert_eq!((world.players_in_view(), world.acked_tick()), (1, Some(101)));
    }

    #[test]
    fn who_has_left_is_not_shown_by_a_snapshot_that_comes_behind() {
        let mut world = world();
        world.seen(seen(OTHER, "Bert"));
        world.apply_snapshot(&snapshot_with(101, &[OWN, OTHER]), 0.0).unwrap();
        world.gone(OTHER);
        assert_eq!((world.players_in_view(), world.person(OTHER)), (1, None));
        world.apply_snapshot(&snapshot_with(102, &[OWN, OTHER]), 50.0).unwrap();
        assert_eq!(world.players_in_view(), 1);
        assert!(world.render(500.0).is_empty());
        world.apply_snapshot(&snapshot_with(103, &[OWN]), 100.0).unwrap();
        assert!(world.gone.is_empty(), "nothing is remembered for longer than it is needed");
    }

    #[test]
    fn deltas_move_what_they_name_and_leave_the_rest() {
        let mut world = world();
        world.apply_snapshot(&snapshot_with(101, &[OWN, OTHER]), 0.0).unwrap();
        let there = Position { x: 9 * SUBTILE, y: 9 * SUBTILE };
        let body = Body { position: there, facing: Facing::Left, walking: true };
        let delta = Snapshot {
            tick: 102,
            baseline: Some(101),
            acked_input: 1,
            changed: vec![(OTHER, body)],
            removed: vec![],
        };
        world.apply_snapshot(&delta, 50.0).unwrap();
        assert_eq!(world.local_tile(), Some(activation().tile));
        assert!(world.bodies().any(|(entity, found)| entity == OTHER && *found == body));
    }
}
