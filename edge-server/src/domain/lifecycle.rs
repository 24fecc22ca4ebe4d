//! What becomes of the end of a session that could not be completed at once. Source: the
//! spec's "Pending, Active, Resume" and "Failure And Recovery".
//!
//! The journal owns the retries: an entry is tried again with growing pauses, and is a dead
//! letter once it has been tried [`LIFECYCLE_MAX_ATTEMPTS`] times or nothing of what failed can
//! pass by itself.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};
use shared::ids::UnixMillis;
use shared::lifecycle::{LifecycleEntry, LifecycleStep};

/// How often an entry is tried before it is a dead letter: for about an hour and a half.
pub const LIFECYCLE_MAX_ATTEMPTS: u32 = 24;
/// Before the first retry; twice as long before each further one.
pub const LIFECYCLE_FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause between two tries.
pub const LIFECYCLE_MAX_PAUSE: Duration = Duration::from_secs(5 * 60);
/// Characters that are kept of an error, at most.
pub const MAX_ERROR_LENGTH: usize = 300;

/// A step that did not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedStep {
    /// Which.
    pub step: LifecycleStep,
    /// Why.
    pub error: String,
    /// Whether trying again makes sense.
    pub may_pass: bool,
}

/// What becomes of an entry after a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// Nothing is left of it.
    Done,
    /// It is tried again when its time has come.
    Later(LifecycleEntry),
    /// It waits for a person.
    Dead(LifecycleEntry),
}

/// Judges a try of an entry by the steps of it that failed.
#[must_use]
pub fn after_try(entry: LifecycleEntry, failed: Vec<FailedStep>, now: UnixMillis) -> Afterwards {
    let Some(first) = failed.first() else { return Afterwards::Done };
    let attempts = entry.attempts.saturating_add(1);
    let last_error = Some(first.error.chars().take(MAX_ERROR_LENGTH).collect());
    let hopeless = failed.iter().all(|failed| !failed.may_pass);
    let left = LifecycleEntry {
        steps: failed.into_iter().map(|failed| failed.step).collect(),
        attempts,
        not_before: now.plus(pause_after(attempts)),
        last_error,
        ..entry
    };
    if hopeless || attempts >= LIFECYCLE_MAX_ATTEMPTS {
        Afterwards::Dead(left)
    } else {
        Afterwards::Later(left)
    }
}

/// How long an entry waits that has been tried so often.
fn pause_after(attempts: u32) -> Duration {
    let pauses = ExponentialBuilder::new()
        .with_min_delay(LIFECYCLE_FIRST_PAUSE)
        .with_max_delay(LIFECYCLE_MAX_PAUSE)
        .without_max_times();
    let at = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    pauses.build().nth(at).unwrap_or(LIFECYCLE_MAX_PAUSE)
}

#[cfg(test)]
mod tests {
    use shared::ids::{AccountId, CharacterId, LifecycleId, SessionEpoch};
    use shared::version::PayloadVersion;
    use shared::world::Tile;
    use uuid::Uuid;

    use super::*;

    const NOW: UnixMillis = UnixMillis(1_800_000_000_000);

    fn save() -> LifecycleStep {
        LifecycleStep::SavePlace { zone: "harbor".parse().unwrap(), tile: Tile { x: 3, y: 4 } }
    }

    fn entry(attempts: u32) -> LifecycleEntry {
        LifecycleEntry {
            payload_version: PayloadVersion::CURRENT,
            id: LifecycleId::new(Uuid::from_u128(1)),
            account_id: AccountId::new(Uuid::from_u128(2)),
            character_id: CharacterId::new(Uuid::from_u128(3)),
            character_name: "Mara".to_owned(),
            session_token: "session-of-a-test".parse().unwrap(),
            epoch: SessionEpoch(7),
            instance: "edge-a".parse().unwrap(),
            steps: vec![save(), LifecycleStep::RemovePresence, LifecycleStep::RemoveLedger],
            attempts,
            not_before: NOW,
            created_at: NOW,
            last_error: None,
        }
    }

    fn failed(step: LifecycleStep, may_pass: bool) -> FailedStep {
        FailedStep { step, error: "it is away".to_owned(), may_pass }
    }

    #[test]
    fn what_has_worked_is_not_tried_again() {
        assert_eq!(after_try(entry(0), vec![], NOW), Afterwards::Done);
        let left = vec![failed(LifecycleStep::RemovePresence, true)];
        let Afterwards::Later(later) = after_try(entry(0), left, NOW) else { panic!("it is kept") };
        assert_eq!(later.steps, [LifecycleStep::RemovePresence]);
        assert_eq!((later.attempts, later.last_error.as_deref()), (1, Some("it is away")));
        assert_eq!(later.not_before, NOW.plus(LIFECYCLE_FIRST_PAUSE));
    }

    #[test]
    fn pauses_grow_to_their_limit_and_the_last_try_makes_a_dead_letter() {
        let mut waited = Duration::ZERO;
        let mut standing = entry(0);
        for attempt in 1..LIFECYCLE_MAX_ATTEMPTS {
            let tried = after_try(standing, vec![failed(save(), true)], NOW);
            let Afterwards::Later(later) = tried else { panic!("{attempt}: {tried:?}") };
            let pause = Duration::from_millis(later.not_before.0 - NOW.0);
            assert!((LIFECYCLE_FIRST_PAUSE..=LIFECYCLE_MAX_PAUSE).contains(&pause), "{pause:?}");
            waited += pause;
            standing = later;
        }
        assert!(waited > Duration::from_secs(60 * 60), "{waited:?} outlives a long outage");
        let tried = after_try(standing, vec![failed(save(), true)], NOW);
        assert!(matches!(tried, Afterwards::Dead(_)), "{tried:?}");
    }

    #[test]
    fn what_cannot_pass_waits_for_a_person_at_once() {
        let unreadable = failed(LifecycleStep::RemoveLedger, false);
        let tried = after_try(entry(0), vec![unreadable.clone()], NOW);
        let Afterwards::Dead(dead) = tried else { panic!("{tried:?}") };
        assert_eq!(dead.steps, [LifecycleStep::RemoveLedger]);
        // Beside it something that can: both are tried again.
        let tried = after_try(entry(0), vec![failed(save(), true), unreadable], NOW);
        assert!(matches!(tried, Afterwards::Later(_)), "{tried:?}");
    }

    #[test]
    fn a_long_error_is_cut() {
        let long = FailedStep { error: "ü".repeat(1_000), ..failed(save(), true) };
        let Afterwards::Later(later) = after_try(entry(0), vec![long], NOW) else {
            panic!("it is kept")
        };
        assert_eq!(later.last_error.unwrap().chars().count(), MAX_ERROR_LENGTH);
    }
}
