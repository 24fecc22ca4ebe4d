//! A player's way through the roles: login server, game server, and on to another one.

use shared::ids::Try;
use tests::api::{accepted, hello, redirected};
use tests::clock::new_attempt;
use tests::cluster::Cluster;
use tests::patience::{HAPPENED, eventually};
use tests::way::tile_at;

#[tokio::test(flavor = "multi_thread")]
async fn a_player_registers_enters_walks_and_logs_out_and_its_place_is_kept() {
    let cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let realms = hero.api.realms(hero.token()).await.unwrap();
    assert_eq!(realms.len(), 2);
    let player = hero.enter().await;
    assert!(hero.in_roster().await.in_world);
    let goal = tile_at(&player.map, player.tile(), 5);
    player.walk_to(goal).await;
    hero.api.logout(hero.token()).await.unwrap();
    player.bye().await;
    let row = cluster.character(hero.id).await;
    assert_eq!((row.tile, row.zone.as_str()), (goal, "harbor"));
    eventually("nothing of the session is left", HAPPENED, async || {
        let texts = cluster.redis.texts().await;
        let of_session =
            |key: &String| key.starts_with("presence:") || key.starts_with("realtime:resume:");
        (!texts.keys().any(of_session)).then_some(())
    })
    .await;

    // The same character goes on where it stood.
    let again = hero.api.login(&hero.username, tests::hero::PASSWORD).await.unwrap();
    let hero = tests::hero::Hero { login: again, ..hero };
    assert_eq!(hero.enter().await.tile(), goal);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_game_server_sends_the_player_to_the_other_and_does_not_burn_the_token() {
    let cluster = Cluster::start_with(&[("EDGE_ZONE_CAPACITY", "1")]).await;
    let (mara, orin) = (cluster.hero("Mara").await, cluster.hero("Orin").await);
    let early = mara.select().await;
    // A logout gives up what is promised to the account, but not the other login's handoff.
    let other = mara.api.login(&mara.username, tests::hero::PASSWORD).await.unwrap();
    mara.api.logout(&other.access_token).await.unwrap();
    let late = orin.select().await;
    assert_eq!(early.endpoint, late.endpoint, "one seat, and two that have been sent to it");
    let mara_plays = mara.claim(&mara.admitted_with(&early).await).await;

    let attempt = new_attempt();
    let shake = async |url: &str| {
        let first = hello(attempt, Try::FIRST);
        orin.api.handshake(url, first, &late.handoff.token).await.unwrap()
    };
    let to = redirected(shake(&late.endpoint.http_url).await);
    assert_ne!(to.instance_id, late.endpoint.instance_id);
    let again = redirected(shake(&late.endpoint.http_url).await);
    assert_eq!(again, to, "the answer was lost: the same question gets the same answer");
    let admission = accepted(shake(&to.http_url).await);
    assert_eq!(admission.activation.instance_id, to.instance_id);
    let orin_plays = orin.claim(&admission).await;
    assert_eq!((mara_plays.sight().bye, orin_plays.sight().bye), (None, None));
    assert_eq!(orin_plays.sight().players(), 1, "players of two layers do not see each other");
}
