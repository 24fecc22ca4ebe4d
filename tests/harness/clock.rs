//! The only place of the tests that reads a clock. Ids are counted, not drawn, so that a
//! test runs the same each time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shared::ids::{AttemptId, UnixMillis};
use uuid::Uuid;

/// Measures how long something takes.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts measuring.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the tests' one place that reads the clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How long it has been since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Now, in UTC: to compare with what the server says of the future.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the tests' one place that reads the clock")]
pub fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// An attempt that no other one of this process equals.
#[must_use]
pub fn new_attempt() -> AttemptId {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    AttemptId::new(Uuid::from_u128(u128::from(number) | (1 << 100)))
}
