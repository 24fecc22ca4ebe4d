//! Binds the WebTransport endpoint and lets connections in, each in a task of its own, so
//! that a slow or silent one never delays another.
//!
//! Refuses what is not ours before any session exists: a wrong path (404), a page of a
//! foreign origin (403), more half-open connections than it can carry.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use shared::ids::UnixMillis;
use shared::limits::{QUIC_KEEP_ALIVE, REALTIME_ACCEPT_TIMEOUT, REALTIME_IDLE_TIMEOUT};
use shared::realtime::REALTIME_PATH;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use wtransport::config::QuicTransportConfig;
use wtransport::endpoint::IncomingSession;
use wtransport::endpoint::endpoint_side::Server;
use wtransport::{Connection, Endpoint, Identity, ServerConfig, VarInt};

use super::certificate::{
    BadCertificateName, CERTIFICATE_CHECK_EVERY, CertificateRotation, host_of,
};
use super::commands::CommandBook;
use super::session;
use super::session_host::SessionHost;
use crate::address_shares::{Share, Shares};

/// Connections that have not shown a valid hello yet. Over half of it a client's address
/// is proven first, so that forged packets cannot take the rest.
pub const MAX_CONCURRENT_HANDSHAKES: usize = 256;
/// Those of them that one address may have, so that nobody keeps everybody out.
pub const MAX_CONCURRENT_HANDSHAKES_OF_ADDRESS: usize = MAX_CONCURRENT_HANDSHAKES / 4;
/// Bytes of unsent datagrams of one connection; the oldest go first. Larger ones would
/// hold seconds of snapshots that nobody wants any more.
pub const DATAGRAM_SEND_BUFFER: usize = 16 * 1024;
/// Bytes of unread datagrams of one connection.
pub const DATAGRAM_RECEIVE_BUFFER: usize = 16 * 1024;
/// Streams that a client may open at a time: HTTP/3's own and the control stream, with
/// some room for what browsers open on the side.
pub const MAX_CLIENT_STREAMS: u32 = 8;
/// How long sessions have for saving and saying Bye when the server stops.
pub const REALTIME_DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the endpoint's last packets have.
pub const ENDPOINT_CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How an endpoint is set up.
#[derive(Clone, Debug)]
pub struct RealtimeConfig {
    /// Where it listens; port 0 takes a free one.
    pub addr: SocketAddr,
    /// The URL that players dial (`EDGE_PUBLIC_REALTIME_URL`); the certificate is also
    /// made for its host.
    pub public_url: String,
    /// Origins of pages that may connect, such as `http://localhost:8080`.
    pub allowed_origins: Vec<String>,
    /// Now; the certificates count from it.
    pub now: UnixMillis,
}

/// Why the endpoint is not up.
#[derive(Debug, thiserror::Error)]
pub enum RealtimeBindError {
    /// The address cannot be had.
    #[error(
        "cannot listen on UDP {addr} (EDGE_REALTIME_ADDR): stop what uses the port, or choose another"
    )]
    Bind {
        /// The address.
        addr: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// No certificate can be made.
    #[error(transparent)]
    Certificate(#[from] BadCertificateName),
}

/// Told to nobody: it lives as long as something that a draining server waits for.
pub(super) type Alive = mpsc::Sender<()>;

/// A bound endpoint.
pub struct RealtimeServer {
    endpoint: Endpoint<Server>,
    certificates: CertificateRotation,
    allowed_origins: Vec<String>,
    config: RealtimeConfig,
}

impl RealtimeServer {
    /// Binds the endpoint; gives it with its address and the hashes of its certificates.
    /// Connections wait until it runs.
    ///
    /// # Errors
    /// See [`RealtimeBindError`].
    pub fn bind(
        config: RealtimeConfig,
    ) -> Result<(Self, SocketAddr, Vec<String>), RealtimeBindError> {
        let addr = config.addr;
        let bind = |source| RealtimeBindError::Bind { addr, source };
        let certificates = CertificateRotation::new(host_of(&config.public_url), config.now)?;
        let endpoint =
            Endpoint::server(server_config(addr, certificates.identity())).map_err(bind)?;
        let local_addr = endpoint.local_addr().map_err(bind)?;
        let hashes = certificates.hashes();
        let allowed_origins = config.allowed_origins.clone();
        Ok((Self { endpoint, certificates, allowed_origins, config }, local_addr, hashes))
    }

    /// Serves sessions until `shutdown`. Then it lets nobody in, every session gets a Bye
    /// and has its character saved, and it returns when all of them are through, after
    /// [`REALTIME_DRAIN_TIMEOUT`] at the latest.
    pub async fn run<H: SessionHost>(self, host: Arc<H>, shutdown: CancellationToken) {
        let Self { endpoint, certificates, allowed_origins, config } = self;
        let (alive, mut all_gone) = mpsc::channel(1);
        let serve = {
            let (host, shutdown) = (host.clone(), shutdown.clone());
            let book = CommandBook::default();
            move |connection: Connection, handshake: HandshakeSeat| {
                let (host, shutdown, alive) = (host.clone(), shutdown.clone(), alive.clone());
                session::serve(host, connection, handshake, book.clone(), shutdown, alive)
            }
        };
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = accept_connections(&endpoint, allowed_origins.into(), serve) => {}
            () = keep_certificates(&endpoint, certificates, config.addr, &*host) => {}
        }
        let drained = async {
            loop {
                tokio::select! {
                    // `None`: the last holder is gone. Nothing is ever sent.
                    _ = all_gone.recv() => return,
                    incoming = endpoint.accept() => incoming.refuse(),
                }
            }
        };
        if timeout(REALTIME_DRAIN_TIMEOUT, drained).await.is_err() {
            tracing::warn!("some sessions were not saved in time; their places are a second old");
        }
        endpoint.close(VarInt::from_u32(0), b"");
        let _ = timeout(ENDPOINT_CLOSE_TIMEOUT, endpoint.wait_idle()).await;
    }
}

#[cfg(test)]
impl RealtimeServer {
    /// What happens when the certificates are looked at, without waiting for it.
    pub(super) fn rotate(&mut self, host: &impl SessionHost) {
        rotate(&self.endpoint, &mut self.certificates, self.config.addr, host);
    }
}

fn server_config(addr: SocketAddr, identity: Identity) -> ServerConfig {
    let mut transport = QuicTransportConfig::default();
    transport
        .datagram_send_buffer_size(DATAGRAM_SEND_BUFFER)
        .datagram_receive_buffer_size(Some(DATAGRAM_RECEIVE_BUFFER))
        .max_concurrent_bidi_streams(MAX_CLIENT_STREAMS.into())
        .max_concurrent_uni_streams(MAX_CLIENT_STREAMS.into())
        // QUIC restarts this timer for what the peer sends, and for the first thing that
        // we send after it, only (RFC 9000, 10.1): our own writes to a peer that is gone
        // do not keep it alive, while the acknowledgements of our pings do keep a hidden
        // tab that says nothing of its own.
        .max_idle_timeout(Some(
            REALTIME_IDLE_TIMEOUT.try_into().expect("the idle timeout fits a QUIC varint"),
        ))
        .keep_alive_interval(Some(QUIC_KEEP_ALIVE));
    ServerConfig::builder()
        .with_bind_address(addr)
        .with_custom_transport(identity, transport)
        .build()
}

/// Held by a connection until its client has shown that it has a session.
pub(super) struct HandshakeSeat {
    _permit: OwnedSemaphorePermit,
    _share: Share,
}

/// Lets connections in, for ever.
async fn accept_connections<S, F>(
    endpoint: &Endpoint<Server>,
    allowed_origins: Arc<[String]>,
    serve: S,
) where
    S: Fn(Connection, HandshakeSeat) -> F + Clone + Send + 'static,
    F: Future<Output = ()> + Send,
{
    let handshakes = Arc::new(Semaphore::new(MAX_CONCURRENT_HANDSHAKES));
    let shares = Shares::new(MAX_CONCURRENT_HANDSHAKES_OF_ADDRESS);
    loop {
        let incoming = endpoint.accept().await;
        let Ok(permit) = handshakes.clone().try_acquire_owned() else {
            incoming.refuse();
            continue;
        };
        let address = incoming.remote_address().ip().into();
        let crowded = handshakes.available_permits() < MAX_CONCURRENT_HANDSHAKES / 2
            || shares.is_half_taken(address);
        if crowded && !incoming.remote_address_validated() {
            incoming.retry();
            continue;
        }
        let Some(share) = shares.take(address) else {
            incoming.refuse();
            continue;
        };
        let seat = HandshakeSeat { _permit: permit, _share: share };
        let (allowed_origins, serve) = (allowed_origins.clone(), serve.clone());
        tokio::spawn(async move {
            let remote = incoming.remote_address();
            match timeout(REALTIME_ACCEPT_TIMEOUT, shake_hands(incoming, &allowed_origins)).await {
                Ok(Ok(connection)) => serve(connection, seat).await,
                Ok(Err(refusal)) => {
                    tracing::debug!(remote = %remote.ip().to_canonical(), "{refusal}");
                }
                Err(_) => tracing::debug!(remote = %remote.ip().to_canonical(), "too slow"),
            }
        });
    }
}

/// Why a connection has no session.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("no session: {0}")]
    Connection(#[from] wtransport::error::ConnectionError),
    #[error("refused: path {0:?}")]
    Path(String),
    #[error("refused: origin {0:?}")]
    Origin(Option<String>),
}

async fn shake_hands(
    incoming: IncomingSession,
    allowed_origins: &[String],
) -> Result<Connection, Refusal> {
    let request = incoming.await?;
    if request.path() != REALTIME_PATH {
        let path = request.path().chars().take(64).collect();
        request.not_found().await;
        return Err(Refusal::Path(path));
    }
    if !origin_is_allowed(request.origin(), allowed_origins) {
        let origin = request.origin().map(|origin| origin.chars().take(64).collect());
        request.forbidden().await;
        return Err(Refusal::Origin(origin));
    }
    Ok(request.accept().await?)
}

/// Every browser sends Origin, so one that is absent is no page of ours. Scheme and host
/// have no case (RFC 6454, 4).
fn origin_is_allowed(origin: Option<&str>, allowed: &[String]) -> bool {
    origin.is_some_and(|origin| allowed.iter().any(|ours| ours.eq_ignore_ascii_case(origin)))
}

/// Shows and hands out fresh certificates, for ever.
async fn keep_certificates<H: SessionHost>(
    endpoint: &Endpoint<Server>,
    mut certificates: CertificateRotation,
    addr: SocketAddr,
    host: &H,
) {
    host.publish_certificates(&certificates.hashes());
    loop {
        tokio::time::sleep(CERTIFICATE_CHECK_EVERY).await;
        rotate(endpoint, &mut certificates, addr, host);
    }
}

/// Shows the next certificate when it is time for it.
fn rotate<H: SessionHost>(
    endpoint: &Endpoint<Server>,
    certificates: &mut CertificateRotation,
    addr: SocketAddr,
    host: &H,
) {
    match certificates.advance(host.now()) {
        Ok(false) => {}
        Ok(true) => {
            host.publish_certificates(&certificates.hashes());
            // Connections that are up keep the certificate that they were made with.
            let config = server_config(addr, certificates.identity());
            match endpoint.reload_config(config, false) {
                Ok(()) => tracing::info!("the realtime endpoint shows its next certificate"),
                Err(error) => tracing::error!(%error, "the old certificate stays"),
            }
        }
        Err(error) => tracing::error!(%error, "the old certificate stays"),
    }
}
