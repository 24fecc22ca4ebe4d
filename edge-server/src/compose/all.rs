//! Role `all`: login, control plane and every instance of the world file in one process.

use std::sync::Arc;

use super::doors::{Door, GameDoors};
use super::{Process, control_plane, game, login};
use crate::config::ServeArgs;
use crate::domain::reconcile::Scope;
use crate::http::internal_routes;
use crate::peers::service_token::{AdminToken, ServiceToken};
use crate::peers::session_holders::LocalHolders;

/// Starts the role.
///
/// # Errors
/// One line that says which instance could not be registered, and why.
pub(super) async fn start(
    process: &mut Process,
    args: &ServeArgs,
    page: Door,
    instances: Vec<GameDoors>,
    token: Option<&ServiceToken>,
    admin_token: Option<AdminToken>,
) -> anyhow::Result<()> {
    let holders = Arc::new(LocalHolders::default());
    let control_plane = control_plane::in_process(&process.stores, holders.clone(), token);
    for doors in instances {
        let game = game::start(process, args, doors, &control_plane, token, Some(&holders)).await?;
        tracing::debug!(instance = %game.identity.id, "an instance serves");
    }
    let admin = control_plane::admin(&process.stores, control_plane.clone(), admin_token);
    let internal = match token {
        Some(token) => internal_routes::router(control_plane.clone(), token.clone()),
        None => internal_routes::closed(),
    };
    login::start(process, args, page, control_plane, internal.merge(admin));
    control_plane::collect_garbage(process);
    process.reconcile(Scope::Everything);
    Ok(())
}
