//! Reads the hello of a fresh connection, within a limit on all of it.

use shared::limits::REALTIME_HELLO_TIMEOUT;
use shared::realtime::message::{ByeCode, ClientMessage, RealtimeHello};
use shared::version::PROTOCOL_VERSION;
use tokio_util::sync::CancellationToken;
use wtransport::{Connection, SendStream};

use super::control_stream::{ControlReader, StreamEnd};

/// What a connection opened with.
pub(super) struct Opening {
    pub(super) stream: SendStream,
    pub(super) reader: ControlReader,
    /// The hello, or what the client is told instead; `None`: it said Bye or is gone.
    pub(super) hello: Result<RealtimeHello, Option<ByeCode>>,
}

/// Waits for the control stream and its hello. `None` where not even the stream came in
/// time: there is nothing to say Bye on then.
pub(super) async fn read(connection: &Connection, shutdown: &CancellationToken) -> Option<Opening> {
    let limit = tokio::time::sleep(REALTIME_HELLO_TIMEOUT);
    tokio::pin!(limit);
    let (stream, recv) = tokio::select! {
        () = &mut limit => return None,
        () = shutdown.cancelled() => return None,
        opened = connection.accept_bi() => opened.ok()?,
    };
    let mut reader = ControlReader::new(recv);
    let hello = tokio::select! {
        () = &mut limit => Err(Some(ByeCode::TimedOut)),
        () = shutdown.cancelled() => Err(Some(ByeCode::ShuttingDown)),
        message = reader.next() => match message {
            Ok(ClientMessage::Hello(hello)) => check_version(hello).map_err(Some),
            Ok(ClientMessage::Bye) | Err(StreamEnd::Lost) => Err(None),
            Ok(ClientMessage::Command(_) | ClientMessage::Ping(_)) | Err(StreamEnd::Malformed) => {
                Err(Some(ByeCode::Malformed))
            }
        },
    };
    Some(Opening { stream, reader, hello })
}

fn check_version(hello: RealtimeHello) -> Result<RealtimeHello, ByeCode> {
    if hello.protocol_version == PROTOCOL_VERSION {
        Ok(hello)
    } else {
        Err(ByeCode::ProtocolVersion)
    }
}
