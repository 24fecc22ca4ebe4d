//! The chat as the player reads it: what was said nearby, and what the game has to say.

use std::collections::VecDeque;

use shared::realtime::command::ChatText;

/// Lines that the log keeps; the oldest go first.
pub const MAX_CHAT_LINES: usize = 100;
/// How long the log stays in sight after its last line, in milliseconds.
pub const CHAT_VISIBLE_MS: f64 = 12_000.0;

/// Who speaks in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The player.
    Own(String),
    /// Somebody in view.
    Other(String),
    /// The game: a wish that was refused, or what has happened.
    Game,
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// Counts the lines of the page, so that each is rendered once.
    pub number: u64,
    /// Who.
    pub speaker: Speaker,
    /// What.
    pub text: String,
    /// How many times in a row the game has said it.
    pub times: u32,
}

/// The latest lines, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatLog {
    lines: VecDeque<ChatLine>,
    last_number: u64,
    last_at: Option<f64>,
}

impl ChatLog {
    /// Somebody has said something at `now`. A body whose name has not been told yet is
    /// somebody.
    pub fn said(&mut self, name: &str, text: &ChatText, own: bool, now: f64) {
        let name = if name.is_empty() { "Somebody" } else { name }.to_owned();
        let speaker = if own { Speaker::Own(name) } else { Speaker::Other(name) };
        self.push(speaker, text.to_string(), now);
    }

    /// The game tells the player something at `now`. What it has just said is not said
    /// again, but counted.
    pub fn tell(&mut self, text: impl Into<String>, now: f64) {
        let text = text.into();
        if let Some(last) = self.lines.back_mut()
            && last.speaker == Speaker::Game
            && last.text == text
        {
            last.times = last.times.saturating_add(1);
            // Rendered anew, for its count has changed.
            self.last_number += 1;
            last.number = self.last_number;
            self.last_at = Some(now);
            return;
        }
        self.push(Speaker::Game, text, now);
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &ChatLine> {
        self.lines.iter()
    }

    /// Whether nothing has been said for so long that the log makes room for the world.
    #[must_use]
    pub fn is_idle(&self, now: f64) -> bool {
        self.last_at.is_none_or(|at| now - at >= CHAT_VISIBLE_MS)
    }

    fn push(&mut self, speaker: Speaker, text: String, now: f64) {
        if self.lines.len() == MAX_CHAT_LINES {
            self.lines.pop_front();
        }
        self.last_number += 1;
        self.lines.push_back(ChatLine { number: self.last_number, speaker, text, times: 1 });
        self.last_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> ChatText {
        text.parse().unwrap()
    }

    #[test]
    fn the_log_keeps_the_latest_lines_and_no_more() {
        let mut log = ChatLog::default();
        for n in 0..MAX_CHAT_LINES + 5 {
            log.said("Anna", &text(&format!("line {n}")), false, 0.0);
        }
        assert_eq!(log.lines().count(), MAX_CHAT_LINES);
        assert_eq!(log.lines().next().unwrap().text, "line 5");
        let numbers: std::collections::BTreeSet<u64> =
            log.lines().map(|line| line.number).collect();
        assert_eq!(numbers.len(), MAX_CHAT_LINES, "no two lines are taken for the same");
    }

    #[test]
    fn own_lines_are_told_from_those_of_others_and_of_the_game() {
        let mut log = ChatLog::default();
        log.said("Anna", &text("hello"), true, 0.0);
        log.said("Bert", &text("hi"), false, 0.0);
        log.said("", &text("who am I"), false, 0.0);
        log.tell("Not so fast: wait a moment.", 0.0);
        let speakers: Vec<Speaker> = log.lines().map(|line| line.speaker.clone()).collect();
        let name = |name: &str| name.to_owned();
        assert_eq!(
            speakers,
            [
                Speaker::Own(name("Anna")),
                Speaker::Other(name("Bert")),
                Speaker::Other(name("Somebody")),
                Speaker::Game
            ]
        );
    }

    #[test]
    fn what_the_game_says_again_is_counted_and_what_players_say_again_is_not() {
        let mut log = ChatLog::default();
        log.tell("No.", 0.0);
        let first = log.lines().next().unwrap().number;
        log.tell("No.", 1.0);
        log.tell("No.", 2.0);
        assert_eq!(log.lines().map(|line| line.times).collect::<Vec<_>>(), [3]);
        assert_ne!(log.lines().next().unwrap().number, first, "the new count is rendered");
        log.said("Anna", &text("No."), true, 3.0);
        log.said("Anna", &text("No."), true, 3.0);
        log.tell("No.", 4.0);
        assert_eq!(log.lines().map(|line| line.times).collect::<Vec<_>>(), [3, 1, 1, 1]);
    }

    #[test]
    fn the_log_makes_room_once_nothing_has_been_said_for_a_while() {
        let mut log = ChatLog::default();
        assert!(log.is_idle(0.0), "nothing was ever said");
        log.said("Anna", &text("hello"), false, 1_000.0);
        assert!(!log.is_idle(1_000.0 + CHAT_VISIBLE_MS - 1.0));
        assert!(log.is_idle(1_000.0 + CHAT_VISIBLE_MS));
        log.tell("Hm.", 90_000.0);
        assert!(!log.is_idle(90_000.0));
    }
}
