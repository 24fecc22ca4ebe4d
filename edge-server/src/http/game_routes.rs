//! Routes of the game role. They are of another origin than the page, hence CORS.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, Method, header};
use axum::{Json, Router};
use shared::gameplay::{HandshakeRequest, HandshakeResponse};
use shared::limits::{MAX_CLIENT_BUILD_LEN, MAX_TRANSPORTS};
use shared::problem::ProblemCode;
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{ClientAddress, JsonBody};
use super::openapi::GAME;
use super::openapi::refusals::refusals;
use super::rate_limit::Limit;
use super::whole;
use crate::domain::client_address::AddressBlock;
use crate::flows::{Refusal, game_handshake};
use crate::game::GameServer;

/// What the handlers of the game role share.
#[derive(Clone)]
pub struct GameState {
    /// The instance.
    pub game: Arc<GameServer>,
    /// Step 1 of the handshake.
    pub handshakes: Arc<Limit<AddressBlock>>,
}

/// The routes under `/v1/` of the game role, served.
pub fn router(state: GameState) -> Router {
    routes().with_state(state).into()
}

/// The routes, described.
pub(crate) fn routes() -> OpenApiRouter<GameState> {
    OpenApiRouter::default().routes(routes!(handshake))
}

refusals! {
    HandshakeRefused: BODY PARTS [RateLimited];
}

/// Lets pages of the allowed origins read the answers.
pub fn cors(allowed_origins: &[String]) -> CorsLayer {
    let origins = allowed_origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([header::CONTENT_TYPE, header::AUTHORIZATION])
        .expose_headers([header::RETRY_AFTER])
        .max_age(std::time::Duration::from_secs(3_600))
}

/// Presents a handoff token and asks to be let in.
#[utoipa::path(
    post,
    path = "/v1/handshake",
    tag = GAME,
    request_body = HandshakeRequest,
    responses(
        (
            status = 200,
            description = "Accepted, redirected or rejected: `accepted` and the field that is \
                           there say which.",
            body = HandshakeResponse,
        ),
        HandshakeRefused,
    ),
)]
async fn handshake(
    State(state): State<GameState>,
    ClientAddress(address): ClientAddress,
    JsonBody(request): JsonBody<HandshakeRequest>,
) -> Result<Json<HandshakeResponse>, Refusal> {
    state.handshakes.check(&address)?;
    let hello = &request.hello;
    if hello.client_build.len() > MAX_CLIENT_BUILD_LEN || hello.transports.len() > MAX_TRANSPORTS {
        let detail = format!(
            "send at most {MAX_CLIENT_BUILD_LEN} bytes of client_build and {MAX_TRANSPORTS} transports"
        );
        return Err(Refusal::new(ProblemCode::MalformedBody, detail));
    }
    let game = state.game.clone();
    whole(async move { game_handshake::run(&game, request).await }).await.map(Json)
}
