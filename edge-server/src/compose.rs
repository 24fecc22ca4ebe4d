//! The one place that names concrete stores and puts a process together from its parts.
//!
//! Everything that can refuse to start (files, ports) is opened before anything is
//! announced, so a start that fails has changed nothing.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use shared::gameplay::RealtimeEndpoint;
use shared::ids::Placement;
use shared::realtime::REALTIME_PATH;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::config::{PublicUrl, ServeArgs};
use crate::flows::login_server::LoginServer;
use crate::flows::passwords::Passwords;
use crate::game::{GameServer, GameServerParts, InstanceIdentity};
use crate::http::rate_limit::AddressLimit;
use crate::http::{self, game_routes};
use crate::peers::control_plane::{ControlPlane, InProcessControlPlane};
use crate::realtime::{RealtimeConfig, RealtimeServer};
use crate::stores::sqlite::SqliteStores;
use crate::stores::{
    AccountStore, CharacterStore, CoordinationGarbage, HandoffStore, LegacyHandoffStore,
    LoginStore, PresenceStore, RegistryStore, ResumeLedgerStore,
};
use crate::workers::location_saver::location_saver;
use crate::workers::{garbage, instance_keeper};
use crate::world::World;
use crate::world::world_file::InstanceSettings;
use crate::world::zone::ZoneHandle;

/// How long a stopping process waits for requests in flight and for players to be saved.
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
    /// The first part that ended by itself; the others are stopped then.
    pub async fn stopped(mut self) -> anyhow::Result<()> {
        let mut failed = None;
        while let Some(ended) = self.tasks.join_next().await {
            let result = ended.context("a part of the server died").and_then(|result| result);
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

/// Starts role `all` on the embedded store; serves until `stopping` is cancelled.
///
/// # Errors
/// One line that names what could not be opened and what to do.
pub async fn start(args: &ServeArgs, stopping: CancellationToken) -> anyhow::Result<Running> {
    let world = Arc::new(World::load(&args.world.world_dir)?);
    let stores = Arc::new(SqliteStores::open(&args.database.database_url).await?);
    match start_with(args, &stopping, world, stores.clone()).await {
        Ok(running) => Ok(running),
        Err(error) => {
            stopping.cancel();
            stores.close().await;
            Err(error)
        }
    }
}

async fn start_with(
    args: &ServeArgs,
    stopping: &CancellationToken,
    world: Arc<World>,
    stores: Arc<SqliteStores>,
) -> anyhow::Result<Running> {
    let page_listener = listen(args.http_addr, "EDGE_HTTP_ADDR").await?;
    let page_address = page_listener.local_addr()?;
    let public = args
        .public_http_url
        .clone()
        .unwrap_or_else(|| PublicUrl::of_listener("http", page_address));
    let control_plane: Arc<dyn ControlPlane> = Arc::new(InProcessControlPlane {
        handoffs: stores.clone() as Arc<dyn HandoffStore>,
        legacy_handoffs: stores.clone() as Arc<dyn LegacyHandoffStore>,
        presence: stores.clone() as Arc<dyn PresenceStore>,
        registry: stores.clone() as Arc<dyn RegistryStore>,
        clock: Clock,
    });
    let shared = SharedParts {
        args,
        origins: allowed_origins(args, &public, page_address),
        control_plane: control_plane.clone(),
        world: world.clone(),
        stores: stores.clone(),
        metrics: metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder().handle(),
    };
    let mut tasks = JoinSet::new();
    for (index, settings) in world.file.instances.iter().enumerate() {
        let index = u16::try_from(index).context("world.toml names too many instances")?;
        start_instance(&shared, settings, index, &mut tasks, stopping).await?;
    }
    let login = Arc::new(LoginServer {
        accounts: stores.clone() as Arc<dyn AccountStore>,
        logins: stores.clone() as Arc<dyn LoginStore>,
        characters: stores.clone() as Arc<dyn CharacterStore>,
        control_plane: control_plane.clone(),
        world: world.clone(),
        passwords: Passwords::new(
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        ),
        clock: Clock,
    });
    let router = http::login_routes::router(login)
        .merge(http::world_assets::router(world))
        .merge(http::health::router(stopping.clone(), shared.metrics.clone()))
        .fallback_service(http::page::router(&args.static_dir, control_plane));
    tasks.spawn(serve(page_listener, http::finish(router), stopping.clone()));
    let logins = stores.clone() as Arc<dyn LoginStore>;
    let legacy = stores.clone() as Arc<dyn LegacyHandoffStore>;
    let coordination = stores.clone() as Arc<dyn CoordinationGarbage>;
    let garbage = garbage::run(logins, legacy, coordination, Clock, stopping.clone());
    tasks.spawn(async move {
        garbage.await;
        Ok(())
    });
    Ok(Running { address: public.origin(), tasks, stores, stopping: stopping.clone() })
}

/// What all instances of the process have in common.
struct SharedParts<'a> {
    args: &'a ServeArgs,
    origins: Vec<String>,
    control_plane: Arc<dyn ControlPlane>,
    world: Arc<World>,
    stores: Arc<SqliteStores>,
    metrics: metrics_exporter_prometheus::PrometheusHandle,
}

async fn start_instance(
    shared: &SharedParts<'_>,
    settings: &InstanceSettings,
    index: u16,
    tasks: &mut JoinSet<anyhow::Result<()>>,
    stopping: &CancellationToken,
) -> anyhow::Result<()> {
    let args = shared.args;
    let listener = listen(port_after(args.http_addr, 1 + index)?, "EDGE_HTTP_ADDR").await?;
    let http_port = listener.local_addr()?.port();
    let public_http = args
        .public_http_url
        .as_ref()
        .map(|url| url.at_port(http_port))
        .unwrap_or(PublicUrl::of_listener("http", listener.local_addr()?));
    let (realtime, endpoint) = bind_realtime(shared, index)?;
    let (saver, saver_worker) = location_saver();
    let (mut zones, mut capacities) = (BTreeMap::new(), BTreeMap::new());
    for realm in &shared.world.file.realms {
        for zone in &settings.zones {
            let placement = Placement::zone(realm.id.clone(), zone.clone());
            let baked = shared.world.zones.get(zone).with_context(|| {
                format!("instance {} of world.toml carries the unknown zone {zone}", settings.id)
            })?;
            let handle = ZoneHandle::spawn(placement.clone(), baked.map.clone(), saver.clone());
            zones.insert(placement.clone(), handle);
            capacities.insert(placement, args.zone_capacity.unwrap_or(baked.settings.capacity));
        }
    }
    let game = Arc::new(GameServer::new(GameServerParts {
        identity: InstanceIdentity {
            id: settings.id.clone(),
            incarnation: Clock.now().0,
            http_url: public_http.origin(),
            http_port,
        },
        characters: shared.stores.clone() as Arc<dyn CharacterStore>,
        ledger: shared.stores.clone() as Arc<dyn ResumeLedgerStore>,
        control_plane: shared.control_plane.clone(),
        world: shared.world.clone(),
        zones,
        capacities,
        endpoints: vec![endpoint],
    }));
    // Registered before the address is announced: the first player finds it.
    let record = instance_keeper::instance_record(&game, Clock.now());
    shared.control_plane.heartbeat(&record).await?;
    let state = game_routes::GameState {
        game: game.clone(),
        handshakes: Arc::new(AddressLimit::handshakes()),
    };
    let router = game_routes::router(state)
        .merge(http::world_assets::router(shared.world.clone()))
        .merge(http::health::router(stopping.clone(), shared.metrics.clone()))
        .fallback(http::not_found);
    let router = http::finish(router).layer(game_routes::cors(&shared.origins));
    tasks.spawn(serve(listener, router, stopping.clone()));
    let keeper = instance_keeper::run(game.clone(), stopping.clone());
    let saving = saver_worker.run(game.clone(), stopping.clone());
    let serving = realtime.run(game, stopping.clone());
    tasks.spawn(async move {
        keeper.await;
        Ok(())
    });
    tasks.spawn(async move {
        saving.await;
        Ok(())
    });
    tasks.spawn(async move {
        serving.await;
        Ok(())
    });
    Ok(())
}

fn bind_realtime(
    shared: &SharedParts<'_>,
    index: u16,
) -> anyhow::Result<(RealtimeServer, RealtimeEndpoint)> {
    let addr = port_after(shared.args.realtime_addr, index)?;
    let public = match &shared.args.public_realtime_url {
        Some(url) => url.clone(),
        None => PublicUrl::of_listener("https", addr),
    };
    let (server, local, cert_hashes) = RealtimeServer::bind(RealtimeConfig {
        addr,
        public_url: public.origin(),
        allowed_origins: shared.origins.clone(),
        now: Clock.now(),
    })?;
    let url = format!("{}{REALTIME_PATH}", public.at_port(local.port()).origin());
    Ok((server, RealtimeEndpoint { url, cert_hashes, healthy: true }))
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

async fn listen(address: SocketAddr, variable: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!(
            "cannot listen on {address} ({variable}): stop what uses the port, or choose another"
        )
    })
}

async fn serve(
    listener: TcpListener,
    router: Router,
    stopping: CancellationToken,
) -> anyhow::Result<()> {
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let stopped = stopping.clone();
    let serving = axum::serve(listener, service).with_graceful_shutdown(stopping.cancelled_owned());
    tokio::select! {
        result = serving.into_future() => result.context("HTTP ended"),
        () = async { stopped.cancelled().await; tokio::time::sleep(DRAIN_TIME).await } => {
            tracing::warn!("requests in flight were given up after the drain time");
            Ok(())
        }
    }
}
