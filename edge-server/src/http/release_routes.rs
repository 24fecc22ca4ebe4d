//! The routes of a game server for the backend's own parts: the control plane has it release
//! sessions that it holds, or admit nobody new.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::{Json, Router};
use shared::control_plane::{InstanceDrain, InstanceDrained};
use shared::coordination::ReleaseRequest;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::JsonBody;
use super::internal_routes::{Known, has_token};
use super::openapi::{CONTROL_PLANE, GAME};
use crate::flows::Refusal;
use crate::peers::service_token::ServiceToken;
use crate::peers::session_holders::SessionHolder;

/// What the handler looks at.
#[derive(Clone)]
pub(crate) struct HolderState {
    holder: Arc<dyn SessionHolder>,
    token: ServiceToken,
}

/// The routes, served.
pub fn router(holder: Arc<dyn SessionHolder>, token: ServiceToken) -> Router {
    routes().with_state(HolderState { holder, token }).into()
}

/// The routes, described. The document has them from the control plane, which serves the same
/// to whoever knows no game server.
fn routes() -> OpenApiRouter<HolderState> {
    OpenApiRouter::default().routes(routes!(release_held_sessions)).routes(routes!(close_instance))
}

/// The holder of sessions, for who shows the token.
struct Trusted(Arc<dyn SessionHolder>);

impl FromRequestParts<HolderState> for Trusted {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &HolderState) -> Result<Self, Refusal> {
        has_token(parts, &state.token)?;
        Ok(Self(state.holder.clone()))
    }
}

#[utoipa::path(
    post,
    path = "/internal/v1/sessions/release",
    tags = [CONTROL_PLANE, GAME],
    security(("service_token" = [])),
    request_body = ReleaseRequest,
    responses((status = 204, description = "They have left, or will write nothing more.")),
)]
async fn release_held_sessions(
    Trusted(holder): Trusted,
    JsonBody(Known(request)): JsonBody<Known<ReleaseRequest>>,
) -> Result<StatusCode, Refusal> {
    // A task of its own: a caller that hangs up must not stop half-way what ends a session.
    let release = tokio::spawn(async move { holder.release(&request).await });
    match release.await {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(error) => {
            tracing::error!(%error, "a release died");
            Err(Refusal::unavailable())
        }
    }
}

#[utoipa::path(
    post,
    path = "/internal/v1/instances/drain",
    tags = [CONTROL_PLANE, GAME],
    security(("service_token" = [])),
    request_body = InstanceDrain,
    responses((status = 200, description = "It does as asked.", body = InstanceDrained)),
)]
async fn close_instance(
    Trusted(holder): Trusted,
    JsonBody(Known(request)): JsonBody<Known<InstanceDrain>>,
) -> Json<InstanceDrained> {
    holder.drain(&request);
    Json(InstanceDrained { known: true })
}
