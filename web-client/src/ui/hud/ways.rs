//! The ways out of the zone, as controls that walk there.

use std::collections::BTreeSet;

use leptos::prelude::*;
use shared::ids::ZoneId;

use crate::browser::world_loop::WorldLoop;
use crate::ui::pieces::title_of;
use crate::ui::ui_state::MultiplayerUiState;

/// One button for each zone that an exit leads to.
#[component]
pub fn Ways(
    /// The world that is played.
    world: StoredValue<Option<WorldLoop>, LocalStorage>,
) -> impl IntoView {
    let ui = expect_context::<MultiplayerUiState>();
    let exits = Memo::new(move |_| {
        ui.scene.with(|scene| {
            let exits = scene.iter().flat_map(|(_, scene)| &scene.map.parts().exits);
            exits.map(|exit| exit.to.clone()).collect::<BTreeSet<ZoneId>>()
        })
    });
    let way = move |zone: ZoneId| {
        let name = title_of(zone.as_str());
        let id = format!("exit-{zone}");
        let walk = move |_| {
            world.with_value(|world| world.as_ref().is_some_and(|w| w.walk_to_exit(&zone)));
            ui.has_walked.set(true);
        };
        view! {
            <button
                class="button way"
                data-testid=id
                type="button"
                aria-label=format!("Walk to {name}")
                on:click=walk
            >
                {name.clone()}
                <span class="arrow" aria-hidden="true"></span>
            </button>
        }
    };
    move || {
        (!exits.with(BTreeSet::is_empty)).then(|| {
            view! {
                <nav class="ways" aria-label="Ways out of here">
                    {exits.get().into_iter().map(way).collect_view()}
                </nav>
            }
        })
    }
}
