//! What the player can do besides walking and talking: pick a flower, show a feeling.

use leptos::prelude::*;
use shared::limits::GATHER_REACH_TILES;
use shared::realtime::command::{Command, Emote};

use crate::connection::ConnectionEvent;
use crate::presentation::Action;
use crate::presentation::emote_art::{SIDE, drawing, runs};
use crate::ui::connection::Connection;
use crate::ui::ui_state::MultiplayerUiState;

/// Does something in the world.
pub fn act(connection: Connection, command: Command) {
    connection.dispatch(ConnectionEvent::Command(command));
}

/// How many flowers the character has gathered.
#[component]
pub fn Gathered() -> impl IntoView {
    let facts = expect_context::<Connection>().facts();
    let count = move || facts.with(|facts| facts.gathered);
    view! {
        <p class="gathered" aria-label=move || format!("{} flowers gathered", count())>
            <span class="flower-icon" aria-hidden="true"></span>
            {move || count().to_string()}
        </p>
    }
}

/// Shown while a glowing flower is within reach.
#[component]
pub fn GatherButton() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let facts = connection.facts();
    let is_near = Memo::new(move |_| {
        ui.scene.with(|scene| {
            let Some((_, scene)) = scene else { return false };
            facts.with(|facts| {
                let Some(at) = facts.tile.filter(|_| !facts.dead) else { return false };
                (0u16..).zip(&scene.map.parts().flowers).any(|(n, flower)| {
                    !facts.picked_flowers.contains(&n)
                        && flower.x.abs_diff(at.x) <= GATHER_REACH_TILES
                        && flower.y.abs_diff(at.y) <= GATHER_REACH_TILES
                })
            })
        })
    });
    let key = move || ui.keybinds.with(|keys| keys.key_name(Action::Gather));
    move || {
        is_near.get().then(|| {
            view! {
                <button
                    class="button primary gather"
                    data-testid="gather"
                    type="button"
                    on:click=move |_| act(connection, Command::Gather)
                >
                    <span class="flower-icon" aria-hidden="true"></span>
                    "Pick the flower"
                    <kbd class="for-keys">{key}</kbd>
                </button>
            }
        })
    }
}

/// The picture of a feeling. Decoration: the button has its name.
#[component]
fn EmoteIcon(emote: Emote) -> impl IntoView {
    let rects = drawing(emote).into_iter().enumerate().flat_map(|(y, row)| {
        runs(row).into_iter().map(move |(x, width, letter)| {
            view! {
                <rect
                    class=format!("art-{letter}")
                    x=x.to_string()
                    y=y.to_string()
                    width=width.to_string()
                    height="1"
                ></rect>
            }
        })
    });
    view! {
        <svg
            class="emote-icon"
            viewBox=format!("0 0 {SIDE} {SIDE}")
            shape-rendering="crispEdges"
            aria-hidden="true"
        >
            {rects.collect_view()}
        </svg>
    }
}

/// The feelings to show.
#[component]
pub fn Emotes() -> impl IntoView {
    let connection = expect_context::<Connection>();
    let ui = expect_context::<MultiplayerUiState>();
    let button = move |emote: Emote| {
        let action = Action::of_emote(emote);
        let key = move || ui.keybinds.with(|keys| keys.key_name(action));
        view! {
            <button
                class="button emote"
                data-testid=format!("emote-{}", emote.as_str())
                data-emote=emote.as_str()
                type="button"
                aria-label=action.label()
                title=action.label()
                on:click=move |_| act(connection, Command::Emote(emote))
            >
                <EmoteIcon emote=emote />
                <kbd class="for-keys">{key}</kbd>
            </button>
        }
    };
    view! {
        <div class="emotes" role="group" aria-label="Feelings">
            {Emote::ALL.map(button).into_iter().collect_view()}
        </div>
    }
}
