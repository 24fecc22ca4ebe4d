//! Where a player's inputs will have taken it once the server has worked through them, as
//! an honest client computes it.

use std::collections::VecDeque;

use shared::realtime::message::InputPacket;
use shared::world::map::ZoneMap;
use shared::world::movement::{Body, MoveInput, step};

/// Inputs that one datagram repeats.
const REPEATED_INPUTS: usize = 8;

/// Inputs on their way, and where they lead.
#[derive(Debug)]
pub(crate) struct Prediction {
    body: Body,
    newest: u32,
    unacked: VecDeque<(u32, MoveInput)>,
}

impl Prediction {
    pub(crate) fn new(body: Body) -> Self {
        Self { body, newest: 0, unacked: VecDeque::new() }
    }

    pub(crate) fn body(&self) -> Body {
        self.body
    }

    pub(crate) fn push(&mut self, map: &ZoneMap, input: MoveInput) {
        self.newest += 1;
        self.unacked.push_back((self.newest, input));
        self.body = step(map, self.body, input);
    }

    /// The server's body, which includes the inputs up to `acked`.
    pub(crate) fn reconcile(&mut self, map: &ZoneMap, authoritative: Body, acked: u32) {
        self.unacked.retain(|(sequence, _)| *sequence > acked);
        let inputs = self.unacked.iter().map(|(_, input)| *input);
        self.body = inputs.fold(authoritative, |body, input| step(map, body, input));
    }

    /// The datagram after a tick, repeating at least the last inputs.
    pub(crate) fn packet(&self, acked_tick: Option<u32>, fresh: usize) -> InputPacket {
        let repeated = REPEATED_INPUTS.max(fresh);
        let skipped = self.unacked.len().saturating_sub(repeated);
        let inputs = self.unacked.iter().skip(skipped).map(|(_, input)| *input).collect();
        InputPacket { acked_tick, newest: self.newest, inputs }
    }
}
