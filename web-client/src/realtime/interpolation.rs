//! Smooth remote bodies from snapshots that come 20 times a second, unevenly and sometimes
//! not at all: they are drawn [`DELAY_TICKS`] in the past, between two snapshots that have
//! both arrived.

use std::collections::VecDeque;

use shared::limits::TICK_HZ;
use shared::realtime::message::EntityId;
use shared::realtime::snapshot::View;
use shared::world::movement::Body;
use shared::world::{Facing, Position, SUBTILE};

/// Milliseconds of one tick.
pub const TICK_MS: f64 = 1_000.0 / TICK_HZ as f64;
/// How far in the past others are drawn: one snapshot may be lost without a halt.
pub const DELAY_TICKS: f64 = 2.0;
/// Ticks without anything newer after which walking feet stop.
const HALT_TICKS: f64 = 3.0;
/// Views kept; older ones can no longer be drawn.
const MAX_VIEWS: usize = 16;
/// A body that moved further than this between two snapshots was not walking.
const JUMP_UNITS: i32 = 3 * SUBTILE;
/// A clock estimate that is off by more than this is given up rather than mended.
const CLOCK_JUMP_MS: f64 = 500.0;
/// Share of a late arrival that moves the clock: the path may have become longer.
const CLOCK_DRIFT: f64 = 0.02;

/// A body as it is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderedBody {
    /// Which body.
    pub entity: EntityId,
    /// Tiles from the left edge to the middle of its feet.
    pub x: f32,
    /// Tiles from the top edge to the middle of its feet.
    pub y: f32,
    /// Which way it looks.
    pub facing: Facing,
    /// Whether its feet move.
    pub walking: bool,
}

/// The last views with the clock that plays them.
#[derive(Clone, Debug, Default)]
pub struct Interpolation {
    views: VecDeque<(u32, View)>,
    /// The page's time at the server's tick 0, as the fastest snapshots tell it.
    epoch: Option<f64>,
}

impl Interpolation {
    /// Takes the view of a tick, newer than any before, that arrived at `now`.
    pub fn push(&mut self, tick: u32, view: View, now: f64) {
        let told = now - f64::from(tick) * TICK_MS;
        self.epoch = Some(match self.epoch {
            Some(epoch) if (told - epoch).abs() < CLOCK_JUMP_MS => {
                if told < epoch {
                    told
                } else {
                    epoch + (told - epoch) * CLOCK_DRIFT
                }
            }
            _ => told,
        });
        if self.views.len() == MAX_VIEWS {
            self.views.pop_front();
        }
        self.views.push_back((tick, view));
    }

    /// Every body of the view that is due at `now`.
    #[must_use]
    pub fn render(&self, now: f64) -> Vec<RenderedBody> {
        let Some(epoch) = self.epoch else { return Vec::new() };
        let due = (now - epoch) / TICK_MS - DELAY_TICKS;
        let Some(after) = self.views.iter().position(|(tick, _)| f64::from(*tick) > due) else {
            // Nothing newer has come: bodies halt where they were last seen. Their feet stop
            // only when it lasts, or an uneven path would make them stutter.
            let Some((newest, view)) = self.views.back() else { return Vec::new() };
            let halted = due - f64::from(*newest) > HALT_TICKS;
            return at_rest(view, halted);
        };
        let (next_tick, next) = &self.views[after];
        let Some((last_tick, last)) = after.checked_sub(1).map(|i| &self.views[i]) else {
            return at_rest(next, true);
        };
        let span = f64::from(*next_tick) - f64::from(*last_tick);
        let share = ((due - f64::from(*last_tick)) / span) as f32;
        next.iter()
            .map(|(entity, body)| {
                let from = last.get(entity).map_or(body.position, |before| before.position);
                between(*entity, from, body, share)
            })
            .collect()
    }
}

fn at_rest(view: &View, halted: bool) -> Vec<RenderedBody> {
    view.iter()
        .map(|(entity, body)| RenderedBody {
            walking: body.walking && !halted,
            ..between(*entity, body.position, body, 1.0)
        })
        .collect()
}

fn between(entity: EntityId, from: Position, to: &Body, share: f32) -> RenderedBody {
    let jumped =
        (to.position.x - from.x).abs() > JUMP_UNITS || (to.position.y - from.y).abs() > JUMP_UNITS;
    let share = if jumped { 1.0 } else { share };
    let mix = |a: i32, b: i32| (a as f32 + (b - a) as f32 * share) / SUBTILE as f32;
    RenderedBody {
        entity,
        x: mix(from.x, to.position.x),
        y: mix(from.y, to.position.y),
        facing: to.facing,
        walking: to.walking,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const OTHER: EntityId = EntityId(2);

    fn view_at(x: i32) -> View {
        let body = Body { walking: true, ..Body::standing(Position { x, y: SUBTILE }) };
        View::from([(OTHER, body)])
    }

    /// Ticks 1 to 4, one tile further each, arriving exactly on time from 1,000 ms on.
    fn four_on_time() -> Interpolation {
        let mut others = Interpolation::default();
        for tick in 1..=4u32 {
            let x = tick as i32 * SUBTILE;
            others.push(tick, view_at(x), 1_000.0 + f64::from(tick) * TICK_MS);
        }
        others
    }

    fn x_at(others: &Interpolation, now: f64) -> f32 {
        others.render(now)[0].x
    }

    #[test]
    fn bodies_are_drawn_two_ticks_behind_and_between_snapshots() {
        let others = four_on_time();
        assert_eq!(x_at(&others, 1_000.0 + 4.0 * TICK_MS), 2.0);
        assert_eq!(x_at(&others, 1_000.0 + 4.5 * TICK_MS), 2.5);
        assert!(others.render(1_000.0 + 4.5 * TICK_MS)[0].walking);
    }

    #[test]
    fn a_lost_snapshot_is_bridged() {
        let mut others = Interpolation::default();
        for tick in [1u32, 2, 4] {
            let x = tick as i32 * SUBTILE;
            others.push(tick, view_at(x), 1_000.0 + f64::from(tick) * TICK_MS);
        }
        assert_eq!(x_at(&others, 1_000.0 + 5.0 * TICK_MS), 3.0);
    }

    #[test]
    fn without_news_bodies_halt_where_they_were_seen() {
        let others = four_on_time();
        let soon = others.render(1_000.0 + 7.0 * TICK_MS)[0];
        assert_eq!((soon.x, soon.walking), (4.0, true));
        let later = others.render(1_000.0 + 60.0 * TICK_MS)[0];
        assert_eq!((later.x, later.walking), (4.0, false));
    }

    #[test]
    fn a_jump_is_not_walked() {
        let mut others = Interpolation::default();
        others.push(1, view_at(SUBTILE), 1_050.0);
        others.push(2, view_at(20 * SUBTILE), 1_100.0);
        assert_eq!(x_at(&others, 1_000.0 + 3.5 * TICK_MS), 20.0);
    }

    #[test]
    fn a_body_that_left_the_view_is_not_drawn_and_a_new_one_is() {
        let mut others = Interpolation::default();
        others.push(1, view_at(SUBTILE), 1_050.0);
        others.push(2, View::new(), 1_100.0);
        assert!(others.render(1_000.0 + 3.5 * TICK_MS).is_empty());
        others.push(3, view_at(SUBTILE), 1_150.0);
        assert_eq!(others.render(1_000.0 + 4.5 * TICK_MS).len(), 1);
    }

    #[test]
    fn a_tab_that_slept_plays_on_at_the_new_time() {
        let mut others = four_on_time();
        // A minute of snapshots comes late and at once, then the pace is regular again.
        for tick in 5..=1_200u32 {
            others.push(tick, view_at(tick as i32 * 10), 61_000.0);
        }
        let told = 61_000.0 - 1_200.0 * TICK_MS;
        for tick in 1_201..=1_210u32 {
            others.push(tick, view_at(tick as i32 * 10), told + f64::from(tick) * TICK_MS);
        }
        let shown = x_at(&others, told + 1_210.0 * TICK_MS) * SUBTILE as f32 / 10.0;
        assert!((1_207.0..=1_208.5).contains(&shown), "{shown}");
    }

    proptest! {
        /// However unevenly snapshots arrive, a body that walks to the right is never drawn
        /// outside what was sent and, frame by frame, never runs back noticeably.
        #[test]
        fn uneven_arrival_stays_smooth(late in prop::collection::vec(0.0f64..40.0, 40)) {
            let mut others = Interpolation::default();
            let mut drawn = 0.0f32;
            let mut arrivals: Vec<(f64, u32)> =
                late.iter().zip(1u32..).map(|(l, t)| (f64::from(t) * TICK_MS + l, t)).collect();
            arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut arrivals = arrivals.into_iter().peekable();
            let mut newest = 0;
            for frame in 0..200 {
                let now = f64::from(frame) * 10.0;
                while let Some((at, tick)) = arrivals.next_if(|(at, _)| *at <= now) {
                    if tick > newest {
                        newest = tick;
                        others.push(tick, view_at(tick as i32 * 58), at);
                    }
                }
                if let Some(body) = others.render(now).first() {
                    prop_assert!(body.x <= newest as f32 * 58.0 / SUBTILE as f32 + 0.001);
                    prop_assert!(body.x >= drawn - 0.02, "{} after {drawn}", body.x);
                    drawn = body.x;
                }
            }
        }
    }
}
