//! What only the way over HTTP has: the token, addresses, and servers that are away.

use std::sync::Arc;

use edge_server::peers::control_plane::{ControlPlane, ControlPlaneError};
use edge_server::peers::http_control_plane::HttpControlPlane;
use reqwest::Method;
use shared::problem::ProblemCode;
use tests::api::Api;
use tests::patience::{HAPPENED, within};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::errors::every_call;
use super::rig::{Rig, SERVICE_TOKEN, instance, service_token};
use crate::contract::family::Family as _;

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
    assert_unavailable(&*rig.control_plane, "no address can be reached").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_address_is_asked_where_nobody_listens() {
    let rig = Rig::over_http().await;
    let control_plane = asking(&[nobody().await, rig.address() + "/"]);
    for (call, done) in every_call(&control_plane).await {
        assert!(done.is_ok(), "{call}: {done:?}");
    }
}

/// What was sent may have been done: only its caller knows whether it may be done twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_sent_is_sent_to_nobody_else() {
    let rig = Rig::over_http().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let rude = format!("http://{}", listener.local_addr().unwrap());
    let hangs_up = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut heard = [0; 64];
        stream.read_exact(&mut heard).await.unwrap();
        drop((stream, listener));
        heard
    });
    let control_plane = asking(&[rude, rig.address()]);
    let error = control_plane.heartbeat(&instance("edge-a", 1)).await.unwrap_err();
    assert!(matches!(error, ControlPlaneError::Unavailable(_)), "{error}");
    let heard = within("the call is heard", HAPPENED, hangs_up).await.unwrap();
    assert!(heard.starts_with(b"PUT /internal/v1/instances "));
    assert_eq!(rig.direct.instances().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_the_first_address_stands() {
    let (broken, sound) = (Rig::over_http().await, Rig::over_http().await);
    broken.family.close().await;
    let control_plane: Arc<dyn ControlPlane> =
        Arc::new(asking(&[broken.address(), sound.address()]));
    assert_unavailable(&*control_plane, "503 unavailable").await;
    assert!(sound.family.coordination().await.is_empty());
}
