//! The ways out of the zone, as controls that walk there. None of them leads on yet, and the
//! game says so where they end.

use std::collections::BTreeSet;

use leptos::prelude::*;
use shared::ids::ZoneId;

use crate::browser::clock;
use crate::browser::world_loop::WorldLoop;
use crate::presentation::exits::exit_at;
use crate::presentation::wording::closed_way_text;
use crate::ui::connection::Connection;
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
    let here = exit_here(expect_context::<Connection>(), ui);
    Effect::new(move |before: Option<Option<Option<ZoneId>>>| {
        let before = before.flatten();
        // A body that is not there for a while has not gone anywhere.
        let Some(now) = here.get() else { return before };
        if let (Some(before), Some(zone)) = (&before, &now)
            && *before != now
        {
            tell_closed(ui, zone);
        }
        Some(now)
    });
    let way = move |zone: ZoneId| {
        let name = title_of(zone.as_str());
        let id = format!("exit-{zone}");
        let walk = move |_| {
            let walks =
                world.with_value(|world| world.as_ref().is_some_and(|w| w.walk_to_exit(&zone)));
            ui.walked();
            // Nobody arrives who cannot walk there, or stands there already.
            let is_there = here.get_untracked().flatten().as_ref() == Some(&zone);
            if !walks || is_there {
                tell_closed(ui, &zone);
            }
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

/// Where the exit leads in which the server has the own body, if that stands in one. `None`
/// while nobody knows where it stands.
fn exit_here(connection: Connection, ui: MultiplayerUiState) -> Memo<Option<Option<ZoneId>>> {
    let facts = connection.facts();
    Memo::new(move |_| {
        let at = facts.with(|facts| facts.tile)?;
        ui.scene.with(|scene| {
            let (_, scene) = scene.as_ref()?;
            Some(exit_at(&scene.map.parts().exits, at).cloned())
        })
    })
}

fn tell_closed(ui: MultiplayerUiState, zone: &ZoneId) {
    let text = closed_way_text(&title_of(zone.as_str()));
    ui.chat.update(|chat| chat.tell(text, clock::now()));
}
