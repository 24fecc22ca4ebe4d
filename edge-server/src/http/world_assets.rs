//! Baked maps over HTTP, named by their content, so that they can be cached for ever.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use shared::ids::ZoneId;
use shared::problem::ProblemCode;

use super::extract::PathOf;
use crate::flows::Refusal;
use crate::world::World;

/// The route `/world/{zone}/{sha256}`.
pub fn router(world: Arc<World>) -> Router {
    Router::new().route("/world/{zone}/{sha256}", get(map)).with_state(world)
}

async fn map(
    State(world): State<Arc<World>>,
    PathOf((zone, sha256)): PathOf<(String, String)>,
) -> Result<Response, Refusal> {
    let baked = zone.parse::<ZoneId>().ok().and_then(|zone| world.zones.get(&zone));
    match baked.filter(|baked| baked.map_ref.sha256 == sha256) {
        Some(baked) => {
            let headers = [
                (CONTENT_TYPE, "application/octet-stream"),
                (CACHE_CONTROL, "public, max-age=31536000, immutable"),
            ];
            Ok((headers, baked.bytes.to_vec()).into_response())
        }
        None => {
            let detail = "no map of this zone has this content: enter the world again";
            Err(Refusal::new(ProblemCode::NotFound, detail))
        }
    }
}
