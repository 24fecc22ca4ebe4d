//! A page that is sent to a game server which cannot admit it.

use edge_server::stores::keys;
use tests::browser::{DESK, PHONE};
use tests::chromedriver::Chromedriver;
use tests::patience::{SCREEN_SHOWN, eventually};
use tests::server::Server;
use tests::world;

use super::{create_character, enter, register};

#[tokio::test(flavor = "multi_thread")]
async fn the_page_follows_a_redirect_into_another_layer() {
    let layers = world::with_layers(&["edge-b"]);
    let server = Server::setup()
        .with("EDGE_WORLD_DIR", layers.path().display())
        .with("EDGE_ZONE_CAPACITY", 1)
        .start()
        .await;
    let store = server.store().await;
    // The registry goes on believing that edge-a has room, while Orin sits there.
    store.freeze_registry("edge-a").await;
    let orin = server.hero("Orin").await;
    let _orin_plays = orin.enter().await;

    let driver = Chromedriver::start().await;
    let browser = driver.open("redirect", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    let world = enter(&browser).await;
    assert_eq!((world.instance.as_str(), world.players.as_str()), ("edge-b", "1"));
    let sent_on = store.coordination("login:handoff-redirect:").await;
    assert_eq!(sent_on.len(), 1, "edge-a was asked first");
    assert!(store.coordination(keys::HOLD_PREFIX).await.is_empty());
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_every_seat_is_taken_the_page_says_so_and_keeps_the_roster() {
    let server = Server::setup().with("EDGE_ZONE_CAPACITY", 1).start().await;
    let store = server.store().await;
    store.freeze_registry("edge-a").await;
    let orin = server.hero("Orin").await;
    let orin_plays = orin.enter().await;

    let driver = Chromedriver::start().await;
    let browser = driver.open("full", PHONE).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    browser.press("enter-world").await;
    let status = eventually("the status tells why", SCREEN_SHOWN, async || {
        let status = browser.text("status").await;
        status.contains("full").then_some(status)
    })
    .await;
    browser.see("screen-recovery").await;
    browser.picture("zone-full").await;
    browser.press("back-to-characters").await;
    browser.press("character-Mara").await;

    orin_plays.leave().await;
    store.until_nobody_is_in_the_world().await;
    let world = enter(&browser).await;
    assert_eq!(world.instance, "edge-a", "after {status:?}");
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}
