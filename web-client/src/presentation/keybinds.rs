//! Which key does what. A key does one thing, and everything that can be done has a key:
//! who takes a key from another action gives it the own one in return.
//!
//! Keys are named by their place on the keyboard (`KeyboardEvent.code`), so that walking
//! keys lie together on every layout. The arrow keys always walk, and Escape always opens
//! and closes the menu; these cannot be given away.

use std::collections::BTreeMap;

use super::key_names::key_name;

/// Something that a key does in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Walk up.
    WalkUp,
    /// Walk left.
    WalkLeft,
    /// Walk down.
    WalkDown,
    /// Walk right.
    WalkRight,
    /// Write something to say.
    Chat,
    /// Pick a flower.
    Gather,
    /// Wave.
    Wave,
    /// Laugh.
    Laugh,
    /// Show a heart.
    Heart,
    /// Dance.
    Dance,
    /// Open the menu.
    Menu,
    /// Open and close the inspector.
    Inspector,
    /// Show and hide the measurements.
    Telemetry,
}

impl Action {
    /// Every action, in the order of the settings.
    pub const ALL: [Self; 13] = [
        Self::WalkUp,
        Self::WalkLeft,
        Self::WalkDown,
        Self::WalkRight,
        Self::Chat,
        Self::Gather,
        Self::Wave,
        Self::Laugh,
        Self::Heart,
        Self::Dance,
        Self::Menu,
        Self::Inspector,
        Self::Telemetry,
    ];

    /// Its name in test ids and in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WalkUp => "walk-up",
            Self::WalkLeft => "walk-left",
            Self::WalkDown => "walk-down",
            Self::WalkRight => "walk-right",
            Self::Chat => "chat",
            Self::Gather => "gather",
            Self::Wave => "wave",
            Self::Laugh => "laugh",
            Self::Heart => "heart",
            Self::Dance => "dance",
            Self::Menu => "menu",
            Self::Inspector => "inspector",
            Self::Telemetry => "telemetry",
        }
    }

    /// What it does, for the player.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::WalkUp => "Walk up",
            Self::WalkLeft => "Walk left",
            Self::WalkDown => "Walk down",
            Self::WalkRight => "Walk right",
            Self::Chat => "Chat",
            Self::Gather => "Gather",
            Self::Wave => "Wave",
            Self::Laugh => "Laugh",
            Self::Heart => "Heart",
            Self::Dance => "Dance",
            Self::Menu => "Menu",
            Self::Inspector => "Inspector",
            Self::Telemetry => "Measurements",
        }
    }

    fn default_key(self) -> &'static str {
        match self {
            Self::WalkUp => "KeyW",
            Self::WalkLeft => "KeyA",
            Self::WalkDown => "KeyS",
            Self::WalkRight => "KeyD",
            Self::Chat => "Enter",
            Self::Gather => "KeyE",
            Self::Wave => "Digit1",
            Self::Laugh => "Digit2",
            Self::Heart => "Digit3",
            Self::Dance => "Digit4",
            Self::Menu => "KeyM",
            // Browsers leave these two alone.
            Self::Inspector => "F8",
            Self::Telemetry => "F2",
        }
    }
}

/// Keys that mean something already, to the page or to the browser.
const KEPT: [&str; 25] = [
    "Escape",
    "Tab",
    "ArrowUp",
    "ArrowLeft",
    "ArrowDown",
    "ArrowRight",
    "ShiftLeft",
    "ShiftRight",
    "ControlLeft",
    "ControlRight",
    "AltLeft",
    "AltRight",
    "MetaLeft",
    "MetaRight",
    "ContextMenu",
    "CapsLock",
    "NumLock",
    "F1",
    "F3",
    "F5",
    "F6",
    "F7",
    "F10",
    "F11",
    "F12",
];

/// Why a key cannot be bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotBindable {
    /// The key has a meaning that it keeps.
    #[error("{0} keeps its meaning: press another key")]
    Kept(String),
    /// The browser does not tell which key it is.
    #[error("this key cannot be told from others: press another one")]
    Unknown,
}

/// What binding a key has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The key was free, or the action's own.
    Alone,
    /// The other action had the key, and has got the one of before in return.
    Swapped(Action),
}

/// The keys of all actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keybinds(BTreeMap<Action, String>);

impl Default for Keybinds {
    fn default() -> Self {
        Self(Action::ALL.map(|action| (action, action.default_key().to_owned())).into())
    }
}

impl Keybinds {
    /// The action of a key. Arrow keys walk, whatever else does.
    #[must_use]
    pub fn action(&self, code: &str) -> Option<Action> {
        match code {
            "ArrowUp" => Some(Action::WalkUp),
            "ArrowLeft" => Some(Action::WalkLeft),
            "ArrowDown" => Some(Action::WalkDown),
            "ArrowRight" => Some(Action::WalkRight),
            "NumpadEnter" => self.action("Enter"),
            _ => self.0.iter().find(|(_, key)| *key == code).map(|(action, _)| *action),
        }
    }

    /// The key of an action, as its cap says on a common keyboard.
    #[must_use]
    pub fn label(&self, action: Action) -> String {
        key_name(self.key(action))
    }

    /// The key of an action by its place.
    #[must_use]
    pub fn key(&self, action: Action) -> &str {
        self.0.get(&action).map_or(action.default_key(), String::as_str)
    }

    /// Gives an action a key; who had it gets the action's old one.
    ///
    /// # Errors
    /// Why the key cannot be bound; nothing has changed then.
    pub fn bind(&mut self, action: Action, code: &str) -> Result<Bound, NotBindable> {
        if code.is_empty() || code == "Unidentified" {
            return Err(NotBindable::Unknown);
        }
        if KEPT.contains(&code) {
            return Err(NotBindable::Kept(key_name(code)));
        }
        let code = if code == "NumpadEnter" { "Enter" } else { code };
        let before = self.0.insert(action, code.to_owned()).unwrap_or_default();
        let other = self.0.iter().find(|(other, key)| **other != action && *key == code);
        let Some(other) = other.map(|(other, _)| *other) else { return Ok(Bound::Alone) };
        self.0.insert(other, before);
        Ok(Bound::Swapped(other))
    }

    /// Whether every action has its first key.
    #[must_use]
    pub fn are_defaults(&self) -> bool {
        *self == Self::default()
    }

    /// The keys as names and places, for storage.
    #[must_use]
    pub fn to_saved(&self) -> BTreeMap<String, String> {
        self.0.iter().map(|(action, key)| (action.as_str().to_owned(), key.clone())).collect()
    }

    /// Keys from storage. What another build has written, or a person, is taken as far as
    /// it can be bound.
    #[must_use]
    pub fn from_saved(saved: &BTreeMap<String, String>) -> Self {
        let mut keybinds = Self::default();
        for action in Action::ALL {
            if let Some(key) = saved.get(action.as_str()) {
                // One that cannot be bound leaves the action its key.
                let _ = keybinds.bind(action, key);
            }
        }
        keybinds
    }

    /// The four walking keys as one word where they are single letters.
    #[must_use]
    pub fn walking_keys(&self) -> String {
        [Action::WalkUp, Action::WalkLeft, Action::WalkDown, Action::WalkRight]
            .map(|action| self.label(action))
            .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn is_sound(keybinds: &Keybinds) -> bool {
        let keys: BTreeSet<&str> = Action::ALL.iter().map(|action| keybinds.key(*action)).collect();
        keys.len() == Action::ALL.len()
            && Action::ALL.iter().all(|a| keybinds.action(keybinds.key(*a)) == Some(*a))
    }

    #[test]
    fn every_action_has_a_key_and_a_name_of_its_own() {
        assert!(is_sound(&Keybinds::default()));
        let names: BTreeSet<&str> = Action::ALL.iter().map(|action| action.as_str()).collect();
        assert_eq!(names.len(), Action::ALL.len());
        assert!(Action::ALL.iter().all(|action| !KEPT.contains(&action.default_key())));
    }

    #[test]
    fn a_key_that_is_taken_is_swapped() {
        let mut keybinds = Keybinds::default();
        assert_eq!(keybinds.bind(Action::Gather, "KeyF"), Ok(Bound::Alone));
        assert_eq!(keybinds.action("KeyE"), None);
        assert_eq!(keybinds.bind(Action::Gather, "Digit1"), Ok(Bound::Swapped(Action::Wave)));
        assert_eq!((keybinds.key(Action::Gather), keybinds.key(Action::Wave)), ("Digit1", "KeyF"));
        assert_eq!(keybinds.bind(Action::Gather, "Digit1"), Ok(Bound::Alone), "its own key");
        assert!(is_sound(&keybinds) && !keybinds.are_defaults());
    }

    #[test]
    fn keys_with_a_meaning_of_their_own_are_refused_and_nothing_changes() {
        let mut keybinds = Keybinds::default();
        for code in ["Escape", "Tab", "ArrowUp", "ShiftLeft", "F5", "F12", "", "Unidentified"] {
            assert!(keybinds.bind(Action::Gather, code).is_err(), "{code}");
        }
        assert!(keybinds.are_defaults());
        let refused = keybinds.bind(Action::Gather, "ArrowUp").unwrap_err().to_string();
        assert_eq!(refused, "Arrow up keeps its meaning: press another key");
    }

    #[test]
    fn arrows_walk_whatever_walks_beside_them() {
        let mut keybinds = Keybinds::default();
        keybinds.bind(Action::WalkUp, "KeyI").unwrap();
        assert_eq!(keybinds.action("ArrowUp"), Some(Action::WalkUp));
        assert_eq!(keybinds.action("KeyI"), Some(Action::WalkUp));
        assert_eq!(keybinds.action("KeyW"), None);
        assert_eq!(keybinds.walking_keys(), "I A S D");
    }

    #[test]
    fn both_enter_keys_are_one() {
        let mut keybinds = Keybinds::default();
        assert_eq!(keybinds.action("NumpadEnter"), Some(Action::Chat));
        keybinds.bind(Action::Gather, "NumpadEnter").unwrap();
        assert_eq!(keybinds.action("Enter"), Some(Action::Gather));
    }

    #[test]
    fn what_was_saved_comes_back_and_nonsense_is_passed_over() {
        let mut keybinds = Keybinds::default();
        keybinds.bind(Action::Chat, "KeyT").unwrap();
        keybinds.bind(Action::WalkUp, "KeyE").unwrap();
        assert_eq!(Keybinds::from_saved(&keybinds.to_saved()), keybinds);
        let nonsense = [("fly", "KeyF"), ("gather", "Escape"), ("chat", "KeyW"), ("wave", "KeyW")];
        let saved = nonsense.map(|(name, key)| (name.to_owned(), key.to_owned())).into();
        let read = Keybinds::from_saved(&saved);
        assert!(is_sound(&read));
        assert_eq!((read.key(Action::Gather), read.key(Action::Wave)), ("KeyE", "KeyW"));
    }

    proptest! {
        /// Whatever is bound in whatever order, every action keeps a key of its own.
        #[test]
        fn no_order_of_bindings_leaves_an_action_without_a_key(
            bindings in prop::collection::vec((0..Action::ALL.len(), 0..6usize), 0..40),
        ) {
            let codes = ["KeyW", "KeyE", "Enter", "Space", "KeyQ", "Escape"];
            let mut keybinds = Keybinds::default();
            for (action, code) in bindings {
                let _ = keybinds.bind(Action::ALL[action], codes[code]);
                prop_assert!(is_sound(&keybinds), "{keybinds:?}");
            }
            prop_assert_eq!(Keybinds::from_saved(&keybinds.to_saved()), keybinds);
        }
    }
}
