//! What a backend finds again: after a game server has come back within the life of what its
//! earlier process wrote, and after Redis has come back with nothing.

use shared::gameplay::RejectionCode;
use shared::ids::Try;
use shared::realtime::message::ByeCode;
use tests::api::{accepted, hello, redirected, rejected};
use tests::clock::new_attempt;
use tests::cluster::Cluster;
use tests::fault_report::Row;
use tests::hero::PASSWORD;
use tests::patience::{HAPPENED, eventually};
use tests::way::tile_at;

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_that_is_killed_and_back_at_once_leaves_nobody_in_the_world() {
    let mut cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let admission = hero.admitted().await;
    assert_eq!(admission.activation.instance_id.as_str(), "game-1");
    let _player = hero.claim(&admission).await;
    assert!(hero.in_roster().await.in_world);
    let before = cluster.instances().await["game-1"].incarnation;
    cluster.games[0].kill9().await;
    cluster.games[0].start_again().await;
    assert!(cluster.instances().await["game-1"].incarnation > before);
    assert!(!hero.in_roster().await.in_world, "an earlier process has written its presence");
    let player = hero.enter().await;
    assert!(hero.in_roster().await.in_world);
    assert_eq!(player.sight().bye, None);
}

/// Ends the Redis of a cluster and starts it again with nothing in it.
async fn lose_everything(cluster: &mut Cluster) {
    cluster.redis.kill9().await;
    cluster.redis.start_again().await;
}

/// Waits until Redis holds so many records of which the key begins so.
async fn until_there_are(cluster: &Cluster, count: usize, prefix: &str) {
    eventually(&format!("{count} of {prefix}"), HAPPENED, async || {
        let texts = cluster.redis.texts().await;
        (texts.keys().filter(|key| key.starts_with(prefix)).count() == count).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redis_that_comes_back_empty_costs_nobody_the_handoff() {
    let mut cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let gone = cluster.hero("Orin").await;
    let (selected, lost) = (hero.select().await, gone.select().await);
    gone.api.logout(gone.token()).await.unwrap();
    lose_everything(&mut cluster).await;
    until_there_are(&cluster, 1, "login:handoff:instance:").await;
    let player = hero.claim(&hero.admitted_with(&selected).await).await;
    assert!(hero.in_roster().await.in_world);

    // What is spent, or of a login that has ended, does not come back.
    lose_everything(&mut cluster).await;
    until_there_are(&cluster, 1, "presence:character:").await;
    cluster.until_heartbeats().await;
    for selected in [selected, lost] {
        let first = hello(new_attempt(), Try::FIRST);
        let url = &selected.endpoint.http_url;
        let answer = hero.api.handshake(url, first, &selected.handoff.token).await.unwrap();
        assert_eq!(rejected(answer).code, RejectionCode::HandoffMissing);
    }
    assert_eq!(player.sight().bye, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_plays_while_redis_comes_back_empty_plays_on_and_is_in_the_world_again() {
    let mut cluster = Cluster::start().await;
    let (mara, orin) = (cluster.hero("Mara").await, cluster.hero("Orin").await);
    let waiting = cluster.hero("Sela").await;
    let (first, other) = (mara.enter().await, orin.enter().await);
    let admission = waiting.admitted().await;
    lose_everything(&mut cluster).await;
    for family in ["presence:character:", "presence:account:", "realtime:resume:"] {
        until_there_are(&cluster, 2, family).await;
    }
    assert_eq!(cluster.instances().await.len(), 2);
    for hero in [&mara, &orin] {
        assert!(hero.in_roster().await.in_world, "{}", hero.username);
    }
    // Who has been let in and had not come yet comes, and is seen as well.
    let late = waiting.claim(&admission).await;
    eventually("who came late is in the world", HAPPENED, async || {
        waiting.in_roster().await.in_world.then_some(())
    })
    .await;
    let goal = tile_at(&other.map, other.tile(), 4);
    other.walk_to(goal).await;
    cluster.until_saved_at(orin.id, goal).await;

    let mut elsewhere = mara.clone();
    elsewhere.login = mara.api.login(&mara.username, PASSWORD).await.unwrap();
    let second = elsewhere.enter().await;
    assert_eq!(first.bye().await.code, ByeCode::Superseded);
    cluster.until_heartbeats().await;
    for player in [&second, &other, &late] {
        assert_eq!(player.sight().bye, None);
    }
    assert!(mara.in_roster().await.in_world);
    let parts = ["outage", "takeover", "started again empty", "redis"];
    let test = "deployed::reconcile::who_plays_while_redis_comes_back_empty_plays_on_and_is_in_\
                the_world_again";
    let outcome = "players go on; who had been let in comes; a second login takes over";
    Row::of_processes(parts, test).record(outcome, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handoff_that_was_sent_on_comes_back_where_it_was_sent() {
    let mut cluster = Cluster::start_with(&[("EDGE_ZONE_CAPACITY", "1")]).await;
    let (mara, orin) = (cluster.hero("Mara").await, cluster.hero("Orin").await);
    let early = mara.select().await;
    // A logout gives up what is promised to the account, so that both are sent to one seat.
    let other = mara.api.login(&mara.username, PASSWORD).await.unwrap();
    mara.api.logout(&other.access_token).await.unwrap();
    let late = orin.select().await;
    assert_eq!(early.endpoint, late.endpoint);
    let _mara_plays = mara.claim(&mara.admitted_with(&early).await).await;
    let attempt = new_attempt();
    let shake = async |url: &str| {
        let first = hello(attempt, Try::FIRST);
        orin.api.handshake(url, first, &late.handoff.token).await.unwrap()
    };
    let to = redirected(shake(&late.endpoint.http_url).await);
    lose_everything(&mut cluster).await;
    until_there_are(&cluster, 1, &format!("login:handoff:instance:{}:", to.instance_id)).await;
    let admission = accepted(shake(&to.http_url).await);
    assert_eq!(orin.claim(&admission).await.sight().bye, None);
}
