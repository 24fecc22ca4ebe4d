//! Every screen at both sizes: that it comes, fits the page's area, and what it looks like.

use tests::browser::{Browser, DESK, PHONE, Viewport};
use tests::chromedriver::Chromedriver;
use tests::hero::PASSWORD;
use tests::server::Server;

use super::{create_character, enter};

async fn shown(browser: &Browser, name: &str) {
    browser.see_screen(name).await;
    assert!(!browser.overflows().await, "{name} is wider than the page's area");
}

async fn every_screen(viewport: Viewport) {
    let mut server = Server::start().await;
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

#[tokio::test(flavor = "multi_thread")]
async fn every_screen_fits_a_desk() {
    every_screen(DESK).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_screen_fits_a_phone() {
    every_screen(PHONE).await;
}
