//! Players whose game server dies, or stands still, and who play on.

use shared::problem::ProblemCode;
use shared::realtime::message::ByeCode;
use shared::secret::ResumeToken;
use shared::world::Tile;
use tests::api::Admission;
use tests::cluster::Cluster;
use tests::hero::Hero;
use tests::patience::{HAPPENED, LAPSED, eventually};
use tests::player::Player;
use tests::way::tile_at;

/// A player at `game-1` as its page knows it.
struct Page {
    hero: Hero,
    admission: Admission,
    player: Player,
    stood: Tile,
    epoch: i64,
}

impl Page {
    async fn in_play(cluster: &Cluster, name: &str) -> Self {
        let hero = cluster.hero(name).await;
        let admission = hero.admitted().await;
        assert_eq!(admission.activation.instance_id.as_str(), "game-1");
        let player = hero.claim(&admission).await;
        let stood = tile_at(&player.map, player.tile(), 6);
        player.walk_to(stood).await;
        cluster.until_saved_at(hero.id, stood).await;
        let epoch = cluster.character(hero.id).await.session_epoch;
        Self { hero, admission, player, stood, epoch }
    }

    fn secret(&self) -> &ResumeToken {
        &self.player.welcome.resume_token
    }

    /// Asks where the session is until it is at this instance, as the page does between two
    /// dials; until then nobody says that it is over.
    async fn is_sent_to(&mut self, instance: &str) {
        let secret = self.secret().clone();
        let place = eventually("the page is sent there", LAPSED, async || {
            match self.hero.api.resume(&secret).await {
                Ok(place) => (place.endpoint.instance_id.as_str() == instance).then_some(place),
                Err(refused) => {
                    assert_eq!(refused.code(), ProblemCode::Unavailable);
                    assert!(refused.retry_after.is_some());
                    None
                }
            }
        })
        .await;
        self.admission.activation.endpoints = place.realtime.endpoints;
    }

    /// Claims the session again and looks that it is the same one on the same tile.
    async fn plays_on(&self, cluster: &Cluster) -> Player {
        let player = self.hero.resume(&self.admission, self.secret()).await.unwrap();
        assert_eq!((player.session(), player.tile()), (self.player.session(), self.stood));
        let row = cluster.character(self.hero.id).await;
        assert_eq!(row.session_epoch, self.epoch + 1, "whoever had it is fenced");
        assert!(self.hero.in_roster().await.in_world);
        let further = tile_at(&player.map, player.tile(), 4);
        player.walk_to(further).await;
        cluster.until_saved_at(self.hero.id, further).await;
        player
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_of_a_game_server_that_dies_and_comes_back_plays_on_there() {
    let mut cluster = Cluster::start().await;
    let mut page = Page::in_play(&cluster, "Mara").await;
    cluster.games[0].kill9().await;
    cluster.games[0].start_again().await;
    // Its address is that of the next process once that has registered.
    let address = cluster.instances().await["game-1"].endpoints[0].clone();
    page.is_sent_to("game-1").await;
    assert_eq!(page.admission.activation.endpoints, [address]);
    let player = page.plays_on(&cluster).await;
    player.leave().await;
    assert!(!page.hero.in_roster().await.in_world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_of_a_game_server_that_does_not_come_back_plays_on_at_another() {
    let mut cluster = Cluster::start().await;
    let mut page = Page::in_play(&cluster, "Mara").await;
    let watcher = cluster.hero("Orin").await;
    cluster.games[0].kill9().await;
    page.is_sent_to("game-2").await;
    let player = page.plays_on(&cluster).await;
    let watching = watcher.enter().await;
    watching.until("they meet there", |sight| sight.entity_of("Mara").is_some()).await;

    // The one that died comes back, and nobody is sent there any more.
    cluster.games[0].start_again().await;
    cluster.until_heartbeats().await;
    assert_eq!(player.sight().bye, None);
    let place = page.hero.api.resume(&player.welcome.resume_token).await.unwrap();
    assert_eq!(place.endpoint.instance_id.as_str(), "game-2");
    player.leave().await;
    assert!(!page.hero.in_roster().await.in_world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_whose_name_was_taken_ends_and_its_player_plays_on_elsewhere() {
    let mut cluster = Cluster::start().await;
    let mut page = Page::in_play(&cluster, "Mara").await;
    let twin = cluster.games[0].twin().await;
    let status = cluster.games[0].ended().await;
    assert_eq!(status.code(), Some(1));
    let log = cluster.games[0].log();
    assert!(log.contains("another process has taken the name of this instance"), "{log}");
    assert_eq!(page.player.bye().await.code, ByeCode::ShuttingDown);
    page.is_sent_to("game-1").await;
    assert_eq!(page.admission.activation.endpoints.len(), 1);
    page.plays_on(&cluster).await.leave().await;
    assert!(!page.hero.in_roster().await.in_world);
    drop(twin);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_server_that_stood_still_finds_its_player_at_another_and_sends_nothing() {
    let cluster = Cluster::start().await;
    let mut page = Page::in_play(&cluster, "Mara").await;
    cluster.games[0].pause().await;
    page.is_sent_to("game-2").await;
    let player = page.plays_on(&cluster).await;
    let row = cluster.character(page.hero.id).await;
    let last = page.player.sight().tick();

    cluster.games[0].go_on().await;
    assert_eq!(page.player.bye().await.code, ByeCode::Superseded);
    assert_eq!(page.player.sight().tick(), last, "no snapshot was sent after it went on");
    cluster.until_heartbeats().await;
    assert_eq!(cluster.character(page.hero.id).await, row);
    assert_eq!(player.sight().bye, None);
    assert!(page.hero.in_roster().await.in_world);
    player.leave().await;
    eventually("it is out of the world", HAPPENED, async || {
        (!page.hero.in_roster().await.in_world).then_some(())
    })
    .await;
}

/// A redeploy: one server after the other is told to stop.
#[tokio::test(flavor = "multi_thread")]
async fn a_player_of_a_game_server_that_is_told_to_stop_plays_on_at_another_at_once() {
    let mut cluster = Cluster::start().await;
    let mut page = Page::in_play(&cluster, "Mara").await;
    cluster.games[0].stop().await;
    let bye = page.player.bye().await;
    assert_eq!((bye.code, bye.code.is_final()), (ByeCode::ShuttingDown, false));
    assert!(!page.hero.in_roster().await.in_world, "presence went with it");
    // Nobody waits for a lease: its server has let it go.
    let place = page.hero.api.resume(page.secret()).await.unwrap();
    assert_eq!(place.endpoint.instance_id.as_str(), "game-2");
    page.is_sent_to("game-2").await;
    let first = page.plays_on(&cluster).await;

    cluster.games[0].start_again().await;
    cluster.until_heartbeats().await;
    let stood = first.tile();
    let secret = first.welcome.resume_token.clone();
    cluster.games[1].stop().await;
    assert_eq!(first.bye().await.code, ByeCode::ShuttingDown);
    let place = page.hero.api.resume(&secret).await.unwrap();
    assert_eq!(place.endpoint.instance_id.as_str(), "game-1");
    page.admission.activation.endpoints = place.realtime.endpoints;
    let second = page.hero.resume(&page.admission, &secret).await.unwrap();
    assert_eq!((second.session(), second.tile()), (first.session(), stood));
    second.is_heard().await;
}
