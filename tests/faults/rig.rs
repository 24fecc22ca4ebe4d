//! A little server in the test's own process: login role, control plane and game servers over
//! the stores of either family, every port behind a [`Plan`]. It can die at a step, and start
//! again over the same data as the composed server does.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::task::Poll;
use std::time::Duration;

use edge_server::clock::{Clock, hash_token, new_handoff_token};
use edge_server::config::PublicUrl;
use edge_server::flows::activate_session::{self, ActivatedSession};
use edge_server::flows::disconnect::{self, EndReason};
use edge_server::flows::login_server::{DefaultGame, LoginServer};
use edge_server::flows::lose_connection::{self, Embodied};
use edge_server::flows::passwords::Passwords;
use edge_server::flows::{Refusal, game_handshake, locate_session, logout, select_character};
use edge_server::game::{CarriedZone, GameServer, GameServerPorts, InstanceIdentity};
use edge_server::lease::Lease;
use edge_server::peers::control_plane::ControlPlane;
use edge_server::peers::in_process::InProcessControlPlane;
use edge_server::peers::session_holders::LocalHolders;
use edge_server::stores::{
    AccountCreation, AccountStore as _, CharacterCreation, CharacterStore as _, EpochWrite,
    HandoffStore as _, LegacyHandoffStore as _, LoginCreation, LoginStore as _, NewCharacter,
};
use edge_server::workers::instance_keeper;
use edge_server::workers::location_saver::location_saver;
use edge_server::world::World;
use edge_server::world::zone::ZoneHandle;
use shared::account::{Account, ResumeResponse, SelectCharacter, SelectResponse};
use shared::coordination::{AccountClaims, HandoffCacheRecord, HandoffScope};
use shared::gameplay::{HandshakeRequest, HandshakeResponse, RealtimeEndpoint};
use shared::ids::{AccountId, CharacterId, InstanceId, Placement, RealmId, Try, UnixMillis};
use shared::realtime::message::{Claim, EntityId, RealtimeHello};
use shared::secret::{AccessToken, ResumeToken};
use shared::version::{PROTOCOL_VERSION, PayloadVersion};
use shared::world::Tile;
use tests::api::{Admission, accepted, hello};
use tests::clock::new_attempt;
use tests::faults::Plan;
use tests::faults::control_plane::{FaultyControlPlane, FaultyHolders};
use tests::faults::stores::FaultyStores;
use tests::patience::{HAPPENED, within};
use tests::repository;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::ground::{Family, Ground, OpenStores};
use super::heard::{Claimed, Hero, Pass, Playing, Shaken};
use crate::control_plane::rig::Served;

/// Longer than anything in the server lives without being renewed.
/// Nobody keeps the leases of instances here, and no test takes so long.
const LEASE_OF_INSTANCES: Duration = Duration::from_secs(60 * 60);
const LATER: Duration = Duration::from_secs(60 * 60);

/// The HTTP port of the first instance; the others follow.
const FIRST_PORT: u16 = 8_081;

/// In place of a hash: nobody logs in here, whoever plays is logged in.
const NO_PASSWORD: &str = "no password";

pub(super) static WORLD: LazyLock<Arc<World>> =
    LazyLock::new(|| Arc::new(World::load(&repository::world_dir()).unwrap()));
/// Nobody logs in with a password here; the server wants its hasher all the same.
static PASSWORDS: LazyLock<Passwords> = LazyLock::new(|| Passwords::new(1));

/// See the module.
pub(super) struct Rig {
    ground: Ground,
    instances: Vec<(&'static str, u32)>,
    way: Way,
    process: Process,
    heroes: AtomicU32,
}

/// How roles reach the control plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    InProcess,
    OverHttp,
}

struct Process {
    plan: Arc<Plan>,
    /// Without faults, for what tests prepare and look at.
    stores: FaultyStores,
    open: OpenStores,
    login: LoginServer,
    games: Vec<Arc<GameServer>>,
    /// The control plane's server, if roles reach it over HTTP.
    _served: Option<Served>,
    stopping: CancellationToken,
    tasks: Mutex<JoinSet<()>>,
}

pub(super) fn dawn() -> RealmId {
    "dawn".parse().unwrap()
}

pub(super) fn harbor() -> Placement {
    "dawn/harbor".parse().unwrap()
}

/// Tiles of the harbor where a body can stand, the start first.
pub(super) fn places() -> &'static [Tile] {
    static PLACES: LazyLock<Vec<Tile>> = LazyLock::new(|| {
        let map = &WORLD.zones[&harbor().zone].map;
        let stands = |tile: &Tile| map.standing_place(*tile).tile() == *tile;
        let (width, height) = (map.parts().width, map.parts().height);
        let all = (0..height).flat_map(|y| (0..width).map(move |x| Tile { x, y }));
        let others = all.filter(|tile| *tile != map.start() && stands(tile));
        std::iter::once(map.start()).chain(others).collect()
    });
    &PLACES
}

impl Process {
    async fn start(ground: &Ground, instances: &[(&'static str, u32)], way: Way) -> Self {
        let open = ground.open().await;
        let stores = FaultyStores::without_faults(open.ports());
        let plan = Arc::new(Plan::default());
        let faulty = Arc::new(FaultyStores { inner: open.ports(), plan: plan.clone() });
        let holders = Arc::new(LocalHolders::default());
        let mut control_plane: Arc<dyn ControlPlane> = Arc::new(FaultyControlPlane {
            inner: Arc::new(InProcessControlPlane {
                handoffs: faulty.clone(),
                holds: faulty.clone(),
                legacy_handoffs: faulty.clone(),
                transfers: faulty.clone(),
                presence: faulty.clone(),
                registry: faulty.clone(),
                holders: Arc::new(FaultyHolders { inner: holders.clone(), plan: plan.clone() }),
                clock: Clock,
            }),
            plan: plan.clone(),
        });
        let mut served = None;
        if way == Way::OverHttp {
            let server = Served::start(control_plane).await;
            control_plane = server.client();
            served = Some(server);
        }
        let login = LoginServer {
            accounts: faulty.clone(),
            logins: faulty.clone(),
            characters: faulty.clone(),
            ledger: faulty.clone(),
            control_plane: control_plane.clone(),
            world: WORLD.clone(),
            default_game: None,
            passwords: PASSWORDS.clone(),
            clock: Clock,
        };
        let (mut games, mut tasks, stopping) =
            (Vec::new(), JoinSet::new(), CancellationToken::new());
        for (port, (id, capacity)) in (FIRST_PORT..).zip(instances) {
            let (saver, saver_worker) = location_saver();
            let lease = Arc::new(Lease::new(Clock.now().0));
            lease.begin(Clock.moment() + LEASE_OF_INSTANCES);
            let map = WORLD.zones[&harbor().zone].map.clone();
            let (zone, zone_task) =
                ZoneHandle::prepare(harbor(), map, saver.clone(), lease.clone());
            tasks.spawn(zone_task);
            let identity = InstanceIdentity {
                id: id.parse().unwrap(),
                lease,
                http_url: format!("http://127.0.0.1:{port}"),
                internal_url: format!("http://127.0.0.1:{port}"),
                http_port: port,
            };
            let ports = GameServerPorts {
                characters: faulty.clone(),
                logins: faulty.clone(),
                ledger: faulty.clone(),
                journal: faulty.clone(),
                control_plane: control_plane.clone(),
            };
            let carried = BTreeMap::from([(harbor(), CarriedZone { zone, capacity: *capacity })]);
            let endpoint = RealtimeEndpoint {
                url: "https://127.0.0.1:4433/realtime".to_owned(),
                cert_hashes: vec![],
                healthy: true,
            };
            let world = WORLD.clone();
            let game = GameServer::new(identity, ports, world, carried, vec![endpoint]);
            let game = Arc::new(game);
            holders.enter(game.identity.id.clone(), &game);
            tasks.spawn(saver_worker.run(game.clone(), stopping.clone()));
            games.push(game);
        }
        let seats: Vec<_> = games.iter().map(Arc::downgrade).collect();
        plan.look_at_each_step(move || {
            for game in seats.iter().filter_map(std::sync::Weak::upgrade) {
                let sound = game.directory().check_invariants();
                assert_eq!(sound, Ok(()), "{}", game.identity.id);
            }
        });
        let tasks = Mutex::new(tasks);
        Self { plan, stores, open, login, games, _served: served, stopping, tasks }
    }

    /// Ends as a crash does: nothing of it runs on, and nothing is tidied up.
    async fn kill(&mut self) {
        self.plan.die();
        self.stopping.cancel();
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap());
        tasks.shutdown().await;
        self.open.close().await;
    }
}

impl Rig {
    /// A server with these instances of the harbor and their seats.
    pub(super) async fn start(family: Family, instances: &[(&'static str, u32)]) -> Self {
        Self::start_on(family, Way::InProcess, instances).await
    }

    /// The same, with login and game servers that reach the control plane over HTTP.
    pub(super) async fn start_over_http(family: Family, instances: &[(&'static str, u32)]) -> Self {
        Self::start_on(family, Way::OverHttp, instances).await
    }

    async fn start_on(family: Family, way: Way, instances: &[(&'static str, u32)]) -> Self {
        let ground = Ground::new(family).await;
        let process = Process::start(&ground, instances, way).await;
        let (instances, heroes) = (instances.to_vec(), AtomicU32::new(0));
        let rig = Self { ground, instances, way, process, heroes };
        rig.beat().await;
        rig
    }

    /// Kills the process and starts another one over the same data.
    pub(super) async fn restart(&mut self) {
        self.process.kill().await;
        self.process = Process::start(&self.ground, &self.instances, self.way).await;
        self.beat().await;
    }

    /// What outlives the process.
    pub(super) fn ground(&self) -> &Ground {
        &self.ground
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.process.plan
    }

    pub(super) fn stores(&self) -> &FaultyStores {
        &self.process.stores
    }

    pub(super) fn games(&self) -> &[Arc<GameServer>] {
        &self.process.games
    }

    /// The only instance, or the first.
    pub(super) fn game(&self) -> &Arc<GameServer> {
        &self.process.games[0]
    }

    pub(super) fn game_of(&self, id: &InstanceId) -> &Arc<GameServer> {
        self.games().iter().find(|game| game.identity.id == *id).unwrap()
    }

    /// From now on players are sent to the first instance while allocation does not answer.
    pub(super) fn set_default_game(&mut self) {
        let url = PublicUrl::of_listener("http", ([127, 0, 0, 1], FIRST_PORT).into());
        self.process.login.default_game = Some(DefaultGame::of_url(&url));
    }

    /// What `DELETE /v1/sessions/current` comes to; nothing if the process dies.
    pub(super) async fn logout(&self, hero: &Hero) -> Option<Result<(), Refusal>> {
        let login = &self.process.login;
        self.plan().while_alive(logout::run(login, &hero.login)).await
    }

    /// What `POST /v1/resume` comes to; nothing if the process dies.
    pub(super) async fn locate(
        &self,
        token: &ResumeToken,
    ) -> Option<Result<ResumeResponse, Refusal>> {
        self.plan().while_alive(locate_session::run(&self.process.login, token)).await
    }

    /// Every instance tells the registry that it lives, and how full it is.
    pub(super) async fn beat(&self) {
        for game in self.games() {
            let record = instance_keeper::instance_record(game, Clock.now());
            let written = game.control_plane.heartbeat(&record, &[]).await.unwrap();
            assert_eq!(written.outcome, EpochWrite::Written);
        }
    }

    /// An account, logged in, with one character at the start.
    pub(super) async fn hero(&self) -> Hero {
        let number = u128::from(self.heroes.fetch_add(1, Ordering::Relaxed));
        let id = AccountId::new(Uuid::from_u128(0xacc0_0000_0000 + number));
        let account = Account { id, username: format!("player{number}") };
        let now = Clock.now();
        let made = self.stores().create_account(&account, NO_PASSWORD, now).await.unwrap();
        assert_eq!(made, AccountCreation::Created);
        let login: AccessToken = format!("access-of-player-{number}").parse().unwrap();
        let hash = hash_token(login.expose());
        let login_end = now.plus(LATER);
        let made = self.stores().create_login(&hash, id, NO_PASSWORD, login_end).await.unwrap();
        assert_eq!(made, LoginCreation::Created);
        let character = self.character_of(&account, &format!("Hero {number}")).await;
        Hero { account, login, character }
    }

    /// A further character of an account.
    pub(super) async fn character_of(&self, account: &Account, name: &str) -> CharacterId {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = u128::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let character = NewCharacter {
            id: CharacterId::new(Uuid::from_u128(0xc4a0_0000_0000 + number)),
            account_id: account.id,
            realm: dawn(),
            name: name.to_owned(),
            appearance: Default::default(),
            zone: harbor().zone,
            tile: places()[0],
        };
        let made = self.stores().create_character(&character, Clock.now()).await.unwrap();
        assert_eq!(made, CharacterCreation::Created);
        character.id
    }

    /// What `POST /v1/select-character` comes to; nothing if the process dies.
    pub(super) async fn try_select(&self, hero: &Hero) -> Option<Result<SelectResponse, Refusal>> {
        let login = &self.process.login;
        let wish = SelectCharacter { realm_id: dawn(), character_id: hero.character };
        let select = async {
            let account = login.authenticate(&hero.login).await?;
            select_character::run(login, &account, &hero.login, &wish).await
        };
        self.plan().while_alive(select).await
    }

    /// Selects and begins an attempt with what came of it.
    pub(super) async fn select(&self, hero: &Hero) -> Pass {
        self.beat().await;
        let selected = self.try_select(hero).await.expect("the process lives");
        Pass::of(selected.expect("one's own character can be selected"))
    }

    /// A handoff to the first instance as select prepares it, without asking for a seat.
    pub(super) async fn pass(&self, hero: &Hero) -> Pass {
        self.pass_to(self.game(), hero).await
    }

    /// The same to another instance.
    pub(super) async fn pass_to(&self, game: &GameServer, hero: &Hero) -> Pass {
        let row = self.stores().character(hero.character).await.unwrap().unwrap();
        let (token, instance) = (new_handoff_token(), game.identity.id.clone());
        let record = HandoffCacheRecord {
            payload_version: PayloadVersion::CURRENT,
            token: hash_token(token.expose()),
            account_id: hero.account.id,
            claims: AccountClaims { username: hero.account.username.clone() },
            login: hash_token(hero.login.expose()),
            character_id: hero.character,
            realm_id: dawn(),
            target_zone: row.zone,
            target_placement: harbor(),
            target_instance: instance.clone(),
            dungeon_run_id: None,
            start_tile: None,
            transfer: None,
            redirected_from: vec![],
            expected_epoch: row.epoch,
            scope: HandoffScope::Instance(instance.clone()),
            expires_at: Clock.now().plus(LATER),
        };
        self.stores().put_handoff(&record).await.unwrap();
        Pass { instance, token, attempt: new_attempt() }
    }

    /// What `POST /v1/handshake` comes to.
    pub(super) async fn shake(&self, pass: &Pass, r#try: u32) -> Shaken {
        let hello = hello(pass.attempt, Try(r#try));
        let request = HandshakeRequest { hello, token: pass.token.clone() };
        let game = self.game_of(&pass.instance);
        match self.plan().while_alive(game_handshake::run(game, request)).await {
            None => Shaken::Lost,
            Some(Err(refusal)) => Shaken::Refused(refusal.problem.code),
            Some(Ok(HandshakeResponse { rejection: Some(rejection), .. })) => {
                Shaken::Rejected(rejection.code)
            }
            Some(Ok(HandshakeResponse { redirect: Some(to), .. })) => {
                Shaken::Redirected(to.instance_id)
            }
            Some(Ok(answer)) => Shaken::Accepted(Box::new(accepted(answer))),
        }
    }

    /// What a hello on the realtime stream comes to.
    pub(super) async fn claim(&self, admission: &Admission) -> Claimed {
        self.claim_by(admission, Claim::Ticket(admission.ticket.clone())).await
    }

    /// The same for a session that has been claimed before.
    pub(super) async fn resume(&self, admission: &Admission, secret: &ResumeToken) -> Claimed {
        self.claim_by(admission, Claim::Resume(secret.clone())).await
    }

    async fn claim_by(&self, admission: &Admission, claim: Claim) -> Claimed {
        let hello = RealtimeHello {
            protocol_version: PROTOCOL_VERSION,
            session_token: admission.activation.session_token.clone(),
            claim,
        };
        let game = self.game_of(&admission.activation.instance_id);
        match self.plan().while_alive(activate_session::run(game, &hello)).await {
            None => Claimed::Lost,
            Some(Err(code)) => Claimed::Bye(code),
            Some(Ok(activated)) => Claimed::Playing(Box::new(activated)),
        }
    }

    /// Enters the world from the roster, without faults.
    pub(super) async fn enter(&self, hero: &Hero) -> Playing {
        self.enter_with(self.select(hero).await).await
    }

    /// Enters the world with a handoff, without faults.
    pub(super) async fn enter_with(&self, pass: Pass) -> Playing {
        let admission = self.shake(&pass, 1).await.accepted();
        let activated = self.claim(&admission).await.playing();
        Playing { pass, admission, activated }
    }

    /// Ends a session as its serving task does; nothing if the process dies.
    pub(super) async fn leave(&self, playing: Playing, last: Tile) -> Option<()> {
        let game = self.game_of(&playing.admission.activation.instance_id).clone();
        let ActivatedSession { session, claim, control, .. } = playing.activated;
        assert!(disconnect::begin(&game, &session, claim), "a later claim has it");
        let end = disconnect::run(&game, &session, Some(last), EndReason::LoggedOut);
        let done = self.plan().while_alive(end).await;
        control.finish();
        done
    }

    /// Serves a session as its task does: once it is asked to end, its place is saved, its
    /// records go, and whoever waits for it hears of it.
    pub(super) fn serve(&self, playing: Playing, last: Tile) {
        let game = self.game_of(&playing.admission.activation.instance_id).clone();
        let ActivatedSession { session, claim, mut control, .. } = playing.activated;
        self.process.tasks.lock().unwrap().spawn(async move {
            let code = control.asked_to_end().await;
            if disconnect::begin(&game, &session, claim) {
                disconnect::run(&game, &session, Some(last), EndReason::Ended(code)).await;
            }
            control.finish();
        });
    }

    /// The connection of a session is lost, as its task has just noticed. Its body is of no
    /// zone here; it is said to stand at `last`.
    pub(super) async fn lose(&self, playing: Playing, last: Tile) {
        let game = self.game_of(&playing.admission.activation.instance_id).clone();
        let ActivatedSession { session, claim, mut control, .. } = playing.activated;
        let body = Embodied { zone: game.zones[&harbor()].clone(), entity: EntityId(0) };
        let mut task = Box::pin(async move {
            let lost = EndReason::Lost;
            let end = lose_connection::run(&game, &session, claim, &body, lost, &mut control);
            let reason = end.await;
            if disconnect::begin(&game, &session, claim) {
                disconnect::run(&game, &session, Some(last), reason).await;
            }
            control.finish();
        });
        // The loss is noted before anything is waited for.
        std::future::poll_fn(|context| {
            let _ = task.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
        self.process.tasks.lock().unwrap().spawn(task);
    }

    /// The instances' keepers end what nobody has claimed, for the first time or again.
    pub(super) async fn end_unclaimed(&self) {
        for game in self.games() {
            let linkdead: Vec<_> = {
                let directory = game.directory();
                let lost = directory.all_active().filter(|active| active.is_linkdead());
                lost.map(|active| active.handle.clone()).collect()
            };
            instance_keeper::end_unclaimed(game, Clock.now().plus(LATER)).await;
            for handle in linkdead {
                within("a session whose grace is over ends", HAPPENED, handle.ended()).await;
            }
        }
    }

    /// Everything that ends by itself does: what nobody has claimed by the instances'
    /// keepers, records by their expiry.
    pub(super) async fn let_time_pass(&self) {
        self.end_unclaimed().await;
        self.renew().await;
        self.ground.expire_records().await;
        self.stores().prune_handoff_rows(Clock.now().plus(LATER)).await.unwrap();
    }

    /// Now, by the server's clock.
    pub(super) fn now() -> UnixMillis {
        Clock.now()
    }
}
