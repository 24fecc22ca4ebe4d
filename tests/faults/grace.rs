//! The grace of a lost connection over real connections, in the test's own process: nobody
//! waits two minutes, the keeper is told what time it is.

use edge_server::realtime::{RealtimeConfig, RealtimeServer};
use edge_server::stores::CharacterStore as _;
use edge_server::workers::instance_keeper;
use shared::gameplay::RealtimeEndpoint;
use shared::ids::UnixMillis;
use shared::limits::RESUME_GRACE;
use shared::realtime::REALTIME_PATH;
use shared::realtime::message::EntityId;
use shared::world::Tile;
use shared::world::map::ZoneMap;
use tests::api::Admission;
use tests::patience::{HAPPENED, eventually, within};
use tests::player::Player;
use tests::way::tile_at;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::ground::Family;
use super::heard::Hero;
use super::rig::{Rig, WORLD, harbor};

const ORIGIN: &str = "http://localhost:8080";

/// A rig whose first instance has its door for players open.
struct Door {
    rig: Rig,
    endpoint: RealtimeEndpoint,
    stopping: CancellationToken,
    serving: JoinHandle<()>,
}

/// A player whose connection is lost.
struct Lost {
    hero: Hero,
    entity: EntityId,
    /// Where it stood.
    tile: Tile,
    /// The loss is not earlier than this, and not later than that.
    between: (UnixMillis, UnixMillis),
}

impl Door {
    async fn open(family: Family) -> Self {
        let rig = Rig::start(family, &[("edge-a", 8)]).await;
        let config = RealtimeConfig {
            addr: ([127, 0, 0, 1], 0).into(),
            public_url: "https://127.0.0.1".to_owned(),
            allowed_origins: vec![ORIGIN.to_owned()],
            now: Rig::now(),
        };
        let (server, addr, cert_hashes) = RealtimeServer::bind(config).unwrap();
        let url = format!("https://{addr}{REALTIME_PATH}");
        let endpoint = RealtimeEndpoint { url, cert_hashes, healthy: true };
        let stopping = CancellationToken::new();
        let serving = tokio::spawn(server.run(rig.game().clone(), stopping.clone()));
        Self { rig, endpoint, stopping, serving }
    }

    async fn enter(&self, hero: &Hero) -> Player {
        let pass = self.rig.select(hero).await;
        let mut admission: Admission = self.rig.shake(&pass, 1).await.accepted();
        admission.activation.endpoints = vec![self.endpoint.clone()];
        Player::claim(ORIGIN, &admission, map()).await.unwrap()
    }

    /// Somebody walks, and then the line is lost.
    async fn lose(&self) -> Lost {
        let hero = self.rig.hero().await;
        let player = self.enter(&hero).await;
        let tile = tile_at(&player.map, player.tile(), 6);
        player.walk_to(tile).await;
        let (session, entity) = (player.session().clone(), player.entity());
        let before = Rig::now();
        player.vanish().await;
        eventually("the loss is noticed", HAPPENED, async || {
            let directory = self.rig.game().directory();
            let mut all = directory.all_active();
            let own = all.find(|active| active.session.session_token == session)?;
            own.is_linkdead().then_some(())
        })
        .await;
        Lost { hero, entity, tile, between: (before, Rig::now()) }
    }

    async fn tile(&self, lost: &Lost) -> Tile {
        self.rig.stores().character(lost.hero.character).await.unwrap().unwrap().tile
    }
}

fn map() -> ZoneMap {
    (*WORLD.zones[&harbor().zone].map).clone()
}

async fn the_body_is_gone_and_the_place_saved_once_the_grace_is_over_and_not_before(
    family: Family,
) {
    let door = Door::open(family).await;
    let watcher = door.enter(&door.rig.hero().await).await;
    let lost = door.lose().await;
    eventually("the place is committed at once", HAPPENED, async || {
        (door.tile(&lost).await == lost.tile).then_some(())
    })
    .await;
    let game = door.rig.game();
    let just_before = UnixMillis(lost.between.0.plus(RESUME_GRACE).0 - 1);
    instance_keeper::end_unclaimed(game, just_before).await;
    let tick = watcher.sight().tick().unwrap();
    let seen = watcher.until("time goes by", |s| s.tick().is_some_and(|t| t > tick + 10)).await;
    let body = seen.body(lost.entity).expect("it is still seen");
    assert_eq!((body.walking, body.position.tile()), (false, lost.tile));
    assert_eq!(door.rig.seats_taken(), 2);

    instance_keeper::end_unclaimed(game, lost.between.1.plus(RESUME_GRACE)).await;
    let entity = lost.entity;
    watcher.until("it is gone", |s| s.gone.contains(&entity) && s.players() == 1).await;
    eventually("its seat is free", HAPPENED, async || (door.rig.seats_taken() == 1).then_some(()))
        .await;
    assert_eq!(door.tile(&lost).await, lost.tile);
    assert_eq!(door.rig.ground().session_keys().await.len(), 3, "the watcher's alone");
    assert_eq!(watcher.sight().bye, None);
}

async fn a_drain_lets_linkdead_sessions_go_with_their_places_saved(family: Family) {
    let door = Door::open(family).await;
    let lost = door.lose().await;
    instance_keeper::drain(door.rig.game()).await;
    door.stopping.cancel();
    let Door { rig, serving, .. } = door;
    within("the endpoint waits for nobody's grace", HAPPENED, serving).await.unwrap();
    assert_eq!(rig.seats_taken(), 0);
    let left = rig.ground().session_keys().await;
    assert_eq!(left.len(), 1, "whoever takes it up finds it in the ledger: {left:?}");
    let row = rig.stores().character(lost.hero.character).await.unwrap().unwrap();
    assert_eq!(row.tile, lost.tile);
}

over_both_families!(
    the_body_is_gone_and_the_place_saved_once_the_grace_is_over_and_not_before,
    a_drain_lets_linkdead_sessions_go_with_their_places_saved,
);
