//! What a player does in the world, beyond walking. Walking is input
//! ([`InputPacket`](super::message::InputPacket)): it is never repeated after a reconnect.
//!
//! Commands of a session are numbered from one, without gaps as the client sends them. The
//! server answers each, in order, and applies none twice: one whose number it has applied
//! already is answered as done. A client that lost its connection sends again what may be
//! repeated ([`Command::is_replayable`]) and was not answered.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ids::ZoneId;
use crate::limits::{MAX_CHAT_CHARS, MAX_STACKED_MARKS};

/// Numbers the commands of a session; the first is 1, and 0 stands for none.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct CommandSequence(pub u32);

impl CommandSequence {
    /// Before the first command.
    pub const NONE: Self = Self(0);

    /// The number of the next command.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A command with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SequencedCommand {
    /// Its number.
    pub sequence: CommandSequence,
    /// What to do.
    pub command: Command,
}

/// What a player does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Says something to everybody in view.
    Say(ChatText),
    /// Picks a glowing flower within [`GATHER_REACH_TILES`](crate::limits::GATHER_REACH_TILES).
    Gather,
    /// Shows a feeling to everybody in view.
    Emote(Emote),
    /// Leaves the zone by the exit that the body stands in.
    UseExit(ZoneId),
    /// Stands up again at the zone's start, after a death.
    Respawn,
}

impl Command {
    /// Whether the command may be sent again after a reconnect. What means "now" is not: a
    /// wave of half a minute ago, or a respawn of a death that is over, would be wrong.
    #[must_use]
    pub fn is_replayable(&self) -> bool {
        match self {
            Self::Say(_) | Self::Gather => true,
            Self::Emote(_) | Self::UseExit(_) | Self::Respawn => false,
        }
    }
}

/// Answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandAnswer {
    /// Which command.
    pub sequence: CommandSequence,
    /// What became of it.
    pub outcome: CommandOutcome,
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandOutcome {
    /// It was done, now or, for one that came again, before.
    Done,
    /// A flower was picked, and that is committed.
    Gathered {
        /// Flowers that the character has gathered, this one among them.
        total: u32,
    },
    /// It was not done, and will not be by asking again under the same number.
    Refused(CommandRefused),
}

/// Why a command was not done; its text is for the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum CommandRefused {
    /// Commands come faster than they are taken.
    #[error("not so fast: wait a moment")]
    TooFast,
    /// The character is dead.
    #[error("the dead can only respawn")]
    Dead,
    /// A respawn of somebody who lives.
    #[error("you are alive already")]
    Alive,
    /// No glowing flower is within reach.
    #[error("no glowing flower is within reach: walk up to one")]
    NoFlower,
    /// The body stands in no exit to that zone.
    #[error("there is no way there from here")]
    NoExit,
    /// A store did not answer.
    #[error("the server could not save it: try again in a moment")]
    Unavailable,
}

/// A feeling to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Emote {
    /// A wave of the hand.
    Wave,
    /// A laugh.
    Laugh,
    /// A heart.
    Heart,
    /// A little dance.
    Dance,
}

impl Emote {
    /// Every emote, in the order of their keys.
    pub const ALL: [Self; 4] = [Self::Wave, Self::Laugh, Self::Heart, Self::Dance];

    /// Its name, as test ids and labels have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wave => "wave",
            Self::Laugh => "laugh",
            Self::Heart => "heart",
            Self::Dance => "dance",
        }
    }
}

/// Something said: 1 to [`MAX_CHAT_CHARS`] characters without control characters, not
/// blank, without blanks around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChatText(String);

/// Why a text cannot be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSayable {
    /// Nothing that can be seen.
    #[error("say something")]
    Empty,
    /// Too long.
    #[error("say it in at most {MAX_CHAT_CHARS} characters")]
    TooLong,
    /// A line break, a direction override or the like.
    #[error("line breaks and control characters cannot be said")]
    ControlCharacter,
    /// Marks piled on one letter, which would be drawn over the lines of others.
    #[error("at most {MAX_STACKED_MARKS} marks stand on one letter")]
    StackedMarks,
}

impl ChatText {
    /// What is said.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ChatText {
    type Err = NotSayable;

    fn from_str(text: &str) -> Result<Self, NotSayable> {
        let text = text.trim();
        if !text.chars().any(is_visible) {
            Err(NotSayable::Empty)
        } else if text.chars().count() > MAX_CHAT_CHARS {
            Err(NotSayable::TooLong)
        } else if text.chars().any(|c| c.is_control() || changes_direction(c)) {
            Err(NotSayable::ControlCharacter)
        } else if has_stacked_marks(text) {
            Err(NotSayable::StackedMarks)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

/// Characters that turn the direction of the text around them, by which one line could
/// dress up as another's (Unicode TR 36, "Bidirectional Text Spoofing"), and line breaks
/// that are no control characters.
fn changes_direction(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character can be seen: no blank, and none that is drawn as nothing (Unicode's
/// property `Default_Ignorable_Code_Point`, and the empty braille cell).
fn is_visible(c: char) -> bool {
    let is_ignorable = matches!(
        c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    );
    !c.is_whitespace() && !is_ignorable
}

/// Marks that stand on the letter before them (Unicode's blocks of combining diacritical
/// marks).
fn is_stacking_mark(c: char) -> bool {
    matches!(
        c,
        '\u{0300}'..='\u{036f}' | '\u{0483}'..='\u{0489}' | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
    )
}

fn has_stacked_marks(text: &str) -> bool {
    let mut in_a_row = 0;
    text.chars().any(|c| {
        in_a_row = if is_stacking_mark(c) { in_a_row + 1 } else { 0 };
        in_a_row > MAX_STACKED_MARKS
    })
}

impl TryFrom<String> for ChatText {
    type Error = NotSayable;

    fn try_from(text: String) -> Result<Self, NotSayable> {
        text.parse()
    }
}

impl From<ChatText> for String {
    fn from(text: ChatText) -> Self {
        text.0
    }
}

impl fmt::Display for ChatText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realtime::codec::{decode_datagram, encode_datagram};

    #[track_caller]
    fn check(text: &str, expected: Result<&str, NotSayable>) {
        let parsed = text.parse::<ChatText>();
        assert_eq!(parsed.as_ref().map(ChatText::as_str).map_err(|e| *e), expected, "{text:?}");
    }

    #[test]
    fn what_is_said_is_one_short_visible_line() {
        check("  hello there ", Ok("hello there"));
        check("Grüße, 世界", Ok("Grüße, 世界"));
        check(" \t ", Err(NotSayable::Empty));
        check("two\nlines", Err(NotSayable::ControlCharacter));
        check("turned \u{202e}around", Err(NotSayable::ControlCharacter));
        check("a\u{2028}b", Err(NotSayable::ControlCharacter));
        check("a\u{061c}b", Err(NotSayable::ControlCharacter));
        for invisible in ["\u{200b}", "\u{200b}\u{2060}\u{feff}", "\u{3164}", "\u{ad}", "\u{2800}"]
        {
            check(invisible, Err(NotSayable::Empty));
        }
        check("\u{1f469}\u{200d}\u{1f680}\u{fe0f}", Ok("\u{1f469}\u{200d}\u{1f680}\u{fe0f}"));
        check("e\u{301}\u{323}a\u{301}", Ok("e\u{301}\u{323}a\u{301}"));
        check(&format!("a{}", "\u{301}".repeat(4)), Err(NotSayable::StackedMarks));
        check(&"ö".repeat(MAX_CHAT_CHARS), Ok(&"ö".repeat(MAX_CHAT_CHARS)));
        check(&"ö".repeat(MAX_CHAT_CHARS + 1), Err(NotSayable::TooLong));
    }

    #[test]
    fn what_cannot_be_said_cannot_be_decoded_either() {
        let said = encode_datagram(&"line\nbreak").unwrap();
        assert!(decode_datagram::<ChatText>(&said).is_err());
        let said = encode_datagram(&"fine").unwrap();
        assert_eq!(decode_datagram::<ChatText>(&said).unwrap().as_str(), "fine");
    }

    #[test]
    fn only_what_does_not_mean_now_is_replayable() {
        let replayable = |command: Command| command.is_replayable();
        assert!(replayable(Command::Say("hi".parse().unwrap())));
        assert!(replayable(Command::Gather));
        assert!(!replayable(Command::Emote(Emote::Wave)));
        assert!(!replayable(Command::UseExit("meadow".parse().unwrap())));
        assert!(!replayable(Command::Respawn));
    }
}
