//! What players do in a zone, tick by tick.

use std::sync::Arc;

use proptest::prelude::*;
use shared::ids::{Appearance, CharacterId, SessionEpoch};
use shared::limits::VIEW_RADIUS_TILES;
use shared::realtime::command::Emote;
use shared::realtime::message::InputPacket;
use shared::world::Tile;
use shared::world::map::test_map::draw;
use shared::world::movement::MoveInput;
use uuid::Uuid;

use super::super::Arrival;
use super::*;
use crate::world::flowers::FLOWER_REGROW_TICKS;

fn zone(rows: &[&str]) -> ZoneState {
    ZoneState::new(Arc::new(draw(rows)))
}

/// Lets a player in and lets it be introduced.
fn join(zone: &mut ZoneState, number: u128, x: u16, y: u16) -> EntityId {
    let entity = zone.join(Arrival {
        character_id: CharacterId::new(Uuid::from_u128(number)),
        epoch: SessionEpoch(1),
        name: format!("Player {number}"),
        appearance: Appearance::default(),
        tile: Tile { x, y },
    });
    zone.tick();
    entity.entity
}

fn put(zone: &mut ZoneState, entity: EntityId, x: u16, y: u16) {
    zone.players.get_mut(&entity).unwrap().body.position = Tile { x, y }.center();
}

fn hello() -> Command {
    Command::Say("hello".parse().unwrap())
}

/// Who was told a message, and nothing else was told.
fn told(outputs: &[Output], expected: &ServerMessage) -> Vec<EntityId> {
    let of = |output: &Output| match output {
        Output::Message { to, message } => {
            assert_eq!(message, expected);
            *to
        }
        Output::Snapshot { .. } => panic!("a command makes no snapshot"),
    };
    outputs.iter().map(of).collect()
}

fn messages(outputs: Vec<Output>, to: EntityId) -> Vec<ServerMessage> {
    let of = |output| match output {
        Output::Message { to: found, message } if found == to => Some(message),
        _ => None,
    };
    outputs.into_iter().filter_map(of).collect()
}

fn gather(zone: &mut ZoneState, entity: EntityId) -> Result<PickedFlower, CommandRefused> {
    zone.act(entity, Command::Gather).map(|(deed, _)| match deed {
        Deed::Picked(flower) => flower,
        Deed::Done => panic!("a gathering picks a flower"),
    })
}

fn picked(zone: &ZoneState) -> Vec<u16> {
    zone.flowers.picked()
}

fn long_field() -> ZoneState {
    zone(&[&format!("@{}", ".".repeat(99))])
}

#[test]
fn what_is_said_and_shown_reaches_the_speaker_and_who_sees_it_and_nobody_else() {
    let far = u16::try_from(VIEW_RADIUS_TILES).unwrap();
    let mut zone = long_field();
    let speaker = join(&mut zone, 1, 0, 0);
    let near = join(&mut zone, 2, far, 0);
    let stranger = join(&mut zone, 3, far + 1, 0);
    let text = "hello".parse().unwrap();
    let (deed, outputs) = zone.act(speaker, hello()).unwrap();
    assert_eq!(deed, Deed::Done);
    let said = ServerMessage::Said { entity: speaker, text };
    assert_eq!(told(&outputs, &said), [speaker, near]);

    let (_, outputs) = zone.act(speaker, Command::Emote(Emote::Wave)).unwrap();
    let emoted = ServerMessage::Emoted { entity: speaker, emote: Emote::Wave };
    assert_eq!(told(&outputs, &emoted), [speaker, near]);

    // Who has seen it once and is away now hears nothing; who comes near does once it knows
    // who speaks.
    put(&mut zone, near, far + 1, 0);
    put(&mut zone, stranger, far, 0);
    assert_eq!(told(&zone.act(speaker, hello()).unwrap().1, &said), [speaker]);
    zone.tick();
    assert_eq!(told(&zone.act(speaker, hello()).unwrap().1, &said), [speaker, stranger]);
}

#[test]
fn somebody_who_has_left_does_nothing() {
    let mut zone = long_field();
    let gone = join(&mut zone, 1, 0, 0);
    zone.leave(gone).unwrap();
    for command in [hello(), Command::Gather, Command::Respawn] {
        assert_eq!(zone.act(gone, command), Err(CommandRefused::Unavailable));
    }
}

#[test]
fn the_dead_may_speak_and_do_nothing_else() {
    let mut zone = zone(&["@!*"]);
    let dead = join(&mut zone, 1, 1, 0);
    for command in
        [Command::Gather, Command::Emote(Emote::Dance), Command::UseExit("meadow".parse().unwrap())]
    {
        assert_eq!(zone.act(dead, command), Err(CommandRefused::Dead));
    }
    assert!(picked(&zone).is_empty(), "the flower beside it still glows");
    let said = ServerMessage::Said { entity: dead, text: "hello".parse().unwrap() };
    assert_eq!(told(&zone.act(dead, hello()).unwrap().1, &said), [dead]);
}

#[test]
fn every_exit_is_closed() {
    let mut zone = zone(&["@.."]);
    let player = join(&mut zone, 1, 0, 0);
    let exit = Command::UseExit("meadow".parse().unwrap());
    assert_eq!(zone.act(player, exit), Err(CommandRefused::NoExit));
}

#[test]
fn who_walks_onto_a_hazard_dies_stays_there_and_respawns_at_the_start() {
    let mut zone = zone(&["@..!...."]);
    let own = join(&mut zone, 1, 2, 0);
    let witness = join(&mut zone, 2, 6, 0);
    let mut deaths = Vec::new();
    for newest in 1..=10 {
        let inputs = vec![MoveInput::towards(1, 0)];
        zone.input(own, &InputPacket { acked_tick: None, newest, inputs });
        let outputs = zone.tick();
        let died = |output: &&Output| {
            matches!(output, Output::Message { message: ServerMessage::Died(_), .. })
        };
        deaths.extend(outputs.iter().filter(died).cloned());
    }
    assert_eq!(told(&deaths, &ServerMessage::Died(own)), [own, witness], "once each");
    let body = zone.players[&own].body;
    assert_eq!((body.position.tile(), body.walking), (Tile { x: 3, y: 0 }, false));
    assert_eq!(zone.players[&own].inputs.acked(), 10, "its inputs are acknowledged");
    let place = zone.unsaved().into_iter().find(|place| place.tile == Tile { x: 3, y: 0 });
    assert!(place.is_some(), "its place is saved as it lies");

    let late = zone.join(Arrival {
        character_id: CharacterId::new(Uuid::from_u128(3)),
        epoch: SessionEpoch(1),
        name: "Late".to_owned(),
        appearance: Appearance::default(),
        tile: Tile { x: 7, y: 0 },
    });
    let dead: Vec<(EntityId, bool)> = messages(zone.tick(), late.entity)
        .into_iter()
        .filter_map(|message| match message {
            ServerMessage::Seen(seen) => Some((seen.entity, seen.dead)),
            _ => None,
        })
        .collect();
    assert_eq!(dead, [(own, true), (witness, false), (late.entity, false)]);

    let (_, outputs) = zone.act(own, Command::Respawn).unwrap();
    assert_eq!(told(&outputs, &ServerMessage::Revived(own)), [own, witness, late.entity]);
    let body = zone.players[&own].body;
    assert_eq!(body, Body::standing(Tile { x: 0, y: 0 }.center()));
    assert_eq!(zone.act(own, Command::Respawn), Err(CommandRefused::Alive));
    zone.input(
        own,
        &InputPacket { acked_tick: None, newest: 11, inputs: vec![MoveInput::towards(1, 0)] },
    );
    zone.tick();
    assert!(zone.players[&own].body.position.x > body.position.x, "it walks again");
}

#[test]
fn the_living_cannot_respawn() {
    let mut zone = zone(&["@.."]);
    let player = join(&mut zone, 1, 2, 0);
    assert_eq!(zone.act(player, Command::Respawn), Err(CommandRefused::Alive));
    assert_eq!(zone.players[&player].body.position.tile(), Tile { x: 2, y: 0 });
}

/// They are not introduced again when they come back, and would take the dead for living.
#[test]
fn who_is_away_hears_of_the_death_of_somebody_it_has_met() {
    let mut zone = zone(&[&format!("@.!{}", ".".repeat(97))]);
    let own = join(&mut zone, 1, 1, 0);
    let away = join(&mut zone, 2, 5, 0);
    put(&mut zone, away, 90, 0);
    put(&mut zone, own, 2, 0);
    assert!(messages(zone.tick(), away).contains(&ServerMessage::Died(own)));
    let (_, outputs) = zone.act(own, Command::Respawn).unwrap();
    assert_eq!(told(&outputs, &ServerMessage::Revived(own)), [own, away]);
}

#[test]
fn who_enters_on_a_hazard_is_introduced_alive_and_dies_in_the_same_tick() {
    let mut zone = zone(&["@.!."]);
    let arrival = Arrival {
        character_id: CharacterId::new(Uuid::from_u128(1)),
        epoch: SessionEpoch(1),
        name: "Player 1".to_owned(),
        appearance: Appearance::default(),
        tile: Tile { x: 2, y: 0 },
    };
    let own = zone.join(arrival).entity;
    let heard = messages(zone.tick(), own);
    assert!(matches!(&heard[0], ServerMessage::Seen(seen) if !seen.dead), "{heard:?}");
    assert_eq!(heard[1], ServerMessage::Died(own));
    assert_eq!(messages(zone.tick(), own), []);
}

#[test]
fn the_nearest_glowing_flower_within_reach_is_picked() {
    let mut zone = zone(&["*....", ".*.*.", "@...*", ".*..."]);
    // By their order in the map: 0,0; 1,1; 3,1; 4,2; 1,3.
    let player = join(&mut zone, 1, 0, 2);
    zone.players.get_mut(&player).unwrap().body.position.y -= 1;
    gather(&mut zone, player).unwrap();
    assert_eq!(picked(&zone), [1], "the upper one is a little nearer");
    gather(&mut zone, player).unwrap();
    assert_eq!(picked(&zone), [1, 4]);
    assert_eq!(gather(&mut zone, player), Err(CommandRefused::NoFlower), "0,0 is two tiles away");
    put(&mut zone, player, 4, 2);
    gather(&mut zone, player).unwrap();
    assert_eq!(picked(&zone), [1, 3, 4], "the one that it stands on");
    put(&mut zone, player, 2, 2);
    gather(&mut zone, player).unwrap();
    assert_eq!(picked(&zone), [1, 2, 3, 4], "across a corner");
}

#[test]
fn of_two_players_at_one_flower_one_gets_it() {
    let mut zone = zone(&["@*."]);
    let (one, two) = (join(&mut zone, 1, 0, 0), join(&mut zone, 2, 2, 0));
    gather(&mut zone, one).unwrap();
    assert_eq!(gather(&mut zone, two), Err(CommandRefused::NoFlower));
}

#[test]
fn a_picked_flower_glows_again_after_exactly_its_ticks() {
    let mut zone = zone(&["@*."]);
    let player = join(&mut zone, 1, 0, 0);
    gather(&mut zone, player).unwrap();
    for tick in 1..FLOWER_REGROW_TICKS {
        zone.tick();
        assert_eq!(gather(&mut zone, player), Err(CommandRefused::NoFlower), "after {tick}");
    }
    zone.tick();
    gather(&mut zone, player).unwrap();
}

#[test]
fn a_flower_that_is_given_back_glows_at_once_unless_it_is_somebody_elses_by_now() {
    let mut zone = zone(&["@*."]);
    let player = join(&mut zone, 1, 0, 0);
    let first = gather(&mut zone, player).unwrap();
    zone.give_back(first);
    let second = gather(&mut zone, player).unwrap();
    for _ in 0..FLOWER_REGROW_TICKS {
        zone.tick();
    }
    gather(&mut zone, player).unwrap();
    zone.give_back(second);
    assert_eq!(gather(&mut zone, player), Err(CommandRefused::NoFlower));
}

#[test]
fn who_enters_is_told_which_flowers_do_not_glow_and_everybody_when_it_changes() {
    let mut zone = zone(&["@*.........................................*"]);
    let far = join(&mut zone, 1, 42, 0);
    let flowers = |outputs: &[Output], to: EntityId| -> Vec<ServerMessage> {
        let all = messages(outputs.to_vec(), to);
        all.into_iter().filter(|m| matches!(m, ServerMessage::PickedFlowers(_))).collect()
    };
    let list = |indexes: &[u16]| vec![ServerMessage::PickedFlowers(indexes.to_vec())];
    assert_eq!(flowers(&zone.tick(), far), [], "join has told it already");
    let near = zone.join(Arrival {
        character_id: CharacterId::new(Uuid::from_u128(2)),
        epoch: SessionEpoch(1),
        name: "Player 2".to_owned(),
        appearance: Appearance::default(),
        tile: Tile { x: 0, y: 0 },
    });
    let near = near.entity;
    assert_eq!(flowers(&zone.tick(), near), list(&[]), "also where all glow");
    gather(&mut zone, near).unwrap();
    let outputs = zone.tick();
    assert_eq!(flowers(&outputs, near), list(&[0]));
    assert_eq!(flowers(&outputs, far), list(&[0]), "wherever it is");
    let other = gather(&mut zone, far).unwrap();
    assert_eq!(flowers(&zone.tick(), near), list(&[0, 1]));
    zone.give_back(other);
    assert_eq!(flowers(&zone.tick(), near), list(&[0]));
    // Three ticks have passed since the first was picked, and the last is looked at alone.
    for _ in 4..FLOWER_REGROW_TICKS {
        assert_eq!(flowers(&zone.tick(), near), []);
    }
    assert_eq!(flowers(&zone.tick(), near), list(&[]));
}

#[derive(Clone, Debug)]
enum Move {
    Walk(i32, i32),
    Gather { counts: bool },
    Respawn,
    Wait(u32),
}

fn moves() -> impl Strategy<Value = Vec<(usize, Move)>> {
    let one = prop_oneof![
        6 => (-1..=1i32, -1..=1i32).prop_map(|(x, y)| Move::Walk(x, y)),
        2 => any::<bool>().prop_map(|counts| Move::Gather { counts }),
        1 => Just(Move::Respawn),
        1 => (0..FLOWER_REGROW_TICKS).prop_map(Move::Wait),
    ];
    prop::collection::vec((0..3usize, one), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever three players do: deaths and revivals take turns, the dead do not move, no
    /// flower is picked twice within its time, and its picking is never forgotten.
    #[test]
    fn the_dead_lie_still_and_no_flower_is_anybodys_twice(moves in moves()) {
        let mut zone = zone(&["@.*.!", "..*!.", "*..*."]);
        let players = [1, 2, 3].map(|number| join(&mut zone, number, 0, 0));
        let mut newest = [0; 3];
        let mut dead = [false; 3];
        let mut glows_at = std::collections::BTreeMap::new();
        for (who, what) in moves {
            let entity = players[who];
            let mut ticks = 4;
            match what {
                Move::Walk(x, y) => {
                    newest[who] += 4;
                    let inputs = vec![MoveInput::towards(x, y); 4];
                    let packet = InputPacket { acked_tick: None, newest: newest[who], inputs };
                    zone.input(entity, &packet);
                }
                Move::Gather { counts } => {
                    let before = picked(&zone);
                    match gather(&mut zone, entity) {
                        Ok(_) if counts => {
                            prop_assert!(!dead[who]);
                            let new = picked(&zone).into_iter().find(|i| !before.contains(i));
                            let at = zone.tick + FLOWER_REGROW_TICKS;
                            let last = glows_at.insert(new.unwrap(), at);
                            prop_assert!(last.is_none_or(|last| last <= zone.tick));
                        }
                        Ok(flower) => zone.give_back(flower),
                        Err(CommandRefused::Dead) => prop_assert!(dead[who]),
                        Err(refused) => prop_assert_eq!(refused, CommandRefused::NoFlower),
                    }
                }
                Move::Respawn => {
                    prop_assert_eq!(zone.act(entity, Command::Respawn).is_ok(), dead[who]);
                    dead[who] = false;
                }
                Move::Wait(long) => ticks = long,
            }
            for _ in 0..ticks {
                let before = players.map(|player| zone.players[&player].body.position);
                for message in messages(zone.tick(), players[0]) {
                    if let ServerMessage::Died(gone) = message {
                        let index = players.iter().position(|player| *player == gone).unwrap();
                        prop_assert!(!std::mem::replace(&mut dead[index], true));
                        continue;
                    }
                }
                for (i, player) in players.iter().enumerate() {
                    let now = zone.players[player].body.position;
                    let died_now = zone.map.is_hazard(now.tile()) && now != before[i];
                    prop_assert!(!dead[i] || died_now || now == before[i], "the dead lie still");
                    prop_assert_eq!(dead[i], zone.map.is_hazard(now.tile()));
                }
                let expected: Vec<u16> = glows_at
                    .iter()
                    .filter(|(_, at)| **at > zone.tick)
                    .map(|(index, _)| *index)
                    .collect();
                prop_assert_eq!(picked(&zone), expected);
            }
        }
    }
}
