//! Removes what expired long ago. Nothing depends on it: readers judge expiry themselves.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::stores::{CoordinationGarbage, LegacyHandoffStore, LoginStore};

/// How often expired rows are removed.
pub const GARBAGE_PERIOD: Duration = Duration::from_secs(60);

/// Runs until `stopping`.
pub async fn run(
    logins: Arc<dyn LoginStore>,
    legacy_handoffs: Arc<dyn LegacyHandoffStore>,
    coordination: Arc<dyn CoordinationGarbage>,
    clock: Clock,
    stopping: CancellationToken,
) {
    let mut period = tokio::time::interval(GARBAGE_PERIOD);
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            _ = period.tick() => {}
        }
        let now = clock.now();
        for (kind, removed) in [
            ("logins", logins.prune_logins(now).await),
            ("legacy handoff rows", legacy_handoffs.prune_handoff_rows(now).await),
            ("coordination rows", coordination.prune_coordination(now).await),
        ] {
            match removed {
                Ok(0) => {}
                Ok(count) => tracing::debug!(count, kind, "expired rows were removed"),
                Err(error) => tracing::warn!(%error, kind, "expired rows stay for now"),
            }
        }
    }
}
