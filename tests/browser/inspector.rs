//! The inspector: the fields by which a stuck connection is diagnosed, on every screen.

use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE};
use tests::chromedriver::Chromedriver;
use tests::patience::{SCREEN_SHOWN, eventually};

use super::{ESCAPE, create_character, enter, register};

/// The inspector's key.
const F8: &str = "\u{e038}";

/// The fields of the connection flow's "Diagnose a stuck flow", in its order.
const IN_ORDER: [&str; 15] = [
    "pending_job.stage",
    "status",
    "login_response",
    "realms",
    "characters",
    "handoff",
    "handshake.accepted",
    "handshake.session_ticket",
    "handshake.activation",
    "transport.health",
    "transport.endpoint",
    "transport.reconnect_attempt",
    "transport.last_packet",
    "transport.last_message",
    "world.local_player",
];

/// Reads all fields, whose order has to be right; gives the ones of the flow's diagnosis.
async fn in_order(browser: &Browser) -> Vec<(String, String)> {
    browser.see("inspector").await;
    let mut fields = browser.inspected().await;
    fields.retain(|(name, _)| IN_ORDER.contains(&name.as_str()));
    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, IN_ORDER);
    fields
}

fn value<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    let field = fields.iter().find(|(other, _)| other == name);
    &field.expect("the inspector has the field").1
}

/// Copies the fields; gives the text once another one than before was copied.
async fn copy(browser: &Browser) -> String {
    let before = browser.copied().await;
    browser.press("inspector-copy").await;
    eventually("the fields are copied", SCREEN_SHOWN, async || {
        let copied = browser.copied().await;
        (copied != before).then_some(copied)
    })
    .await
}

async fn the_inspector_tells_of_the_connection_before_the_login_and_in_the_world<B: Backend>() {
    let mut server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("inspector", DESK).await;
    browser.watch_canvas_and_copies().await;
    browser.visit(server.origin()).await;
    browser.see("screen-login").await;
    browser.tap_key(F8).await;
    let fields = in_order(&browser).await;
    assert_eq!(value(&fields, "login_response"), "absent");
    assert_eq!(value(&fields, "transport.health"), "none");
    assert_eq!(value(&fields, "world.local_player"), "absent");
    let copied = copy(&browser).await;
    assert!(copied.starts_with("1. Job and status\n   pending_job.flow: none\n"), "{copied}");
    assert!(copied.contains("login_response: absent\n"), "{copied}");
    browser.picture("login").await;
    browser.tap_key(ESCAPE).await;
    browser.until_gone("inspector").await;
    // The key works while a name is written as well, and the name stays.
    browser.fill("username", "mara").await;
    browser.tap_key(F8).await;
    browser.see("inspector").await;
    assert_eq!(browser.value("username").await, "mara");
    browser.press("inspector-close").await;
    browser.until_gone("inspector").await;

    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    enter(&browser).await;
    browser.press("open-menu").await;
    browser.see("screen-pause").await;
    browser.press_inside("screen-pause", "open-inspector").await;
    browser.until_gone("screen-pause").await;
    let fields = in_order(&browser).await;
    for (name, there) in [
        ("pending_job.stage", "none"),
        ("login_response", "present"),
        ("handoff", "present"),
        ("handshake.accepted", "true"),
        ("handshake.session_ticket", "present"),
        ("handshake.activation", "present"),
        ("transport.health", "Live"),
        ("transport.reconnect_attempt", "0"),
        ("world.local_player", "present"),
    ] {
        assert_eq!(value(&fields, name), there, "{name}");
    }
    browser.until_inspected("world.players_in_view", "1").await;
    let _orin = server.hero("Orin").await.enter().await;
    browser.until_inspected("world.players_in_view", "2").await;
    let copied = copy(&browser).await;
    assert!(copied.contains("   transport.health: Live\n"), "{copied}");
    browser.picture("world").await;

    // It goes on while the server is away, which is what it is for.
    server.kill9().await;
    browser.until_inspected("transport.health", "Reconnecting").await;
    assert_eq!(value(&in_order(&browser).await, "login_response"), "present");
    browser.picture("reconnecting").await;
    browser.tap_key(ESCAPE).await;
    browser.until_gone("inspector").await;
    assert!(!browser.shows("screen-pause").await, "one Escape is one step back");
    browser.close().await;
}

async fn on_a_phone_the_inspector_is_opened_and_closed_by_buttons<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("inspector", PHONE).await;
    browser.visit(server.origin()).await;
    browser.see("screen-login").await;
    browser.press("open-inspector").await;
    in_order(&browser).await;
    assert!(!browser.overflows().await, "it is wider than the page's area");
    browser.picture("login").await;
    browser.press("inspector-close").await;
    browser.until_gone("inspector").await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

over_both_backends! {
    always: [];
    at_leisure: [
        the_inspector_tells_of_the_connection_before_the_login_and_in_the_world,
        on_a_phone_the_inspector_is_opened_and_closed_by_buttons,
    ];
}
