//! The ways that every player goes, in Firefox.

use shared::realtime::command::{Command, CommandOutcome};
use tests::backend::Backend;
use tests::browser::{DESK, parse_tile};
use tests::firefox;
use tests::sight::Sight;

use super::journey::{at_rest, character_named, walk_with_keys};
use super::talk::{say, until_log_has};
use super::{come_back, create_character, enter, log_in, log_out, register};

async fn in_firefox_a_player_enters_walks_leaves_and_is_found_where_they_left<B: Backend>() {
    let server = B::start().await;
    let orin = server.hero("Orin").await.enter().await;
    let browser = firefox::open("firefox", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    let entered = enter(&browser).await;
    assert_eq!((entered.zone.as_str(), entered.instance.as_str()), ("harbor", B::FIRST_INSTANCE));
    let mara = character_named(&server, "Mara").await;
    assert_eq!(parse_tile(&entered.tile), server.character(mara).await.tile);
    browser.until_world("Orin is in view", |world| world.players == "2").await;
    browser.picture("world").await;

    walk_with_keys(&browser).await;
    let left = at_rest(&browser, &server, mara).await;
    assert_ne!(left, parse_tile(&entered.tile), "it has walked");
    orin.until("Mara stands there for Orin as well", |sight| {
        let body = sight.entity_of("Mara").and_then(|entity| sight.body(entity));
        body.is_some_and(|body| body.position.tile() == left)
    })
    .await;

    say(&browser, "Hello, Orin").await;
    let mara_said = |sight: &Sight| {
        let mara = sight.entity_of("Mara");
        sight.said.iter().any(|(who, text)| Some(*who) == mara && text == "Hello, Orin")
    };
    orin.until("Orin hears Mara", mara_said).await;
    let answer = Command::Say("Hello, Mara".parse().unwrap());
    assert_eq!(orin.ask(answer).await, CommandOutcome::Done);
    let log = until_log_has(&browser, "Orin: Hello, Mara").await;
    assert_eq!(log, "Mara: Hello, Orin\nOrin: Hello, Mara");
    browser.picture("talk").await;

    browser.press("open-menu").await;
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    orin.until("Orin is alone", |sight| sight.players() == 1).await;
    let back = come_back(&browser).await;
    assert_eq!(parse_tile(&back.tile), left, "the page finds it where it was left");

    log_out(&browser).await;
    orin.until("Orin is alone again", |sight| sight.players() == 1).await;
    assert_eq!(server.character(mara).await.tile, left, "and so does the row");
    log_in(&browser, "mara").await;
    browser.press("character-Mara").await;
    assert_eq!(parse_tile(&enter(&browser).await.tile), left);
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

async fn in_firefox_a_reload_goes_back_to_the_roster_or_into_the_world<B: Backend>() {
    let server = B::start().await;
    let browser = firefox::open("firefox-reload", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    browser.reload().await;
    browser.see("character-Mara").await;
    assert!(browser.shows("screen-characters").await);
    browser.press("character-Mara").await;
    let before = enter(&browser).await;
    browser.reload().await;
    let back = browser.until_in_the_world().await;
    assert_eq!((&back.tile, &back.players), (&before.tile, &before.players));
    // The session that was resumed can be played and left like any other.
    walk_with_keys(&browser).await;
    browser.press("open-menu").await;
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    browser.reload().await;
    browser.see("character-Mara").await;
    assert!(browser.shows("screen-characters").await, "a session that was left stays left");
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

over_both_backends! {
    always: [];
    at_leisure: [
        in_firefox_a_player_enters_walks_leaves_and_is_found_where_they_left,
        in_firefox_a_reload_goes_back_to_the_roster_or_into_the_world,
    ];
}
