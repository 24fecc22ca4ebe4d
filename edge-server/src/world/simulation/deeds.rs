//! What players do in a zone besides walking, and how they die.
//!
//! A body dies where it has walked onto a hazard and stays there: it walks no more, and its
//! player may speak and respawn, nothing else. Death is of this zone's memory alone. It is
//! not durable: who enters again is alive, at the place where the body lay; on a hazard it
//! dies again in the next tick.

use shared::realtime::command::{Command, CommandRefused};
use shared::realtime::message::{EntityId, ServerMessage};
use shared::world::movement::Body;

use super::{Output, Player, ZoneState};
use crate::world::flowers::PickedFlower;
use crate::world::interest::in_view;

/// What a command has come to in the zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It is done.
    Done,
    /// A flower is picked: nobody else can have it. It counts once the store has it, or is
    /// [given back](ZoneState::give_back).
    Picked(PickedFlower),
}

impl ZoneState {
    /// Does what a player wants, at once, and tells whom it concerns.
    ///
    /// # Errors
    /// Why nothing was done. Of somebody who is not here, [`CommandRefused::Unavailable`].
    pub fn act(
        &mut self,
        entity: EntityId,
        command: Command,
    ) -> Result<(Deed, Vec<Output>), CommandRefused> {
        let player = self.players.get_mut(&entity).ok_or(CommandRefused::Unavailable)?;
        match (command, player.dead) {
            (Command::Say(text), _) => {
                Ok((Deed::Done, self.tell_viewers(entity, &ServerMessage::Said { entity, text })))
            }
            (Command::Respawn, false) => Err(CommandRefused::Alive),
            (Command::Respawn, true) => {
                player.dead = false;
                player.body = Body::standing(self.map.start().center());
                let message = ServerMessage::Revived(entity);
                Ok((Deed::Done, self.tell_acquainted(entity, &message)))
            }
            (Command::Gather | Command::Emote(_) | Command::UseExit(_), true) => {
                Err(CommandRefused::Dead)
            }
            (Command::Gather, false) => {
                let at = player.body.position;
                let picked = self.flowers.pick(&self.map, at, self.tick);
                let picked = picked.ok_or(CommandRefused::NoFlower)?;
                Ok((Deed::Picked(picked), Vec::new()))
            }
            (Command::Emote(emote), false) => {
                let message = ServerMessage::Emoted { entity, emote };
                Ok((Deed::Done, self.tell_viewers(entity, &message)))
            }
            // Exits lead out by a transfer, and none can be prepared: every exit is closed.
            (Command::UseExit(_), false) => Err(CommandRefused::NoExit),
        }
    }

    /// Makes a flower glow again that was picked and did not come to count.
    pub fn give_back(&mut self, picked: PickedFlower) {
        self.flowers.give_back(picked);
    }

    /// Those who stand on a hazard die.
    pub(super) fn die(&mut self) -> Vec<Output> {
        let map = &self.map;
        let on_hazard =
            |player: &Player| !player.dead && map.is_hazard(player.body.position.tile());
        let dying: Vec<EntityId> = self
            .players
            .iter()
            .filter(|(_, player)| on_hazard(player))
            .map(|(entity, _)| *entity)
            .collect();
        let mut outputs = Vec::new();
        for entity in dying {
            if let Some(player) = self.players.get_mut(&entity) {
                player.dead = true;
                player.body.walking = false;
            }
            outputs.extend(self.tell_acquainted(entity, &ServerMessage::Died(entity)));
        }
        outputs
    }

    /// Tells which flowers do not glow to everybody who does not know it yet.
    pub(super) fn tell_flowers(&mut self) -> Vec<Output> {
        let (version, picked) = (self.flowers.version(), self.flowers.picked());
        let mut outputs = Vec::new();
        for (to, player) in &mut self.players {
            if player.told_flowers != version {
                player.told_flowers = version;
                let message = ServerMessage::PickedFlowers(picked.clone());
                outputs.push(Output::Message { to: *to, message });
            }
        }
        outputs
    }

    /// Something of the moment: to those who see the body now and know who it is, itself
    /// included.
    fn tell_viewers(&self, of: EntityId, message: &ServerMessage) -> Vec<Output> {
        let Some(subject) = self.players.get(&of) else { return Vec::new() };
        let sees = |player: &Player| {
            in_view(player.body.position, subject.body.position) && player.met(of)
        };
        self.tell(message, |to, player| to == of || sees(player))
    }

    /// Something that lasts: to all who have been told who the body is, wherever they are
    /// now. Whoever meets it later is told by its introduction.
    fn tell_acquainted(&self, of: EntityId, message: &ServerMessage) -> Vec<Output> {
        self.tell(message, |to, player| to == of || player.met(of))
    }

    fn tell(
        &self,
        message: &ServerMessage,
        concerns: impl Fn(EntityId, &Player) -> bool,
    ) -> Vec<Output> {
        self.players
            .iter()
            .filter(|(to, player)| concerns(**to, player))
            .map(|(to, _)| Output::Message { to: *to, message: message.clone() })
            .collect()
    }
}

impl Player {
    fn met(&self, entity: EntityId) -> bool {
        self.met.contains(&entity)
    }
}

#[cfg(test)]
#[path = "deeds_tests.rs"]
mod tests;
