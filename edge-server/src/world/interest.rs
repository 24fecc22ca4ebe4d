//! What a player sees: bodies within a square around its own.

use shared::limits::VIEW_RADIUS_TILES;
use shared::world::{Position, SUBTILE};

/// Whether a viewer sees what stands at `other`: at most [`VIEW_RADIUS_TILES`] away along
/// either axis. It is mutual, and everybody sees itself.
#[must_use]
pub fn in_view(viewer: Position, other: Position) -> bool {
    let near = |a: i32, b: i32| a.abs_diff(b) <= (VIEW_RADIUS_TILES * SUBTILE).unsigned_abs();
    near(viewer.x, other.x) && near(viewer.y, other.y)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REACH: i32 = VIEW_RADIUS_TILES * SUBTILE;

    #[track_caller]
    fn check(dx: i32, dy: i32, seen: bool) {
        let at = Position { x: 40_000, y: 30_000 };
        assert_eq!(in_view(at, Position { x: at.x + dx, y: at.y + dy }), seen, "{dx},{dy}");
    }

    #[test]
    fn the_view_is_a_square_with_its_edges() {
        check(0, 0, true);
        check(REACH, -REACH, true);
        check(REACH + 1, 0, false);
        check(0, -REACH - 1, false);
        check(i32::MIN / 2, 0, false);
    }

    proptest! {
        #[test]
        fn seeing_is_mutual(a in any::<(i32, i32)>(), b in any::<(i32, i32)>()) {
            let (a, b) = (Position { x: a.0, y: a.1 }, Position { x: b.0, y: b.1 });
            prop_assert_eq!(in_view(a, b), in_view(b, a));
        }
    }
}
