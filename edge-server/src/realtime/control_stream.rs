//! The control stream of one session: whole messages in, whole messages out.

use std::time::Duration;

use shared::limits::BYE_ECHO_TIMEOUT;
use shared::realtime::codec::{FrameDecoder, encode_frame};
use shared::realtime::message::{Bye, ByeCode, ClientMessage, ServerMessage};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use wtransport::{Connection, RecvStream, SendStream, VarInt};

/// Bytes read from a stream at a time.
const READ_BYTES: usize = 4 * 1024;
/// How long what is queued before a Bye may keep it from being sent.
pub(super) const BYE_SEND_TIMEOUT: Duration = Duration::from_secs(1);

/// Why no further message comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// What came is no message.
    Malformed,
    /// The stream or its connection has ended.
    Lost,
}

/// The client's half.
pub(super) struct ControlReader {
    stream: RecvStream,
    decoder: FrameDecoder<ClientMessage>,
    buffer: Box<[u8]>,
}

impl ControlReader {
    pub(super) fn new(stream: RecvStream) -> Self {
        let buffer = vec![0; READ_BYTES].into_boxed_slice();
        Self { stream, decoder: FrameDecoder::default(), buffer }
    }

    /// The next message. Dropping the future loses nothing: bytes go into the decoder as
    /// soon as they are read.
    pub(super) async fn next(&mut self) -> Result<ClientMessage, StreamEnd> {
        loop {
            match self.decoder.next_message() {
                Ok(Some(message)) => return Ok(message),
                Ok(None) => {}
                Err(_) => return Err(StreamEnd::Malformed),
            }
            match self.stream.read(&mut self.buffer).await {
                Ok(Some(read)) => self.decoder.push(&self.buffer[..read]),
                Ok(None) | Err(_) => return Err(StreamEnd::Lost),
            }
        }
    }
}

/// The server's half has broken.
#[derive(Clone, Copy, Debug)]
pub(super) struct WriteEnd;

pub(super) async fn write(
    stream: &mut SendStream,
    message: &ServerMessage,
) -> Result<(), WriteEnd> {
    let frame = encode_frame(message).expect("messages of the server fit a frame");
    stream.write_all(&frame).await.map_err(|_| WriteEnd)
}

/// Writes `first`, then what the outbox holds, then the Bye when it is given, and
/// finishes. A frame is always written whole, so a Bye never lands inside another
/// message; whoever waits for it bounds the wait.
pub(super) async fn write_all(
    mut stream: SendStream,
    first: ServerMessage,
    mut outbox: mpsc::Receiver<ServerMessage>,
    mut bye: oneshot::Receiver<Bye>,
) -> Result<(), WriteEnd> {
    write(&mut stream, &first).await?;
    let bye = loop {
        tokio::select! {
            biased;
            bye = &mut bye => break bye,
            message = outbox.recv() => match message {
                Some(message) => write(&mut stream, &message).await?,
                // The zone has let go; only the Bye is left.
                None => break bye.await,
            },
        }
    };
    match bye {
        Ok(bye) => write_bye(stream, bye).await,
        Err(_) => Err(WriteEnd),
    }
}

async fn write_bye(mut stream: SendStream, bye: Bye) -> Result<(), WriteEnd> {
    write(&mut stream, &ServerMessage::Bye(bye)).await?;
    // Waits until the client has all of it.
    stream.finish().await.map_err(|_| WriteEnd)
}

/// Says Bye on a stream that nobody else writes, and closes.
pub(super) async fn refuse(
    connection: Connection,
    stream: SendStream,
    reader: ControlReader,
    code: ByeCode,
) {
    part(connection, write_bye(stream, Bye::of(code)), reader).await;
}

/// Lets `bye` be written, waits for its echo, and closes. wtransport's close carries no
/// WebTransport code and may overtake data, so both come before it; each has its limit.
pub(super) async fn part(
    connection: Connection,
    bye: impl Future<Output = Result<(), WriteEnd>>,
    mut reader: ControlReader,
) {
    let written = timeout(BYE_SEND_TIMEOUT, bye).await;
    if matches!(written, Ok(Ok(()))) {
        let echo = async {
            // Whatever the client was saying meanwhile is of no interest any more.
            while !matches!(reader.next().await, Ok(ClientMessage::Bye) | Err(_)) {}
        };
        // A client that does not echo is closed upon all the same.
        let _ = timeout(BYE_ECHO_TIMEOUT, echo).await;
    }
    connection.close(VarInt::from_u32(0), b"");
}
