//! Entering while one is in the world already.

use shared::account::SelectResponse;
use shared::gameplay::HandshakeResponse;
use shared::ids::Try;
use shared::realtime::message::{ByeCode, ClientMessage};
use tests::api::hello;
use tests::clock::new_attempt;
use tests::hero::Hero;
use tests::patience::HAPPENED;
use tests::server::Server;
use tests::way::tile_at;

/// A second character of the hero's account.
async fn another_of_the_account(hero: &Hero, name: &str) -> Hero {
    let roster = hero.api.create_character(hero.token(), "dawn", name).await.unwrap();
    let mut another = hero.clone();
    another.id = roster.characters[1].id;
    another
}

/// The first handshake of a new attempt, whatever its answer.
async fn shake(hero: &Hero, selected: SelectResponse) -> HandshakeResponse {
    let url = &selected.endpoint.http_url;
    let first = hello(new_attempt(), Try::FIRST);
    hero.api.handshake(url, first, &selected.handoff.token).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_entry_takes_over_where_the_first_stood() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let first = hero.enter().await;
    let before = tile_at(&first.map, first.tile(), 6);
    first.walk_to(before).await;
    let epoch = store.character(hero.id).await.session_epoch;

    let second = hero.enter().await;
    assert_eq!(first.bye().await.code, ByeCode::Superseded);
    assert_eq!(second.tile(), before, "the first was saved before the second began");
    assert_eq!(store.character(hero.id).await.session_epoch, epoch + 1);
    assert_eq!(second.sight().players(), 1, "no body of the first is left behind");

    // What the first knew never comes back over what the second does (cases 7 and 21).
    let after = tile_at(&second.map, second.tile(), 4);
    second.walk_to(after).await;
    store.until_saved_at(hero.id, after).await;
    second.leave().await;
    store.until_nobody_is_in_the_world().await;
    let row = store.character(hero.id).await;
    assert_eq!((row.tile, row.session_epoch), (after, epoch + 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn entering_with_another_character_of_the_account_takes_over() {
    let server = Server::start().await;
    let store = server.store().await;
    let mara = server.hero("Mara").await;
    let orin = another_of_the_account(&mara, "Orin").await;

    let first = mara.enter().await;
    let left = tile_at(&first.map, first.tile(), 5);
    first.walk_to(left).await;
    let second = orin.enter().await;
    assert_eq!(first.bye().await.code, ByeCode::Superseded);
    assert_eq!(store.character(mara.id).await.tile, left);
    assert!(!mara.in_roster().await.in_world);
    assert!(orin.in_roster().await.in_world);
    assert_eq!(second.sight().bye, None);
    store.until_seats_taken(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admission_that_was_never_claimed_gives_way_to_the_next() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let unclaimed = hero.admitted().await;
    let player = hero.enter().await;
    let dial = tests::line::Dial::of(&unclaimed.activation, hero.api.origin());
    let mut line = dial.line().await.unwrap();
    let token = &unclaimed.activation.session_token;
    let bye = line.claim(token, &unclaimed.ticket).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession);
    assert_eq!(player.sight().bye, None);
    store.until_seats_taken(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_entries_at_once_exactly_one_plays() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let (one, other) = (hero.select().await, hero.select().await);
    let (one, other) = tokio::join!(shake(&hero, one), shake(&hero, other));
    let answers = [one, other];
    let accepted: Vec<_> = answers.iter().filter(|answer| answer.accepted).cloned().collect();
    assert_eq!(accepted.len(), 1, "both were made for one epoch: {answers:?}");
    let player = hero.claim(&tests::api::accepted(accepted[0].clone())).await;
    let row = store.character(hero.id).await;
    assert_eq!(row.session_epoch, 1);
    assert_eq!(row.raised_session_token.as_deref(), Some(player.session().expose()));
    store.until_seats_taken(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_characters_of_one_account_at_once_one_plays() {
    let server = Server::start().await;
    let store = server.store().await;
    let mara = server.hero("Mara").await;
    let orin = another_of_the_account(&mara, "Orin").await;
    for _ in 0..10 {
        let (one, other) = (mara.select().await, orin.select().await);
        let (one, other) = tokio::join!(shake(&mara, one), shake(&orin, other));
        // The later one pushes the earlier one out: before its answer, or after it. Who
        // plays stays on the line until the store has been looked at.
        let mut playing = Vec::new();
        for answer in [one, other].into_iter().filter(|answer| answer.accepted) {
            let admission = tests::api::accepted(answer);
            let dial = tests::line::Dial::of(&admission.activation, mara.api.origin());
            let mut line = dial.line().await.unwrap();
            let token = &admission.activation.session_token;
            if line.claim(token, &admission.ticket).await.is_ok() {
                playing.push(line);
            }
        }
        assert_eq!(playing.len(), 1);
        let presences = store.coordination("presence:character:").await;
        assert_eq!(presences.len(), 1, "{presences:?}");
        for mut line in playing {
            line.say(&ClientMessage::Bye).await;
            line.bye_within(HAPPENED).await;
        }
        store.until_nobody_is_in_the_world().await;
    }
}
