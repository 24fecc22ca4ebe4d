//! Getting a connection: origin, path, certificates, and clients that say nothing.

use shared::limits::{REALTIME_ACCEPT_TIMEOUT, REALTIME_HELLO_TIMEOUT};
use shared::realtime::message::{ByeCode, ClientMessage};
use tests::clock::Stopwatch;
use tests::line::{Dial, SilentConnection};
use tests::patience::HAPPENED;
use tests::server::Server;
use wtransport::error::ConnectingError;

/// How much earlier than the limit a timer may fire by the test's own clock.
const CLOCK_SLACK: std::time::Duration = std::time::Duration::from_millis(250);

#[tokio::test(flavor = "multi_thread")]
async fn only_the_pages_own_origins_are_let_in() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let ours = Dial::of(&admission.activation, server.origin());
    let as_localhost = server.origin().replace("127.0.0.1", "localhost");
    for origin in [
        None,
        Some(""),
        Some("null"),
        Some("http://evil.example"),
        Some("https://127.0.0.1"),
        Some(&format!("{}.evil.example", server.origin())),
    ] {
        let dial = Dial { origin: origin.map(str::to_owned), ..ours.clone() };
        let refused = dial.session().await.err();
        assert!(
            matches!(refused, Some(ConnectingError::SessionRejected)),
            "{origin:?}: {refused:?}"
        );
    }
    for origin in [server.origin(), as_localhost.as_str(), "http://localhost:8090"] {
        let dial = Dial { origin: Some(origin.to_owned()), ..ours.clone() };
        assert!(dial.session().await.is_ok(), "{origin}");
    }
    // Nothing of that has touched the session that waits.
    hero.claim(&admission).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_realtime_path_is_answered() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let ours = Dial::of(&admission.activation, server.origin());
    for path in ["/", "/Realtime", "/realtime/", "/realtime/x", "/v1/handshake"] {
        let url = ours.url.replace("/realtime", path);
        let refused = Dial { url, ..ours.clone() }.session().await.err();
        assert!(matches!(refused, Some(ConnectingError::SessionRejected)), "{path}: {refused:?}");
    }
    hero.claim(&admission).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_activation_names_the_certificate_that_is_shown() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let ours = Dial::of(&admission.activation, server.origin());
    assert_eq!(ours.cert_hashes.len(), 2, "the shown one and the next");
    let shown = Dial { cert_hashes: vec![ours.cert_hashes[0].clone()], ..ours.clone() };
    assert!(shown.session().await.is_ok());
    let next = Dial { cert_hashes: vec![ours.cert_hashes[1].clone()], ..ours.clone() };
    let refused = next.session().await.err();
    assert!(matches!(refused, Some(ConnectingError::ConnectionError(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_say_nothing_after_tls_are_dropped_and_keep_nobody_out() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let dial = Dial::of(&admission.activation, server.origin());
    let mut silent = Vec::new();
    let waiting = Stopwatch::start();
    for _ in 0..12 {
        silent.push(dial.tls_only().await);
    }

    let entering = Stopwatch::start();
    let player = hero.claim(&admission).await;
    assert!(entering.elapsed() < REALTIME_ACCEPT_TIMEOUT, "it had to wait for the silent ones");
    assert!(silent.last().is_some_and(SilentConnection::is_open), "they are still there");

    for connection in &silent {
        connection.dropped(REALTIME_ACCEPT_TIMEOUT + HAPPENED).await;
    }
    assert!(waiting.elapsed() >= REALTIME_ACCEPT_TIMEOUT - CLOCK_SLACK, "they had their time");
    assert_eq!(player.sight().bye, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_on_the_realtime_port_hurts_nobody() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let dial = Dial::of(&admission.activation, server.origin());
    let address = dial.url.split('/').nth(2).unwrap();
    let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    for number in 0..500_u32 {
        // The head of a QUIC Initial of the current version, of none, and plain noise.
        let head = [[0xc0, 0, 0, 0, 1], [0xc0, 0xfa, 0xce, 0xb0, 0x0c], [0x17, 3, 3, 0, 0]];
        let mut noise = head[number as usize % 3].to_vec();
        noise.extend((0..1_195_u32).map(|at| (at.wrapping_mul(number) >> 3) as u8));
        socket.send_to(&noise, address).await.unwrap();
    }
    let player = hero.claim(&admission).await;
    let tick = player.sight().tick().unwrap();
    player.until("it plays", |sight| sight.tick().is_some_and(|t| t > tick + 10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_without_a_control_stream_is_dropped() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let dial = Dial::of(&admission.activation, server.origin());
    let waiting = Stopwatch::start();
    let session = dial.session().await.unwrap();
    session.ended(REALTIME_HELLO_TIMEOUT + HAPPENED).await;
    assert!(waiting.elapsed() >= REALTIME_HELLO_TIMEOUT - CLOCK_SLACK, "it had its time");
    hero.claim(&admission).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hello_that_does_not_come_in_time_is_answered_with_timed_out() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let dial = Dial::of(&admission.activation, server.origin());
    // Half a prefix, and then nothing: what trickles in does not count as a hello.
    let mut line = dial.line().await.unwrap();
    line.write(&[0, 0]).await;
    let bye = line.bye_within(REALTIME_HELLO_TIMEOUT + HAPPENED).await;
    assert_eq!(bye.code, ByeCode::TimedOut);
    line.say(&ClientMessage::Bye).await;
    line.closed().await;
    hero.claim(&admission).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bye_is_followed_by_the_end_even_without_an_echo() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let dial = Dial::of(&admission.activation, server.origin());
    let mut line = dial.line().await.unwrap();
    line.write(&[0, 0, 0, 1, 0xff]).await;
    assert_eq!(line.bye_within(HAPPENED).await.code, ByeCode::Malformed);
    line.closed().await;
}
