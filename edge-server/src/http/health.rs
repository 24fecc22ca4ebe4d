//! `/healthz`, `/readyz` and `/metrics` of every role.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::openapi::OPERATIONS;

/// What the handlers look at.
#[derive(Clone)]
pub(crate) struct Process {
    stopping: CancellationToken,
    metrics: PrometheusHandle,
}

/// The routes, served.
pub fn router(stopping: CancellationToken, metrics: PrometheusHandle) -> Router {
    routes().with_state(Process { stopping, metrics }).into()
}

/// The routes, described.
pub(crate) fn routes() -> OpenApiRouter<Process> {
    OpenApiRouter::default()
        .routes(routes!(healthz))
        .routes(routes!(readyz))
        .routes(routes!(metrics))
}

/// Whether the process lives.
#[utoipa::path(
    get,
    path = "/healthz",
    tag = OPERATIONS,
    responses((status = 200, description = "It lives.")),
)]
async fn healthz() -> StatusCode {
    StatusCode::OK
}

/// Whether the process takes requests: until it begins to stop.
#[utoipa::path(
    get,
    path = "/readyz",
    tag = OPERATIONS,
    responses(
        (status = 200, description = "It takes requests."),
        (status = 503, description = "It is stopping."),
    ),
)]
async fn readyz(State(process): State<Process>) -> StatusCode {
    if process.stopping.is_cancelled() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
}

/// What the process has counted, in Prometheus' text format.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = OPERATIONS,
    responses((status = 200, description = "Metrics.", body = String)),
)]
async fn metrics(State(process): State<Process>) -> String {
    process.metrics.render()
}
