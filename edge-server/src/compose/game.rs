//! Role `game`: zones and realtime sessions, of one instance.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use shared::ids::Placement;

use super::doors::GameDoors;
use super::{DRAIN_TIME, Process};
use crate::clock::Clock;
use crate::config::{ConfigError, ServeArgs};
use crate::domain::reconcile::Scope;
use crate::flows::session_lifecycle;
use crate::game::{CarriedZone, GameServer, GameServerPorts, InstanceIdentity};
use crate::http;
use crate::http::rate_limit::Limit;
use crate::http::{game_routes, release_routes};
use crate::lease::Lease;
use crate::peers::control_plane::ControlPlane;
use crate::peers::service_token::ServiceToken;
use crate::peers::session_holders::LocalHolders;
use crate::realtime::RealtimeServer;
use crate::stores::EpochWrite;
use crate::workers::instance_keeper;
use crate::workers::instance_keeper::{HEARTBEAT_PERIOD, INSTANCE_LEASE};
use crate::workers::lifecycle;
use crate::workers::location_saver::location_saver;
use crate::world::World;
use crate::world::zone::ZoneHandle;

/// How long a starting game server waits for a control plane that answers: the parts of a
/// backend may be started in any order.
pub const REGISTRATION_WAIT: Duration = Duration::from_secs(30);

/// Starts an instance: registers it, then serves it. One of the same process as its control
/// plane is entered among the `holders` there.
///
/// # Errors
/// One line that says why it could not be registered.
pub(super) async fn start(
    process: &mut Process,
    args: &ServeArgs,
    doors: GameDoors,
    control_plane: &Arc<dyn ControlPlane>,
    token: Option<&ServiceToken>,
    holders: Option<&LocalHolders>,
) -> anyhow::Result<Arc<GameServer>> {
    let (saver, saver_worker) = location_saver();
    let lease = Arc::new(Lease::new(Clock.now().0));
    let mut carried = BTreeMap::new();
    for placement in doors.placements {
        let baked = &process.world.zones[&placement.zone];
        let capacity = args.zone_capacity.unwrap_or(baked.settings.capacity);
        let (zone, task) =
            ZoneHandle::prepare(placement.clone(), baked.map.clone(), saver.clone(), lease.clone());
        process.keep(task);
        carried.insert(placement, CarriedZone { zone, capacity });
    }
    let identity = InstanceIdentity {
        id: doors.id,
        lease,
        http_url: doors.http.public.origin(),
        internal_url: doors.http.internal.origin(),
        http_port: doors.http.public.effective_port(),
    };
    let ports = GameServerPorts {
        characters: process.stores.characters.clone(),
        logins: process.stores.logins.clone(),
        ledger: process.stores.ledger.clone(),
        journal: process.stores.journal.clone(),
        control_plane: control_plane.clone(),
    };
    let (world, endpoints) = (process.world.clone(), vec![doors.endpoint]);
    let game = Arc::new(GameServer::new(identity, ports, world, carried, endpoints));
    match holders {
        // In the same process it either answers now or never will.
        Some(holders) => {
            holders.enter(game.identity.id.clone(), &game);
            register(&game).await?;
        }
        None => {
            register_in_time(process, &game).await?;
            // Where the control plane is in the same process, it looks at everything.
            process.reconcile(Scope::Instance(game.identity.id.clone()));
        }
    }
    let handshakes = Arc::new(Limit::handshakes());
    let state = game_routes::GameState { game: game.clone(), handshakes: handshakes.clone() };
    let internal = match token {
        Some(token) => release_routes::router(game.clone(), token.clone()),
        None => http::internal_routes::closed(),
    };
    let router = game_routes::router(state)
        .merge(internal)
        .merge(http::world_assets::router(process.world.clone()))
        .merge(http::openapi::router())
        .merge(process.health())
        .fallback(http::not_found);
    let router = process.finish(router).layer(game_routes::cors(&doors.origins));
    process.serve(doors.http, router);
    let stopping = process.stopping.clone();
    process.keep(async move { handshakes.keep_small(stopping).await });
    process.keep_or_fail(instance_keeper::run(game.clone(), process.stopping.clone()));
    process.keep(lifecycle::run(game.clone(), process.stopping.clone()));
    process.keep(saver_worker.run(game.clone(), process.stopping.clone()));
    let stopping = process.stopping.clone();
    process.keep(serve_realtime(doors.realtime, game.clone(), stopping));
    Ok(game)
}

/// Registers an instance before its address is announced, so that the first player finds it.
async fn register(game: &GameServer) -> anyhow::Result<()> {
    let sent = Clock.moment();
    let record = instance_keeper::instance_record(game, Clock.now());
    if game.control_plane.heartbeat(&record, &[]).await?.outcome == EpochWrite::Superseded {
        bail!(
            "the registry knows a later process of instance {}: set the clock right, or stop \
             the other server",
            record.id
        );
    }
    game.identity.lease.begin(sent + INSTANCE_LEASE);
    Ok(())
}

/// The same where the control planes may be starting as well.
async fn register_in_time(process: &Process, game: &GameServer) -> anyhow::Result<()> {
    let trying = async {
        let mut turns = tokio::time::interval(HEARTBEAT_PERIOD);
        loop {
            turns.tick().await;
            match register(game).await {
                Ok(()) => return Ok(()),
                Err(error)
                    if error
                        .downcast_ref::<crate::peers::control_plane::ControlPlaneError>()
                        .is_some() =>
                {
                    tracing::warn!(error = format!("{error:#}"), "not registered yet");
                }
                Err(error) => return Err(error),
            }
        }
    };
    tokio::select! {
        () = process.stopping.cancelled() => bail!("stopped before it was registered"),
        registered = tokio::time::timeout(REGISTRATION_WAIT, trying) => match registered {
            Ok(registered) => registered,
            Err(_) => bail!(
                "no control plane has registered this game server within {REGISTRATION_WAIT:?}: \
                 check EDGE_CONTROL_PLANE_URLS and EDGE_SERVICE_TOKEN"
            ),
        },
    }
}

/// Checks that the world has what an instance shall carry.
///
/// # Errors
/// [`ConfigError::UnknownZone`].
pub(super) fn known(world: &World, zones: &[Placement]) -> Result<(), ConfigError> {
    let mut all = Vec::new();
    for realm in &world.file.realms {
        let zones = world.file.zones.iter();
        all.extend(zones.map(|zone| Placement::zone(realm.id.clone(), zone.id.clone())));
    }
    match zones.iter().find(|zone| !all.contains(zone)) {
        None => Ok(()),
        Some(zone) => {
            let known: Vec<String> = all.iter().map(ToString::to_string).collect();
            Err(ConfigError::UnknownZone { zone: zone.to_string(), known: known.join(", ") })
        }
    }
}

/// Serves sessions until the process stops, then closes the zones behind the last one.
async fn serve_realtime(
    realtime: RealtimeServer,
    game: Arc<GameServer>,
    stopping: tokio_util::sync::CancellationToken,
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
    // The last sessions have ended after the lifecycle worker.
    session_lifecycle::hand_over_backlog(&game).await;
}
