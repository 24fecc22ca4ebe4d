//! How the page does: the pace of frames and of snapshots, over the last minute.

use std::collections::VecDeque;

/// Milliseconds that one sample sums up.
pub const SAMPLE_MS: f64 = 500.0;
/// Samples kept: the last minute.
pub const MAX_SAMPLES: usize = 120;

/// What half a second was like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Milliseconds of a frame, on average.
    pub frame_ms: f64,
    /// Milliseconds of the longest frame.
    pub worst_frame_ms: f64,
    /// Snapshots that came in a second.
    pub snapshots_per_second: f64,
}

/// How long the last ping took there and back, in words.
#[must_use]
pub fn round_trip_text(milliseconds: Option<f64>) -> String {
    milliseconds.map_or_else(|| "not measured yet".to_owned(), |took| format!("{took:.0} ms"))
}

/// The samples of the last minute, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry {
    samples: VecDeque<Sample>,
    frames: u32,
    worst_ms: f64,
    began: Option<f64>,
    tick: Option<u32>,
    snapshots: u32,
}

impl Telemetry {
    /// Notes a frame at `now` that came `elapsed` milliseconds after the one before, with
    /// the tick of the newest snapshot; says whether that has completed a sample.
    pub fn frame(&mut self, now: f64, elapsed: f64, tick: Option<u32>) -> bool {
        let began = *self.began.get_or_insert(now - elapsed);
        self.frames += 1;
        self.worst_ms = self.worst_ms.max(elapsed);
        if self.tick != tick {
            self.tick = tick;
            self.snapshots += 1;
        }
        let lasted = now - began;
        if lasted < SAMPLE_MS {
            return false;
        }
        if self.samples.len() == MAX_SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(Sample {
            frame_ms: lasted / f64::from(self.frames),
            worst_frame_ms: self.worst_ms,
            snapshots_per_second: f64::from(self.snapshots) * 1_000.0 / lasted,
        });
        (self.frames, self.worst_ms, self.snapshots, self.began) = (0, 0.0, 0, Some(now));
        true
    }

    /// The newest sample.
    #[must_use]
    pub fn latest(&self) -> Option<Sample> {
        self.samples.back().copied()
    }

    /// The samples, oldest first.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.samples.iter()
    }

    /// The samples' `value` as points `x,y` of a line in a box of that size, the newest at
    /// its right edge. `full` is the value at the top.
    #[must_use]
    pub fn sparkline(
        &self,
        width: f64,
        height: f64,
        full: f64,
        value: impl Fn(&Sample) -> f64,
    ) -> String {
        let step = width / (MAX_SAMPLES - 1) as f64;
        let first = MAX_SAMPLES - self.samples.len();
        let point = |(index, sample)| {
            let share = (value(sample) / full).clamp(0.0, 1.0);
            format!("{:.1},{:.1}", (first + index) as f64 * step, height * (1.0 - share))
        };
        self.samples.iter().enumerate().map(point).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of a steady screen, with a snapshot in every third.
    fn run(telemetry: &mut Telemetry, frames: u32, frame_ms: f64) -> usize {
        let start = telemetry.began.unwrap_or(0.0);
        (1..=frames)
            .filter(|n| telemetry.frame(start + f64::from(*n) * frame_ms, frame_ms, Some(n / 3)))
            .count()
    }

    #[test]
    fn half_a_second_of_frames_makes_one_sample() {
        let mut telemetry = Telemetry::default();
        assert_eq!(run(&mut telemetry, 24, 20.0), 0);
        assert_eq!(telemetry.latest(), None);
        assert_eq!(run(&mut telemetry, 25, 20.0), 1);
        let sample = telemetry.latest().unwrap();
        assert!((sample.frame_ms - 20.0).abs() < 15.0, "{sample:?}");
        assert!(sample.snapshots_per_second > 10.0, "{sample:?}");
    }

    #[test]
    fn a_round_trip_is_told_once_it_is_measured() {
        assert_eq!(round_trip_text(None), "not measured yet");
        assert_eq!(round_trip_text(Some(41.7)), "42 ms");
    }

    #[test]
    fn snapshots_that_do_not_come_are_none() {
        let mut telemetry = Telemetry::default();
        for n in 1..=50 {
            telemetry.frame(f64::from(n) * 20.0, 20.0, Some(7));
        }
        let rates: Vec<f64> = telemetry.samples().map(|s| s.snapshots_per_second).collect();
        assert_eq!(rates, [2.0, 0.0], "the first is the one that was there");
    }

    #[test]
    fn the_history_keeps_the_last_minute_and_draws_to_the_right_edge() {
        let mut telemetry = Telemetry::default();
        for n in 1..=MAX_SAMPLES + 9 {
            assert!(telemetry.frame(n as f64 * SAMPLE_MS, SAMPLE_MS, None));
        }
        assert_eq!(telemetry.samples().count(), MAX_SAMPLES);
        let line = telemetry.sparkline(119.0, 20.0, 1_000.0, |sample| sample.frame_ms);
        assert_eq!(line.split(' ').next(), Some("0.0,10.0"));
        assert_eq!(line.split(' ').next_back(), Some("119.0,10.0"));
        let clipped = telemetry.sparkline(119.0, 20.0, 10.0, |sample| sample.frame_ms);
        assert_eq!(clipped.split(' ').next(), Some("0.0,0.0"));
    }
}
