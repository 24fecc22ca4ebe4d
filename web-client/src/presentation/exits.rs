//! Where the ways out of a zone end, for what the page says there.

use shared::ids::ZoneId;
use shared::world::Tile;
use shared::world::map::Exit;

/// The zone that an exit leads to in which a body stands `at`.
#[must_use]
pub fn exit_at(exits: &[Exit], at: Tile) -> Option<&ZoneId> {
    let holds = |exit: &&Exit| {
        (exit.from_tile.x..=exit.to_tile.x).contains(&at.x)
            && (exit.from_tile.y..=exit.to_tile.y).contains(&at.y)
    };
    exits.iter().find(holds).map(|exit| &exit.to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(at: (u16, u16), expected: Option<&str>) {
        let exit = |to: &str, from: (u16, u16), until: (u16, u16)| Exit {
            to: to.parse().unwrap(),
            from_tile: Tile { x: from.0, y: from.1 },
            to_tile: Tile { x: until.0, y: until.1 },
        };
        let exits = [exit("meadow", (9, 3), (9, 5)), exit("cave", (2, 0), (4, 0))];
        let found = exit_at(&exits, Tile { x: at.0, y: at.1 });
        assert_eq!(found.map(ZoneId::as_str), expected, "{at:?}");
    }

    #[test]
    fn a_body_is_in_an_exit_on_each_of_its_tiles_and_on_no_other() {
        check((9, 3), Some("meadow"));
        check((9, 5), Some("meadow"));
        check((3, 0), Some("cave"));
        check((8, 4), None);
        check((9, 6), None);
        check((3, 1), None);
    }
}
