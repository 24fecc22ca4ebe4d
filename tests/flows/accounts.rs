//! Registering and logging in.

use reqwest::Method;
use reqwest::header::{DATE, HeaderMap};
use shared::problem::ProblemCode;
use tests::api::credentials;
use tests::hero::PASSWORD;
use tests::server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_and_an_unknown_user_get_the_same_answer() {
    let server = Server::start().await;
    let api = server.api();
    api.register("Mara", PASSWORD).await.unwrap();
    let wrong = api.login("Mara", "not the password").await.unwrap_err();
    let unknown = api.login("Nobody", PASSWORD).await.unwrap_err();
    assert_eq!(wrong.code(), ProblemCode::InvalidCredentials);
    assert_eq!(wrong, unknown, "to the letter");
    let too_short = api.login("Mara", "short").await.unwrap_err();
    assert_eq!(too_short, unknown, "a login never tells the rules for passwords apart");
    let answer = async |username: &str| {
        api.post("/v1/sessions", &credentials(username, "not the password")).await
    };
    let (wrong, unknown) = (answer("Mara").await, answer("Nora").await);
    assert_eq!(wrong.status, 401);
    assert_eq!((wrong.status, wrong.body), (unknown.status, unknown.body), "byte for byte");
    let telling = |headers: HeaderMap| {
        let names = headers.into_iter().filter(|(name, _)| name.as_ref().is_none_or(|n| n != DATE));
        names.collect::<Vec<_>>()
    };
    assert_eq!(telling(wrong.headers), telling(unknown.headers));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_username_is_taken_whatever_its_case() {
    let server = Server::start().await;
    let api = server.api();
    api.register("Mara", PASSWORD).await.unwrap();
    let refused = api.register("mARA", "another password").await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::UsernameTaken);
    assert!(api.login("mARA", "another password").await.is_err());
    assert!(api.login("mARA", PASSWORD).await.is_ok(), "the first account is as it was");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_username_that_looks_like_another_is_refused_and_says_so() {
    let server = Server::start().await;
    let api = server.api();
    api.register("bobby", PASSWORD).await.unwrap();
    for lookalike in ["b0bby", "bob-by", "B.obby"] {
        let refused = api.register(lookalike, PASSWORD).await.unwrap_err();
        assert_eq!(refused.code(), ProblemCode::UsernameConfusable, "{lookalike}");
        assert!(api.login(lookalike, PASSWORD).await.is_err(), "{lookalike}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_passwords_against_the_rules_create_nothing() {
    let server = Server::start().await;
    let api = server.api();
    let long = "x".repeat(129);
    for (username, password, code) in [
        ("ab", PASSWORD, ProblemCode::InvalidUsername),
        ("with space", PASSWORD, ProblemCode::InvalidUsername),
        ("9lives", PASSWORD, ProblemCode::InvalidUsername),
        ("Admin", PASSWORD, ProblemCode::UsernameReserved),
        ("mara-support", PASSWORD, ProblemCode::UsernameReserved),
        ("rnoderator", PASSWORD, ProblemCode::UsernameReserved),
        ("Mara", "seven77", ProblemCode::InvalidPassword),
        ("Mara", long.as_str(), ProblemCode::InvalidPassword),
    ] {
        let refused = api.register(username, password).await.unwrap_err();
        assert_eq!(refused.code(), code, "{username:?} {password:?}");
        assert!(api.login(username, password).await.is_err(), "{username:?} {password:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_at_the_door_is_served_or_told_when_to_come_back() {
    let server = Server::start().await;
    let api = server.api();
    let mut crowd = tokio::task::JoinSet::new();
    for number in 0..100 {
        let api = api.clone();
        crowd.spawn(async move { api.register(&format!("guest-{number}"), PASSWORD).await });
    }
    let answers = crowd.join_all().await;
    assert!(answers.iter().any(Result::is_ok), "nobody got in");
    for refused in answers.into_iter().filter_map(Result::err) {
        assert_eq!(refused.code(), ProblemCode::RateLimited);
        assert!(refused.retry_after.is_some_and(|seconds| seconds > 0), "{refused:?}");
    }
    assert!(api.register("late", PASSWORD).await.is_ok(), "the door is open again");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_registrations_of_one_name_at_once_exactly_one_succeeds() {
    let server = Server::start().await;
    let api = server.api();
    let (one, other) =
        tokio::join!(api.register("Mara", PASSWORD), api.register("mara", "another password"));
    let refusals: Vec<_> = [one, other].into_iter().filter_map(Result::err).collect();
    let codes: Vec<_> = refusals.iter().map(tests::api::Refused::code).collect();
    assert_eq!(codes, [ProblemCode::UsernameTaken]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_login_nothing_of_an_account_is_shown() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let roster = "/v1/realms/dawn/characters";
    let strangers = [
        None,
        Some("Bearer"),
        Some("Bearer short"),
        Some("Basic bWFyYTptYXJh"),
        Some("Bearer access-0000000000000000000000000000000000000000000000000000000000000000"),
    ];
    for authorization in strangers {
        for (method, path) in [
            (Method::GET, "/v1/realms"),
            (Method::GET, roster),
            (Method::DELETE, "/v1/realms/dawn/characters/6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001"),
        ] {
            let answer = hero
                .api
                .send(method.clone(), path, |request| match authorization {
                    Some(value) => request.header("authorization", value),
                    None => request,
                })
                .await;
            let refused = answer.problem();
            assert_eq!(refused.code(), ProblemCode::Unauthenticated, "{method} {path}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        }
    }
    assert_eq!(hero.in_roster().await.id, hero.id);
}
