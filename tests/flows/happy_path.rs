//! What a player does from the first visit to the next day.

use shared::account::RealmStatus;
use shared::ids::{Try, UnixMillis};
use shared::limits::{HANDOFF_TOKEN_LIFE, MAX_DATAGRAM_BYTES};
use shared::realtime::message::ByeCode;
use tests::api::{accepted, hello};
use tests::clock::{new_attempt, now};
use tests::hero::PASSWORD;
use tests::player::Player;
use tests::server::Server;
use tests::way::tile_at;

#[tokio::test(flavor = "multi_thread")]
async fn a_player_registers_enters_walks_leaves_and_comes_back() {
    let server = Server::start().await;
    let (api, store) = (server.api(), server.store().await);

    let account = api.register("Mara", PASSWORD).await.unwrap();
    assert_eq!(account.username, "Mara");
    let login = api.login("mara", PASSWORD).await.expect("case does not matter in usernames");
    assert_eq!(login.account, account);
    assert!(login.expires_at > now());

    let realms = api.realms(&login.access_token).await.unwrap();
    let ids: Vec<&str> = realms.iter().map(|realm| realm.id.as_str()).collect();
    assert_eq!(ids, ["dawn", "dusk"]);
    assert!(realms.iter().all(|realm| realm.status == RealmStatus::Online && realm.capacity > 0));

    let empty = api.roster(&login.access_token, "dawn").await.unwrap();
    assert_eq!(empty.characters, []);
    let roster = api.create_character(&login.access_token, "dawn", "Mara").await.unwrap();
    let [character] = &roster.characters[..] else { panic!("{roster:?}") };
    assert_eq!((character.name.as_str(), character.in_world), ("Mara", false));

    let realm = &realms[0].id;
    let selected = api.select(&login.access_token, realm, character.id).await.unwrap();
    assert!(selected.handoff.token.expose().starts_with("handoff-"));
    let latest = now().plus(HANDOFF_TOKEN_LIFE);
    assert!(selected.handoff.expires_at <= latest && selected.handoff.expires_at > now());

    let first = hello(new_attempt(), Try::FIRST);
    let url = &selected.endpoint.http_url;
    let answer = api.handshake(url, first, &selected.handoff.token).await.unwrap();
    let admission = accepted(answer);
    let activation = &admission.activation;
    assert_eq!(activation.instance_id, selected.endpoint.instance_id);
    assert_eq!(activation.zone, character.zone);
    assert_eq!(activation.placement.to_string(), format!("dawn/{}", character.zone));
    assert_eq!(activation.character.id, character.id);

    let map = api.map(activation).await;
    assert_eq!(activation.tile, map.start(), "a new character begins at the start");
    let player = Player::claim(api.origin(), &admission, map).await.unwrap();
    assert_eq!(player.session(), &activation.session_token);
    assert_eq!(player.placement(), &activation.placement);
    assert_eq!(player.tile(), activation.tile);

    let goal = tile_at(&player.map, player.tile(), 9);
    player.walk_to(goal).await;
    let sight = player.sight();
    assert!(sight.largest_datagram <= MAX_DATAGRAM_BYTES, "{}", sight.largest_datagram);
    assert_eq!(sight.names[&sight.own].name, "Mara");

    player.leave().await;
    assert_eq!(store.character(character.id).await.tile, goal);
    store.until_nobody_is_in_the_world().await;
    api.logout(&login.access_token).await.unwrap();

    let next_day = api.login("Mara", PASSWORD).await.unwrap();
    let roster = api.roster(&next_day.access_token, "dawn").await.unwrap();
    assert!(!roster.characters[0].in_world);
    let selected = api.select(&next_day.access_token, realm, character.id).await.unwrap();
    let answer = api
        .handshake(
            &selected.endpoint.http_url,
            hello(new_attempt(), Try::FIRST),
            &selected.handoff.token,
        )
        .await;
    let admission = accepted(answer.unwrap());
    let map = api.map(&admission.activation).await;
    let player = Player::claim(api.origin(), &admission, map).await.unwrap();
    assert_eq!(player.tile(), goal);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_deliberately_is_told_so_and_is_gone_at_once() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let watcher = server.hero("Orin").await.enter().await;
    let player = hero.enter().await;
    let entity = player.entity();
    watcher.until("Mara is in view", |sight| sight.body(entity).is_some()).await;

    let mut line = player.sight();
    assert_eq!(line.bye, None);
    let leaving =
        shared::realtime::codec::encode_frame(&shared::realtime::message::ClientMessage::Bye);
    player.send_on_stream(leaving.unwrap()).await;
    line = player.until("the connection ends", |sight| sight.ended).await;
    assert_eq!(line.bye.map(|bye| bye.code), Some(ByeCode::LoggedOut));

    // Who has its Bye is out of the world already: no grace, no body (case 10).
    watcher
        .until("Mara is gone", |sight| sight.gone.contains(&entity) && sight.body(entity).is_none())
        .await;
    let keys = store.session_keys().await;
    assert!(!keys.iter().any(|key| key.contains(&hero.id.to_string())), "{keys:?}");
    assert!(!hero.in_roster().await.in_world);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_readiness_and_metrics_answer_on_every_http_port() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let game = hero.select().await.endpoint.http_url;
    for origin in [server.origin(), &game] {
        for path in ["/healthz", "/readyz", "/metrics"] {
            let answer =
                hero.api.send(reqwest::Method::GET, &format!("{origin}{path}"), |r| r).await;
            assert_eq!(answer.status, 200, "{origin}{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_login_opens_nothing_any_more() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    hero.api.logout(hero.token()).await.unwrap();
    let refused = hero.api.realms(hero.token()).await.unwrap_err();
    assert_eq!(refused.code(), shared::problem::ProblemCode::Unauthenticated);
    let refused = hero.try_select().await.unwrap_err();
    assert_eq!(refused.code(), shared::problem::ProblemCode::Unauthenticated);
    assert_ne!(hero.login.expires_at, UnixMillis(0));
}
