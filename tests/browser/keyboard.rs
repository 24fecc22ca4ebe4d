//! The whole way by keyboard alone: everything that a mouse can do has a place in the
//! order of the Tab key.

use tests::backend::Backend;
use tests::browser::{Browser, DESK};
use tests::chromedriver::Chromedriver;
use tests::hero::PASSWORD;
use tests::patience::STEPPED;

use super::{ENTER, ESCAPE};

const TAB: &str = "\u{e004}";
const ARROW_RIGHT: &str = "\u{e014}";

/// Presses Tab until a control has the focus.
async fn reach(browser: &Browser, test_id: &str) {
    browser.see(test_id).await;
    browser.until_enabled(test_id).await;
    // More than any screen has controls.
    for _ in 0..40 {
        if browser.focused().await.as_deref() == Some(test_id) {
            return;
        }
        browser.tap_key(TAB).await;
    }
    panic!("the Tab key does not reach {test_id}")
}

async fn activate(browser: &Browser, test_id: &str) {
    reach(browser, test_id).await;
    browser.tap_key(ENTER).await;
}

async fn write(browser: &Browser, test_id: &str, text: &str) {
    reach(browser, test_id).await;
    browser.write(text).await;
}

async fn the_keyboard_alone_leads_from_the_login_into_the_world_and_out<B: Backend>() {
    let server = B::start().await;
    server.api().register("mara", PASSWORD).await.unwrap();
    let driver = Chromedriver::start().await;
    let browser = driver.open("keyboard", DESK).await;
    browser.visit(server.origin()).await;
    write(&browser, "username", "mara").await;
    write(&browser, "password", PASSWORD).await;
    browser.tap_key(ENTER).await;
    activate(&browser, "realm-dawn").await;
    write(&browser, "character-name", "Mara").await;
    // A group of radios is one stop, and the arrow keys choose within it.
    reach(&browser, "appearance-wanderer").await;
    browser.tap_key(ARROW_RIGHT).await;
    assert_eq!(browser.focused().await.as_deref(), Some("appearance-sailor"));
    browser.tap_key(TAB).await;
    assert_eq!(browser.focused().await.as_deref(), Some("create-character"));
    browser.tap_key(ENTER).await;
    activate(&browser, "character-Mara").await;
    activate(&browser, "enter-world").await;
    let start = browser.until_in_the_world().await;
    browser.see("walk-hint").await;

    // Whatever has the focus, the walking keys walk.
    for key in ["d", "s", "a", "w"] {
        browser.key(key, true).await;
        let walks = browser.until_world("it walks", |world| world.tile != start.tile);
        let walked = tokio::time::timeout(STEPPED, walks).await.is_ok();
        browser.key(key, false).await;
        if walked {
            break;
        }
    }
    assert_ne!(browser.world().await.unwrap().tile, start.tile);
    browser.until_gone("walk-hint").await;
    browser.reload().await;
    browser.until_in_the_world().await;
    // A hint would have come up by the time that the picture is at rest.
    browser.picture("walked-before").await;
    assert!(!browser.shows("walk-hint").await, "who has walked is not told how again");

    browser.tap_key(ESCAPE).await;
    browser.see("screen-pause").await;
    assert_eq!(browser.focused().await.as_deref(), Some("resume"), "the menu takes the focus");
    browser.tap_key(ENTER).await;
    browser.until_gone("screen-pause").await;
    browser.tap_key(ESCAPE).await;
    activate(&browser, "logout").await;
    browser.see("screen-login").await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

over_both_backends! {
    always: [];
    at_leisure: [
        the_keyboard_alone_leads_from_the_login_into_the_world_and_out,
    ];
}
