//! What is on the screen, apart from what the connection knows: menus, the loaded scene,
//! whether the player asked to enter, what was said, which key does what. Nothing here is
//! evidence of a login or of a world; see [`presentation`](crate::presentation).

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use shared::secret::SessionToken;

use crate::browser::scene::Scene;
use crate::browser::{clock, storage};
use crate::connection::Notice;
use crate::presentation::chat_log::Speaker;
use crate::presentation::{Bubbles, ChatLog, Keybinds};
pub use crate::presentation::{Menu, Screen};

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
    pub scene: RwSignal<Option<(SessionToken, Scene)>, LocalStorage>,
    /// Whether the player has been told how to walk.
    pub has_walked: RwSignal<bool>,
    /// What was said, and what the page has to say of the player's wishes.
    pub chat: RwSignal<ChatLog>,
    /// What the player is about to say.
    pub chat_draft: RwSignal<String>,
    /// Whether the player is writing.
    pub is_chatting: RwSignal<bool>,
    /// What shows above heads.
    pub bubbles: StoredValue<Rc<RefCell<Bubbles>>, LocalStorage>,
    /// Which key does what.
    pub keybinds: RwSignal<Keybinds>,
}

impl Default for MultiplayerUiState {
    fn default() -> Self {
        Self {
            menu: RwSignal::default(),
            entering: RwSignal::new(false),
            paused: RwSignal::new(false),
            scene: RwSignal::new_local(None),
            has_walked: RwSignal::new(false),
            chat: RwSignal::default(),
            chat_draft: RwSignal::default(),
            is_chatting: RwSignal::new(false),
            bubbles: StoredValue::new_local(Rc::default()),
            keybinds: RwSignal::new(storage::load_keybinds()),
        }
    }
}

impl MultiplayerUiState {
    /// Takes in what passes in the world.
    pub fn show(self, notice: Notice) {
        let now = clock::now();
        let bubbles = self.bubbles.get_value();
        match notice {
            Notice::Said { entity, name, text, own } => {
                bubbles.borrow_mut().say(entity, text.as_str(), now);
                let from = if own { Speaker::Own(name) } else { Speaker::Other(name) };
                self.chat.update(|chat| chat.add(from, text.as_str()));
            }
            Notice::Emoted { entity, emote } => bubbles.borrow_mut().emote(entity, emote, now),
            // The count in the HUD says it.
            Notice::Gathered { .. } => {}
            Notice::Refused { reason, .. } => self.tell(&reason.to_string()),
            Notice::NotDone { reason, .. } => self.tell(&reason.to_string()),
        }
    }

    /// Says something to the player in the chat log.
    pub fn tell(self, reason: &str) {
        self.chat.update(|chat| chat.add(Speaker::Page, super::pieces::sentence(reason)));
    }

    /// Forgets everything that belonged to one player's session.
    pub fn reset(self) {
        self.menu.set(Menu::default());
        self.entering.set(false);
        self.paused.set(false);
        self.scene.set(None);
        self.has_walked.set(false);
        self.chat.set(ChatLog::default());
        self.chat_draft.set(String::new());
        self.is_chatting.set(false);
        *self.bubbles.get_value().borrow_mut() = Bubbles::default();
    }
}
