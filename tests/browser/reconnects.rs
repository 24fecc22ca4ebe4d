//! What the page does when its connection to the world is lost and its session is not, and
//! when the page itself is loaded anew in the world.

use shared::limits::{CLIENT_PROBE_TIMEOUT, CLIENT_SILENCE_TIMEOUT};
use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE, WorldAttributes};
use tests::chromedriver::Chromedriver;
use tests::patience::SCREEN_SHOWN;
use tests::server::Server;

use super::losses::{go_on, told};
use super::{come_back, create_character, enter, register};

/// Waits until the page shows that it reconnects. The world stays where it was meanwhile.
pub(super) async fn reconnecting(browser: &Browser) -> WorldAttributes {
    let bound = CLIENT_SILENCE_TIMEOUT + CLIENT_PROBE_TIMEOUT + SCREEN_SHOWN;
    let world = browser
        .until_world_within("the page reconnects", bound, |world| world.transport == "Reconnecting")
        .await;
    assert!(browser.shows("screen-world").await, "the world stays on the screen");
    assert!(!browser.shows("screen-loading").await);
    world
}

async fn a_server_that_falls_silent_is_noticed_and_the_session_comes_back_by_itself<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    for viewport in [DESK, PHONE] {
        let browser = driver.open("silent", viewport).await;
        let name = format!("mara{}", viewport.name);
        register(&browser, server.origin(), &name).await;
        create_character(&browser, if viewport == DESK { "Mara" } else { "Orin" }).await;
        let before = enter(&browser).await;
        server.pause().await;
        let lost = reconnecting(&browser).await;
        assert_eq!(lost.tile, before.tile);
        let status = browser.text("status").await;
        assert!(status.starts_with("Connection lost. Reconnecting, attempt "), "{status}");
        browser.picture("reconnecting").await;
        server.go_on().await;
        let back = browser.until_in_the_world().await;
        assert_eq!(back.tile, before.tile, "nobody had to touch anything");
        assert_eq!(browser.text("status").await, "You are in the world.");
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_in_play_and_started_again_has_the_player_back_without_a_click() {
    let mut server = Server::setup().at_lasting_addresses().start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("killed", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    let before = enter(&browser).await;
    for round in 0..2 {
        if round == 0 {
            server.kill9().await;
        } else {
            server.stop().await;
        }
        let lost = reconnecting(&browser).await;
        assert_eq!((&lost.tile, &lost.zone), (&before.tile, &before.zone));
        server.start_again().await;
        let back = browser.until_in_the_world().await;
        assert_eq!((&back.tile, &back.zone), (&before.tile, &before.zone));
        assert_eq!((&back.instance, &back.players), (&before.instance, &before.players));
        assert_eq!(browser.text("status").await, "You are in the world.");
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_comes_back_without_the_session_says_so() {
    let mut server = Server::setup().at_lasting_addresses().start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("gone", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    let before = enter(&browser).await;
    let store = server.store().await;
    server.kill9().await;
    reconnecting(&browser).await;
    store.expire(&store.only_key("realtime:resume:").await).await;
    server.start_again().await;
    let status = told(&browser, SCREEN_SHOWN).await;
    assert!(status.contains("the session is over"), "{status}");
    assert!(status.ends_with("Log in or continue to play on"), "{status}");
    browser.picture("told").await;
    go_on(&browser).await;
    let back = come_back(&browser).await;
    assert_eq!(back.tile, before.tile);
    browser.close().await;
}

async fn who_gives_a_reconnect_up_is_back_at_the_roster_and_may_enter_again<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("given-up", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    enter(&browser).await;
    server.pause().await;
    reconnecting(&browser).await;
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    server.go_on().await;
    browser.until_enabled("character-Mara").await;
    browser.press("character-Mara").await;
    come_back(&browser).await;
    browser.close().await;
}

async fn a_reload_in_the_world_goes_back_into_it<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    for viewport in [DESK, PHONE] {
        let browser = driver.open("world-reload", viewport).await;
        let name = format!("mara{}", viewport.name);
        register(&browser, server.origin(), &name).await;
        create_character(&browser, if viewport == DESK { "Mara" } else { "Orin" }).await;
        let before = enter(&browser).await;
        browser.reload().await;
        let back = browser.until_in_the_world().await;
        assert_eq!((&back.tile, &back.players), (&before.tile, &before.players));
        // A page that was left for another one, and comes back by the history.
        browser.visit("about:blank").await;
        browser.back().await;
        let back = browser.until_in_the_world().await;
        assert_eq!((back.tile, back.players), (before.tile, before.players));
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_comes_back_after_a_crash_is_in_the_world_or_at_the_roster_if_nothing_is_left()
{
    let mut server = Server::setup().at_lasting_addresses().start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("session-gone", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    let before = enter(&browser).await;
    let store = server.store().await;
    browser.visit("about:blank").await;
    server.kill9().await;
    server.start_again().await;
    browser.visit(server.origin()).await;
    assert_eq!(browser.until_in_the_world().await.tile, before.tile);
    browser.visit("about:blank").await;
    server.kill9().await;
    store.expire(&store.only_key("realtime:resume:").await).await;
    server.start_again().await;
    browser.visit(server.origin()).await;
    browser.see("screen-characters").await;
    browser.press("character-Mara").await;
    assert_eq!(come_back(&browser).await.tile, before.tile);
    browser.close().await;
}

async fn a_reload_after_the_player_has_left_shows_the_roster<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("late-reload", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    enter(&browser).await;
    browser.press("open-menu").await;
    browser.see("screen-pause").await;
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    browser.reload().await;
    browser.see("character-Mara").await;
    assert!(browser.shows("screen-characters").await);
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

async fn a_duplicated_tab_takes_over_and_the_first_is_told<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("duplicated", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    let before = enter(&browser).await;
    let first = browser.duplicate().await;
    let taken = browser.until_in_the_world().await;
    assert_eq!((taken.tile, taken.players), (before.tile, "1".to_owned()));
    browser.switch_to(first).await;
    let status = told(&browser, SCREEN_SHOWN).await;
    assert!(status.contains("elsewhere"), "{status}");
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

over_both_backends! {
    always: [
        a_server_that_falls_silent_is_noticed_and_the_session_comes_back_by_itself,
        a_reload_in_the_world_goes_back_into_it,
    ];
    at_leisure: [
        who_gives_a_reconnect_up_is_back_at_the_roster_and_may_enter_again,
        a_reload_after_the_player_has_left_shows_the_roster,
        a_duplicated_tab_takes_over_and_the_first_is_told,
    ];
}
