//! What a page shows when a part of a deployed backend dies under it: as little as possible.

use shared::limits::{CLIENT_HTTP_TIMEOUT, CLIENT_PROBE_TIMEOUT, CLIENT_SILENCE_TIMEOUT};
use tests::browser::{Browser, DESK, PHONE, WorldAttributes};
use tests::chromedriver::Chromedriver;
use tests::cluster::Cluster;
use tests::hero::Hero;
use tests::patience::{LAPSED, SCREEN_SHOWN, eventually};
use tests::way::tile_at;

use super::deeds::go_on_in;
use super::journey::walk_with_keys;
use super::losses::told;
use super::{come_back, create_character, enter, log_in, register, take_over};

/// A hero in the world in a page, some way from the start; gives the tile, which is saved.
async fn plays(browser: &Browser, cluster: &Cluster, name: &str) -> (Hero, String) {
    let hero = cluster.hero(name).await;
    let walker = hero.enter().await;
    let goal = tile_at(&walker.map, walker.tile(), 5);
    walker.walk_to(goal).await;
    go_on_in(browser, cluster, &hero, walker).await;
    let there = format!("{},{}", goal.x, goal.y);
    browser.until_world("it stands where it was walked", |world| world.tile == there).await;
    (hero, there)
}

/// Without help.
async fn plays_on_at_the_other(browser: &Browser, there: &str) {
    // A crash is noticed by its silence, and the session waits for the end of the lease.
    let bound = CLIENT_SILENCE_TIMEOUT + CLIENT_PROBE_TIMEOUT + LAPSED + SCREEN_SHOWN;
    let is_back = |world: &WorldAttributes| {
        world.instance == "game-2" && world.transport == "Live" && world.tile == there
    };
    browser.until_world_within("it plays on at the other", bound, is_back).await;
    assert_eq!(browser.text("status").await, "You are in the world.");
    browser.picture("back").await;
    walk_with_keys(browser).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_whose_game_server_is_killed_plays_on_at_another_without_a_click() {
    let mut cluster = Cluster::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("game-server-killed", DESK).await;
    let (_, there) = plays(&browser, &cluster, "Mara").await;
    assert_eq!(browser.world().await.expect("it is in the world").instance, "game-1");
    cluster.games[0].kill9().await;
    let bound = CLIENT_SILENCE_TIMEOUT + CLIENT_PROBE_TIMEOUT + SCREEN_SHOWN;
    let waiting = browser
        .until_world_within("the page reconnects", bound, |world| world.transport == "Reconnecting")
        .await;
    assert_eq!(waiting.tile, there);
    browser.picture("waiting").await;
    plays_on_at_the_other(&browser, &there).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn players_go_on_at_another_game_server_while_theirs_is_started_anew() {
    let mut cluster = Cluster::start().await;
    let driver = Chromedriver::start().await;
    let phone = driver.open("rolling-restart", PHONE).await;
    let (hero, there) = plays(&phone, &cluster, "Mara").await;
    cluster.games[0].stop().await;
    plays_on_at_the_other(&phone, &there).await;
    cluster.games[0].start_again().await;
    // Then the other one, and the page has never been loaded with the address of the new one.
    let stood = phone.world().await.expect("it is in the world").tile;
    cluster.until_saved_at(hero.id, phone.tile().await).await;
    cluster.games[1].stop().await;
    let is_back = |world: &WorldAttributes| {
        world.instance == "game-1" && world.transport == "Live" && world.tile == stood
    };
    phone.until_world_within("it plays on at the first", LAPSED + SCREEN_SHOWN, is_back).await;
    phone.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_control_plane_that_is_killed_is_noticed_by_nobody() {
    let mut cluster = Cluster::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("control-plane-killed", DESK).await;
    let (hero, _) = plays(&browser, &cluster, "Mara").await;
    cluster.control_planes[0].kill9().await;
    cluster.until_heartbeats().await;
    walk_with_keys(&browser).await;
    assert_eq!(browser.text("status").await, "You are in the world.");
    super::log_out(&browser).await;
    log_in(&browser, &hero.username).await;
    browser.press("character-Mara").await;
    come_back(&browser).await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_control_planes_an_entry_says_what_to_do_and_retry_works_once_they_are_back() {
    let mut cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("control-planes-away", DESK).await;
    browser.visit(cluster.login.address()).await;
    log_in(&browser, &hero.username).await;
    browser.press("character-Mara").await;
    for control_plane in &mut cluster.control_planes {
        control_plane.kill9().await;
    }
    browser.press("enter-world").await;
    let bound = CLIENT_HTTP_TIMEOUT + SCREEN_SHOWN;
    let status = eventually("the status tells the error", bound, async || {
        let status = browser.text("status").await;
        status.starts_with("Error: ").then_some(status)
    })
    .await;
    browser.see("screen-recovery").await;
    assert!(status.contains("again"), "{status}");
    browser.picture("told").await;
    for control_plane in &mut cluster.control_planes {
        control_plane.start_again().await;
    }
    browser.press("retry").await;
    browser.until_in_the_world().await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_character_takes_over_at_another_game_server_and_the_first_page_is_told() {
    let cluster = Cluster::start_with(&[("EDGE_ZONE_CAPACITY", "1")]).await;
    let driver = Chromedriver::start().await;
    let desk = driver.open("other-game-server", DESK).await;
    register(&desk, cluster.login.address(), "mara").await;
    create_character(&desk, "Mara").await;
    assert_eq!(enter(&desk).await.instance, "game-1");
    // The registry knows by now that its one seat is taken.
    cluster.until_heartbeats().await;

    let phone = driver.open("other-game-server", PHONE).await;
    phone.visit(cluster.login.address()).await;
    log_in(&phone, "mara").await;
    create_character(&phone, "Orin").await;
    assert_eq!(take_over(&phone).await.instance, "game-2");
    let status = told(&desk, SCREEN_SHOWN).await;
    assert!(status.contains("elsewhere"), "{status}");
    for browser in [desk, phone] {
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}
