//! What ends with a login: its handoffs and its world session, and nothing of others.

use shared::gameplay::RejectionCode;
use shared::ids::Try;
use shared::problem::ProblemCode;
use shared::realtime::message::ByeCode;
use tests::api::{hello, rejected};
use tests::clock::new_attempt;
use tests::hero::{Hero, PASSWORD};
use tests::server::Server;
use tests::way::tile_at;

/// The same account in another tab.
async fn another_tab(hero: &Hero) -> Hero {
    let login = hero.api.login(&hero.username, PASSWORD).await.unwrap();
    Hero { login, ..hero.clone() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_ends_the_world_session_of_its_login_and_saves_it() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let player = hero.enter().await;
    let there = tile_at(&player.map, player.tile(), 5);
    player.walk_to(there).await;
    hero.api.logout(hero.token()).await.unwrap();
    // Deliberately: nothing of it waits for a grace to end (case 10).
    super::assert_nothing_is_left(&store).await;
    assert_eq!(player.bye().await.code, ByeCode::LoginEnded);
    assert_eq!(store.character(hero.id).await.tile, there);
    let refused = hero.try_select().await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::Unauthenticated);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_ends_the_handoffs_of_its_login() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    hero.api.logout(hero.token()).await.unwrap();
    let first = hello(new_attempt(), Try::FIRST);
    let url = &selected.endpoint.http_url;
    let answer = hero.api.handshake(url, first, &selected.handoff.token).await.unwrap();
    assert_eq!(rejected(answer).code, RejectionCode::LoginEnded);
    assert_eq!(store.character(hero.id).await.session_epoch, 0);
    super::assert_nothing_is_left(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_ends_an_admission_that_was_not_claimed_yet() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    hero.api.logout(hero.token()).await.unwrap();
    super::assert_nothing_is_left(&store).await;
    let dial = tests::line::Dial::of(&admission.activation, hero.api.origin());
    let mut line = dial.line().await.unwrap();
    let token = &admission.activation.session_token;
    let bye = line.claim(token, &admission.ticket).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_in_one_tab_leaves_the_other_tabs_login_and_session_alone() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let player = hero.enter().await;
    let tab = another_tab(&hero).await;
    let selected = hero.select().await;
    tab.api.logout(tab.token()).await.unwrap();
    let tick = player.sight().tick().unwrap();
    player.until("the world goes on", |sight| sight.tick().is_some_and(|t| t > tick + 5)).await;
    assert_eq!(player.sight().bye, None);
    hero.admitted_with(&selected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_of_an_ended_login_throws_nobody_out() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let tab = another_tab(&hero).await;
    let player = hero.enter().await;
    let selected = tab.select().await;
    tab.api.logout(tab.token()).await.unwrap();
    let before = store.character(hero.id).await;
    let first = hello(new_attempt(), Try::FIRST);
    let url = &selected.endpoint.http_url;
    let answer = hero.api.handshake(url, first, &selected.handoff.token).await.unwrap();
    assert_eq!(rejected(answer).code, RejectionCode::LoginEnded);
    let tick = player.sight().tick().unwrap();
    player.until("the world goes on", |sight| sight.tick().is_some_and(|t| t > tick + 5)).await;
    assert_eq!(player.sight().bye, None);
    assert_eq!(store.character(hero.id).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_gives_the_promise_of_a_seat_to_others() {
    let server = Server::setup().with("EDGE_ZONE_CAPACITY", 1).start().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    mara.select().await;
    assert_eq!(orin.try_select().await.unwrap_err().code(), ProblemCode::ZoneFull);
    mara.api.logout(mara.token()).await.unwrap();
    orin.enter().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_character_of_the_account_takes_its_promise_over() {
    let server = Server::setup().with("EDGE_ZONE_CAPACITY", 1).start().await;
    let hero = server.hero("Mara").await;
    let roster = hero.api.create_character(hero.token(), "dawn", "Orin").await.unwrap();
    hero.select().await;
    let other = Hero { id: roster.characters[1].id, ..hero.clone() };
    other.enter().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_and_a_handshake_at_once_leave_no_session_behind() {
    let server = Server::start().await;
    let store = server.store().await;
    let mut hero = server.hero("Mara").await;
    for _ in 0..20 {
        let selected = hero.select().await;
        let first = hello(new_attempt(), Try::FIRST);
        let shake = hero.api.handshake(&selected.endpoint.http_url, first, &selected.handoff.token);
        let (answer, ended) = tokio::join!(shake, hero.api.logout(hero.token()));
        ended.unwrap();
        let answer = answer.unwrap();
        // Whoever came first: nothing of the login is in the world afterwards.
        assert_eq!(store.session_keys().await, Vec::<String>::new(), "{answer:?}");
        hero = another_tab(&hero).await;
    }
    store.until_seats_taken(0).await;
}
