//! The page: one connection, one screen at a time, and the status that all of them share.

use leptos::prelude::*;
use shared::account::LoginResponse;
use shared::gameplay::MapRef;
use wasm_bindgen_futures::spawn_local;

use super::connection::Connection;
use super::focus::{focus_first, keep_focus_over_jobs};
use super::inspector::{Inspector, OpenInspector};
use super::keyboard::listen_everywhere;
use super::screens::characters::CharactersScreen;
use super::screens::loading::LoadingScreen;
use super::screens::login::LoginScreen;
use super::screens::realms::RealmsScreen;
use super::screens::recovery::RecoveryScreen;
use super::screens::world::WorldScreen;
use super::soft_keyboard;
use super::ui_state::MultiplayerUiState;
use crate::browser::scene::SceneLoader;
use crate::browser::storage;
use crate::connection::start::{LoginMethod, start_login_flow};
use crate::connection::{ConnectionEvent, ConnectionStatus, MultiplayerConnectionState};
use crate::presentation::screen::Shown;
use crate::presentation::wording::status_text;
use crate::presentation::{Menu, Screen, screen_of};
use crate::realtime::transport::TransportState;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let ui = MultiplayerUiState::default();
    let connection = Connection::new("", move |notice| ui.show(notice));
    provide_context(connection);
    provide_context(ui);

    load_scenes(connection, ui);
    listen_everywhere(ui);
    soft_keyboard::follow();
    keep_focus_over_jobs(connection);
    return_to_the_login_when_it_ends(connection, ui);
    return_once(connection, ui);
    if let Some(login) = storage::load_login() {
        continue_login(connection, ui, login);
    }

    let screen = Memo::new(move |_| {
        let shown = Shown {
            menu: ui.menu.get(),
            entering: ui.entering.get(),
            returning: ui.returning.get(),
            has_scene: has_scene(connection, ui),
        };
        connection.read(|state| screen_of(state, shown))
    });
    Effect::new(move |_| {
        screen.track();
        // The screen is in the document only after this effect.
        request_animation_frame(focus_first);
    });
    view! {
        <main class="app" data-screen=move || screen.get().name()>
            {move || match screen.get() {
                Screen::Login => view! { <LoginScreen /> }.into_any(),
                Screen::Realms => view! { <RealmsScreen /> }.into_any(),
                Screen::Characters => view! { <CharactersScreen /> }.into_any(),
                Screen::Loading => view! { <LoadingScreen /> }.into_any(),
                Screen::World => view! { <WorldScreen /> }.into_any(),
                Screen::Recovery => view! { <RecoveryScreen /> }.into_any(),
            }}
            <footer class="page-foot">
                <StatusLine screen=screen />
                <OpenInspector class="button quiet foot-button" />
            </footer>
            <Inspector />
        </main>
    }
}

/// Whether there is a picture for where the session is. One that moves on keeps the last
/// until it has arrived.
fn has_scene(connection: Connection, ui: MultiplayerUiState) -> bool {
    connection.read(|state| {
        let Some(handle) = &state.realtime else { return false };
        ui.scene.with(|scene| {
            scene.as_ref().is_some_and(|(map, _)| {
                *map == handle.activation.map
                    || handle.transport.state() == TransportState::Transferring
            })
        })
    })
}

/// Continues a login of before: goes back into the world where its session may still be
/// there, else shows the roster in the realm of before.
pub(super) fn continue_login(connection: Connection, ui: MultiplayerUiState, login: LoginResponse) {
    ui.menu.set(Menu::Characters);
    let session = storage::load_session().map(Box::new);
    // Where no way back into the world is found, the roster is shown and says why.
    ui.entering.set(false);
    let method = LoginMethod::Continue { login, realm: storage::load_realm(), session };
    connection.start(|state| start_login_flow(state, method));
    ui.returning.set(connection.peek(MultiplayerConnectionState::is_busy));
}

/// Loads the scene of every realtime session as soon as its map is known, while the
/// session is still being dialled. A session that is claimed again has the same map, and
/// goes on in the same scene.
fn load_scenes(connection: Connection, ui: MultiplayerUiState) {
    let wanted: Memo<Option<MapRef>> = Memo::new(move |_| {
        connection.read(|state| state.realtime.as_ref().map(|handle| handle.activation.map.clone()))
    });
    let loader = SceneLoader::default();
    Effect::new(move |_| {
        let Some(map) = wanted.get() else {
            ui.forget_the_world();
            return;
        };
        let loader = loader.clone();
        spawn_local(async move {
            let origin = connection.peek(|state| state.login_endpoint.clone());
            let loaded = loader.load(&origin, &map).await;
            // The session may have ended or moved on meanwhile.
            let generation = connection.peek(|state| {
                let handle = state.realtime.as_ref()?;
                (handle.activation.map == map).then_some(handle.generation)
            });
            let Some(generation) = generation else { return };
            match loaded {
                Ok(scene) => ui.scene.set(Some((map, scene))),
                Err(error) => connection.dispatch(ConnectionEvent::TransferFailed {
                    generation,
                    reason: error.to_string(),
                    wants_reload: error.wants_reload(),
                }),
            }
        });
    });
}

/// A logout or a full reset takes the menus back to their beginning.
fn return_to_the_login_when_it_ends(connection: Connection, ui: MultiplayerUiState) {
    let is_idle = Memo::new(move |_| {
        connection.read(|state| state.login_response.is_none() && !state.is_busy())
    });
    Effect::new(move |was: Option<bool>| {
        let now = is_idle.get();
        if now && was == Some(false) {
            ui.reset();
        }
        now
    });
}

/// Once its first job has ended, a page that was loaded anew is as any other.
fn return_once(connection: Connection, ui: MultiplayerUiState) {
    Effect::new(move |_| {
        if !connection.is_busy() {
            ui.returning.set(false);
        }
    });
}

/// The status in words: one live region for the whole page, so that screen readers hear
/// every change of it, whatever the screen.
#[component]
fn StatusLine(screen: Memo<Screen>) -> impl IntoView {
    let connection = expect_context::<Connection>();
    let tone = move || {
        connection.read(|state| match state.status {
            ConnectionStatus::Error(_)
            | ConnectionStatus::NeedsReload(_)
            | ConnectionStatus::Refused { .. } => "error",
            ConnectionStatus::Pending(_)
            | ConnectionStatus::Connected
            | ConnectionStatus::Reconnecting { .. }
            | ConnectionStatus::Disconnecting => "busy",
            ConnectionStatus::InWorld => "settled",
            _ => "calm",
        })
    };
    view! {
        <p class="status" role="status" aria-live="polite" data-testid="status" data-tone=tone>
            {move || connection.read(|state| status_text(&state.status, screen.get()))}
        </p>
    }
}
