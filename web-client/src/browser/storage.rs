//! What outlives a reload of the tab: the login, the realm last looked at, and the session
//! in the world. Session storage, so it ends with the tab.
//!
//! A browser may refuse storage altogether; then a reload asks for the login again.

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::account::LoginResponse;
use shared::ids::RealmId;

use super::clock;
use crate::connection::SavedSession;

const LOGIN: &str = "aether.login";
const REALM: &str = "aether.realm";
const SESSION: &str = "aether.session";

/// Keeps the login for this tab.
pub fn save_login(login: &LoginResponse) {
    save(LOGIN, login);
}

/// The login of this tab, where it is still good by the wall clock.
#[must_use]
pub fn load_login() -> Option<LoginResponse> {
    let login: LoginResponse = load(LOGIN)?;
    if login.expires_at.has_passed(clock::unix_now()) {
        forget_login();
        return None;
    }
    Some(login)
}

/// Forgets the login, and what belonged to it.
pub fn forget_login() {
    remove(LOGIN);
    remove(REALM);
    forget_session();
}

/// Keeps the session in the world.
pub fn save_session(session: &SavedSession) {
    save(SESSION, session);
}

/// The session in the world that this tab had.
#[must_use]
pub fn load_session() -> Option<SavedSession> {
    load(SESSION)
}

/// Forgets the session in the world.
pub fn forget_session() {
    remove(SESSION);
}

/// Remembers the realm that the player looked at last.
pub fn save_realm(realm: &RealmId) {
    save(REALM, realm);
}

/// The realm that the player looked at last.
#[must_use]
pub fn load_realm() -> Option<RealmId> {
    load(REALM)
}

fn session_storage() -> Option<web_sys::Storage> {
    web_sys::window()?.session_storage().ok()?
}

fn save<T: Serialize>(key: &str, value: &T) {
    if let (Some(storage), Ok(json)) = (session_storage(), serde_json::to_string(value)) {
        // A full or forbidden storage costs convenience only.
        let _ = storage.set_item(key, &json);
    }
}

fn load<T: DeserializeOwned>(key: &str) -> Option<T> {
    let json = session_storage()?.get_item(key).ok()??;
    let parsed = serde_json::from_str(&json).ok();
    if parsed.is_none() {
        // Written by another build of the page.
        remove(key);
    }
    parsed
}

fn remove(key: &str) {
    if let Some(storage) = session_storage() {
        let _ = storage.remove_item(key);
    }
}
