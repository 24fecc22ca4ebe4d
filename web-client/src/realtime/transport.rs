//! The state machine of one realtime connection. It decides, the browser dials and sends.

use std::time::Duration;

use shared::gameplay::RealtimeEndpoint;
use shared::limits::CLIENT_DIAL_TIMEOUT;
use shared::realtime::command::{ChatText, CommandAnswer, Emote};
use shared::realtime::message::{
    Bye, ByeCode, Claim, EntityId, RealtimeHello, Seen, ServerMessage, Welcome,
};
use shared::realtime::snapshot::Snapshot;
use shared::secret::{SessionTicket, SessionToken};
use shared::version::PROTOCOL_VERSION;

/// The last message while a clean disconnect waits for the server's answer.
pub const DISCONNECT_REQUESTED: &str = "disconnect requested";

/// The last message from the dial until the connection stands.
const DIALLING: &str = "dialling";

/// How long the page waits for the server's Bye after the player's own. A server saves the
/// character before it says Bye, and gives that up to two seconds.
pub const GOODBYE_TIMEOUT: Duration = Duration::from_secs(3);

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
    /// The player wants to leave.
    UserDisconnect,
    /// Scheduled at the dial: there should have been a Welcome by now.
    DialTimedOut,
    /// Scheduled at the goodbye: the server should have answered by now.
    ByeTimedOut,
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

/// One realtime connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    state: TransportState,
    endpoint: RealtimeEndpoint,
    session_token: SessionToken,
    ticket: SessionTicket,
    last_packet_at: Option<f64>,
    last_message: String,
    reconnect_attempt: u32,
}

impl Transport {
    /// A connection that is about to be dialled.
    #[must_use]
    pub fn new(
        endpoint: RealtimeEndpoint,
        session_token: SessionToken,
        ticket: SessionTicket,
    ) -> Self {
        Self {
            state: TransportState::Connecting,
            endpoint,
            session_token,
            ticket,
            last_packet_at: None,
            last_message: "not dialled yet".to_owned(),
            reconnect_attempt: 0,
        }
    }

    /// Its health.
    #[must_use]
    pub fn state(&self) -> TransportState {
        self.state
    }

    /// Where it is dialled.
    #[must_use]
    pub fn endpoint(&self) -> &RealtimeEndpoint {
        &self.endpoint
    }

    /// When anything was last heard from the server, on the page's monotonic clock.
    #[must_use]
    pub fn last_packet_at(&self) -> Option<f64> {
        self.last_packet_at
    }

    /// What last happened, in words.
    #[must_use]
    pub fn last_message(&self) -> &str {
        &self.last_message
    }

    /// How many times the session has been claimed again since it was last live.
    #[must_use]
    pub fn reconnect_attempt(&self) -> u32 {
        self.reconnect_attempt
    }

    /// Whether a clean disconnect was asked for and the server's answer is awaited.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.state == TransportState::ClosedByUser && self.last_message == DISCONNECT_REQUESTED
    }

    /// Whether the player's disconnect is complete: the transport is closed by the user and
    /// the last message is no longer the request itself.
    #[must_use]
    pub fn is_disconnect_finished(&self) -> bool {
        self.state == TransportState::ClosedByUser && !self.is_draining()
    }

    /// Takes an event. What does not belong to the present state (a timer that fired in
    /// vain, a frame behind the Bye) changes nothing.
    pub fn apply(&mut self, event: &TransportEvent, now: f64) -> Vec<TransportAction> {
        use TransportAction as Do;
        use TransportEvent as Event;
        use TransportState as State;

        if comes_from_the_server(event) {
            self.last_packet_at = Some(now);
        }
        match (self.state, event) {
            (State::Connecting, Event::DialStarted) => {
                self.last_message = DIALLING.to_owned();
                vec![schedule(CLIENT_DIAL_TIMEOUT, Event::DialTimedOut)]
            }
            (State::Connecting, Event::Opened) => {
                self.last_message = "hello sent".to_owned();
                vec![Do::SendHello(self.hello())]
            }
            (State::Connecting, Event::Welcome(welcome)) => {
                if welcome.session_token == self.session_token {
                    self.turn(State::Live, "welcome received");
                    Vec::new()
                } else {
                    self.turn(
                        State::DisconnectedByServer,
                        "the server welcomed another session: enter the world again",
                    );
                    vec![Do::Close]
                }
            }
            (State::Connecting, Event::DialTimedOut) => {
                self.turn(
                    State::TimedOut,
                    "the game server does not answer: enter the world again in a moment",
                );
                vec![Do::Close]
            }
            (State::Live, Event::UserDisconnect) => {
                self.turn(State::ClosedByUser, DISCONNECT_REQUESTED);
                vec![Do::SendBye, schedule(GOODBYE_TIMEOUT, Event::ByeTimedOut)]
            }
            // Nothing is established that could be drained.
            (
                State::Connecting | State::Reconnecting | State::Transferring,
                Event::UserDisconnect,
            ) => {
                self.turn(State::ClosedByUser, "closed by the player");
                vec![Do::Close]
            }
            (State::ClosedByUser, ended) if self.is_draining() => match ended {
                Event::ByeReceived(bye) => self.drained(&bye.detail),
                Event::StreamClosed | Event::ConnectionLost { .. } | Event::Unreadable => {
                    self.drained("the connection is closed")
                }
                Event::ByeTimedOut => self.drained("the server did not answer the goodbye"),
                _ => Vec::new(),
            },
            (
                State::Connecting | State::Live | State::Reconnecting | State::Transferring,
                Event::ByeReceived(bye),
            ) => {
                let state = match bye.code {
                    ByeCode::TimedOut => State::TimedOut,
                    _ => State::DisconnectedByServer,
                };
                self.turn(state, &bye.detail);
                vec![Do::SendBye, Do::Close]
            }
            (State::Connecting | State::Live, Event::StreamClosed) => {
                self.turn(
                    State::DisconnectedByServer,
                    "the server closed the connection: enter the world again",
                );
                vec![Do::Close]
            }
            (State::Connecting | State::Live, Event::Unreadable) => {
                self.turn(
                    State::DisconnectedByServer,
                    "the server sent what this page cannot read: reload the page",
                );
                vec![Do::Close]
            }
            (State::Connecting | State::Live, Event::ConnectionLost { reason }) => {
                let is_dialling = self.state == State::Connecting && self.last_message == DIALLING;
                let (what, advice) = if is_dialling {
                    ("the game server cannot be reached", "enter the world again in a moment")
                } else {
                    ("the connection broke", "enter the world again")
                };
                let detail = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
                self.turn(State::TimedOut, &format!("{what}{detail}: {advice}"));
                vec![Do::Close]
            }
            _ => Vec::new(),
        }
    }

    fn hello(&self) -> RealtimeHello {
        RealtimeHello {
            protocol_version: PROTOCOL_VERSION,
            session_token: self.session_token.clone(),
            claim: Claim::Ticket(self.ticket.clone()),
        }
    }

    fn turn(&mut self, state: TransportState, message: &str) {
        self.state = state;
        self.last_message = message.to_owned();
    }

    fn drained(&mut self, message: &str) -> Vec<TransportAction> {
        // The message is what tells a finished disconnect from a requested one.
        self.last_message = if message == DISCONNECT_REQUESTED {
            "disconnected".to_owned()
        } else {
            message.to_owned()
        };
        vec![TransportAction::Close]
    }
}

pub(super) fn schedule(after: Duration, event: TransportEvent) -> TransportAction {
    TransportAction::Schedule { after, event: Box::new(event) }
}

fn comes_from_the_server(event: &TransportEvent) -> bool {
    matches!(
        event,
        TransportEvent::Welcome(_)
            | TransportEvent::Snapshot(_)
            | TransportEvent::Seen(_)
            | TransportEvent::Gone(_)
            | TransportEvent::Answered(_)
            | TransportEvent::Said { .. }
            | TransportEvent::Emoted { .. }
            | TransportEvent::Died(_)
            | TransportEvent::Revived(_)
            | TransportEvent::PickedFlowers(_)
            | TransportEvent::Pong(_)
            | TransportEvent::ByeReceived(_)
    )
}
