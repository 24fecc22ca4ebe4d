//! Bodies that the control plane does not understand in full: each is refused, and nothing
//! is changed.

use reqwest::Method;
use serde_json::{Value, json};
use shared::control_plane::{
    HandoffQuestion, HandoffRedirect, Heartbeat, InstanceDrain, PresenceRemoval, TransferQuestion,
};
use shared::coordination::{AssignRequest, ReleaseRequest, TransferActivation};
use shared::ids::SessionEpoch;
use shared::limits::{MAX_HEARTBEAT_BYTES, MAX_HTTP_BODY_BYTES};
use shared::problem::ProblemCode;
use shared::version::PayloadVersion;
use shared::world::Tile;
use tests::api::{Answer, Api};

use super::rig::{Rig, SERVICE_TOKEN, activated, handoff, held, instance, presence};
use crate::contract::samples::{account_id, character_id, claimant, harbor, login, session, token};

fn value(body: &impl serde::Serialize) -> Value {
    serde_json::to_value(body).unwrap()
}

/// Every route with a body, with one that it understands.
pub(crate) fn every_body() -> Vec<(Method, &'static str, Value)> {
    let mut transfer = handoff(1);
    transfer.transfer = Some(TransferActivation {
        payload_version: PayloadVersion::CURRENT,
        source_instance: "edge-b".parse().unwrap(),
        source_session: session("at-the-source"),
        source_zone: "ruins".parse().unwrap(),
        target_zone: "harbor".parse().unwrap(),
        target_tile: Tile { x: 1, y: 2 },
    });
    let question = HandoffQuestion { token: token(1), claimant: claimant(1, "edge-a") };
    let redirect = HandoffRedirect {
        token: token(1),
        claimant: claimant(1, "edge-a"),
        to: shared::account::GameEndpoint {
            instance_id: "edge-b".parse().unwrap(),
            http_url: "http://127.0.0.1:8082".to_owned(),
        },
    };
    let seat = AssignRequest {
        placement: harbor(),
        account_id: account_id(1),
        hold_for: token(1),
        excluding: vec![],
        seated_at: None,
    };
    let removal = PresenceRemoval {
        account_id: account_id(1),
        character_id: character_id(1),
        session_token: session("a"),
        epoch: SessionEpoch(1),
    };
    let release = ReleaseRequest::Login { account_id: account_id(1), login: login() };
    let drain = InstanceDrain { instance: "edge-a".parse().unwrap(), draining: true };
    let beat = Heartbeat { instance: instance("edge-a", 1), sessions: vec![held(1, "a", 1)] };
    vec![
        (Method::PUT, "/internal/v1/instances", value(&beat)),
        (Method::PUT, "/internal/v1/presence", value(&presence(1, "a", 1))),
        (Method::POST, "/internal/v1/assign/game", value(&seat)),
        (Method::POST, "/internal/v1/handoffs/prepare", value(&transfer)),
        (Method::POST, "/internal/v1/handoffs/preflight", value(&question)),
        (Method::POST, "/internal/v1/handoffs/redirect", value(&redirect)),
        (Method::POST, "/internal/v1/handoffs/consume", value(&question)),
        (Method::POST, "/internal/v1/transfers/confirm", value(&activated(4))),
        (
            Method::POST,
            "/internal/v1/transfers/status",
            value(&TransferQuestion { token: token(1) }),
        ),
        (Method::POST, "/internal/v1/sessions/release", value(&release)),
        (Method::POST, "/internal/v1/instances/drain", value(&drain)),
        (Method::POST, "/internal/v1/presence/remove", value(&removal)),
        (Method::POST, "/internal/v1/instances/remove", value(&instance("edge-a", 1))),
    ]
}

async fn send(api: &Api, method: Method, path: &str, body: &Value) -> Answer {
    api.send(method, path, |request| request.bearer_auth(SERVICE_TOKEN).json(body)).await
}

/// The pointers of all objects in a value that are records or parts of one.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(at.to_owned());
            for (name, field) in fields {
                // A scope has one field, which names its kind.
                if name != "scope" {
                    objects(field, &format!("{at}/{name}"), found);
                }
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                objects(item, &format!("{at}/{number}"), found);
            }
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_field_at_whatever_depth_is_refused_and_changes_nothing() {
    let rig = Rig::over_http().await;
    let api = Api::new(&rig.address());
    let mut deepest = 0;
    for (method, path, body) in every_body() {
        let mut places = Vec::new();
        objects(&body, "", &mut places);
        for place in places {
            deepest = deepest.max(place.matches('/').count());
            let mut more = body.clone();
            more.pointer_mut(&place).unwrap()["news"] = json!("unheard of");
            let refused = send(&api, method.clone(), path, &more).await.problem();
            assert_eq!(refused.code(), ProblemCode::MalformedBody, "{path} {place}");
            assert!(refused.problem.detail.contains("news"), "{path} {place} {refused:?}");
        }
    }
    assert_eq!(deepest, 3, "parts of parts are covered");
    assert!(rig.family.coordination().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_payload_version_is_refused_and_changes_nothing() {
    let rig = Rig::over_http().await;
    let api = Api::new(&rig.address());
    let mut versions = 0;
    for (method, path, body) in every_body() {
        let mut places = Vec::new();
        objects(&body, "", &mut places);
        for place in places {
            let mut newer = body.clone();
            let Some(version) = newer.pointer_mut(&format!("{place}/payload_version")) else {
                continue;
            };
            versions += 1;
            *version = json!(2);
            let refused = send(&api, method.clone(), path, &newer).await.problem();
            assert_eq!(refused.code(), ProblemCode::MalformedBody, "{path} {place}");
            assert!(refused.problem.detail.contains("version 2"), "{path} {place} {refused:?}");
        }
    }
    assert_eq!(versions, 6, "instances twice, presence, handoff with transfer, marker");
    assert!(rig.family.coordination().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_json_of_a_bounded_size() {
    let rig = Rig::over_http().await;
    let api = Api::new(&rig.address());
    for (method, path, body) in every_body() {
        let mut large = body.clone();
        let is_heartbeat = path == "/internal/v1/instances";
        let limit = if is_heartbeat { MAX_HEARTBEAT_BYTES } else { MAX_HTTP_BODY_BYTES };
        large["news"] = json!("x".repeat(limit));
        let refused = send(&api, method.clone(), path, &large).await.problem();
        assert_eq!(refused.code(), ProblemCode::BodyTooLarge, "{path}");
        let text = body.to_string();
        let plain = api
            .send(method.clone(), path, |request| request.bearer_auth(SERVICE_TOKEN).body(text))
            .await;
        assert_eq!(plain.problem().code(), ProblemCode::UnsupportedMediaType, "{path}");
        assert!(send(&api, method, path, &body).await.status < 300, "{path}");
    }
}
