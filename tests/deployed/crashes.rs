//! Processes that end without a word, or stand still for longer than their lease.

use shared::realtime::message::ByeCode;
use tests::clock::Stopwatch;
use tests::cluster::Cluster;
use tests::fault_report::Row;
use tests::line::Dial;
use tests::patience::{LAPSED, eventually};
use tests::way::tile_at;

/// Players that enter while a control plane dies.
const PLAYERS: [&str; 6] = ["Mara", "Orin", "Sela", "Tavi", "Ruun", "Kesh"];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_control_plane_that_dies_keeps_nobody_out() {
    let mut cluster = Cluster::start().await;
    let mut heroes = Vec::new();
    for name in PLAYERS {
        heroes.push(cluster.hero(name).await);
    }
    let entering: Vec<_> = heroes
        .iter()
        .cloned()
        .map(|hero| tokio::spawn(async move { hero.enter().await }))
        .collect();
    cluster.control_planes[0].kill9().await;
    let mut players = Vec::new();
    for entered in entering {
        players.push(entered.await.expect("everybody gets in"));
    }
    cluster.until_heartbeats().await;
    for (hero, player) in heroes.iter().zip(&players) {
        assert_eq!(player.sight().bye, None);
        assert!(hero.in_roster().await.in_world);
    }
    // One that comes back is as good as the other.
    cluster.control_planes[0].start_again().await;
    cluster.control_planes[1].kill9().await;
    let late = cluster.hero("Late").await;
    let player = late.enter().await;
    let goal = tile_at(&player.map, player.tile(), 4);
    player.walk_to(goal).await;
    cluster.until_saved_at(late.id, goal).await;
    cluster.until_heartbeats().await;
    player.leave().await;
    assert!(!late.in_roster().await.in_world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_of_a_game_server_that_dies_enters_elsewhere_where_it_was_saved() {
    let mut cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let admission = hero.admitted().await;
    let player = hero.claim(&admission).await;
    let goal = tile_at(&player.map, player.tile(), 6);
    player.walk_to(goal).await;
    cluster.until_saved_at(hero.id, goal).await;
    let here = admission.activation.instance_id.to_string();
    assert_eq!(here, "game-1");
    let epoch = cluster.character(hero.id).await.session_epoch;
    cluster.games[0].kill9().await;
    cluster.until_out_of_the_world(&hero).await;

    let admission = hero.admitted().await;
    assert_eq!(admission.activation.instance_id.as_str(), "game-2");
    let elsewhere = hero.claim(&admission).await;
    assert_eq!(elsewhere.tile(), goal);
    assert_eq!(cluster.character(hero.id).await.session_epoch, epoch + 1);

    // The one that died comes back, and takes nothing from who plays by now.
    cluster.games[0].start_again().await;
    cluster.until_heartbeats().await;
    assert_eq!(elsewhere.sight().bye, None);
    assert!(hero.in_roster().await.in_world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_that_stood_still_past_its_lease_writes_nothing_over_who_entered_since() {
    let cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let admission = hero.admitted().await;
    assert_eq!(admission.activation.instance_id.as_str(), "game-1");
    let frozen = hero.claim(&admission).await;
    let other = cluster.hero("Orin").await.enter().await;
    let before = cluster.instances().await["game-1"].incarnation;
    // It is on its way when its server stops, so that it has places to save.
    frozen.set_out_for(tile_at(&frozen.map, frozen.tile(), 30)).await;
    cluster.games[0].pause().await;
    cluster.until_out_of_the_world(&hero).await;

    let clock = Stopwatch::start();
    let player = hero.enter().await;
    let entered = clock.elapsed();
    assert_eq!(player.placement(), frozen.placement());
    assert_eq!(frozen.sight().bye, None, "nobody has told it");
    let goal = tile_at(&player.map, player.tile(), 4);
    player.walk_to(goal).await;
    cluster.until_saved_at(hero.id, goal).await;
    let row = cluster.character(hero.id).await;
    cluster.games[0].go_on().await;
    assert_eq!(frozen.bye().await.code, ByeCode::Superseded);
    cluster.until_heartbeats().await;
    assert_eq!(cluster.character(hero.id).await, row);
    assert_eq!(player.sight().bye, None);
    assert!(hero.in_roster().await.in_world);

    // Whose character nobody has taken goes on, under the server's new incarnation.
    assert!(cluster.instances().await["game-1"].incarnation > before);
    let goal = tile_at(&other.map, other.tile(), 3);
    other.walk_to(goal).await;
    assert_eq!(other.sight().bye, None);
    let parts = ["outage", "play", "stopped past its lease", "game"];
    let test = "deployed::crashes::a_game_server_that_stood_still_past_its_lease_writes_nothing_\
                over_who_entered_since";
    let outcome = "who entered elsewhere plays on; the earlier session ends itself";
    Row::of_processes(parts, test).record(outcome, Some(entered));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_that_reaches_no_control_plane_stands_still_when_its_lease_has_lapsed() {
    let cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let (admission, spare) = (hero.admitted().await, cluster.hero("Orin").await.admitted().await);
    let player = hero.claim(&admission).await;
    let before = cluster.instances().await["game-1"].incarnation;
    for control_plane in &cluster.control_planes {
        control_plane.pause().await;
    }
    eventually("the game server knows that its lease has lapsed", LAPSED, async || {
        cluster.games[0].log().contains("the lease has lapsed").then_some(())
    })
    .await;
    // Nothing is told any more; a claim is asked to come again.
    let mut line = Dial::of(&spare.activation, cluster.login.address()).line().await.unwrap();
    let bye = line.claim(&spare.activation.session_token, &spare.ticket).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::Unavailable);
    let stood = player.sight().tick().unwrap();
    let from = player.position();
    let goal = tile_at(&player.map, player.tile(), 3);
    player.set_out_for(goal).await;
    // As long as it takes to be asked and to refuse, several ticks' time.
    for _ in 0..5 {
        let mut line = Dial::of(&spare.activation, cluster.login.address()).line().await.unwrap();
        line.claim(&spare.activation.session_token, &spare.ticket).await.unwrap_err();
    }
    assert_eq!((player.sight().tick().unwrap(), player.position()), (stood, from));

    for control_plane in &cluster.control_planes {
        control_plane.go_on().await;
    }
    player.until("it walks on", |sight| sight.rests_on(goal)).await;
    assert!(cluster.instances().await["game-1"].incarnation > before);
    let mut line = Dial::of(&spare.activation, cluster.login.address()).line().await.unwrap();
    line.claim(&spare.activation.session_token, &spare.ticket).await.unwrap();
    cluster.until_heartbeats().await;
    assert_eq!(player.sight().bye, None);
    assert!(hero.in_roster().await.in_world);
}
