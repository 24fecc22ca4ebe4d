//! The world: the canvas, and the HUD over it.

use std::collections::BTreeSet;

use leptos::ev::{self, PointerEvent};
use leptos::html;
use leptos::prelude::*;
use shared::ids::{Appearance, ZoneId};

use super::pause::PauseMenu;
use crate::browser::world_loop::WorldLoop;
use crate::ui::connection::Connection;
use crate::ui::pieces::{Portrait, title_of};
use crate::ui::ui_state::MultiplayerUiState;

/// Shown once the world is ready, and until its session has ended.
#[component]
pub fn WorldScreen() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let facts = connection.facts();
    let world = StoredValue::new_local(None::<WorldLoop>);
    let canvas = NodeRef::<html::Canvas>::new();
    play(connection, ui, canvas, world);
    listen_to_keys(ui, world);

    let zone_name = Memo::new(move |_| {
        ui.scene.with(|scene| {
            scene.as_ref().map(|(_, scene)| scene.map.parts().name.clone()).unwrap_or_default()
        })
    });
    let label =
        move || format!("{}. Walk with the arrow keys or W A S D, or tap.", zone_name.get());
    view! {
        <section
            class="world"
            data-testid="screen-world"
            aria-label="World"
            data-zone=move || facts.with(|facts| facts.zone.clone())
            data-instance=move || facts.with(|facts| facts.instance.clone())
            data-transport=move || facts.with(|facts| facts.transport_text())
            data-tile=move || facts.with(|facts| facts.tile_text())
            data-players=move || facts.with(|facts| facts.players.to_string())
            data-gathered=move || facts.with(|facts| facts.gathered.to_string())
        >
            <div class="world-view" inert=move || ui.paused.get()>
            <canvas
                node_ref=canvas
                class="world-canvas"
                role="application"
                tabindex="0"
                aria-label=label
                on:pointerdown=move |event| press(&event, ui, world)
                on:pointermove=move |event| drag(&event, world)
                on:pointerup=move |_| lift(world)
                on:pointercancel=move |_| lift(world)
                on:contextmenu=move |event| event.prevent_default()
            ></canvas>
            <div class="hud">
                <div class="plaque top-left">
                    <h1 class="zone-name">{zone_name}</h1>
                    <p class="small">{move || players_text(facts.with(|facts| facts.players))}</p>
                </div>
                <button
                    class="button menu-button top-right"
                    data-testid="open-menu"
                    type="button"
                    aria-label="Menu"
                    aria-haspopup="dialog"
                    on:click=move |_| ui.paused.set(true)
                >
                    <span class="bars" aria-hidden="true"></span>
                </button>
                <OwnPlate />
                <Ways world=world />
                <Show when=move || !ui.has_walked.get()>
                    <p class="walk-hint">
                        <span class="for-keys">"Walk with W A S D or the arrows, or click."</span>
                        <span class="for-touch">"Tap to walk there, hold to steer."</span>
                    </p>
                </Show>
            </div>
            </div>
            <Show when=move || ui.paused.get()>
                <PauseMenu />
            </Show>
        </section>
    }
}

fn players_text(players: usize) -> String {
    match players {
        0 | 1 => "You are alone here".to_owned(),
        players => format!("{players} players in view"),
    }
}

/// Name and face of the player's own character.
#[component]
fn OwnPlate() -> impl IntoView {
    let facts = expect_context::<Connection>().facts();
    let appearance = Signal::derive(move || {
        facts.with(|facts| facts.appearance.parse::<Appearance>().unwrap_or_default())
    });
    view! {
        <div class="plaque own-plate">
            <Portrait appearance=appearance />
            <p class="name">{move || facts.with(|facts| facts.name.clone())}</p>
        </div>
    }
}

/// The ways out of the zone, as controls that walk there.
#[component]
fn Ways(world: StoredValue<Option<WorldLoop>, LocalStorage>) -> impl IntoView {
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

/// Runs the world on the canvas for as long as the screen is there.
fn play(
    connection: Connection,
    ui: MultiplayerUiState,
    canvas: NodeRef<html::Canvas>,
    world: StoredValue<Option<WorldLoop>, LocalStorage>,
) {
    Effect::new(move |_| {
        let (Some(canvas), Some((_, scene))) = (canvas.get(), ui.scene.get()) else { return };
        let _ = canvas.focus();
        world.set_value(WorldLoop::start(canvas, &scene, connection, wants_stillness()));
    });
    Effect::new(move |_| {
        if ui.paused.get() {
            world.with_value(|world| world.as_ref().map(WorldLoop::stop));
        } else if let Some(canvas) = canvas.get_untracked() {
            // The keyboard belongs to the world again, once the menu has let go of it.
            request_animation_frame(move || {
                let _ = canvas.focus();
            });
        }
    });
    on_cleanup(move || world.set_value(None));
}

fn wants_stillness() -> bool {
    window()
        .match_media("(prefers-reduced-motion: reduce)")
        .ok()
        .flatten()
        .is_some_and(|query| query.matches())
}

/// Keys count wherever the focus is, as long as no menu is open.
fn listen_to_keys(ui: MultiplayerUiState, world: StoredValue<Option<WorldLoop>, LocalStorage>) {
    let key = move |code: &str, held: bool| {
        world.with_value(|world| world.as_ref().is_some_and(|world| world.key(code, held)))
    };
    let down = window_event_listener(ev::keydown, move |event| {
        if event.code() == "Escape" && !event.repeat() {
            ui.paused.update(|paused| *paused = !*paused);
        }
        let is_shortcut = event.ctrl_key() || event.meta_key() || event.alt_key();
        if !ui.paused.get_untracked() && !is_shortcut && key(&event.code(), true) {
            event.prevent_default();
            ui.has_walked.set(true);
        }
    });
    let up = window_event_listener(ev::keyup, move |event| {
        key(&event.code(), false);
    });
    let blur = window_event_listener(ev::blur, move |_| {
        world.with_value(|world| world.as_ref().map(WorldLoop::release_all));
    });
    on_cleanup(move || {
        down.remove();
        up.remove();
        blur.remove();
    });
}

fn press(
    event: &PointerEvent,
    ui: MultiplayerUiState,
    world: StoredValue<Option<WorldLoop>, LocalStorage>,
) {
    if !event.is_primary() || event.button() != 0 {
        return;
    }
    let target: web_sys::Element = event_target(event);
    // Without the capture a finger that leaves the canvas would steer for ever.
    let _ = target.set_pointer_capture(event.pointer_id());
    world.with_value(|world| world.as_ref().map(|world| world.press(place_of(event))));
    ui.has_walked.set(true);
}

fn drag(event: &PointerEvent, world: StoredValue<Option<WorldLoop>, LocalStorage>) {
    if event.is_primary() {
        world.with_value(|world| world.as_ref().map(|world| world.drag(place_of(event))));
    }
}

fn lift(world: StoredValue<Option<WorldLoop>, LocalStorage>) {
    world.with_value(|world| world.as_ref().map(WorldLoop::lift));
}

/// Where on the canvas a pointer is, in CSS pixels from its corner.
fn place_of(event: &PointerEvent) -> (f64, f64) {
    (event.offset_x(), event.offset_y())
}
