//! The built page in a real browser, against the real server: at a desk with keyboard and
//! mouse, and on a phone with a finger. Chromium carries most of it, Firefox the ways that
//! every player goes.

/// Runs the listed journeys on one process and on the roles as processes of their own: all of
/// them on the first, and on the second one for each flow. The others run there as well with
/// the feature `every-journey`: `cargo nextest run -p tests --features every-journey`.
macro_rules! over_both_backends {
    (
        always: [$($always:ident),* $(,)?];
        at_leisure: [$($leisure:ident),* $(,)?];
    ) => {
        mod embedded {
            $(over_backend!($always, tests::server::Server);)*
            $(over_backend!($leisure, tests::server::Server);)*
        }
        mod deployed {
            $(over_backend!($always, tests::cluster::Cluster);)*
            $(
                #[cfg(feature = "every-journey")]
                over_backend!($leisure, tests::cluster::Cluster);
            )*
        }
    };
}

macro_rules! over_backend {
    ($test:ident, $backend:ty) => {
        #[tokio::test(flavor = "multi_thread")]
        async fn $test() {
            super::$test::<$backend>().await;
        }
    };
}

mod characters;
mod closed;
mod clusters;
mod deeds;
mod failures;
mod firefox;
mod gallery;
mod inspector;
mod journey;
mod keybinds;
mod keyboard;
mod logins;
mod losses;
mod reconnects;
mod redirects;
mod talk;

use tests::browser::Browser;
use tests::hero::PASSWORD;

/// The keys that have no letter, as WebDriver names them.
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

/// From the first visit into the realm's roster: a new account, and its realm.
async fn register(browser: &Browser, address: &str, username: &str) {
    browser.visit(address).await;
    browser.see("screen-login").await;
    browser.fill("username", username).await;
    browser.fill("password", PASSWORD).await;
    browser.press("register").await;
    browser.see("screen-realms").await;
    browser.press("realm-dawn").await;
    browser.see("screen-characters").await;
}

/// A new character, selected.
async fn create_character(browser: &Browser, name: &str) {
    browser.fill("character-name", name).await;
    browser.press("create-character").await;
    browser.press(&format!("character-{name}")).await;
}

/// Enters the world with the selected character, which is in no world.
async fn enter(browser: &Browser) -> tests::browser::WorldAttributes {
    browser.press("enter-world").await;
    browser.until_in_the_world().await
}

/// Enters the world with the selected character, whose other session that ends.
async fn take_over(browser: &Browser) -> tests::browser::WorldAttributes {
    assert!(!browser.shows("enter-world").await, "what ends a session says so");
    browser.press("take-over").await;
    browser.until_in_the_world().await
}

/// Enters the world with the selected character, whether or not the server still holds the
/// session of before.
async fn come_back(browser: &Browser) -> tests::browser::WorldAttributes {
    let control = if browser.shows("take-over").await { "take-over" } else { "enter-world" };
    browser.press(control).await;
    browser.until_in_the_world().await
}

/// Leaves the world by the pause menu and waits for the login screen.
async fn log_out(browser: &Browser) {
    if !browser.shows("screen-pause").await {
        browser.press("open-menu").await;
    }
    browser.see("screen-pause").await;
    browser.press("logout").await;
    browser.see("screen-login").await;
}

/// Logs in again and opens the roster.
async fn log_in(browser: &Browser, username: &str) {
    browser.fill("username", username).await;
    browser.fill("password", PASSWORD).await;
    browser.press("login").await;
    browser.see("screen-realms").await;
    browser.press("realm-dawn").await;
    browser.see("screen-characters").await;
}
