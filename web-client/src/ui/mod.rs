//! The page that the player sees. Screens read the connection state and start flows; what
//! a flow does to the state is decided in [`connection`](crate::connection) alone.

pub mod app;
pub mod connection;
pub mod focus;
pub mod hud;
pub mod inspector;
pub mod keyboard;
pub mod pieces;
pub mod screens;
pub mod soft_keyboard;
pub mod ui_state;
pub mod world_entry;
pub mod world_facts;
pub mod world_link;

/// Puts the page into the document's body.
pub fn mount() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(app::App);
    // The first picture comes with the document; the page takes its place.
    if let Some(boot) = leptos::prelude::document().get_element_by_id("boot") {
        boot.remove();
    }
}
