//! Two players meet: the whole way from registering to finding the character again.

use shared::ids::CharacterId;
use shared::world::Tile;
use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE, parse_tile};
use tests::chromedriver::Chromedriver;
use tests::patience::{ARRIVED, STEPPED, eventually};

use super::{ESCAPE, create_character, enter, log_in, log_out, register};

/// Where the finger or the mouse points, in CSS pixels from the own body: around it, so
/// that one of them is free ground whatever the map looks like.
const POINTS: [(i64, i64); 8] =
    [(90, 0), (-90, 0), (0, 90), (0, -90), (90, 90), (-90, 90), (90, -90), (-90, -90)];

/// Keys that walk, one of which leads somewhere.
const WALKING_KEYS: [&str; 4] = ["d", "s", "a", "w"];

/// Looks in a row that make a rest: one and a half seconds at least, while places are saved
/// every second and a walking body crosses four tiles a second.
const LOOKS_AT_REST: u32 = 60;

pub(super) async fn character_named(server: &impl Backend, name: &str) -> CharacterId {
    server.character_id(name).await.expect("the character was created")
}

/// Waits until the body rests: the page's authoritative tile is the one in the row, and
/// both stay so for longer than the row takes to follow a walk. Agreeing once proves
/// nothing: the row is saved in the middle of a walk as well.
pub(super) async fn at_rest(browser: &Browser, server: &impl Backend, id: CharacterId) -> Tile {
    let (mut last, mut agreed) = (None, 0);
    eventually("the page and the row agree for good", ARRIVED, async || {
        let row = server.character(id).await.tile;
        let agree = browser.tile().await == row && last.is_none_or(|last| last == row);
        (last, agreed) = (Some(row), if agree { agreed + 1 } else { 0 });
        (agreed >= LOOKS_AT_REST).then_some(row)
    })
    .await
}

/// Holds keys until the body has walked at least two tiles.
pub(super) async fn walk_with_keys(browser: &Browser) {
    let start = browser.tile().await;
    for key in WALKING_KEYS {
        browser.key(key, true).await;
        let away = eventually("it has walked or stands at a wall", ARRIVED, async || {
            let now = browser.tile().await;
            (now.x.abs_diff(start.x) + now.y.abs_diff(start.y) >= 2).then_some(now)
        });
        let walked = tokio::time::timeout(STEPPED, away).await.is_ok();
        browser.key(key, false).await;
        if walked {
            return;
        }
    }
    panic!("no key leads away from {start}");
}

/// Points around the own body until a walk begins.
async fn walk_by_pointing(browser: &Browser) {
    let start = browser.world().await.unwrap().tile;
    let (x, y) = browser.middle();
    for (dx, dy) in POINTS {
        browser.point(x + dx, y + dy).await;
        let away = eventually("it walks", ARRIVED, async || {
            (browser.world().await?.tile != start).then_some(())
        });
        if tokio::time::timeout(STEPPED, away).await.is_ok() {
            return;
        }
    }
    panic!("pointing leads nowhere from {start}");
}

async fn two_players_meet_and_are_found_where_they_left<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let first = driver.open("journey", DESK).await;
    let second = driver.open("journey", PHONE).await;

    register(&first, server.origin(), "mara").await;
    create_character(&first, "Mara").await;
    let entered = enter(&first).await;
    assert_eq!((entered.zone.as_str(), entered.instance.as_str()), ("harbor", B::FIRST_INSTANCE));
    assert_eq!(entered.players, "1");
    assert_eq!(first.attribute("screen-world", "data-gathered").await.as_deref(), Some("0"));
    let mara = character_named(&server, "Mara").await;
    assert_eq!(parse_tile(&entered.tile), server.character(mara).await.tile);
    walk_with_keys(&first).await;
    first.picture("world-walked").await;

    register(&second, server.origin(), "orin").await;
    create_character(&second, "Orin").await;
    enter(&second).await;
    for browser in [&first, &second] {
        browser.until_world("two players are in view", |world| world.players == "2").await;
    }
    second.picture("world-two-players").await;

    let resting = at_rest(&first, &server, mara).await;
    walk_with_keys(&first).await;
    let moved = at_rest(&first, &server, mara).await;
    assert_ne!(moved, resting, "it has walked on");
    let orin = character_named(&server, "Orin").await;
    walk_by_pointing(&second).await;
    let orins = at_rest(&second, &server, orin).await;
    walk_by_pointing(&first).await;
    let left = at_rest(&first, &server, mara).await;

    first.tap_key(ESCAPE).await;
    first.see("screen-pause").await;
    log_out(&first).await;
    second.until_world("Orin is alone", |world| world.players == "1").await;
    assert_eq!(server.character(mara).await.tile, left);

    log_in(&first, "mara").await;
    first.press("character-Mara").await;
    let back = enter(&first).await;
    assert_eq!(parse_tile(&back.tile), left, "the page finds it where it was left");
    assert_eq!(server.character(mara).await.tile, left, "and so does the row");
    second.until_world("Mara is back in Orin's view", |world| world.players == "2").await;
    assert_eq!(second.tile().await, orins, "and Orin has not been moved by any of it");
    first.picture("world-back").await;

    for browser in [first, second] {
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

over_both_backends! {
    always: [
        two_players_meet_and_are_found_where_they_left,
    ];
    at_leisure: [];
}
