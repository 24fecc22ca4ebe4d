//! What only a browser can show: that the page comes up, and what its tab remembers.
#![cfg(target_arch = "wasm32")]

use aether::browser::{preferences, storage};
use aether::connection::SavedSession;
use aether::presentation::{Action, Keybinds};
use shared::account::{Account, LoginResponse};
use shared::gameplay::{
    ActivatedCharacter, HandshakeResponse, MapRef, RealtimeEndpoint, RealtimeSessionActivation,
    RuntimeProfile,
};
use shared::ids::{AccountId, Appearance, UnixMillis};
use shared::world::Tile;
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

fn activation() -> RealtimeSessionActivation {
    let endpoint = RealtimeEndpoint {
        url: "https://127.0.0.1:4433/realtime".to_owned(),
        cert_hashes: Vec::new(),
        healthy: true,
    };
    RealtimeSessionActivation {
        session_token: "session-0123456789abcdef".parse().expect("a token"),
        instance_id: "edge-a".parse().expect("a slug"),
        placement: "dawn/harbor".parse().expect("a placement"),
        zone: "harbor".parse().expect("a slug"),
        tile: Tile { x: 3, y: 4 },
        character: ActivatedCharacter {
            id: "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a002".parse().expect("a UUID"),
            name: "Mara".to_owned(),
            appearance: Appearance::default(),
            gathered: 3,
        },
        profile: RuntimeProfile::quic_standard(),
        endpoints: vec![endpoint],
        map: MapRef { zone: "harbor".parse().expect("a slug"), sha256: "0".repeat(64) },
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
fn a_session_outlives_a_reload_and_is_forgotten_with_the_login() {
    let session = SavedSession {
        handshake: HandshakeResponse::accept(
            "ticket-0123456789abcdef".parse().expect("a token"),
            activation(),
        ),
        resume_token: "resume-0123456789abcdef".parse().expect("a token"),
    };
    storage::save_session(&session);
    assert_eq!(storage::load_session(), Some(session.clone()));
    storage::forget_session();
    assert_eq!(storage::load_session(), None);
    storage::save_session(&session);
    storage::forget_login();
    assert_eq!(storage::load_session(), None, "nobody else goes back into it");
}

#[wasm_bindgen_test]
fn keys_that_were_chosen_are_there_when_the_page_comes_back() {
    let mut keybinds = Keybinds::default();
    keybinds.bind(Action::Chat, "KeyY").expect("no other action has that key");
    preferences::save_keybinds(&keybinds);
    assert_eq!(preferences::load_keybinds(), keybinds);
    preferences::save_keybinds(&Keybinds::default());
    assert_eq!(preferences::load_keybinds(), Keybinds::default());
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
