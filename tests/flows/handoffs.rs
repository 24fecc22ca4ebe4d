//! Handoff tokens and the handshake: who gets in once, and what a refusal leaves.

use edge_server::stores::keys;
use shared::account::SelectResponse;
use shared::gameplay::{GameHello, Rejection, RejectionCode};
use shared::ids::{AttemptId, Try};
use shared::problem::ProblemCode;
use shared::realtime::message::ByeCode;
use shared::version::PROTOCOL_VERSION;
use tests::api::{Admission, accepted, hello, rejected};
use tests::clock::new_attempt;
use tests::hero::Hero;
use tests::line::Dial;
use tests::server::Server;

async fn shake(
    hero: &Hero,
    selected: &SelectResponse,
    hello: GameHello,
) -> Result<Admission, Rejection> {
    let url = &selected.endpoint.http_url;
    let answer = hero.api.handshake(url, hello, &selected.handoff.token).await.unwrap();
    if answer.accepted { Ok(accepted(answer)) } else { Err(rejected(answer)) }
}

fn tried(attempt: AttemptId, number: u32) -> GameHello {
    hello(attempt, Try(number))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_handoff_opens_nothing() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let key = store.only_key("login:handoff:").await;
    assert!(key.starts_with(&format!("login:handoff:instance:{}:", selected.endpoint.instance_id)));
    store.expire(&key).await;
    let rejection = shake(&hero, &selected, tried(new_attempt(), 1)).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::HandoffMissing);
    assert!(rejection.retryable, "the roster is still there");
    assert_eq!(store.character(hero.id).await.session_epoch, 0);
    super::assert_nothing_is_left(&store).await;
    // Only the pass had ended, not the way.
    hero.enter().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_used_token_is_refused_to_another_attempt_and_the_first_session_plays_on() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let admission = shake(&hero, &selected, tried(new_attempt(), 1)).await.unwrap();
    let player = hero.claim(&admission).await;
    let before = store.character(hero.id).await;

    let rejection = shake(&hero, &selected, tried(new_attempt(), 1)).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::HandoffAlreadyConsumed);

    let tick = player.sight().tick().unwrap();
    player.until("the world goes on", |sight| sight.tick().is_some_and(|t| t > tick + 10)).await;
    assert_eq!(player.sight().bye, None);
    assert_eq!(store.character(hero.id).await, before);
    assert!(
        store.only_key("login:handoff-consumed:").await.len() > "login:handoff-consumed:".len()
    );
    assert!(store.coordination("login:handoff:").await.is_empty(), "a record stands once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_whose_session_was_played_makes_no_second_one() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let attempt = new_attempt();
    let admission = shake(&hero, &selected, tried(attempt, 1)).await.unwrap();
    let player = hero.claim(&admission).await;
    let row = store.character(hero.id).await;
    let rejection = shake(&hero, &selected, tried(attempt, 2)).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::Superseded);
    assert_eq!(player.sight().bye, None, "a replay throws nobody out");
    player.leave().await;
    store.until_nobody_is_in_the_world().await;
    let rejection = shake(&hero, &selected, tried(attempt, 3)).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::Superseded);
    assert_eq!(store.character(hero.id).await.session_epoch, row.session_epoch);
    super::assert_nothing_is_left(&store).await;
}

/// A client that uses one attempt id for two handoffs does not bring the first one back.
#[tokio::test(flavor = "multi_thread")]
async fn a_played_token_stays_spent_when_its_attempt_is_used_again() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let (attempt, other) = (new_attempt(), new_attempt());
    let first = hero.select().await;
    let admission = shake(&hero, &first, tried(attempt, 1)).await.unwrap();
    hero.claim(&admission).await.leave().await;
    shake(&hero, &hero.select().await, tried(other, 1)).await.unwrap();
    shake(&hero, &hero.select().await, tried(attempt, 1)).await.unwrap();
    let epoch = store.character(hero.id).await.session_epoch;
    for number in [1, 2, 9] {
        let replayed = shake(&hero, &first, tried(attempt, number)).await.unwrap_err();
        assert_eq!(replayed.code, RejectionCode::Superseded, "try {number}");
    }
    assert_eq!(store.character(hero.id).await.session_epoch, epoch);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_attempt_gets_in_again_with_a_higher_try_and_its_old_ticket_is_dead() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let attempt = new_attempt();
    let lost = shake(&hero, &selected, tried(attempt, 1)).await.unwrap();
    let second = shake(&hero, &selected, tried(attempt, 2)).await.unwrap();
    assert_ne!(lost.activation.session_token, second.activation.session_token);
    assert_eq!(store.character(hero.id).await.session_epoch, 2, "each admission raises");

    let mut line = Dial::of(&lost.activation, hero.api.origin()).line().await.unwrap();
    let bye = line.claim(&lost.activation.session_token, &lost.ticket).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession);

    for number in [1, 2] {
        let late = shake(&hero, &selected, tried(attempt, number)).await.unwrap();
        assert_eq!(late.activation, second.activation, "try {number} gets what stands");
        assert_eq!(late.ticket, second.ticket);
    }
    assert_eq!(store.character(hero.id).await.session_epoch, 2, "and raises nothing");

    let player = hero.claim(&second).await;
    assert_eq!(player.session(), &second.activation.session_token);
    store.until_seats_taken(1).await;
    player.leave().await;
    store.until_nobody_is_in_the_world().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_of_a_future_version_is_refused_and_left_as_it_is() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let key = store.only_key("login:handoff:").await;
    store.write_from_the_future(&key).await;
    let row = store.coordination(&key).await;

    let rejection = shake(&hero, &selected, tried(new_attempt(), 1)).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::PayloadVersionUnsupported);
    assert_eq!(store.coordination(&key).await, row, "not a byte is touched");
    assert!(store.coordination("login:handoff-consumed:").await.is_empty());
    assert_eq!(store.character(hero.id).await.session_epoch, 0);
    super::assert_nothing_is_left(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hello_that_cannot_be_served_does_not_spend_the_token() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let attempt = new_attempt();
    let newer = GameHello { protocol_version: PROTOCOL_VERSION + 1, ..tried(attempt, 1) };
    let rejection = shake(&hero, &selected, newer).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::ProtocolVersionUnsupported);
    assert!(!rejection.retryable, "the page has to be loaded anew");

    for transports in [vec![], vec!["websocket".to_owned()]] {
        let without_quic = GameHello { transports, ..tried(attempt, 1) };
        let rejection = shake(&hero, &selected, without_quic).await.unwrap_err();
        assert_eq!(rejection.code, RejectionCode::TransportUnsupported);
    }
    super::assert_nothing_is_left(&store).await;
    assert_eq!(store.character(hero.id).await.session_epoch, 0);

    let admission = shake(&hero, &selected, tried(attempt, 1)).await.unwrap();
    hero.claim(&admission).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_was_never_made_is_missing() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let mut selected = hero.select().await;
    selected.handoff.token = "handoff-6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap();
    let rejection = shake(&hero, &selected, tried(new_attempt(), 1)).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::HandoffMissing);
    super::assert_nothing_is_left(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_zone_refuses_a_second_player_and_takes_it_once_there_is_room() {
    let server = Server::setup().with("EDGE_ZONE_CAPACITY", 1).start().await;
    let store = server.store().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let orins = orin.select().await;
    assert_eq!(mara.try_select().await.unwrap_err().code(), ProblemCode::ZoneFull, "promised");
    store.expire(&store.only_key(keys::HOLD_PREFIX).await).await;
    let player = mara.enter().await;
    let rejection = shake(&orin, &orins, tried(new_attempt(), 1)).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::ZoneFull);
    assert_eq!(store.character(orin.id).await.session_epoch, 0);
    store.until_seats_taken(1).await;
    let keys = store.session_keys().await;
    assert!(!keys.iter().any(|key| key.contains(&orin.id.to_string())), "{keys:?}");

    let refused = orin.try_select().await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::ZoneFull);
    assert!(refused.retry_after.is_some(), "it says when to come back");

    // One's own body never keeps oneself out (case 23).
    let maras = mara.select().await;
    let again = shake(&mara, &maras, tried(new_attempt(), 1)).await.unwrap();
    assert_eq!(player.bye().await.code, ByeCode::Superseded);
    let player = mara.claim(&again).await;

    player.leave().await;
    store.until_seats_taken(0).await;
    orin.enter().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_seat_is_free_again_the_moment_a_handshake_has_failed() {
    let server = Server::setup().with("EDGE_ZONE_CAPACITY", 1).start().await;
    let store = server.store().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let maras = mara.select().await;
    store.expire(&store.only_key(keys::HOLD_PREFIX).await).await;
    let orins = orin.select().await;
    // Deleted between select and handshake: the refusal comes after the seat was reserved.
    mara.api.delete_character(mara.token(), "dawn", mara.id).await.unwrap();
    let rejection = shake(&mara, &maras, tried(new_attempt(), 1)).await.unwrap_err();
    assert_eq!(rejection.code, RejectionCode::Superseded);
    let admission = shake(&orin, &orins, tried(new_attempt(), 1)).await.unwrap();
    orin.claim(&admission).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_claims_ends_by_itself() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    assert!(hero.in_roster().await.in_world);
    let life = shared::limits::PENDING_SESSION_LIFE + tests::patience::HAPPENED;
    tests::patience::eventually("nothing names the session any more", life, async || {
        store.session_keys().await.is_empty().then_some(())
    })
    .await;
    store.until_seats_taken(0).await;
    let mut line = Dial::of(&admission.activation, hero.api.origin()).line().await.unwrap();
    let token = &admission.activation.session_token;
    assert_eq!(
        line.claim(token, &admission.ticket).await.unwrap_err().code,
        ByeCode::UnknownSession
    );
    hero.enter().await;
}
