//! What stands between the player and the world: death, and a connection that is away.

use leptos::html;
use leptos::prelude::*;
use shared::realtime::command::Command;

use super::deeds::act;
use crate::connection::ConnectionEvent;
use crate::realtime::TransportState;
use crate::ui::connection::Connection;
use crate::ui::ui_state::{Menu, MultiplayerUiState};

/// Leaves the world for the roster.
pub fn leave(connection: Connection, ui: MultiplayerUiState) {
    ui.entering.set(false);
    ui.menu.set(Menu::Characters);
    connection.dispatch(ConnectionEvent::LeaveWorld);
}

/// Gives the focus to a button once it is there.
fn focus(button: NodeRef<html::Button>) {
    Effect::new(move |_| {
        if let Some(button) = button.get() {
            let _ = button.focus();
        }
    });
}

/// Shown over the world while the connection is away. The last picture stays behind it.
#[component]
pub fn Reconnecting() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let facts = connection.facts();
    let attempt = move || facts.with(|facts| facts.reconnect_attempt);
    let back = NodeRef::<html::Button>::new();
    focus(back);
    view! {
        <div class="veil soft">
            <div
                class="panel stack dialog"
                data-testid="reconnecting"
                role="alertdialog"
                aria-labelledby="reconnecting-title"
                aria-describedby="reconnecting-text"
            >
                <h2 id="reconnecting-title">"The connection is away"</h2>
                <p id="reconnecting-text">
                    "Your character stays where it is. We go on as soon as the server answers."
                </p>
                <p class="muted small" aria-live="off">{move || format!("Attempt {}", attempt())}</p>
                <div class="dots" aria-hidden="true"><span></span><span></span><span></span></div>
                <button
                    node_ref=back
                    class="button wide"
                    data-testid="back-to-characters"
                    type="button"
                    on:click=move |_| leave(connection, ui)
                >
                    "Back to characters"
                </button>
            </div>
        </div>
    }
}

/// Whether the connection of the world is away.
#[must_use]
pub fn is_away(connection: Connection) -> bool {
    connection.facts().with(|facts| facts.transport == Some(TransportState::Reconnecting))
}

/// Shown over the world while the character is dead.
#[component]
pub fn Death() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let respawn = NodeRef::<html::Button>::new();
    focus(respawn);
    let name = move || connection.facts().with(|facts| facts.name.clone());
    view! {
        <div class="veil grave">
            <div
                class="panel stack dialog"
                data-testid="screen-death"
                role="alertdialog"
                aria-labelledby="death-title"
                aria-describedby="death-text"
            >
                <h2 id="death-title">"You have died"</h2>
                <p id="death-text">
                    {move || format!("{} lies on dangerous ground. Nothing you gathered is lost.", name())}
                </p>
                <button
                    node_ref=respawn
                    class="button primary wide"
                    data-testid="respawn"
                    type="button"
                    on:click=move |_| act(connection, Command::Respawn)
                >
                    "Respawn at the start"
                </button>
                <button
                    class="button wide"
                    data-testid="back-to-characters"
                    type="button"
                    disabled=move || connection.is_busy()
                    on:click=move |_| leave(connection, ui)
                >
                    "Back to characters"
                </button>
                <button
                    class="button danger wide"
                    data-testid="logout"
                    type="button"
                    disabled=move || connection.is_busy()
                    on:click=move |_| connection.dispatch(ConnectionEvent::LogoutRequested)
                >
                    "Log out"
                </button>
            </div>
        </div>
    }
}
