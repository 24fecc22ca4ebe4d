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
        claim: ClaimGeneration::FIRST,
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
            let packet = InputPacket { acked_tick: None, newest, inputs };
            zone.input(joined.entity, ClaimGeneration::FIRST, packet);
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

fn player_claiming(number: u128, epoch: u64, claim: u64) -> (JoiningPlayer, PlayerFeed) {
    let (player, feed) = player(number, epoch);
    (JoiningPlayer { claim: ClaimGeneration(claim), ..player }, feed)
}

/// Walks to the right as one claim until the zone has acknowledged so many inputs.
async fn walk(zone: &ZoneHandle, entity: EntityId, claim: u64, feed: &mut PlayerFeed, inputs: u32) {
    let acknowledged = async {
        let mut newest = 0;
        loop {
            newest += 1;
            let packet =
                InputPacket { acked_tick: None, newest, inputs: vec![MoveInput::towards(1, 0)] };
            zone.input(entity, ClaimGeneration(claim), packet);
            feed.snapshots.changed().await.unwrap();
            let snapshot: Snapshot = decode_datagram(&feed.snapshots.borrow_and_update()).unwrap();
            if snapshot.acked_input >= inputs {
                return;
            }
        }
    };
    timeout(SOON, acknowledged).await.unwrap();
}

#[tokio::test]
async fn a_later_claim_gets_the_body_where_it_stands_and_the_earlier_one_steers_it_no_more() {
    let zone = idle_zone();
    let (first, mut feed) = player_claiming(1, 4, 1);
    let body = zone.join(first).await.unwrap().entity;
    walk(&zone, body, 1, &mut feed, 5).await;
    let (second, mut second_feed) = player_claiming(1, 4, 2);
    let joined = zone.join(second).await.unwrap();
    assert_eq!(joined.entity, body);
    assert!(joined.position.x > Tile { x: 2, y: 1 }.center().x, "{joined:?}");
    assert_eq!(cut_off(&mut feed).await, ByeCode::Superseded);
    // What the earlier one still says is far ahead of the later one's count.
    let late = InputPacket { acked_tick: None, newest: 900, inputs: vec![MoveInput::STILL] };
    zone.input(body, ClaimGeneration(1), late);
    walk(&zone, body, 2, &mut second_feed, 3).await;
    assert_eq!(zone.join(player_claiming(1, 4, 1).0).await, Err(JoinRefused::Superseded));
    assert_eq!(zone.join(player_claiming(1, 3, 9).0).await, Err(JoinRefused::Superseded));
    walk(&zone, body, 2, &mut second_feed, 4).await;
    assert!(zone.leave(body).await.is_some());
}

#[tokio::test]
async fn a_detached_body_stands_still_is_seen_by_the_others_and_its_place_is_committed_at_once() {
    let (saver, worker) = location_saver();
    let (store, shutdown) = (Arc::new(Places::default()), CancellationToken::new());
    let worker = tokio::spawn(worker.run_with(store.clone(), |_| {}, shutdown.clone()));
    let zone = zone(saver);
    let (watcher, mut watching) = player(2, 1);
    zone.join(watcher).await.unwrap();
    let (lost, mut feed) = player_claiming(1, 4, 1);
    let body = zone.join(lost).await.unwrap().entity;
    walk(&zone, body, 1, &mut feed, 9).await;
    let inputs = vec![MoveInput::towards(1, 0); 8];
    zone.input(body, ClaimGeneration(1), InputPacket { acked_tick: None, newest: 900, inputs });
    zone.detach(body, ClaimGeneration(1)).await;
    let mut shown = Vec::new();
    for _ in 0..6 {
        timeout(SOON, watching.snapshots.changed()).await.unwrap().unwrap();
        let datagram = watching.snapshots.borrow_and_update().clone();
        let snapshot: Snapshot = decode_datagram(&datagram).unwrap();
        shown.extend(snapshot.changed.iter().filter(|(id, _)| *id == body).map(|(_, at)| *at));
    }
    // The first may be of a tick before.
    let last = *shown.last().unwrap();
    assert!(shown.len() > 1 && shown[1..].iter().all(|at| *at == last), "{shown:?}");
    assert!(!last.walking);
    shutdown.cancel();
    worker.await.unwrap();
    let saved = store.saved.lock().unwrap().last().map(|save| (save.epoch, save.tile));
    assert_eq!(saved, Some((SessionEpoch(4), last.position.tile())));
}

#[tokio::test]
async fn a_late_detach_of_an_earlier_claim_leaves_the_later_one_alone() {
    let zone = idle_zone();
    let body = zone.join(player_claiming(1, 4, 1).0).await.unwrap().entity;
    let (second, mut feed) = player_claiming(1, 4, 2);
    zone.join(second).await.unwrap();
    zone.detach(body, ClaimGeneration(1)).await;
    walk(&zone, body, 2, &mut feed, 2).await;
}

#[tokio::test]
async fn who_comes_back_to_a_stopping_zone_can_leave_with_its_body() {
    let zone = idle_zone();
    let body = zone.join(player_claiming(1, 4, 1).0).await.unwrap().entity;
    zone.detach(body, ClaimGeneration(1)).await;
    let stopping = tokio::spawn({
        let zone = zone.clone();
        async move { zone.stop().await }
    });
    let (second, mut feed) = player_claiming(1, 4, 2);
    // The queue is in order: the zone hears of its end first, once that has been sent.
    tokio::task::yield_now().await;
    assert_eq!(zone.join(second).await.unwrap().entity, body);
    assert_eq!(cut_off(&mut feed).await, ByeCode::ShuttingDown);
    assert!(zone.leave(body).await.is_some());
    timeout(SOON, stopping).await.unwrap().unwrap();
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

#[tokio::test(start_paused = true)]
async fn a_zone_whose_lease_has_lapsed_stands_still_until_it_is_held_again() {
    let life = Duration::from_secs(1);
    let lease = Arc::new(Lease::new(1));
    lease.begin(Clock.moment() + life);
    let map = draw(&["##########", "#@.......#", "##########"]);
    let placement = "dawn/harbor".parse().unwrap();
    let saver = location_saver().0;
    let (zone, task) = ZoneHandle::prepare(placement, Arc::new(map), saver, lease.clone());
    tokio::spawn(task);
    let (player, mut feed) = player(1, 1);
    let body = zone.join(player).await.unwrap().entity;
    // Time passes only where everybody waits for it.
    let mut snapshots = 0;
    while timeout(life, feed.snapshots.changed()).await.is_ok() {
        feed.snapshots.borrow_and_update();
        snapshots += 1;
        assert!(snapshots < 100, "it goes on for long after its lease");
    }
    assert!((18..=21).contains(&snapshots), "as many as there are ticks in a second: {snapshots}");
    let said = PlayerCommand::Say("Hello?".parse().unwrap());
    assert_eq!(zone.act(body, said.clone()).await.unwrap_err(), CommandRefused::Unavailable);
    assert!(!zone.may_act());

    lease.begin(Clock.moment() + life);
    timeout(life, feed.snapshots.changed()).await.unwrap().unwrap();
    zone.act(body, said).await.unwrap();
    assert_eq!(zone.leave(body).await, Some(Tile { x: 2, y: 1 }));
}
