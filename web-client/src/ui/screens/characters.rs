//! The roster: choose a character and enter, make another, or delete one.

use leptos::html;
use leptos::prelude::*;
use shared::account::RosterCharacter;

use super::create_character::CreateCharacterForm;
use super::realms::LogOut;
use crate::connection::MultiplayerConnectionFlow;
use crate::connection::start::start_delete_character;
use crate::presentation::Menu;
use crate::ui::connection::Connection;
use crate::ui::focus::{focus_first, focus_soon};
use crate::ui::keyboard::trap_focus;
use crate::ui::pieces::{
    Portrait, Problem, move_in_radio_group, problem_of, problem_where, radio_tab_index, title_of,
};
use crate::ui::ui_state::MultiplayerUiState;
use crate::ui::world_entry::enter_world;

/// The roster of the selected realm.
#[component]
pub fn CharactersScreen() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let roster = Memo::new(move |_| connection.read(|state| state.characters.clone()));
    let selected = Memo::new(move |_| connection.read(|state| state.character().cloned()));
    let realm = move || {
        connection.read(|state| state.realm().map(|realm| realm.name.clone()).unwrap_or_default())
    };
    let busy = move || connection.is_busy();
    let nobody = move || busy() || selected.with(Option::is_none);
    // Whose session ends when the selected character enters: an account plays one at a time.
    let makes_way = Memo::new(move |_| {
        selected.get()?;
        let in_world = |all: &Vec<RosterCharacter>| all.iter().find(|who| who.in_world).cloned();
        roster.with(in_world)
    });
    let is_elsewhere = move || makes_way.with(Option::is_some);
    let confirming = RwSignal::new(false);
    let asked_by_form = RwSignal::new(false);
    let problem = problem_where(problem_of(connection), asked_by_form, false);
    view! {
        <section
            class="screen menu" tabindex="-1"
            data-testid="screen-characters"
            aria-labelledby="characters-title"
        >
            <div class="menu-columns" inert=move || confirming.get()>
                <div class="panel stack roster-card">
                    <nav class="row spread menu-nav" aria-label="Account">
                        <button
                            class="button quiet"
                            data-testid="back-to-realms"
                            type="button"
                            disabled=busy
                            on:click=move |_| ui.menu.set(Menu::Realms)
                        >
                            <span class="arrow back" aria-hidden="true"></span>
                            "Realms"
                        </button>
                        <LogOut />
                    </nav>
                    <header>
                        <p class="muted small">{realm}</p>
                        <h1 id="characters-title">"Your characters"</h1>
                    </header>
                    <Problem id="characters-problem" text=problem />
                    <ul
                        class="stack roster"
                        role="radiogroup"
                        aria-label="Your characters"
                        on:keydown=move |event| move_in_radio_group(&event)
                    >
                        {move || {
                            roster
                                .get()
                                .into_iter()
                                .enumerate()
                                .map(|(index, character)| {
                                    view! { <CharacterCard index=index character=character /> }
                                })
                                .collect_view()
                        }}
                    </ul>
                    <Show when=move || roster.with(Vec::is_empty)>
                        <p class="muted empty">"Nobody lives here yet. Create your first character."</p>
                    </Show>
                    <Show when=is_elsewhere>
                        <p class="notice" id="take-over-text">
                            {move || {
                                let who = makes_way.get().map(|who| who.name).unwrap_or_default();
                                format!(
                                    "{who} is in the world already. Taking over ends that session, \
                                     wherever it is played.",
                                )
                            }}
                        </p>
                    </Show>
                    <div class="row actions">
                        // One button for both, so that it keeps the focus when the roster changes.
                        <button
                            class="button primary grow"
                            data-testid=move || {
                                if is_elsewhere() { "take-over" } else { "enter-world" }
                            }
                            data-focus-first="true"
                            type="button"
                            aria-describedby=move || is_elsewhere().then_some("take-over-text")
                            disabled=nobody
                            on:click=move |_| {
                                asked_by_form.set(false);
                                enter_world(connection, ui);
                            }
                        >
                            {move || if is_elsewhere() { "Take over" } else { "Enter the world" }}
                        </button>
                        <button
                            class="button"
                            data-testid="delete-character"
                            type="button"
                            disabled=nobody
                            on:click=move |_| {
                                asked_by_form.set(false);
                                confirming.set(true);
                            }
                        >
                            "Delete"
                        </button>
                    </div>
                </div>
                <CreateCharacterForm asked_here=asked_by_form />
            </div>
            {move || {
                let character = confirming.get().then(|| selected.get()).flatten()?;
                Some(view! { <ConfirmDelete character=character confirming=confirming /> })
            }}
        </section>
    }
}

#[component]
fn CharacterCard(index: usize, character: RosterCharacter) -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let is_selected = move || connection.read(|state| state.selected_character == Some(index));
    let select = move || {
        connection.start(|state| {
            state.select_character(index);
            Vec::new()
        });
    };
    let enter = move |_| {
        select();
        // Ending another session takes the button that says so.
        let ends_another =
            connection.peek(|state| state.characters.iter().any(|other| other.in_world));
        if !ends_another {
            enter_world(connection, ui);
        }
    };
    let appearance = character.appearance.clone();
    view! {
        <li role="presentation">
            <button
                class="choice"
                data-testid=format!("character-{}", character.name)
                type="button"
                role="radio"
                aria-checked=move || if is_selected() { "true" } else { "false" }
                tabindex=move || radio_tab_index(is_selected())
                disabled=move || connection.is_busy()
                on:click=move |_| select()
                on:dblclick=enter
            >
                <Portrait appearance=Signal::derive(move || appearance.clone()) />
                <span class="grow stack tight">
                    <span class="name">{character.name.clone()}</span>
                    <span class="row small place">
                        {title_of(character.zone.as_str())}
                        {character
                            .in_world
                            .then(|| view! { <span class="badge good">"In the world"</span> })}
                    </span>
                </span>
            </button>
        </li>
    }
}

/// Deleting cannot be undone, so it is asked for twice.
#[component]
fn ConfirmDelete(character: RosterCharacter, confirming: RwSignal<bool>) -> impl IntoView {
    let connection = expect_context::<Connection>();
    let keep = NodeRef::<html::Button>::new();
    focus_soon(keep);
    let id = character.id;
    let close = move || {
        confirming.set(false);
        request_animation_frame(focus_first);
    };
    let delete = move |_| {
        close();
        connection.start(|state| start_delete_character(state, id));
    };
    view! {
        <div
            class="veil"
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    event.prevent_default();
                    close();
                }
            }
        >
            <div
                class="panel stack dialog"
                role="alertdialog"
                aria-modal="true"
                aria-labelledby="delete-title"
                aria-describedby="delete-text"
                on:keydown=move |event| trap_focus(&event)
            >
                <h2 id="delete-title" class="by-name">{format!("Delete {}?", character.name)}</h2>
                <p id="delete-text" class="muted">
                    "The character and the flowers that it has gathered are gone for good."
                </p>
                <div class="pair">
                    <button
                        node_ref=keep
                        class="button"
                        data-testid="cancel-delete"
                        type="button"
                        on:click=move |_| close()
                    >
                        "Keep"
                    </button>
                    <button
                        class="button danger"
                        data-testid="confirm-delete"
                        type="button"
                        on:click=delete
                    >
                        "Delete"
                    </button>
                </div>
            </div>
        </div>
    }
}

/// Whether a roster job is under way, for screens that show its progress in place.
pub(super) fn is_changing_roster(connection: Connection) -> bool {
    connection.read(|state| {
        state.pending_job.is_some_and(|job| {
            matches!(
                job.flow,
                MultiplayerConnectionFlow::CreateCharacter
                    | MultiplayerConnectionFlow::DeleteCharacter
            )
        })
    })
}
