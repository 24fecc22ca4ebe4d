//! One's own body ahead of the server's answer. The server steps once for each input in
//! sequence; the page steps at once with the same function and keeps what the server has
//! not acknowledged, so that both arrive at the same place.

use std::collections::VecDeque;

use shared::limits::MAX_INPUTS_PER_DATAGRAM;
use shared::realtime::message::InputPacket;
use shared::world::map::ZoneMap;
use shared::world::movement::{Body, MoveInput, step};
use shared::world::{Facing, SUBTILE};

use super::fixed_step::FixedStep;

/// Inputs kept without an answer, over six seconds of them. Beyond, the oldest are dropped
/// and the server's body decides.
pub const MAX_UNACKED: usize = 128;
/// How long an error of prediction takes to blend out.
const BLEND_MS: f32 = 100.0;
/// Tiles beyond which an error is shown at once: blending over walls looks worse.
const SNAP_TILES: f32 = 2.0;

/// One's own body as it is to be drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictedBody {
    /// Tiles from the left edge to the middle of its feet.
    pub x: f32,
    /// Tiles from the top edge to the middle of its feet.
    pub y: f32,
    /// Which way it looks.
    pub facing: Facing,
    /// Whether its feet move.
    pub walking: bool,
}

/// The prediction of one session's local player.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// The body one tick before `now`, to draw the time between ticks.
    before: Body,
    now: Body,
    newest: u32,
    unacked: VecDeque<(u32, MoveInput)>,
    acked: u32,
    steps: FixedStep,
    /// What is still to be blended out, in tiles, at full size, and the time left for it.
    error: (f32, f32),
    blend_left_ms: f32,
}

impl Prediction {
    /// Starts from the authoritative body; the first input will have sequence 1.
    #[must_use]
    pub fn new(body: Body) -> Self {
        Self {
            before: body,
            now: body,
            newest: 0,
            unacked: VecDeque::new(),
            acked: 0,
            steps: FixedStep::default(),
            error: (0.0, 0.0),
            blend_left_ms: 0.0,
        }
    }

    /// Takes the time since the last frame and says how many ticks are due: call
    /// [`tick`](Self::tick) that many times.
    pub fn advance(&mut self, elapsed_ms: f64) -> u32 {
        self.blend_left_ms = (self.blend_left_ms - elapsed_ms.max(0.0) as f32).max(0.0);
        self.steps.advance(elapsed_ms)
    }

    /// Steps one tick with an input and keeps it until it is acknowledged.
    pub fn tick(&mut self, map: &ZoneMap, input: MoveInput) {
        self.newest += 1;
        if self.unacked.len() == MAX_UNACKED {
            self.unacked.pop_front();
        }
        self.unacked.push_back((self.newest, input));
        self.before = self.now;
        self.now = step(map, self.now, input);
    }

    /// The datagram to send after a tick: the latest unacknowledged inputs, and the newest
    /// snapshot applied.
    #[must_use]
    pub fn packet(&self, acked_tick: Option<u32>) -> InputPacket {
        let skipped = self.unacked.len().saturating_sub(MAX_INPUTS_PER_DATAGRAM);
        InputPacket {
            acked_tick,
            newest: self.newest,
            inputs: self.unacked.iter().skip(skipped).map(|(_, input)| *input).collect(),
        }
    }

    /// Takes the server's body, which includes the inputs up to `acked_input`, and steps
    /// the later ones again. What this moves is blended out over a moment.
    pub fn reconcile(&mut self, map: &ZoneMap, authoritative: Body, acked_input: u32) {
        // A snapshot that is older than the last one would ask for inputs that are gone.
        if acked_input < self.acked {
            return;
        }
        self.acked = acked_input;
        while self.unacked.front().is_some_and(|(sequence, _)| *sequence <= acked_input) {
            self.unacked.pop_front();
        }
        let mut before = authoritative;
        let mut now = authoritative;
        for (_, input) in &self.unacked {
            before = now;
            now = step(map, now, *input);
        }
        if now == self.now {
            return;
        }
        let shown = self.render();
        self.before = if self.unacked.is_empty() { now } else { before };
        self.now = now;
        self.blend_left_ms = 0.0;
        let corrected = self.render();
        let error = (shown.x - corrected.x, shown.y - corrected.y);
        if error.0.hypot(error.1) <= SNAP_TILES {
            self.error = error;
            self.blend_left_ms = BLEND_MS;
        }
    }

    /// The body after the newest tick: what walking and triggers look at.
    #[must_use]
    pub fn body(&self) -> Body {
        self.now
    }

    /// Sequence of the newest input; 0 before the first.
    #[must_use]
    pub fn newest(&self) -> u32 {
        self.newest
    }

    /// Inputs that the server has not acknowledged.
    #[must_use]
    pub fn unacked(&self) -> usize {
        self.unacked.len()
    }

    /// The body as it is to be drawn now, between its last two ticks.
    #[must_use]
    pub fn render(&self) -> PredictedBody {
        let share = self.steps.share();
        let blend = self.blend_left_ms / BLEND_MS;
        let mix = |a: i32, b: i32| (a as f32 + (b - a) as f32 * share) / SUBTILE as f32;
        PredictedBody {
            x: mix(self.before.position.x, self.now.position.x) + self.error.0 * blend,
            y: mix(self.before.position.y, self.now.position.y) + self.error.1 * blend,
            facing: self.now.facing,
            walking: self.now.walking,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use shared::world::map::test_map::draw;
    use shared::world::{Position, SUBTILE};

    use super::super::interpolation::TICK_MS;
    use super::*;

    fn right() -> MoveInput {
        MoveInput::towards(1, 0)
    }

    fn room() -> ZoneMap {
        draw(&[
            "############",
            "#@....#....#",
            "#..##.#..#.#",
            "#..#.....#.#",
            "#....#.....#",
            "############",
        ])
    }

    fn start(map: &ZoneMap) -> Body {
        Body::standing(map.start().center())
    }

    /// The server's side of one player: it steps once for each input, in sequence.
    struct Server {
        body: Body,
        acked: u32,
    }

    impl Server {
        fn take(&mut self, map: &ZoneMap, packet: &InputPacket) {
            assert!(packet.is_sound());
            for (sequence, input) in packet.sequenced() {
                if sequence > self.acked {
                    self.body = step(map, self.body, input);
                    self.acked = sequence;
                }
            }
        }
    }

    #[test]
    fn inputs_are_numbered_from_one_and_repeated_until_acknowledged() {
        let map = room();
        let mut prediction = Prediction::new(start(&map));
        assert_eq!(prediction.packet(None).newest, 0);
        assert!(prediction.packet(None).is_sound());
        prediction.tick(&map, right());
        prediction.tick(&map, MoveInput::STILL);
        let packet = prediction.packet(Some(9));
        assert_eq!(packet.acked_tick, Some(9));
        let inputs: Vec<_> = packet.sequenced().collect();
        assert_eq!(inputs, [(1, right()), (2, MoveInput::STILL)]);
        prediction.reconcile(&map, step(&map, start(&map), right()), 1);
        assert_eq!(prediction.packet(None).sequenced().collect::<Vec<_>>(), inputs[1..]);
    }

    #[test]
    fn what_is_kept_and_what_is_sent_is_bounded() {
        let map = room();
        let mut prediction = Prediction::new(start(&map));
        for _ in 0..3 * MAX_UNACKED {
            prediction.tick(&map, right());
        }
        assert_eq!(prediction.unacked(), MAX_UNACKED);
        let packet = prediction.packet(None);
        assert_eq!(packet.inputs.len(), MAX_INPUTS_PER_DATAGRAM);
        assert_eq!(packet.newest, 3 * MAX_UNACKED as u32);
    }

    #[test]
    fn a_small_error_blends_out_and_a_large_one_snaps() {
        let map = room();
        let mut prediction = Prediction::new(start(&map));
        let shown = prediction.render();
        let aside = |units: i32| {
            let Position { x, y } = map.start().center();
            Body::standing(Position { x: x + units, y })
        };
        prediction.reconcile(&map, aside(SUBTILE), 0);
        assert_eq!(prediction.render().x, shown.x, "nothing jumps at once");
        prediction.advance(50.0);
        assert!((prediction.render().x - shown.x - 0.5).abs() < 0.01, "half of it after 50 ms");
        prediction.advance(50.0);
        assert_eq!(prediction.render().x, shown.x + 1.0);
        prediction.reconcile(&map, aside(4 * SUBTILE), 0);
        assert_eq!(prediction.render().x, shown.x + 4.0);
    }

    #[test]
    fn time_between_ticks_is_drawn_between_their_bodies() {
        let map = room();
        let mut prediction = Prediction::new(start(&map));
        assert_eq!(prediction.advance(TICK_MS), 1);
        prediction.tick(&map, right());
        let (from, to) = (map.start().center().x, prediction.body().position.x);
        assert_eq!(prediction.render().x, from as f32 / SUBTILE as f32);
        assert_eq!(prediction.advance(TICK_MS / 2.0), 0);
        let middle = (from + to) as f32 / 2.0 / SUBTILE as f32;
        assert!((prediction.render().x - middle).abs() < 0.001);
    }

    #[test]
    fn an_older_answer_than_the_last_is_passed_over() {
        let map = room();
        let mut prediction = Prediction::new(start(&map));
        let mut body = start(&map);
        for _ in 0..3 {
            prediction.tick(&map, right());
            body = step(&map, body, right());
        }
        prediction.reconcile(&map, body, 3);
        prediction.reconcile(&map, start(&map), 1);
        assert_eq!(prediction.body(), body);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Over a link with latency, reordering and loss both ways, the page's body is the
        /// server's exactly once everything is acknowledged. While fewer datagrams in a row
        /// are lost than one repeats, no answer ever corrects the page at all.
        #[test]
        fn prediction_converges_to_the_server(
            ticks in prop::collection::vec(
                ((-1..=1i32, -1..=1i32), 0usize..6, 0usize..6, any::<bool>(), any::<bool>()),
                1..200,
            ),
            outage in prop::option::of(0usize..150),
        ) {
            let map = room();
            let mut prediction = Prediction::new(start(&map));
            let mut server = Server { body: start(&map), acked: 0 };
            let mut up: BTreeMap<usize, Vec<InputPacket>> = BTreeMap::new();
            let mut down: BTreeMap<usize, Vec<(Body, u32)>> = BTreeMap::new();
            let mut lost_in_a_row = 0;
            let mut skipped = false;
            let total = ticks.len();
            let settling = std::iter::repeat_n(((0, 0), 0, 0, true, true), 20);
            for (i, ((x, y), up_delay, down_delay, up_ok, down_ok)) in
                ticks.into_iter().chain(settling).enumerate()
            {
                for (body, acked) in down.remove(&i).unwrap_or_default() {
                    let before = prediction.body();
                    prediction.reconcile(&map, body, acked);
                    prop_assert!(skipped || prediction.body() == before);
                    if acked == prediction.newest() {
                        prop_assert_eq!(prediction.body(), body);
                    }
                }
                prediction.tick(&map, MoveInput::towards(x, y));
                let in_outage =
                    i < total && outage.is_some_and(|from| (from..from + 30).contains(&i));
                let arrives = up_ok && !in_outage;
                lost_in_a_row = if arrives { 0 } else { lost_in_a_row + 1 };
                // Delays of up to 5 ticks come on top of the losses.
                skipped |= lost_in_a_row + 6 > MAX_INPUTS_PER_DATAGRAM;
                if arrives {
                    up.entry(i + up_delay).or_default().push(prediction.packet(None));
                }
                for packet in up.remove(&i).unwrap_or_default() {
                    server.take(&map, &packet);
                }
                if down_ok && !in_outage {
                    let answer = (server.body, server.acked);
                    down.entry(i + 1 + down_delay).or_default().push(answer);
                }
            }
            prediction.reconcile(&map, server.body, server.acked);
            prop_assert_eq!(server.acked, prediction.newest());
            prop_assert_eq!(prediction.body(), server.body);
            prop_assert_eq!(prediction.unacked(), 0);
        }
    }
}
