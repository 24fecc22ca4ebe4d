//! The connection is away: the world stays on the screen, dimmed, until it is back or the
//! player goes. What is shown is no evidence of a world; nothing can be done in it.

use leptos::html;
use leptos::prelude::*;

use crate::presentation::over_world::away_words;
use crate::ui::connection::Connection;
use crate::ui::focus::focus_soon;
use crate::ui::keyboard::trap_focus;
use crate::ui::ui_state::MultiplayerUiState;
use crate::ui::world_entry::leave_world;

/// Says so, and the way back to the characters.
#[component]
pub fn AwayOverlay() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let facts = connection.facts();
    let back = NodeRef::<html::Button>::new();
    focus_soon(back);
    let leave = move |_| leave_world(connection, ui);
    let told = Memo::new(move |_| facts.with(|facts| away_words(facts.transport)));
    let attempt = move || {
        facts.with(|facts| match facts.reconnect_attempt {
            0 => "Trying again...".to_owned(),
            attempt => format!("Attempt {attempt}..."),
        })
    };
    view! {
        <div class="veil away">
            <div
                class="panel stack dialog"
                data-testid="reconnecting"
                role="alertdialog"
                aria-modal="true"
                aria-labelledby="away-title"
                aria-describedby="away-text"
                on:keydown=move |event| trap_focus(&event)
            >
                <h2 id="away-title">{move || told.get().0}</h2>
                <p id="away-text" class="muted">{move || told.get().1}</p>
                <p class="attempt" role="status">
                    <span class="dots" aria-hidden="true"></span>
                    {attempt}
                </p>
                <button
                    node_ref=back
                    class="button wide"
                    data-testid="back-to-characters"
                    type="button"
                    disabled=move || connection.is_busy()
                    on:click=leave
                >
                    "Back to characters"
                </button>
            </div>
        </div>
    }
}
