//! Clients that are slow or say nothing, over real sockets: whoever comes after them gets
//! in as fast as without them (cases 17 and 18).

use std::time::Duration;

use tests::clock::Stopwatch;
use tests::hero::Hero;
use tests::line::{Dial, SilentConnection};
use tests::server::Server;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Clients of each kind that never get on with it.
const SLOW: usize = 50;
/// Well under every limit that a slow client runs into; far above what an entry takes.
const SOON: Duration = Duration::from_millis(800);
/// Entries that are timed. The quickest counts: a machine may be busy, and a client that
/// waits for another one waits for seconds.
const ENTRIES: usize = 3;

/// From the handshake's request to the Welcome, at the quickest.
async fn quickest_entry(server: &Server, heroes: &[Hero]) -> Duration {
    let mut quickest = Duration::MAX;
    for hero in heroes {
        let selected = hero.select().await;
        let watch = Stopwatch::start();
        let admission = hero.admitted_with(&selected).await;
        let mut line = Dial::of(&admission.activation, server.origin()).line().await.unwrap();
        line.claim(&admission.activation.session_token, &admission.ticket).await.unwrap();
        quickest = quickest.min(watch.elapsed());
    }
    quickest
}

async fn heroes(server: &Server) -> Vec<Hero> {
    let mut heroes = Vec::new();
    for name in ["Mara", "Orin", "Tove"].into_iter().take(ENTRIES) {
        heroes.push(server.hero(name).await);
    }
    heroes
}

#[tokio::test(flavor = "multi_thread")]
async fn half_sent_requests_delay_nobodys_handshake() {
    let server = Server::start().await;
    let heroes = heroes(&server).await;
    let alone = quickest_entry(&server, &heroes).await;

    let game = heroes[0].select().await.endpoint.http_url;
    let address = game.strip_prefix("http://").unwrap().to_owned();
    let mut slow = Vec::new();
    for _ in 0..SLOW {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        let half = format!("POST /v1/handshake HTTP/1.1\r\nhost: {address}\r\ncontent-le");
        stream.write_all(half.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    // And some that have sent the whole head, and half of the body.
    for _ in 0..SLOW {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        let half = format!(
            "POST /v1/handshake HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             content-length: 400\r\n\r\n{{\"hello\":"
        );
        stream.write_all(half.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let beside = quickest_entry(&server, &heroes).await;
    assert!(beside < SOON, "{beside:?} beside slow clients, {alone:?} alone");
    for stream in &slow {
        let heard = stream.try_read(&mut [0; 16]).map_err(|error| error.kind());
        assert_eq!(heard, Err(std::io::ErrorKind::WouldBlock), "they are still being waited for");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_delay_nobodys_claim() {
    let server = Server::start().await;
    let heroes = heroes(&server).await;
    let alone = quickest_entry(&server, &heroes).await;

    let dial = Dial::of(&heroes[0].admitted().await.activation, server.origin());
    let mut dialling = JoinSet::new();
    for _ in 0..SLOW {
        let dial = dial.clone();
        dialling.spawn(async move { dial.tls_only().await });
    }
    let silent = dialling.join_all().await;
    let beside = quickest_entry(&server, &heroes).await;
    assert!(beside < SOON, "{beside:?} beside silent clients, {alone:?} alone");
    let open = silent.iter().filter(|connection| SilentConnection::is_open(connection)).count();
    assert!(open > SLOW / 2, "{open} of {SLOW} were there to the end");
}
