//! What only a browser can show: that the page comes up, and what its tab remembers.
#![cfg(target_arch = "wasm32")]

use aether::browser::storage;
use shared::account::{Account, LoginResponse};
use shared::ids::{AccountId, UnixMillis};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Document, Element};

wasm_bindgen_test_configure!(run_in_browser);

/// The year 2100: later than any clock that runs this.
const FAR_AHEAD: UnixMillis = UnixMillis(4_102_444_800_000);

fn document() -> Document {
    web_sys::window().and_then(|window| window.document()).expect("a browser has a document")
}

fn by_test_id(id: &str) -> Option<Element> {
    document().query_selector(&format!("[data-testid='{id}']")).expect("the selector is sound")
}

fn login(expires_at: UnixMillis) -> LoginResponse {
    let id = "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse::<AccountId>().expect("a UUID");
    LoginResponse {
        access_token: "access-0123456789abcdef".parse().expect("a token"),
        expires_at,
        account: Account { id, username: "mara".to_owned() },
    }
}

#[wasm_bindgen_test]
fn a_login_outlives_a_reload_until_it_ends() {
    storage::save_login(&login(FAR_AHEAD));
    assert_eq!(storage::load_login(), Some(login(FAR_AHEAD)));
    storage::save_login(&login(UnixMillis(1)));
    assert_eq!(storage::load_login(), None);
    storage::save_login(&login(FAR_AHEAD));
    storage::forget_login();
    assert_eq!(storage::load_login(), None);
}

#[wasm_bindgen_test]
fn the_tab_remembers_the_realm_and_forgets_it_with_the_login() {
    let realm = "dusk".parse().expect("a slug");
    storage::save_realm(&realm);
    assert_eq!(storage::load_realm(), Some(realm));
    storage::forget_login();
    assert_eq!(storage::load_realm(), None);
}

#[wasm_bindgen_test]
fn the_page_comes_up_with_the_login_screen() {
    storage::forget_login();
    aether::ui::mount();
    for id in ["screen-login", "username", "password", "register", "login", "quick-connect"] {
        assert!(by_test_id(id).is_some(), "{id} is missing");
    }
    assert!(by_test_id("continue").is_none());
    let status = by_test_id("status").expect("every screen has a status");
    assert_eq!(status.get_attribute("role").as_deref(), Some("status"));
    assert_eq!(status.text_content().as_deref(), Some("Log in to play."));
}
