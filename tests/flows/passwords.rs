//! Changing one's password.

use reqwest::Method;
use shared::gameplay::RejectionCode;
use shared::ids::Try;
use shared::problem::ProblemCode;
use shared::realtime::message::ByeCode;
use shared::secret::AccessToken;
use tests::api::{Api, hello, rejected};
use tests::clock::new_attempt;
use tests::hero::{Hero, PASSWORD};
use tests::server::Server;
use tests::way::tile_at;
use tokio::task::JoinSet;

const NEW: &str = "another horse battery";

async fn is_alive(api: &Api, login: &AccessToken) -> bool {
    match api.realms(login).await {
        Ok(_) => true,
        Err(refused) => {
            assert_eq!(refused.code(), ProblemCode::Unauthenticated);
            false
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_ends_every_login_of_the_account_and_no_other() {
    let mut server = Server::start().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let api = &mara.api;
    let second = api.login("mara", PASSWORD).await.unwrap().access_token;
    api.change_password(mara.token(), PASSWORD, NEW).await.unwrap();
    for login in [mara.token(), &second] {
        assert!(!is_alive(api, login).await);
    }
    assert!(is_alive(api, orin.token()).await);
    let old = api.login("mara", PASSWORD).await.unwrap_err();
    assert_eq!(old.code(), ProblemCode::InvalidCredentials);
    let login = api.login("mara", NEW).await.unwrap().access_token;
    assert!(is_alive(api, &login).await);
    assert!(api.login("orin", PASSWORD).await.is_ok(), "another account keeps its password");
    server.restart().await;
    assert!(server.api().login("mara", NEW).await.is_ok(), "what was acknowledged stays");
    assert!(!is_alive(&server.api(), &second).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_ends_what_the_old_one_had_begun_in_the_world() {
    let server = Server::start().await;
    let store = server.store().await;
    let mara = server.hero("Mara").await;
    let player = mara.enter().await;
    let there = tile_at(&player.map, player.tile(), 5);
    player.walk_to(there).await;
    let other = mara.api.login("mara", PASSWORD).await.unwrap();
    let selected = Hero { login: other, ..mara.clone() }.select().await;
    mara.api.change_password(mara.token(), PASSWORD, NEW).await.unwrap();
    super::assert_nothing_is_left(&store).await;
    assert_eq!(player.bye().await.code, ByeCode::LoginEnded);
    assert_eq!(store.character(mara.id).await.tile, there);
    let first = hello(new_attempt(), Try::FIRST);
    let url = &selected.endpoint.http_url;
    let answer = mara.api.handshake(url, first, &selected.handoff.token).await.unwrap();
    assert_eq!(rejected(answer).code, RejectionCode::LoginEnded, "a handoff of the old login");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_change_changes_nothing() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let (api, token) = (&mara.api, mara.token());
    let long = "x".repeat(129);
    for (current, new, code) in [
        ("not the password", NEW, ProblemCode::InvalidCredentials),
        ("short", NEW, ProblemCode::InvalidCredentials),
        (long.as_str(), NEW, ProblemCode::InvalidCredentials),
        (PASSWORD, "seven77", ProblemCode::InvalidPassword),
        (PASSWORD, long.as_str(), ProblemCode::InvalidPassword),
    ] {
        let refused = api.change_password(token, current, new).await.unwrap_err();
        assert_eq!(refused.code(), code, "{current:?} {new:?}");
    }
    let path = "/v1/accounts/current/password";
    for body in ["{}", r#"{"current":"correct horse battery"}"#, "[]"] {
        let answer = api
            .send(Method::PUT, path, |request| {
                let request = request.bearer_auth(token.expose());
                request.header("content-type", "application/json").body(body)
            })
            .await;
        assert_eq!(answer.problem().code(), ProblemCode::MalformedBody, "{body}");
    }
    assert!(is_alive(api, token).await, "the login stands");
    assert!(api.login("mara", NEW).await.is_err());
    assert!(api.login("mara", PASSWORD).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_login_no_password_is_changed() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let api = &mara.api;
    let second = api.login("mara", PASSWORD).await.unwrap().access_token;
    api.logout(&second).await.unwrap();
    let refused = api.change_password(&second, PASSWORD, NEW).await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::Unauthenticated);
    assert!(api.login("mara", PASSWORD).await.is_ok());
}

/// Logins that verify the old password while the change commits.
#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_races_with_a_change_does_not_survive_it() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let mut racing = JoinSet::new();
    for _ in 0..8 {
        let api = mara.api.clone();
        racing.spawn(async move {
            let mut logins = Vec::new();
            for _ in 0..3 {
                match api.login("mara", PASSWORD).await {
                    Ok(login) => logins.push(login.access_token),
                    Err(refused) => assert_eq!(refused.code(), ProblemCode::InvalidCredentials),
                }
            }
            logins
        });
    }
    mara.api.change_password(mara.token(), PASSWORD, NEW).await.unwrap();
    for login in racing.join_all().await.into_iter().flatten() {
        assert!(!is_alive(&mara.api, &login).await, "a login with the old password is alive");
    }
    assert!(mara.api.login("mara", NEW).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_changes_at_once_exactly_one_succeeds() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let (api, token) = (&mara.api, mara.token());
    let third = "a third horse battery";
    let (one, other) = tokio::join!(
        api.change_password(token, PASSWORD, NEW),
        api.change_password(token, PASSWORD, third)
    );
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    let (stands, fell) = if one.is_ok() { (NEW, third) } else { (third, NEW) };
    let refused = one.and(other).unwrap_err().code();
    let late = [ProblemCode::InvalidCredentials, ProblemCode::Unauthenticated];
    assert!(late.contains(&refused), "{refused:?}");
    assert!(api.login("mara", stands).await.is_ok());
    assert!(api.login("mara", fell).await.is_err());
}
