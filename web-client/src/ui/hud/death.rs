//! The death of the player's own character, over the dimmed world.

use leptos::html;
use leptos::prelude::*;
use shared::realtime::command::Command;

use super::actions::{SKULL_SIGN, Sign};
use crate::connection::ConnectionEvent;
use crate::ui::connection::Connection;
use crate::ui::focus::focus_soon;
use crate::ui::keyboard::trap_focus;
use crate::ui::ui_state::{MultiplayerUiState, Respawn};

/// What has happened, and the way back to life.
#[component]
pub fn DeathDialog(
    /// The zone's name.
    #[prop(into)]
    zone: Signal<String>,
) -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let facts = connection.facts();
    let respawn = NodeRef::<html::Button>::new();
    focus_soon(respawn);
    // A death that is over takes what was said of it along.
    on_cleanup(move || {
        if !facts.with_untracked(|facts| facts.dead) {
            ui.respawn.set(Respawn::NotAsked);
        }
    });
    let is_asked = move || ui.respawn.get() == Respawn::Asked;
    let busy = move || connection.is_busy();
    let ask = move |_| {
        ui.respawn.set(Respawn::Asked);
        connection.dispatch(ConnectionEvent::Command(Command::Respawn));
    };
    let problem = move || match ui.respawn.get() {
        Respawn::NotDone(why) => why,
        _ => String::new(),
    };
    view! {
        <div class="veil death">
            <div
                class="panel stack dialog"
                data-testid="screen-death"
                role="alertdialog"
                aria-modal="true"
                aria-labelledby="death-title"
                aria-describedby="death-text"
                on:keydown=move |event| trap_focus(&event)
            >
                <Sign index=SKULL_SIGN />
                <h2 id="death-title">"You have died"</h2>
                <p id="death-text" class="muted">
                    <strong class="own-name">{move || facts.with(|facts| facts.name.clone())}</strong>
                    {move || {
                        format!(
                            " lies where it happened. Nothing that you have gathered is lost: you \
                             stand up again at the entrance of {}.",
                            zone.get(),
                        )
                    }}
                </p>
                <p class="problem" role="alert">{problem}</p>
                <button
                    node_ref=respawn
                    class="button primary wide"
                    data-testid="respawn"
                    type="button"
                    disabled=move || busy() || is_asked()
                    on:click=ask
                >
                    {move || if is_asked() { "One moment..." } else { "Stand up again" }}
                </button>
                <div class="pair">
                    <button
                        class="button"
                        data-testid="death-menu"
                        type="button"
                        disabled=busy
                        on:click=move |_| ui.toggle_menu()
                    >
                        "Menu"
                    </button>
                    <button
                        class="button"
                        data-testid="logout"
                        type="button"
                        disabled=busy
                        on:click=move |_| connection.dispatch(ConnectionEvent::LogoutRequested)
                    >
                        {move || if busy() { "Leaving..." } else { "Log out" }}
                    </button>
                </div>
            </div>
        </div>
    }
}
