//! Logging in on the page: what a wrong password does, and what a reload keeps.

use tests::backend::Backend;
use tests::browser::{Browser, DESK, PHONE, Viewport};
use tests::chromedriver::Chromedriver;
use tests::hero::PASSWORD;
use tests::patience::{SCREEN_SHOWN, eventually};

use super::{create_character, register};

async fn wrong_password(browser: &Browser, address: &str) {
    browser.visit(address).await;
    browser.fill("username", "mara").await;
    browser.fill("password", "not the password").await;
    browser.press("login").await;
    let status = eventually("the status tells the error", SCREEN_SHOWN, async || {
        let status = browser.text("status").await;
        status.starts_with("Error: ").then_some(status)
    })
    .await;
    assert!(status.contains("password"), "{status}");
    assert!(browser.shows("screen-login").await, "it stays on the login screen");
    browser.picture("wrong-password").await;
    browser.fill("password", PASSWORD).await;
    browser.press("login").await;
    browser.see("screen-realms").await;
}

async fn a_wrong_password_is_told_and_the_next_try_gets_in<B: Backend>() {
    let server = B::start().await;
    server.api().register("mara", PASSWORD).await.unwrap();
    let driver = Chromedriver::start().await;
    for viewport in [DESK, PHONE] {
        let browser = driver.open("wrong-password", viewport).await;
        wrong_password(&browser, server.origin()).await;
        let errors = browser.close().await;
        // The browser itself notes every answer of 401; nothing else may be there.
        let own: Vec<_> = errors.iter().filter(|text| !text.contains(" 401 ")).collect();
        assert_eq!(own, Vec::<&String>::new());
    }
}

async fn a_reload_keeps_the_login_in_this_tab<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("reload", DESK).await;
    register(&browser, server.origin(), "mara").await;
    create_character(&browser, "Mara").await;

    browser.reload().await;
    browser.see("screen-characters").await;
    browser.see("character-Mara").await;
    browser.picture("reloaded").await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

async fn a_login_ends_with_its_tab<B: Backend>() {
    let server = B::start().await;
    let driver = Chromedriver::start().await;
    let browser = driver.open("tab", DESK).await;
    register(&browser, server.origin(), "mara").await;
    let address = server.origin().to_owned();
    assert_eq!(browser.close().await, Vec::<String>::new());
    let other = driver.open("tab", DESK).await;
    other.visit(&address).await;
    other.see("screen-login").await;
    assert!(!other.shows("continue").await, "another tab knows nothing of it");
    assert_eq!(other.close().await, Vec::<String>::new());
}

async fn quick_connect_goes_straight_into_the_world<B: Backend>() {
    let server = B::start().await;
    let hero = server.hero("Mara").await;
    let driver = Chromedriver::start().await;
    for viewport in [DESK, PHONE] as [Viewport; 2] {
        let browser = driver.open("quick", viewport).await;
        browser.visit(server.origin()).await;
        browser.fill("username", &hero.username).await;
        browser.fill("password", PASSWORD).await;
        browser.press("quick-connect").await;
        let world = browser.until_in_the_world().await;
        assert_eq!(world.zone, "harbor");
        assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
    }
}

async fn quick_connect_without_a_password_leaves_no_wish_behind<B: Backend>() {
    let server = B::start().await;
    server.api().register("mara", PASSWORD).await.unwrap();
    let driver = Chromedriver::start().await;
    let browser = driver.open("quick-empty", DESK).await;
    browser.visit(server.origin()).await;
    browser.press("quick-connect").await;
    eventually("the status asks for both", SCREEN_SHOWN, async || {
        let status = browser.text("status").await;
        status.contains("enter a username and a password").then_some(())
    })
    .await;
    for field in ["username", "password"] {
        let invalid = browser.attribute(field, "aria-invalid").await;
        assert_eq!(invalid.as_deref(), Some("true"), "{field}");
    }
    browser.picture("refused").await;
    browser.fill("username", "mara").await;
    browser.fill("password", PASSWORD).await;
    browser.press("login").await;
    browser.see("screen-realms").await;
    assert_eq!(browser.close().await, Vec::<String>::new(), "the console is clean");
}

over_both_backends! {
    always: [];
    at_leisure: [
        a_wrong_password_is_told_and_the_next_try_gets_in,
        a_reload_keeps_the_login_in_this_tab,
        a_login_ends_with_its_tab,
        quick_connect_goes_straight_into_the_world,
        quick_connect_without_a_password_leaves_no_wish_behind,
    ];
}
