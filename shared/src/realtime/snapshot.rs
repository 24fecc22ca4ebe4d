//! Snapshots: what a player sees, as a difference from what it is known to have.
//!
//! The server remembers what each snapshot made of the client's view and codes the next
//! one against the newest that the client acknowledged; without one it sends everything.
//! A snapshot is self-contained: it never needs another than its named baseline, fits one
//! datagram, and loses only freshness when bodies do not fit, for they come first next
//! time round.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::message::EntityId;
use crate::limits::{MAX_DATAGRAM_BYTES, SNAPSHOT_BASELINES};
use crate::world::movement::Body;

/// The bodies that a client has before its eyes.
pub type View = BTreeMap<EntityId, Body>;

/// One datagram of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The tick that it shows.
    pub tick: u32,
    /// The tick of the snapshot that it differs from; none: from nothing.
    pub baseline: Option<u32>,
    /// The newest input of this client that the tick includes; 0 for none.
    pub acked_input: u32,
    /// Bodies that are new or have changed.
    pub changed: Vec<(EntityId, Body)>,
    /// Bodies that are out of view.
    pub removed: Vec<EntityId>,
}

/// Bytes that everything but the two lists can take: three numbers of at most 5 bytes,
/// the option's tag, and two list lengths of at most 2 bytes each (a list of over 16,383
/// entries does not fit a datagram).
const HEADER_BYTES: usize = 3 * 5 + 1 + 2 * 2;

/// The server's memory of one client's view.
#[derive(Debug, Default)]
pub struct SnapshotSender {
    sent: BTreeMap<u32, View>,
    acked: Option<u32>,
}

impl SnapshotSender {
    /// Notes that the client has applied the snapshot of a tick. Unknown ticks (too old,
    /// or never sent) and ticks older than the newest acknowledged are passed over.
    pub fn acknowledge(&mut self, tick: u32) {
        if self.sent.contains_key(&tick) && self.acked.is_none_or(|acked| acked < tick) {
            self.acked = Some(tick);
            self.sent = self.sent.split_off(&tick);
        }
    }

    /// Codes the snapshot of `tick`, in which the client should see `current`. The body
    /// `own` goes first; when not all fits, others take turns from tick to tick.
    pub fn encode(
        &mut self,
        tick: u32,
        acked_input: u32,
        own: EntityId,
        current: &View,
    ) -> Snapshot {
        while self.sent.len() >= SNAPSHOT_BASELINES {
            self.sent.pop_first();
        }
        let known = self.acked.and_then(|acked| Some((acked, self.sent.get(&acked)?)));
        let mut view = known.map(|(_, view)| view.clone()).unwrap_or_default();
        let mut snapshot = Snapshot {
            tick,
            baseline: known.map(|(acked, _)| acked),
            acked_input,
            changed: Vec::new(),
            removed: Vec::new(),
        };
        let mut room = MAX_DATAGRAM_BYTES - HEADER_BYTES;
        let gone: Vec<EntityId> =
            view.keys().filter(|id| !current.contains_key(id)).copied().collect();
        for id in in_turn(gone, tick) {
            if take_room(&mut room, &id) {
                view.remove(&id);
                snapshot.removed.push(id);
            }
        }
        let (first, others): (Vec<_>, Vec<_>) = current
            .iter()
            .filter(|(id, body)| view.get(id) != Some(body))
            .map(|(id, body)| (*id, *body))
            .partition(|(id, _)| *id == own);
        for (id, body) in first.into_iter().chain(in_turn(others, tick)) {
            if take_room(&mut room, &(id, body)) {
                view.insert(id, body);
                snapshot.changed.push((id, body));
            }
        }
        self.sent.insert(tick, view);
        snapshot
    }
}

/// Starts the list at another place each tick, so that what did not fit gets its turn.
fn in_turn<T>(mut list: Vec<T>, tick: u32) -> Vec<T> {
    if !list.is_empty() {
        // A stride that shares no factor with common list lengths reaches every start.
        let start = (u64::from(tick) * 61 % list.len() as u64) as usize;
        list.rotate_left(start);
    }
    list
}

fn take_room<T: Serialize>(room: &mut usize, entry: &T) -> bool {
    let size = postcard::to_stdvec(entry).map_or(usize::MAX, |bytes| bytes.len());
    let fits = size <= *room;
    if fits {
        *room -= size;
    }
    fits
}

/// The client's memory of what it has applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SnapshotReceiver {
    views: BTreeMap<u32, View>,
}

/// Why a snapshot was not applied. Neither is an error of the peer: datagrams come late,
/// doubled and out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotApplied {
    /// It is not newer than what is shown.
    #[error("the snapshot is not newer than the view")]
    Stale,
    /// The client no longer has its baseline; the server sends a whole one soon.
    #[error("the baseline of the snapshot is unknown")]
    UnknownBaseline,
}

impl SnapshotReceiver {
    /// Applies a snapshot and gives the view that it makes.
    ///
    /// # Errors
    /// See [`NotApplied`]; the view stays as it was.
    pub fn apply(&mut self, snapshot: &Snapshot) -> Result<&View, NotApplied> {
        if self.acked_tick().is_some_and(|newest| snapshot.tick <= newest) {
            return Err(NotApplied::Stale);
        }
        let mut view = match snapshot.baseline {
            None => View::new(),
            Some(tick) => self.views.get(&tick).cloned().ok_or(NotApplied::UnknownBaseline)?,
        };
        for id in &snapshot.removed {
            view.remove(id);
        }
        view.extend(snapshot.changed.iter().copied());
        while self.views.len() >= SNAPSHOT_BASELINES {
            self.views.pop_first();
        }
        Ok(self.views.entry(snapshot.tick).or_insert(view))
    }

    /// Tick of the newest applied snapshot, to be acknowledged.
    #[must_use]
    pub fn acked_tick(&self) -> Option<u32> {
        self.views.last_key_value().map(|(tick, _)| *tick)
    }

    /// The newest view.
    #[must_use]
    pub fn view(&self) -> Option<&View> {
        self.views.last_key_value().map(|(_, view)| view)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::codec::{decode_datagram, encode_datagram};
    use super::*;
    use crate::world::Position;

    const OWN: EntityId = EntityId(1);

    fn body(x: i32, y: i32) -> Body {
        Body::standing(Position { x, y })
    }

    fn crowd(count: u32, tick: i32) -> View {
        (1..=count).map(|id| (EntityId(id), body(60_000 + tick, 60_000 + id as i32))).collect()
    }

    #[test]
    fn nothing_new_costs_nothing_once_acknowledged() {
        let (mut sender, mut receiver) = (SnapshotSender::default(), SnapshotReceiver::default());
        let view = crowd(3, 0);
        assert_eq!(receiver.apply(&sender.encode(10, 0, OWN, &view)), Ok(&view));
        sender.acknowledge(10);
        let next = sender.encode(11, 0, OWN, &view);
        assert_eq!((next.baseline, next.changed.len()), (Some(10), 0));
        assert_eq!(receiver.apply(&next), Ok(&view));
    }

    #[test]
    fn the_own_body_always_fits_and_others_take_turns() {
        let mut sender = SnapshotSender::default();
        let mut reached = std::collections::BTreeSet::new();
        for tick in 1..200 {
            let snapshot = sender.encode(tick, u32::MAX, OWN, &crowd(500, tick as i32));
            assert!(encode_datagram(&snapshot).is_ok());
            assert_eq!(snapshot.changed[0].0, OWN);
            reached.extend(snapshot.changed.iter().map(|(id, _)| *id));
        }
        assert_eq!(reached.len(), 500);
    }

    #[test]
    fn acknowledging_what_was_never_sent_changes_nothing() {
        let mut sender = SnapshotSender::default();
        sender.acknowledge(7);
        assert_eq!(sender.encode(8, 0, OWN, &crowd(1, 0)).baseline, None);
    }

    proptest! {
        /// Over a link that loses, delays and doubles datagrams both ways, whatever the
        /// client applies is exactly what the server meant it to see at that tick.
        #[test]
        fn a_lossy_link_never_shows_a_wrong_view(
            steps in prop::collection::vec((0u32..40, any::<bool>(), any::<bool>(), 0usize..6), 1..150)
        ) {
            let (mut sender, mut receiver) =
                (SnapshotSender::default(), SnapshotReceiver::default());
            let mut in_flight: Vec<Vec<u8>> = Vec::new();
            let mut meant = BTreeMap::new();
            for (i, (count, down_arrives, up_arrives, delay)) in steps.into_iter().enumerate() {
                let tick = i as u32 + 1;
                let current = crowd(count + 1, (tick / 3) as i32);
                let snapshot = sender.encode(tick, 0, OWN, &current);
                meant.insert(tick, current);
                if down_arrives {
                    in_flight.push(encode_datagram(&snapshot).unwrap());
                }
                if in_flight.len() > delay {
                    let bytes = in_flight.remove(in_flight.len() - 1 - delay);
                    let snapshot: Snapshot = decode_datagram(&bytes).unwrap();
                    if let Ok(view) = receiver.apply(&snapshot) {
                        prop_assert_eq!(view, &meant[&snapshot.tick]);
                    }
                }
                if let (true, Some(tick)) = (up_arrives, receiver.acked_tick()) {
                    sender.acknowledge(tick);
                }
            }
        }
    }
}
