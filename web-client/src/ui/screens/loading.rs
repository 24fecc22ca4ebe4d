//! On the way into the world: how far it is, in words and as a bar, and the way back.

use std::time::Duration;

use leptos::prelude::*;
use shared::ids::Appearance;

use crate::connection::MultiplayerConnectionState;
use crate::presentation::progress::{STEPS, progress};
use crate::ui::connection::Connection;
use crate::ui::pieces::WalkingSprite;
use crate::ui::ui_state::MultiplayerUiState;
use crate::ui::world_entry::leave_world;

/// An entry that lasts longer than this is slow.
const SLOW_AFTER: Duration = Duration::from_secs(6);

/// Shown until the world is ready.
#[component]
pub fn LoadingScreen() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let has_scene = move || ui.scene.with(Option::is_some);
    let step = Memo::new(move |_| connection.read(|state| progress(state, has_scene())));
    let appearance = Signal::derive(move || {
        connection.read(|state| {
            let entered = state.realtime.as_ref().map(|handle| &handle.activation.character);
            entered
                .map(|character| character.appearance.clone())
                .or_else(|| state.character().map(|character| character.appearance.clone()))
                .unwrap_or_else(Appearance::default)
        })
    });
    let who = move || {
        connection.read(|state| {
            state
                .realtime
                .as_ref()
                .map(|handle| handle.activation.character.name.clone())
                .or_else(|| state.character().map(|character| character.name.clone()))
                .map_or_else(
                    || "Entering the world".to_owned(),
                    |name| format!("{name} enters the world"),
                )
        })
    };
    // Said once waiting has become strange.
    let is_slow = RwSignal::new(false);
    if let Ok(timer) = set_timeout_with_handle(move || is_slow.set(true), SLOW_AFTER) {
        on_cleanup(move || timer.clear());
    }
    let back = move |_| leave_world(connection, ui);
    view! {
        <section class="screen menu" tabindex="-1" data-testid="screen-loading" aria-labelledby="loading-title">
            <div class="panel stack loading-card">
                <WalkingSprite appearance=appearance />
                <h1 id="loading-title" class="by-name">{who}</h1>
                <div
                    class="steps"
                    role="progressbar"
                    aria-labelledby="loading-title"
                    aria-valuemin="0"
                    aria-valuemax=STEPS.to_string()
                    aria-valuenow=move || step.get().done.to_string()
                >
                    {(0..STEPS)
                        .map(|index| {
                            let done = move || index < step.get().done;
                            let now = move || index == step.get().done;
                            view! { <span class="step" class:done=done class:now=now></span> }
                        })
                        .collect_view()}
                </div>
                <p class="muted stage" aria-live="polite">{move || step.get().words}</p>
                <p class="hint" class:hidden-visually=move || !is_slow.get()>
                    {move || if is_slow.get() { "This takes longer than usual. You can go back and try again; you stay logged in." } else { "" }}
                </p>
                <button
                    class="button"
                    data-testid="back-to-characters"
                    type="button"
                    disabled=move || connection.read(MultiplayerConnectionState::is_draining)
                    on:click=back
                >
                    "Back to characters"
                </button>
            </div>
        </section>
    }
}
