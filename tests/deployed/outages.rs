//! Parts that are away for a while with players in the world: nobody is thrown out, who comes
//! meanwhile is told to come again, and everything goes on when they are back.

use std::time::Duration;

use shared::problem::ProblemCode;
use shared::world::Tile;
use tests::clock::Stopwatch;
use tests::cluster::Cluster;
use tests::fault_report::Row;
use tests::hero::Hero;
use tests::hold_line::Reach;
use tests::patience::{ARRIVED, HAPPENED, OUTAGE, SAVED_AFTER, eventually, throughout, within};
use tests::player::Player;
use tests::way::tile_at;

use super::back_in::{Way, get_in, plays_alone};

/// Tiles that are walked to see that the world goes on.
const SOME_TILES: usize = 4;

fn row(moment: &str, part: &str, test: &str) -> Row {
    Row::of_processes(["outage", "play", moment, part], test)
}

/// A player in the world, and one at its roster.
struct Scene {
    mara: Hero,
    player: Player,
    waiting: Hero,
}

impl Scene {
    async fn of(cluster: &Cluster) -> Self {
        let (mara, waiting) = (cluster.hero("Mara").await, cluster.hero("Orin").await);
        let player = mara.enter().await;
        Self { mara, player, waiting }
    }

    /// The player walks some tiles; gives where it stands.
    async fn walks(&self) -> Tile {
        let goal = tile_at(&self.player.map, self.player.tile(), SOME_TILES);
        self.player.walk_to(goal).await;
        goal
    }

    /// For as long as the outage lasts: nobody is thrown out.
    async fn nobody_is_thrown_out(&self) {
        throughout(OUTAGE, async || assert_eq!(self.player.sight().bye, None)).await;
    }

    /// Who comes meanwhile is told to come again.
    async fn nobody_enters(&self) {
        let refused = self.waiting.try_select().await.expect_err("a part is away");
        assert_eq!(refused.code(), ProblemCode::Unavailable);
        assert!(refused.retry_after.is_some(), "{refused:?}");
    }

    /// Everything is back: the player goes on, its places are saved, who waited gets in, and
    /// of a character's sessions one plays. Gives how long it took until places are saved.
    async fn goes_on(&self, cluster: &Cluster, clock: Stopwatch) -> Duration {
        let goal = tile_at(&self.player.map, self.player.tile(), SOME_TILES);
        self.player.set_out_for(goal).await;
        self.player.until_within("it walks on", ARRIVED, |sight| sight.rests_on(goal)).await;
        cluster.until_saved_at(self.mara.id, goal).await;
        let seconds = clock.elapsed();
        let row = cluster.character(self.waiting.id).await;
        let (other, used) = get_in(&self.waiting, Way::Roster).await;
        plays_alone(cluster, &self.waiting, &other, &used, row.tile).await;
        cluster.until_heartbeats().await;
        assert_eq!((self.player.sight().bye, other.sight().bye), (None, None));
        eventually("the player is seen in the world", HAPPENED, async || {
            self.mara.in_roster().await.in_world.then_some(())
        })
        .await;
        seconds
    }
}

/// What a Postgres that is away means, however it is.
async fn without_postgres(reach: Reach, moment: &str, test: &str) {
    let row = row(moment, "postgres", test);
    if !row.is_wanted() {
        return;
    }
    let cluster = Cluster::start_behind_lines().await;
    let scene = Scene::of(&cluster).await;
    let to_all = |reach| cluster.parts().for_each(|part| part.lines().set_postgres(reach));
    to_all(reach);
    let meanwhile = async {
        let place = scene.walks().await;
        scene.nobody_enters().await;
        place
    };
    let ((), place) = tokio::join!(scene.nobody_is_thrown_out(), meanwhile);
    let before = cluster.character(scene.mara.id).await.tile;
    assert_ne!(before, place, "nothing could be saved");
    to_all(Reach::There);
    let clock = Stopwatch::start();
    let saved = cluster.until_saved_at(scene.mara.id, place);
    within("the places are saved", SAVED_AFTER, saved).await;
    let seconds = clock.elapsed();
    scene.goes_on(&cluster, clock).await;
    row.record(
        "the player walks on meanwhile and is saved then; entering is asked to come again",
        Some(seconds),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgres_that_is_silent_for_a_while_stops_nobody_from_walking() {
    let test = "deployed::outages::a_postgres_that_is_silent_for_a_while_stops_nobody_from_walking";
    without_postgres(Reach::Silent, "silent for 20 s", test).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgres_that_is_gone_for_a_while_stops_nobody_from_walking() {
    let test = "deployed::outages::a_postgres_that_is_gone_for_a_while_stops_nobody_from_walking";
    without_postgres(Reach::Gone, "gone for 20 s", test).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_notices_that_one_control_plane_is_silent_for_a_while() {
    let test = "deployed::outages::nobody_notices_that_one_control_plane_is_silent_for_a_while";
    let row = row("stopped for 20 s", "one control plane", test);
    if !row.is_wanted() {
        return;
    }
    let cluster = Cluster::start().await;
    let scene = Scene::of(&cluster).await;
    let before = cluster.instances().await;
    cluster.control_planes[0].pause().await;
    let clock = Stopwatch::start();
    let meanwhile = async {
        let late = cluster.hero("Sela").await;
        let (player, _) = get_in(&late, Way::Roster).await;
        let seconds = clock.elapsed();
        scene.walks().await;
        (late, player, seconds)
    };
    let ((), (_late, player, seconds)) = tokio::join!(scene.nobody_is_thrown_out(), meanwhile);
    for (id, instance) in cluster.instances().await {
        assert_eq!(instance.incarnation, before[&id].incarnation, "no lease has lapsed");
    }
    cluster.control_planes[0].go_on().await;
    scene.goes_on(&cluster, Stopwatch::start()).await;
    assert_eq!(player.sight().bye, None);
    row.record("nothing is noticed; a player enters meanwhile", Some(seconds));
}

#[tokio::test(flavor = "multi_thread")]
async fn while_every_control_plane_is_silent_players_stand_still_and_go_on_then() {
    let test = "deployed::outages::\
                while_every_control_plane_is_silent_players_stand_still_and_go_on_then";
    let row = row("stopped for 20 s", "every control plane", test);
    if !row.is_wanted() {
        return;
    }
    let cluster = Cluster::start().await;
    let scene = Scene::of(&cluster).await;
    for part in &cluster.control_planes {
        part.pause().await;
    }
    tokio::join!(scene.nobody_is_thrown_out(), scene.nobody_enters());
    stands_still(&scene).await;
    for part in &cluster.control_planes {
        part.go_on().await;
    }
    let seconds = scene.goes_on(&cluster, Stopwatch::start()).await;
    row.record("players stand still after the lease, and go on then", Some(seconds));
}

#[tokio::test(flavor = "multi_thread")]
async fn while_redis_is_silent_players_stand_still_and_go_on_then() {
    let test = "deployed::outages::while_redis_is_silent_players_stand_still_and_go_on_then";
    let row = row("stopped for 20 s", "redis", test);
    if !row.is_wanted() {
        return;
    }
    let cluster = Cluster::start().await;
    let scene = Scene::of(&cluster).await;
    cluster.redis.pause().await;
    tokio::join!(scene.nobody_is_thrown_out(), scene.nobody_enters());
    stands_still(&scene).await;
    cluster.redis.go_on().await;
    let seconds = scene.goes_on(&cluster, Stopwatch::start()).await;
    row.record("players stand still after the lease, and go on then", Some(seconds));
}

/// The game server whose lease has lapsed tells nothing.
async fn stands_still(scene: &Scene) {
    let stood = scene.player.sight().tick();
    let asked = scene.waiting.api.realms(scene.waiting.token()).await;
    // As long as it takes to be asked and to answer, it has not ticked.
    drop(asked);
    assert_eq!(scene.player.sight().tick(), stood);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_ends_a_session_of_before_redis_came_back_empty() {
    let test = "deployed::outages::a_logout_ends_a_session_of_before_redis_came_back_empty";
    let row = row("started again empty", "redis", test);
    if !row.is_wanted() {
        return;
    }
    let mut cluster = Cluster::start().await;
    let scene = Scene::of(&cluster).await;
    cluster.redis.kill9().await;
    cluster.redis.start_again().await;
    let clock = Stopwatch::start();
    eventually("the player is seen in the world", HAPPENED, async || {
        scene.mara.in_roster().await.in_world.then_some(())
    })
    .await;
    let seconds = clock.elapsed();
    scene.goes_on(&cluster, clock).await;
    let goal = scene.walks().await;
    scene.mara.api.logout(scene.mara.token()).await.unwrap();
    scene.player.bye().await;
    assert_eq!(cluster.character(scene.mara.id).await.tile, goal);
    let presence = format!("presence:character:{}", scene.mara.id);
    assert!(!cluster.redis.texts().await.contains_key(&presence));
    row.record("players go on; logout and entering work", Some(seconds));
}
