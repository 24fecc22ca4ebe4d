//! What players see of themselves and of each other, over datagrams.

use shared::limits::{MAX_DATAGRAM_BYTES, MAX_QUEUED_INPUTS, TICK_HZ};
use shared::world::movement::{MoveInput, WALK_STRAIGHT};
use shared::world::{Position, Tile};
use tests::player::Player;
use tests::server::Server;
use tests::way::{longest_straight, tile_at};

fn distance(from: Position, to: Position) -> i32 {
    (to.x - from.x).abs() + (to.y - from.y).abs()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_players_see_each_other_walk() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await.enter().await;
    let orin = server.hero("Orin").await.enter().await;
    for (player, other) in [(&mara, "Orin"), (&orin, "Mara")] {
        player.until("the other is in view with its name", |s| s.entity_of(other).is_some()).await;
        assert_eq!(player.sight().players(), 2);
    }

    let goal = tile_at(&mara.map, mara.tile(), 10);
    mara.walk_to(goal).await;
    let entity = mara.entity();
    let seen = orin.until("Mara arrives in Orin's view", |sight| {
        sight.body(entity).is_some_and(|body| !body.walking && body.position.tile() == goal)
    });
    let seen = seen.await;

    // Both are shown the authority's positions: at every tick that both have, the same.
    let (own, others) = (mara.sight().track(entity), seen.track(entity));
    let mut compared = 0;
    for (tick, position) in &others {
        if let Some(own) = own.get(tick) {
            assert_eq!(own, position, "at tick {tick}");
            compared += 1;
        }
    }
    assert!(compared >= TICK_HZ, "only {compared} ticks in common");

    // And a walk has no jumps: what the eye interpolates between is a step a tick.
    let steps: Vec<_> = others.iter().collect();
    for pair in steps.windows(2) {
        let ticks = i32::try_from(pair[1].0 - pair[0].0).unwrap();
        let walked = distance(*pair[0].1, *pair[1].1);
        assert!(walked <= 2 * ticks * WALK_STRAIGHT, "{walked} units in {ticks} ticks");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_is_gone_from_the_others_view() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await.enter().await;
    let orin = server.hero("Orin").await.enter().await;
    let entity = orin.entity();
    mara.until("Orin is in view", |sight| sight.body(entity).is_some()).await;
    orin.leave().await;
    mara.until("Orin is gone", |sight| sight.gone.contains(&entity) && sight.players() == 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_two_realms_do_not_meet() {
    let server = Server::start().await;
    let mut orin = server.hero("Orin").await;
    let roster = orin.api.create_character(orin.token(), "dusk", "Orin").await.unwrap();
    (orin.realm, orin.id) = ("dusk".parse().unwrap(), roster.characters[0].id);
    let in_dusk = orin.enter().await;
    let in_dawn = server.hero("Mara").await.enter().await;
    assert_eq!(in_dusk.placement().to_string(), "dusk/harbor");
    for player in [&in_dusk, &in_dawn] {
        let tick = player.sight().tick().unwrap();
        player.until("time goes by", |sight| sight.tick().is_some_and(|t| t > tick + 20)).await;
        assert_eq!(player.sight().players(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walk_into_a_wall_stops_flush_with_it() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let player = hero.enter().await;
    let walk = longest_straight(&player.map, player.position());
    assert!(walk.ticks > 0, "there is somewhere to walk");
    player.hold(walk.input).await;
    player
        .until_within("the wall is reached", tests::patience::ARRIVED, |sight| {
            sight.own_body().is_some_and(|body| body.position == walk.end)
        })
        .await;
    let tick = player.sight().tick().unwrap();
    let pushed = player
        .until("it has pushed for a second", |s| s.tick().is_some_and(|t| t > tick + TICK_HZ))
        .await;
    assert_eq!(pushed.own_body().unwrap().position, walk.end, "walls do not give way");
    player.hold(MoveInput::STILL).await;
    player.leave().await;
    assert_eq!(store.character(hero.id).await.tile, walk.end.tile());
}

/// How far the server let a player walk between two ticks, and how many those were.
async fn walk_for(player: &Player, input: MoveInput, ticks: u32) -> (i32, u32) {
    let before = player.sight();
    let (from, began) = (before.own_body().unwrap().position, before.tick().unwrap());
    player.hold(input).await;
    let after = player
        .until("the time is over", |sight| sight.tick().is_some_and(|t| t >= began + ticks))
        .await;
    player.hold(MoveInput::STILL).await;
    (distance(from, after.own_body().unwrap().position), after.tick().unwrap() - began)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_sends_five_inputs_a_tick_walks_no_faster() {
    let server = Server::start().await;
    let honest = server.hero("Mara").await.enter().await;
    let cheat = server.hero("Orin").await.enter().await;
    let walk = longest_straight(&honest.map, honest.position());
    let ticks = u32::try_from(walk.ticks).unwrap().min(2 * TICK_HZ);
    cheat.cheat(5).await;
    let (walked, cheated) =
        tokio::join!(walk_for(&honest, walk.input, ticks), walk_for(&cheat, walk.input, ticks));
    let fastest = |ticks: u32| {
        // A step a tick, and those that it may have saved up while it stood.
        let steps = i32::try_from(ticks).unwrap() + i32::try_from(MAX_QUEUED_INPUTS).unwrap();
        steps * WALK_STRAIGHT
    };
    assert!(walked.0 > 0 && walked.0 <= fastest(walked.1), "honest: {walked:?}");
    assert!(cheated.0 > 0 && cheated.0 <= fastest(cheated.1), "cheating: {cheated:?}");
    assert_eq!(cheat.sight().bye, None, "it is slowed down, not thrown out");
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_in_a_crowd_is_seen_in_datagrams_that_every_browser_receives() {
    let server = Server::start().await;
    let first = server.hero("Watcher").await.enter().await;
    let mut crowd = Vec::new();
    for name in CROWD {
        crowd.push(server.hero(name).await.enter().await);
    }
    let everybody = CROWD.len() + 1;
    first.until("everybody is in view", |sight| sight.players() == everybody).await;
    let way = longest_straight(&first.map, first.position());
    for player in &crowd {
        player.hold(way.input).await;
    }
    let tick = first.sight().tick().unwrap();
    let seen =
        first.until("they walk", |sight| sight.tick().is_some_and(|t| t >= tick + TICK_HZ)).await;
    assert!(seen.largest_datagram <= MAX_DATAGRAM_BYTES, "{} bytes", seen.largest_datagram);
    assert!(seen.largest_datagram > 0);
    let tiles: Vec<Tile> =
        crowd.iter().map(|player| seen.body(player.entity()).unwrap().position.tile()).collect();
    assert!(tiles.iter().all(|tile| *tile != first.tile()), "everybody has left the start");
}

const CROWD: [&str; 10] =
    ["Anna", "Bert", "Cora", "Dirk", "Edda", "Finn", "Gala", "Hugo", "Iris", "Jorn"];
