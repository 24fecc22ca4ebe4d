//! Every step of the way into the world fails once: the page says in words what has happened,
//! keeps what it has, and `retry` leads into the world as soon as the fault is over.

use std::time::Duration;

use shared::limits::{CLIENT_DIAL_TIMEOUT, CLIENT_HANDSHAKE_LIMIT, CLIENT_HTTP_TIMEOUT};
use tests::backend::Backend;
use tests::browser::{Browser, DESK};
use tests::chromedriver::Chromedriver;
use tests::gate::Gate;
use tests::hero::{Hero, PASSWORD};
use tests::patience::{HAPPENED, SCREEN_SHOWN, eventually};
use tests::server::Server;

use super::{come_back, log_in};

/// What a limit of the page may take longer: a browser that shares its processor draws late.
const MARGIN: Duration = Duration::from_secs(3);

/// A server behind a gate, and a browser with its login screen.
struct Stage {
    gate: Gate,
    server: Server,
    browser: Browser,
    // Outlives the browser.
    _driver: Chromedriver,
    mara: Hero,
}

async fn stage(journey: &str) -> Stage {
    let gate = Gate::open().await;
    let server = gate.setup().start().await;
    let mara = Hero::create(gate.api_behind(), "Mara").await;
    let driver = Chromedriver::start().await;
    let browser = driver.open(journey, DESK).await;
    browser.visit(server.origin()).await;
    browser.see("screen-login").await;
    Stage { gate, server, browser, _driver: driver, mara }
}

/// The same with the character selected.
async fn stage_before_the_world(journey: &str) -> Stage {
    let stage = stage(journey).await;
    log_in(&stage.browser, &stage.mara.username).await;
    stage.browser.press("character-Mara").await;
    stage
}

/// Waits until the page tells of an error; gives its words.
async fn told(browser: &Browser, bound: Duration) -> String {
    eventually("the status tells the error", bound, async || {
        let status = browser.text("status").await;
        status.starts_with("Error: ").then_some(status)
    })
    .await
}

/// Waits until the page tells that the world was not entered, and how to go on.
async fn told_of_a_failed_entry(browser: &Browser, bound: Duration) -> String {
    let status = told(browser, bound).await;
    browser.see("screen-recovery").await;
    for control in ["retry", "back-to-characters"] {
        assert!(browser.shows(control).await, "{control} is offered after {status:?}");
    }
    status
}

/// The failed entry has cost neither login, realms nor roster.
async fn go_back_and_find_the_roster(browser: &Browser) {
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    browser.press("character-Mara").await;
    browser.press("back-to-realms").await;
    browser.press("realm-dawn").await;
    browser.press("character-Mara").await;
}

async fn retry_into_the_world(browser: &Browser) {
    browser.press("retry").await;
    browser.until_in_the_world().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_reaches_no_server_keeps_the_form_for_another_try() {
    let mut stage = stage("down-at-login").await;
    stage.gate.page.shut().await;
    stage.browser.fill("username", &stage.mara.username).await;
    stage.browser.fill("password", PASSWORD).await;
    stage.browser.press("login").await;
    let status = told(&stage.browser, SCREEN_SHOWN).await;
    assert!(status.contains("reached") && status.contains("try again"), "{status}");
    assert!(stage.browser.shows("screen-login").await, "it stays on the login screen");
    assert_eq!(stage.browser.value("username").await, stage.mara.username);
    assert_eq!(stage.browser.value("password").await, PASSWORD);
    stage.browser.picture("told").await;
    stage.gate.page.open().await;
    stage.browser.press("login").await;
    stage.browser.see("screen-realms").await;
    stage.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_select_that_gets_no_answer_ends_on_the_recovery_screen() {
    let mut stage = stage_before_the_world("down-at-select").await;
    stage.gate.page.shut().await;
    stage.browser.press("enter-world").await;
    let status = told_of_a_failed_entry(&stage.browser, SCREEN_SHOWN).await;
    assert!(status.contains("reached") && status.contains("try again"), "{status}");
    stage.browser.picture("unreachable").await;

    stage.gate.page.hold().await;
    stage.browser.press("retry").await;
    stage.gate.page.until_asked().await;
    stage.browser.see("screen-loading").await;
    let status = told_of_a_failed_entry(&stage.browser, CLIENT_HTTP_TIMEOUT + MARGIN).await;
    assert!(status.contains("not answer") && status.contains("try again"), "{status}");
    stage.browser.picture("silent").await;

    stage.gate.page.open().await;
    go_back_and_find_the_roster(&stage.browser).await;
    stage.browser.press("enter-world").await;
    stage.browser.until_in_the_world().await;
    stage.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_that_reaches_no_game_server_ends_on_the_recovery_screen() {
    let mut stage = stage_before_the_world("down-at-handshake").await;
    stage.gate.game.shut().await;
    stage.browser.press("enter-world").await;
    let status = told_of_a_failed_entry(&stage.browser, SCREEN_SHOWN).await;
    assert!(status.contains("reached") && status.contains("try again"), "{status}");
    stage.browser.picture("told").await;
    stage.gate.game.open().await;
    retry_into_the_world(&stage.browser).await;
    stage.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_that_is_never_answered_is_given_up_within_its_limit() {
    let mut stage = stage_before_the_world("silent-handshake").await;
    stage.gate.game.hold().await;
    stage.browser.press("enter-world").await;
    stage.gate.game.until_asked().await;
    let status = told_of_a_failed_entry(&stage.browser, CLIENT_HANDSHAKE_LIMIT + MARGIN).await;
    assert!(status.contains("not answer") && status.contains("try again"), "{status}");
    stage.browser.picture("told").await;
    stage.gate.game.open().await;
    retry_into_the_world(&stage.browser).await;
    stage.browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_whose_token_has_expired_is_told_and_tried_anew() {
    let mut stage = stage_before_the_world("expired").await;
    let store = stage.server.store().await;
    stage.gate.game.hold().await;
    stage.browser.press("enter-world").await;
    stage.gate.game.until_asked().await;
    store.expire(&store.only_key("login:handoff:instance:").await).await;
    stage.gate.game.open().await;
    let status = told_of_a_failed_entry(&stage.browser, SCREEN_SHOWN).await;
    assert!(status.contains("expired"), "{status}");
    stage.browser.picture("told").await;
    retry_into_the_world(&stage.browser).await;
    assert_eq!(stage.browser.close().await, Vec::<String>::new(), "the console is clean");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_that_was_deleted_on_the_way_in_is_told_and_leaves_the_roster() {
    let mut stage = stage_before_the_world("deleted").await;
    stage.gate.game.hold().await;
    stage.browser.press("enter-world").await;
    stage.gate.game.until_asked().await;
    stage
        .mara
        .api
        .delete_character(stage.mara.token(), stage.mara.realm.as_str(), stage.mara.id)
        .await
        .unwrap();
    stage.gate.game.open().await;
    let status = told_of_a_failed_entry(&stage.browser, SCREEN_SHOWN).await;
    assert!(status.contains("character"), "{status}");
    stage.browser.picture("told").await;
    stage.browser.press("back-to-characters").await;
    stage.browser.see("screen-characters").await;
    stage.browser.until_gone("character-Mara").await;
    assert!(stage.browser.shows("create-character").await, "another one can be made");
    assert_eq!(stage.browser.close().await, Vec::<String>::new(), "the console is clean");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dial_that_is_never_answered_or_reaches_nobody_is_told_within_its_limit() {
    let mut stage = stage_before_the_world("down-at-dial").await;
    stage.gate.realtime.hold().await;
    stage.browser.press("enter-world").await;
    stage.gate.realtime.until_asked().await;
    let status = told_of_a_failed_entry(&stage.browser, CLIENT_DIAL_TIMEOUT + MARGIN).await;
    // Chromium gives a dial up at about the same time, in words of its own.
    assert!(status.contains("game server") && status.contains("enter the world again"), "{status}");
    stage.browser.picture("never-answered").await;

    stage.gate.realtime.shut().await;
    stage.browser.press("retry").await;
    let status = told_of_a_failed_entry(&stage.browser, CLIENT_DIAL_TIMEOUT + MARGIN).await;
    assert!(status.contains("game server") && status.contains("enter the world again"), "{status}");
    stage.browser.picture("nobody").await;

    stage.gate.realtime.open().await;
    go_back_and_find_the_roster(&stage.browser).await;
    // What was admitted waits for its claim, so the roster has the character in the world.
    come_back(&stage.browser).await;
    stage.browser.close().await;
}

/// The connection stands and the hello has come, but the server cannot write that it has.
#[tokio::test(flavor = "multi_thread")]
async fn a_welcome_that_does_not_come_is_told_within_the_limit_of_the_dial() {
    let mut stage = stage_before_the_world("no-welcome").await;
    let store = stage.server.store().await;
    stage.gate.realtime.hold().await;
    stage.browser.press("enter-world").await;
    stage.gate.realtime.until_asked().await;
    let occupied = store.occupy_the_writer().await;
    stage.gate.realtime.open().await;
    let status = told_of_a_failed_entry(&stage.browser, CLIENT_DIAL_TIMEOUT + MARGIN).await;
    assert!(status.contains("not answer") && status.contains("enter the world again"), "{status}");
    stage.browser.picture("told").await;
    // It waits for its writer first, and another write may wait before it.
    eventually("the server gives the hello up", 2 * HAPPENED, async || {
        stage.server.log().contains("a store did not take an activation").then_some(())
    })
    .await;
    occupied.give_back().await;
    retry_into_the_world(&stage.browser).await;
    stage.browser.close().await;
}

async fn a_browser_without_web_transport_is_told_which_browsers_have_it<B: Backend>() {
    let server = B::start().await;
    let mara = server.hero("Mara").await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("no-web-transport", DESK).await;
    browser.run_before_pages("delete window.WebTransport").await;
    browser.visit(server.origin()).await;
    let names_browsers = |text: &str| {
        let names = ["WebTransport", "Chrome", "Edge", "Firefox"];
        assert!(names.iter().all(|name| text.contains(name)), "{text}");
    };
    browser.see("screen-login").await;
    names_browsers(&browser.text("runtime-problem").await);
    browser.picture("login").await;

    browser.fill("username", &mara.username).await;
    browser.fill("password", PASSWORD).await;
    browser.press("quick-connect").await;
    names_browsers(&told(&browser, SCREEN_SHOWN).await);
    assert!(browser.shows("screen-login").await, "it stays on the login screen");
    assert_eq!(browser.value("username").await, mara.username);

    // Everything else of an account is there.
    log_in(&browser, &mara.username).await;
    browser.press("character-Mara").await;
    browser.press("enter-world").await;
    names_browsers(&told(&browser, SCREEN_SHOWN).await);
    assert!(browser.shows("screen-characters").await, "what could not begin stays where it was");
    browser.picture("enter").await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

over_both_backends! {
    always: [];
    at_leisure: [
        a_browser_without_web_transport_is_told_which_browsers_have_it,
    ];
}
