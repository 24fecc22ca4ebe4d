//! What an accepted handshake is worth after the server has gone and come back.

use shared::realtime::message::ByeCode;
use tests::api::Admission;
use tests::hero::Hero;
use tests::line::{Dial, Line};
use tests::server::Server;
use tests::world;

/// Dials where the instance listens now: the address and the certificate are new.
async fn line_to(server: &Server, guide: &Hero, admission: &Admission) -> Line {
    let now = guide.at(server.api()).admitted().await;
    let mut there = admission.activation.clone();
    there.endpoints = now.activation.endpoints;
    Dial::of(&there, server.origin()).line().await.expect("the page's origin is let in")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accepted_handshake_can_be_claimed_after_a_crash_of_the_server() {
    let mut server = Server::start().await;
    let store = server.store().await;
    let (hero, guide) = (server.hero("Mara").await, server.hero("Orin").await);
    let admission = hero.admitted().await;
    let token = &admission.activation.session_token;
    let before = store.character(hero.id).await;
    server.kill9().await;
    server.start_again().await;
    assert!(!hero.at(server.api()).in_roster().await.in_world);

    let mut line = line_to(&server, &guide, &admission).await;
    let wrong = "ticket-00000000000000000000000000000000".parse().unwrap();
    let bye = line.claim(token, &wrong).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession);
    assert_eq!(store.character(hero.id).await, before, "a wrong ticket raises nothing");

    let mut line = line_to(&server, &guide, &admission).await;
    let welcome = line.claim(token, &admission.ticket).await.unwrap();
    assert_eq!(welcome.session_token, *token);
    let row = store.character(hero.id).await;
    assert_eq!(row.session_epoch, before.session_epoch + 1, "the process before is fenced");
    assert_eq!(row.raised_session_token.as_deref(), Some(token.expose()));
    assert!(hero.at(server.api()).in_roster().await.in_world);

    line.is_heard().await;
    let mut late = line_to(&server, &guide, &admission).await;
    let bye = late.claim(token, &admission.ticket).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession, "the page has a newer secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_claimed_again_is_not_restored_by_its_ticket() {
    let mut server = Server::start().await;
    let store = server.store().await;
    let (hero, guide) = (server.hero("Mara").await, server.hero("Orin").await);
    let admission = hero.admitted().await;
    let player = hero.claim(&admission).await;
    let _again = hero.resume(&admission, &player.welcome.resume_token).await.unwrap();
    server.kill9().await;
    server.start_again().await;
    let before = store.character(hero.id).await;
    let mut line = line_to(&server, &guide, &admission).await;
    let token = &admission.activation.session_token;
    let bye = line.claim(token, &admission.ticket).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession);
    assert_eq!(store.character(hero.id).await, before);
    hero.at(server.api()).enter().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_before_the_restart_leaves_nothing_to_restore() {
    let mut server = Server::start().await;
    let (hero, guide) = (server.hero("Mara").await, server.hero("Orin").await);
    let admission = hero.admitted().await;
    hero.api.logout(hero.token()).await.unwrap();
    server.kill9().await;
    server.start_again().await;
    let mut line = line_to(&server, &guide, &admission).await;
    let token = &admission.activation.session_token;
    let bye = line.claim(token, &admission.ticket).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_whose_zone_is_no_more_begins_at_the_start_of_the_world() {
    let mut server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let start = store.character(hero.id).await.tile;
    let player = hero.enter().await;
    let away = tests::way::tile_at(&player.map, player.tile(), 6);
    player.walk_to(away).await;
    player.leave().await;
    server.stop().await;
    let rebuilt = world::changed(|text| text.replace("\"harbor\"", "\"quay\""));
    server.set("EDGE_WORLD_DIR", rebuilt.path().display());
    server.start_again().await;

    let player = hero.at(server.api()).enter().await;
    assert_eq!(player.welcome.placement.to_string(), "dawn/quay");
    assert_eq!(player.tile(), start);
    let row = store.character(hero.id).await;
    assert_eq!((row.zone.as_str(), row.tile), ("quay", start), "zone and tile are one value");
}
