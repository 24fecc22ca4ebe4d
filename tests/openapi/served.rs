//! The document beside the routes: the contract is described, and what is described is
//! served where its tags say.

use reqwest::{Method, RequestBuilder};
use shared::problem::ProblemCode;
use tests::server::Server;

use super::{ADMIN_TOKEN, Document, Operation};
use crate::control_plane::rig::SERVICE_TOKEN;

/// Every route of the contract, by its method and path. A new route is written down here
/// as well: what the code serves by accident is no contract.
const CONTRACT: &[&str] = &[
    // Login role.
    "POST /v1/accounts",
    "PUT /v1/accounts/current/password",
    "POST /v1/sessions",
    "DELETE /v1/sessions/current",
    "GET /v1/realms",
    "GET /v1/realms/{realm}/characters",
    "POST /v1/realms/{realm}/characters",
    "DELETE /v1/realms/{realm}/characters/{id}",
    "POST /v1/select-character",
    "POST /v1/resume",
    // Game role.
    "POST /v1/handshake",
    // Control plane, for the backend's own parts.
    "POST /internal/v1/assign/game",
    "POST /internal/v1/handoffs/prepare",
    "POST /internal/v1/handoffs/preflight",
    "POST /internal/v1/handoffs/consume",
    "POST /internal/v1/handoffs/redirect",
    "POST /internal/v1/transfers/confirm",
    "POST /internal/v1/transfers/status",
    "POST /internal/v1/sessions/release",
    "GET /internal/v1/instances",
    "PUT /internal/v1/instances",
    "POST /internal/v1/instances/remove",
    "POST /internal/v1/instances/drain",
    "PUT /internal/v1/presence",
    "GET /internal/v1/presence/characters/{id}",
    "POST /internal/v1/presence/remove",
    // Control plane, for those who run the deployment.
    "GET /admin/v1/characters/{id}",
    "POST /admin/v1/characters/{id}/cleanup",
    "GET /admin/v1/instances",
    "PUT /admin/v1/instances/{id}/draining",
    "GET /admin/v1/sessions",
    "GET /admin/v1/lifecycle/dead-letters",
    "POST /admin/v1/lifecycle/dead-letters/{id}/requeue",
    // Both of them.
    "GET /world/{zone}/{sha256}",
    // Every role.
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /openapi.json",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_document_describes_the_contract_and_nothing_else() {
    let server = Server::start().await;
    let document = Document::served_at(&server.api(), server.origin()).await;
    let mut contract = CONTRACT.to_vec();
    contract.sort_unstable();
    let described: Vec<String> = document.by_name().into_keys().collect();
    assert_eq!(described, contract);
}

/// What is said of an address that no route has.
const NOWHERE: &str = "there is nothing here: check the address";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_described_is_served_where_its_tags_say() {
    let server = open_server().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let (login, game) = (server.origin(), selected.endpoint.http_url.as_str());
    let map = hero.admitted_with(&selected).await.activation.map;
    let document = Document::served_at(&hero.api, login).await;
    for operation in document.operations() {
        let path = operation
            .path
            .replace("{realm}", hero.realm.as_str())
            .replace("{id}", &hero.id.to_string())
            .replace("{zone}", map.zone.as_str())
            .replace("{sha256}", &map.sha256);
        let method = Method::from_bytes(operation.method.to_uppercase().as_bytes()).unwrap();
        let origins: Vec<&str> = operation
            .tags()
            .into_iter()
            .flat_map(|tag| match tag {
                "login" => vec![login],
                "game" => vec![game],
                "control-plane" | "admin" => vec![login],
                "operations" => vec![login, game],
                tag => panic!("{tag} is served nowhere"),
            })
            .collect();
        for origin in origins {
            let url = format!("{origin}{path}");
            let answer = hero.api.send(method.clone(), &url, |r| trusted(&operation, r)).await;
            let name = operation.name();
            let is_nowhere = answer.status == 405
                || answer.status == 404 && answer.problem().problem.detail == NOWHERE;
            assert!(!is_nowhere, "{origin} has no {name}");
            let responses = &operation.says["responses"];
            assert!(responses.get(answer.status.to_string()).is_some(), "{name} {answer:?}");
        }
    }
}

/// A server that answers all that the document describes.
async fn open_server() -> Server {
    let setup = Server::setup().with("EDGE_SERVICE_TOKEN", SERVICE_TOKEN);
    setup.with("EDGE_ADMIN_TOKEN", ADMIN_TOKEN).start().await
}

/// A part of the backend shows its token, as does who runs it; what players ask for is asked
/// for by nobody.
fn trusted(operation: &Operation<'_>, request: RequestBuilder) -> RequestBuilder {
    let tags = operation.tags();
    if tags.contains(&"control-plane") {
        request.bearer_auth(SERVICE_TOKEN)
    } else if tags.contains(&"admin") {
        request.bearer_auth(ADMIN_TOKEN)
    } else {
        request
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_a_token_is_not_there_without_one_and_refuses_strangers() {
    let closed = Server::start().await;
    let open = open_server().await;
    let document = Document::served_at(&closed.api(), closed.origin()).await;
    let operations = document.operations();
    let internal = operations
        .iter()
        .filter(|one| one.tags().contains(&"control-plane") || one.tags().contains(&"admin"));
    let mut asked = 0;
    for operation in internal {
        asked += 1;
        let path = operation.path.replace("{id}", "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001");
        let method = Method::from_bytes(operation.method.to_uppercase().as_bytes()).unwrap();
        let nowhere = closed.api().send(method.clone(), &path, |r| trusted(operation, r)).await;
        assert_eq!(nowhere.problem().code(), ProblemCode::NotFound, "{}", operation.name());
        let stranger = open.api().send(method.clone(), &path, |r| r).await;
        assert_eq!(stranger.problem().code(), ProblemCode::Unauthenticated, "{}", operation.name());
        // One token does not stand for the other.
        let admin = operation.tags().contains(&"admin");
        let other = if admin { SERVICE_TOKEN } else { ADMIN_TOKEN };
        let confused = open.api().send(method, &path, |r| r.bearer_auth(other)).await;
        assert_eq!(confused.problem().code(), ProblemCode::Unauthenticated, "{}", operation.name());
    }
    assert_eq!(asked, 22);
}
