//! The world: the canvas, and the HUD over it.

use std::collections::BTreeSet;

use leptos::ev::{self, KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;
use shared::ids::{Appearance, ZoneId};
use shared::realtime::command::Command;
use wasm_bindgen::JsCast;

use super::pause::PauseMenu;
use crate::browser::world_loop::WorldLoop;
use crate::presentation::Action;
use crate::ui::connection::Connection;
use crate::ui::hud::chat::Chat;
use crate::ui::hud::deeds::{Emotes, GatherButton, Gathered, act};
use crate::ui::hud::overlays::{Death, Reconnecting, is_away};
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
    listen_to_keys(connection, ui, world);

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
            <div class="world-view" inert=move || is_covered(connection, ui)>
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
                    <Gathered />
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
                <div class="bottom">
                    <Chat />
                    <div class="bottom-row">
                        <OwnPlate />
                        <Emotes />
                        <Ways world=world />
                    </div>
                </div>
                <GatherButton />
                <Show when=move || !ui.has_walked.get()>
                    <p class="walk-hint">
                        <span class="for-keys">{move || walk_hint(ui)}</span>
                        <span class="for-touch">"Tap to walk there, hold to steer."</span>
                    </p>
                </Show>
            </div>
            </div>
            <Show when=move || is_dead(connection)>
                <Death />
            </Show>
            <Show when=move || is_away(connection)>
                <Reconnecting />
            </Show>
            <Show when=move || ui.paused.get() && !is_dead(connection) && !is_away(connection)>
                <PauseMenu />
            </Show>
        </section>
    }
}

/// Whether something lies over the world that takes the keys.
fn is_covered(connection: Connection, ui: MultiplayerUiState) -> bool {
    ui.paused.get() || is_dead(connection) || is_away(connection)
}

fn is_dead(connection: Connection) -> bool {
    connection.facts().with(|facts| facts.dead) && !is_away(connection)
}

fn walk_hint(ui: MultiplayerUiState) -> String {
    let key = |action| ui.keybinds.with(|keys| keys.key_name(action));
    let [up, left, down, right] = [Action::Up, Action::Left, Action::Down, Action::Right].map(key);
    format!("Walk with {up} {left} {down} {right} or the arrows, or click.")
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
        let bubbles = ui.bubbles.get_value();
        world.set_value(WorldLoop::start(canvas, &scene, connection, bubbles, wants_stillness()));
    });
    Effect::new(move |_| {
        if is_covered(connection, ui) || ui.is_chatting.get() {
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

/// Keys count wherever the focus is, as long as nothing lies over the world and nobody writes.
fn listen_to_keys(
    connection: Connection,
    ui: MultiplayerUiState,
    world: StoredValue<Option<WorldLoop>, LocalStorage>,
) {
    let walk = move |action: Action, held: bool| {
        world.with_value(|world| world.as_ref().is_some_and(|world| world.key(action, held)))
    };
    let down = window_event_listener(ev::keydown, move |event| {
        let is_over = untrack(|| is_dead(connection) || is_away(connection));
        if event.code() == "Escape" && !event.repeat() && !is_over {
            ui.paused.update(|paused| *paused = !*paused);
        }
        let is_shortcut = event.ctrl_key() || event.meta_key() || event.alt_key();
        let is_covered = untrack(|| is_covered(connection, ui) || ui.is_chatting.get());
        if is_shortcut || is_covered || is_written_into(&event) {
            return;
        }
        let action = ui.keybinds.with_untracked(|keys| keys.action(&event.code()));
        let Some(action) = action else { return };
        // A focused button keeps its own keys, whatever they are bound to.
        if matches!(event.code().as_str(), "Enter" | "Space") && is_on_a_button(&event) {
            return;
        }
        if walk(action, true) {
            ui.has_walked.set(true);
        } else if event.repeat() {
            return;
        } else if action == Action::Chat {
            ui.is_chatting.set(true);
        } else if action == Action::Gather {
            act(connection, Command::Gather);
        } else if let Some(emote) = action.emote() {
            act(connection, Command::Emote(emote));
        } else {
            return;
        }
        event.prevent_default();
    });
    let up = window_event_listener(ev::keyup, move |event| {
        if let Some(action) = ui.keybinds.with_untracked(|keys| keys.action(&event.code())) {
            walk(action, false);
        }
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

fn target_is(event: &KeyboardEvent, selector: &str) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| target.matches(selector).unwrap_or(false))
}

fn is_written_into(event: &KeyboardEvent) -> bool {
    target_is(event, "input, textarea, select")
}

fn is_on_a_button(event: &KeyboardEvent) -> bool {
    target_is(event, "button")
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
