//! Places on a map that tests walk to, found from the map itself, so that a redrawn one
//! changes no test.

use std::collections::{BTreeSet, VecDeque};

use shared::world::map::ZoneMap;
use shared::world::movement::{Body, MoveInput, step};
use shared::world::{Position, Tile, path};

/// Ticks after which a straight walk has met whatever stops it: the longest map's side at
/// less than a quarter of a tile a tick.
const UNTIL_STOPPED: usize = 256 * 5;

const STRAIGHT: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

fn is_exit(map: &ZoneMap, tile: Tile) -> bool {
    map.parts().exits.iter().any(|exit| {
        (exit.from_tile.x..=exit.to_tile.x).contains(&tile.x)
            && (exit.from_tile.y..=exit.to_tile.y).contains(&tile.y)
    })
}

/// A tile exactly `steps` tiles of walking away, over ground that leads out of no zone.
///
/// # Panics
/// If the map is too small.
#[must_use]
pub fn tile_at(map: &ZoneMap, from: Tile, steps: usize) -> Tile {
    let mut seen = BTreeSet::from([from]);
    let mut open = VecDeque::from([from]);
    while let Some(tile) = open.pop_front() {
        let way = path::find(map, from, tile);
        let safe = |way: &Vec<Tile>| way.len() == steps && !way.iter().any(|t| is_exit(map, *t));
        if way.is_some_and(|way| safe(&way)) {
            return tile;
        }
        for (dx, dy) in STRAIGHT {
            let (x, y) = (i32::from(tile.x) + dx, i32::from(tile.y) + dy);
            let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y)) else { continue };
            let next = Tile { x, y };
            if !map.is_solid(x.into(), y.into()) && !is_exit(map, next) && seen.insert(next) {
                open.push_back(next);
            }
        }
    }
    panic!("no tile is {steps} steps from {from} in {}", map.parts().zone)
}

/// The tiles that can be walked to, nearest first, over ground that neither kills nor leads
/// out of the zone; hazards at its edge are among them and end the walk.
fn around(map: &ZoneMap, from: Tile) -> Vec<Tile> {
    let mut found = vec![from];
    let mut seen = BTreeSet::from([from]);
    let mut next = 0;
    while let Some(tile) = found.get(next).copied() {
        next += 1;
        if map.is_hazard(tile) {
            continue;
        }
        for (dx, dy) in STRAIGHT {
            let (x, y) = (i32::from(tile.x) + dx, i32::from(tile.y) + dy);
            let (Ok(column), Ok(row)) = (u16::try_from(x), u16::try_from(y)) else { continue };
            let beside = Tile { x: column, y: row };
            if !map.is_solid(x, y) && !is_exit(map, beside) && seen.insert(beside) {
                found.push(beside);
            }
        }
    }
    found
}

/// The nearest hazard.
///
/// # Panics
/// If none can be walked to.
#[must_use]
pub fn nearest_hazard(map: &ZoneMap, from: Tile) -> Tile {
    let mut tiles = around(map, from).into_iter();
    tiles.find(|tile| map.is_hazard(*tile)).expect("a hazard can be walked to")
}

/// The nearest flower: its index in the map, and its tile.
///
/// # Panics
/// If none can be walked to.
#[must_use]
pub fn nearest_flower(map: &ZoneMap, from: Tile) -> (u16, Tile) {
    let flowers = &map.parts().flowers;
    let index = |tile: &Tile| (0u16..).zip(flowers).find(|(_, flower)| *flower == tile);
    let nearest = around(map, from).iter().find_map(index).map(|(index, tile)| (index, *tile));
    nearest.expect("a flower can be walked to")
}

/// The last tile of the way to a tile, and the step that leads from there onto it.
///
/// # Panics
/// If no way leads there, or it is one step long.
#[must_use]
pub fn last_step(map: &ZoneMap, from: Tile, to: Tile) -> (Tile, (i32, i32)) {
    let way = path::find(map, from, to).expect("a way leads there");
    let [.., before, _] = way[..] else { panic!("{to} is beside {from}") };
    let along = |from: u16, to: u16| i32::from(to) - i32::from(from);
    (before, (along(before.x, to.x), along(before.y, to.y)))
}

/// A straight walk and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Straight {
    /// The direction to hold.
    pub input: MoveInput,
    /// Where a wall stops it for good.
    pub end: Position,
    /// Ticks that it takes.
    pub ticks: usize,
}

/// The longest of the four straight walks from a place that a wall ends, over ground that
/// leads out of no zone.
///
/// # Panics
/// If every way leads out of the zone.
#[must_use]
pub fn longest_straight(map: &ZoneMap, from: Position) -> Straight {
    let walks =
        STRAIGHT.iter().filter_map(|(x, y)| straight(map, from, MoveInput::towards(*x, *y)));
    walks.max_by_key(|walk| walk.ticks).expect("some way from here ends at a wall")
}

fn straight(map: &ZoneMap, from: Position, input: MoveInput) -> Option<Straight> {
    let mut body = Body::standing(from);
    for ticks in 0..UNTIL_STOPPED {
        let next = step(map, body, input);
        if is_exit(map, next.position.tile()) {
            return None;
        }
        if next.position == body.position {
            return Some(Straight { input, end: body.position, ticks });
        }
        body = next;
    }
    None
}
