//! Talking and feelings: what one says is read and seen by all who are in view.

use shared::realtime::command::{Command, CommandOutcome, Emote};
use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE};
use tests::chromedriver::Chromedriver;
use tests::patience::{SCREEN_SHOWN, eventually};
use tests::player::Player;

use super::{ENTER, ESCAPE, create_character, enter, register};

/// Snapshots in which a body that walked would have been seen to.
const TICKS_AT_REST: u32 = 20;

/// Waits until the log has a line; gives the log as it is then.
pub(super) async fn until_log_has(browser: &Browser, line: &str) -> String {
    let what = format!("the log has the line {line:?}");
    eventually(&what, SCREEN_SHOWN, async || {
        let log = browser.text("chat-log").await;
        log.lines().any(|one| one == line).then_some(log)
    })
    .await
}

/// Opens the line to write in by the chat's key, and waits until it has the keyboard.
pub(super) async fn open_chat(browser: &Browser) {
    browser.tap_key(ENTER).await;
    browser.until_focused("chat-input").await;
}

/// Says something by the keyboard alone.
pub(super) async fn say(browser: &Browser, text: &str) {
    open_chat(browser).await;
    browser.write(text).await;
    browser.tap_key(ENTER).await;
    browser.until_gone("chat-input").await;
}

/// Enters the world as Mara in a page whose canvas is watched.
async fn mara_enters(browser: &Browser, server: &impl Backend) {
    browser.watch_canvas_and_copies().await;
    register(browser, server.origin(), "mara").await;
    create_character(browser, "Mara").await;
    enter(browser).await;
    browser.until_world("two are in view", |world| world.players == "2").await;
}

/// Whether Mara has stood still for a while, as Orin sees it.
async fn mara_stands_still(orin: &Player) {
    let mara = orin.sight().entity_of("Mara").expect("Mara is in view");
    let before = orin.sight();
    let (tick, body) = (before.tick().unwrap(), before.body(mara));
    let after = orin.until("time passes", |s| s.tick().is_some_and(|t| t > tick + TICKS_AT_REST));
    assert_eq!(after.await.body(mara), body, "the keys write and do not walk");
}

async fn what_two_pages_say_is_in_both_logs_and_over_their_heads<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let mara = driver.open("talk", DESK).await;
    let orin = driver.open("talk", PHONE).await;
    for (browser, username, name) in [(&mara, "mara", "Mara"), (&orin, "orin", "Orin")] {
        browser.watch_canvas_and_copies().await;
        register(browser, server.origin(), username).await;
        create_character(browser, name).await;
        enter(browser).await;
    }
    for browser in [&mara, &orin] {
        browser.until_world("two are in view", |world| world.players == "2").await;
    }
    say(&mara, "Grab the lamp, Orin").await;
    for browser in [&mara, &orin] {
        browser.until_bubble("Grab the lamp, Orin").await;
        until_log_has(browser, "Mara: Grab the lamp, Orin").await;
    }
    // Without a keyboard, by the buttons.
    orin.press("open-chat").await;
    orin.fill("chat-input", "Which one?").await;
    orin.press("send-chat").await;
    for browser in [&mara, &orin] {
        browser.until_bubble("Which one?").await;
        let log = until_log_has(browser, "Orin: Which one?").await;
        assert_eq!(log, "Mara: Grab the lamp, Orin\nOrin: Which one?");
        browser.picture("both-have-spoken").await;
    }
    for browser in [mara, orin] {
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

async fn who_writes_does_not_walk_and_only_what_is_sent_is_said<B: Backend>() {
    let server = B::start().await;
    let orin = server.hero("Orin").await.enter().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("writing", DESK).await;
    mara_enters(&browser, &server).await;
    orin.until("Mara is in view", |sight| sight.entity_of("Mara").is_some()).await;

    for empty in ["", "   "] {
        open_chat(&browser).await;
        browser.fill("chat-input", empty).await;
        browser.tap_key(ENTER).await;
        browser.until_gone("chat-input").await;
    }
    open_chat(&browser).await;
    browser.fill("chat-input", "was dawdles").await;
    for key in ["w", "a", "s", "d"] {
        browser.key(key, true).await;
    }
    mara_stands_still(&orin).await;
    for key in ["w", "a", "s", "d"] {
        browser.key(key, false).await;
    }
    let written = browser.value("chat-input").await;
    assert!(written.starts_with("was dawdleswasd"), "{written}");

    browser.tap_key(ESCAPE).await;
    browser.until_gone("chat-input").await;
    assert!(!browser.shows("screen-pause").await, "one Escape is one step back");
    open_chat(&browser).await;
    assert_eq!(browser.value("chat-input").await, written, "what was begun is kept");
    // Who closes and opens it in one breath has the keyboard in it.
    browser.tap_keys(&[ESCAPE, ENTER, ESCAPE, ENTER]).await;
    browser.until_focused("chat-input").await;
    browser.tap_keys(&["!", ESCAPE]).await;
    browser.until_gone("chat-input").await;
    open_chat(&browser).await;
    assert_eq!(browser.value("chat-input").await, format!("{written}!"));
    browser.press("close-chat").await;
    browser.until_gone("chat-input").await;
    browser.press("open-chat").await;
    browser.until_focused("chat-input").await;
    browser.fill("chat-input", "at last").await;
    browser.tap_key(ENTER).await;
    until_log_has(&browser, "Mara: at last").await;
    let heard = orin.until("Orin hears it", |sight| !sight.said.is_empty()).await;
    let said: Vec<&str> = heard.said.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(said, ["at last"], "nothing else was said before");
    assert_eq!(browser.text("chat-log").await, "Mara: at last");

    // The keyboard is the world's again.
    super::journey::walk_with_keys(&browser).await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

async fn a_feeling_is_shown_by_key_and_by_button_and_seen_by_the_other<B: Backend>() {
    let server = B::start().await;
    let orin = server.hero("Orin").await.enter().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("feelings", DESK).await;
    mara_enters(&browser, &server).await;
    let seen = orin.until("Mara is in view", |sight| sight.entity_of("Mara").is_some()).await;
    let mara = seen.entity_of("Mara").unwrap();

    browser.tap_key("1").await;
    browser.until_feeling(Emote::Wave).await;
    browser.picture("wave").await;
    browser.press("emote-heart").await;
    browser.until_feeling(Emote::Heart).await;
    let seen = orin.until("both are seen", |sight| sight.emoted.len() == 2).await;
    assert_eq!(seen.emoted, [(mara, Emote::Wave), (mara, Emote::Heart)]);

    assert_eq!(orin.ask(Command::Emote(Emote::Dance)).await, CommandOutcome::Done);
    browser.until_feeling(Emote::Dance).await;
    assert_eq!(browser.text("chat-log").await, "", "feelings are no words");
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

over_both_backends! {
    always: [
        what_two_pages_say_is_in_both_logs_and_over_their_heads,
    ];
    at_leisure: [
        who_writes_does_not_walk_and_only_what_is_sent_is_said,
        a_feeling_is_shown_by_key_and_by_button_and_seen_by_the_other,
    ];
}
