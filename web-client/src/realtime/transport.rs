//! The state machine of one realtime connection. It decides, the browser dials and sends.

use std::time::Duration;

use shared::gameplay::RealtimeEndpoint;
use shared::limits::{CLIENT_DIAL_TIMEOUT, CLIENT_PROBE_TIMEOUT, CLIENT_SILENCE_TIMEOUT};
use shared::realtime::message::{ByeCode, Claim, RealtimeHello, Welcome};
use shared::secret::{ResumeToken, SessionToken};
use shared::version::PROTOCOL_VERSION;

use super::endpoint::first_healthy;
use super::reconnect::{Located, Phase, Reconnect, pause_before};
pub use super::transport_event::{TransportAction, TransportEvent, TransportState};

/// The last message while a clean disconnect waits for the server's answer.
pub const DISCONNECT_REQUESTED: &str = "disconnect requested";

/// How long the page waits for the server's Bye after the player's own. A server saves the
/// character before it says Bye, and gives that up to two seconds.
pub const GOODBYE_TIMEOUT: Duration = Duration::from_secs(3);

/// How far the last dial has come on its way to a Welcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DialStep {
    /// It is still to come.
    NotBegun,
    /// The connection does not stand yet.
    Dialling,
    /// The hello is sent.
    HelloSent,
}

/// The way to one session: a connection, and the next one where that is lost.
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    state: TransportState,
    endpoint: RealtimeEndpoint,
    session_token: SessionToken,
    /// What the next hello presents.
    claim: Claim,
    last_packet_at: Option<f64>,
    last_message: String,
    dial: DialStep,
    /// Whether it has ended by what only a page that is loaded anew can do better.
    wants_reload: bool,
    /// Set exactly while [`TransportState::Reconnecting`].
    reconnect: Option<Reconnect>,
    /// The last ping, and when it was sent.
    probe: Option<(u32, f64)>,
    round_trip_ms: Option<f64>,
}

impl Transport {
    /// A connection that is about to be dialled.
    #[must_use]
    pub fn new(endpoint: RealtimeEndpoint, session_token: SessionToken, claim: Claim) -> Self {
        Self {
            state: TransportState::Connecting,
            endpoint,
            session_token,
            claim,
            last_packet_at: None,
            last_message: "not dialled yet".to_owned(),
            dial: DialStep::NotBegun,
            wants_reload: false,
            reconnect: None,
            probe: None,
            round_trip_ms: None,
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

    /// How long the last ping took there and back, in milliseconds.
    #[must_use]
    pub fn round_trip_ms(&self) -> Option<f64> {
        self.round_trip_ms
    }

    /// What last happened, in words.
    #[must_use]
    pub fn last_message(&self) -> &str {
        &self.last_message
    }

    /// Whether it has ended by what only a page that is loaded anew can do better.
    #[must_use]
    pub fn wants_reload(&self) -> bool {
        self.wants_reload
    }

    /// Whether the last dial has come as far as its hello.
    #[must_use]
    pub fn has_said_hello(&self) -> bool {
        self.dial == DialStep::HelloSent
    }

    /// Which dial since the session was last live this is; 0 while it needs none.
    #[must_use]
    pub fn reconnect_attempt(&self) -> u32 {
        self.reconnect.map_or(0, |reconnect| reconnect.attempt)
    }

    /// What claims the session again, once it has been live.
    #[must_use]
    pub fn resume_token(&self) -> Option<&ResumeToken> {
        match &self.claim {
            Claim::Resume(token) => Some(token),
            Claim::Ticket(_) => None,
        }
    }

    /// Whether a clean disconnect was asked for and the server's answer is awaited.
    #[must_use]
    pub fn awaits_the_goodbye(&self) -> bool {
        self.state == TransportState::ClosedByUser && self.last_message == DISCONNECT_REQUESTED
    }

    /// Whether the player's disconnect is complete: the transport is closed by the user and
    /// the last message is no longer the request itself.
    #[must_use]
    pub fn is_disconnect_finished(&self) -> bool {
        self.state == TransportState::ClosedByUser && !self.awaits_the_goodbye()
    }

    /// The player leaves. A live session says goodbye and awaits the server's; before and
    /// after that, nothing is established that could be drained.
    pub fn disconnect(&mut self) -> Vec<TransportAction> {
        use TransportState as State;

        match self.state {
            State::Live => {
                self.turn(State::ClosedByUser, DISCONNECT_REQUESTED);
                let limit = schedule(GOODBYE_TIMEOUT, TransportEvent::ByeTimedOut);
                vec![TransportAction::SendBye, limit]
            }
            State::Connecting | State::Reconnecting | State::Transferring => {
                self.turn(State::ClosedByUser, "closed by the player");
                vec![TransportAction::Close]
            }
            State::DisconnectedByServer | State::TimedOut | State::ClosedByUser => Vec::new(),
        }
    }

    /// Takes an event. What does not belong to the present state (a timer that fired in
    /// vain, a frame behind the Bye) changes nothing.
    pub fn apply(&mut self, event: &TransportEvent, now: f64) -> Vec<TransportAction> {
        use TransportAction as Do;
        use TransportEvent as Event;
        use TransportState as State;

        if event.comes_from_the_server() {
            self.last_packet_at = Some(now);
        }
        match (self.state, event) {
            (State::Connecting, Event::DialStarted) => {
                self.dial = DialStep::Dialling;
                self.last_message = "dialling".to_owned();
                vec![schedule(CLIENT_DIAL_TIMEOUT, Event::DialTimedOut)]
            }
            (State::Reconnecting, Event::DialStarted) => {
                self.dial = DialStep::Dialling;
                vec![schedule(CLIENT_DIAL_TIMEOUT, Event::DialTimedOut)]
            }
            (State::Connecting | State::Reconnecting, Event::Opened) if self.is_dialling() => {
                self.dial = DialStep::HelloSent;
                self.last_message = "hello sent".to_owned();
                vec![Do::SendHello(self.hello())]
            }
            (State::Connecting | State::Reconnecting, Event::Welcome(welcome))
                if self.is_dialling() =>
            {
                self.welcomed(welcome)
            }
            // The session may still be there, under another endpoint or certificate.
            (State::Connecting, Event::ByeReceived(bye))
                if self.resumes() && !bye.code.is_final() =>
            {
                let mut actions = vec![Do::SendBye];
                actions.extend(self.claim_again(now, &bye.detail));
                actions
            }
            (State::Connecting, Event::DialTimedOut) if self.resumes() => {
                self.claim_again(now, "the game server does not answer")
            }
            (State::Connecting, Event::StreamClosed) if self.resumes() => {
                self.claim_again(now, "the server closed the connection")
            }
            (State::Connecting, Event::ConnectionLost { reason }) if self.resumes() => {
                self.claim_again(now, &broke(reason))
            }
            (State::Connecting, Event::DialTimedOut) => {
                self.turn(
                    State::TimedOut,
                    "the game server does not answer: enter the world again in a moment",
                );
                vec![Do::Close]
            }
            (State::ClosedByUser, ended) if self.awaits_the_goodbye() => match ended {
                Event::ByeReceived(bye) => self.drained(&bye.detail),
                Event::StreamClosed | Event::ConnectionLost { .. } | Event::Unreadable => {
                    self.drained("the connection is closed")
                }
                Event::ByeTimedOut => self.drained("the server did not answer the goodbye"),
                _ => Vec::new(),
            },
            // It takes nobody back, and whoever takes the session up is another process.
            (State::Live, Event::ByeReceived(bye)) if bye.code == ByeCode::ShuttingDown => {
                let mut actions = vec![Do::SendBye];
                actions.extend(self.claim_again(now, &bye.detail));
                actions
            }
            (State::Live, Event::ByeReceived(bye)) if !bye.code.is_final() => {
                let mut actions = vec![Do::SendBye];
                actions.extend(self.lose(now, &bye.detail));
                actions
            }
            // A server that cannot look the session up now may know it later.
            (State::Reconnecting, Event::ByeReceived(bye))
                if self.is_dialling() && (!bye.code.is_final() || self.is_a_guess(bye.code)) =>
            {
                let mut actions = vec![Do::SendBye];
                actions.extend(self.try_again(now, &bye.detail));
                actions
            }
            (
                State::Connecting | State::Live | State::Reconnecting | State::Transferring,
                Event::ByeReceived(bye),
            ) if self.is_dialling() => {
                let state = match bye.code {
                    ByeCode::TimedOut => State::TimedOut,
                    _ => State::DisconnectedByServer,
                };
                self.turn(state, &bye.detail);
                self.wants_reload = bye.code.wants_reload();
                vec![Do::SendBye, Do::Close]
            }
            (State::Connecting, Event::StreamClosed) => {
                self.turn(
                    State::DisconnectedByServer,
                    "the server closed the connection: enter the world again",
                );
                vec![Do::Close]
            }
            (State::Connecting | State::Live | State::Reconnecting, Event::Unreadable)
                if self.is_dialling() =>
            {
                self.turn(
                    State::DisconnectedByServer,
                    "the server sent what this page cannot read: reload the page",
                );
                self.wants_reload = true;
                vec![Do::Close]
            }
            (State::Connecting, Event::ConnectionLost { reason }) => {
                let message = if self.dial == DialStep::Dialling {
                    let what = with_reason("the game server cannot be reached", reason);
                    format!("{what}: enter the world again in a moment")
                } else {
                    format!("{}: enter the world again", broke(reason))
                };
                self.turn(State::TimedOut, &message);
                vec![Do::Close]
            }
            (State::Live, Event::StreamClosed) => {
                self.lose(now, "the server closed the connection")
            }
            (State::Live, Event::ConnectionLost { reason }) => self.lose(now, &broke(reason)),
            (State::Live, Event::SilenceCheck) => self.listen_for_silence(now),
            (State::Live, Event::Woken) => vec![self.ping(now), self.probe_ends()],
            (State::Live, Event::ProbeTimedOut { number })
                if self.probe.is_some_and(|(last, _)| last == *number)
                    && self.awaits_an_answer() =>
            {
                self.lose(now, "the server fell silent")
            }
            (State::Live, Event::Pong(number)) => {
                if let Some((_, at)) = self.probe.filter(|(last, _)| last == number) {
                    self.round_trip_ms = Some((now - at).max(0.0));
                }
                Vec::new()
            }
            (State::Reconnecting, Event::RedialDue { attempt })
                if self.is_waiting() && *attempt == self.reconnect_attempt() =>
            {
                self.locate_or_redial()
            }
            (State::Reconnecting, Event::Woken) if self.is_waiting() => self.locate_or_redial(),
            (State::Reconnecting, Event::Located(located))
                if self.reconnect.is_some_and(|r| r.phase == Phase::Locating) =>
            {
                self.located(located)
            }
            (State::Reconnecting, Event::DialTimedOut) if self.is_dialling() => {
                self.try_again(now, "the game server does not answer")
            }
            (State::Reconnecting, Event::StreamClosed) if self.is_dialling() => {
                self.try_again(now, "the server closed the connection")
            }
            (State::Reconnecting, Event::ConnectionLost { reason }) if self.is_dialling() => {
                self.try_again(now, &broke(reason))
            }
            _ => Vec::new(),
        }
    }

    /// Whether events speak of the connection that is wanted: between two dials, what comes
    /// is of the one that has been closed.
    fn is_dialling(&self) -> bool {
        self.reconnect.is_none_or(|reconnect| reconnect.phase == Phase::Dialling)
    }

    /// Whether a server that does not know the session may be the wrong one: nobody was asked
    /// yet where the session is.
    fn is_a_guess(&self, code: ByeCode) -> bool {
        code == ByeCode::UnknownSession && self.reconnect_attempt() == 1
    }

    fn is_waiting(&self) -> bool {
        self.reconnect.is_some_and(|reconnect| reconnect.phase == Phase::Waiting)
    }

    fn welcomed(&mut self, welcome: &Welcome) -> Vec<TransportAction> {
        if welcome.session_token != self.session_token {
            self.turn(
                TransportState::DisconnectedByServer,
                "the server welcomed another session: enter the world again",
            );
            return vec![TransportAction::Close];
        }
        self.turn(TransportState::Live, "welcome received");
        self.claim = Claim::Resume(welcome.resume_token.clone());
        vec![schedule(CLIENT_SILENCE_TIMEOUT, TransportEvent::SilenceCheck)]
    }

    /// The connection of a live session is gone, the session may not be.
    fn lose(&mut self, now: f64, message: &str) -> Vec<TransportAction> {
        self.turn(TransportState::Reconnecting, message);
        self.wait(Reconnect::begin(now))
    }

    /// Whether it claims a session of before, which outlives a failed dial.
    fn resumes(&self) -> bool {
        self.resume_token().is_some()
    }

    /// The server has let the session go, or the first claim of a session of before has
    /// failed: it is on its way back like one that was lost on this page.
    fn claim_again(&mut self, now: f64, message: &str) -> Vec<TransportAction> {
        self.turn(TransportState::Reconnecting, message);
        self.wait(Reconnect::elsewhere(now))
    }

    /// A dial has failed.
    fn try_again(&mut self, now: f64, message: &str) -> Vec<TransportAction> {
        message.clone_into(&mut self.last_message);
        match self.reconnect.and_then(|reconnect| reconnect.next(now)) {
            Some(next) => self.wait(next),
            None => {
                self.turn(
                    TransportState::TimedOut,
                    "the connection could not be restored: enter the world again",
                );
                vec![TransportAction::Close]
            }
        }
    }

    fn wait(&mut self, reconnect: Reconnect) -> Vec<TransportAction> {
        self.reconnect = Some(reconnect);
        let Reconnect { attempt, .. } = reconnect;
        let pause = pause_before(attempt, seed_of(&self.session_token));
        vec![TransportAction::Close, schedule(pause, TransportEvent::RedialDue { attempt })]
    }

    /// The first dial goes where the session was. Where that fails, the session may have
    /// another endpoint by now, or none.
    fn locate_or_redial(&mut self) -> Vec<TransportAction> {
        match (self.resume_token().cloned(), &mut self.reconnect) {
            (Some(token), Some(reconnect)) if reconnect.attempt > 1 => {
                reconnect.phase = Phase::Locating;
                vec![TransportAction::Locate(token)]
            }
            _ => self.redial(),
        }
    }

    fn located(&mut self, located: &Located) -> Vec<TransportAction> {
        match located {
            Located::At { endpoints, .. } => {
                if let Some(endpoint) = first_healthy(endpoints) {
                    self.endpoint = endpoint.clone();
                }
                self.redial()
            }
            Located::Unknown => self.redial(),
            Located::Ended(detail) => {
                self.turn(TransportState::DisconnectedByServer, detail);
                vec![TransportAction::Close]
            }
        }
    }

    fn redial(&mut self) -> Vec<TransportAction> {
        if let Some(reconnect) = &mut self.reconnect {
            reconnect.phase = Phase::Dialling;
        }
        vec![TransportAction::Redial]
    }

    /// Judged by what was heard, never by what could be sent: a half-open connection takes
    /// everything. Every ping has its end, and none follows one that is not answered: whoever
    /// asks anew for ever never hears that nobody answers. The ping also measures the way
    /// there and back.
    fn listen_for_silence(&mut self, now: f64) -> Vec<TransportAction> {
        let check = schedule(CLIENT_SILENCE_TIMEOUT, TransportEvent::SilenceCheck);
        if self.awaits_an_answer() {
            return vec![check];
        }
        vec![self.ping(now), self.probe_ends(), check]
    }

    /// Whether nothing has been heard since the last ping.
    fn awaits_an_answer(&self) -> bool {
        self.probe.is_some_and(|(_, at)| self.last_packet_at.is_none_or(|heard| heard < at))
    }

    fn ping(&mut self, now: f64) -> TransportAction {
        let number = self.probe.map_or(0, |(number, _)| number).wrapping_add(1);
        self.probe = Some((number, now));
        TransportAction::SendPing(number)
    }

    fn probe_ends(&self) -> TransportAction {
        let number = self.probe.map_or(0, |(number, _)| number);
        schedule(CLIENT_PROBE_TIMEOUT, TransportEvent::ProbeTimedOut { number })
    }

    fn hello(&self) -> RealtimeHello {
        RealtimeHello {
            protocol_version: PROTOCOL_VERSION,
            session_token: self.session_token.clone(),
            claim: self.claim.clone(),
        }
    }

    fn turn(&mut self, state: TransportState, message: &str) {
        self.state = state;
        self.reconnect = None;
        self.probe = None;
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

fn broke(reason: &str) -> String {
    with_reason("the connection broke", reason)
}

fn with_reason(what: &str, reason: &str) -> String {
    if reason.is_empty() { what.to_owned() } else { format!("{what} ({reason})") }
}

/// A number that differs from session to session.
fn seed_of(session: &SessionToken) -> u64 {
    // FNV-1a: spread, not secrecy.
    session.expose().bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
