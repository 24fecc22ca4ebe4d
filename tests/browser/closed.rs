//! What is closed says so: a way out of the zone that leads on nowhere yet, and a realm
//! that nobody can enter.

use shared::world::{Tile, path};
use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE};
use tests::chromedriver::Chromedriver;
use tests::server::Server;
use tests::world;

use super::deeds::go_on_in;
use super::register;
use super::talk::until_log_has;

/// What the shipped world's instance carries, and what it carries here.
const ONE_ZONE: &str = "zones = [\"harbor\"]";
const TWO_ZONES: &str = "zones = [\"harbor\", \"meadow\"]";
/// A zone for the harbor's exit to lead to: maps keep no exit to a zone that is not there.
const MEADOW: &str = "
[[zone]]
id = \"meadow\"
name = \"Meadow\"
map = \"harbor.tmx\"
capacity = 64
";

/// Makes the list of realms say that the second one is offline.
const SECOND_REALM_IS_OFFLINE: &str = "
    const asked = window.fetch.bind(window);
    window.fetch = async (request, wishes) => {
        const answer = await asked(request, wishes);
        const address = new URL(request.url ?? request, location);
        if (!address.pathname.endsWith('/realms') || !answer.ok) return answer;
        const list = JSON.parse(await answer.text());
        (list.realms ?? list)[1].status = 'offline';
        return new Response(JSON.stringify(list), { status: 200, headers: answer.headers });
    };
";

#[tokio::test(flavor = "multi_thread")]
async fn a_way_out_is_walked_by_its_control_and_where_it_ends_the_game_says_that_it_is_closed() {
    let world = world::changed(|text| text.replace(ONE_ZONE, TWO_ZONES) + MEADOW);
    let server = Server::setup().with("EDGE_WORLD_DIR", world.path().display()).start().await;
    let driver = Chromedriver::start().await;
    for (viewport, name) in [(DESK, "Mara"), (PHONE, "Orin")] {
        let hero = server.hero(name).await;
        let walker = hero.enter().await;
        let exit = walker.map.parts().exits[0].clone();
        assert_eq!(exit.to.as_str(), "meadow");
        let way = path::find(&walker.map, walker.tile(), exit.from_tile).expect("a way leads out");
        let is_outside = |tile: &&Tile| !is_between(**tile, exit.from_tile, exit.to_tile);
        let before = *way.iter().rev().find(is_outside).expect("the way begins in the zone");
        walker.walk_to(before).await;
        let browser = driver.open("closed-way", viewport).await;
        go_on_in(&browser, &server, &hero, walker).await;
        assert_eq!(browser.tile().await, before);
        assert_eq!(browser.text("chat-log").await, "", "it is told where the way ends");

        browser.press("exit-meadow").await;
        let log = until_log_has(&browser, "The way to Meadow is closed for now.").await;
        assert_eq!(log, "The way to Meadow is closed for now.", "once");
        let at = browser.tile().await;
        assert!(is_between(at, exit.from_tile, exit.to_tile), "it is told at {at}");
        browser.picture("told").await;
        // Nobody walks who is there already, and whoever asks is told.
        browser.press("exit-meadow").await;
        until_log_has(&browser, "The way to Meadow is closed for now. (2 times)").await;
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

fn is_between(tile: Tile, first: Tile, last: Tile) -> bool {
    (first.x..=last.x).contains(&tile.x) && (first.y..=last.y).contains(&tile.y)
}

async fn a_realm_that_is_offline_says_why_it_cannot_be_pressed<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    for (viewport, username) in [(DESK, "mara"), (PHONE, "orin")] {
        let browser = driver.open("closed-realm", viewport).await;
        browser.run_before_pages(SECOND_REALM_IS_OFFLINE).await;
        register(&browser, server.origin(), username).await;
        browser.press("back-to-realms").await;
        browser.see("screen-realms").await;
        browser.until_enabled("realm-dawn").await;
        browser.picture("realms").await;
        let closed = browser.text("realm-dusk").await;
        assert!(closed.contains("Closed right now: reload the page to look again."), "{closed}");
        assert!(is_disabled(&browser, "realm-dusk").await, "it cannot be pressed");
        assert!(!browser.overflows().await, "the realms are wider than the page's area");
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

async fn is_disabled(browser: &Browser, test_id: &str) -> bool {
    browser.attribute(test_id, "disabled").await.is_some()
}

over_both_backends! {
    always: [];
    at_leisure: [
        a_realm_that_is_offline_says_why_it_cannot_be_pressed,
    ];
}
