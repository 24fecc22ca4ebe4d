//! Real answers beside the document: each has a described status, and a body that its
//! schema allows. Schemas are held closed here, so that an answer with a field that the
//! document does not know is found out as well.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::ids::Try;
use tests::api::{Answer, credentials, hello};
use tests::clock::new_attempt;
use tests::hero::PASSWORD;
use tests::server::Server;

use super::{ADMIN_TOKEN, Document};
use crate::contract::samples;
use crate::control_plane::bodies::every_body;
use crate::control_plane::rig::SERVICE_TOKEN;

/// The schemas of the document, where objects have no fields but those described.
fn closed(schemas: &Value) -> Value {
    match schemas {
        Value::Object(fields) => {
            let mut closed: serde_json::Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), self::closed(value))).collect();
            if closed.contains_key("properties") {
                closed.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            Value::Object(closed)
        }
        Value::Array(items) => Value::Array(items.iter().map(self::closed).collect()),
        other => other.clone(),
    }
}

impl Document {
    /// Why an answer is not what the document says of the operation `METHOD /path`.
    fn objection(&self, operation: &str, answer: &Answer) -> Option<String> {
        let operations = self.by_name();
        let status = answer.status.to_string();
        let Some(response) = operations[operation].says["responses"].get(&status) else {
            return Some(format!("{status} is not described"));
        };
        for header in response["headers"].as_object().into_iter().flat_map(|all| all.keys()) {
            if answer.header(header).is_none() {
                return Some(format!("{header} is missing"));
            }
        }
        let Some(content) = response["content"].as_object() else {
            return (!answer.body.is_empty()).then(|| "a body is not described".to_owned());
        };
        let media_type = answer.header("content-type").unwrap_or_default();
        let Some(content) = content.get(media_type) else {
            return Some(format!("{media_type} is not described"));
        };
        let body: Value = serde_json::from_slice(&answer.body).expect("the body is JSON");
        let schemas = closed(&self.0["components"]["schemas"]);
        let schema = json!({ "allOf": [content["schema"]], "components": { "schemas": schemas } });
        let validator = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&schema)
            .expect("the schema is sound");
        validator.validate(&body).err().map(|error| format!("{error} in {body}"))
    }

    #[track_caller]
    fn assert_says(&self, operation: &str, status: u16, answer: &Answer) {
        assert_eq!(answer.status, status, "{operation} {answer:?}");
        if let Some(objection) = self.objection(operation, answer) {
            panic!("{operation}: {objection}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_player_is_answered_on_the_way_into_the_world_is_what_the_document_says() {
    let server = Server::start().await;
    let api = server.api();
    let document = Document::served_at(&api, server.origin()).await;

    let mara = credentials("Mara", PASSWORD);
    let answer = api.post("/v1/accounts", &mara).await;
    document.assert_says("POST /v1/accounts", 201, &answer);
    let answer = api.post("/v1/sessions", &mara).await;
    document.assert_says("POST /v1/sessions", 200, &answer);
    let login = api.login("Mara", PASSWORD).await.unwrap().access_token;
    let bearer = |request: RequestBuilder| request.bearer_auth(login.expose());

    let answer = api.send(Method::GET, "/v1/realms", bearer).await;
    document.assert_says("GET /v1/realms", 200, &answer);
    let roster = "/v1/realms/dawn/characters";
    let create = json!({ "name": "Mara", "appearance": "sailor" });
    let answer = api.send(Method::POST, roster, |r| bearer(r).json(&create)).await;
    document.assert_says("POST /v1/realms/{realm}/characters", 201, &answer);
    let answer = api.send(Method::GET, roster, bearer).await;
    document.assert_says("GET /v1/realms/{realm}/characters", 200, &answer);

    let id = api.roster(&login, "dawn").await.unwrap().characters[0].id;
    let select = json!({ "realm_id": "dawn", "character_id": id });
    let answer = api.send(Method::POST, "/v1/select-character", |r| bearer(r).json(&select)).await;
    document.assert_says("POST /v1/select-character", 200, &answer);
    let selected = api.select(&login, &"dawn".parse().unwrap(), id).await.unwrap();
    let handshake = json!({
        "hello": hello(new_attempt(), Try::FIRST),
        "token": selected.handoff.token,
    });
    let url = format!("{}/v1/handshake", selected.endpoint.http_url);
    let accepted = api.post(&url, &handshake).await;
    document.assert_says("POST /v1/handshake", 200, &accepted);
    let again = json!({
        "hello": hello(new_attempt(), Try::FIRST),
        "token": selected.handoff.token,
    });
    let rejected = api.post(&url, &again).await;
    document.assert_says("POST /v1/handshake", 200, &rejected);

    let (accepted, rejected) = (body(&accepted), body(&rejected));
    assert_eq!((&accepted["accepted"], &rejected["accepted"]), (&true.into(), &false.into()));
    assert!(rejected["rejection"].is_object(), "{rejected}");

    // The name in it is what counts here.
    let session = accepted["activation"]["session_token"].as_str().unwrap();
    let resume = json!({ "resume_token": format!("resume-{session}-{}", "0".repeat(64)) });
    let answer = api.post("/v1/resume", &resume).await;
    document.assert_says("POST /v1/resume", 200, &answer);

    let answer = api.send(Method::DELETE, "/v1/sessions/current", bearer).await;
    document.assert_says("DELETE /v1/sessions/current", 204, &answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_player_is_refused_is_what_the_document_says() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let api = &hero.api;
    let document = Document::served_at(api, server.origin()).await;
    let bearer = |request: RequestBuilder| request.bearer_auth(hero.token().expose());

    let taken = api.post("/v1/accounts", &credentials("mara", PASSWORD)).await;
    document.assert_says("POST /v1/accounts", 409, &taken);
    let short = api.post("/v1/accounts", &credentials("Orin", "short")).await;
    document.assert_says("POST /v1/accounts", 422, &short);
    let malformed = api.post("/v1/accounts", &json!({ "username": "Orin" })).await;
    document.assert_says("POST /v1/accounts", 400, &malformed);
    let plain = api.post_raw("/v1/accounts", "text/plain", "{}").await;
    document.assert_says("POST /v1/accounts", 415, &plain);
    let wrong = api.post("/v1/sessions", &credentials("mara", "not her password")).await;
    document.assert_says("POST /v1/sessions", 401, &wrong);
    let stranger = api.send(Method::GET, "/v1/realms", |r| r).await;
    document.assert_says("GET /v1/realms", 401, &stranger);
    let nowhere = api.send(Method::GET, "/v1/realms/noon/characters", bearer).await;
    document.assert_says("GET /v1/realms/{realm}/characters", 404, &nowhere);
    let elsewhere = json!({ "realm_id": "dusk", "character_id": hero.id });
    let elsewhere =
        api.send(Method::POST, "/v1/select-character", |r| bearer(r).json(&elsewhere)).await;
    document.assert_says("POST /v1/select-character", 409, &elsewhere);
    let nobody = json!({ "resume_token": "resume-of-a-session-that-nobody-has" });
    let ended = api.post("/v1/resume", &nobody).await;
    document.assert_says("POST /v1/resume", 410, &ended);
    let unknown = api.send(Method::GET, "/world/harbor/0000", |r| r).await;
    document.assert_says("GET /world/{zone}/{sha256}", 404, &unknown);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_control_plane_answers_is_what_the_document_says() {
    let server = Server::setup().with("EDGE_SERVICE_TOKEN", SERVICE_TOKEN).start().await;
    let api = server.api();
    let document = Document::served_at(&api, server.origin()).await;
    let trusted = |request: RequestBuilder| request.bearer_auth(SERVICE_TOKEN);
    let character = samples::character_id(1);
    let presence = "/internal/v1/presence/characters/{id}";
    let of_character = presence.replace("{id}", &character.to_string());
    let mut asked = 0;
    for (method, path, body) in every_body() {
        let operation = format!("{method} {path}");
        let answer = api.send(method.clone(), path, |r| trusted(r).json(&body)).await;
        let status = if answer.body.is_empty() { 204 } else { 200 };
        document.assert_says(&operation, status, &answer);
        let stranger = api.send(method.clone(), path, |r| r.json(&body)).await;
        document.assert_says(&operation, 401, &stranger);
        let malformed = api.send(method, path, |r| trusted(r).json(&json!({}))).await;
        document.assert_says(&operation, 400, &malformed);
        // While an instance and the character's presence stand there.
        let instances = api.send(Method::GET, "/internal/v1/instances", trusted).await;
        document.assert_says("GET /internal/v1/instances", 200, &instances);
        let here = api.send(Method::GET, &of_character, trusted).await;
        document.assert_says(&format!("GET {presence}"), 200, &here);
        asked += 1;
    }
    assert_eq!(asked, 13);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_those_who_run_it_are_answered_is_what_the_document_says() {
    let server = Server::setup().with("EDGE_ADMIN_TOKEN", ADMIN_TOKEN).start().await;
    let hero = server.hero("Mara").await;
    let document = Document::served_at(&hero.api, server.origin()).await;
    let operator = |request: RequestBuilder| request.bearer_auth(ADMIN_TOKEN);
    let ask = async |operation: &str, status: u16| {
        let (method, path) = operation.split_once(' ').unwrap();
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let path = path.replace("{id}", &hero.id.to_string());
        let answer = hero.api.send(method, &path, operator).await;
        document.assert_says(operation, status, &answer);
        body(&answer)
    };
    let diagnose = "GET /admin/v1/characters/{id}";
    let fresh = ask(diagnose, 200).await;
    assert_eq!(fresh["findings"][0]["code"], "never_entered", "{fresh}");
    let player = hero.enter().await;
    let playing = ask(diagnose, 200).await;
    assert_eq!(playing["findings"][0]["code"], "in_the_world", "{playing}");
    assert_eq!(playing["presence"]["instance"], playing["instance"]["id"], "{playing}");
    let cleanup = ask("POST /admin/v1/characters/{id}/cleanup", 200).await;
    assert_eq!(cleanup["removed"], json!([]), "{cleanup}");
    assert_eq!(cleanup["diagnosis"]["findings"][0]["code"], "in_the_world", "{cleanup}");
    let instances = ask("GET /admin/v1/instances", 200).await;
    assert!(!instances["instances"].as_array().unwrap().is_empty(), "{instances}");
    let drain = "PUT /admin/v1/instances/{id}/draining";
    for (instance, draining, status) in [("edge-a", true, 204), ("edge-z", true, 404)] {
        let path = format!("/admin/v1/instances/{instance}/draining");
        let asked = |request| operator(request).json(&json!({ "draining": draining }));
        let answer = hero.api.send(Method::PUT, &path, asked).await;
        document.assert_says(drain, status, &answer);
    }
    let list = "GET /admin/v1/sessions";
    let sessions = ask(list, 200).await;
    assert_eq!(sessions["sessions"][0]["character_id"], hero.id.to_string(), "{sessions}");
    for (query, status) in [("after=z", 200), ("before=z", 400)] {
        let asked = format!("/admin/v1/sessions?{query}");
        let answer = hero.api.send(Method::GET, &asked, operator).await;
        document.assert_says(list, status, &answer);
        assert_eq!(body(&answer)["sessions"], if status == 200 { json!([]) } else { json!(null) });
    }
    let letters = ask("GET /admin/v1/lifecycle/dead-letters", 200).await;
    assert_eq!(letters["dead_letters"], json!([]), "{letters}");
    // There is none of the hero's id.
    ask("POST /admin/v1/lifecycle/dead-letters/{id}/requeue", 404).await;
    drop(player);
    let nobody = "/admin/v1/characters/6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001";
    let unknown = hero.api.send(Method::GET, nobody, operator).await;
    document.assert_says(diagnose, 404, &unknown);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_not_described_is_found_out() {
    let server = Server::start().await;
    let document = Document::served_at(&server.api(), server.origin()).await;
    let created = server.api().post("/v1/accounts", &credentials("Mara", PASSWORD)).await;
    let operation = "POST /v1/accounts";
    assert_eq!(document.objection(operation, &created), None);

    let mut other_status = created.clone();
    other_status.status = 418;
    let mut more = created.clone();
    let mut with_more = body(&created);
    with_more["account"]["admin"] = true.into();
    more.body = with_more.to_string().into_bytes();
    let mut less = created.clone();
    less.body = br#"{"account":{"username":"Mara"}}"#.to_vec();
    let mut no_uuid = created.clone();
    no_uuid.body = br#"{"account":{"id":"7","username":"Mara"}}"#.to_vec();
    let taken = server.api().post("/v1/accounts", &credentials("Mara", PASSWORD)).await;
    assert_eq!(document.objection(operation, &taken), None);
    let mut other_code = taken.clone();
    let mut with_code = body(&taken);
    with_code["code"] = "name_taken".into();
    other_code.body = with_code.to_string().into_bytes();
    for (what, answer) in [
        ("status", other_status),
        ("another field", more),
        ("a missing field", less),
        ("an id of another form", no_uuid),
        ("a code that the route does not answer", other_code),
    ] {
        assert!(document.objection(operation, &answer).is_some(), "{what} went unnoticed");
    }
}

fn body(answer: &Answer) -> Value {
    serde_json::from_slice(&answer.body).expect("the body is JSON")
}
