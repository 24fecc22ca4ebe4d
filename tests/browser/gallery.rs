//! Every screen at both sizes: that it comes, fits the page's area, and what it looks like.

use shared::realtime::command::{Command, CommandOutcome, Emote};
use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE, Viewport};
use tests::chromedriver::Chromedriver;
use tests::hero::PASSWORD;
use tests::way::last_step;

use super::deeds::stand_before_the_brambles;
use super::talk::until_log_has;
use super::{create_character, enter};

const DONE: CommandOutcome = CommandOutcome::Done;
/// A phone, held on its side.
const PHONE_ON_ITS_SIDE: Viewport =
    Viewport { name: "phone-on-its-side", width: 844, height: 390, touch: true };

async fn shown(browser: &Browser, name: &str) {
    browser.see_screen(name).await;
    assert!(!browser.overflows().await, "{name} is wider than the page's area");
}

async fn every_screen<B: Backend>(viewport: Viewport) {
    let mut server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("gallery", viewport).await;
    browser.visit(server.origin()).await;
    shown(&browser, "login").await;
    browser.fill("username", "mara").await;
    browser.fill("password", PASSWORD).await;
    browser.press("register").await;
    shown(&browser, "realms").await;
    browser.press("realm-dawn").await;
    shown(&browser, "characters").await;
    // A full roster, with the longest names that there are.
    for name in
        ["Mara", "Orin", "Tamsin", "Wilhelminatheodo", "Mmmmmmmmmmmmmmmm", "Jean-Luc O'Haras"]
    {
        create_character(&browser, name).await;
    }
    shown(&browser, "characters").await;
    browser.press("delete-character").await;
    browser.see("confirm-delete").await;
    browser.picture("delete-character").await;
    browser.press("cancel-delete").await;

    // A server that holds its breath makes the loading screen stay.
    server.pause().await;
    browser.press("enter-world").await;
    shown(&browser, "loading").await;
    server.go_on().await;
    browser.until_in_the_world().await;
    assert!(browser.world_fills_the_page().await, "the world leaves a part of the page empty");
    shown(&browser, "world").await;
    browser.press("open-menu").await;
    shown(&browser, "pause").await;
    browser.press("resume").await;
    browser.press("open-menu").await;
    browser.press("back-to-characters").await;
    shown(&browser, "characters").await;
    enter(&browser).await;
    browser.press("open-menu").await;
    browser.see("screen-pause").await;
    // At once, for the status of one who has just entered fades by itself.
    assert!(!browser.shows("status").await, "the status covers the menu");
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    assert_eq!(browser.console_errors().await, Vec::<String>::new(), "the console is clean");

    // Without a server the way into the world is closed, and the way back is open.
    server.kill9().await;
    browser.press("enter-world").await;
    shown(&browser, "recovery").await;
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    browser.close().await;
}

/// What lies over the world: words and feelings, the menus, the inspector, the lost
/// connection, death.
async fn everything_over_the_world<B: Backend>(viewport: Viewport) {
    let server = B::start().await;
    let orin = server.hero("Orin").await.enter().await;
    let hero = server.hero("Mara").await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("over-the-world", viewport).await;
    browser.watch_canvas_and_copies().await;
    let (step, _) = stand_before_the_brambles(&browser, &server, &hero).await;
    // Two steps away, so that their words do not cover each other.
    let mara = browser.tile().await;
    let (beside, _) = last_step(&orin.map, orin.tile(), mara);
    orin.walk_to(last_step(&orin.map, orin.tile(), beside).0).await;
    browser.until_world("Orin is in view", |world| world.players == "2").await;

    assert_eq!(orin.ask(Command::Say("Mind the brambles!".parse().unwrap())).await, DONE);
    browser.until_bubble("Mind the brambles!").await;
    browser.press("open-chat").await;
    browser.fill("chat-input", "I see no").await;
    browser.picture("chat-writing").await;
    assert!(!browser.overflows().await, "the chat is wider than the page's area");
    let long = "I see no brambles, and if I did I would walk around them, as I always do";
    browser.fill("chat-input", long).await;
    browser.press("send-chat").await;
    browser.see("chat-log").await;
    until_log_has(&browser, &format!("Mara: {long}")).await;
    assert_eq!(orin.ask(Command::Say("So they all said.".parse().unwrap())).await, DONE);
    browser.until_bubble("So they all said.").await;
    browser.picture("chat-bubbles").await;
    let has_room = viewport != PHONE;
    assert!(has_room || !browser.shows("walk-hint").await, "the hint covers the words");
    browser.press("emote-laugh").await;
    browser.until_feeling(Emote::Laugh).await;
    assert_eq!(orin.ask(Command::Emote(Emote::Heart)).await, DONE);
    browser.until_feeling(Emote::Heart).await;
    browser.picture("feelings").await;

    browser.press("open-menu").await;
    shown(&browser, "pause").await;
    browser.press("open-settings").await;
    browser.until_focused("settings-back").await;
    browser.picture("settings").await;
    for control in ["keybind-walk-up", "settings-back"] {
        assert!(browser.is_in_sight(control).await, "{control} is out of sight");
    }
    assert!(!browser.overflows().await, "the settings are wider than the page's area");
    browser.press("settings-back").await;
    browser.press("open-telemetry").await;
    browser.until_gone("screen-pause").await;
    browser.see("telemetry").await;
    browser.press("open-menu").await;
    browser.press_inside("screen-pause", "open-inspector").await;
    browser.until_gone("screen-pause").await;
    browser.see("inspector").await;
    browser.picture("inspector").await;
    assert!(!browser.overflows().await, "the inspector is wider than the page's area");
    browser.press("inspector-close").await;

    server.pause().await;
    browser.see("reconnecting").await;
    browser.picture("reconnecting").await;
    assert!(!browser.overflows().await, "the words are wider than the page's area");
    server.go_on().await;
    browser.until_in_the_world().await;
    browser.until_gone("reconnecting").await;

    browser.key(step, true).await;
    shown(&browser, "death").await;
    browser.key(step, false).await;
    browser.press("respawn").await;
    browser.until_gone("screen-death").await;
    browser.close().await;
}

async fn everything_over_the_world_fits_a_desk<B: Backend>() {
    everything_over_the_world::<B>(DESK).await;
}

async fn everything_over_the_world_fits_a_phone<B: Backend>() {
    everything_over_the_world::<B>(PHONE).await;
}

async fn everything_over_the_world_fits_a_phone_on_its_side<B: Backend>() {
    everything_over_the_world::<B>(PHONE_ON_ITS_SIDE).await;
}

async fn every_screen_fits_a_desk<B: Backend>() {
    every_screen::<B>(DESK).await;
}

async fn every_screen_fits_a_phone<B: Backend>() {
    every_screen::<B>(PHONE).await;
}

async fn every_screen_fits_a_phone_on_its_side<B: Backend>() {
    every_screen::<B>(PHONE_ON_ITS_SIDE).await;
}

over_both_backends! {
    always: [];
    at_leisure: [
        everything_over_the_world_fits_a_desk,
        everything_over_the_world_fits_a_phone,
        everything_over_the_world_fits_a_phone_on_its_side,
        every_screen_fits_a_desk,
        every_screen_fits_a_phone,
        every_screen_fits_a_phone_on_its_side,
    ];
}
