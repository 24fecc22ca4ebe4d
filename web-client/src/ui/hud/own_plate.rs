//! The player's own name, face and flowers.

use leptos::prelude::*;
use shared::ids::Appearance;

use super::actions::{FLOWER_SIGN, Sign};
use crate::presentation::wording::flowers_text;
use crate::ui::connection::Connection;
use crate::ui::pieces::Portrait;
use crate::ui::ui_state::MultiplayerUiState;

/// Name, face, and how many flowers have been gathered.
#[component]
pub fn OwnPlate() -> impl IntoView {
    let facts = expect_context::<Connection>().facts();
    let ui = expect_context::<MultiplayerUiState>();
    let appearance = Signal::derive(move || {
        facts.with(|facts| facts.appearance.parse::<Appearance>().unwrap_or_default())
    });
    let gathered = Memo::new(move |_| facts.with(|facts| facts.gathered));
    // Each flower starts the little leap anew, by an element of its own.
    let leap = move || {
        let picked = ui.picked.get();
        (picked > 0).then(|| view! { <span class="leap" aria-hidden="true">"+1"</span> })
    };
    view! {
        <div class="plaque own-plate">
            <Portrait appearance=appearance />
            <div class="stack tight">
                <p class="name">{move || facts.with(|facts| facts.name.clone())}</p>
                <p class="flowers" data-testid="gathered" role="status"
                    data-gathered=move || gathered.get().to_string()>
                    <Sign index=FLOWER_SIGN />
                    <span aria-hidden="true">{move || gathered.get().to_string()}</span>
                    <span class="hidden-visually">{move || flowers_text(gathered.get())}</span>
                    {leap}
                </p>
            </div>
        </div>
    }
}
