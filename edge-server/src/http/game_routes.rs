//! Routes of the game role. They are of another origin than the page, hence CORS.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, Method, header};
use axum::routing::post;
use axum::{Json, Router};
use shared::gameplay::{HandshakeRequest, HandshakeResponse};
use shared::limits::{MAX_CLIENT_BUILD_LEN, MAX_TRANSPORTS};
use shared::problem::ProblemCode;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::extract::{ClientAddress, JsonBody};
use super::rate_limit::Limit;
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

/// The routes under `/v1/` of the game role.
pub fn router(state: GameState) -> Router {
    Router::new().route("/v1/handshake", post(handshake)).with_state(state)
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
    // A task of its own: a client that hangs up in the middle must not stop the undo of
    // what the handshake holds.
    let game = state.game.clone();
    let done = tokio::spawn(async move { game_handshake::run(&game, request).await });
    match done.await {
        Ok(answer) => answer.map(Json),
        Err(error) => {
            tracing::error!(%error, "a handshake task died");
            Err(Refusal::unavailable())
        }
    }
}
