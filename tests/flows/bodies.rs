//! Requests that are not what the contract says: each gets a problem with a stable code
//! and changes nothing.

use reqwest::Method;
use shared::limits::MAX_HTTP_BODY_BYTES;
use shared::problem::ProblemCode;
use tests::hero::PASSWORD;
use tests::server::Server;

const JSON: &str = "application/json";

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_not_the_contract_are_refused_by_their_fault() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let game = format!("{}/v1/handshake", hero.select().await.endpoint.http_url);
    let user = r#"{"username":"Orin","password":"correct horse battery"}"#;
    let extra = r#"{"username":"Orin","password":"correct horse battery","admin":true}"#;
    let large = format!(r#"{{"username":"{}","password":"x"}}"#, "o".repeat(MAX_HTTP_BODY_BYTES));
    for path in ["/v1/accounts", "/v1/sessions", game.as_str()] {
        for (content_type, body, code) in [
            (JSON, large.as_str(), ProblemCode::BodyTooLarge),
            (JSON, "", ProblemCode::MalformedBody),
            (JSON, "{", ProblemCode::MalformedBody),
            (JSON, "[]", ProblemCode::MalformedBody),
            (JSON, r#"{"username":7,"password":null}"#, ProblemCode::MalformedBody),
            (JSON, r#"{"username":"Orin"}"#, ProblemCode::MalformedBody),
            (JSON, extra, ProblemCode::MalformedBody),
            ("text/plain", user, ProblemCode::UnsupportedMediaType),
            (
                "application/x-www-form-urlencoded",
                "username=Orin",
                ProblemCode::UnsupportedMediaType,
            ),
        ] {
            let answer = hero.api.post_raw(path, content_type, body).await;
            let shown: String = body.chars().take(60).collect();
            let refused = answer.problem();
            assert_eq!(refused.code(), code, "{path} {content_type} {shown}");
            assert_eq!(answer.status, code.status(), "{path} {content_type} {shown}");
        }
    }
    let stranger = hero.api.login("Orin", PASSWORD).await.unwrap_err();
    assert_eq!(stranger.code(), ProblemCode::InvalidCredentials, "nothing was created");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_body_does_not_repeat_a_secret() {
    let server = Server::start().await;
    let secret = "handoff-6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001";
    let bad_token = format!(r#"{{"hello":{{}},"token":"{secret}"}}"#);
    let bad_password = r#"{"username":"Orin","password":["hunter2 hunter2"]}"#;
    let hero = server.hero("Mara").await;
    let game = format!("{}/v1/handshake", hero.select().await.endpoint.http_url);
    for (path, body, secret) in
        [(game.as_str(), bad_token.as_str(), secret), ("/v1/sessions", bad_password, "hunter2")]
    {
        let answer = hero.api.post_raw(path, JSON, body).await;
        let text = String::from_utf8(answer.body).unwrap();
        assert!(!text.contains(secret), "{text}");
        assert!(!server.log().contains(secret), "the log repeats a secret");
    }
    assert!(!server.log().contains(PASSWORD), "the log repeats a password");
    assert!(!server.log().contains(hero.token().expose()), "the log repeats a login");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_routes_and_wrong_methods_are_problems_too() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let game = hero.select().await.endpoint.http_url;
    for (method, path, code) in [
        (Method::GET, "/v1/no-such-route".to_owned(), ProblemCode::NotFound),
        (Method::GET, "/no-such-file.js".to_owned(), ProblemCode::NotFound),
        (Method::GET, "/world/harbor/0000".to_owned(), ProblemCode::NotFound),
        (Method::GET, "/world/no%2Fslug/0000".to_owned(), ProblemCode::NotFound),
        (Method::GET, format!("{game}/v1/no-such-route"), ProblemCode::NotFound),
        (Method::GET, format!("{game}/"), ProblemCode::NotFound),
        (Method::GET, "/v1/sessions".to_owned(), ProblemCode::MethodNotAllowed),
        (Method::PATCH, "/v1/realms".to_owned(), ProblemCode::MethodNotAllowed),
        (Method::GET, format!("{game}/v1/handshake"), ProblemCode::MethodNotAllowed),
    ] {
        let answer = hero.api.send(method.clone(), &path, |r| r).await;
        assert_eq!(answer.problem().code(), code, "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hello_out_of_bounds_is_malformed() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let url = &selected.endpoint.http_url;
    let first = || tests::api::hello(tests::clock::new_attempt(), shared::ids::Try::FIRST);
    let mut long_build = first();
    long_build.client_build = "b".repeat(shared::limits::MAX_CLIENT_BUILD_LEN + 1);
    let mut many_transports = first();
    many_transports.transports = vec!["quic".to_owned(); shared::limits::MAX_TRANSPORTS + 1];
    for hello in [long_build, many_transports] {
        let refused = hero.api.handshake(url, hello, &selected.handoff.token).await.unwrap_err();
        assert_eq!(refused.code(), ProblemCode::MalformedBody);
    }
    super::assert_nothing_is_left(&store).await;
    assert!(hero.api.handshake(url, first(), &selected.handoff.token).await.unwrap().accepted);
}

#[tokio::test(flavor = "multi_thread")]
async fn game_servers_answer_the_pages_origin_and_no_other() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let url = format!("{}/v1/handshake", hero.select().await.endpoint.http_url);
    for (origin, allowed) in [
        (server.origin(), true),
        ("http://localhost:8090", true),
        ("http://evil.example", false),
        ("null", false),
    ] {
        let preflight = hero
            .api
            .send(Method::OPTIONS, &url, |request| {
                request
                    .header("origin", origin)
                    .header("access-control-request-method", "POST")
                    .header("access-control-request-headers", "content-type")
            })
            .await;
        let answered = preflight.header("access-control-allow-origin");
        assert_eq!(answered, allowed.then_some(origin), "{origin}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_shakes_hands_too_often_is_told_to_wait() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let mut selected = hero.select().await;
    selected.handoff.token = "handoff-6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap();
    let url = &selected.endpoint.http_url;
    let mut refused = None;
    // Twice the burst that an address has: whatever refills meanwhile, it runs out.
    for _ in 0..2 * edge_server::http::rate_limit::HANDSHAKES_OF_ADDRESS.burst.get() {
        let hello = tests::api::hello(tests::clock::new_attempt(), shared::ids::Try::FIRST);
        if let Err(problem) = hero.api.handshake(url, hello, &selected.handoff.token).await {
            refused = Some(problem);
            break;
        }
    }
    let refused = refused.expect("the limit was never reached");
    assert_eq!(refused.code(), ProblemCode::RateLimited);
    assert!(refused.retry_after.is_some_and(|seconds| seconds >= 1), "{refused:?}");
    assert!(hero.api.realms(hero.token()).await.is_ok(), "the login role is another door");
}
