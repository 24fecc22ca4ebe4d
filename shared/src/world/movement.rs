//! One step of walking. The server runs it with authority and the page runs it ahead of
//! the server's answer; both get the same result because it is whole numbers throughout.

use serde::{Deserialize, Serialize};

use super::map::ZoneMap;
use super::{Facing, Position, SUBTILE};

/// Units walked in one tick along an axis; a tile has [`SUBTILE`] of them. At most twice the
/// room beside a body in its tile, `SUBTILE - 2 * BODY_HALF_WIDTH`: one that walks faster by a
/// click may miss a passage one tile wide, and a test of `path.rs` says so.
pub const WALK_STRAIGHT: i32 = 58;
/// Units walked in one tick along each axis of a diagonal: the straight step over √2.
pub const WALK_DIAGONAL: i32 = WALK_STRAIGHT * 70_711 / 100_000;
/// Half the width of a body's feet.
pub const BODY_HALF_WIDTH: i32 = 84;
/// Half the depth of a body's feet.
pub const BODY_HALF_DEPTH: i32 = 60;

/// Which way a player wants to walk during one tick: one of eight ways, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct MoveInput(u8);

const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const UP: u8 = 4;
const DOWN: u8 = 8;

/// A byte that is no movement input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:#04x} is no movement input: bits 0 to 3 are left, right, up, down")]
pub struct NotAMoveInput(u8);

impl MoveInput {
    /// Standing still.
    pub const STILL: Self = Self(0);

    /// Towards the signs of `x` (right is positive) and `y` (down is positive).
    #[must_use]
    pub fn towards(x: i32, y: i32) -> Self {
        let horizontal = if x < 0 {
            LEFT
        } else if x > 0 {
            RIGHT
        } else {
            0
        };
        let vertical = if y < 0 {
            UP
        } else if y > 0 {
            DOWN
        } else {
            0
        };
        Self(horizontal | vertical)
    }

    /// From held keys; opposite ones cancel out.
    #[must_use]
    pub fn from_held(left: bool, right: bool, up: bool, down: bool) -> Self {
        Self::towards(i32::from(right) - i32::from(left), i32::from(down) - i32::from(up))
    }

    /// The signs of the movement: -1, 0 or 1 along x and y.
    #[must_use]
    pub fn signs(self) -> (i32, i32) {
        let axis =
            |minus: u8, plus: u8| i32::from(self.0 & plus != 0) - i32::from(self.0 & minus != 0);
        (axis(LEFT, RIGHT), axis(UP, DOWN))
    }

    /// Whether it moves at all.
    #[must_use]
    pub fn is_still(self) -> bool {
        self.signs() == (0, 0)
    }
}

impl TryFrom<u8> for MoveInput {
    type Error = NotAMoveInput;

    fn try_from(bits: u8) -> Result<Self, NotAMoveInput> {
        if bits <= LEFT | RIGHT | UP | DOWN { Ok(Self(bits)) } else { Err(NotAMoveInput(bits)) }
    }
}

impl From<MoveInput> for u8 {
    fn from(input: MoveInput) -> Self {
        input.0
    }
}

/// A body that walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Body {
    /// Where it stands.
    pub position: Position,
    /// Which way it looks.
    pub facing: Facing,
    /// Whether it wanted to walk in its last step.
    pub walking: bool,
}

impl Body {
    /// A body that stands at a position.
    #[must_use]
    pub fn standing(position: Position) -> Self {
        Self { position, facing: Facing::Down, walking: false }
    }
}

/// Walks one tick. Each axis moves by itself, so a body slides along walls; it stops
/// flush with what it meets and never enters a solid tile from a free one.
#[must_use]
pub fn step(map: &ZoneMap, body: Body, input: MoveInput) -> Body {
    let (dx, dy) = input.signs();
    let pace = if dx != 0 && dy != 0 { WALK_DIAGONAL } else { WALK_STRAIGHT };
    let Position { x, y } = body.position;
    let x = slide(x, dx * pace, BODY_HALF_WIDTH, |column| column_is_blocked(map, column, y));
    let y = slide(y, dy * pace, BODY_HALF_DEPTH, |row| row_is_blocked(map, row, x));
    Body {
        position: Position { x, y },
        facing: facing_after(body.facing, dx, dy),
        walking: !input.is_still(),
    }
}

/// Moves `at` by `delta`, up to the edge of the first blocked tile line that the leading
/// side of the body would enter. A step is shorter than a tile, so one line is enough.
fn slide(at: i32, delta: i32, half: i32, blocked: impl Fn(i32) -> bool) -> i32 {
    const { assert!(WALK_STRAIGHT < SUBTILE && WALK_DIAGONAL < SUBTILE) };
    let lead = if delta > 0 { half - 1 } else { -half };
    let line = (at + delta + lead).div_euclid(SUBTILE);
    let entered = line != (at + lead).div_euclid(SUBTILE);
    if delta == 0 {
        at
    } else if entered && blocked(line) {
        if delta > 0 { line * SUBTILE - half } else { (line + 1) * SUBTILE + half }
    } else {
        at + delta
    }
}

fn column_is_blocked(map: &ZoneMap, column: i32, y: i32) -> bool {
    covered(y, BODY_HALF_DEPTH).any(|row| map.is_solid(column, row))
}

fn row_is_blocked(map: &ZoneMap, row: i32, x: i32) -> bool {
    covered(x, BODY_HALF_WIDTH).any(|column| map.is_solid(column, row))
}

/// The tile lines that a body at `at` covers along one axis.
fn covered(at: i32, half: i32) -> std::ops::RangeInclusive<i32> {
    (at - half).div_euclid(SUBTILE)..=(at + half - 1).div_euclid(SUBTILE)
}

/// A diagonal keeps the way that the body looked where that is part of it.
fn facing_after(before: Facing, dx: i32, dy: i32) -> Facing {
    let horizontal = match dx {
        -1 => Some(Facing::Left),
        1 => Some(Facing::Right),
        _ => None,
    };
    let vertical = match dy {
        -1 => Some(Facing::Up),
        1 => Some(Facing::Down),
        _ => None,
    };
    match (horizontal, vertical) {
        (None, None) => before,
        (Some(way), None) | (None, Some(way)) => way,
        (Some(_), Some(way)) if way == before => way,
        (Some(way), Some(_)) => way,
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::SQRT_2;

    use proptest::prelude::*;

    use super::super::map::test_map::draw;
    use super::*;

    fn walk(map: &ZoneMap, input: MoveInput, ticks: usize) -> Body {
        let start = Body::standing(map.start().center());
        (0..ticks).fold(start, |body, _| step(map, body, input))
    }

    #[test]
    fn a_body_walks_as_many_steps_as_ticks_and_as_far_on_a_diagonal() {
        let map = draw(&["@.......", "........", "........", "........", "........", "........"]);
        let start = map.start().center();
        let body = walk(&map, MoveInput::towards(1, 0), 5);
        assert_eq!(body.position, Position { x: start.x + 5 * WALK_STRAIGHT, y: start.y });
        assert_eq!((body.facing, body.walking), (Facing::Right, true));
        let slanted = walk(&map, MoveInput::towards(1, 1), 5).position;
        assert_eq!(slanted.x - start.x, slanted.y - start.y);
        let far = f64::from(slanted.x - start.x).hypot(f64::from(slanted.y - start.y));
        assert!((far - f64::from(5 * WALK_STRAIGHT)).abs() < 5.0 * SQRT_2, "{far}");
    }

    #[test]
    fn walls_stop_a_body_flush_and_let_it_slide() {
        let map = draw(&["#####", "#@..#", "#...#", "#...#", "#####"]);
        let body = walk(&map, MoveInput::towards(-1, 0), 20);
        assert_eq!(body.position.x, SUBTILE + BODY_HALF_WIDTH);
        let body = walk(&map, MoveInput::towards(-1, 1), 5);
        assert_eq!(body.position.x, SUBTILE + BODY_HALF_WIDTH);
        assert_eq!(body.position.y, map.start().center().y + 5 * WALK_DIAGONAL);
    }

    #[test]
    fn the_edge_of_the_map_is_a_wall() {
        let map = draw(&["@"]);
        for (x, y) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)] {
            let body = walk(&map, MoveInput::towards(x, y), 50);
            assert_eq!(body.position.tile(), map.start());
        }
    }

    #[test]
    fn opposite_keys_cancel_out() {
        assert!(MoveInput::from_held(true, true, false, false).is_still());
        assert_eq!(MoveInput::from_held(true, true, true, false), MoveInput::towards(0, -1));
    }

    proptest! {
        #[test]
        fn no_walk_ever_enters_a_solid_tile(ways in prop::collection::vec((-1..=1i32, -1..=1i32), 0..300)) {
            let map = draw(&["#######", "#@.#..#", "#..#..#", "##.##.#", "#.....#", "#######"]);
            let mut body = Body::standing(map.start().center());
            for (x, y) in ways {
                let next = step(&map, body, MoveInput::towards(x, y));
                let moved = (next.position.x - body.position.x, next.position.y - body.position.y);
                prop_assert!(moved.0.abs() <= WALK_STRAIGHT && moved.1.abs() <= WALK_STRAIGHT);
                for column in covered(next.position.x, BODY_HALF_WIDTH) {
                    for row in covered(next.position.y, BODY_HALF_DEPTH) {
                        prop_assert!(!map.is_solid(column, row), "{column},{row} at {next:?}");
                    }
                }
                body = next;
            }
        }
    }
}
