//! What the player has chosen for this browser, over all tabs and logins: the keys,
//! and that they have walked. Local storage; a browser may refuse it, and then it lasts as
//! long as the page.

use std::collections::BTreeMap;

use crate::presentation::Keybinds;

const KEYS: &str = "aether.keys";
const HAS_WALKED: &str = "aether.has-walked";

/// Keeps the keys; the first ones need no keeping.
pub fn save_keybinds(keybinds: &Keybinds) {
    let Some(storage) = local_storage() else { return };
    if keybinds.are_defaults() {
        let _ = storage.remove_item(KEYS);
    } else if let Ok(json) = serde_json::to_string(&keybinds.to_saved()) {
        // A full or forbidden storage costs convenience only.
        let _ = storage.set_item(KEYS, &json);
    }
}

/// The keys of before, or the first ones.
#[must_use]
pub fn load_keybinds() -> Keybinds {
    let json = local_storage().and_then(|storage| storage.get_item(KEYS).ok()?);
    let saved: Option<BTreeMap<String, String>> =
        json.and_then(|json| serde_json::from_str(&json).ok());
    saved.as_ref().map(Keybinds::from_saved).unwrap_or_default()
}

/// Keeps that the player has walked, and need not be told how.
pub fn save_has_walked() {
    // Without storage they are told again after a reload.
    let _ = local_storage().map(|storage| storage.set_item(HAS_WALKED, "true"));
}

/// Whether the player has walked in this browser before.
#[must_use]
pub fn load_has_walked() -> bool {
    local_storage().and_then(|storage| storage.get_item(HAS_WALKED).ok()?).is_some()
}

fn local_storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}
