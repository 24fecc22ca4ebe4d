//! Claiming a session again after its connection was lost: when, and for how long.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};
use shared::gameplay::RealtimeEndpoint;
use shared::ids::InstanceId;
use shared::limits::RESUME_GRACE;

/// Before the first dial after a loss; about twice as long before each further one.
pub const RECONNECT_FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause between two dials, before its jitter.
pub const RECONNECT_MAX_PAUSE: Duration = Duration::from_secs(8);

/// Where a session is whose connection was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Located {
    /// At this instance.
    At {
        /// Which.
        instance: InstanceId,
        /// Where it is dialled, best first.
        endpoints: Vec<RealtimeEndpoint>,
    },
    /// Nowhere any more; the text is for the player.
    Ended(String),
    /// Nobody says; where it was is still the best guess.
    Unknown,
}

/// A session on its way back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reconnect {
    /// When the connection was lost, in milliseconds of the page's monotonic clock.
    pub(super) lost_at: f64,
    /// Which dial this is, from one.
    pub(super) attempt: u32,
    /// How far this dial is.
    pub(super) phase: Phase,
}

/// How far a dial is. Before it has begun, nothing of a connection is meant by any event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The pause before it.
    Waiting,
    /// Asking where the session is.
    Locating,
    /// Dialling, up to the Welcome.
    Dialling,
}

impl Reconnect {
    /// The first dial is due after [`pause_before`] it.
    pub(super) fn begin(lost_at: f64) -> Self {
        Self { lost_at, attempt: 1, phase: Phase::Waiting }
    }

    /// Where the session is no more where it was, as known at `now`: the next dial asks where
    /// it is. The server has let it go, or the first dial of a session that another page has
    /// lost has failed. When that page lost it is not known; the server knows, and says so
    /// once its grace is over.
    pub(super) fn elsewhere(now: f64) -> Self {
        Self { lost_at: now, attempt: 2, phase: Phase::Waiting }
    }

    /// The next dial, or `None` once the server has given the session up: the grace counts
    /// from the loss.
    pub(super) fn next(self, now: f64) -> Option<Self> {
        let is_over = now - self.lost_at >= RESUME_GRACE.as_secs_f64() * 1_000.0;
        (!is_over).then_some(Self { attempt: self.attempt + 1, phase: Phase::Waiting, ..self })
    }
}

/// How long to wait before a dial. The jitter, which follows from `seed`, keeps the players
/// of a server that has come back from dialling all at once.
pub(super) fn pause_before(attempt: u32, seed: u64) -> Duration {
    let pauses = ExponentialBuilder::new()
        .with_min_delay(RECONNECT_FIRST_PAUSE)
        .with_max_delay(RECONNECT_MAX_PAUSE)
        .with_jitter()
        .with_jitter_seed(seed)
        .without_max_times();
    let at = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
    pauses.build().nth(at).unwrap_or(RECONNECT_MAX_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_their_limit_and_differ_from_player_to_player() {
        let pauses = |seed| (1..=12).map(|n| pause_before(n, seed)).collect::<Vec<_>>();
        let mut least = RECONNECT_FIRST_PAUSE;
        for pause in pauses(7) {
            assert!(pause >= least && pause <= 2 * least, "{pause:?} for {least:?}");
            least = (least * 2).min(RECONNECT_MAX_PAUSE);
        }
        assert_eq!(pauses(7), pauses(7));
        assert_ne!(pauses(7), pauses(8));
    }

    #[test]
    fn dials_end_with_the_grace_that_counts_from_the_loss() {
        let grace = RESUME_GRACE.as_secs_f64() * 1_000.0;
        let mut reconnect = Reconnect::begin(1_000.0);
        for attempt in 2..40 {
            reconnect = reconnect.next(999.0 + grace).unwrap();
            assert_eq!((reconnect.attempt, reconnect.phase), (attempt, Phase::Waiting));
        }
        assert_eq!(reconnect.next(1_000.0 + grace), None);
    }
}
