//! Commits where characters stand, a batch at a time, so that a crash loses at most one
//! second of walking and a zone never waits for a store.
//!
//! A place that could not be saved goes with the next batch; of one character only the
//! newest counts. A session that leaves first [settles](LocationSaver::settle): after
//! that nothing of it is waiting or on its way here, so an older place can never be
//! written over the one that the session commits at its end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use shared::ids::{CharacterId, SessionEpoch};
use shared::realtime::message::ByeCode;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::game::GameServer;
use crate::stores::{CharacterStore, LocationSave, SaveOutcome};

/// Batches and settlements that wait for the worker. A zone whose batch finds no room
/// offers its places again a second later.
pub const LOCATION_QUEUE: usize = 256;
/// Characters whose places wait for a store that does not answer. Beyond it the places
/// of further characters are dropped: the store is down, and walking is all that is lost.
pub const MAX_PENDING_LOCATIONS: usize = 4_096;
/// How long places that could not be saved wait when no batch comes to take them along.
pub const SAVE_RETRY_AFTER: Duration = Duration::from_secs(1);
/// How long a leaving session waits for the store to finish with its older places.
pub const SETTLE_TIMEOUT: Duration = Duration::from_secs(2);

/// The queue had no room, or the worker is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the location saver is busy")]
pub struct SaverBusy;

#[derive(Debug)]
enum Request {
    Save(Vec<LocationSave>),
    Settle { character: CharacterId, epoch: SessionEpoch, done: oneshot::Sender<()> },
}

/// The zones' end.
#[derive(Clone, Debug)]
pub struct LocationSaver {
    requests: mpsc::Sender<Request>,
}

/// The worker, before it runs.
#[derive(Debug)]
pub struct LocationSaverWorker {
    requests: mpsc::Receiver<Request>,
    pending: PendingLocations,
}

/// Both ends of a new saver.
#[must_use]
pub fn location_saver() -> (LocationSaver, LocationSaverWorker) {
    let (sender, receiver) = mpsc::channel(LOCATION_QUEUE);
    let pending = PendingLocations::default();
    (LocationSaver { requests: sender }, LocationSaverWorker { requests: receiver, pending })
}

impl LocationSaver {
    /// Hands a batch over without waiting.
    ///
    /// # Errors
    /// [`SaverBusy`]: nothing of the batch was taken; offer it again.
    pub fn offer(&self, batch: Vec<LocationSave>) -> Result<(), SaverBusy> {
        self.requests.try_send(Request::Save(batch)).map_err(|_| SaverBusy)
    }

    /// Drops what waits of a character's session and returns once none of it is on its
    /// way. At most [`SETTLE_TIMEOUT`]: a store that hangs longer may still write a place
    /// of the last second later.
    pub async fn settle(&self, character: CharacterId, epoch: SessionEpoch) {
        let (done, settled) = oneshot::channel();
        let settle = async {
            // An error of either means that the worker is gone, and with it what waited.
            if self.requests.send(Request::Settle { character, epoch, done }).await.is_ok() {
                let _ = settled.await;
            }
        };
        if tokio::time::timeout(SETTLE_TIMEOUT, settle).await.is_err() {
            tracing::warn!(%character, "an older place may still be on its way to the store");
        }
    }
}

impl LocationSaverWorker {
    /// Works for a game server until `shutdown`, then saves what waits, once.
    pub async fn run(self, game: Arc<GameServer>, shutdown: CancellationToken) {
        let characters = game.characters.clone();
        self.run_with(characters, |stale| end_superseded(&game, stale), shutdown).await;
    }

    /// The same over any store; `superseded` gets each place that was refused as stale.
    pub async fn run_with(
        mut self,
        characters: Arc<dyn CharacterStore>,
        superseded: impl Fn(&LocationSave),
        shutdown: CancellationToken,
    ) {
        let mut requests = Vec::new();
        loop {
            let stopping = tokio::select! {
                biased;
                () = shutdown.cancelled() => true,
                taken = self.requests.recv_many(&mut requests, LOCATION_QUEUE) => taken == 0,
                () = tokio::time::sleep(SAVE_RETRY_AFTER), if !self.pending.is_empty() => false,
            };
            if stopping {
                while let Ok(request) = self.requests.try_recv() {
                    requests.push(request);
                }
            }
            for request in requests.drain(..) {
                match request {
                    Request::Save(batch) => self.pending.add(batch),
                    Request::Settle { character, epoch, done } => {
                        self.pending.forget(character, epoch);
                        // Nobody waits any more where this fails.
                        let _ = done.send(());
                    }
                }
            }
            self.save(&*characters, &superseded).await;
            if stopping {
                return;
            }
        }
    }

    async fn save(&mut self, characters: &dyn CharacterStore, superseded: impl Fn(&LocationSave)) {
        let batch = self.pending.take();
        if batch.is_empty() {
            return;
        }
        match characters.save_locations(&batch).await {
            Ok(outcomes) => {
                for (save, outcome) in batch.iter().zip(outcomes) {
                    if outcome == SaveOutcome::Stale {
                        superseded(save);
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%error, places = batch.len(), "places not saved; trying again");
                self.pending.add(batch);
            }
        }
    }
}

/// Ends the session whose place was refused: another one has the character.
fn end_superseded(game: &GameServer, stale: &LocationSave) {
    let holders = game.directory().ask_to_end(|active| {
        let character = &active.session.character;
        character.id == stale.character_id && character.epoch == stale.epoch
    });
    for handle in holders {
        handle.end(ByeCode::Superseded);
    }
}

/// The newest place of each character that is not saved yet.
#[derive(Debug, Default)]
struct PendingLocations(BTreeMap<CharacterId, LocationSave>);

impl PendingLocations {
    /// Later ones win, unless they are of an older session.
    fn add(&mut self, batch: Vec<LocationSave>) {
        for save in batch {
            let known = self.0.get(&save.character_id);
            if known.is_some_and(|known| known.epoch > save.epoch) {
                continue;
            }
            if known.is_none() && self.0.len() >= MAX_PENDING_LOCATIONS {
                tracing::warn!(character = %save.character_id, "too many places wait; one dropped");
                continue;
            }
            self.0.insert(save.character_id, save);
        }
    }

    fn forget(&mut self, character: CharacterId, epoch: SessionEpoch) {
        if self.0.get(&character).is_some_and(|save| save.epoch <= epoch) {
            self.0.remove(&character);
        }
    }

    fn take(&mut self) -> Vec<LocationSave> {
        std::mem::take(&mut self.0).into_values().collect()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
#[path = "location_saver_tests.rs"]
pub(crate) mod tests;
