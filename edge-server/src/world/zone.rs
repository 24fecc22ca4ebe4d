//! The zone actor: one task per placement that ticks the simulation and carries its
//! outcome to the players. It never waits for a player, a store or another zone.
//!
//! Each player is reached by a [`PlayerLink`] of bounded channels: control messages queue
//! up, and a player whose queue is full is cut off; of snapshots only the newest waits.
//!
//! While the instance's lease has lapsed the zone stands still: nobody moves, nothing is done
//! and no snapshot is sent. Bodies may still leave.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use shared::ids::{Appearance, CharacterId, Placement, SessionEpoch};
use shared::limits::TICK;
use shared::realtime::codec::encode_datagram;
use shared::realtime::command::{Command as PlayerCommand, CommandRefused};
use shared::realtime::message::{ByeCode, EntityId, InputPacket, ServerMessage};
use shared::world::map::ZoneMap;
use shared::world::{Position, Tile};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::flowers::PickedFlower;
use super::simulation::deeds::Deed;
use super::simulation::{Arrival, Departure, Output, ZoneState};
use crate::clock::Clock;
use crate::domain::session_claims::ClaimGeneration;
use crate::lease::Lease;
use crate::stores::LocationSave;
use crate::workers::location_saver::LocationSaver;

/// Commands that wait for a zone between two of its ticks. Inputs that find no room are
/// dropped, as a lossy network would; joins and leaves wait.
pub const ZONE_COMMAND_QUEUE: usize = 1_024;
/// Control messages that wait for one player's stream. It holds more than a full zone
/// becoming visible at once; a client that leaves so many unread has stopped reading.
pub const PLAYER_OUTBOX: usize = 1_024;
/// How often a zone hands the places of its players to the saver.
pub const SAVE_LOCATIONS_EVERY: Duration = Duration::from_secs(1);

/// A player that enters.
#[derive(Debug)]
pub struct JoiningPlayer {
    /// The character.
    pub character_id: CharacterId,
    /// The epoch of the session; its places are saved under it.
    pub epoch: SessionEpoch,
    /// The claim of the session; only the latest one steers the body.
    pub claim: ClaimGeneration,
    /// The character's name.
    pub name: String,
    /// How it looks.
    pub appearance: Appearance,
    /// Where it was committed last.
    pub tile: Tile,
    /// How the zone reaches it; see [`player_channel`].
    pub link: PlayerLink,
}

/// A player that has entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Its body.
    pub entity: EntityId,
    /// The tick of the zone.
    pub tick: u32,
    /// Where it stands.
    pub position: Position,
}

/// Why a player did not enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinRefused {
    /// The zone is stopping or its task is gone.
    #[error("the zone has stopped")]
    Stopped,
    /// A newer session of the character is in the zone, or a later claim of the session.
    #[error("a newer session or claim of the character is in the zone")]
    Superseded,
}

/// The zone's end of the way to a player.
#[derive(Debug)]
pub struct PlayerLink {
    outbox: mpsc::Sender<ServerMessage>,
    snapshots: watch::Sender<Arc<[u8]>>,
    cut_off: oneshot::Sender<ByeCode>,
}

/// The session's end.
#[derive(Debug)]
pub struct PlayerFeed {
    /// Messages for the control stream, in order.
    pub outbox: mpsc::Receiver<ServerMessage>,
    /// What the session itself has to say on the control stream, between the zone's.
    pub replies: mpsc::Sender<ServerMessage>,
    /// The newest snapshot, as a datagram; an older one that was not sent in time is gone.
    pub snapshots: watch::Receiver<Arc<[u8]>>,
    /// Fires when the zone stops serving the player. The body stays until the session
    /// leaves, so that its last place is not lost.
    pub cut_off: oneshot::Receiver<ByeCode>,
}

/// Both ends of the way from a zone to a player.
#[must_use]
pub fn player_channel() -> (PlayerLink, PlayerFeed) {
    let (outbox_sender, outbox_receiver) = mpsc::channel(PLAYER_OUTBOX);
    let (snapshot_sender, snapshot_receiver) = watch::channel(Arc::from([]));
    let (cut_sender, cut_receiver) = oneshot::channel();
    let feed = PlayerFeed {
        outbox: outbox_receiver,
        replies: outbox_sender.clone(),
        snapshots: snapshot_receiver,
        cut_off: cut_receiver,
    };
    (PlayerLink { outbox: outbox_sender, snapshots: snapshot_sender, cut_off: cut_sender }, feed)
}

#[derive(Debug)]
enum Command {
    Join {
        player: JoiningPlayer,
        answer: oneshot::Sender<Result<Joined, JoinRefused>>,
    },
    Input {
        entity: EntityId,
        claim: ClaimGeneration,
        packet: InputPacket,
    },
    Detach {
        entity: EntityId,
        claim: ClaimGeneration,
        done: oneshot::Sender<()>,
    },
    Act {
        entity: EntityId,
        command: PlayerCommand,
        answer: oneshot::Sender<Result<Deed, CommandRefused>>,
    },
    GiveBack {
        picked: PickedFlower,
    },
    Leave {
        entity: EntityId,
        answer: oneshot::Sender<Option<Departure>>,
    },
    Stop {
        stopped: oneshot::Sender<()>,
    },
}

/// How a zone is reached. Clones reach the same zone.
#[derive(Clone, Debug)]
pub struct ZoneHandle {
    placement: Placement,
    commands: mpsc::Sender<Command>,
    saver: LocationSaver,
    lease: Arc<Lease>,
}

impl ZoneHandle {
    /// A zone and the task that is to run for as long as the zone shall. It ends by itself
    /// once the zone has been stopped or nothing can reach it any more.
    pub fn prepare(
        placement: Placement,
        map: Arc<ZoneMap>,
        saver: LocationSaver,
        lease: Arc<Lease>,
    ) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (sender, receiver) = mpsc::channel(ZONE_COMMAND_QUEUE);
        let actor = ZoneActor {
            placement: placement.clone(),
            state: ZoneState::new(map),
            links: BTreeMap::new(),
            claims: BTreeMap::new(),
            saver: saver.clone(),
            lease: lease.clone(),
            stopping: Vec::new(),
        };
        (Self { placement, commands: sender, saver, lease }, actor.run(receiver))
    }

    /// Starts a zone in a task of its own.
    #[cfg(test)]
    pub(crate) fn spawn(placement: Placement, map: Arc<ZoneMap>, saver: LocationSaver) -> Self {
        let lease = Arc::new(Lease::new(1));
        lease.begin(Clock.moment() + Duration::from_secs(24 * 60 * 60));
        let (zone, task) = Self::prepare(placement, map, saver, lease);
        tokio::spawn(task);
        zone
    }

    /// What the zone carries.
    #[must_use]
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Whether the instance of the zone may act; see [`crate::lease`]. Where it may not, the
    /// zone stands still.
    #[must_use]
    pub fn may_act(&self) -> bool {
        self.lease.is_held(Clock.moment())
    }

    /// Lets a player in. An older session of the same character that is still in the zone
    /// is cut off as superseded and its body is taken out. A later claim of the same session
    /// gets the body that stands there, and an earlier one is cut off as superseded.
    ///
    /// # Errors
    /// See [`JoinRefused`]; the player is not in the zone then.
    pub async fn join(&self, player: JoiningPlayer) -> Result<Joined, JoinRefused> {
        let (answer, answered) = oneshot::channel();
        let command = Command::Join { player, answer };
        self.commands.send(command).await.map_err(|_| JoinRefused::Stopped)?;
        answered.await.unwrap_or(Err(JoinRefused::Stopped))
    }

    /// Hands in what a player sent under a claim. Never waits: a full zone drops it, and the
    /// client's next packet repeats the inputs.
    pub fn input(&self, entity: EntityId, claim: ClaimGeneration, packet: InputPacket) {
        let _ = self.commands.try_send(Command::Input { entity, claim, packet });
    }

    /// Lets go of a player whose connection is lost, unless a later claim has the body: it
    /// stays and stands still, and its place is on its way to the store when this returns.
    pub async fn detach(&self, entity: EntityId, claim: ClaimGeneration) {
        let (done, detached) = oneshot::channel();
        // An error of either means that the task is gone, and the body with it.
        if self.commands.send(Command::Detach { entity, claim, done }).await.is_ok() {
            let _ = detached.await;
        }
    }

    /// Does what a player wants. Whoever hears of it hears before this returns.
    ///
    /// # Errors
    /// Why nothing was done; [`CommandRefused::Unavailable`] where the zone has stopped.
    pub async fn act(
        &self,
        entity: EntityId,
        command: PlayerCommand,
    ) -> Result<Deed, CommandRefused> {
        let (answer, answered) = oneshot::channel();
        let command = Command::Act { entity, command, answer };
        self.commands.send(command).await.map_err(|_| CommandRefused::Unavailable)?;
        answered.await.unwrap_or(Err(CommandRefused::Unavailable))
    }

    /// Makes a flower glow again that was picked and did not come to count.
    pub async fn give_back(&self, picked: PickedFlower) {
        // An error means that the task is gone, and its flowers with it.
        let _ = self.commands.send(Command::GiveBack { picked }).await;
    }

    /// Takes a player out; gives the tile where it stood, or `None` where the zone does
    /// not have it any more. When it returns, no older place of the session is on its way
    /// to the store.
    pub async fn leave(&self, entity: EntityId) -> Option<Tile> {
        let (answer, answered) = oneshot::channel();
        self.commands.send(Command::Leave { entity, answer }).await.ok()?;
        let departure = answered.await.ok().flatten()?;
        self.saver.settle(departure.character_id, departure.epoch).await;
        Some(departure.tile)
    }

    /// Cuts every player off as shutting down, lets nobody in any more, and returns when
    /// the last one has left. The caller bounds the wait.
    pub async fn stop(&self) {
        let (stopped, done) = oneshot::channel();
        // An error of either means that the task is gone.
        if self.commands.send(Command::Stop { stopped }).await.is_ok() {
            let _ = done.await;
        }
    }
}

struct ZoneActor {
    placement: Placement,
    state: ZoneState,
    /// How players are reached; one that was cut off or is linkdead has a body and no link.
    links: BTreeMap<EntityId, PlayerLink>,
    /// The claim under which each body is steered.
    claims: BTreeMap<EntityId, ClaimGeneration>,
    saver: LocationSaver,
    lease: Arc<Lease>,
    /// Who waits for the zone to stop; not empty once it is stopping.
    stopping: Vec<oneshot::Sender<()>>,
}

impl ZoneActor {
    async fn run(mut self, mut commands: mpsc::Receiver<Command>) {
        let mut ticks = interval(TICK);
        let mut saves = interval(SAVE_LOCATIONS_EVERY);
        // A zone that fell behind goes on from now. Catching up would take the time that
        // it lacks, and walk everybody through a burst that no client predicted.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        saves.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                // Time first: a flood of commands must not stop the zone's clock.
                biased;
                _ = ticks.tick() => {
                    if self.may_act() {
                        let outputs = self.state.tick();
                        self.deliver(outputs);
                    }
                }
                _ = saves.tick() => {
                    if self.may_act() {
                        self.offer_locations();
                    }
                }
                command = commands.recv() => match command {
                    Some(command) => self.obey(command),
                    None => return,
                },
            }
            if !self.stopping.is_empty() && self.state.is_empty() {
                for stopped in self.stopping {
                    // Whoever asked may have stopped waiting.
                    let _ = stopped.send(());
                }
                return;
            }
        }
    }

    fn may_act(&self) -> bool {
        self.lease.is_held(Clock.moment())
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Join { player, answer } => {
                let joined = self.join(player);
                if let Err(Ok(unheard)) = answer.send(joined) {
                    // Nobody will ever leave with this body.
                    self.remove(unheard.entity);
                }
            }
            Command::Input { entity, claim, packet } => {
                if self.claims.get(&entity) == Some(&claim) {
                    self.state.input(entity, &packet);
                }
            }
            Command::Detach { entity, claim, done } => {
                if self.claims.get(&entity) == Some(&claim) {
                    self.links.remove(&entity);
                    self.state.let_stand(entity);
                    self.offer_locations();
                }
                // Whoever asked may have stopped waiting.
                let _ = done.send(());
            }
            Command::Act { entity, command, answer } => {
                let done = if self.may_act() {
                    self.state.act(entity, command).map(|(deed, outputs)| {
                        self.deliver(outputs);
                        deed
                    })
                } else {
                    Err(CommandRefused::Unavailable)
                };
                // Whoever wanted it may have gone; a flower picked for them regrows in time.
                let _ = answer.send(done);
            }
            Command::GiveBack { picked } => self.state.give_back(picked),
            Command::Leave { entity, answer } => {
                let departure = self.remove(entity);
                let _ = answer.send(departure);
            }
            Command::Stop { stopped } => {
                self.stopping.push(stopped);
                for (_, link) in std::mem::take(&mut self.links) {
                    link.cut_off(ByeCode::ShuttingDown);
                }
            }
        }
    }

    fn join(&mut self, player: JoiningPlayer) -> Result<Joined, JoinRefused> {
        let stopping = !self.stopping.is_empty();
        match self.state.body_of(player.character_id) {
            Some((entity, epoch)) => {
                let steered = self.claims.get(&entity).copied();
                if (epoch, steered) > (player.epoch, Some(player.claim)) {
                    return Err(JoinRefused::Superseded);
                }
                if stopping && epoch != player.epoch {
                    return Err(JoinRefused::Stopped);
                }
                if let Some(link) = self.links.remove(&entity) {
                    link.cut_off(ByeCode::Superseded);
                }
                if epoch != player.epoch {
                    self.remove(entity);
                }
            }
            None if stopping => return Err(JoinRefused::Stopped),
            None => {}
        }
        let joined = self.state.join(Arrival {
            character_id: player.character_id,
            epoch: player.epoch,
            name: player.name,
            appearance: player.appearance,
            tile: player.tile,
        });
        self.claims.insert(joined.entity, player.claim);
        if stopping {
            // It has the body, so it can leave with it.
            player.link.cut_off(ByeCode::ShuttingDown);
        } else {
            self.links.insert(joined.entity, player.link);
        }
        Ok(joined)
    }

    fn remove(&mut self, entity: EntityId) -> Option<Departure> {
        self.links.remove(&entity);
        self.claims.remove(&entity);
        let (departure, outputs) = self.state.leave(entity)?;
        self.deliver(outputs);
        Some(departure)
    }

    fn deliver(&mut self, outputs: Vec<Output>) {
        for output in outputs {
            let to = output.to();
            let Some(link) = self.links.get(&to) else { continue };
            if !link.send(output) {
                tracing::info!(placement = %self.placement, entity = to.0, "player reads too slowly");
                if let Some(link) = self.links.remove(&to) {
                    link.cut_off(ByeCode::TimedOut);
                }
            }
        }
    }

    fn offer_locations(&mut self) {
        let unsaved = self.state.unsaved();
        if unsaved.is_empty() {
            return;
        }
        let save = |departure: &Departure| LocationSave {
            character_id: departure.character_id,
            epoch: departure.epoch,
            zone: self.placement.zone.clone(),
            tile: departure.tile,
        };
        let batch = unsaved.iter().map(save).collect();
        match self.saver.offer(batch) {
            Ok(()) => self.state.mark_saved(),
            Err(busy) => tracing::warn!(placement = %self.placement, "{busy}; places wait"),
        }
    }
}

impl PlayerLink {
    /// Gives whether the player can still be served.
    fn send(&self, output: Output) -> bool {
        match output {
            Output::Message { message, .. } => self.outbox.try_send(message).is_ok(),
            Output::Snapshot { snapshot, .. } => {
                let datagram = encode_datagram(&snapshot)
                    .expect("the snapshot sender keeps a snapshot within a datagram");
                self.snapshots.send_replace(datagram.into());
                true
            }
        }
    }

    fn cut_off(self, code: ByeCode) {
        // An error means that the session has gone by itself.
        let _ = self.cut_off.send(code);
    }
}

#[cfg(test)]
#[path = "zone_tests.rs"]
mod tests;
