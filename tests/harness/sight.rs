//! What a player has been shown: everything that a test of the world looks at.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use shared::realtime::command::{CommandAnswer, CommandOutcome, CommandSequence, Emote};
use shared::realtime::message::{Bye, EntityId, Seen, ServerMessage};
use shared::realtime::snapshot::View;
use shared::world::movement::Body;
use shared::world::{Position, Tile};

/// Views that a player remembers: twenty seconds of them.
pub const REMEMBERED_VIEWS: usize = 400;

/// The view of one tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The tick of the zone.
    pub tick: u32,
    /// Who was where.
    pub view: View,
}

/// What a player has been shown so far.
#[derive(Clone, Debug)]
pub struct Sight {
    /// The own body.
    pub own: EntityId,
    /// The latest views, oldest first; the last one is what the player sees now.
    pub moments: VecDeque<Moment>,
    /// The newest own input that the latest view includes.
    pub acked_input: u32,
    /// Who the bodies are.
    pub names: BTreeMap<EntityId, Seen>,
    /// Bodies that have left the zone.
    pub gone: BTreeSet<EntityId>,
    /// Bodies that are dead, as far as the player knows.
    pub dead: BTreeSet<EntityId>,
    /// What was said, in order.
    pub said: Vec<(EntityId, String)>,
    /// What was shown, in order.
    pub emoted: Vec<(EntityId, Emote)>,
    /// Flowers that do not glow; `None` before it was told.
    pub picked_flowers: Option<Vec<u16>>,
    /// Answers to its commands, in order.
    pub answers: Vec<CommandAnswer>,
    /// Snapshots that arrived.
    pub snapshots: usize,
    /// Bytes of the largest datagram.
    pub largest_datagram: usize,
    /// Why the server ended the connection, once it has.
    pub bye: Option<Bye>,
    /// Whether the connection is over.
    pub ended: bool,
}

impl Sight {
    pub(crate) fn new(own: EntityId) -> Self {
        Self {
            own,
            moments: VecDeque::new(),
            acked_input: 0,
            names: BTreeMap::new(),
            gone: BTreeSet::new(),
            dead: BTreeSet::new(),
            said: Vec::new(),
            emoted: Vec::new(),
            picked_flowers: None,
            answers: Vec::new(),
            snapshots: 0,
            largest_datagram: 0,
            bye: None,
            ended: false,
        }
    }

    /// Takes in what the server tells of the world.
    pub(crate) fn hear(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Seen(seen) => {
                if seen.dead {
                    self.dead.insert(seen.entity);
                } else {
                    self.dead.remove(&seen.entity);
                }
                self.names.insert(seen.entity, seen);
            }
            ServerMessage::Gone(entity) => {
                self.gone.insert(entity);
                self.dead.remove(&entity);
            }
            ServerMessage::Died(entity) => {
                self.dead.insert(entity);
            }
            ServerMessage::Revived(entity) => {
                self.dead.remove(&entity);
            }
            ServerMessage::Said { entity, text } => {
                self.said.push((entity, text.as_str().to_owned()));
            }
            ServerMessage::Emoted { entity, emote } => self.emoted.push((entity, emote)),
            ServerMessage::PickedFlowers(picked) => self.picked_flowers = Some(picked),
            ServerMessage::Answered(answer) => self.answers.push(answer),
            ServerMessage::Bye(bye) => self.bye = Some(bye),
            ServerMessage::Pong(_) => {}
            ServerMessage::Welcome(welcome) => panic!("a second Welcome: {welcome:?}"),
        }
    }

    /// The last answer to a command.
    #[must_use]
    pub fn outcome_of(&self, sequence: CommandSequence) -> Option<&CommandOutcome> {
        let answer = self.answers.iter().rfind(|answer| answer.sequence == sequence);
        answer.map(|answer| &answer.outcome)
    }

    pub(crate) fn remember(&mut self, tick: u32, view: View) {
        if self.moments.len() == REMEMBERED_VIEWS {
            self.moments.pop_front();
        }
        self.moments.push_back(Moment { tick, view });
    }

    /// The tick of the latest view.
    #[must_use]
    pub fn tick(&self) -> Option<u32> {
        self.moments.back().map(|moment| moment.tick)
    }

    /// A body in the latest view.
    #[must_use]
    pub fn body(&self, entity: EntityId) -> Option<Body> {
        self.moments.back()?.view.get(&entity).copied()
    }

    /// The own body in the latest view.
    #[must_use]
    pub fn own_body(&self) -> Option<Body> {
        self.body(self.own)
    }

    /// Whether the own body stands still on a tile.
    #[must_use]
    pub fn rests_on(&self, tile: Tile) -> bool {
        self.own_body().is_some_and(|body| !body.walking && body.position.tile() == tile)
    }

    /// Bodies in the latest view, the own one included.
    #[must_use]
    pub fn players(&self) -> usize {
        self.moments.back().map_or(0, |moment| moment.view.len())
    }

    /// The body of a character in the latest view, by its name.
    #[must_use]
    pub fn entity_of(&self, name: &str) -> Option<EntityId> {
        let latest = &self.moments.back()?.view;
        self.names
            .values()
            .find(|seen| seen.name == name && latest.contains_key(&seen.entity))
            .map(|seen| seen.entity)
    }

    /// Where a body was at each remembered tick.
    #[must_use]
    pub fn track(&self, entity: EntityId) -> BTreeMap<u32, Position> {
        self.moments
            .iter()
            .filter_map(|moment| Some((moment.tick, moment.view.get(&entity)?.position)))
            .collect()
    }
}
