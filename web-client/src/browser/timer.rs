//! Waiting, without a timer that nobody owns: the future of [`after`] is a task's own.

use std::time::Duration;

use gloo_timers::future::TimeoutFuture;

/// Resolves once `wait` is over.
pub async fn after(wait: Duration) {
    TimeoutFuture::new(u32::try_from(wait.as_millis()).unwrap_or(u32::MAX)).await;
}
