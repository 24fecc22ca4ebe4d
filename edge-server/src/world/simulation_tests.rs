//! The zone tick by tick.

use proptest::prelude::*;
use shared::limits::VIEW_RADIUS_TILES;
use shared::realtime::snapshot::SnapshotReceiver;
use shared::world::map::test_map::draw;
use shared::world::movement::MoveInput;
use uuid::Uuid;

use super::*;

fn field() -> ZoneState {
    let edge = "#".repeat(80);
    let inner = format!("#@{}#", ".".repeat(77));
    let row = format!("#{}#", ".".repeat(78));
    ZoneState::new(Arc::new(draw(&[&edge, &inner, &row, &row, &edge])))
}

fn arrival(number: u128, tile: Tile) -> Arrival {
    Arrival {
        character_id: CharacterId::new(Uuid::from_u128(number)),
        epoch: SessionEpoch(1),
        name: format!("Player {number}"),
        appearance: Appearance::default(),
        tile,
    }
}

fn right(newest: u32, count: usize) -> InputPacket {
    InputPacket { acked_tick: None, newest, inputs: vec![MoveInput::towards(1, 0); count] }
}

/// All but the flowers', which everybody is told on entering.
fn messages(outputs: &[Output], wanted: EntityId) -> Vec<ServerMessage> {
    let of = |output: &Output| match output {
        Output::Message { message: ServerMessage::PickedFlowers(_), .. } => None,
        Output::Message { to, message } if *to == wanted => Some(message.clone()),
        _ => None,
    };
    outputs.iter().filter_map(of).collect()
}

fn snapshot(outputs: &[Output], wanted: EntityId) -> Snapshot {
    let of = |output: &Output| match output {
        Output::Snapshot { to, snapshot } if *to == wanted => Some(snapshot.clone()),
        _ => None,
    };
    outputs.iter().find_map(of).unwrap()
}

fn seen(entity: EntityId, number: u128) -> ServerMessage {
    let (name, appearance) = (format!("Player {number}"), Appearance::default());
    ServerMessage::Seen(Seen { entity, name, appearance, dead: false })
}

#[test]
fn bodies_are_numbered_from_one_and_never_again() {
    let mut zone = field();
    let first = zone.join(arrival(1, Tile { x: 1, y: 1 }));
    assert_eq!(first.entity, EntityId(1));
    zone.leave(first.entity).unwrap();
    assert_eq!(zone.join(arrival(1, Tile { x: 1, y: 1 })).entity, EntityId(2));
    assert!(zone.leave(first.entity).is_none());
}

#[test]
fn who_stands_in_a_new_wall_joins_at_the_spawn_and_is_saved_there() {
    let mut zone = field();
    let joined = zone.join(arrival(1, Tile { x: 0, y: 0 }));
    assert_eq!(joined.position.tile(), Tile { x: 1, y: 1 });
    assert_eq!(zone.unsaved().len(), 1);
    zone.mark_saved();
    assert_eq!(zone.unsaved(), []);
}

#[test]
fn a_body_is_introduced_once_and_its_leaving_told_once() {
    let mut zone = field();
    let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
    let two = zone.join(arrival(2, Tile { x: 5, y: 1 })).entity;
    let outputs = zone.tick();
    assert_eq!(messages(&outputs, one), [seen(one, 1), seen(two, 2)]);
    assert_eq!(messages(&outputs, two), [seen(one, 1), seen(two, 2)]);
    assert_eq!(messages(&zone.tick(), one), []);
    let (place, outputs) = zone.leave(two).unwrap();
    assert_eq!(place.tile, Tile { x: 5, y: 1 });
    assert_eq!(messages(&outputs, one), [ServerMessage::Gone(two)]);
    assert_eq!(messages(&zone.tick(), one), []);
    assert_eq!(snapshot(&zone.tick(), one).changed.len(), 1);
}

#[test]
fn a_far_body_is_neither_introduced_nor_shown_until_it_comes_near() {
    let far = u16::try_from(VIEW_RADIUS_TILES).unwrap() + 2;
    let mut zone = field();
    let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
    let two = zone.join(arrival(2, Tile { x: 1 + far, y: 1 })).entity;
    let stranger = zone.join(arrival(3, Tile { x: 60, y: 1 })).entity;
    let outputs = zone.tick();
    assert_eq!(messages(&outputs, one), [seen(one, 1)]);
    assert_eq!(snapshot(&outputs, one).changed.len(), 1);
    // Who was never introduced to somebody leaves without a word to them.
    let (_, outputs) = zone.leave(stranger).unwrap();
    assert_eq!(messages(&outputs, one), []);
    let mut met = false;
    for tick in 1..=20 {
        zone.input(one, &right(tick, 1));
        met |= messages(&zone.tick(), one).contains(&seen(two, 2));
    }
    assert!(met);
    let (_, outputs) = zone.leave(one).unwrap();
    assert_eq!(messages(&outputs, two), [ServerMessage::Gone(one)]);
}

#[test]
fn snapshots_acknowledge_inputs_as_they_are_walked() {
    let mut zone = field();
    let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
    assert_eq!(snapshot(&zone.tick(), one).acked_input, 0);
    zone.input(one, &right(2, 2));
    assert_eq!(snapshot(&zone.tick(), one).acked_input, 1);
    assert_eq!(snapshot(&zone.tick(), one).acked_input, 2);
    assert_eq!(snapshot(&zone.tick(), one).acked_input, 2);
}

#[test]
fn a_body_whose_client_falls_silent_soon_stops_walking_on_the_spot() {
    let mut zone = field();
    let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
    zone.input(one, &right(1, 1));
    zone.tick();
    let walked = zone.players[&one].body;
    assert!(walked.walking);
    for _ in 0..STANDS_AFTER_TICKS {
        zone.tick();
    }
    assert_eq!(zone.players[&one].body, Body { walking: false, ..walked });
}

#[test]
fn an_acknowledged_snapshot_is_the_next_ones_baseline() {
    let mut zone = field();
    let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
    assert_eq!(snapshot(&zone.tick(), one).baseline, None);
    zone.input(one, &InputPacket { acked_tick: Some(1), newest: 0, inputs: Vec::new() });
    assert_eq!(snapshot(&zone.tick(), one).baseline, Some(1));
}

proptest! {
    /// A client that replays its unacknowledged inputs over each snapshot ends where
    /// the server ends, however its packets are lost and delayed, as long as no more
    /// than the queue holds is under way.
    #[test]
    fn prediction_meets_authority(
        ways in prop::collection::vec((-1..=1i32, -1..=1i32), 1..120),
        arrives in prop::collection::vec(any::<bool>(), 120),
    ) {
        let mut zone = field();
        let map = zone.map.clone();
        let joined = zone.join(arrival(1, Tile { x: 3, y: 2 }));
        let (one, mut receiver) = (joined.entity, SnapshotReceiver::default());
        let mut unacked: Vec<(u32, MoveInput)> = Vec::new();
        let mut predicted = Body::standing(joined.position);
        for (i, (x, y)) in ways.iter().enumerate() {
            let sequence = u32::try_from(i).unwrap() + 1;
            let input = MoveInput::towards(*x, *y);
            unacked.push((sequence, input));
            predicted = step(&map, predicted, input);
            // At most a few in a row are lost, or the queue drops some for good.
            if arrives[i] || i % 4 == 0 {
                let inputs: Vec<_> =
                    unacked.iter().rev().take(6).rev().map(|(_, input)| *input).collect();
                let acked_tick = receiver.acked_tick();
                zone.input(one, &InputPacket { acked_tick, newest: sequence, inputs });
            }
            let snapshot = snapshot(&zone.tick(), one);
            let authority = receiver.apply(&snapshot).unwrap()[&one];
            unacked.retain(|(sequence, _)| *sequence > snapshot.acked_input);
            let replayed =
                unacked.iter().fold(authority, |body, (_, input)| step(&map, body, *input));
            prop_assert_eq!(replayed.position, predicted.position);
        }
    }
}

#[test]
fn who_comes_back_has_the_same_body_and_is_told_everything_anew() {
    let mut zone = field();
    let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
    let two = zone.join(arrival(2, Tile { x: 5, y: 1 })).entity;
    zone.input(one, &right(3, 3));
    for _ in 0..5 {
        zone.tick();
    }
    zone.let_stand(one);
    let again = zone.join(arrival(1, Tile { x: 1, y: 1 }));
    assert_eq!((again.entity, again.tick), (one, 5));
    let start = Body::standing(Tile { x: 1, y: 1 }.center());
    assert!(again.position.x > start.position.x, "where it was, not where it entered");
    let outputs = zone.tick();
    assert_eq!(messages(&outputs, one), [seen(one, 1), seen(two, 2)]);
    assert_eq!(messages(&outputs, two), [], "the others know it");
    let Some(Output::Snapshot { snapshot, .. }) =
        outputs.iter().find(|output| matches!(output, Output::Snapshot { to, .. } if *to == one))
    else {
        panic!("no snapshot in {outputs:?}");
    };
    assert_eq!((snapshot.baseline, snapshot.acked_input), (None, 0), "nothing is known yet");
    // Its inputs are counted from one again.
    zone.input(one, &right(1, 1));
    zone.tick();
    assert!(zone.leave(one).is_some() && zone.leave(two).is_some());
}

#[test]
fn a_body_that_nobody_steers_forgets_what_it_had_still_to_walk() {
    let mut zone = field();
    let one = zone.join(arrival(1, Tile { x: 1, y: 1 })).entity;
    zone.input(one, &right(8, 8));
    zone.let_stand(one);
    for _ in 0..10 {
        zone.tick();
    }
    assert_eq!(zone.leave(one).unwrap().0.tile, Tile { x: 1, y: 1 });
}
