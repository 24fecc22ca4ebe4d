//! What the page shows when its session in the world ends without the player wanting it:
//! the login screen with the reason, and the way back as the same account.

use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE};
use tests::chromedriver::Chromedriver;
use tests::hero::PASSWORD;
use tests::patience::{SCREEN_SHOWN, eventually};

use super::{create_character, enter, register, take_over};

/// Waits until the page says that the world is gone; gives its words.
pub(super) async fn told(browser: &Browser, bound: std::time::Duration) -> String {
    eventually("the page tells of the loss", bound, async || {
        let status = browser.text("status").await;
        (browser.shows("screen-login").await && status.starts_with("Error: ")).then_some(status)
    })
    .await
}

/// Goes on as the same account, from the login screen to the character.
pub(super) async fn go_on(browser: &Browser) {
    browser.press("continue").await;
    browser.see("screen-characters").await;
    browser.press("character-Mara").await;
}

async fn who_is_entered_elsewhere_is_told_so_and_may_come_back<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let desk = driver.open("elsewhere", DESK).await;
    register(&desk, server.origin(), "mara").await;
    create_character(&desk, "Mara").await;
    enter(&desk).await;

    let phone = driver.open("elsewhere", PHONE).await;
    phone.visit(server.origin()).await;
    super::log_in(&phone, "mara").await;
    phone.press("character-Mara").await;
    phone.see("take-over").await;
    phone.picture("take-over").await;
    take_over(&phone).await;

    let status = told(&desk, SCREEN_SHOWN).await;
    assert!(status.contains("elsewhere"), "{status}");
    assert!(status.ends_with("Log in or continue to play on"), "{status}");
    desk.picture("told").await;

    go_on(&desk).await;
    take_over(&desk).await;
    let status = told(&phone, SCREEN_SHOWN).await;
    assert!(status.contains("elsewhere"), "{status}");
    for browser in [desk, phone] {
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

async fn entering_with_another_character_says_whose_session_that_ends<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let desk = driver.open("another", DESK).await;
    register(&desk, server.origin(), "mara").await;
    create_character(&desk, "Mara").await;
    enter(&desk).await;

    let phone = driver.open("another", PHONE).await;
    phone.visit(server.origin()).await;
    super::log_in(&phone, "mara").await;
    create_character(&phone, "Orin").await;
    phone.see("take-over").await;
    phone.picture("take-over").await;
    take_over(&phone).await;
    let status = told(&desk, SCREEN_SHOWN).await;
    assert!(status.contains("your account has entered the world elsewhere"), "{status}");
    for browser in [desk, phone] {
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

/// From the world and from the roster: an ended login leads to the login form.
async fn a_password_that_was_changed_elsewhere_is_told_and_there_is_nothing_to_continue<
    B: Backend,
>() {
    let server = B::start().await;
    let (api, driver) = (server.api(), Chromedriver::start().await);
    let desk = driver.open("ended", DESK).await;
    register(&desk, server.origin(), "mara").await;
    create_character(&desk, "Mara").await;
    enter(&desk).await;
    let phone = driver.open("ended", PHONE).await;
    phone.visit(server.origin()).await;
    super::log_in(&phone, "mara").await;
    phone.press("character-Mara").await;

    let login = api.login("mara", PASSWORD).await.unwrap();
    api.change_password(&login.access_token, PASSWORD, "another horse").await.unwrap();
    let status = told(&desk, SCREEN_SHOWN).await;
    assert!(status.contains("your login has ended"), "{status}");
    phone.press("take-over").await;
    let status = told(&phone, SCREEN_SHOWN).await;
    assert!(status.contains("login has ended"), "{status}");
    for browser in [desk, phone] {
        assert!(!browser.shows("continue").await, "the login is worth nothing");
        browser.picture("told").await;
        let errors = browser.close().await;
        // The browser itself notes every answer of 401; nothing else may be there.
        let own: Vec<_> = errors.iter().filter(|text| !text.contains(" 401 ")).collect();
        assert_eq!(own, Vec::<&String>::new());
    }
}

async fn a_server_that_stops_for_good_leaves_the_page_reconnecting_and_free_to_go<B: Backend>() {
    let mut server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("stopped", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;
    enter(&browser).await;
    server.stop().await;
    super::reconnects::reconnecting(&browser).await;
    let status = browser.text("status").await;
    assert!(status.starts_with("Connection lost. Reconnecting, attempt "), "{status}");
    browser.press("back-to-characters").await;
    browser.see("screen-characters").await;
    browser.close().await;
}

over_both_backends! {
    always: [
        who_is_entered_elsewhere_is_told_so_and_may_come_back,
    ];
    at_leisure: [
        entering_with_another_character_says_whose_session_that_ends,
        a_password_that_was_changed_elsewhere_is_told_and_there_is_nothing_to_continue,
        a_server_that_stops_for_good_leaves_the_page_reconnecting_and_free_to_go,
    ];
}
