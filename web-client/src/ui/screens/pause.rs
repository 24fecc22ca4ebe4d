//! The pause menu over the world. The world goes on behind it.

use leptos::html;
use leptos::prelude::*;

use super::settings::Settings;
use crate::connection::ConnectionEvent;
use crate::realtime::handle::Goodbye;
use crate::ui::connection::Connection;
use crate::ui::focus::focus_soon;
use crate::ui::inspector::OpenInspector;
use crate::ui::keyboard::trap_focus;
use crate::ui::ui_state::MultiplayerUiState;
use crate::ui::world_entry::leave_world;

/// Resume, change the keys, leave for the roster, or log out.
#[component]
pub fn PauseMenu() -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    view! {
        <div class="veil">
            <div
                class="panel stack dialog"
                class:settings=move || ui.in_settings.get()
                data-testid="screen-pause"
                role="dialog"
                aria-modal="true"
                aria-labelledby="pause-title"
                on:keydown=move |event| trap_focus(&event)
            >
                <Show when=move || ui.in_settings.get() fallback=|| view! { <Choices /> }>
                    <Settings />
                </Show>
            </div>
        </div>
    }
}

#[component]
fn Choices() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let busy = move || connection.is_busy();
    let resume = NodeRef::<html::Button>::new();
    focus_soon(resume);
    let leave = move |_| leave_world(connection, ui);
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
        <h2 id="pause-title">"Paused"</h2>
        <p class="muted small">"The world goes on while you rest."</p>
        <button
            node_ref=resume
            class="button primary wide"
            data-testid="resume"
            type="button"
            disabled=busy
            on:click=move |_| ui.toggle_menu()
        >
            "Resume"
        </button>
        <button
            class="button wide"
            data-testid="open-settings"
            type="button"
            disabled=busy
            on:click=move |_| ui.in_settings.set(true)
        >
            "Keys"
        </button>
        <div class="pair">
            <OpenInspector class="button" />
            <button
                class="button"
                data-testid="open-telemetry"
                type="button"
                aria-pressed=move || if ui.shows_telemetry.get() { "true" } else { "false" }
                on:click=move |_| ui.toggle_diagnosis(ui.shows_telemetry)
            >
                "Measurements"
            </button>
        </div>
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
    }
}
