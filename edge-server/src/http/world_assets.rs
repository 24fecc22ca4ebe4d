//! Baked maps over HTTP, named by their content, so that they can be cached for ever.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use shared::ids::ZoneId;
use shared::problem::ProblemCode;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::PathOf;
use super::openapi::refusals::refusals;
use super::openapi::{GAME, LOGIN};
use crate::flows::Refusal;
use crate::world::World;

/// The route `/world/{zone}/{sha256}`, served.
pub fn router(world: Arc<World>) -> Router {
    routes().with_state(world).into()
}

/// The route, described.
pub(crate) fn routes() -> OpenApiRouter<Arc<World>> {
    OpenApiRouter::default().routes(routes!(map))
}

refusals! {
    MapRefused: PATH;
}

/// How the document tells a body that is no JSON.
struct MapBytes;

impl PartialSchema for MapBytes {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::AnyValue)
            .content_media_type("application/octet-stream")
            .into()
    }
}

impl ToSchema for MapBytes {}

/// The map of a zone, baked. What has this address never changes.
#[utoipa::path(
    get,
    path = "/world/{zone}/{sha256}",
    operation_id = "get_map",
    tags = [LOGIN, GAME],
    params(
        ("zone" = ZoneId, Path, description = "The zone that the map is of."),
        ("sha256" = String, Path, description = "SHA-256 of the map's bytes, lower-case hex."),
    ),
    responses(
        (
            status = 200,
            description = "The map's bytes.",
            content_type = "application/octet-stream",
            body = inline(MapBytes),
        ),
        MapRefused,
    ),
)]
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
