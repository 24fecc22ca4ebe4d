//! `/healthz`, `/readyz` and `/metrics` of every role.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio_util::sync::CancellationToken;

/// The routes. `/healthz` answers while the process lives, `/readyz` until it begins to
/// stop, `/metrics` in Prometheus' text format.
pub fn router(stopping: CancellationToken, metrics: PrometheusHandle) -> Router {
    let ready = move || {
        let status =
            if stopping.is_cancelled() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
        std::future::ready(status)
    };
    Router::new()
        .route("/healthz", get(|| async { StatusCode::OK }))
        .route("/readyz", get(ready))
        .route("/metrics", get(move || std::future::ready(metrics.render())))
}
