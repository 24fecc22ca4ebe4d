//! Role `login`: accounts, rosters, select, and the page with the world's maps.

use std::sync::Arc;

use axum::Router;

use super::Process;
use super::doors::Door;
use crate::clock::Clock;
use crate::config::ServeArgs;
use crate::flows::login_server::{DefaultGame, LoginServer};
use crate::flows::passwords::Passwords;
use crate::http;
use crate::http::rate_limit::LoginLimits;
use crate::peers::control_plane::ControlPlane;

/// Starts the role; `internal` is served beside it, under `/internal/`.
pub(super) fn start(
    process: &mut Process,
    args: &ServeArgs,
    door: Door,
    control_plane: Arc<dyn ControlPlane>,
    internal: Router,
) {
    let stores = &process.stores;
    let login = Arc::new(LoginServer {
        accounts: stores.accounts.clone(),
        logins: stores.logins.clone(),
        characters: stores.characters.clone(),
        ledger: stores.ledger.clone(),
        control_plane: control_plane.clone(),
        world: process.world.clone(),
        default_game: args.default_game_url.as_ref().map(DefaultGame::of_url),
        passwords: Passwords::new(
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        ),
        clock: Clock,
    });
    let limits = Arc::new(LoginLimits::default());
    let router = http::login_routes::router(login, limits.clone())
        .merge(internal)
        .merge(http::world_assets::router(process.world.clone()))
        .merge(http::openapi::router())
        .merge(process.health())
        .fallback_service(http::page::router(&args.static_dir, control_plane));
    process.serve(door, process.finish(router));
    let stopping = process.stopping.clone();
    process.keep(async move { limits.keep_small(stopping).await });
}
