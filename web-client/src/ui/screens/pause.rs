//! The pause menu over the world. The world goes on behind it.

use leptos::html;
use leptos::prelude::*;

use super::recovery::return_to_characters;
use crate::connection::ConnectionEvent;
use crate::ui::connection::Connection;
use crate::ui::ui_state::MultiplayerUiState;

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
        connection.dispatch(ConnectionEvent::LeaveWorld);
        return_to_characters(connection, ui);
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
                    "Back to characters"
                </button>
                <button
                    class="button danger wide"
                    data-testid="logout"
                    type="button"
                    disabled=busy
                    on:click=move |_| connection.dispatch(ConnectionEvent::LogoutRequested)
                >
                    {move || if busy() { "Leaving..." } else { "Log out" }}
                </button>
            </div>
        </div>
    }
}
