//! What is on the screen, apart from what the connection knows: menus, the loaded scene,
//! the chat, bubbles, keys. It holds no part of the connection, and the connection never
//! looks at it: nothing here is evidence of a login or of a world.

use leptos::prelude::*;
use shared::gameplay::MapRef;
use shared::realtime::command::Command;

use crate::browser::clock;
use crate::browser::preferences;
use crate::browser::scene::Scene;
use crate::connection::Notice;
use crate::presentation::wording;
use crate::presentation::{Action, Bubbles, ChatLog, Keybinds, Menu, Telemetry};

/// What became of the wish to respawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Respawn {
    /// Nothing was wished since the death.
    #[default]
    NotAsked,
    /// The server has been asked.
    Asked,
    /// It was not done: why, as a sentence.
    NotDone(String),
}

/// The page's presentation state; copies are the same state.
#[derive(Clone, Copy, Debug)]
pub struct MultiplayerUiState {
    /// The menu to return to.
    pub menu: RwSignal<Menu>,
    /// Whether a way into the world was begun and the player has not gone back since: a
    /// failure is then shown on the recovery screen.
    pub entering: RwSignal<bool>,
    /// Whether the page has been loaded anew and goes on with its login of before.
    pub returning: RwSignal<bool>,
    /// Whether the pause menu is open.
    pub paused: RwSignal<bool>,
    /// Whether the pause menu shows the settings.
    pub in_settings: RwSignal<bool>,
    /// The scene of the last map that was loaded.
    pub scene: RwSignal<Option<(MapRef, Scene)>, LocalStorage>,
    /// Whether the player has walked in this browser, and need not be told how.
    pub has_walked: RwSignal<bool>,
    /// Whether the own body stands where the lower half of the HUD is.
    pub own_is_low: RwSignal<bool>,
    /// What was said.
    pub chat: RwSignal<ChatLog>,
    /// What is written and not said yet.
    pub chat_draft: RwSignal<String>,
    /// Whether the player writes.
    pub chat_open: RwSignal<bool>,
    /// What is over the heads. Frames look at it; nothing is rendered by it.
    pub bubbles: StoredValue<Bubbles>,
    /// Which key does what.
    pub keybinds: RwSignal<Keybinds>,
    /// The action whose key is being chosen.
    pub capturing: RwSignal<Option<Action>>,
    /// What became of the wish to respawn.
    pub respawn: RwSignal<Respawn>,
    /// Flowers picked since the world was entered.
    pub picked: RwSignal<u32>,
    /// How the page does.
    pub telemetry: RwSignal<Telemetry>,
    /// Whether the measurements are shown.
    pub shows_telemetry: RwSignal<bool>,
    /// Whether the inspector is open.
    pub shows_inspector: RwSignal<bool>,
}

impl Default for MultiplayerUiState {
    fn default() -> Self {
        Self {
            menu: RwSignal::default(),
            entering: RwSignal::new(false),
            returning: RwSignal::new(false),
            paused: RwSignal::new(false),
            in_settings: RwSignal::new(false),
            scene: RwSignal::new_local(None),
            has_walked: RwSignal::new(preferences::load_has_walked()),
            own_is_low: RwSignal::new(false),
            chat: RwSignal::default(),
            chat_draft: RwSignal::default(),
            chat_open: RwSignal::new(false),
            bubbles: StoredValue::default(),
            keybinds: RwSignal::new(preferences::load_keybinds()),
            capturing: RwSignal::new(None),
            respawn: RwSignal::default(),
            picked: RwSignal::new(0),
            telemetry: RwSignal::default(),
            shows_telemetry: RwSignal::new(false),
            shows_inspector: RwSignal::new(false),
        }
    }
}

impl MultiplayerUiState {
    /// Takes in what passes in the world.
    pub fn show(self, notice: Notice) {
        let now = clock::now();
        match notice {
            Notice::Said { entity, name, text, own } => {
                self.chat.update(|chat| chat.said(&name, &text, own, now));
                self.bubbles.update_value(|bubbles| bubbles.said(entity, text, now));
            }
            Notice::Emoted { entity, emote } => {
                self.bubbles.update_value(|bubbles| bubbles.emoted(entity, emote, now));
            }
            Notice::Gathered { .. } => self.picked.update(|picked| *picked += 1),
            Notice::Refused { command, reason } => {
                self.tell(&command, wording::refused(&command, reason), now);
            }
            Notice::NotDone { command, reason } => {
                self.tell(&command, wording::not_done(&command, reason), now);
            }
        }
    }

    /// A respawn is told where it was asked for; everything else in the log.
    fn tell(self, command: &Command, text: String, now: f64) {
        if *command == Command::Respawn {
            self.respawn.set(Respawn::NotDone(text));
        } else {
            self.chat.update(|chat| chat.tell(text, now));
        }
    }

    /// The key of an action, for hints.
    #[must_use]
    pub fn key_label(self, action: Action) -> String {
        self.keybinds.with(|keybinds| keybinds.label(action))
    }

    /// Opens the pause menu, or closes it.
    pub fn toggle_menu(self) {
        let opens = !self.paused.get_untracked();
        self.capturing.set(None);
        self.in_settings.set(false);
        self.chat_open.set(false);
        self.paused.set(opens);
    }

    /// The player walks; the first time, the browser keeps that they can.
    pub fn walked(self) {
        if !self.has_walked.get_untracked() {
            self.has_walked.set(true);
            preferences::save_has_walked();
        }
    }

    /// Shows something that tells how the page does, or hides it again. The pause menu makes
    /// room for what is shown.
    pub fn toggle_diagnosis(self, shown: RwSignal<bool>) {
        let shows = !shown.get_untracked();
        shown.set(shows);
        if shows && self.paused.get_untracked() {
            self.toggle_menu();
        }
    }

    /// Goes back to the characters; the connection is told apart.
    pub fn return_to_characters(self) {
        self.entering.set(false);
        self.menu.set(Menu::Characters);
    }

    /// Closes what lies over the world: it is not on the screen any more.
    pub fn close_menus(self) {
        self.paused.set(false);
        self.in_settings.set(false);
        self.capturing.set(None);
        self.chat_open.set(false);
        self.respawn.set(Respawn::NotAsked);
    }

    /// Forgets what passed in a world: its session is over, and the next may be another
    /// character's.
    pub fn forget_the_world(self) {
        self.close_menus();
        self.scene.set(None);
        self.own_is_low.set(false);
        self.chat.set(ChatLog::default());
        self.chat_draft.set(String::new());
        self.bubbles.set_value(Bubbles::default());
        self.picked.set(0);
        self.telemetry.set(Telemetry::default());
    }

    /// Forgets everything that belonged to one player's session. Keys, the first
    /// walk and what is shown for diagnosis belong to the browser.
    pub fn reset(self) {
        self.forget_the_world();
        self.menu.set(Menu::default());
        self.entering.set(false);
    }
}
