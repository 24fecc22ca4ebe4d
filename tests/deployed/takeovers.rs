//! Takeover from one game server to the other.

use shared::account::SelectResponse;
use shared::realtime::message::ByeCode;
use tests::cluster::Cluster;
use tests::hero::Hero;
use tests::patience::{HAPPENED, eventually};
use tests::way::tile_at;

/// The game servers have one seat each, so that who comes second is sent to the other one.
const ONE_SEAT: &[(&str, &str)] = &[("EDGE_ZONE_CAPACITY", "1")];

/// What stands of presence, by its keys.
async fn presence(cluster: &Cluster) -> Vec<(String, String)> {
    let texts = cluster.redis.texts().await;
    texts.into_iter().filter(|(key, _)| key.starts_with("presence:")).collect()
}

/// Selects a character that plays as if presence had been lost, so that allocation does not
/// lead to where it is seated; waits until the registry knows that the seat is taken.
async fn selected_elsewhere(cluster: &Cluster, hero: &Hero) -> SelectResponse {
    eventually("the registry knows that the seat is taken", HAPPENED, async || {
        let instances = cluster.instances().await;
        let mut zones = instances.values().flat_map(|instance| &instance.zones);
        zones.any(|zone| zone.occupied > 0).then_some(())
    })
    .await;
    for (key, _) in presence(cluster).await {
        let _: i64 = cluster.redis.ask(&["DEL", &key]).await;
    }
    hero.select().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_login_at_another_game_server_takes_over_where_the_first_stood() {
    let cluster = Cluster::start_with(ONE_SEAT).await;
    let hero = cluster.hero("Mara").await;
    let first_admission = hero.admitted().await;
    let first = hero.claim(&first_admission).await;
    let stood = presence(&cluster).await;
    let mut second_login = hero.clone();
    second_login.login = hero.api.login(&hero.username, tests::hero::PASSWORD).await.unwrap();
    let selected = selected_elsewhere(&cluster, &second_login).await;
    let here = &first_admission.activation.instance_id;
    assert_ne!(&selected.endpoint.instance_id, here);
    for (key, text) in &stood {
        let _: String = cluster.redis.ask(&["SET", key, text]).await;
    }

    // It walks on, and nothing of its last steps is lost.
    let goal = tile_at(&first.map, first.tile(), 6);
    first.walk_to(goal).await;
    let epoch = cluster.character(hero.id).await.session_epoch;
    let second = second_login.claim(&second_login.admitted_with(&selected).await).await;
    assert_eq!(first.bye().await.code, ByeCode::Superseded);
    assert_eq!(second.tile(), goal, "the first was saved before the second began");
    assert_eq!(cluster.character(hero.id).await.session_epoch, epoch + 1);

    let further = tile_at(&second.map, second.tile(), 4);
    second.walk_to(further).await;
    cluster.until_saved_at(hero.id, further).await;
    assert_eq!(second.sight().bye, None);
    assert!(hero.in_roster().await.in_world);
}

/// Presence that was lost names nobody who could be asked to make way: the heartbeat tells.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_asked_to_leave_learns_by_a_heartbeat_that_it_was_taken_over() {
    let cluster = Cluster::start_with(ONE_SEAT).await;
    let hero = cluster.hero("Mara").await;
    let first = hero.enter().await;
    let selected = selected_elsewhere(&cluster, &hero).await;
    let second = hero.claim(&hero.admitted_with(&selected).await).await;
    assert_eq!(first.bye().await.code, ByeCode::Superseded);
    assert_eq!(second.sight().bye, None);
    cluster.until_heartbeats().await;
    assert_eq!(second.sight().bye, None, "the one that was raised last stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_character_of_the_account_at_another_game_server_takes_over() {
    let cluster = Cluster::start_with(ONE_SEAT).await;
    let mara = cluster.hero("Mara").await;
    let mut orin = mara.clone();
    let roster = mara.api.create_character(mara.token(), "dawn", "Orin").await.unwrap();
    orin.id = roster.characters[1].id;
    let first = mara.enter().await;
    let goal = tile_at(&first.map, first.tile(), 5);
    first.walk_to(goal).await;
    cluster.until_heartbeats().await;
    let second = orin.enter().await;
    assert_eq!(first.bye().await.code, ByeCode::Superseded);
    assert_eq!(cluster.character(mara.id).await.tile, goal);
    assert!(!mara.in_roster().await.in_world);
    assert!(orin.in_roster().await.in_world);
    assert_eq!(second.sight().bye, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_at_the_login_server_ends_the_session_at_its_game_server() {
    let cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let player = hero.enter().await;
    hero.api.logout(hero.token()).await.unwrap();
    assert_eq!(player.bye().await.code, ByeCode::LoginEnded);
}
