//! The lease of an instance by its own clock: for how long the registry has promised that
//! nobody takes the instance for gone.
//!
//! Once it has lapsed it stays so, whatever heartbeat is still answered: others may have
//! entered with the characters since. The instance sends nothing and moves nobody until it has
//! registered under a new incarnation and looked who of its sessions still has its character
//! (`workers/instance_keeper.rs`). Time is handed in, and is one that no correction of the
//! wall clock moves.

use std::sync::{Mutex, MutexGuard, PoisonError};

use shared::ids::UnixMillis;
use tokio::time::Instant;

/// See the module. Shared by everything of an instance that acts by itself.
#[derive(Debug)]
pub struct Lease(Mutex<State>);

#[derive(Debug)]
struct State {
    incarnation: u64,
    until: Option<Instant>,
}

impl Lease {
    /// The lease of an instance that has not registered yet. The incarnation is higher than
    /// that of any earlier process of the instance.
    #[must_use]
    pub fn new(incarnation: u64) -> Self {
        Self(Mutex::new(State { incarnation, until: None }))
    }

    /// Under which number the instance registers.
    #[must_use]
    pub fn incarnation(&self) -> u64 {
        self.state().incarnation
    }

    /// Whether the instance may act at `now`.
    #[must_use]
    pub fn is_held(&self, now: Instant) -> bool {
        self.state().until.is_some_and(|until| now < until)
    }

    /// Prolongs a lease that has not lapsed by `now`; gives whether it is held on.
    #[must_use]
    pub fn renew(&self, until: Instant, now: Instant) -> bool {
        let mut state = self.state();
        let held = state.until.is_some_and(|end| now < end);
        if held {
            state.until = state.until.max(Some(until));
        }
        held
    }

    /// Takes a number for the next registration: the time, or what follows the last one where
    /// the clock has been set back.
    pub fn begin_incarnation(&self, now: UnixMillis) {
        let mut state = self.state();
        state.incarnation = now.0.max(state.incarnation + 1);
    }

    /// Begins a lease: the instance is registered, and has looked who still has its character.
    pub fn begin(&self, until: Instant) {
        self.state().until = Some(until);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::Clock;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_lease_that_has_lapsed_is_not_held_again_by_a_late_answer() {
        let (lease, now) = (Lease::new(7), Clock.moment());
        assert!(!lease.is_held(now), "nobody has registered it");
        assert!(!lease.renew(now + SECOND, now));
        lease.begin(now + SECOND);
        assert!(lease.is_held(now));
        assert!(lease.renew(now + 2 * SECOND, now));
        assert!(lease.is_held(now + SECOND), "it was prolonged");
        assert!(!lease.is_held(now + 2 * SECOND), "the end is no part of it");
        assert!(!lease.renew(now + 9 * SECOND, now + 2 * SECOND), "it has lapsed by then");
        assert!(!lease.is_held(now + 2 * SECOND));
        lease.begin(now + 4 * SECOND);
        assert!(lease.is_held(now + 3 * SECOND));
    }

    #[test]
    fn a_heartbeat_that_is_answered_late_shortens_nothing() {
        let (lease, now) = (Lease::new(7), Clock.moment());
        lease.begin(now + 5 * SECOND);
        assert!(lease.renew(now + 3 * SECOND, now));
        assert!(lease.is_held(now + 4 * SECOND));
    }

    #[test]
    fn each_incarnation_is_higher_than_the_last_whatever_the_clock_says() {
        let lease = Lease::new(100);
        for (now, expected) in [(250, 250), (90, 251), (250, 252), (300, 300)] {
            lease.begin_incarnation(UnixMillis(now));
            assert_eq!(lease.incarnation(), expected);
        }
    }
}
