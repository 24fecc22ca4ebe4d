//! Allocation over several layers of a zone, and what happens at an instance that cannot
//! admit the player.

use edge_server::stores::keys;
use shared::account::SelectResponse;
use shared::gameplay::{HandshakeResponse, RejectionCode};
use shared::ids::{AttemptId, Try};
use shared::problem::ProblemCode;
use tempfile::TempDir;
use tests::api::{accepted, hello, redirected, rejected};
use tests::clock::new_attempt;
use tests::hero::Hero;
use tests::server::Server;
use tests::store::Store;
use tests::world;

/// A server with several harbors of one seat each.
async fn one_seat_each(layers: &[&str]) -> (Server, Store, TempDir) {
    let world = world::with_layers(layers);
    let server = Server::setup()
        .with("EDGE_WORLD_DIR", world.path().display())
        .with("EDGE_ZONE_CAPACITY", 1)
        .start()
        .await;
    let store = server.store().await;
    (server, store, world)
}

async fn shake_at(
    hero: &Hero,
    http_url: &str,
    selected: &SelectResponse,
    attempt: AttemptId,
) -> HandshakeResponse {
    let first = hello(attempt, Try::FIRST);
    hero.api.handshake(http_url, first, &selected.handoff.token).await.unwrap()
}

fn at(selected: &SelectResponse) -> &str {
    selected.endpoint.instance_id.as_str()
}

/// Selects as if the promise made to whoever asked before had ended.
async fn select_despite(store: &Store, hero: &Hero, earlier: &str) -> SelectResponse {
    store.expire(earlier).await;
    hero.select().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_is_spread_over_the_layers_and_the_last_is_told_that_all_are_full() {
    let (server, _store, _world) = one_seat_each(&["edge-b"]).await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let third = server.hero("Sela").await;
    assert_eq!(at(&mara.select().await), "edge-a");
    assert_eq!(at(&orin.select().await), "edge-b", "the seat at edge-a is promised");
    let full = third.try_select().await.unwrap_err();
    assert_eq!((full.code(), full.retry_after), (ProblemCode::ZoneFull, Some(5)));
    assert_eq!(at(&mara.select().await), "edge-a", "a character has one promise, and keeps it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_instance_sends_the_player_on_and_does_not_burn_the_token() {
    let (server, store, _world) = one_seat_each(&["edge-b"]).await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let selected = mara.select().await;
    let promise = store.only_key(keys::HOLD_PREFIX).await;
    let late = select_despite(&store, &orin, &promise).await;
    assert_eq!(at(&late), "edge-a");
    let mara_plays = mara.claim(&mara.admitted_with(&selected).await).await;

    let before = store.only_key("login:handoff:").await;
    let ends = store.coordination(&before).await[&before].expires_at;
    let attempt = new_attempt();
    let to = redirected(shake_at(&orin, &late.endpoint.http_url, &late, attempt).await);
    assert_eq!(to.instance_id.as_str(), "edge-b");
    let moved = store.only_key("login:handoff:").await;
    assert_eq!(moved, before.replace(":edge-a:", ":edge-b:"));
    assert_eq!(store.coordination(&moved).await[&moved].expires_at, ends, "it lives no longer");
    assert!(store.coordination("login:handoff-redirect:").await.len() == 1);
    assert_eq!(store.character(orin.id).await.session_epoch, 0);

    // The answer was lost: the same question gets the same answer.
    let again = redirected(shake_at(&orin, &late.endpoint.http_url, &late, attempt).await);
    assert_eq!(again, to);

    let admission = accepted(shake_at(&orin, &to.http_url, &late, attempt).await);
    assert_eq!(admission.activation.instance_id.as_str(), "edge-b");
    let orin_plays = orin.claim(&admission).await;
    assert_eq!(mara_plays.sight().bye, None);
    assert_eq!(orin_plays.sight().players(), 1, "players of two layers do not see each other");
    store.until_seats_taken(2).await;
    assert!(store.coordination(keys::HOLD_PREFIX).await.keys().all(|key| *key == promise));
}

#[tokio::test(flavor = "multi_thread")]
async fn where_every_layer_is_full_the_token_is_kept_for_a_seat_that_comes_free() {
    let (server, store, _world) = one_seat_each(&["edge-b"]).await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let sela = server.hero("Sela").await;
    let first = mara.select().await;
    let promise = store.only_key(keys::HOLD_PREFIX).await;
    let late = select_despite(&store, &sela, &promise).await;
    let mara_plays = mara.claim(&mara.admitted_with(&first).await).await;
    let _orin_plays = orin.enter().await;
    store.until_seats_taken(2).await;

    let attempt = new_attempt();
    let full = rejected(shake_at(&sela, &late.endpoint.http_url, &late, attempt).await);
    assert_eq!((full.code, full.retryable), (RejectionCode::ZoneFull, true));
    store.until_seats_taken(2).await;
    mara_plays.leave().await;
    store.until_seats_taken(1).await;
    let admission = accepted(shake_at(&sela, &late.endpoint.http_url, &late, attempt).await);
    assert_eq!(admission.activation.instance_id.as_str(), "edge-a");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_that_enters_elsewhere_leaves_the_instance_where_it_was() {
    let (server, store, _world) = one_seat_each(&["edge-b"]).await;
    let hero = server.hero("Mara").await;
    let mut other = hero.clone();
    let roster = hero.api.create_character(hero.token(), "dawn", "Orin").await.unwrap();
    other.id = roster.characters[1].id;
    let first = hero.enter().await;
    store.until_seats_taken(1).await;
    // edge-a is full with Mara; Orin of the same account goes to edge-b and takes over.
    let second = other.enter().await;
    assert_eq!(first.bye().await.code, shared::realtime::message::ByeCode::Superseded);
    assert_eq!(second.sight().bye, None);
    assert!(!hero.in_roster().await.in_world);
    assert!(other.in_roster().await.in_world);
    store.until_seats_taken(1).await;
}
