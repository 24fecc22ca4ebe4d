//! What a page shows when a part of a deployed backend dies under it: as little as possible.

use shared::limits::{CLIENT_PROBE_TIMEOUT, CLIENT_SILENCE_TIMEOUT};
use tests::browser::{Browser, DESK};
use tests::chromedriver::Chromedriver;
use tests::cluster::Cluster;
use tests::hero::Hero;
use tests::patience::SCREEN_SHOWN;
use tests::way::tile_at;

use super::deeds::go_on_in;
use super::journey::walk_with_keys;
use super::{come_back, log_in};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_player_whose_game_server_is_killed_plays_on_at_another_where_they_stood() {
    let mut cluster = Cluster::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("game-server-killed", DESK).await;
    let (hero, there) = plays(&browser, &cluster, "Mara").await;
    let before = browser.world().await.expect("it is in the world");
    assert_eq!(before.instance, "game-1");
    cluster.games[0].kill9().await;
    // The page waits for the game server that it knows; who does not want to goes back.
    let bound = CLIENT_SILENCE_TIMEOUT + CLIENT_PROBE_TIMEOUT + SCREEN_SHOWN;
    browser
        .until_world_within("the page reconnects", bound, |world| world.transport == "Reconnecting")
        .await;
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    cluster.until_out_of_the_world(&hero).await;
    browser.until_enabled("character-Mara").await;
    browser.press("character-Mara").await;
    come_back(&browser).await;
    let back = browser.until_in_the_world().await;
    assert_eq!((back.tile, back.instance.as_str()), (there, "game-2"));
    browser.picture("back").await;
    walk_with_keys(&browser).await;
    browser.close().await;
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
