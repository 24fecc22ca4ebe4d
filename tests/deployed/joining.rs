//! Processes that come, and whom they trust.

use reqwest::Method;
use shared::control_plane::InstanceDrain;
use shared::coordination::ReleaseRequest;
use shared::ids::{AccountId, Try};
use shared::problem::ProblemCode;
use tests::api::{Api, hello, redirected};
use tests::clock::new_attempt;
use tests::cluster::{Cluster, SERVICE_TOKEN};
use tests::server::Server;
use tests::way::tile_at;

#[tokio::test(flavor = "multi_thread")]
async fn every_part_tells_of_its_health_and_serves_its_own_routes_alone() {
    let cluster = Cluster::start().await;
    let api = cluster.api();
    let control_plane = cluster.control_planes[0].address();
    let (login, game) = (cluster.login.address(), cluster.games[0].address());
    for part in [control_plane, login, game] {
        for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
            let answer = api.send(Method::GET, &format!("{part}{path}"), |r| r).await;
            assert_eq!(answer.status, 200, "{part}{path}");
        }
    }
    for (part, path) in [
        (control_plane, "/v1/realms"),
        (control_plane, "/v1/handshake"),
        (control_plane, "/"),
        (game, "/v1/realms"),
        (game, "/internal/v1/instances"),
        (login, "/v1/handshake"),
        (login, "/internal/v1/instances"),
    ] {
        let shaped = |request: reqwest::RequestBuilder| request.bearer_auth(SERVICE_TOKEN);
        let answer = api.send(Method::GET, &format!("{part}{path}"), shaped).await;
        assert_eq!(answer.problem().code(), ProblemCode::NotFound, "{part}{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_releases_sessions_only_for_who_shows_the_token() {
    let cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let admission = hero.admitted().await;
    let player = hero.claim(&admission).await;
    let account_id: AccountId = hero.login.account.id;
    let release = ReleaseRequest::Account { account_id };
    let url = format!("{}/internal/v1/sessions/release", cluster.games[0].address());
    let api = Api::new(&url);
    for token in ["", "the-service-token-of-other-tests"] {
        let shaped = |request: reqwest::RequestBuilder| request.bearer_auth(token).json(&release);
        let answer = api.send(Method::POST, &url, shaped).await;
        assert_eq!(answer.problem().code(), ProblemCode::Unauthenticated);
    }
    player.is_heard().await;
    let shaped =
        |request: reqwest::RequestBuilder| request.bearer_auth(SERVICE_TOKEN).json(&release);
    assert_eq!(api.send(Method::POST, &url, shaped).await.status, 204);
    player.bye().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_that_is_drained_admits_nobody_new_and_loses_nobody() {
    let cluster = Cluster::start().await;
    let (mara, orin) = (cluster.hero("Mara").await, cluster.hero("Orin").await);
    let admission = mara.admitted().await;
    assert_eq!(admission.activation.instance_id.as_str(), "game-1");
    let player = mara.claim(&admission).await;
    let drain = async |draining| {
        let url = format!("{}/internal/v1/instances/drain", cluster.control_planes[1].address());
        let request = InstanceDrain { instance: "game-1".parse().unwrap(), draining };
        let shaped =
            |asked: reqwest::RequestBuilder| asked.bearer_auth(SERVICE_TOKEN).json(&request);
        assert_eq!(cluster.api().send(Method::POST, &url, shaped).await.status, 200);
    };
    // Somebody was sent there before.
    let selected = orin.select().await;
    assert_eq!(selected.endpoint.instance_id.as_str(), "game-1");
    drain(true).await;
    cluster.until_heartbeats().await;
    assert!(cluster.instances().await["game-1"].draining);
    let (first, url) = (hello(new_attempt(), Try::FIRST), &selected.endpoint.http_url);
    let answer = orin.api.handshake(url, first, &selected.handoff.token).await;
    assert_eq!(redirected(answer.unwrap()).instance_id.as_str(), "game-2");
    assert_eq!(orin.select().await.endpoint.instance_id.as_str(), "game-2");
    // Who plays there plays on, and comes back after a loss.
    player.is_heard().await;
    let secret = player.welcome.resume_token.clone();
    drop(player);
    let player = mara.resume(&admission, &secret).await.unwrap();
    drain(false).await;
    cluster.until_heartbeats().await;
    assert_eq!(orin.select().await.endpoint.instance_id.as_str(), "game-1");
    player.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn role_all_on_deployed_stores_joins_what_lives_there_and_forgets_none_of_it() {
    let cluster = Cluster::start().await;
    let hero = cluster.hero("Mara").await;
    let player = hero.enter().await;
    let all = Server::setup()
        .with("EDGE_DATABASE_URL", cluster.database.url())
        .with("EDGE_REDIS_URL", cluster.redis.url())
        .with("EDGE_SERVICE_TOKEN", SERVICE_TOKEN)
        .start()
        .await;
    assert!(hero.in_roster().await.in_world);
    let known: Vec<String> = cluster.instances().await.into_keys().collect();
    assert_eq!(known, ["edge-a", "game-1", "game-2"]);
    let same = hero.at(all.api());
    assert!(same.in_roster().await.in_world, "both look into the same stores");
    let goal = tile_at(&player.map, player.tile(), 3);
    player.walk_to(goal).await;
    // By its own control plane, it asks the game server that is another process.
    same.api.logout(same.token()).await.unwrap();
    player.bye().await;
    assert_eq!(cluster.character(hero.id).await.tile, goal);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_that_players_reach_by_https_is_asked_to_release_where_its_parts_reach_it() {
    let public = [("EDGE_PUBLIC_HTTP_URL", "https://play.example")];
    let cluster = Cluster::start_with(&public).await;
    let hero = cluster.hero("Mara").await;
    let mut selected = hero.select().await;
    assert_eq!(selected.endpoint.http_url, "https://play.example");
    // What takes https from players is not part of this test.
    let registered = &cluster.instances().await[selected.endpoint.instance_id.as_str()];
    registered.internal_url.clone_into(&mut selected.endpoint.http_url);
    let player = hero.claim(&hero.admitted_with(&selected).await).await;
    let goal = tile_at(&player.map, player.tile(), 3);
    player.walk_to(goal).await;
    hero.api.logout(hero.token()).await.unwrap();
    assert_eq!(cluster.character(hero.id).await.tile, goal, "the logout has waited for the save");
    player.bye().await;
}
