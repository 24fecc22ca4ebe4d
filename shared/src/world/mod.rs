//! The world as client and server both compute it: positions, maps, movement.

pub mod map;
pub mod movement;
pub mod path;

use serde::{Deserialize, Serialize};

/// Sub-units along one side of a tile: positions are whole numbers of them, so that both
/// sides of the wire compute the same movement to the last bit.
pub const SUBTILE: i32 = 256;

/// A tile of a zone, counted from the top-left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tile {
    /// Column, from 0.
    pub x: u16,
    /// Row, from 0.
    pub y: u16,
}

impl Tile {
    /// The position in the middle of the tile.
    #[must_use]
    pub fn center(self) -> Position {
        let middle = |n: u16| i32::from(n) * SUBTILE + SUBTILE / 2;
        Position { x: middle(self.x), y: middle(self.y) }
    }
}

impl std::fmt::Display for Tile {
    /// `x,y`, as the page shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// A place in a zone, in units of 1/[`SUBTILE`] tile: where the middle of a body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// From the left edge, rightward.
    pub x: i32,
    /// From the top edge, downward.
    pub y: i32,
}

impl Position {
    /// The tile that the position lies in; what lies outside counts to the nearest edge.
    #[must_use]
    pub fn tile(self) -> Tile {
        let index = |n: i32| u16::try_from(n.div_euclid(SUBTILE).max(0)).unwrap_or(u16::MAX);
        Tile { x: index(self.x), y: index(self.y) }
    }
}

/// Which way a body looks.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Facing {
    /// Towards the player.
    #[default]
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Away from the player.
    Up,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_contains_its_center_and_its_top_left_corner_only() {
        let tile = Tile { x: 3, y: 5 };
        assert_eq!(tile.center().tile(), tile);
        assert_eq!(Position { x: 3 * SUBTILE, y: 5 * SUBTILE }.tile(), tile);
        assert_eq!(Position { x: 4 * SUBTILE, y: 5 * SUBTILE }.tile(), Tile { x: 4, y: 5 });
        assert_eq!(Position { x: -1, y: -700 }.tile(), Tile { x: 0, y: 0 });
    }
}
