//! What only the way over HTTP has: the token, addresses, and servers that are away.

use std::sync::{Arc, Mutex};

use edge_server::peers::control_plane::{ControlPlane, ControlPlaneError, HeartbeatAnswer};
use edge_server::peers::http_control_plane::{HttpControlPlane, MAX_ADDRESSES_ASKED};
use edge_server::stores::EpochWrite;
use reqwest::Method;
use shared::problem::ProblemCode;
use tests::api::Api;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::errors::{calls, every_call};
use super::rig::{Rig, SERVICE_TOKEN, instance, service_token};

/// Every call is refused for want of an answer, and says why.
async fn assert_unavailable(control_plane: &dyn ControlPlane, why: &str) {
    for (call, done) in every_call(control_plane).await {
        let Err(ControlPlaneError::Unavailable(reason)) = done else { panic!("{call}: {done:?}") };
        assert!(reason.contains(why), "{call}: {reason}");
        assert!(!reason.contains(SERVICE_TOKEN), "{call}: {reason}");
    }
}

/// An address at which nobody listens.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn asking(addresses: &[String]) -> HttpControlPlane {
    HttpControlPlane::new(addresses, service_token())
}

#[tokio::test(flavor = "multi_thread")]
async fn another_token_is_refused_at_every_call_and_changes_nothing() {
    let rig = Rig::over_http().await;
    let other = "the-service-token-of-other-tests".parse().unwrap();
    let stranger = HttpControlPlane::new(&[rig.address()], other);
    assert_unavailable(&stranger, "401 unauthenticated").await;
    assert!(rig.family.coordination().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_asked_for_before_anything_else() {
    let rig = Rig::over_http().await;
    let api = Api::new(&rig.address());
    for authorization in ["", "Bearer", "Bearer ", SERVICE_TOKEN, "Basic dTpw"] {
        for (method, path) in [
            (Method::GET, "/internal/v1/instances"),
            (Method::GET, "/internal/v1/presence/characters/no-uuid"),
            (Method::POST, "/internal/v1/handoffs/consume"),
        ] {
            let shaped = |request: reqwest::RequestBuilder| {
                request.header("authorization", authorization).body("no JSON")
            };
            let answer = api.send(method, path, shaped).await;
            assert_eq!(answer.problem().code(), ProblemCode::Unauthenticated, "{authorization}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_is_unavailable_at_every_call() {
    let mut rig = Rig::over_http().await;
    assert!(rig.control_plane.instances().await.is_ok());
    rig.served.take().unwrap().stop().await;
    assert_unavailable(&*rig.control_plane, "/internal/v1/").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_address_is_asked_where_nobody_listens() {
    let rig = Rig::over_http().await;
    let control_plane = asking(&[nobody().await, rig.address() + "/"]);
    for (call, done) in every_call(&control_plane).await {
        assert!(done.is_ok(), "{call}: {done:?}");
    }
}

/// A listener that hears the beginning of each call and hangs up, as a server does that dies
/// over it; with what it has heard.
async fn rude() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let hears = heard.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = vec![0; 4_096];
            let read = stream.read(&mut head).await.unwrap_or(0);
            let text = String::from_utf8_lossy(&head[..read]);
            let line = text.lines().next().unwrap_or_default().to_owned();
            hears.lock().unwrap().push(line);
        }
    });
    (address, heard)
}

/// Every call but a release may be made twice: what has been done is found as done.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_answer_is_lost_is_made_at_the_next_address() {
    let rig = Rig::over_http().await;
    for number in 0..every_call(&*rig.direct).await.len() {
        let (rude, heard) = rude().await;
        let control_plane = asking(&[rude, rig.address()]);
        let (call, waiting) = calls(&control_plane).remove(number);
        let done = waiting.await;
        assert_eq!(heard.lock().unwrap().len(), 1, "{call}");
        match done {
            Err(ControlPlaneError::Unavailable(_)) if call == "release" => {}
            done => assert!(call != "release" && done.is_ok(), "{call}: {done:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_address_is_asked_where_the_first_cannot_do_it_now() {
    let (mut broken, sound) = (Rig::over_http().await, Rig::over_http().await);
    broken.family.close().await;
    let control_plane = asking(&[broken.address(), sound.address()]);
    let here = instance("edge-a", 1);
    let written = control_plane.heartbeat(&here, &[]).await.unwrap();
    assert_eq!(
        written,
        HeartbeatAnswer { outcome: EpochWrite::Written, superseded: vec![], absent: vec![] }
    );
    assert_eq!(sound.direct.instances().await.unwrap(), [here]);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_address_can_do_it_now_each_has_been_asked_once() {
    let (mut one, mut other) = (Rig::over_http().await, Rig::over_http().await);
    one.family.close().await;
    other.family.close().await;
    let control_plane = asking(&[one.address(), other.address()]);
    let error = control_plane.instances().await.unwrap_err().to_string();
    assert_eq!(error.matches("503 unavailable").count(), 2, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_answered_last_is_asked_first() {
    let rig = Rig::over_http().await;
    let (rude, heard) = rude().await;
    let control_plane = asking(&[rude, rig.address()]);
    for _ in 0..5 {
        control_plane.instances().await.unwrap();
    }
    assert_eq!(heard.lock().unwrap().len(), 1, "it was asked once, and then the other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_asks_a_bounded_number_of_addresses() {
    let mut addresses = Vec::new();
    let mut heard = Vec::new();
    for _ in 0..=MAX_ADDRESSES_ASKED {
        let (address, hears) = rude().await;
        addresses.push(address);
        heard.push(hears);
    }
    asking(&addresses).instances().await.unwrap_err();
    let asked = heard.iter().filter(|hears| !hears.lock().unwrap().is_empty()).count();
    assert_eq!(asked, MAX_ADDRESSES_ASKED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_the_first_address_stands() {
    let (strange, sound) = (Rig::over_http().await, Rig::over_http().await);
    let other = "the-service-token-of-other-tests".parse().unwrap();
    let addresses = [strange.address(), sound.address()];
    let stranger = HttpControlPlane::new(&addresses, other);
    let error = stranger.instances().await.unwrap_err().to_string();
    assert_eq!(error.matches("401 unauthenticated").count(), 1, "{error}");
}
