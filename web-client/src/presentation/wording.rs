//! Sentences for the player, made of what the connection tells.

use shared::account::RealmStatus;
use shared::realtime::command::{Command, CommandRefused};

use super::screen::Screen;
use crate::connection::ConnectionStatus;
use crate::connection::notice::NotDone;

/// A reason as a sentence of its own. What begins with a name keeps it as it is written.
#[must_use]
pub fn sentence(reason: &str) -> String {
    let text = reason.trim_end_matches('.');
    let Some(first) = text.chars().next() else { return String::new() };
    let starts_with_a_word = text
        .split([' ', ':', ','])
        .next()
        .is_some_and(|word| word.chars().all(|c| c.is_lowercase() || c == '\''));
    let rest = &text[first.len_utf8()..];
    if starts_with_a_word {
        first.to_uppercase().chain(rest.chars()).chain(['.']).collect()
    } else {
        format!("{text}.")
    }
}

/// The status as a screen tells it: on the realms, a roster is not asked for yet, and nobody
/// is in a world that they cannot see yet.
#[must_use]
pub fn status_text(status: &ConnectionStatus, screen: Screen) -> String {
    match (screen, status) {
        (
            Screen::Realms,
            ConnectionStatus::Authenticated | ConnectionStatus::AuthenticatedWithoutCharacters,
        ) => "Logged in. Choose a realm.".to_owned(),
        (Screen::Loading, ConnectionStatus::InWorld) => ConnectionStatus::Connected.to_string(),
        _ => status.to_string(),
    }
}

/// What a field with a limit says of it: that it is reached, or else its rule.
#[must_use]
pub fn limit_hint(written: &str, limit: usize, of_what: &str, rule: &str) -> String {
    if written.chars().count() >= limit {
        format!("{limit} characters are the most that {of_what} can have.")
    } else {
        rule.to_owned()
    }
}

/// Why a wish was refused.
#[must_use]
pub fn refused(command: &Command, reason: CommandRefused) -> String {
    not_done_because(command, &reason.to_string())
}

/// Why a wish was not even sent, or got lost.
#[must_use]
pub fn not_done(command: &Command, reason: NotDone) -> String {
    not_done_because(command, &reason.to_string())
}

fn not_done_because(command: &Command, reason: &str) -> String {
    match command {
        Command::Say(text) => format!("Not said, \u{201c}{text}\u{201d}: {reason}."),
        Command::Gather | Command::Emote(_) | Command::UseExit(_) | Command::Respawn => {
            sentence(reason)
        }
    }
}

/// What the game says where a way out of the zone ends.
#[must_use]
pub fn closed_way_text(zone_title: &str) -> String {
    format!("The way to {zone_title} is closed for now.")
}

/// Why a realm cannot be entered; none where it can, or where nobody knows.
#[must_use]
pub fn why_closed(status: RealmStatus) -> Option<&'static str> {
    match status {
        RealmStatus::Offline => Some("Closed right now: reload the page to look again."),
        RealmStatus::Online | RealmStatus::Unknown => None,
    }
}

/// How many players are in view.
#[must_use]
pub fn players_text(players: usize) -> String {
    match players {
        0 | 1 => "You are alone here".to_owned(),
        players => format!("{players} players in view"),
    }
}

/// Flowers in words, for those who hear the page.
#[must_use]
pub fn flowers_text(gathered: u32) -> String {
    match gathered {
        1 => "1 flower gathered".to_owned(),
        count => format!("{count} flowers gathered"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_become_sentences_and_names_stay_as_they_are_written() {
        assert_eq!(sentence("the zone is full: try again"), "The zone is full: try again.");
        assert_eq!(sentence("No room."), "No room.");
        assert_eq!(sentence("you're late"), "You're late.");
        assert_eq!(sentence("mara-7 exists already"), "mara-7 exists already.");
        assert_eq!(sentence("edge_a is gone"), "edge_a is gone.");
        assert_eq!(sentence("über alles"), "Über alles.");
        assert_eq!(sentence(""), "");
    }

    #[test]
    fn what_was_not_said_can_be_read_again() {
        let say = Command::Say("hello there".parse().unwrap());
        assert_eq!(
            refused(&say, CommandRefused::TooFast),
            "Not said, \u{201c}hello there\u{201d}: not so fast: wait a moment."
        );
        assert_eq!(
            refused(&Command::Gather, CommandRefused::NoFlower),
            "No glowing flower is within reach: walk up to one."
        );
        assert_eq!(
            not_done(&Command::Gather, NotDone::NoConnection),
            "The connection is away: try again once it is back."
        );
    }

    #[test]
    fn realms_ask_for_a_realm_and_for_nothing_else() {
        let nobody = ConnectionStatus::AuthenticatedWithoutCharacters;
        assert_eq!(status_text(&nobody, Screen::Realms), "Logged in. Choose a realm.");
        assert_eq!(status_text(&nobody, Screen::Characters), nobody.to_string());
        let error = ConnectionStatus::error("it broke");
        assert_eq!(status_text(&error, Screen::Realms), "Error: it broke");
    }

    #[test]
    fn nobody_is_said_to_be_in_a_world_that_is_not_shown_yet() {
        let connected = ConnectionStatus::Connected.to_string();
        assert_eq!(status_text(&ConnectionStatus::InWorld, Screen::Loading), connected);
        let in_world = ConnectionStatus::InWorld.to_string();
        assert_eq!(status_text(&ConnectionStatus::InWorld, Screen::World), in_world);
    }

    #[test]
    fn a_field_says_when_its_limit_is_reached() {
        assert_eq!(limit_hint("Ma", 3, "a name", "3 letters."), "3 letters.");
        let reached = "3 characters are the most that a name can have.";
        assert_eq!(limit_hint("Mär", 3, "a name", "3 letters."), reached);
    }

    #[test]
    fn a_way_and_a_realm_that_are_closed_say_so() {
        assert_eq!(closed_way_text("Meadow"), "The way to Meadow is closed for now.");
        assert!(why_closed(RealmStatus::Offline).is_some());
        assert_eq!(why_closed(RealmStatus::Online), None);
        assert_eq!(why_closed(RealmStatus::Unknown), None, "what nobody knows may be tried");
    }

    #[test]
    fn counts_are_told_in_words() {
        assert_eq!(players_text(1), "You are alone here");
        assert_eq!(players_text(3), "3 players in view");
        assert_eq!(
            (flowers_text(0), flowers_text(1)),
            ("0 flowers gathered".into(), "1 flower gathered".into())
        );
    }
}
