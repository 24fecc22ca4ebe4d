//! The bar of what can be done: chat, feelings, and a flower within reach. Everything has
//! a key as well, which the bar tells.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use shared::realtime::command::{Command, Emote};

use crate::connection::ConnectionEvent;
use crate::presentation::Action;
use crate::presentation::flowers::flower_in_reach;
use crate::ui::connection::Connection;
use crate::ui::ui_state::MultiplayerUiState;

/// The action that shows a feeling.
#[must_use]
pub fn action_of_emote(emote: Emote) -> Action {
    match emote {
        Emote::Wave => Action::Wave,
        Emote::Laugh => Action::Laugh,
        Emote::Heart => Action::Heart,
        Emote::Dance => Action::Dance,
    }
}

/// The command of an action, where it is one.
#[must_use]
pub fn command_of(action: Action) -> Option<Command> {
    match action {
        Action::Gather => Some(Command::Gather),
        Action::Wave => Some(Command::Emote(Emote::Wave)),
        Action::Laugh => Some(Command::Emote(Emote::Laugh)),
        Action::Heart => Some(Command::Emote(Emote::Heart)),
        Action::Dance => Some(Command::Emote(Emote::Dance)),
        _ => None,
    }
}

/// A click leaves the keyboard to the world; keys reach the bar by the Tab key.
fn keep_focus(event: MouseEvent) {
    event.prevent_default();
}

/// A sign from the sheet of signs. Decoration: the label stands beside it.
#[component]
pub fn Sign(
    /// Its place in the sheet.
    index: u32,
) -> impl IntoView {
    view! { <span class="sign" style=("--index", index.to_string()) aria-hidden="true"></span> }
}

/// Place of the chat's sign in the sheet; the feelings come first.
const CHAT_SIGN: u32 = 4;
/// Place of the flower's sign.
pub(super) const FLOWER_SIGN: u32 = 5;
/// Place of the skull.
pub(super) const SKULL_SIGN: u32 = 6;

/// Chat and feelings.
#[component]
pub fn ActionBar() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let emote = move |(index, emote): (u32, Emote)| {
        let action = action_of_emote(emote);
        view! {
            <button
                class="button act"
                data-testid=format!("emote-{}", emote.as_str())
                type="button"
                aria-label=action.title()
                title=action.title()
                aria-keyshortcuts=move || ui.key_label(action)
                on:mousedown=keep_focus
                on:click=move |_| connection.dispatch(ConnectionEvent::Command(Command::Emote(emote)))
            >
                <Sign index=index />
                <kbd class="for-keys">{move || ui.key_label(action)}</kbd>
            </button>
        }
    };
    view! {
        <div class="action-bar" role="toolbar" aria-label="Actions">
            <button
                class="button act"
                data-testid="open-chat"
                type="button"
                aria-label="Chat"
                title="Chat"
                aria-keyshortcuts=move || ui.key_label(Action::Chat)
                aria-expanded=move || if ui.chat_open.get() { "true" } else { "false" }
                on:mousedown=keep_focus
                on:click=move |_| ui.chat_open.update(|open| *open = !*open)
            >
                <Sign index=CHAT_SIGN />
                <kbd class="for-keys">{move || ui.key_label(Action::Chat)}</kbd>
            </button>
            {(0u32..).zip(Emote::ALL).map(emote).collect_view()}
        </div>
    }
}

/// Shown while a glowing flower is within reach of where the server has the body.
#[component]
pub fn GatherButton() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let facts = connection.facts();
    let is_in_reach = Memo::new(move |_| {
        let Some(at) = facts.with(|facts| facts.tile.filter(|_| !facts.dead)) else {
            return false;
        };
        ui.scene.with(|scene| {
            scene.as_ref().is_some_and(|(_, scene)| {
                let flowers = &scene.map.parts().flowers;
                facts.with(|facts| flower_in_reach(flowers, &facts.picked_flowers, at).is_some())
            })
        })
    });
    view! {
        <Show when=move || is_in_reach.get()>
            <button
                class="button primary gather"
                data-testid="gather"
                type="button"
                aria-keyshortcuts=move || ui.key_label(Action::Gather)
                on:mousedown=keep_focus
                on:click=move |_| connection.dispatch(ConnectionEvent::Command(Command::Gather))
            >
                <Sign index=FLOWER_SIGN />
                "Gather"
                <kbd class="for-keys">{move || ui.key_label(Action::Gather)}</kbd>
            </button>
        </Show>
    }
}
