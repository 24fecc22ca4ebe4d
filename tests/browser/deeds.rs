//! Flowers and brambles: what is gathered stays gathered, and who dies stands up again.

use shared::world::Tile;
use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE};
use tests::chromedriver::Chromedriver;
use tests::hero::Hero;
use tests::patience::{SCREEN_SHOWN, eventually};
use tests::player::Player;
use tests::way::{last_step, nearest_flower, nearest_hazard};

use super::talk::until_log_has;
use super::{ESCAPE, come_back, log_in};

/// The walking key of a step.
fn key_towards(step: (i32, i32)) -> &'static str {
    match step {
        (1, 0) => "d",
        (-1, 0) => "a",
        (0, 1) => "s",
        (0, -1) => "w",
        other => panic!("no step is {other:?}"),
    }
}

/// Enters the world in a page as a character that another client has walked somewhere.
pub(super) async fn go_on_in(
    browser: &Browser,
    server: &impl Backend,
    hero: &Hero,
    walker: Player,
) {
    walker.leave().await;
    browser.visit(server.origin()).await;
    log_in(browser, &hero.username).await;
    browser.press(&format!("character-{}", hero.in_roster().await.name)).await;
    come_back(browser).await;
}

/// Has a character stand one step before the brambles, in the page; gives the key of that
/// step, and the tile at which the dead stand up again.
pub(super) async fn stand_before_the_brambles(
    browser: &Browser,
    server: &impl Backend,
    hero: &Hero,
) -> (&'static str, Tile) {
    let walker = hero.enter().await;
    let start = walker.map.start();
    let hazard = nearest_hazard(&walker.map, walker.tile());
    let (before, step) = last_step(&walker.map, walker.tile(), hazard);
    walker.walk_to(before).await;
    go_on_in(browser, server, hero, walker).await;
    (key_towards(step), start)
}

async fn until_gathered(browser: &Browser, count: &str) {
    let what = format!("the page counts {count} flowers");
    eventually(&what, SCREEN_SHOWN, async || {
        let counted = browser.attribute("gathered", "data-gathered").await;
        (counted.as_deref() == Some(count)).then_some(())
    })
    .await;
}

async fn until_alive(browser: &Browser) {
    eventually("the page has the character alive", SCREEN_SHOWN, async || {
        let dead = browser.attribute("screen-world", "data-dead").await;
        (dead.as_deref() == Some("false")).then_some(())
    })
    .await;
}

async fn a_flower_is_gathered_by_its_key_and_counted_after_a_reload<B: Backend>() {
    let server = B::start().await;
    let hero = server.hero("Mara").await;
    let walker = hero.enter().await;
    let (flower, tile) = nearest_flower(&walker.map, walker.tile());
    walker.walk_to(tile).await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("flower", DESK).await;
    go_on_in(&browser, &server, &hero, walker).await;
    let orin = server.hero("Orin").await.enter().await;
    until_gathered(&browser, "0").await;
    browser.see("gather").await;
    browser.picture("flower-in-reach").await;
    assert!(!browser.shows("walk-hint").await, "the hint covers what can be gathered");

    browser.tap_key("e").await;
    until_gathered(&browser, "1").await;
    assert_eq!(server.character(hero.id).await.gathered, 1);
    let dark = Some(vec![flower]);
    orin.until("it is dark for others", |sight| sight.picked_flowers == dark).await;
    browser.until_gone("gather").await;
    browser.tap_key("e").await;
    until_log_has(&browser, "No glowing flower is within reach: walk up to one.").await;

    browser.reload().await;
    browser.until_in_the_world().await;
    until_gathered(&browser, "1").await;
    assert!(!browser.shows("gather").await, "what is picked stays picked over a reload");
    assert_eq!(server.character(hero.id).await.gathered, 1);
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

async fn who_dies_in_the_brambles_is_told_and_stands_up_again_at_the_start<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    for (viewport, name) in [(DESK, "Mara"), (PHONE, "Orin")] {
        let hero = server.hero(name).await;
        let browser = driver.open("death", viewport).await;
        let (key, start) = stand_before_the_brambles(&browser, &server, &hero).await;
        browser.key(key, true).await;
        browser.see_screen("death").await;
        browser.key(key, false).await;
        browser.until_focused("respawn").await;
        let dead = browser.attribute("screen-world", "data-dead").await;
        assert_eq!(dead.as_deref(), Some("true"));
        let lies = browser.tile().await;
        server.until_saved_at(hero.id, lies).await;

        // The menu is there for the dead, and leads back to where they were.
        browser.press("death-menu").await;
        browser.see("screen-pause").await;
        assert!(!browser.shows("screen-death").await, "one dialog at a time");
        browser.tap_key(ESCAPE).await;
        browser.see("screen-death").await;
        // A reload is no way out of it.
        browser.reload().await;
        browser.see("screen-death").await;
        assert_eq!(browser.tile().await, lies);

        browser.press("respawn").await;
        browser.until_gone("screen-death").await;
        until_alive(&browser).await;
        let there = format!("{},{}", start.x, start.y);
        browser.until_world("it stands at the start", |world| world.tile == there).await;
        server.until_saved_at(hero.id, start).await;
        super::journey::walk_with_keys(&browser).await;
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

over_both_backends! {
    always: [
        a_flower_is_gathered_by_its_key_and_counted_after_a_reload,
        who_dies_in_the_brambles_is_told_and_stands_up_again_at_the_start,
    ];
    at_leisure: [];
}
