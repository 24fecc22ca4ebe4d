//! Frames come when the browser likes; ticks come 20 times a second.

use super::interpolation::TICK_MS;

/// Ticks run in one frame, at most.
pub const MAX_TICKS_PER_FRAME: u32 = 4;
/// Time that may still be owed after a frame. A tab that was hidden for a minute does not
/// walk for that minute when it comes back.
const MAX_OWED_MS: f64 = 4.0 * TICK_MS;

/// Turns elapsed time into whole ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedStep {
    owed_ms: f64,
}

impl FixedStep {
    /// Takes the time since the last frame and says how many ticks to run now.
    pub fn advance(&mut self, elapsed_ms: f64) -> u32 {
        // A clock that jumps back owes nothing; NaN fails the comparison as well.
        if elapsed_ms > 0.0 {
            self.owed_ms += elapsed_ms;
        }
        let mut ticks = 0;
        while self.owed_ms >= TICK_MS && ticks < MAX_TICKS_PER_FRAME {
            self.owed_ms -= TICK_MS;
            ticks += 1;
        }
        self.owed_ms = self.owed_ms.min(MAX_OWED_MS);
        ticks
    }

    /// How far the time is between the last tick and the next, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f32 {
        (self.owed_ms / TICK_MS).min(1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_of_frames_is_twenty_ticks() {
        let mut step = FixedStep::default();
        let ticks: u32 = (0..60).map(|_| step.advance(1_000.0 / 60.0)).sum();
        assert!((19..=20).contains(&ticks), "{ticks}");
        assert!((0.0..=1.0).contains(&step.share()));
    }

    #[test]
    fn a_hidden_tab_catches_up_with_a_bounded_number_of_ticks() {
        let mut step = FixedStep::default();
        let ticks: u32 = [60_000.0, 0.0, 0.0, 0.0].into_iter().map(|ms| step.advance(ms)).sum();
        assert!(ticks <= 2 * MAX_TICKS_PER_FRAME, "{ticks}");
    }

    #[test]
    fn a_clock_that_jumps_back_changes_nothing() {
        let mut step = FixedStep::default();
        step.advance(20.0);
        let before = step;
        assert_eq!(step.advance(-1_000.0), 0);
        assert_eq!(step.advance(f64::NAN), 0);
        assert_eq!(step, before);
    }
}
