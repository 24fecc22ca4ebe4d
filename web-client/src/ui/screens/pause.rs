//! The pause menu over the world. The world goes on behind it.

use leptos::html;
use leptos::prelude::*;

use crate::connection::ConnectionEvent;
use crate::realtime::handle::Goodbye;
use crate::ui::connection::Connection;
use crate::ui::ui_state::{Menu, MultiplayerUiState};

/// Resume, leave for the roster, or log out.
#[component]
pub fn PauseMenu() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let busy = move || connection.is_busy();
    let resume = NodeRef::<html::Button>::new();
    Effect::new(move |_| {
        if let Some(button) = resume.get() {
            let _ = button.focus();
        }
    });
    let leave = move |_| {
        ui.entering.set(false);
        ui.menu.set(Menu::Characters);
        connection.dispatch(ConnectionEvent::LeaveWorld);
    };
    let leaves_to = move || {
        connection.read(|state| {
            let handle = state.realtime.as_ref().filter(|_| state.is_draining());
            handle.map(|handle| handle.goodbye)
        })
    };
    let label = move |goodbye: Goodbye, text: &'static str| {
        if leaves_to() == Some(goodbye) { "Leaving..." } else { text }
    };
    view! {
        <div class="veil">
            <div
                class="panel stack dialog"
                data-testid="screen-pause"
                role="dialog"
                aria-modal="true"
                aria-labelledby="pause-title"
            >
                <h2 id="pause-title">"Paused"</h2>
                <p class="muted small">"The world goes on while you rest."</p>
                <button
                    node_ref=resume
                    class="button primary wide"
                    data-testid="resume"
                    type="button"
                    disabled=busy
                    on:click=move |_| ui.paused.set(false)
                >
                    "Resume"
                </button>
                <button
                    class="button wide"
                    data-testid="back-to-characters"
                    type="button"
                    disabled=busy
                    on:click=leave
                >
                    {move || label(Goodbye::ToRoster, "Back to characters")}
                </button>
                <button
                    class="button danger wide"
                    data-testid="logout"
                    type="button"
                    disabled=busy
                    on:click=move |_| connection.dispatch(ConnectionEvent::LogoutRequested)
                >
                    {move || label(Goodbye::ToLogin, "Log out")}
                </button>
            </div>
        </div>
    }
}
