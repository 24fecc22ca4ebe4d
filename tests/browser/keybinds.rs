//! The settings: which key does what.

use tests::backend::Backend;
use tests::browser::{Browser, DESK};
use tests::chromedriver::Chromedriver;
use tests::patience::{SCREEN_SHOWN, eventually};

use super::{ENTER, ESCAPE, create_character, enter, register};

const ARROW_UP: &str = "\u{e013}";

async fn open_settings(browser: &Browser) {
    browser.press("open-menu").await;
    browser.press("open-settings").await;
    browser.until_focused("settings-back").await;
}

async fn close_settings(browser: &Browser) {
    browser.press("settings-back").await;
    browser.press("resume").await;
    browser.until_gone("screen-pause").await;
}

async fn until_told(browser: &Browser, text: &str) {
    let what = format!("the settings tell {text:?}");
    eventually(&what, SCREEN_SHOWN, async || {
        (browser.text("keybind-status").await == text).then_some(())
    })
    .await;
}

/// The key that an action has, by its place on the keyboard.
async fn key_of(browser: &Browser, action: &str) -> String {
    let key = browser.attribute(&format!("keybind-{action}"), "data-key").await;
    key.expect("an action has a key")
}

/// Chooses an action's line and presses a key.
async fn bind(browser: &Browser, action: &str, key: &str) {
    browser.press(&format!("keybind-{action}")).await;
    browser.tap_key(key).await;
}

/// Asserts that a key opens no chat. The one that does is pressed after it, so that nothing
/// is waited for that never comes.
async fn opens_nothing(browser: &Browser, key: &str, chat: &str) {
    browser.tap_key(key).await;
    assert!(!browser.shows("chat-input").await, "{key:?} opens the chat");
    opens_the_chat(browser, chat).await;
}

async fn opens_the_chat(browser: &Browser, key: &str) {
    browser.tap_key(key).await;
    browser.until_focused("chat-input").await;
    assert_eq!(browser.value("chat-input").await, "", "no key wrote into it that opened it");
    browser.tap_key(ESCAPE).await;
    browser.until_gone("chat-input").await;
}

async fn a_key_is_chosen_works_at_once_and_after_a_reload_until_all_are_put_back<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("keys", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    enter(&browser).await;
    opens_the_chat(&browser, ENTER).await;

    open_settings(&browser).await;
    bind(&browser, "chat", "t").await;
    until_told(&browser, "Chat: T.").await;
    assert_eq!(key_of(&browser, "chat").await, "KeyT");
    browser.picture("bound").await;
    close_settings(&browser).await;
    opens_nothing(&browser, ENTER, "t").await;

    browser.reload().await;
    browser.until_in_the_world().await;
    opens_nothing(&browser, ENTER, "t").await;

    open_settings(&browser).await;
    assert_eq!(key_of(&browser, "chat").await, "KeyT");
    browser.press("keybind-reset").await;
    until_told(&browser, "Every key does again what it did at first.").await;
    assert_eq!(key_of(&browser, "chat").await, "Enter");
    close_settings(&browser).await;
    opens_nothing(&browser, "t", ENTER).await;
    browser.reload().await;
    browser.until_in_the_world().await;
    opens_nothing(&browser, "t", ENTER).await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

async fn a_key_with_a_meaning_of_its_own_is_refused_and_one_of_another_action_is_swapped<
    B: Backend,
>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("taken-keys", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    enter(&browser).await;

    open_settings(&browser).await;
    bind(&browser, "gather", ARROW_UP).await;
    until_told(&browser, "Arrow up keeps its meaning: press another key.").await;
    assert_eq!(key_of(&browser, "gather").await, "KeyE");
    browser.picture("refused").await;
    // The line still waits for a key. Escape gives that up, and no more than that.
    browser.tap_key(ESCAPE).await;
    until_told(&browser, "Gather keeps E.").await;
    assert!(browser.shows("keybind-gather").await, "one Escape is one step back");

    bind(&browser, "wave", ENTER).await;
    until_told(&browser, "Wave: Enter. Chat had this key and is now on 1.").await;
    assert_eq!(key_of(&browser, "wave").await, "Enter");
    assert_eq!(key_of(&browser, "chat").await, "Digit1");
    browser.tap_key(ESCAPE).await;
    browser.until_focused("resume").await;
    browser.tap_key(ESCAPE).await;
    browser.until_gone("screen-pause").await;
    opens_nothing(&browser, ENTER, "1").await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

over_both_backends! {
    always: [];
    at_leisure: [
        a_key_is_chosen_works_at_once_and_after_a_reload_until_all_are_put_back,
        a_key_with_a_meaning_of_its_own_is_refused_and_one_of_another_action_is_swapped,
    ];
}
