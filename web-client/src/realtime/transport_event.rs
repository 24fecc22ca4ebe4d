//! What the browser reports of a realtime connection, and what it has to do with it.

use std::time::Duration;

use shared::realtime::command::{ChatText, CommandAnswer, Emote, SequencedCommand};
use shared::realtime::message::{Bye, EntityId, RealtimeHello, Seen, ServerMessage, Welcome};
use shared::realtime::snapshot::Snapshot;
use shared::secret::ResumeToken;

use super::reconnect::Located;

/// The health of a realtime transport, in the spec's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TransportState {
    /// From the dial to the Welcome.
    Connecting,
    /// The session is the client's.
    Live,
    /// The connection is lost and the session is being claimed again.
    Reconnecting,
    /// The session moves to another instance.
    Transferring,
    /// The server, or its side of the connection, has ended it.
    DisconnectedByServer,
    /// The other side has not answered for too long.
    TimedOut,
    /// The player has left; nothing is sent but the goodbye.
    ClosedByUser,
}

impl TransportState {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Connecting,
        Self::Live,
        Self::Reconnecting,
        Self::Transferring,
        Self::DisconnectedByServer,
        Self::TimedOut,
        Self::ClosedByUser,
    ];

    /// The state's name, as the page's `data-transport` shows it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connecting => "Connecting",
            Self::Live => "Live",
            Self::Reconnecting => "Reconnecting",
            Self::Transferring => "Transferring",
            Self::DisconnectedByServer => "DisconnectedByServer",
            Self::TimedOut => "TimedOut",
            Self::ClosedByUser => "ClosedByUser",
        }
    }

    /// Whether the connection has ended without the player wanting it.
    #[must_use]
    pub fn is_lost(self) -> bool {
        matches!(self, Self::DisconnectedByServer | Self::TimedOut)
    }
}

/// What the browser reports of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportEvent {
    /// The browser has begun to dial.
    DialStarted,
    /// The WebTransport session and the control stream are open.
    Opened,
    /// A frame of the control stream: the answer to the hello.
    Welcome(Welcome),
    /// A datagram of the server.
    Snapshot(Snapshot),
    /// A frame of the control stream: who a body is.
    Seen(Seen),
    /// A frame of the control stream: a body has left the zone.
    Gone(EntityId),
    /// A frame of the control stream: what became of a command.
    Answered(CommandAnswer),
    /// A frame of the control stream: somebody says something.
    Said {
        /// Who.
        entity: EntityId,
        /// What.
        text: ChatText,
    },
    /// A frame of the control stream: somebody shows a feeling.
    Emoted {
        /// Who.
        entity: EntityId,
        /// Which.
        emote: Emote,
    },
    /// A frame of the control stream: somebody has died.
    Died(EntityId),
    /// A frame of the control stream: somebody lives again.
    Revived(EntityId),
    /// A frame of the control stream: the flowers that do not glow.
    PickedFlowers(Vec<u16>),
    /// A frame of the control stream: the answer to a ping.
    Pong(u32),
    /// A frame of the control stream: the server ends the connection.
    ByeReceived(Bye),
    /// A frame could not be read; the stream is of no further use.
    Unreadable,
    /// The server has closed its side of the control stream.
    StreamClosed,
    /// The connection is gone.
    ConnectionLost {
        /// What the browser says of it; may be empty.
        reason: String,
    },
    /// Scheduled at the dial: there should have been a Welcome by now.
    DialTimedOut,
    /// Scheduled at the goodbye: the server should have answered by now.
    ByeTimedOut,
    /// Scheduled while live: has the server been heard?
    SilenceCheck,
    /// Scheduled at a ping: anything of the server should have been heard by now.
    ProbeTimedOut {
        /// The number of the ping.
        number: u32,
    },
    /// Scheduled after a loss: the next dial is due.
    RedialDue {
        /// Which dial.
        attempt: u32,
    },
    /// The answer to where the session is.
    Located(Located),
    /// The page was asleep, hidden or without a network, and is not any more: what it thinks
    /// of the connection may be long out of date.
    Woken,
}

impl TransportEvent {
    /// Whether the server has been heard by it.
    pub(super) fn comes_from_the_server(&self) -> bool {
        matches!(
            self,
            Self::Welcome(_)
                | Self::Snapshot(_)
                | Self::Seen(_)
                | Self::Gone(_)
                | Self::Answered(_)
                | Self::Said { .. }
                | Self::Emoted { .. }
                | Self::Died(_)
                | Self::Revived(_)
                | Self::PickedFlowers(_)
                | Self::Pong(_)
                | Self::ByeReceived(_)
        )
    }
}

impl From<ServerMessage> for TransportEvent {
    fn from(message: ServerMessage) -> Self {
        match message {
            ServerMessage::Welcome(welcome) => Self::Welcome(welcome),
            ServerMessage::Bye(bye) => Self::ByeReceived(bye),
            ServerMessage::Seen(seen) => Self::Seen(seen),
            ServerMessage::Gone(entity) => Self::Gone(entity),
            ServerMessage::Answered(answer) => Self::Answered(answer),
            ServerMessage::Said { entity, text } => Self::Said { entity, text },
            ServerMessage::Emoted { entity, emote } => Self::Emoted { entity, emote },
            ServerMessage::Died(entity) => Self::Died(entity),
            ServerMessage::Revived(entity) => Self::Revived(entity),
            ServerMessage::PickedFlowers(flowers) => Self::PickedFlowers(flowers),
            ServerMessage::Pong(number) => Self::Pong(number),
        }
    }
}

/// What the browser has to do with the connection, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportAction {
    /// Write [`ClientMessage::Hello`](shared::realtime::message::ClientMessage::Hello).
    SendHello(RealtimeHello),
    /// Write [`ClientMessage::Bye`](shared::realtime::message::ClientMessage::Bye).
    SendBye,
    /// Write [`ClientMessage::Ping`](shared::realtime::message::ClientMessage::Ping).
    SendPing(u32),
    /// Write [`ClientMessage::Command`](shared::realtime::message::ClientMessage::Command).
    SendCommand(SequencedCommand),
    /// Ask the login role where the session of this secret is now.
    Locate(ResumeToken),
    /// Dial the endpoint again; whatever is left of the connection before is closed.
    Redial,
    /// Close the connection once what was written has gone out; harmless when repeated.
    Close,
    /// Report the event after a while, whatever has happened until then.
    Schedule {
        /// How long to wait.
        after: Duration,
        /// What to report.
        event: Box<TransportEvent>,
    },
}
