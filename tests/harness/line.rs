//! A realtime connection from the client's side, message by message: what a player's
//! client is built from, and what tests of broken clients use directly.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use serde::Serialize;
use shared::gameplay::RealtimeSessionActivation;
use shared::realtime::codec::{FrameDecoder, encode_frame};
use shared::realtime::message::{Bye, Claim, ClientMessage, RealtimeHello, ServerMessage, Welcome};
use shared::secret::{ResumeToken, SessionTicket, SessionToken};
use shared::version::PROTOCOL_VERSION;
use wtransport::endpoint::ConnectOptions;
use wtransport::endpoint::endpoint_side::Client;
use wtransport::error::ConnectingError;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint, RecvStream, SendStream, quinn};

use crate::patience::{DIALLED, HAPPENED, within};

/// Bytes that are read from the stream at a time.
const READ_BYTES: usize = 4 * 1024;

/// How a client calls a realtime endpoint.
#[derive(Clone, Debug)]
pub struct Dial {
    /// The endpoint's URL.
    pub url: String,
    /// The certificates that it may show, as the activation named them.
    pub cert_hashes: Vec<String>,
    /// The page that dials; a browser always names it.
    pub origin: Option<String>,
}

impl Dial {
    /// The first healthy endpoint of an activation, from a page of this origin.
    ///
    /// # Panics
    /// If none is healthy.
    #[must_use]
    pub fn of(activation: &RealtimeSessionActivation, origin: &str) -> Self {
        let endpoint = activation.endpoints.iter().find(|endpoint| endpoint.healthy);
        let endpoint = endpoint.expect("an activation has a healthy endpoint");
        Self {
            url: endpoint.url.clone(),
            cert_hashes: endpoint.cert_hashes.clone(),
            origin: Some(origin.to_owned()),
        }
    }

    fn config(&self) -> ClientConfig {
        let hashes = self.cert_hashes.iter().map(|hex| Sha256Digest::new(digest(hex)));
        ClientConfig::builder()
            .with_bind_address(SocketAddr::from(([127, 0, 0, 1], 0)))
            .with_server_certificate_hashes(hashes)
            .build()
    }

    /// Opens a WebTransport session.
    ///
    /// # Errors
    /// Why the server did not let it in.
    ///
    /// # Panics
    /// If it neither lets it in nor refuses.
    pub async fn session(&self) -> Result<Session, ConnectingError> {
        let endpoint = Endpoint::client(self.config()).expect("a local UDP port is free");
        let mut request = ConnectOptions::builder(&self.url);
        if let Some(origin) = &self.origin {
            request = request.add_header("origin", origin);
        }
        let dialled = endpoint.connect(request.build());
        let connection = within("the dial is answered", DIALLED, dialled).await?;
        Ok(Session { _endpoint: endpoint, connection })
    }

    /// Opens a WebTransport session and its control stream.
    ///
    /// # Errors
    /// Why the server did not let it in.
    pub async fn line(&self) -> Result<Line, ConnectingError> {
        Ok(Line::open(self.session().await?).await)
    }

    /// Finishes the TLS handshake and asks for nothing.
    ///
    /// # Panics
    /// If the server does not take the connection.
    pub async fn tls_only(&self) -> SilentConnection {
        let endpoint = quinn::Endpoint::client(SocketAddr::from(([127, 0, 0, 1], 0)))
            .expect("a local UDP port is free");
        let address = self.url.split('/').nth(2).and_then(|host| host.parse().ok());
        let address: SocketAddr = address.expect("a test server's URL names IP and port");
        let config = self.config().quic_config().clone();
        let host = address.ip().to_string();
        let connecting = endpoint.connect_with(config, address, &host).expect("the URL is sound");
        let connection = within("TLS is through", DIALLED, connecting).await;
        let connection = connection.expect("the server finishes the TLS handshake");
        SilentConnection { _endpoint: endpoint, connection }
    }
}

fn digest(hex: &str) -> [u8; 32] {
    let bytes: Vec<u8> = (0..hex.len())
        .step_by(2)
        .filter_map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok())
        .collect();
    bytes.try_into().expect("a certificate's hash is 64 hex digits")
}

/// A QUIC connection that never becomes a WebTransport session.
#[derive(Debug)]
pub struct SilentConnection {
    _endpoint: quinn::Endpoint,
    connection: quinn::Connection,
}

impl SilentConnection {
    /// Waits until the server ends it.
    ///
    /// # Panics
    /// If it does not within `bound`.
    pub async fn dropped(&self, bound: Duration) {
        within("the server drops a silent connection", bound, self.connection.closed()).await;
    }

    /// Whether it is still open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.connection.close_reason().is_none()
    }
}

/// A WebTransport session without a control stream.
pub struct Session {
    // Owns the socket.
    _endpoint: Endpoint<Client>,
    pub(crate) connection: Connection,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("connection", &self.connection).finish_non_exhaustive()
    }
}

impl Session {
    /// Waits until the server ends it.
    ///
    /// # Panics
    /// If it does not within `bound`.
    pub async fn ended(&self, bound: Duration) {
        within("the server ends the session", bound, self.connection.closed()).await;
    }
}

/// What came on the control stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A message.
    Message(ServerMessage),
    /// The stream or the connection is over.
    Ended,
}

/// A session with its control stream.
#[derive(Debug)]
pub struct Line {
    pub(crate) session: Session,
    pub(crate) sender: SendStream,
    pub(crate) ears: Ears,
}

/// The reading end of a control stream.
#[derive(Debug)]
pub(crate) struct Ears {
    stream: RecvStream,
    decoder: FrameDecoder<ServerMessage>,
}

impl Ears {
    pub(crate) async fn next(&mut self) -> Heard {
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match self.decoder.next_message().expect("the server's frames are sound") {
                Some(message) => return Heard::Message(message),
                None => match self.stream.read(&mut buffer).await {
                    Ok(Some(read)) => self.decoder.push(&buffer[..read]),
                    Ok(None) | Err(_) => return Heard::Ended,
                },
            }
        }
    }
}

impl Line {
    async fn open(session: Session) -> Self {
        let opening = session.connection.open_bi().await.expect("the session takes a stream");
        let (sender, stream) = opening.await.expect("the session takes a stream");
        Self { session, sender, ears: Ears { stream, decoder: FrameDecoder::default() } }
    }

    /// Writes bytes to the control stream. A stream that the server has ended takes them
    /// unread.
    pub async fn write(&mut self, bytes: &[u8]) {
        // The server may have hung up already, which is what such a test waits for.
        let _ = self.sender.write_all(bytes).await;
    }

    /// Sends a message.
    ///
    /// # Panics
    /// If the message is larger than a frame.
    pub async fn say(&mut self, message: &impl Serialize) {
        self.write(&encode_frame(message).expect("the message fits a frame")).await;
    }

    /// The next thing that the server says.
    ///
    /// # Panics
    /// If it stays silent.
    pub async fn hear(&mut self) -> Heard {
        self.hear_within(HAPPENED).await
    }

    /// The next thing that the server says within a bound.
    ///
    /// # Panics
    /// If it stays silent.
    pub async fn hear_within(&mut self, bound: Duration) -> Heard {
        within("the server says something", bound, self.ears.next()).await
    }

    /// Passes over everything up to the Bye.
    ///
    /// # Panics
    /// If the connection ends without one.
    pub async fn bye_within(&mut self, bound: Duration) -> Bye {
        loop {
            match self.hear_within(bound).await {
                Heard::Message(ServerMessage::Bye(bye)) => return bye,
                Heard::Message(_) => {}
                Heard::Ended => panic!("the connection ended without a Bye"),
            }
        }
    }

    /// Waits until the server has closed the connection.
    ///
    /// # Panics
    /// If it does not.
    pub async fn closed(&mut self) {
        let closed = self.session.connection.closed();
        within("the server closes the connection", HAPPENED, closed).await;
    }

    /// Says something and waits until the server has heard it.
    ///
    /// # Panics
    /// If the server does not answer.
    pub async fn is_heard(&mut self) {
        self.say(&ClientMessage::Ping(1)).await;
        while self.hear().await != Heard::Message(ServerMessage::Pong(1)) {}
    }

    /// Claims a session by its ticket.
    ///
    /// # Errors
    /// The server's Bye.
    ///
    /// # Panics
    /// If the server says anything but a Welcome or a Bye.
    pub async fn claim(
        &mut self,
        session_token: &SessionToken,
        ticket: &SessionTicket,
    ) -> Result<Welcome, Bye> {
        self.claim_by(session_token, Claim::Ticket(ticket.clone())).await
    }

    /// Claims a session that has been claimed before.
    ///
    /// # Errors
    /// The server's Bye.
    ///
    /// # Panics
    /// If the server says anything but a Welcome or a Bye.
    pub async fn resume(
        &mut self,
        session_token: &SessionToken,
        resume_token: &ResumeToken,
    ) -> Result<Welcome, Bye> {
        self.claim_by(session_token, Claim::Resume(resume_token.clone())).await
    }

    /// Claims a session by any right to it.
    ///
    /// # Errors
    /// The server's Bye.
    ///
    /// # Panics
    /// If the server says anything but a Welcome or a Bye.
    pub async fn claim_by(
        &mut self,
        session_token: &SessionToken,
        right: Claim,
    ) -> Result<Welcome, Bye> {
        self.say(&hello(session_token, right)).await;
        match self.hear_within(DIALLED).await {
            Heard::Message(ServerMessage::Welcome(welcome)) => Ok(welcome),
            Heard::Message(ServerMessage::Bye(bye)) => Err(bye),
            other => panic!("the answer to a hello was {other:?}"),
        }
    }
}

/// An honest hello with a ticket.
#[must_use]
pub fn claim(session_token: &SessionToken, ticket: &SessionTicket) -> ClientMessage {
    hello(session_token, Claim::Ticket(ticket.clone()))
}

fn hello(session_token: &SessionToken, claim: Claim) -> ClientMessage {
    ClientMessage::Hello(RealtimeHello {
        protocol_version: PROTOCOL_VERSION,
        session_token: session_token.clone(),
        claim,
    })
}
