//! The connection to Redis: one, shared by all callers, dialled again by whoever needs it.
//!
//! A command is sent once. If its answer does not come, nobody here knows what became of it,
//! so the caller is told, and whether to ask again is the caller's to decide. What this file
//! owns is the connection: one that has failed in any way is never used again. That is more
//! than the library's own `ConnectionManager` does: it keeps a connection on which answers
//! time out, as after a lost route or a stopped server, and keeps for good the refusal of a
//! reconnect that failed other than on the socket.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::io::tcp::TcpSettings;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, IntoConnectionInfo as _, ProtocolVersion,
    PushInfo, PushKind, RedisError, RedisResult, ServerErrorKind, Value,
};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// How long a caller waits for a connection, somebody else's attempt to make it included.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a caller waits for the answer to a command. A step takes well under a
/// millisecond, so this is an outage and not a busy server.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// How long one step takes at most, if it ends well or not: a connection, the step, and once
/// more the step where Redis did not know its script.
pub const LONGEST_CALL: Duration = CONNECT_TIMEOUT.saturating_add(ANSWER_TIMEOUT.saturating_mul(2));
/// Commands that wait to be written to the socket; more of them wait at their callers.
const COMMANDS_QUEUED: usize = 256;

/// The way to Redis.
pub(super) struct Link {
    client: Client,
    connecting: AsyncConnectionConfig,
    standing: Mutex<Option<Standing>>,
}

/// A connection, and whether it can still be used.
#[derive(Clone)]
struct Standing {
    connection: MultiplexedConnection,
    lost: Arc<AtomicBool>,
}

impl Link {
    /// A link that is not connected yet.
    pub(super) fn new(url: &str) -> RedisResult<Self> {
        let info = url.into_connection_info()?;
        // The third protocol tells at once when the server has hung up, so that a connection
        // that was lost while nobody used it costs no call.
        let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        let tcp = TcpSettings::default().set_nodelay(true);
        let client = Client::open(info.set_redis_settings(settings).set_tcp_settings(tcp))?;
        let connecting = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT_TIMEOUT))
            .set_response_timeout(Some(ANSWER_TIMEOUT))
            .set_pipeline_buffer_size(COMMANDS_QUEUED);
        Ok(Self { client, connecting, standing: Mutex::new(None) })
    }

    /// Where the server is, without credentials.
    pub(super) fn address(&self) -> String {
        self.client.get_connection_info().addr().to_string()
    }

    /// Sends a command once, over a connection that is dialled first where none stands.
    pub(super) async fn ask(&self, command: &Cmd) -> RedisResult<Value> {
        let mut standing = timeout(CONNECT_TIMEOUT, self.standing()).await.map_err(|_| {
            RedisError::from((ErrorKind::Io, "no connection within the time for it"))
        })??;
        let answer = command.query_async(&mut standing.connection).await;
        // An unknown script is the one error that says nothing about the server. After any
        // other the next caller dials: a name may stand for another server by then.
        if answer.as_ref().is_err_and(|error| !is_unknown_script(error)) {
            standing.lost.store(true, Ordering::Relaxed);
        }
        answer
    }

    /// The connection that stands, or a new one. One caller dials, the others wait for it.
    async fn standing(&self) -> RedisResult<Standing> {
        let mut place = self.standing.lock().await;
        if let Some(standing) = &*place
            && !standing.lost.load(Ordering::Relaxed)
        {
            return Ok(standing.clone());
        }
        *place = None;
        let standing = self.dial().await?;
        *place = Some(standing.clone());
        Ok(standing)
    }

    async fn dial(&self) -> RedisResult<Standing> {
        let lost = Arc::new(AtomicBool::new(false));
        let told = lost.clone();
        let connecting = self.connecting.clone().set_push_sender(move |push: PushInfo| {
            if push.kind == PushKind::Disconnection {
                told.store(true, Ordering::Relaxed);
            }
            Ok::<_, std::convert::Infallible>(())
        });
        let connection =
            self.client.get_multiplexed_async_connection_with_config(&connecting).await?;
        Ok(Standing { connection, lost })
    }
}

/// Whether Redis does not know the script: nothing has been run.
pub(super) fn is_unknown_script(error: &RedisError) -> bool {
    error.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").field("address", &self.address()).finish_non_exhaustive()
    }
}
