//! The one place that names concrete stores and puts a process together from its parts: a
//! file for the stores, one for the ports that it listens on, one for each role.
//!
//! Everything that can refuse to start is tried before anything is changed: the world is
//! read, then every port is taken, and only then is the store opened.

mod all;
mod control_plane;
mod doors;
mod game;
mod login;
mod stores;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use axum::Router;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use game::REGISTRATION_WAIT;
pub use stores::migrate;

use self::doors::{Door, GameDoors};
use self::stores::Stores;
use crate::clock::Clock;
use crate::config::{Part, Peers, ServeArgs};
use crate::domain::client_address::TrustedProxies;
use crate::domain::reconcile::Scope;
use crate::flows::reconcile_startup::Reconciler;
use crate::http;
use crate::peers::control_plane::ControlPlane;
use crate::peers::http_control_plane::HttpControlPlane;
use crate::peers::service_token::{AdminToken, ServiceToken};
use crate::workers::reconciler;
use crate::world::World;

/// How long a stopping process waits for its zones to be left.
pub const DRAIN_TIME: Duration = Duration::from_secs(10);

/// A process that serves.
pub struct Running {
    /// The line that says that it serves, and where.
    pub announcement: String,
    tasks: JoinSet<anyhow::Result<()>>,
    stores: Stores,
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

/// Starts a process; serves until `stopping` is cancelled.
///
/// # Errors
/// One line that names what could not be opened and what to do; nothing has changed then.
pub async fn start(args: &ServeArgs, stopping: CancellationToken) -> anyhow::Result<Running> {
    let plan = args.plan()?;
    let world = Arc::new(World::load(&args.world.world_dir)?);
    let doors = Doors::open(args, &plan.part, &world).await?;
    let stores = Stores::open(&plan.stores).await?;
    let mut process = Process {
        proxies: TrustedProxies::new(&args.trusted_proxies),
        world,
        stores: stores.clone(),
        metrics: PrometheusBuilder::new().install_recorder().context("metrics are taken")?,
        stopping: stopping.clone(),
        tasks: JoinSet::new(),
    };
    match process.begin(args, doors).await {
        Ok(announcement) => Ok(Running { announcement, tasks: process.tasks, stores, stopping }),
        Err(error) => {
            stopping.cancel();
            stores.close().await;
            Err(error)
        }
    }
}

/// Every port of the process, taken and not yet served, with what its role serves there.
enum Doors {
    All {
        page: Door,
        instances: Vec<GameDoors>,
        token: Option<ServiceToken>,
        admin: Option<AdminToken>,
    },
    Login {
        page: Door,
        peers: Peers,
    },
    ControlPlane {
        door: Door,
        token: ServiceToken,
        admin: Option<AdminToken>,
    },
    Game {
        doors: Box<GameDoors>,
        peers: Peers,
    },
}

impl Doors {
    async fn open(args: &ServeArgs, part: &Part, world: &World) -> anyhow::Result<Self> {
        Ok(match part {
            Part::All { token, admin } => {
                let page = Door::open(args).await?;
                let instances = GameDoors::of_every_instance(args, world, &page).await?;
                Self::All { page, instances, token: token.clone(), admin: admin.clone() }
            }
            Part::Login(peers) => {
                Self::Login { page: Door::open(args).await?, peers: peers.clone() }
            }
            Part::ControlPlane { token, admin } => Self::ControlPlane {
                door: Door::open(args).await?,
                token: token.clone(),
                admin: admin.clone(),
            },
            Part::Game { peers, instance, zones } => {
                game::known(world, zones)?;
                let doors = GameDoors::open(args, instance.clone(), zones.clone()).await?;
                Self::Game { doors: Box::new(doors), peers: peers.clone() }
            }
        })
    }
}

/// A process that is being put together.
struct Process {
    proxies: TrustedProxies,
    world: Arc<World>,
    stores: Stores,
    metrics: PrometheusHandle,
    stopping: CancellationToken,
    tasks: JoinSet<anyhow::Result<()>>,
}

impl Process {
    /// Starts what the process has ports for; gives the line that says so.
    async fn begin(&mut self, args: &ServeArgs, doors: Doors) -> anyhow::Result<String> {
        let role = args.role.name();
        match doors {
            Doors::All { page, instances, token, admin } => {
                let line = format!("Aether is ready: open {}", page.public.origin());
                all::start(self, args, page, instances, token.as_ref(), admin).await?;
                Ok(line)
            }
            Doors::Login { page, peers } => {
                let line = format!("Aether is ready: open {}", page.public.origin());
                let nothing = http::internal_routes::closed();
                login::start(self, args, page, asking(&peers), nothing);
                Ok(line)
            }
            Doors::ControlPlane { door, token, admin } => {
                let line = format!("Aether's {role} is ready: {}", door.public.origin());
                control_plane::start(self, door, &token, admin);
                Ok(line)
            }
            Doors::Game { doors, peers } => {
                let control_plane = asking(&peers);
                let token = Some(&peers.token);
                let game = game::start(self, args, *doors, &control_plane, token, None).await?;
                Ok(format!("Aether's {role} is ready: {}", game.identity.http_url))
            }
        }
    }

    /// What every role's router ends with.
    fn finish(&self, router: Router) -> Router {
        http::finish(router, self.proxies.clone())
    }

    /// Serves a finished router at a door until the process stops.
    fn serve(&mut self, door: Door, router: Router) {
        let (proxies, stopping) = (self.proxies.clone(), self.stopping.clone());
        self.keep(http::listener::serve(door.listener, router, proxies, stopping));
    }

    fn health(&self) -> Router {
        http::health::router(self.stopping.clone(), self.metrics.clone())
    }

    /// Repairs what earlier processes, or an empty Redis, have left wrong.
    fn reconcile(&mut self, scope: Scope) {
        let stores = &self.stores;
        let reconciler = Reconciler {
            scope,
            characters: stores.characters.clone(),
            logins: stores.logins.clone(),
            legacy_handoffs: stores.legacy_handoffs.clone(),
            handoffs: stores.handoffs.clone(),
            transfers: stores.transfers.clone(),
            presence: stores.presence.clone(),
            ledger: stores.ledger.clone(),
            registry: stores.registry.clone(),
            listing: stores.listing.clone(),
            clock: Clock,
        };
        let stopping = self.stopping.clone();
        self.keep(reconciler::run(reconciler, stopping));
    }

    /// Runs a part that works until the process stops.
    fn keep(&mut self, part: impl Future<Output = ()> + Send + 'static) {
        self.keep_or_fail(async move {
            part.await;
            anyhow::Ok(())
        });
    }

    /// The same where the process ends with the error of the part.
    fn keep_or_fail<E: Into<anyhow::Error>>(
        &mut self,
        part: impl Future<Output = Result<(), E>> + Send + 'static,
    ) {
        self.tasks.spawn(async move { part.await.map_err(Into::into) });
    }
}

/// The control planes of a deployment, as the other roles ask them.
fn asking(peers: &Peers) -> Arc<dyn ControlPlane> {
    let addresses: Vec<String> = peers.control_planes.iter().map(|url| url.origin()).collect();
    Arc::new(HttpControlPlane::new(&addresses, peers.token.clone()))
}
