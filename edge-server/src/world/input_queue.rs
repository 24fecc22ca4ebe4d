//! The movement inputs of one player on their way into the simulation.
//!
//! The client predicts one step for each input that it numbers, so the server walks one
//! step for each input that it acknowledges and none without: with an empty queue the
//! body stays where it is, nothing is acknowledged, and the step is made up for when the
//! late input arrives. Had the server stood "still" in its place, or repeated the last
//! input, both sides would disagree by that step until the next correction, each time the
//! network was late.
//!
//! What is made up for is bounded. A player earns one step a tick and saves up at most
//! [`MAX_QUEUED_INPUTS`], so over any time it walks at most one step a tick and those few;
//! a client that sends more has its oldest inputs dropped.

use std::collections::VecDeque;

use shared::limits::MAX_QUEUED_INPUTS;
use shared::realtime::message::InputPacket;
use shared::world::movement::MoveInput;

/// Inputs taken in one tick at most: one for the tick, one to shorten a deep queue.
pub const MAX_INPUTS_PER_TICK: usize = 2;
/// A queue longer than this delays its player noticeably and is shortened. Below it, it
/// absorbs the network's jitter.
pub const DEEP_QUEUE: usize = 2;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct InputQueue {
    waiting: VecDeque<(u32, MoveInput)>,
    /// The newest sequence that was ever taken in; older and equal ones are passed over.
    newest: u32,
    /// The sequence of the last input that was walked.
    acked: u32,
    /// Steps that the player has earned and not walked.
    earned: usize,
}

impl InputQueue {
    /// Takes in what is new of a packet. Doubled and late inputs are passed over; what
    /// does not fit pushes out the oldest.
    pub fn push(&mut self, packet: &InputPacket) {
        if !packet.is_sound() {
            return;
        }
        for (sequence, input) in packet.sequenced() {
            if sequence <= self.newest {
                continue;
            }
            self.newest = sequence;
            if self.waiting.len() >= MAX_QUEUED_INPUTS {
                self.waiting.pop_front();
            }
            self.waiting.push_back((sequence, input));
        }
    }

    /// The inputs to walk in one tick, oldest first; they count as acknowledged.
    pub fn take_tick(&mut self) -> impl Iterator<Item = MoveInput> {
        self.earned = (self.earned + 1).min(MAX_QUEUED_INPUTS);
        let wanted = if self.waiting.len() > DEEP_QUEUE { MAX_INPUTS_PER_TICK } else { 1 };
        let count = wanted.min(self.earned).min(self.waiting.len());
        self.earned -= count;
        if let Some((sequence, _)) = count.checked_sub(1).and_then(|last| self.waiting.get(last)) {
            self.acked = *sequence;
        }
        self.waiting.drain(..count).map(|(_, input)| input)
    }

    /// The newest input that has been walked; 0 before the first.
    #[must_use]
    pub fn acked(&self) -> u32 {
        self.acked
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shared::limits::MAX_INPUTS_PER_DATAGRAM;

    use super::*;

    const RIGHT: fn() -> MoveInput = || MoveInput::towards(1, 0);

    fn packet(newest: u32, count: usize) -> InputPacket {
        InputPacket { acked_tick: None, newest, inputs: vec![RIGHT(); count] }
    }

    fn walk(queue: &mut InputQueue, ticks: usize) -> usize {
        (0..ticks).map(|_| queue.take_tick().count()).sum()
    }

    #[test]
    fn doubled_and_late_inputs_are_walked_once() {
        let mut queue = InputQueue::default();
        walk(&mut queue, 20);
        queue.push(&packet(3, 3));
        queue.push(&packet(3, 3));
        queue.push(&packet(2, 1));
        assert_eq!((walk(&mut queue, 10), queue.acked()), (3, 3));
        queue.push(&packet(3, 3));
        assert_eq!((walk(&mut queue, 10), queue.acked()), (0, 3));
    }

    #[test]
    fn a_lost_packet_is_made_good_by_the_next() {
        let mut queue = InputQueue::default();
        walk(&mut queue, 5);
        queue.push(&packet(1, 1));
        queue.push(&packet(4, 4));
        assert_eq!((walk(&mut queue, 10), queue.acked()), (4, 4));
    }

    #[test]
    fn an_empty_queue_walks_and_acknowledges_nothing() {
        let mut queue = InputQueue::default();
        assert_eq!((walk(&mut queue, 10), queue.acked()), (0, 0));
    }

    #[test]
    fn a_burst_after_a_pause_is_walked_off_at_twice_the_pace() {
        let mut queue = InputQueue::default();
        walk(&mut queue, 6);
        queue.push(&packet(6, 6));
        let taken: Vec<usize> = (0..5).map(|_| queue.take_tick().count()).collect();
        assert_eq!(taken, [2, 2, 1, 1, 0]);
    }

    #[test]
    fn a_client_that_sends_too_much_walks_no_faster() {
        let mut queue = InputQueue::default();
        let (mut sent, mut walked) = (0, 0);
        for _ in 0..1_000 {
            sent += 5;
            queue.push(&packet(sent, 5));
            walked += queue.take_tick().count();
        }
        assert_eq!(walked, 1_000);
        // Dropping the oldest keeps it close to what the client sends now.
        assert!(sent - queue.acked() <= u32::try_from(MAX_QUEUED_INPUTS).unwrap());
    }

    #[test]
    fn the_last_sequence_of_all_is_passed_over() {
        let mut queue = InputQueue::default();
        queue.push(&packet(u32::MAX, 1));
        queue.push(&packet(u32::MAX, 0));
        queue.push(&packet(1, 1));
        assert_eq!((walk(&mut queue, 3), queue.acked()), (1, 1));
    }

    proptest! {
        /// Whatever comes over the network, late, doubled or far too much of it: over any
        /// stretch of time nobody walks more than a step a tick and the few that were
        /// saved up, and acknowledgements only rise.
        #[test]
        fn nobody_outruns_the_clock(
            ticks in prop::collection::vec(
                prop::collection::vec((-3i32..30, 0usize..=MAX_INPUTS_PER_DATAGRAM), 0..4), 1..200),
            from in 0usize..200,
        ) {
            let mut queue = InputQueue::default();
            let (mut newest, mut walked) = (0u32, Vec::new());
            for packets in ticks {
                for (ahead, count) in packets {
                    newest = newest.saturating_add_signed(ahead);
                    queue.push(&packet(newest, count));
                }
                prop_assert!(queue.waiting.len() <= MAX_QUEUED_INPUTS);
                let before = queue.acked();
                walked.push(queue.take_tick().count());
                prop_assert!(queue.acked() >= before);
            }
            let stretch = &walked[from.min(walked.len())..];
            prop_assert!(stretch.iter().sum::<usize>() <= stretch.len() + MAX_QUEUED_INPUTS);
        }
    }
}
