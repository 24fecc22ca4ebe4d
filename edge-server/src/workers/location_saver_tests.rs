//! The saver over a store that fails on demand.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use shared::ids::{AccountId, RealmId, UnixMillis};
use shared::realtime::command::CommandSequence;
use shared::world::Tile;
use uuid::Uuid;

use super::*;
use crate::domain::authority::{Character, EpochRaise, EpochRaised};
use crate::stores::{
    CharacterCreation, CharacterDeletion, GatherOutcome, NewCharacter, StoreError, StoreResult,
};

/// A store of places, and of nothing else.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) saved: Mutex<Vec<LocationSave>>,
    pub(crate) down: AtomicBool,
    stale: BTreeSet<CharacterId>,
}

#[async_trait]
impl CharacterStore for Places {
    async fn create_character(
        &self,
        _: &NewCharacter,
        _: UnixMillis,
    ) -> StoreResult<CharacterCreation> {
        unreachable!("a saver only saves")
    }

    async fn roster(&self, _: AccountId, _: &RealmId) -> StoreResult<Vec<Character>> {
        unreachable!("a saver only saves")
    }

    async fn character(&self, _: CharacterId) -> StoreResult<Option<Character>> {
        unreachable!("a saver only saves")
    }

    async fn delete_character(
        &self,
        _: AccountId,
        _: CharacterId,
        _: SessionEpoch,
        _: UnixMillis,
    ) -> StoreResult<CharacterDeletion> {
        unreachable!("a saver only saves")
    }

    async fn raise_epoch(&self, _: &EpochRaise, _: UnixMillis) -> StoreResult<EpochRaised> {
        unreachable!("a saver only saves")
    }

    async fn mark_claimed(&self, _: CharacterId, _: SessionEpoch) -> StoreResult<SaveOutcome> {
        unreachable!("a saver only saves")
    }

    async fn save_locations(&self, saves: &[LocationSave]) -> StoreResult<Vec<SaveOutcome>> {
        if self.down.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("down for the test".to_owned()));
        }
        self.saved.lock().unwrap().extend(saves.iter().cloned());
        let outcome = |save: &LocationSave| {
            let stale = self.stale.contains(&save.character_id);
            if stale { SaveOutcome::Stale } else { SaveOutcome::Saved }
        };
        Ok(saves.iter().map(outcome).collect())
    }

    async fn gather(
        &self,
        _: CharacterId,
        _: SessionEpoch,
        _: CommandSequence,
    ) -> StoreResult<GatherOutcome> {
        unreachable!("a saver only saves")
    }
}

fn character(number: u128) -> CharacterId {
    CharacterId::new(Uuid::from_u128(number))
}

fn place(number: u128, epoch: u64, x: u16) -> LocationSave {
    LocationSave {
        character_id: character(number),
        epoch: SessionEpoch(epoch),
        zone: "harbor".parse().unwrap(),
        tile: Tile { x, y: 1 },
    }
}

struct Running {
    saver: LocationSaver,
    store: Arc<Places>,
    superseded: Arc<Mutex<Vec<LocationSave>>>,
    shutdown: CancellationToken,
    worker: tokio::task::JoinHandle<()>,
}

fn start(store: Places) -> Running {
    let (saver, worker) = location_saver();
    let (store, shutdown) = (Arc::new(store), CancellationToken::new());
    let superseded = Arc::new(Mutex::new(Vec::new()));
    let note = {
        let superseded = superseded.clone();
        move |save: &LocationSave| superseded.lock().unwrap().push(save.clone())
    };
    let worker = tokio::spawn(worker.run_with(store.clone(), note, shutdown.clone()));
    Running { saver, store, superseded, shutdown, worker }
}

impl Running {
    async fn stop(self) -> Vec<LocationSave> {
        self.shutdown.cancel();
        self.worker.await.unwrap();
        self.store.saved.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn a_stale_place_ends_its_session_and_no_other() {
    let store = Places { stale: BTreeSet::from([character(2)]), ..Places::default() };
    let running = start(store);
    running.saver.offer(vec![place(1, 1, 5), place(2, 3, 6)]).unwrap();
    running.saver.settle(character(9), SessionEpoch(1)).await;
    // The settlement came after the batch, but may have been taken with it.
    let superseded = running.superseded.clone();
    running.stop().await;
    assert_eq!(*superseded.lock().unwrap(), [place(2, 3, 6)]);
}

#[tokio::test]
async fn what_could_not_be_saved_is_saved_later_and_only_the_newest() {
    let running = start(Places { down: true.into(), ..Places::default() });
    running.saver.offer(vec![place(1, 1, 5), place(2, 1, 5)]).unwrap();
    running.saver.settle(character(9), SessionEpoch(1)).await;
    running.saver.offer(vec![place(1, 1, 6)]).unwrap();
    running.saver.settle(character(9), SessionEpoch(1)).await;
    running.store.down.store(false, Ordering::SeqCst);
    tokio::time::sleep(SAVE_RETRY_AFTER + Duration::from_millis(300)).await;
    // Without a further batch: the worker tries again by itself.
    assert_eq!(*running.store.saved.lock().unwrap(), [place(1, 1, 6), place(2, 1, 5)]);
    assert_eq!(running.stop().await.len(), 2);
}

#[tokio::test]
async fn a_settled_session_writes_no_older_place_afterwards() {
    let running = start(Places { down: true.into(), ..Places::default() });
    running.saver.offer(vec![place(1, 4, 5), place(2, 4, 5)]).unwrap();
    running.saver.settle(character(1), SessionEpoch(4)).await;
    // An older session's leaving does not take the newer one's place away.
    running.saver.settle(character(2), SessionEpoch(3)).await;
    running.store.down.store(false, Ordering::SeqCst);
    assert_eq!(running.stop().await, [place(2, 4, 5)]);
}

#[tokio::test]
async fn a_worker_that_is_gone_keeps_nobody_waiting() {
    let (saver, worker) = location_saver();
    drop(worker);
    saver.settle(character(1), SessionEpoch(1)).await;
    assert_eq!(saver.offer(vec![place(1, 1, 1)]), Err(SaverBusy));
}

#[test]
fn an_older_session_never_overwrites_a_newer_place() {
    let mut pending = PendingLocations::default();
    pending.add(vec![place(1, 2, 5), place(1, 1, 9)]);
    assert_eq!(pending.take(), [place(1, 2, 5)]);
}

#[test]
fn places_that_wait_are_bounded() {
    let mut pending = PendingLocations::default();
    let many = MAX_PENDING_LOCATIONS as u128 + 10;
    pending.add((0..many).map(|number| place(number, 1, 1)).collect());
    pending.add(vec![place(0, 1, 2)]);
    let kept = pending.take();
    assert_eq!((kept.len(), kept[0].tile.x), (MAX_PENDING_LOCATIONS, 2));
}
