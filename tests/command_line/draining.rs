//! Stopping and starting again.

use shared::realtime::message::ByeCode;
use tests::clock::Stopwatch;
use tests::patience::SERVER_STOPPED;
use tests::server::Server;
use tests::way::tile_at;

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_saves_players_and_says_bye() {
    let mut server = Server::start().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let (walking, standing) = (mara.enter().await, orin.enter().await);
    let goal = tile_at(&walking.map, walking.tile(), 8);
    walking.walk_to(goal).await;
    let start = standing.tile();

    server.terminate().await;
    for player in [&walking, &standing] {
        let bye = player.bye_within(SERVER_STOPPED).await;
        assert_eq!(bye.code, ByeCode::ShuttingDown);
        assert!(!bye.code.is_final(), "the session can be gone on with");
    }
    assert!(server.ended().await.success(), "a drained server ends well");

    let store = server.store().await;
    assert_eq!(store.character(mara.id).await.tile, goal);
    assert_eq!(store.character(orin.id).await.tile, start);
    let left = store.session_keys().await;
    assert!(left.iter().all(|key| key.starts_with("realtime:resume:")), "{left:?}");
    assert_eq!(left.len(), 2, "both can be gone on with");

    server.start_again().await;
    let again = mara.at(server.api()).enter().await;
    assert_eq!(again.tile(), goal);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_players_stops_at_once_and_well() {
    let mut server = Server::start().await;
    for by_keyboard in [false, true] {
        let waiting = Stopwatch::start();
        if by_keyboard {
            server.interrupt().await;
        } else {
            server.terminate().await;
        }
        assert!(server.ended().await.success());
        assert!(waiting.elapsed() < SERVER_STOPPED / 2, "{:?}", waiting.elapsed());
        server.start_again().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_lets_sessions_go_whose_connection_is_lost_and_they_come_back_where_they_stood() {
    let mut server = Server::start().await;
    let store = server.store().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let mut admission = mara.admitted().await;
    let (player, watcher) = (mara.claim(&admission).await, orin.enter().await);
    let goal = tile_at(&player.map, player.tile(), 6);
    player.walk_to(goal).await;
    let secret = player.welcome.resume_token.clone();
    player.vanish().await;
    store.until_saved_at(mara.id, goal).await;
    assert_eq!(watcher.sight().players(), 2, "its body stays");
    let waiting = Stopwatch::start();
    server.terminate().await;
    assert!(server.ended().await.success());
    assert!(waiting.elapsed() < SERVER_STOPPED / 2, "{:?}", waiting.elapsed());
    assert_eq!(store.character(mara.id).await.tile, goal);
    let left = store.session_keys().await;
    assert!(left.iter().all(|key| key.starts_with("realtime:resume:")), "{left:?}");
    assert_eq!(left.len(), 2, "both can be gone on with");
    server.start_again().await;
    let there = mara.at(server.api());
    let place = there.api.resume(&secret).await.unwrap();
    admission.activation.endpoints = place.realtime.endpoints;
    let back = there.resume(&admission, &secret).await.unwrap();
    assert_eq!((back.session(), back.tile()), (&admission.activation.session_token, goal));
    back.is_heard().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_the_server_without_draining() {
    let mut server = Server::start().await;
    let hero = server.hero("Mara").await;
    let player = hero.enter().await;
    // Both are there before the server can act on the first.
    server.pause().await;
    server.terminate().await;
    server.interrupt().await;
    server.go_on().await;
    assert_eq!(server.ended().await.code(), Some(130));
    server.start_again().await;
    assert_eq!(hero.at(server.api()).enter().await.tile(), player.tile());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_answer_the_bye_does_not_hold_the_server() {
    let mut server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let dial = tests::line::Dial::of(&admission.activation, hero.api.origin());
    let mut deaf = dial.line().await.unwrap();
    let token = &admission.activation.session_token;
    deaf.claim(token, &admission.ticket).await.unwrap();
    let silent = dial.tls_only().await;
    server.stop().await;
    drop((deaf, silent));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_keeps_a_selected_handoff_good() {
    let mut server = Server::start().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    server.restart().await;
    // The token outlives the process that made it; only the address is new.
    let hero = hero.at(server.api());
    let fresh = hero.select().await;
    let old = shared::account::SelectResponse { endpoint: fresh.endpoint, ..selected };
    let player = hero.claim(&hero.admitted_with(&old).await).await;
    assert_eq!(player.sight().bye, None);
}
