//! Serves a router on a listener: HTTP/1.1, with a bound on open connections and on the
//! time that a request's head may take, which axum's own server does not have.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::address_shares::Shares;
use crate::domain::client_address::TrustedProxies;

/// Connections that one listener has open at a time; further ones wait to be accepted. Two
/// listeners together stay below the 1,024 files that many systems allow a process.
pub const MAX_HTTP_CONNECTIONS: usize = 384;
/// Connections of that number that one address may hold, so that nobody keeps everybody out.
/// A trusted proxy brings many clients, and may hold all.
pub const MAX_HTTP_CONNECTIONS_OF_ADDRESS: usize = MAX_HTTP_CONNECTIONS / 2;
/// From an open connection to the whole head of its next request.
pub const HTTP_HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Pause after the system refused to hand over a connection, such as for want of files.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How long a stopping listener waits for requests in flight.
pub const HTTP_DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves until `stopping`, then finishes the requests in flight.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    proxies: TrustedProxies,
    stopping: CancellationToken,
) {
    let shares = Shares::new(MAX_HTTP_CONNECTIONS_OF_ADDRESS);
    let connections = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(MAX_HTTP_CONNECTIONS));
    while let Some((stream, address, seat)) = next(&listener, &room, &stopping).await {
        let ip = address.ip();
        let share = match shares.take(ip.into()) {
            None if !proxies.trusts(ip) => {
                tracing::debug!(%address, "a connection over the share of its address");
                continue;
            }
            share => share,
        };
        let router = router.clone();
        let service = service_fn(move |request| answer(router.clone(), address, request));
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HTTP_HEAD_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service);
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, %address, "an HTTP connection ended early");
            }
            drop((seat, share));
        });
    }
    drop(listener);
    if tokio::time::timeout(HTTP_DRAIN_TIMEOUT, connections.shutdown()).await.is_err() {
        tracing::warn!("requests in flight were given up");
    }
}

/// The next connection with its seat; `None` once the process stops.
async fn next(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
    stopping: &CancellationToken,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    loop {
        let accepted = async {
            let seat = room.clone().acquire_owned().await;
            let seat = seat.expect("the semaphore of connections is never closed");
            listener.accept().await.map(|(stream, address)| (stream, address, seat))
        };
        tokio::select! {
            () = stopping.cancelled() => return None,
            accepted = accepted => match accepted {
                Ok(connection) => return Some(connection),
                Err(error) => {
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}

async fn answer(
    router: Router,
    address: SocketAddr,
    request: hyper::Request<Incoming>,
) -> Result<Response, Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(address));
    router.oneshot(request).await
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    async fn started() -> (SocketAddr, CancellationToken, tokio::task::JoinHandle<()>) {
        started_behind(TrustedProxies::default()).await
    }

    async fn started_behind(
        trusted: TrustedProxies,
    ) -> (SocketAddr, CancellationToken, tokio::task::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stopping = CancellationToken::new();
        let router = Router::new().route("/", get(|| async { "here" }));
        (address, stopping.clone(), tokio::spawn(serve(listener, router, trusted, stopping)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_never_ends_is_given_up() {
        let (address, _stopping, _serving) = started().await;
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HTTP/1.1\r\nx-slow: ").await.unwrap();
        let mut rest = Vec::new();
        slow.read_to_end(&mut rest).await.unwrap();
        let rest = String::from_utf8_lossy(&rest);
        assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 408"), "{rest}");
    }

    async fn is_answered(open: &mut TcpStream) -> bool {
        let mut answer = [0; 512];
        open.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.is_ok()
            && matches!(open.read(&mut answer).await, Ok(read) if read > 0)
    }

    #[tokio::test]
    async fn an_address_holds_its_share_of_connections_and_a_trusted_proxy_more() {
        let share = MAX_HTTP_CONNECTIONS_OF_ADDRESS;
        for (proxies, expected) in [
            (TrustedProxies::default(), share),
            (TrustedProxies::new(&["127.0.0.0/8".parse().unwrap()]), share + 8),
        ] {
            let (address, _stopping, _serving) = started_behind(proxies).await;
            let mut open = Vec::new();
            let mut answered = 0;
            for _ in 0..share + 8 {
                let mut connection = TcpStream::connect(address).await.unwrap();
                answered += usize::from(is_answered(&mut connection).await);
                open.push(connection);
            }
            assert_eq!(answered, expected);
        }
    }

    #[tokio::test]
    async fn a_quiet_connection_does_not_hold_the_stop_up() {
        let (address, stopping, serving) = started().await;
        let mut open = TcpStream::connect(address).await.unwrap();
        open.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let mut answer = [0; 512];
        let read = open.read(&mut answer).await.unwrap();
        assert!(String::from_utf8_lossy(&answer[..read]).ends_with("here"));
        stopping.cancel();
        serving.await.unwrap();
    }
}
