//! What was said in view, and what the page has to say of the player's own wishes.

use std::collections::VecDeque;

/// Lines that are kept; the oldest go first.
pub const MAX_CHAT_LINES: usize = 100;

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatLine {
    /// Rises by one from line to line, over lines that are gone as well.
    pub number: u64,
    /// Who says it.
    pub from: Speaker,
    /// What.
    pub text: String,
}

/// Who says a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The player.
    Own(String),
    /// Somebody else.
    Other(String),
    /// The page itself: why something was not done.
    Page,
}

/// The log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChatLog {
    lines: VecDeque<ChatLine>,
    last: u64,
}

impl ChatLog {
    /// Adds a line. The page does not say the same twice in a row.
    pub fn add(&mut self, from: Speaker, text: impl Into<String>) {
        let text = text.into();
        let repeats = |line: &ChatLine| line.from == Speaker::Page && line.text == text;
        if from == Speaker::Page && self.lines.back().is_some_and(repeats) {
            return;
        }
        self.last += 1;
        if self.lines.len() >= MAX_CHAT_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(ChatLine { number: self.last, from, text });
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &ChatLine> {
        self.lines.iter()
    }

    /// Whether nothing was said yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_lines_go_and_numbers_are_never_used_again() {
        let mut log = ChatLog::default();
        for n in 0..=MAX_CHAT_LINES {
            log.add(Speaker::Other("Bert".into()), n.to_string());
        }
        let numbers: Vec<_> = log.lines().map(|line| line.number).collect();
        assert_eq!(numbers.len(), MAX_CHAT_LINES);
        assert_eq!((numbers[0], log.lines().next().unwrap().text.as_str()), (2, "1"));
    }

    #[test]
    fn the_page_does_not_repeat_itself_and_people_may() {
        let mut log = ChatLog::default();
        for _ in 0..2 {
            log.add(Speaker::Page, "not so fast");
            log.add(Speaker::Page, "not so fast");
            log.add(Speaker::Own("Anna".into()), "hi");
            log.add(Speaker::Own("Anna".into()), "hi");
        }
        assert_eq!(log.lines().count(), 6);
    }
}
