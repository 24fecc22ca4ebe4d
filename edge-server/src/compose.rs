//! The one place that names concrete stores and puts a process together from its parts.
//!
//! Everything that can refuse to start is tried before anything is changed: the world is
//! read, then every port is taken, and only then is the store opened.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use axum::Router;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use shared::gameplay::RealtimeEndpoint;
use shared::realtime::REALTIME_PATH;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::{DatabaseArgs, PublicUrl, ServeArgs};
use crate::domain::client_address::TrustedProxies;
use crate::flows::login_server::{DefaultGame, LoginServer};
use crate::flows::passwords::Passwords;
use crate::game::{CarriedZone, GameServer, GameServerPorts, InstanceIdentity};
use crate::http::rate_limit::{Limit, LoginLimits};
use crate::http::{self, game_routes};
use crate::peers::control_plane::ControlPlane;
use crate::peers::in_process::InProcessControlPlane;
use crate::peers::session_holders::LocalHolders;
use crate::realtime::{RealtimeConfig, RealtimeServer};
use crate::stores::sqlite::SqliteStores;
use crate::stores::{
    AccountStore, CharacterStore, CoordinationGarbage, EpochWrite, HandoffStore, HoldStore,
    LegacyHandoffStore, LoginStore, PresenceStore, RegistryStore, ResumeLedgerStore,
    TransferMarkerStore,
};
use crate::workers::location_saver::location_saver;
use crate::workers::{garbage, instance_keeper};
use crate::world::World;
use crate::world::world_file::InstanceSettings;
use crate::world::zone::ZoneHandle;

/// How long a stopping process waits for its zones to be left.
pub const DRAIN_TIME: Duration = Duration::from_secs(10);

/// A process that serves.
pub struct Running {
    /// The address to open in a browser.
    pub address: String,
    tasks: JoinSet<anyhow::Result<()>>,
    stores: Arc<SqliteStores>,
    stopping: CancellationToken,
}

impl Running {
    /// Waits until the process has been told to stop and has drained.
    ///
    /// # Errors
    /// The first part that failed or ended by itself; the others are stopped then.
    pub async fn stopped(mut self) -> anyhow::Result<()> {
        let mut failed = None;
        while let Some(ended) = self.tasks.join_next().await {
            let result = match ended.context("a part of the server died") {
                Ok(Ok(())) if !self.stopping.is_cancelled() => {
                    Err(anyhow::anyhow!("a part of the server ended by itself"))
                }
                Ok(result) => result,
                Err(died) => Err(died),
            };
            if let Err(error) = result {
                tracing::error!(error = format!("{error:#}"), "a part of the server failed");
                failed.get_or_insert(error);
                self.stopping.cancel();
            }
        }
        self.stores.close().await;
        match failed {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Brings the database to this build's schema.
///
/// # Errors
/// One line that says why the store did not open.
pub async fn migrate(args: &DatabaseArgs) -> anyhow::Result<()> {
    SqliteStores::open(&args.database_url).await?.close().await;
    Ok(())
}

/// Starts role `all` on the embedded store; serves until `stopping` is cancelled.
///
/// # Errors
/// One line that names what could not be opened and what to do; nothing has changed then.
pub async fn start(args: &ServeArgs, stopping: CancellationToken) -> anyhow::Result<Running> {
    let world = Arc::new(World::load(&args.world.world_dir)?);
    let doors = Doors::open(args, &world).await?;
    let stores = Arc::new(SqliteStores::open(&args.database.database_url).await?);
    // The file has one process, and a session ends with it: what an earlier process left of
    // instances and sessions points to nothing.
    let left_over = stores.forget_earlier_process().await?;
    if left_over > 0 {
        tracing::info!(left_over, "records of an earlier process were removed");
    }
    match assemble(args, &stopping, world, stores.clone(), doors).await {
        Ok(running) => Ok(running),
        Err(error) => {
            stopping.cancel();
            stores.close().await;
            Err(error)
        }
    }
}

/// Every port of the process, taken and not yet served.
struct Doors {
    page: TcpListener,
    public: PublicUrl,
    /// Origins of pages that may talk to the instances.
    origins: Vec<String>,
    instances: Vec<InstanceDoors>,
}

/// The ports of one instance.
struct InstanceDoors {
    settings: InstanceSettings,
    http: TcpListener,
    http_url: String,
    http_port: u16,
    realtime: RealtimeServer,
    endpoint: RealtimeEndpoint,
}

impl Doors {
    async fn open(args: &ServeArgs, world: &World) -> anyhow::Result<Self> {
        let page = listen(args.http_addr).await?;
        let address = page.local_addr()?;
        let public =
            args.public_http_url.clone().unwrap_or_else(|| PublicUrl::of_listener("http", address));
        let origins = allowed_origins(args, &public, address);
        let mut instances = Vec::new();
        for (index, settings) in (0u16..).zip(&world.file.instances) {
            instances.push(InstanceDoors::open(args, settings.clone(), index, &origins).await?);
        }
        Ok(Self { page, public, origins, instances })
    }
}

impl InstanceDoors {
    async fn open(
        args: &ServeArgs,
        settings: InstanceSettings,
        index: u16,
        origins: &[String],
    ) -> anyhow::Result<Self> {
        let http = listen(port_after(args.http_addr, 1 + index)?).await?;
        let http_address = http.local_addr()?;
        let http_url = match &args.public_http_url {
            Some(url) => url.further(1 + index, http_address.port()),
            None => PublicUrl::of_listener("http", http_address),
        };
        let addr = port_after(args.realtime_addr, index)?;
        let public = args
            .public_realtime_url
            .clone()
            .unwrap_or(PublicUrl { port: None, ..PublicUrl::of_listener("https", addr) });
        let (realtime, local, cert_hashes) = RealtimeServer::bind(RealtimeConfig {
            addr,
            public_url: public.origin(),
            allowed_origins: origins.to_vec(),
            now: Clock.now(),
        })?;
        let url = format!("{}{REALTIME_PATH}", public.further(index, local.port()).origin());
        let endpoint = RealtimeEndpoint { url, cert_hashes, healthy: true };
        let (http_url, http_port) = (http_url.origin(), http_url.effective_port());
        Ok(Self { settings, http, http_url, http_port, realtime, endpoint })
    }
}

async fn assemble(
    args: &ServeArgs,
    stopping: &CancellationToken,
    world: Arc<World>,
    stores: Arc<SqliteStores>,
    doors: Doors,
) -> anyhow::Result<Running> {
    let holders = Arc::new(LocalHolders::default());
    let control_plane: Arc<dyn ControlPlane> = Arc::new(InProcessControlPlane {
        handoffs: stores.clone() as Arc<dyn HandoffStore>,
        holds: stores.clone() as Arc<dyn HoldStore>,
        legacy_handoffs: stores.clone() as Arc<dyn LegacyHandoffStore>,
        transfers: stores.clone() as Arc<dyn TransferMarkerStore>,
        presence: stores.clone() as Arc<dyn PresenceStore>,
        registry: stores.clone() as Arc<dyn RegistryStore>,
        holders: holders.clone(),
        clock: Clock,
    });
    let mut process = Process {
        zone_capacity: args.zone_capacity,
        proxies: TrustedProxies::new(&args.trusted_proxies),
        origins: doors.origins,
        control_plane: control_plane.clone(),
        holders,
        world: world.clone(),
        stores: stores.clone(),
        metrics: PrometheusBuilder::new().install_recorder().context("metrics are taken")?,
        stopping: stopping.clone(),
        tasks: JoinSet::new(),
    };
    for instance in doors.instances {
        process.start_instance(instance).await?;
    }
    let login = Arc::new(LoginServer {
        accounts: stores.clone() as Arc<dyn AccountStore>,
        logins: stores.clone() as Arc<dyn LoginStore>,
        characters: stores.clone() as Arc<dyn CharacterStore>,
        ledger: stores.clone() as Arc<dyn ResumeLedgerStore>,
        control_plane: control_plane.clone(),
        world: world.clone(),
        default_game: args.default_game_url.as_ref().map(DefaultGame::of_url),
        passwords: Passwords::new(
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        ),
        clock: Clock,
    });
    let limits = Arc::new(LoginLimits::default());
    let internal = match &args.service_token {
        Some(token) => http::internal_routes::router(control_plane.clone(), token.clone()),
        None => http::internal_routes::closed(),
    };
    let router = http::login_routes::router(login, limits.clone())
        .merge(internal)
        .merge(http::world_assets::router(world))
        .merge(http::openapi::router())
        .merge(process.health())
        .fallback_service(http::page::router(&args.static_dir, control_plane));
    let router = http::finish(router, process.proxies.clone());
    let proxies = process.proxies.clone();
    process.keep(http::listener::serve(doors.page, router, proxies, stopping.clone()));
    let small = stopping.clone();
    process.keep(async move { limits.keep_small(small).await });
    let logins = stores.clone() as Arc<dyn LoginStore>;
    let legacy = stores.clone() as Arc<dyn LegacyHandoffStore>;
    let coordination = stores.clone() as Arc<dyn CoordinationGarbage>;
    process.keep(garbage::run(logins, legacy, coordination, Clock, stopping.clone()));
    Ok(Running {
        address: doors.public.origin(),
        tasks: process.tasks,
        stores,
        stopping: stopping.clone(),
    })
}

/// A process that is being put together.
struct Process {
    zone_capacity: Option<u32>,
    proxies: TrustedProxies,
    origins: Vec<String>,
    control_plane: Arc<dyn ControlPlane>,
    holders: Arc<LocalHolders>,
    world: Arc<World>,
    stores: Arc<SqliteStores>,
    metrics: PrometheusHandle,
    stopping: CancellationToken,
    tasks: JoinSet<anyhow::Result<()>>,
}

impl Process {
    async fn start_instance(&mut self, doors: InstanceDoors) -> anyhow::Result<()> {
        let (saver, saver_worker) = location_saver();
        let mut carried = BTreeMap::new();
        for placement in self.world.file.placements(&doors.settings) {
            let baked = &self.world.zones[&placement.zone];
            let capacity = self.zone_capacity.unwrap_or(baked.settings.capacity);
            let (zone, task) =
                ZoneHandle::prepare(placement.clone(), baked.map.clone(), saver.clone());
            self.keep(task);
            carried.insert(placement, CarriedZone { zone, capacity });
        }
        let identity = InstanceIdentity {
            id: doors.settings.id.clone(),
            incarnation: Clock.now().0,
            http_url: doors.http_url,
            http_port: doors.http_port,
        };
        let ports = GameServerPorts {
            characters: self.stores.clone() as Arc<dyn CharacterStore>,
            logins: self.stores.clone() as Arc<dyn LoginStore>,
            ledger: self.stores.clone() as Arc<dyn ResumeLedgerStore>,
            control_plane: self.control_plane.clone(),
        };
        let (world, endpoints) = (self.world.clone(), vec![doors.endpoint]);
        let game = Arc::new(GameServer::new(identity, ports, world, saver, carried, endpoints));
        self.holders.enter(game.identity.id.clone(), &game);
        // Registered before the address is announced: the first player finds it.
        let record = instance_keeper::instance_record(&game, Clock.now());
        if self.control_plane.heartbeat(&record).await? == EpochWrite::Superseded {
            bail!(
                "the registry knows a later process of instance {}: set the clock right, or stop \
                 the other server",
                record.id
            );
        }
        let handshakes = Arc::new(Limit::handshakes());
        let state = game_routes::GameState { game: game.clone(), handshakes: handshakes.clone() };
        let router = game_routes::router(state)
            .merge(http::world_assets::router(self.world.clone()))
            .merge(http::openapi::router())
            .merge(self.health())
            .fallback(http::not_found);
        let router = http::finish(router, self.proxies.clone());
        let router = router.layer(game_routes::cors(&self.origins));
        let stopping = self.stopping.clone();
        let proxies = self.proxies.clone();
        self.keep(http::listener::serve(doors.http, router, proxies, stopping.clone()));
        let small = stopping.clone();
        self.keep(async move { handshakes.keep_small(small).await });
        self.keep(instance_keeper::run(game.clone(), stopping.clone()));
        self.keep(saver_worker.run(game.clone(), stopping.clone()));
        self.keep(serve_realtime(doors.realtime, game, stopping));
        Ok(())
    }

    fn health(&self) -> Router {
        http::health::router(self.stopping.clone(), self.metrics.clone())
    }

    /// Runs a part that works until the process stops.
    fn keep(&mut self, part: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(async move {
            part.await;
            Ok(())
        });
    }
}

/// Serves sessions until the process stops, then closes the zones behind the last one.
async fn serve_realtime(
    realtime: RealtimeServer,
    game: Arc<GameServer>,
    stopping: CancellationToken,
) {
    realtime.run(game.clone(), stopping).await;
    let all_left = async {
        for zone in game.zones.values() {
            zone.stop().await;
        }
    };
    if tokio::time::timeout(DRAIN_TIME, all_left).await.is_err() {
        tracing::warn!("a zone was closed with players in it");
    }
}

/// The pages that may talk to game servers: those configured, and the one served here
/// under the names that a browser on this machine uses for it.
fn allowed_origins(args: &ServeArgs, public: &PublicUrl, page: SocketAddr) -> Vec<String> {
    let mut origins = args.allowed_origins.clone();
    origins.push(public.origin());
    if page.ip().is_loopback() || page.ip().is_unspecified() {
        origins.push(format!("http://127.0.0.1:{}", page.port()));
        origins.push(format!("http://localhost:{}", page.port()));
    }
    origins.sort();
    origins.dedup();
    origins
}

/// The address `offset` ports further; port 0 stays the system's choice.
fn port_after(base: SocketAddr, offset: u16) -> anyhow::Result<SocketAddr> {
    let port = match base.port() {
        0 => 0,
        port => port.checked_add(offset).with_context(|| {
            format!("there is no port {offset} after {base}: choose a lower port")
        })?,
    };
    Ok(SocketAddr::new(base.ip(), port))
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!(
            "cannot listen on {address} (EDGE_HTTP_ADDR): stop what uses the port, or choose \
             another"
        )
    })
}
