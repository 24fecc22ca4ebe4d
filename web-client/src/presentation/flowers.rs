//! Which flower the player could pick: shown as a hint, decided by the server.

use std::collections::BTreeSet;

use shared::limits::GATHER_REACH_TILES;
use shared::world::Tile;

/// The index of a glowing flower within reach of the body that stands `at`, the closest
/// one. `picked` are those that do not glow.
#[must_use]
pub fn flower_in_reach(flowers: &[Tile], picked: &BTreeSet<u16>, at: Tile) -> Option<u16> {
    let away = |flower: &Tile| (flower.x.abs_diff(at.x), flower.y.abs_diff(at.y));
    (0u16..)
        .zip(flowers)
        .filter(|(index, _)| !picked.contains(index))
        .map(|(index, flower)| (index, away(flower)))
        .filter(|(_, (x, y))| *x.max(y) <= GATHER_REACH_TILES)
        .min_by_key(|(_, (x, y))| x + y)
        .map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(at: (u16, u16), picked: &[u16], expected: Option<u16>) {
        let tile = |(x, y)| Tile { x, y };
        let flowers = [(5, 5), (6, 6), (20, 20)].map(tile);
        let picked = picked.iter().copied().collect();
        assert_eq!(flower_in_reach(&flowers, &picked, tile(at)), expected, "{at:?}");
    }

    #[test]
    fn a_flower_is_in_reach_up_to_the_limit_and_while_it_glows() {
        check((5, 5), &[], Some(0));
        check((7, 7), &[], Some(1));
        check((4, 6), &[], Some(0));
        check((3, 5), &[], None);
        check((5, 5), &[0], Some(1));
        check((5, 5), &[0, 1], None);
        check((20, 21), &[], Some(2));
    }
}
