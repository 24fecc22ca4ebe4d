//! Messages of the control stream, and the client's datagram.
//!
//! `Hello` and `Bye` keep their place and layout in every protocol version, because they
//! are how two versions tell each other that they differ.

use serde::{Deserialize, Serialize};

use crate::gameplay::RuntimeProfile;
use crate::ids::{Appearance, Placement};
use crate::limits::MAX_INPUTS_PER_DATAGRAM;
use crate::secret::{ResumeToken, SessionTicket, SessionToken};
use crate::world::Position;
use crate::world::movement::MoveInput;

use super::command::{ChatText, CommandAnswer, CommandSequence, Emote, SequencedCommand};

/// A body in a zone, as one server process numbers it; never used again for another body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntityId(pub u32);

/// From the client, on the control stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClientMessage {
    /// The first message, once.
    Hello(RealtimeHello),
    /// The client leaves, or echoes a [`ServerMessage::Bye`]. Sent first it means a
    /// deliberate logout: the session ends at once.
    Bye,
    /// The player does something.
    Command(SequencedCommand),
    /// Asks for a [`ServerMessage::Pong`] with the same number: does the way still work?
    Ping(u32),
}

/// Claims a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealtimeHello {
    /// Must equal [`crate::version::PROTOCOL_VERSION`].
    pub protocol_version: u32,
    /// Which session.
    pub session_token: SessionToken,
    /// The right to it.
    pub claim: Claim,
}

/// The right to a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Claim {
    /// The first claim after a handshake.
    Ticket(SessionTicket),
    /// A later claim of a session that has been claimed before.
    Resume(ResumeToken),
}

/// From the server, on the control stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ServerMessage {
    /// The session is the client's.
    Welcome(Welcome),
    /// The server ends the connection; the client echoes with [`ClientMessage::Bye`].
    Bye(Bye),
    /// Who a body is; sent before or soon after its first snapshot.
    Seen(Seen),
    /// A body has left the zone; its number is not used again.
    Gone(EntityId),
    /// What became of a command.
    Answered(CommandAnswer),
    /// Somebody in view says something.
    Said {
        /// Who.
        entity: EntityId,
        /// What.
        text: ChatText,
    },
    /// Somebody in view shows a feeling.
    Emoted {
        /// Who.
        entity: EntityId,
        /// Which.
        emote: Emote,
    },
    /// Somebody in view, or the player, has died: the body stays where it is and walks no
    /// more.
    Died(EntityId),
    /// Somebody in view, or the player, lives again, at another place.
    Revived(EntityId),
    /// The flowers of the zone that have been picked and do not glow now, by their index in
    /// [`ZoneMapParts::flowers`](crate::world::map::ZoneMapParts::flowers), ascending; all
    /// others glow. Sent behind the Welcome and whenever it changes.
    PickedFlowers(Vec<u16>),
    /// Answer to [`ClientMessage::Ping`].
    Pong(u32),
}

/// Answer to a valid hello.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// Must equal the activation's, or the client hangs up.
    pub session_token: SessionToken,
    /// The client's own body.
    pub entity: EntityId,
    /// Where it is.
    pub placement: Placement,
    /// Where it stands.
    pub position: Position,
    /// The tick of the zone.
    pub tick: u32,
    /// The pace of the session.
    pub profile: RuntimeProfile,
    /// The secret of the next claim, if this connection is lost. The one before stays good
    /// until the server has heard anything on this connection.
    pub resume_token: ResumeToken,
    /// The last command of the session that the server has heard, done or still under way;
    /// [`CommandSequence::NONE`] before the first. New ones are numbered from here on.
    pub last_command: CommandSequence,
    /// Flowers that the character has gathered so far.
    pub gathered: u32,
}

/// Who a body is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Which body.
    pub entity: EntityId,
    /// The character's name.
    pub name: String,
    /// How it looks.
    pub appearance: Appearance,
    /// Whether it is dead.
    pub dead: bool,
}

/// Why the server ends a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bye {
    /// For programs.
    pub code: ByeCode,
    /// For people: what happened and what to do.
    pub detail: String,
}

impl Bye {
    /// A Bye with the sentence that goes with its code.
    #[must_use]
    pub fn of(code: ByeCode) -> Self {
        let detail = match code {
            ByeCode::LoggedOut => "you have left the world",
            ByeCode::ProtocolVersion => {
                "this page is of another version than the server: reload the page"
            }
            ByeCode::Malformed => "the server could not read what the page sent: reload the page",
            ByeCode::UnknownSession => {
                "the session has ended, or goes on in another window: enter the world again"
            }
            ByeCode::Superseded => "your account has entered the world elsewhere",
            ByeCode::ShuttingDown => "the server is restarting: try again in a moment",
            ByeCode::TimedOut => "the connection fell silent: enter the world again",
            ByeCode::Unavailable => "the server cannot let you in now: try again in a moment",
            ByeCode::LoginEnded => {
                "your login has ended: it was logged out, or the password was changed"
            }
        };
        Self { code, detail: detail.to_owned() }
    }
}

/// The stable codes of a [`Bye`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ByeCode {
    /// The client asked for it.
    LoggedOut,
    /// Client and server speak different protocol versions.
    ProtocolVersion,
    /// A frame or datagram broke the protocol.
    Malformed,
    /// No such session, or the claim does not open it.
    UnknownSession,
    /// Another session has authority over the character.
    Superseded,
    /// The server drains or stops.
    ShuttingDown,
    /// No hello in time, or silence for too long.
    TimedOut,
    /// A store did not answer while the session was being claimed.
    Unavailable,
    /// The login that began the session has ended: by a logout elsewhere, or by a new
    /// password.
    LoginEnded,
}

impl ByeCode {
    /// Whether only a page that is loaded anew can be understood by the server.
    #[must_use]
    pub fn wants_reload(self) -> bool {
        matches!(self, Self::ProtocolVersion | Self::Malformed)
    }

    /// Whether the same session must not be claimed again: entering anew from the roster
    /// may still help, repeating the claim cannot.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::LoggedOut
            | Self::ProtocolVersion
            | Self::Malformed
            | Self::UnknownSession
            | Self::Superseded
            | Self::LoginEnded => true,
            // A server that drains saves its sessions and lets them go: another instance, or
            // its own next process, takes them up.
            Self::ShuttingDown | Self::TimedOut | Self::Unavailable => false,
        }
    }
}

/// The client's datagram: its latest inputs, repeated so that a lost datagram is made
/// good by the next, and the newest snapshot that it has applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputPacket {
    /// Tick of the newest snapshot applied; none before the first.
    pub acked_tick: Option<u32>,
    /// Sequence of the last of `inputs`; the first input of a session has 1, and the
    /// greatest number is kept free, so that counting on from any input never overflows.
    pub newest: u32,
    /// Oldest first, one a tick, at most [`MAX_INPUTS_PER_DATAGRAM`].
    pub inputs: Vec<MoveInput>,
}

impl InputPacket {
    /// The inputs with their sequences, oldest first.
    pub fn sequenced(&self) -> impl Iterator<Item = (u32, MoveInput)> + '_ {
        let count = u32::try_from(self.inputs.len()).unwrap_or(u32::MAX);
        let before_first = self.newest.saturating_sub(count);
        (before_first + 1..).zip(self.inputs.iter().copied())
    }

    /// Whether the packet keeps its bounds.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.inputs.len() <= MAX_INPUTS_PER_DATAGRAM
            && self.newest < u32::MAX
            && usize::try_from(self.newest).is_ok_and(|newest| newest >= self.inputs.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_carry_their_sequences() {
        let right = MoveInput::towards(1, 0);
        let packet =
            InputPacket { acked_tick: None, newest: 7, inputs: vec![MoveInput::STILL, right] };
        assert!(packet.is_sound());
        assert_eq!(packet.sequenced().collect::<Vec<_>>(), [(6, MoveInput::STILL), (7, right)]);
    }

    #[test]
    fn packets_out_of_bounds_are_unsound() {
        let inputs = vec![MoveInput::STILL; MAX_INPUTS_PER_DATAGRAM + 1];
        assert!(!InputPacket { acked_tick: None, newest: 99, inputs }.is_sound());
        let inputs = vec![MoveInput::STILL; 2];
        assert!(!InputPacket { acked_tick: None, newest: 1, inputs: inputs.clone() }.is_sound());
        assert!(
            !InputPacket { acked_tick: None, newest: u32::MAX, inputs: inputs.clone() }.is_sound()
        );
        let last = InputPacket { acked_tick: None, newest: u32::MAX - 1, inputs };
        assert!(last.is_sound());
        assert_eq!(
            last.sequenced().map(|(n, _)| n).collect::<Vec<_>>(),
            [u32::MAX - 2, u32::MAX - 1]
        );
    }
}
