//! What a backend finds again: after a game server has come back within the life of what its
//! earlier process wrote, and after Redis has come back with nothing.

use tests::cluster::Cluster;

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
