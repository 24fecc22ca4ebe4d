//! The way into the world has failed: why, and what can be done.

use leptos::prelude::*;

use crate::connection::start::start_realm_switch;
use crate::presentation::wording::sentence;
use crate::ui::connection::Connection;
use crate::ui::ui_state::MultiplayerUiState;
use crate::ui::world_entry::enter_world;

/// Shows the roster again and asks for what has changed in it meanwhile.
fn return_to_characters(connection: Connection, ui: MultiplayerUiState) {
    ui.return_to_characters();
    if let Some(index) = connection.peek(|state| state.selected_realm) {
        connection.start(|state| start_realm_switch(state, index));
    }
}

/// The login and the roster are still there; only the entry has failed.
#[component]
pub fn RecoveryScreen() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let reason = move || {
        connection.read(|state| match state.status.reason() {
            Some(reason) => sentence(reason),
            None => state.status.to_string(),
        })
    };
    // What the page lacks it may get anew; the login outlives that.
    let wants_reload = move || connection.read(|state| state.status.wants_reload());
    view! {
        <section
            class="screen menu" tabindex="-1"
            data-testid="screen-recovery"
            aria-labelledby="recovery-title"
        >
            <div class="panel stack loading-card">
                <img class="pixels lantern" src="/assets/logo.png" alt="" width="128" height="128" />
                <h1 id="recovery-title">"The way is closed"</h1>
                <p class="reason">{reason}</p>
                <p class="muted small">"You are still logged in, and your character is safe."</p>
                <Show when=wants_reload>
                    <button
                        class="button wide"
                        data-testid="reload"
                        type="button"
                        on:click=move |_| {
                            let _ = window().location().reload();
                        }
                    >
                        "Reload the page"
                    </button>
                </Show>
                <div class="pair">
                    <button
                        class="button"
                        data-testid="back-to-characters"
                        type="button"
                        disabled=move || connection.is_busy()
                        on:click=move |_| return_to_characters(connection, ui)
                    >
                        "Characters"
                    </button>
                    <button
                        data-focus-first="true"
                        class="button primary"
                        data-testid="retry"
                        type="button"
                        disabled=move || connection.is_busy()
                        on:click=move |_| enter_world(connection, ui)
                    >
                        "Try again"
                    </button>
                </div>
            </div>
        </section>
    }
}
