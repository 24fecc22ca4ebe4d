//! The inspector: the fields by which a stuck flow is diagnosed, live, over every screen.
//! It is no dialog: what it looks at goes on beside it.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_futures::spawn_local;

use super::connection::Connection;
use super::ui_state::MultiplayerUiState;
use crate::browser::clock;
use crate::connection::diagnosis::Diagnosis;

/// How often the fields are read.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The inspector, while it is open.
#[component]
pub fn Inspector() -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    view! {
        <Show when=move || ui.shows_inspector.get()>
            <Panel />
        </Show>
    }
}

/// Opens the inspector from a menu.
#[component]
pub fn OpenInspector(
    /// The button's classes.
    class: &'static str,
) -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    view! {
        <button
            class=class
            data-testid="open-inspector"
            type="button"
            aria-pressed=move || if ui.shows_inspector.get() { "true" } else { "false" }
            on:click=move |_| ui.toggle_diagnosis(ui.shows_inspector)
        >
            "Inspector"
        </button>
    }
}

#[component]
fn Panel() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let look = move || connection.peek(|state| Diagnosis::of(state, clock::now()));
    let diagnosis = RwSignal::new(look());
    if let Ok(timer) = set_interval_with_handle(move || diagnosis.set(look()), LOOK_EVERY) {
        on_cleanup(move || timer.clear());
    }
    let copied = RwSignal::new("");
    let copy = move |_| {
        let text = look().to_string();
        spawn_local(async move {
            let done = write_to_clipboard(&text).await;
            copied.set(if done {
                "Copied."
            } else {
                "This browser does not let the page copy: select the text instead."
            });
        });
    };
    view! {
        <aside class="inspector" data-testid="inspector" aria-label="Inspector">
            <header class="row spread">
                <h2>"Inspector"</h2>
                <div class="row tight">
                    <button class="button compact" data-testid="inspector-copy" type="button" on:click=copy>
                        "Copy"
                    </button>
                    <button
                        class="button compact"
                        data-testid="inspector-close"
                        type="button"
                        on:click=move |_| ui.shows_inspector.set(false)
                    >
                        "Close"
                    </button>
                </div>
            </header>
            <p class="small muted" role="status">{move || copied.get()}</p>
            <ol class="inspector-steps" tabindex="0" aria-label="Steps of the connection">
                {move || {
                    let steps = diagnosis.with(|diagnosis| diagnosis.0.clone());
                    (1..)
                        .zip(steps)
                        .map(|(number, step)| {
                            view! {
                                <li>
                                    <h3>{format!("{number}. {}", step.title)}</h3>
                                    <dl>
                                        {step
                                            .fields
                                            .into_iter()
                                            .map(|field| {
                                                view! {
                                                    <dt>{field.name}</dt>
                                                    <dd data-field=field.name>{field.value}</dd>
                                                }
                                            })
                                            .collect_view()}
                                    </dl>
                                </li>
                            }
                        })
                        .collect_view()
                }}
            </ol>
        </aside>
    }
}

/// Copies a text; says whether the browser has let the page do so. Insecure pages have no
/// clipboard at all.
async fn write_to_clipboard(text: &str) -> bool {
    let navigator = window().navigator();
    let has_clipboard = js_sys::Reflect::get(navigator.unchecked_ref(), &"clipboard".into())
        .is_ok_and(|clipboard| !clipboard.is_undefined());
    has_clipboard && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}
