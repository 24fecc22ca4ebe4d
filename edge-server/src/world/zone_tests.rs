//! The zone's task in real time, over the saver's own tests' store.

use shared::realtime::codec::decode_datagram;
use shared::realtime::snapshot::Snapshot;
use shared::world::map::test_map::draw;
use shared::world::movement::MoveInput;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::*;
use crate::workers::location_saver::location_saver;
use crate::workers::location_saver::tests::Places;

const SOON: Duration = Duration::from_secs(3);

fn zone(saver: LocationSaver) -> ZoneHandle {
    let map = draw(&["##########", "#@.......#", "##########"]);
    ZoneHandle::spawn("dawn/harbor".parse().unwrap(), Arc::new(map), saver)
}

fn idle_zone() -> ZoneHandle {
    zone(location_saver().0)
}

fn player(number: u128, epoch: u64) -> (JoiningPlayer, PlayerFeed) {
    let (link, feed) = player_channel();
    let player = JoiningPlayer {
        character_id: CharacterId::new(Uuid::from_u128(number)),
        epoch: SessionEpoch(epoch),
        name: format!("Player {number}"),
        appearance: Appearance::default(),
        tile: Tile { x: 2, y: 1 },
        link,
    };
    (player, feed)
}

async fn cut_off(feed: &mut PlayerFeed) -> ByeCode {
    timeout(SOON, &mut feed.cut_off).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_player_walks_and_leaves_with_its_last_tile() {
    let zone = idle_zone();
    let (player, mut feed) = player(1, 1);
    let joined = zone.join(player).await.unwrap();
    assert_eq!((joined.entity, joined.position.tile()), (EntityId(1), Tile { x: 2, y: 1 }));
    let mut newest = 0;
    let walked = async {
        loop {
            newest += 1;
            let inputs = vec![MoveInput::towards(1, 0)];
            zone.input(joined.entity, InputPacket { acked_tick: None, newest, inputs });
            feed.snapshots.changed().await.unwrap();
            let snapshot: Snapshot = decode_datagram(&feed.snapshots.borrow_and_update()).unwrap();
            if snapshot.changed[0].1.position.tile().x >= 4 {
                return;
            }
        }
    };
    timeout(SOON, walked).await.unwrap();
    assert!(zone.leave(joined.entity).await.unwrap().x >= 4);
    assert_eq!(zone.leave(joined.entity).await, None);
}

#[tokio::test]
async fn places_reach_the_store_within_a_second_of_walking() {
    let (saver, worker) = location_saver();
    let (store, shutdown) = (Arc::new(Places::default()), CancellationToken::new());
    let worker = tokio::spawn(worker.run_with(store.clone(), |_| {}, shutdown.clone()));
    let zone = zone(saver);
    let (mut player, _feed) = player(1, 7);
    // Inside a wall: the zone puts it elsewhere, and that is a change to be saved.
    player.tile = Tile { x: 0, y: 0 };
    let joined = zone.join(player).await.unwrap();
    tokio::time::sleep(SAVE_LOCATIONS_EVERY * 2 + Duration::from_millis(300)).await;
    zone.leave(joined.entity).await;
    shutdown.cancel();
    worker.await.unwrap();
    let saved = store.saved.lock().unwrap();
    let places: Vec<_> = saved.iter().map(|save| (save.epoch, save.tile)).collect();
    // Once: a place that has not changed is not saved again.
    assert_eq!(places, [(SessionEpoch(7), Tile { x: 1, y: 1 })]);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off_and_the_others_play_on() {
    let zone = idle_zone();
    let (mut slow, mut slow_feed) = player(1, 1);
    let (outbox, _unread) = mpsc::channel(1);
    slow.link.outbox = outbox;
    let slow_body = zone.join(slow).await.unwrap().entity;
    let (other, mut feed) = player(2, 1);
    zone.join(other).await.unwrap();
    assert_eq!(cut_off(&mut slow_feed).await, ByeCode::TimedOut);
    // Its body stays until its session takes it out, so its place is not lost.
    timeout(SOON, feed.snapshots.changed()).await.unwrap().unwrap();
    assert_eq!(zone.leave(slow_body).await, Some(Tile { x: 2, y: 1 }));
    let gone = async { while feed.outbox.recv().await != Some(ServerMessage::Gone(slow_body)) {} };
    timeout(SOON, gone).await.unwrap();
}

#[tokio::test]
async fn a_newer_session_of_a_character_takes_the_place_of_the_older() {
    let zone = idle_zone();
    let (older, mut feed) = player(1, 4);
    let old_body = zone.join(older).await.unwrap().entity;
    let newer = zone.join(player(1, 5).0).await.unwrap();
    assert_eq!(cut_off(&mut feed).await, ByeCode::Superseded);
    assert_eq!(zone.leave(old_body).await, None);
    assert_eq!(zone.join(player(1, 4).0).await, Err(JoinRefused::Superseded));
    assert!(zone.leave(newer.entity).await.is_some());
}

#[tokio::test]
async fn a_stopping_zone_waits_for_its_players_and_lets_nobody_in() {
    let zone = idle_zone();
    let (player_one, mut feed) = player(1, 1);
    let body = zone.join(player_one).await.unwrap().entity;
    let stopping = tokio::spawn({
        let zone = zone.clone();
        async move { zone.stop().await }
    });
    assert_eq!(cut_off(&mut feed).await, ByeCode::ShuttingDown);
    assert_eq!(zone.join(player(2, 1).0).await, Err(JoinRefused::Stopped));
    assert!(!stopping.is_finished());
    assert!(zone.leave(body).await.is_some());
    timeout(SOON, stopping).await.unwrap().unwrap();
    assert_eq!(zone.join(player(3, 1).0).await, Err(JoinRefused::Stopped));
    timeout(SOON, zone.stop()).await.unwrap();
}

#[tokio::test]
async fn a_join_that_nobody_waits_for_leaves_no_body() {
    let zone = idle_zone();
    let (forgotten, _feed) = player(1, 1);
    let (answer, answered) = oneshot::channel();
    drop(answered);
    zone.commands.send(Command::Join { player: forgotten, answer }).await.unwrap();
    // With nobody in it, the zone stops at once.
    timeout(SOON, zone.stop()).await.unwrap();
}
