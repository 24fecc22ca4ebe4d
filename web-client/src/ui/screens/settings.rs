//! The keys: which one does what, chosen by pressing it.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use crate::browser::preferences;
use crate::presentation::Action;
use crate::presentation::keybinds::{Bound, Keybinds};
use crate::presentation::wording::sentence;
use crate::ui::focus::focus_soon;
use crate::ui::ui_state::MultiplayerUiState;

/// The settings, as a part of the pause menu.
#[component]
pub fn Settings() -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    let told = RwSignal::new(String::new());
    let back = NodeRef::<html::Button>::new();
    focus_soon(back);
    on_cleanup(move || ui.capturing.set(None));
    let reset = move |_| {
        ui.capturing.set(None);
        ui.keybinds.set(Keybinds::default());
        ui.keybinds.with_untracked(preferences::save_keybinds);
        told.set("Every key does again what it did at first.".to_owned());
    };
    view! {
        <h2 id="pause-title">"Keys"</h2>
        <p class="muted small">
            "Choose a line, then press a key. The arrow keys always walk, and Esc always opens \
             and closes the menu."
        </p>
        <div class="keys">
            <ul class="key-rows" aria-label="Keys">
                {Action::ALL
                    .into_iter()
                    .map(|action| view! { <KeyRow action=action told=told /> })
                    .collect_view()}
            </ul>
        </div>
        <p class="notice keys-told" role="status" data-testid="keybind-status">{told}</p>
        <div class="pair">
            <button
                class="button"
                data-testid="keybind-reset"
                type="button"
                disabled=move || ui.keybinds.with(Keybinds::are_defaults)
                on:click=reset
            >
                "Restore defaults"
            </button>
            <button
                node_ref=back
                class="button primary"
                data-testid="settings-back"
                type="button"
                on:click=move |_| ui.in_settings.set(false)
            >
                "Back"
            </button>
        </div>
    }
}

#[component]
fn KeyRow(action: Action, told: RwSignal<String>) -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    let is_capturing = move || ui.capturing.get() == Some(action);
    let label = move || ui.key_label(action);
    let press = move |event: KeyboardEvent| {
        if ui.capturing.get_untracked() != Some(action) {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        if event.repeat() {
            return;
        }
        if event.code() == "Escape" {
            ui.capturing.set(None);
            told.set(format!("{} keeps {}.", action.title(), label()));
            return;
        }
        let mut bound = None;
        ui.keybinds.update(|keybinds| bound = Some(keybinds.bind(action, &event.code())));
        match bound {
            Some(Ok(bound)) => {
                ui.capturing.set(None);
                ui.keybinds.with_untracked(preferences::save_keybinds);
                told.set(match bound {
                    Bound::Alone => format!("{}: {}.", action.title(), label()),
                    Bound::Swapped(other) => format!(
                        "{}: {}. {} had this key and is now on {}.",
                        action.title(),
                        label(),
                        other.title(),
                        ui.key_label(other)
                    ),
                });
            }
            Some(Err(why)) => told.set(sentence(&why.to_string())),
            None => {}
        }
    };
    view! {
        <li class="key-row">
            <span id=format!("key-of-{}", action.as_str())>{action.title()}</span>
            <button
                class="button compact key"
                class:capturing=is_capturing
                data-testid=format!("keybind-{}", action.as_str())
                data-key=move || ui.keybinds.with(|keybinds| keybinds.key(action).to_owned())
                type="button"
                aria-label=move || {
                    if is_capturing() {
                        format!("{}: press a key, or Esc to keep {}", action.title(), label())
                    } else {
                        format!("{}: {}. Change the key", action.title(), label())
                    }
                }
                aria-pressed=move || if is_capturing() { "true" } else { "false" }
                on:click=move |_| {
                    told.set(format!("{}: press a key, or Esc to keep it.", action.title()));
                    ui.capturing.set(Some(action));
                }
                on:keydown=press
                on:blur=move |_| {
                    if ui.capturing.get_untracked() == Some(action) {
                        ui.capturing.set(None);
                    }
                }
            >
                {move || if is_capturing() { "Press a key".to_owned() } else { label() }}
            </button>
        </li>
    }
}
