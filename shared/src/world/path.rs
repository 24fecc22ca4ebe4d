//! Finding a way for a click or a touch: the shortest walk over free tiles.

use std::collections::{BTreeMap, VecDeque};

use super::map::ZoneMap;
use super::movement::{MoveInput, WALK_STRAIGHT};
use super::{Position, Tile};

/// The tiles to walk through from `from` to `to`, without `from`, along straight lines
/// between neighbours (no diagonals, so corners are never cut), around hazards: a click leads
/// onto one only where that is what was clicked. `None` where no way leads there; empty where
/// `from` is `to`.
#[must_use]
pub fn find(map: &ZoneMap, from: Tile, to: Tile) -> Option<Vec<Tile>> {
    if map.is_solid(to.x.into(), to.y.into()) {
        return None;
    }
    let mut came_from = BTreeMap::from([(from, from)]);
    let mut open = VecDeque::from([from]);
    while let Some(tile) = open.pop_front() {
        if tile == to {
            return Some(walk_back(&came_from, from, to));
        }
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let (x, y) = (i32::from(tile.x) + dx, i32::from(tile.y) + dy);
            if map.is_solid(x, y) {
                continue;
            }
            let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y)) else { continue };
            let next = Tile { x, y };
            if next != to && map.is_hazard(next) {
                continue;
            }
            came_from.entry(next).or_insert_with(|| {
                open.push_back(next);
                tile
            });
        }
    }
    None
}

fn walk_back(came_from: &BTreeMap<Tile, Tile>, from: Tile, to: Tile) -> Vec<Tile> {
    let mut way = Vec::new();
    let mut tile = to;
    while tile != from {
        way.push(tile);
        tile = came_from[&tile];
    }
    way.reverse();
    way
}

/// The free tile closest to `to` that can be reached from `from`, looking at most
/// `reach` tiles around it: a click on a tree leads beside the tree.
#[must_use]
pub fn find_near(map: &ZoneMap, from: Tile, to: Tile, reach: u16) -> Option<Vec<Tile>> {
    let mut candidates: Vec<(u32, Tile)> = Vec::new();
    for y in to.y.saturating_sub(reach)..=to.y.saturating_add(reach) {
        for x in to.x.saturating_sub(reach)..=to.x.saturating_add(reach) {
            let (dx, dy) = (u32::from(x.abs_diff(to.x)), u32::from(y.abs_diff(to.y)));
            let tile = Tile { x, y };
            if tile == to || !map.is_hazard(tile) {
                candidates.push((dx * dx + dy * dy, tile));
            }
        }
    }
    candidates.sort();
    candidates.into_iter().find_map(|(_, tile)| find(map, from, tile))
}

/// The input that walks from `at` towards the middle of `tile`; still once no further step
/// comes closer, which is near enough to turn a corner without touching it. One axis at a
/// time, the longer one first, so that a body in a corridor never pushes against its walls.
#[must_use]
pub fn input_towards(at: Position, tile: Tile) -> MoveInput {
    let goal = tile.center();
    let (dx, dy) = (goal.x - at.x, goal.y - at.y);
    let near = |d: i32| 2 * d.abs() <= WALK_STRAIGHT;
    match (near(dx), near(dy)) {
        (true, true) => MoveInput::STILL,
        (true, false) => MoveInput::towards(0, dy),
        (false, true) => MoveInput::towards(dx, 0),
        (false, false) if dx.abs() >= dy.abs() => MoveInput::towards(dx, 0),
        (false, false) => MoveInput::towards(0, dy),
    }
}

#[cfg(test)]
mod tests {
    use super::super::map::test_map::draw;
    use super::super::movement::{Body, step};
    use super::*;

    #[test]
    fn a_way_leads_around_walls_and_can_be_walked() {
        let map = draw(&["#######", "#@#...#", "#.#.#.#", "#...#.#", "#######"]);
        let goal = Tile { x: 5, y: 3 };
        let way = find(&map, map.start(), goal).unwrap();
        assert_eq!(way.len(), 10);
        let mut body = Body::standing(map.start().center());
        for tile in way {
            let mut ticks = 0;
            loop {
                let input = input_towards(body.position, tile);
                if input.is_still() {
                    break;
                }
                body = step(&map, body, input);
                ticks += 1;
                assert!(
                    ticks < 20,
                    "stuck at {:?} before {tile}: is WALK_STRAIGHT too much?",
                    body.position
                );
            }
        }
        assert_eq!(body.position.tile(), goal);
    }

    #[test]
    fn no_way_leads_into_a_wall_or_a_closed_room() {
        let map = draw(&["#####", "#@#.#", "#####"]);
        assert_eq!(find(&map, map.start(), Tile { x: 3, y: 1 }), None);
        assert_eq!(find(&map, map.start(), Tile { x: 2, y: 1 }), None);
        assert_eq!(find(&map, map.start(), map.start()), Some(vec![]));
    }

    #[test]
    fn a_way_leads_around_hazards_unless_one_is_where_it_goes() {
        let map = draw(&["@!!.", "....", "###."]);
        let way = find(&map, map.start(), Tile { x: 3, y: 0 }).unwrap();
        assert_eq!(way.len(), 5);
        assert!(!way.iter().any(|tile| map.is_hazard(*tile)), "{way:?}");
        let hazard = Tile { x: 2, y: 0 };
        assert_eq!(find(&map, map.start(), hazard).unwrap().last(), Some(&hazard));
    }

    #[test]
    fn a_click_on_a_wall_leads_beside_it() {
        let map = draw(&["#####", "#@..#", "#####"]);
        let way = find_near(&map, map.start(), Tile { x: 4, y: 1 }, 2).unwrap();
        assert_eq!(way.last(), Some(&Tile { x: 3, y: 1 }));
        let map = draw(&["#####", "#@.!#", "#####"]);
        let beside = |x| find_near(&map, map.start(), Tile { x, y: 1 }, 2).unwrap();
        assert_eq!(beside(4).last(), Some(&Tile { x: 2, y: 1 }), "not onto the hazard");
        assert_eq!(beside(3).last(), Some(&Tile { x: 3, y: 1 }), "unless it was clicked");
    }
}
