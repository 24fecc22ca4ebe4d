//! What shows above heads for a while: things said, and feelings.

use std::collections::BTreeMap;

use shared::realtime::command::Emote;
use shared::realtime::message::EntityId;

/// How long a feeling shows, in milliseconds.
pub const EMOTE_MS: f64 = 2_500.0;
/// How long something said shows at least, in milliseconds.
pub const SPEECH_MS: f64 = 3_000.0;
/// How much longer for each character of it: about the pace at which people read.
pub const SPEECH_MS_PER_CHAR: f64 = 55.0;
/// Characters of something said that a bubble shows; the log has all of it.
pub const MAX_BUBBLE_CHARS: usize = 80;

/// What a bubble holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bubble {
    /// Something said.
    Speech(String),
    /// A feeling.
    Emote(Emote),
}

/// The bubbles, one to a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bubbles(BTreeMap<EntityId, (Bubble, f64)>);

impl Bubbles {
    /// Shows something said from `now` on.
    pub fn say(&mut self, entity: EntityId, text: &str, now: f64) {
        let length = text.chars().count();
        let shown: String = if length > MAX_BUBBLE_CHARS {
            text.chars().take(MAX_BUBBLE_CHARS - 1).chain(['…']).collect()
        } else {
            text.to_owned()
        };
        let until = now + SPEECH_MS + SPEECH_MS_PER_CHAR * shown.chars().count() as f64;
        self.0.insert(entity, (Bubble::Speech(shown), until));
    }

    /// Shows a feeling from `now` on.
    pub fn emote(&mut self, entity: EntityId, emote: Emote, now: f64) {
        self.0.insert(entity, (Bubble::Emote(emote), now + EMOTE_MS));
    }

    /// What shows at `now`; what is over is forgotten.
    pub fn showing(&mut self, now: f64) -> &BTreeMap<EntityId, (Bubble, f64)> {
        self.0.retain(|_, (_, until)| *until > now);
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: EntityId = EntityId(7);

    #[test]
    fn a_bubble_shows_for_as_long_as_it_takes_to_read() {
        let mut bubbles = Bubbles::default();
        bubbles.say(ANNA, "hi", 0.0);
        let end = SPEECH_MS + 2.0 * SPEECH_MS_PER_CHAR;
        assert_eq!(bubbles.showing(end - 1.0).len(), 1);
        assert!(bubbles.showing(end).is_empty());
    }

    #[test]
    fn the_newest_bubble_of_a_body_takes_the_place_of_the_one_before() {
        let mut bubbles = Bubbles::default();
        bubbles.say(ANNA, "hi", 0.0);
        bubbles.emote(ANNA, Emote::Wave, 10.0);
        assert_eq!(bubbles.showing(20.0)[&ANNA].0, Bubble::Emote(Emote::Wave));
        assert!(bubbles.showing(10.0 + EMOTE_MS).is_empty());
    }

    #[test]
    fn long_speech_is_cut_in_the_bubble_only() {
        let mut bubbles = Bubbles::default();
        bubbles.say(ANNA, &"ö".repeat(MAX_BUBBLE_CHARS + 1), 0.0);
        let Bubble::Speech(text) = &bubbles.showing(1.0)[&ANNA].0 else { panic!() };
        assert_eq!(text.chars().count(), MAX_BUBBLE_CHARS);
        assert!(text.ends_with('…'));
    }
}
