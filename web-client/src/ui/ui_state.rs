//! What is on the screen, apart from what the connection knows: menus, the loaded scene,
//! whether the player asked to enter. Nothing here is evidence of a login or of a world.

use leptos::prelude::*;

use crate::browser::scene::Scene;
use crate::connection::{
    MultiplayerConnectionFlow, MultiplayerConnectionState, Notice, PendingJobStage,
};
use crate::realtime::handle::RealtimeGeneration;

/// The screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// Register and log in.
    Login,
    /// Choose a realm.
    Realms,
    /// Choose, create and delete characters.
    Characters,
    /// On the way into the world.
    Loading,
    /// In the world.
    World,
    /// The way into the world has failed.
    Recovery,
}

impl Screen {
    /// The screen's name, as its test id and the page's styles have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Realms => "realms",
            Self::Characters => "characters",
            Self::Loading => "loading",
            Self::World => "world",
            Self::Recovery => "recovery",
        }
    }
}

/// Which menu an account without a world sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Menu {
    /// The realms.
    #[default]
    Realms,
    /// The characters of the selected realm.
    Characters,
}

/// The page's presentation state; copies are the same state.
#[derive(Clone, Copy, Debug)]
pub struct MultiplayerUiState {
    /// The menu to return to.
    pub menu: RwSignal<Menu>,
    /// Whether a way into the world was begun and the player has not gone back since: a
    /// failure is then shown on the recovery screen.
    pub entering: RwSignal<bool>,
    /// Whether the pause menu is open.
    pub paused: RwSignal<bool>,
    /// The scene of a session, once it is loaded.
    pub scene: RwSignal<Option<(RealtimeGeneration, Scene)>, LocalStorage>,
    /// Whether the player has been told how to walk.
    pub has_walked: RwSignal<bool>,
}

impl Default for MultiplayerUiState {
    fn default() -> Self {
        Self {
            menu: RwSignal::default(),
            entering: RwSignal::new(false),
            paused: RwSignal::new(false),
            scene: RwSignal::new_local(None),
            has_walked: RwSignal::new(false),
        }
    }
}

impl MultiplayerUiState {
    /// Takes in what passes in the world.
    pub fn show(self, _notice: Notice) {}

    /// Forgets everything that belonged to one player's session.
    pub fn reset(self) {
        self.menu.set(Menu::default());
        self.entering.set(false);
        self.paused.set(false);
        self.scene.set(None);
        self.has_walked.set(false);
    }
}

/// Which screen shows a state.
#[must_use]
pub fn screen_of(
    state: &MultiplayerConnectionState,
    menu: Menu,
    entering: bool,
    scene: Option<RealtimeGeneration>,
) -> Screen {
    if let Some(handle) = &state.realtime {
        let is_shown = state.world_entry_ready() || state.is_draining();
        return if is_shown && scene == Some(handle.generation) {
            Screen::World
        } else {
            Screen::Loading
        };
    }
    if let Some(job) = &state.pending_job {
        let enters = matches!(
            job.stage,
            PendingJobStage::RequestingHandoff | PendingJobStage::Handshaking { .. }
        );
        if enters || job.flow == MultiplayerConnectionFlow::ConnectCharacter {
            return Screen::Loading;
        }
    }
    match (&state.login_response, menu) {
        (None, _) => Screen::Login,
        (Some(_), _) if entering => Screen::Recovery,
        (Some(_), Menu::Realms) => Screen::Realms,
        (Some(_), Menu::Characters) => Screen::Characters,
    }
}
