//! What is shown over heads for a moment: words and feelings, one at a time for a body.

use std::collections::BTreeMap;

use shared::realtime::command::{ChatText, Emote};
use shared::realtime::message::EntityId;

/// How long a feeling shows, in milliseconds.
pub const EMOTE_MS: f64 = 2_500.0;
/// How long words show at least, in milliseconds.
pub const SPEECH_MS: f64 = 3_500.0;
/// What each character adds, for it has to be read.
pub const SPEECH_MS_PER_CHARACTER: f64 = 55.0;
/// Bubbles shown at a time; the one that would end first makes way.
pub const MAX_BUBBLES: usize = 64;

/// What is over a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saying {
    /// Words.
    Words(ChatText),
    /// A feeling.
    Feeling(Emote),
}

/// A bubble over a head.
#[derive(Clone, Debug, PartialEq)]
pub struct Bubble {
    /// What it shows.
    pub saying: Saying,
    /// Since when, in milliseconds of the page's monotonic clock.
    pub since: f64,
    /// Until when.
    pub until: f64,
}

/// The bubbles of everybody in view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bubbles(BTreeMap<EntityId, Bubble>);

impl Bubbles {
    /// Somebody says something; what was over the head before goes.
    pub fn said(&mut self, entity: EntityId, text: ChatText, now: f64) {
        let length = text.as_str().chars().count() as f64;
        let lasts = SPEECH_MS + SPEECH_MS_PER_CHARACTER * length;
        self.put(entity, Saying::Words(text), now, lasts);
    }

    /// Somebody shows a feeling; what was over the head before goes.
    pub fn emoted(&mut self, entity: EntityId, emote: Emote, now: f64) {
        self.put(entity, Saying::Feeling(emote), now, EMOTE_MS);
    }

    /// What is over a head at `now`.
    #[must_use]
    pub fn over(&self, entity: EntityId, now: f64) -> Option<&Bubble> {
        self.0.get(&entity).filter(|bubble| now < bubble.until)
    }

    fn put(&mut self, entity: EntityId, saying: Saying, now: f64, lasts: f64) {
        self.0.retain(|_, bubble| now < bubble.until);
        if self.0.len() >= MAX_BUBBLES && !self.0.contains_key(&entity) {
            let first = self.0.iter().min_by(|a, b| a.1.until.total_cmp(&b.1.until));
            if let Some(first) = first.map(|(entity, _)| *entity) {
                self.0.remove(&first);
            }
        }
        self.0.insert(entity, Bubble { saying, since: now, until: now + lasts });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: EntityId = EntityId(1);
    const BERT: EntityId = EntityId(2);

    fn text(text: &str) -> ChatText {
        text.parse().unwrap()
    }

    #[test]
    fn a_body_has_one_bubble_and_the_latest_counts() {
        let mut bubbles = Bubbles::default();
        bubbles.said(ANNA, text("hello"), 0.0);
        bubbles.emoted(ANNA, Emote::Heart, 100.0);
        bubbles.said(BERT, text("hi"), 100.0);
        let saying = |entity, now| bubbles.over(entity, now).map(|bubble| bubble.saying.clone());
        assert_eq!(saying(ANNA, 100.0), Some(Saying::Feeling(Emote::Heart)));
        assert_eq!(saying(BERT, 100.0), Some(Saying::Words(text("hi"))));
    }

    #[test]
    fn bubbles_end_by_their_time_and_longer_words_later() {
        let mut bubbles = Bubbles::default();
        bubbles.emoted(ANNA, Emote::Wave, 1_000.0);
        assert!(bubbles.over(ANNA, 1_000.0 + EMOTE_MS - 1.0).is_some());
        assert!(bubbles.over(ANNA, 1_000.0 + EMOTE_MS).is_none());
        bubbles.said(ANNA, text("hi"), 0.0);
        bubbles.said(BERT, text(&"long ".repeat(20)), 0.0);
        let until = |entity| bubbles.over(entity, 0.0).unwrap().until;
        assert!(until(BERT) > until(ANNA));
    }

    #[test]
    fn what_has_ended_is_forgotten_and_a_crowd_is_bounded() {
        let mut bubbles = Bubbles::default();
        bubbles.emoted(EntityId(900), Emote::Dance, 0.0);
        for n in 0..u32::try_from(MAX_BUBBLES).unwrap() + 9 {
            bubbles.emoted(EntityId(n), Emote::Laugh, 10_000.0 + f64::from(n));
        }
        assert_eq!(bubbles.0.len(), MAX_BUBBLES);
        assert!(!bubbles.0.contains_key(&EntityId(900)), "what has ended goes first");
        assert!(!bubbles.0.contains_key(&EntityId(0)), "then the one that would end first");
    }
}
