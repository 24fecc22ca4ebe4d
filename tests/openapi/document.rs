//! The document by itself: a sound OpenAPI 3.1 document, the committed one.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use shared::problem::{PROBLEM_MEDIA_TYPE, ProblemCode};
use tests::command::run;
use tests::repository::root;
use tests::server::Server;

use super::{Document, array, object, texts};

async fn of_a_server() -> Document {
    let server = Server::start().await;
    Document::served_at(&server.api(), server.origin()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_role_serves_the_committed_document() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let game = hero.select().await.endpoint.http_url;
    let committed = fs::read(root().join("docs/openapi.json")).unwrap();
    let committed: Value = serde_json::from_slice(&committed).unwrap();
    for origin in [server.origin(), &game] {
        let served = Document::served_at(&hero.api, origin).await.0;
        assert!(
            served == committed,
            "{origin} serves another document than docs/openapi.json: run `cargo xtask openapi`"
        );
    }
    let printed = run(["openapi"], &[], &root()).await;
    assert!(printed.status.success(), "{printed:?}");
    assert_eq!(serde_json::from_str::<Value>(&printed.stdout).unwrap(), committed);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_is_told_apart_and_told_in_full() {
    let document = of_a_server().await;
    let says = &document.0;
    assert!(says["openapi"].as_str().unwrap().starts_with("3.1."), "{}", says["openapi"]);
    assert!(says["info"]["title"].is_string() && says["info"]["version"].is_string());
    let known_tags: Vec<&str> =
        array(&says["tags"]).iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    let schemes = object(&says["components"]["securitySchemes"]);
    let mut ids = BTreeSet::new();
    for operation in document.operations() {
        let (name, says) = (operation.name(), operation.says);
        assert!(ids.insert(says["operationId"].as_str().unwrap()), "{name} has another's id");
        assert!(says["summary"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        let tags = operation.tags();
        assert!(!tags.is_empty() && tags.iter().all(|tag| known_tags.contains(tag)), "{name}");
        for requirement in says["security"].as_array().into_iter().flatten() {
            assert!(object(requirement).keys().all(|scheme| schemes.contains_key(scheme)));
        }
        let parameters = says["parameters"].as_array().into_iter().flatten();
        let declared: Vec<&str> = parameters
            .filter(|parameter| {
                let in_path = parameter["in"] == "path";
                assert!(in_path || parameter["in"] == "query", "{name} {parameter}");
                assert_eq!(parameter["required"], in_path, "{name} {parameter}");
                in_path
            })
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        let segments = operation.path.split('/');
        let in_path: Vec<&str> =
            segments.filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(declared, in_path, "{name}");
        let responses = object(&says["responses"]);
        assert!(responses.keys().any(|status| status.starts_with('2')), "{name}");
        assert!(responses.values().all(|response| response["description"].is_string()), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_problem_has_its_codes_and_says_when_to_come_back() {
    let document = of_a_server().await;
    let codes = texts(&document.0["components"]["schemas"]["ProblemCode"]["enum"]);
    assert_eq!(codes, ProblemCode::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>());
    for operation in document.operations() {
        let name = operation.name();
        for (status, response) in object(&operation.says["responses"]) {
            let Some(problem) = response["content"].get(PROBLEM_MEDIA_TYPE) else { continue };
            let schema = array(&problem["schema"]["allOf"]);
            assert_eq!(schema[0]["$ref"], "#/components/schemas/Problem");
            for text in texts(&schema[1]["properties"]["code"]["enum"]) {
                let code = ProblemCode::ALL.iter().find(|code| code.as_str() == text).unwrap();
                assert_eq!(code.status().to_string(), *status, "{name} {text}");
            }
            let waits = response["headers"].get("retry-after").is_some();
            assert_eq!(waits, ["429", "503"].contains(&status.as_str()), "{name} {status}");
        }
        let bearer = !operation.says["security"].is_null();
        let unauthenticated = operation.says.pointer(
            "/responses/401/content/application~1problem+json/schema/allOf/1/properties/code/enum",
        );
        let told = unauthenticated.is_some_and(|codes| texts(codes).contains(&"unauthenticated"));
        assert_eq!(bearer, told, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_schema_is_sound_and_every_reference_leads_somewhere() {
    let document = of_a_server().await;
    for (name, schema) in object(&document.0["components"]["schemas"]) {
        if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
            panic!("{name}: {error}");
        }
    }
    let mut references = BTreeSet::new();
    collect_references(&document.0, &mut references);
    assert!(references.contains("#/components/schemas/Problem"), "{references:?}");
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("references stay in the document");
        assert!(document.0.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn collect_references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                found.insert(reference);
            }
            fields.values().for_each(|value| collect_references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        _ => {}
    }
}
