//! Role `control-plane`: allocation, handoffs, registry and presence, for the other roles.

use std::sync::Arc;

use axum::Router;

use super::Process;
use super::doors::Door;
use crate::clock::Clock;
use crate::domain::reconcile::Scope;
use crate::flows::diagnose_character::Diagnosis;
use crate::http;
use crate::http::admin_routes::{self, AdminState};
use crate::peers::control_plane::ControlPlane;
use crate::peers::http_holders::{EveryHolder, HttpHolders};
use crate::peers::in_process::InProcessControlPlane;
use crate::peers::service_token::{AdminToken, ServiceToken};
use crate::peers::session_holders::{LocalHolders, SessionHolders};
use crate::workers::{garbage, lifecycle};

use super::stores::Stores;

/// A control plane over the stores of this process. Game servers of other processes are
/// reached only by a token.
pub(super) fn in_process(
    stores: &Stores,
    here: Arc<LocalHolders>,
    token: Option<&ServiceToken>,
) -> Arc<dyn ControlPlane> {
    let holders: Arc<dyn SessionHolders> = match token {
        Some(token) => Arc::new(EveryHolder { here, elsewhere: HttpHolders::new(token.clone()) }),
        None => here,
    };
    Arc::new(InProcessControlPlane {
        handoffs: stores.handoffs.clone(),
        holds: stores.holds.clone(),
        legacy_handoffs: stores.legacy_handoffs.clone(),
        transfers: stores.transfers.clone(),
        presence: stores.presence.clone(),
        registry: stores.registry.clone(),
        holders,
        clock: Clock,
    })
}

/// The routes for those who run the deployment, where they have a token.
pub(super) fn admin(
    stores: &Stores,
    control_plane: Arc<dyn ControlPlane>,
    token: Option<AdminToken>,
) -> Router {
    let Some(token) = token else { return admin_routes::closed() };
    let diagnosis = Diagnosis {
        characters: stores.characters.clone(),
        presence: stores.presence.clone(),
        ledger: stores.ledger.clone(),
        registry: stores.registry.clone(),
    };
    admin_routes::router(AdminState {
        diagnosis,
        control_plane,
        listing: stores.listing.clone(),
        journal: stores.journal.clone(),
        clock: Clock,
        token,
    })
}

/// Starts the role, with the routes under `/admin/` where they have a token.
pub(super) fn start(
    process: &mut Process,
    door: Door,
    token: &ServiceToken,
    admin_token: Option<AdminToken>,
) {
    let control_plane = in_process(&process.stores, Arc::default(), Some(token));
    let admin = admin(&process.stores, control_plane.clone(), admin_token);
    let router = http::internal_routes::router(control_plane, token.clone())
        .merge(admin)
        .merge(http::openapi::router())
        .merge(process.health())
        .fallback(http::not_found);
    process.serve(door, process.finish(router));
    collect_garbage(process);
    process.reconcile(Scope::Everything);
}

/// Removes what has expired, and takes up what dead instances had in hand: the work of whoever
/// has the control plane.
pub(super) fn collect_garbage(process: &mut Process) {
    let stores = &process.stores;
    let (logins, legacy) = (stores.logins.clone(), stores.legacy_handoffs.clone());
    let garbage = stores.garbage.clone();
    let (journal, registry) = (stores.journal.clone(), stores.registry.clone());
    let stopping = process.stopping.clone();
    process.keep(lifecycle::adopt(journal, registry, Clock, stopping));
    let stopping = process.stopping.clone();
    process.keep(garbage::run(logins, legacy, garbage, Clock, stopping));
}
