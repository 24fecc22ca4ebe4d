//! Which key does what. Keys are told apart by their place on the keyboard
//! (`KeyboardEvent.code`), so that WASD is a cross on every layout.
//!
//! Some keys keep their meaning whatever is bound: arrows walk, Escape opens and closes the
//! menu. So nobody can lock themselves out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shared::realtime::command::Emote;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Walk up.
    Up,
    /// Walk down.
    Down,
    /// Walk left.
    Left,
    /// Walk right.
    Right,
    /// Begin to say something.
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
    /// Open or close the connection inspector.
    Inspector,
    /// Show or hide the telemetry.
    Telemetry,
}

impl Action {
    /// Every action, in the order of the settings.
    pub const ALL: [Self; 12] = [
        Self::Up,
        Self::Down,
        Self::Left,
        Self::Right,
        Self::Chat,
        Self::Gather,
        Self::Wave,
        Self::Laugh,
        Self::Heart,
        Self::Dance,
        Self::Inspector,
        Self::Telemetry,
    ];

    /// Its name in test ids and in what is stored.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
            Self::Chat => "chat",
            Self::Gather => "gather",
            Self::Wave => "wave",
            Self::Laugh => "laugh",
            Self::Heart => "heart",
            Self::Dance => "dance",
            Self::Inspector => "inspector",
            Self::Telemetry => "telemetry",
        }
    }

    /// Its name for the player.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Up => "Walk up",
            Self::Down => "Walk down",
            Self::Left => "Walk left",
            Self::Right => "Walk right",
            Self::Chat => "Say something",
            Self::Gather => "Pick a flower",
            Self::Wave => "Wave",
            Self::Laugh => "Laugh",
            Self::Heart => "Show a heart",
            Self::Dance => "Dance",
            Self::Inspector => "Connection inspector",
            Self::Telemetry => "Telemetry",
        }
    }

    /// The feeling that it shows, if it shows one.
    #[must_use]
    pub fn emote(self) -> Option<Emote> {
        match self {
            Self::Wave => Some(Emote::Wave),
            Self::Laugh => Some(Emote::Laugh),
            Self::Heart => Some(Emote::Heart),
            Self::Dance => Some(Emote::Dance),
            _ => None,
        }
    }

    /// The action that shows a feeling.
    #[must_use]
    pub fn of_emote(emote: Emote) -> Self {
        match emote {
            Emote::Wave => Self::Wave,
            Emote::Laugh => Self::Laugh,
            Emote::Heart => Self::Heart,
            Emote::Dance => Self::Dance,
        }
    }

    fn default_code(self) -> &'static str {
        match self {
            Self::Up => "KeyW",
            Self::Down => "KeyS",
            Self::Left => "KeyA",
            Self::Right => "KeyD",
            Self::Chat => "Enter",
            Self::Gather => "KeyE",
            Self::Wave => "Digit1",
            Self::Laugh => "Digit2",
            Self::Heart => "Digit3",
            Self::Dance => "Digit4",
            Self::Inspector => "F8",
            Self::Telemetry => "F9",
        }
    }
}

/// Keys that keep their meaning.
fn fixed(code: &str) -> Option<Action> {
    match code {
        "ArrowUp" => Some(Action::Up),
        "ArrowDown" => Some(Action::Down),
        "ArrowLeft" => Some(Action::Left),
        "ArrowRight" => Some(Action::Right),
        _ => None,
    }
}

/// Why a key cannot be bound; for the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotBindable {
    /// The key has a meaning that stays.
    #[error("this key keeps its meaning: press another one")]
    Fixed,
    /// A key that does nothing by itself, or that the browser needs.
    #[error("this key cannot be used alone: press another one")]
    Reserved,
}

/// The keys of all actions; no key has two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keybinds(BTreeMap<Action, String>);

impl Default for Keybinds {
    fn default() -> Self {
        Self(Action::ALL.map(|action| (action, action.default_code().to_owned())).into())
    }
}

impl Keybinds {
    /// What a key does.
    #[must_use]
    pub fn action(&self, code: &str) -> Option<Action> {
        let bound = self.0.iter().find(|(_, bound)| *bound == code);
        bound.map(|(action, _)| *action).or_else(|| fixed(code))
    }

    /// The key of an action.
    #[must_use]
    pub fn code(&self, action: Action) -> &str {
        self.0.get(&action).map_or(action.default_code(), String::as_str)
    }

    /// The key of an action in words.
    #[must_use]
    pub fn key_name(&self, action: Action) -> String {
        key_name(self.code(action))
    }

    /// Gives an action another key. An action that had it gets the old one in exchange, and
    /// is told.
    ///
    /// # Errors
    /// [`NotBindable`]; nothing has changed then.
    pub fn bind(&mut self, action: Action, code: &str) -> Result<Option<Action>, NotBindable> {
        if fixed(code).is_some() || code == "Escape" {
            return Err(NotBindable::Fixed);
        }
        if !is_usable(code) {
            return Err(NotBindable::Reserved);
        }
        let old = self.code(action).to_owned();
        let other = self.0.iter().find(|(other, bound)| **other != action && *bound == code);
        let other = other.map(|(other, _)| *other);
        if let Some(other) = other {
            self.0.insert(other, old);
        }
        self.0.insert(action, code.to_owned());
        Ok(other)
    }

    /// As text, to be stored.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("a map of names to keys serialises into memory")
    }

    /// From stored text. What is missing, unknown or doubled in it is taken from the defaults.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        let stored: BTreeMap<String, String> = serde_json::from_str(text).unwrap_or_default();
        let mut keybinds = Self::default();
        for action in Action::ALL {
            if let Some(code) = stored.get(action.id()) {
                // What cannot be bound keeps its default.
                let _ = keybinds.bind(action, code);
            }
        }
        keybinds
    }
}

/// Keys that mean something alone, and that no browser needs.
fn is_usable(code: &str) -> bool {
    let named = ["Enter", "Space", "Backquote", "Minus", "Equal", "BracketLeft", "BracketRight"];
    let more = ["Semicolon", "Quote", "Backslash", "Comma", "Period", "Slash", "IntlBackslash"];
    let function = |rest: &str| rest.parse::<u8>().is_ok_and(|n| matches!(n, 2 | 4 | 6..=10));
    code.strip_prefix("Key").is_some_and(|rest| rest.len() == 1)
        || code.strip_prefix("Digit").is_some_and(|rest| rest.len() == 1)
        || code.starts_with("Numpad")
        || code.strip_prefix('F').is_some_and(function)
        || named.contains(&code)
        || more.contains(&code)
}

/// A key in words: `KeyW` is W.
#[must_use]
pub fn key_name(code: &str) -> String {
    let stripped = code.strip_prefix("Key").or_else(|| code.strip_prefix("Digit"));
    stripped.map_or_else(|| code.replace("Numpad", "Numpad "), str::to_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_action_has_a_key_of_its_own_and_arrows_walk_as_well() {
        let keybinds = Keybinds::default();
        for action in Action::ALL {
            assert_eq!(keybinds.action(keybinds.code(action)), Some(action));
            assert!(is_usable(keybinds.code(action)), "{action:?}");
        }
        assert_eq!(keybinds.action("ArrowLeft"), Some(Action::Left));
        assert_eq!(keybinds.action("KeyQ"), None);
    }

    #[test]
    fn a_key_that_is_taken_is_exchanged() {
        let mut keybinds = Keybinds::default();
        assert_eq!(keybinds.bind(Action::Gather, "KeyQ"), Ok(None));
        assert_eq!(keybinds.action("KeyE"), None);
        assert_eq!(keybinds.bind(Action::Gather, "KeyW"), Ok(Some(Action::Up)));
        assert_eq!(
            (keybinds.action("KeyW"), keybinds.action("KeyQ")),
            (Some(Action::Gather), Some(Action::Up))
        );
    }

    #[test]
    fn keys_that_keep_their_meaning_or_have_none_are_refused() {
        let mut keybinds = Keybinds::default();
        for (code, why) in [
            ("ArrowUp", NotBindable::Fixed),
            ("Escape", NotBindable::Fixed),
            ("ShiftLeft", NotBindable::Reserved),
            ("Tab", NotBindable::Reserved),
            ("F5", NotBindable::Reserved),
            ("F12", NotBindable::Reserved),
        ] {
            assert_eq!(keybinds.bind(Action::Chat, code), Err(why), "{code}");
        }
        assert_eq!(keybinds, Keybinds::default());
    }

    #[test]
    fn what_is_stored_badly_falls_back_to_the_defaults() {
        for text in ["", "[]", "{\"up\":7}", "{\"up\":\"Tab\",\"fly\":\"KeyF\"}"] {
            assert_eq!(Keybinds::from_json(text), Keybinds::default(), "{text}");
        }
        assert_eq!(key_name("KeyW") + &key_name("Digit1") + &key_name("F8"), "W1F8");
    }

    proptest! {
        /// However keys are bound, each action has exactly one and no key has two, and what
        /// is stored comes back.
        #[test]
        fn no_key_ever_has_two_meanings(
            binds in prop::collection::vec((0usize..12, "(Key[A-Z]|Digit[0-9]|F[1-9]|Arrow(Up|Left)|Enter)"), 0..40)
        ) {
            let mut keybinds = Keybinds::default();
            for (action, code) in binds {
                let _ = keybinds.bind(Action::ALL[action], &code);
                let codes: std::collections::BTreeSet<_> =
                    Action::ALL.iter().map(|action| keybinds.code(*action)).collect();
                prop_assert_eq!(codes.len(), Action::ALL.len());
            }
            prop_assert_eq!(Keybinds::from_json(&keybinds.to_json()), keybinds);
        }
    }
}
