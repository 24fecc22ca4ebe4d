//! The world: the canvas, and the HUD over it.

use leptos::ev::{self, PointerEvent};
use leptos::html;
use leptos::prelude::*;

use super::pause::PauseMenu;
use crate::browser::world_loop::WorldLoop;
use crate::connection::ConnectionEvent;
use crate::presentation::Action;
use crate::presentation::over_world::{Over, is_away, over_the_world};
use crate::presentation::wording::players_text;
use crate::ui::connection::Connection;
use crate::ui::hud::actions::{ActionBar, GatherButton, command_of};
use crate::ui::hud::away::AwayOverlay;
use crate::ui::hud::chat::Chat;
use crate::ui::hud::death::DeathDialog;
use crate::ui::hud::own_plate::OwnPlate;
use crate::ui::hud::telemetry::TelemetryOverlay;
use crate::ui::hud::ways::Ways;
use crate::ui::keyboard::action_of;
use crate::ui::ui_state::MultiplayerUiState;
use crate::ui::world_link::PageLink;

/// Shown once the world is ready, and until its session has ended.
#[component]
pub fn WorldScreen() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let facts = connection.facts();
    let world = StoredValue::new_local(None::<WorldLoop>);
    let canvas = NodeRef::<html::Canvas>::new();
    let over = follow_what_lies_over(connection, ui);
    play(connection, ui, canvas, world, over);
    listen_to_keys(connection, ui, world, over);
    on_cleanup(move || ui.close_menus());

    let zone_name = Memo::new(move |_| {
        ui.scene.with(|scene| {
            scene.as_ref().map(|(_, scene)| scene.map.parts().name.clone()).unwrap_or_default()
        })
    });
    let walking_keys = move || ui.keybinds.with(|keybinds| keybinds.walking_keys());
    let label = move || {
        format!("{}. Walk with the arrow keys or {}, or tap.", zone_name.get(), walking_keys())
    };
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
            data-dead=move || facts.with(|facts| facts.dead.to_string())
        >
            <div class="world-view" inert=move || over.get() != Over::Nothing>
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
                <div
                    class="hud"
                    class:own-is-low=move || ui.own_is_low.get()
                    class:chatting=move || ui.chat_open.get()
                >
                    <div class="hud-top">
                        <div class="plaque zone-plate">
                            <h1 class="zone-name">{zone_name}</h1>
                            <p class="small">
                                {move || players_text(facts.with(|facts| facts.players))}
                            </p>
                        </div>
                        <TelemetryOverlay />
                        <button
                            class="button menu-button"
                            data-testid="open-menu"
                            type="button"
                            aria-label="Menu"
                            aria-haspopup="dialog"
                            aria-keyshortcuts=move || {
                                format!("Escape {}", ui.key_label(Action::Menu))
                            }
                            on:click=move |_| ui.toggle_menu()
                        >
                            <span class="bars" aria-hidden="true"></span>
                        </button>
                    </div>
                    <Show when=move || !ui.has_walked.get()>
                        <p class="walk-hint" data-testid="walk-hint">
                            <span class="for-keys">
                                "Walk with " {walking_keys} " or the arrows, or click."
                            </span>
                            <span class="for-touch">"Tap to walk there, hold to steer."</span>
                        </p>
                    </Show>
                    <div class="hud-bottom">
                        <Chat />
                        <div class="hud-hint"><GatherButton /></div>
                        <OwnPlate />
                        <ActionBar />
                        <Ways world=world />
                    </div>
                </div>
            </div>
            {move || match over.get() {
                Over::Nothing => ().into_any(),
                Over::Menu => view! { <PauseMenu /> }.into_any(),
                Over::Away => view! { <AwayOverlay /> }.into_any(),
                Over::Death => view! { <DeathDialog zone=zone_name /> }.into_any(),
            }}
        </section>
    }
}

/// What lies over the world and takes the keyboard.
fn follow_what_lies_over(connection: Connection, ui: MultiplayerUiState) -> Memo<Over> {
    let facts = connection.facts();
    Memo::new(move |_| {
        facts.with(|facts| {
            let away = is_away(facts.ready, facts.transport);
            over_the_world(ui.paused.get(), away, facts.dead)
        })
    })
}

/// Runs the world on the canvas for as long as the screen is there.
fn play(
    connection: Connection,
    ui: MultiplayerUiState,
    canvas: NodeRef<html::Canvas>,
    world: StoredValue<Option<WorldLoop>, LocalStorage>,
    over: Memo<Over>,
) {
    Effect::new(move |_| {
        let (Some(canvas), Some((_, scene))) = (canvas.get(), ui.scene.get()) else { return };
        let _ = canvas.focus();
        let link = PageLink { connection, ui };
        world.set_value(WorldLoop::start(canvas, &scene, link, wants_stillness()));
    });
    Effect::new(move |_| {
        if over.get() != Over::Nothing {
            ui.chat_open.set(false);
            world.with_value(|world| world.as_ref().map(WorldLoop::stop));
        } else if ui.chat_open.get() {
            // What is held will not be seen to go up: the keys belong to the text now.
            world.with_value(|world| world.as_ref().map(WorldLoop::release_all));
        } else if let Some(canvas) = canvas.get_untracked() {
            // The keyboard belongs to the world again, once what was over it has let go, and
            // unless something has taken it in the meantime.
            request_animation_frame(move || {
                let is_over = over.try_get_untracked() != Some(Over::Nothing);
                if !is_over && !ui.chat_open.get_untracked() {
                    let _ = canvas.focus();
                }
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

/// Keys count wherever the focus is, as long as nothing lies over the world and nobody
/// writes.
fn listen_to_keys(
    connection: Connection,
    ui: MultiplayerUiState,
    world: StoredValue<Option<WorldLoop>, LocalStorage>,
    over: Memo<Over>,
) {
    let walk = move |action: Action, held: bool| {
        world.with_value(|world| world.as_ref().is_some_and(|world| world.key(action, held)))
    };
    let down = window_event_listener(ev::keydown, move |event| {
        if event.code() == "Escape" {
            if !event.repeat() && !event.default_prevented() {
                event.prevent_default();
                escape(ui);
            }
            return;
        }
        let Some(action) = action_of(&event, ui) else { return };
        if action == Action::Menu && !event.repeat() {
            event.prevent_default();
            return ui.toggle_menu();
        }
        if over.get_untracked() != Over::Nothing {
            return;
        }
        if walk(action, true) {
            event.prevent_default();
            ui.walked();
        } else if event.repeat() {
            // One press is one wish.
        } else if action == Action::Chat {
            // Without this the key that opens the line would be written into it.
            event.prevent_default();
            ui.chat_open.set(true);
        } else if let Some(command) = command_of(action) {
            event.prevent_default();
            connection.dispatch(ConnectionEvent::Command(command));
        }
    });
    let up = window_event_listener(ev::keyup, move |event| {
        let action = ui.keybinds.with_untracked(|keybinds| keybinds.action(&event.code()));
        if let Some(action) = action {
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

/// One step back: from the settings into the menu, from the menu into the world, and from
/// the world into the menu.
fn escape(ui: MultiplayerUiState) {
    if ui.in_settings.get_untracked() {
        ui.in_settings.set(false);
    } else {
        ui.toggle_menu();
    }
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
    ui.walked();
    ui.chat_open.set(false);
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
