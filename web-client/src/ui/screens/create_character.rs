//! The form for a new character: a name and a look.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use shared::account::CreateCharacter;
use shared::ids::Appearance;
use shared::limits::{MAX_CHARACTER_NAME_LEN, MAX_CHARACTERS_PER_REALM, MIN_CHARACTER_NAME_LEN};

use super::characters::is_changing_roster;
use crate::browser::canvas::art::APPEARANCES;
use crate::connection::start::start_create_character;
use crate::presentation::wording::limit_hint;
use crate::ui::connection::Connection;
use crate::ui::pieces::{
    Portrait, Problem, WalkingSprite, move_in_radio_group, problem_of, problem_where,
    radio_tab_index, title_of,
};

/// Creates a character in the selected realm.
#[component]
pub fn CreateCharacterForm(
    /// Whether this form was the last to ask for something: then its problem stands here.
    asked_here: RwSignal<bool>,
) -> impl IntoView {
    let connection = expect_context::<Connection>();
    let name = RwSignal::new(String::new());
    let look = RwSignal::new(Appearance::default());
    let count = Memo::new(move |_| connection.read(|state| state.characters.len()));
    let is_full = move || count.get() >= MAX_CHARACTERS_PER_REALM;
    let disabled = move || connection.is_busy() || is_full();
    let create = move |event: SubmitEvent| {
        event.prevent_default();
        asked_here.set(true);
        let character = CreateCharacter {
            name: name.get_untracked().trim().to_owned(),
            appearance: look.get_untracked(),
        };
        connection.start(|state| start_create_character(state, character));
    };
    // A name that has become a character leaves the form.
    Effect::new(move |before: Option<usize>| {
        let now = count.get();
        if before.is_some_and(|before| now > before) {
            name.set(String::new());
        }
        now
    });
    let problem = problem_where(problem_of(connection), asked_here, true);
    let is_wrong = move || if problem.with(String::is_empty) { "false" } else { "true" };
    let hint = move || {
        if is_full() {
            format!("This realm holds {MAX_CHARACTERS_PER_REALM} of your characters; it is full.")
        } else {
            let rule = format!(
                "{MIN_CHARACTER_NAME_LEN} to {MAX_CHARACTER_NAME_LEN} letters, no digits. Spaces, \
                 hyphens and apostrophes may stand between them.",
            );
            name.with(|name| limit_hint(name, MAX_CHARACTER_NAME_LEN, "a name", &rule))
        }
    };
    view! {
        <form class="panel stack create-card" on:submit=create novalidate=true>
            <div class="row spread">
                <h2>"New character"</h2>
                <WalkingSprite appearance=look />
            </div>
            <div class="field">
                <label for="character-name">"Name"</label>
                <input
                    id="character-name"
                    class="input"
                    data-testid="character-name"
                    name="character-name"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    maxlength=MAX_CHARACTER_NAME_LEN.to_string()
                    aria-describedby="character-hint create-problem"
                    aria-invalid=is_wrong
                    prop:value=name
                    disabled=disabled
                    on:input:target=move |event| name.set(event.target().value())
                />
                <p class="hint" id="character-hint" aria-live="polite">{hint}</p>
            </div>
            <Problem id="create-problem" text=problem />
            <fieldset class="stack tight" disabled=disabled>
                <legend class="field-legend">
                    "Look: " <span class="muted">{move || title_of(look.get().as_str())}</span>
                </legend>
                <div
                    class="looks"
                    role="radiogroup"
                    aria-label="Look"
                    on:keydown=move |event| move_in_radio_group(&event)
                >
                    {APPEARANCES
                        .iter()
                        .filter_map(|slug| slug.parse::<Appearance>().ok())
                        .map(|option| view! { <LookOption option=option look=look /> })
                        .collect_view()}
                </div>
            </fieldset>
            <button
                class="button primary wide"
                data-testid="create-character"
                type="submit"
                disabled=disabled
            >
                {move || if is_changing_roster(connection) { "One moment..." } else { "Create" }}
            </button>
        </form>
    }
}

#[component]
fn LookOption(option: Appearance, look: RwSignal<Appearance>) -> impl IntoView {
    let (shown, compared, chosen) = (option.clone(), option.clone(), option.clone());
    let is_chosen = Memo::new(move |_| look.with(|look| *look == compared));
    view! {
        <button
            class="choice look"
            data-testid=format!("appearance-{option}")
            type="button"
            role="radio"
            aria-label=title_of(option.as_str())
            aria-checked=move || if is_chosen.get() { "true" } else { "false" }
            tabindex=move || radio_tab_index(is_chosen.get())
            on:click=move |_| look.set(chosen.clone())
        >
            <Portrait appearance=Signal::derive(move || shown.clone()) />
        </button>
    }
}
