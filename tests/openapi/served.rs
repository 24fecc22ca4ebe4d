//! The document beside the routes: the contract is described, and what is described is
//! served where its tags say.

use reqwest::Method;
use tests::server::Server;

use super::Document;

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
    // Game role.
    "POST /v1/handshake",
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

#[tokio::test(flavor = "multi_thread")]
async fn what_is_described_is_served_where_its_tags_say() {
    let server = Server::start().await;
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
                "operations" => vec![login, game],
                tag => panic!("{tag} is served nowhere"),
            })
            .collect();
        for origin in origins {
            let answer = hero.api.send(method.clone(), &format!("{origin}{path}"), |r| r).await;
            let name = operation.name();
            assert!(![404, 405].contains(&answer.status), "{origin} has no {name}");
            let responses = &operation.says["responses"];
            assert!(responses.get(answer.status.to_string()).is_some(), "{name} {answer:?}");
        }
    }
}
