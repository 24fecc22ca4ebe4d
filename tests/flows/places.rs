//! Where a character is found again.

use shared::limits::TICK_HZ;
use tests::server::Server;
use tests::way::tile_at;

/// Ticks between the last snapshot that a player saw and the last one that the server
/// made, on a busy machine.
const UNSEEN_TICKS: u32 = TICK_HZ / 4;

#[tokio::test(flavor = "multi_thread")]
async fn a_character_is_where_it_was_left() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let mut epoch = store.character(hero.id).await.session_epoch;
    let mut place = None;
    for _ in 0..3 {
        let player = hero.enter().await;
        if let Some(place) = place {
            assert_eq!(player.tile(), place);
        }
        let row = store.character(hero.id).await;
        assert_eq!(row.session_epoch, epoch + 1, "every entry raises the epoch by one");
        assert_eq!(row.raised_session_token.as_deref(), Some(player.session().expose()));
        epoch = row.session_epoch;
        let goal = tile_at(&player.map, player.tile(), 7);
        player.walk_to(goal).await;
        player.leave().await;
        let row = store.character(hero.id).await;
        assert_eq!((row.tile, row.zone.as_str()), (goal, "harbor"));
        place = Some(goal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_walking_character_is_saved_without_leaving() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let player = hero.enter().await;
    let goal = tile_at(&player.map, player.tile(), 5);
    player.walk_to(goal).await;
    store.until_saved_at(hero.id, goal).await;
    assert_eq!(player.sight().bye, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_keeps_the_place_and_commits_it_at_once() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let player = hero.enter().await;
    let goal = tile_at(&player.map, player.tile(), 5);
    player.walk_to(goal).await;
    player.vanish().await;
    store.until_saved_at(hero.id, goal).await;
    store.until_seats_taken(1).await;
    assert_eq!(hero.enter().await.tile(), goal);
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_logins_and_places_survive_a_restart() {
    let mut server = Server::start().await;
    let hero = server.hero("Mara").await;
    let player = hero.enter().await;
    let goal = tile_at(&player.map, player.tile(), 8);
    player.walk_to(goal).await;
    player.leave().await;
    server.restart().await;
    let hero = hero.at(server.api());
    let shown = hero.in_roster().await;
    assert_eq!((shown.name.as_str(), shown.in_world), ("Mara", false));
    assert_eq!(hero.enter().await.tile(), goal);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_loses_at_most_a_second_of_walking() {
    let mut server = Server::start().await;
    let hero = server.hero("Mara").await;
    let player = hero.enter().await;
    let entity = player.entity();
    let goal = tile_at(&player.map, player.tile(), 24);
    player.set_out_for(goal).await;
    let began = player.sight().tick().unwrap();
    let seen = player
        .until("it has walked for three seconds", |sight| {
            sight.tick().is_some_and(|tick| tick >= began + 3 * TICK_HZ)
        })
        .await;
    server.kill9().await;
    let track = seen.track(entity);
    let (last_tick, _) = track.last_key_value().unwrap();

    server.start_again().await;
    let saved = server.store().await.character(hero.id).await;
    let saved_at = track.iter().rev().find(|(_, position)| position.tile() == saved.tile);
    let (saved_tick, _) = saved_at.unwrap_or_else(|| panic!("{saved:?} was never walked over"));
    let lost = last_tick - saved_tick;
    assert!(lost <= TICK_HZ + UNSEEN_TICKS, "{lost} ticks lost");

    // The dead server's session does not keep its player out (case 9).
    let hero = hero.at(server.api());
    let again = hero.enter().await;
    assert_eq!(again.tile(), saved.tile);
    let row = server.store().await.character(hero.id).await;
    assert_eq!(row.session_epoch, saved.session_epoch + 1);
}
