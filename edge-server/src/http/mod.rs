//! HTTP of the roles. Handlers parse at the edge, call one flow and shape its answer; they
//! decide nothing.
//!
//! Errors: whatever goes wrong, the answer is `application/problem+json` with a stable
//! code (RFC 9457), made in [`problem`] alone. What a flow refuses passes through; what
//! axum refuses (a bad body, an unknown route) is put into the same form.

pub mod admin_routes;
pub mod extract;
pub mod game_routes;
pub mod health;
pub mod internal_routes;
pub mod listener;
pub mod login_routes;
pub mod openapi;
pub mod page;
pub mod problem;
pub mod rate_limit;
pub mod release_routes;
pub mod world_assets;

use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Router};
use shared::limits::MAX_HTTP_BODY_BYTES;
use shared::problem::ProblemCode;

use crate::domain::client_address::TrustedProxies;
use crate::flows::Refusal;

/// How long the server works on one request before it gives up on it.
pub const HTTP_REQUEST_TIMEOUT: Duration = Duration::from_secs(15);

/// What every role's router ends with: answers for unknown routes and methods, the bounds
/// of bodies and of time, and whom to believe where a request comes from.
pub fn finish(router: Router, proxies: TrustedProxies) -> Router {
    router
        .method_not_allowed_fallback(|| async {
            let detail = "the route does not take this method: check the method";
            Refusal::new(ProblemCode::MethodNotAllowed, detail)
        })
        .layer(DefaultBodyLimit::max(MAX_HTTP_BODY_BYTES))
        .layer(axum::middleware::from_fn(within_time))
        .layer(Extension(proxies))
}

async fn within_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(HTTP_REQUEST_TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            tracing::error!("a request was given up after {HTTP_REQUEST_TIMEOUT:?}");
            Refusal::unavailable().into_response()
        }
    }
}

/// The answer for a route that does not exist.
pub(crate) async fn not_found() -> Refusal {
    Refusal::new(ProblemCode::NotFound, "there is nothing here: check the address")
}

/// Runs a flow in a task of its own: a client that hangs up in the middle must stop neither
/// the undo of what the flow holds nor what follows from the part that is done.
pub(crate) async fn whole<T: Send + 'static>(
    flow: impl Future<Output = Result<T, Refusal>> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::spawn(flow).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a flow died");
        Err(Refusal::unavailable())
    })
}
