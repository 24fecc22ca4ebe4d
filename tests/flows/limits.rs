//! How often one may ask: each limit is reached, says when to come back, and stops nobody
//! else.

use edge_server::http::rate_limit::{
    ACTIONS_OF_ACCOUNT, Allowance, GUESSES_OF_USERNAME, HANDSHAKES_OF_ADDRESS,
    LOCATIONS_OF_ADDRESS, LOGINS_OF_ADDRESS, PASSWORD_CHANGES_OF_ADDRESS, REGISTRATIONS_OF_ADDRESS,
    REQUESTS_OF_ADDRESS,
};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::problem::ProblemCode;
use tests::api::{Answer, Api, credentials};
use tests::clock::Stopwatch;
use tests::hero::PASSWORD;
use tests::server::Server;

/// A client that proxies have heard at this address.
struct Client<'a> {
    api: &'a Api,
    forwarded_for: &'a str,
}

impl Client<'_> {
    async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        let shape = |request: RequestBuilder| {
            let request = request.header("x-forwarded-for", self.forwarded_for).json(body);
            // The form of a login that nobody has.
            request.bearer_auth(format!("access-{}", "0".repeat(64)))
        };
        self.api.send(method, path, shape).await
    }
}

fn is_limited(answer: &Answer) -> bool {
    answer.status == 429
}

/// Asks until the limit is reached: not before its burst, and soon after it.
async fn exhaust(name: &str, allowance: Allowance, ask: impl AsyncFn(u32) -> Answer) {
    let burst = allowance.burst.get();
    let watch = Stopwatch::start();
    for number in 0..burst * 4 {
        let answer = ask(number).await;
        if is_limited(&answer) {
            let refused = answer.problem();
            assert_eq!(refused.code(), ProblemCode::RateLimited);
            assert!(refused.retry_after.is_some_and(|seconds| seconds >= 1), "{refused:?}");
            assert!(number >= burst, "{name}: refused after {number} of {burst}");
            let further = watch.elapsed().as_millis() / allowance.pause.as_millis() + 2;
            assert!(u128::from(number - burst) <= further, "{name}: {number} passed");
            return;
        }
    }
    panic!("{name}: the limit was never reached");
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_a_trusted_proxy_each_client_has_its_own_limits() {
    let server = Server::setup().with("EDGE_TRUSTED_PROXIES", "127.0.0.1").start().await;
    let hero = server.hero("Mara").await;
    let handshake = format!("{}/v1/handshake", hero.select().await.endpoint.http_url);
    let api = &hero.api;
    // Each at the cheapest request that the limit counts.
    let refused_name = serde_json::to_value(credentials("x", "short")).unwrap();
    let change = json!({ "current": PASSWORD, "new": PASSWORD });
    let hello = json!({
        "hello": { "protocol_version": 0, "client_build": "", "transports": [],
            "attempt_id": "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001", "try": 1 },
        "token": "handoff-6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001",
    });
    let nobody = json!({ "resume_token": "resume-of-a-session-that-nobody-has" });
    let password = "/v1/accounts/current/password";
    let (realms, login) = ("/v1/realms", "/v1/sessions/current");
    let quiet = Client { api, forwarded_for: "198.51.100.1, 198.51.100.200" };
    for (host, allowance, method, path, body) in [
        (1, REGISTRATIONS_OF_ADDRESS, Method::POST, "/v1/accounts", &refused_name),
        (2, PASSWORD_CHANGES_OF_ADDRESS, Method::PUT, password, &change),
        (3, HANDSHAKES_OF_ADDRESS, Method::POST, handshake.as_str(), &hello),
        (4, REQUESTS_OF_ADDRESS, Method::GET, realms, &Value::Null),
        (5, REQUESTS_OF_ADDRESS, Method::DELETE, login, &Value::Null),
        (7, LOCATIONS_OF_ADDRESS, Method::POST, "/v1/resume", &nobody),
    ] {
        let ask = async |claimed: u32| {
            // What stands left of the address that the proxy has heard is an invention.
            let forwarded_for = &format!("192.0.2.{}, 198.51.100.{host}", claimed % 250);
            Client { api, forwarded_for }.send(method.clone(), path, body).await
        };
        exhaust(path, allowance, ask).await;
        let other = quiet.send(method, path, body).await;
        assert!(!is_limited(&other), "{path}: another address is refused");
    }
    let login = async |forwarded_for: &str, number: u32| {
        let body = serde_json::to_value(credentials(&format!("guest-{number}"), "short")).unwrap();
        Client { api, forwarded_for }.send(Method::POST, "/v1/sessions", &body).await
    };
    let loud = async |number: u32| login("198.51.100.6", number).await;
    exhaust("/v1/sessions", LOGINS_OF_ADDRESS, loud).await;
    assert!(!is_limited(&login("198.51.100.200", 0).await), "another address is refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_of_one_ipv6_network_share_their_limits() {
    let server = Server::setup().with("EDGE_TRUSTED_PROXIES", "127.0.0.0/8,::1").start().await;
    let api = &server.api();
    let bad = serde_json::to_value(credentials("x", "short")).unwrap();
    let ask = async |forwarded_for: &str| {
        Client { api, forwarded_for }.send(Method::POST, "/v1/accounts", &bad).await
    };
    let one_of = async |number: u32| ask(&format!("2001:db8:1:2::{number:x}")).await;
    exhaust("registrations", REGISTRATIONS_OF_ADDRESS, one_of).await;
    assert!(!is_limited(&ask("2001:db8:1:3::1").await), "another network is refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_word_of_a_stranger_on_its_address_is_not_taken() {
    let server = Server::start().await;
    let api = &server.api();
    let bad = serde_json::to_value(credentials("x", "short")).unwrap();
    let pretending = async |number: u32| {
        let forwarded_for = &format!("198.51.100.{}", number % 250);
        Client { api, forwarded_for }.send(Method::POST, "/v1/accounts", &bad).await
    };
    exhaust("registrations", REGISTRATIONS_OF_ADDRESS, pretending).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_at_one_username_are_limited_whether_it_exists_or_not() {
    let server = Server::start().await;
    let api = &server.api();
    api.register("Mara", PASSWORD).await.unwrap();
    // Nothing is hashed for a password that no account can have, but it counts.
    let guess =
        async |username: &str| api.post("/v1/sessions", &credentials(username, "short")).await;
    exhaust("mARA", GUESSES_OF_USERNAME, async |_| guess("mARA").await).await;
    let right = api.post("/v1/sessions", &credentials("Mara", PASSWORD)).await;
    assert_eq!(right.status, 429, "a right guess is not told from a wrong one");
    exhaust("nobody", GUESSES_OF_USERNAME, async |_| guess("nobody").await).await;
    let unknown = guess("Nobody").await;
    assert_eq!((unknown.status, unknown.body), (right.status, right.body), "byte for byte");
    assert_eq!(guess("Orin").await.status, 401, "another name has its own limit");
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_by_way_of_a_password_change_count_like_those_at_a_login() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let (api, token) = (&mara.api, mara.token());
    let mut used = 0;
    // Wrong ones that cost no hash; the hero's own login was a guess, too.
    while let Err(refused) = api.change_password(token, "short", "another horse").await {
        if refused.code() == ProblemCode::RateLimited {
            break;
        }
        assert_eq!(refused.code(), ProblemCode::InvalidCredentials);
        used += 1;
        assert!(used < PASSWORD_CHANGES_OF_ADDRESS.burst.get(), "the limit was never reached");
    }
    assert!(used + 1 >= GUESSES_OF_USERNAME.burst.get(), "{used}");
    let login = api.login("mara", PASSWORD).await.unwrap_err();
    assert_eq!(login.code(), ProblemCode::RateLimited);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_selects_and_creates_too_much_is_told_to_wait() {
    let server = Server::start().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let (api, token) = (&mara.api, mara.token());
    let act = async |number: u32| {
        let bearer = |request: RequestBuilder| request.bearer_auth(token.expose());
        let roster = "/v1/realms/dawn/characters";
        let nobody = "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001";
        match number % 3 {
            0 => api.send(Method::DELETE, &format!("{roster}/{nobody}"), bearer).await,
            1 => {
                let body = json!({ "name": "x" });
                api.send(Method::POST, roster, |r| bearer(r).json(&body)).await
            }
            _ => {
                let body = json!({ "realm_id": "dawn", "character_id": nobody });
                api.send(Method::POST, "/v1/select-character", |r| bearer(r).json(&body)).await
            }
        }
    };
    let mut left = ACTIONS_OF_ACCOUNT;
    // The hero's own creation was one.
    left.burst = (left.burst.get() - 1).try_into().unwrap();
    exhaust("actions", left, act).await;
    assert!(api.roster(token, "dawn").await.is_ok(), "looking is no action");
    assert!(orin.try_select().await.is_ok(), "another account has its own limit");
}
