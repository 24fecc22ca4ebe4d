//! Walking by click or touch: a way over free tiles, walked with ordinary movement inputs
//! and given up when a key is pressed or nothing moves any more.

use std::collections::VecDeque;

use shared::ids::ZoneId;
use shared::world::map::ZoneMap;
use shared::world::movement::{BODY_HALF_DEPTH, BODY_HALF_WIDTH, MoveInput};
use shared::world::path::{find, find_near, input_towards};
use shared::world::{Position, Tile};

/// Tiles around a click that cannot be walked on, within which another one will do.
pub const CLICK_REACH: u16 = 2;
/// Ticks without any movement after which a walk is given up.
const STUCK_TICKS: u32 = 10;

/// Where the player's movement comes from: held keys, or a way that was clicked.
#[derive(Clone, Debug, Default)]
pub struct WalkController {
    way: VecDeque<Tile>,
    last_at: Option<Position>,
    stuck: u32,
}

impl WalkController {
    /// Starts a walk to a clicked tile, or near it; says whether there is a way.
    pub fn walk_to(&mut self, map: &ZoneMap, from: Position, to: Tile) -> bool {
        self.follow(map, from, find_near(map, from.tile(), to, CLICK_REACH))
    }

    /// Starts a walk to the closest tile of an exit; says whether there is a way.
    pub fn walk_to_exit(&mut self, map: &ZoneMap, from: Position, zone: &ZoneId) -> bool {
        let ways = map
            .parts()
            .exits
            .iter()
            .filter(|exit| exit.to == *zone)
            .flat_map(|exit| {
                (exit.from_tile.y..=exit.to_tile.y)
                    .flat_map(|y| (exit.from_tile.x..=exit.to_tile.x).map(move |x| Tile { x, y }))
            })
            .filter_map(|tile| find(map, from.tile(), tile));
        self.follow(map, from, ways.min_by_key(Vec::len))
    }

    /// Gives the walk up.
    pub fn cancel(&mut self) {
        *self = Self::default();
    }

    /// Whether a walk is under way.
    #[must_use]
    pub fn is_walking(&self) -> bool {
        !self.way.is_empty()
    }

    /// Where the walk leads.
    #[must_use]
    pub fn destination(&self) -> Option<Tile> {
        self.way.back().copied()
    }

    /// The input of one tick for a body that stands `at`. Held keys win and end the walk.
    pub fn input(&mut self, held: MoveInput, at: Position) -> MoveInput {
        if !held.is_still() {
            self.cancel();
            return held;
        }
        while let Some(next) = self.way.front() {
            let input = input_towards(at, *next);
            if !input.is_still() {
                return self.unless_stuck(at, input);
            }
            self.way.pop_front();
        }
        self.cancel();
        MoveInput::STILL
    }

    fn follow(&mut self, map: &ZoneMap, from: Position, way: Option<Vec<Tile>>) -> bool {
        self.cancel();
        let Some(way) = way else { return false };
        self.way = way.into();
        if self.way.front().is_some_and(|next| touches_beside(map, from, *next)) {
            self.way.push_front(from.tile());
        }
        true
    }

    fn unless_stuck(&mut self, at: Position, input: MoveInput) -> MoveInput {
        self.stuck = if self.last_at == Some(at) { self.stuck + 1 } else { 0 };
        self.last_at = Some(at);
        if self.stuck < STUCK_TICKS {
            input
        } else {
            self.cancel();
            MoveInput::STILL
        }
    }
}

/// Whether the feet at `from` stand out of their tile across the way to `next` and would
/// meet something solid there: then the walk starts from the middle of the tile.
fn touches_beside(map: &ZoneMap, from: Position, next: Tile) -> bool {
    let (tile, center) = (from.tile(), from.tile().center());
    let (dx, dy) = (from.x - center.x, from.y - center.y);
    let half_tile = shared::world::SUBTILE / 2;
    let (x, y) = (i32::from(next.x), i32::from(next.y));
    if tile.y == next.y {
        dy.abs() + BODY_HALF_DEPTH > half_tile && map.is_solid(x, y + dy.signum())
    } else {
        dx.abs() + BODY_HALF_WIDTH > half_tile && map.is_solid(x + dx.signum(), y)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shared::world::map::test_map::draw;
    use shared::world::map::{Exit, ZoneMapParts};
    use shared::world::movement::{Body, step};

    use super::*;

    fn maze() -> ZoneMap {
        draw(&[
            "##########",
            "#@.#.....#",
            "#..#.###.#",
            "##.#.#...#",
            "#....#.#.#",
            "#.##...#.#",
            "##########",
        ])
    }

    fn with_exit(map: &ZoneMap, from_tile: Tile, to_tile: Tile) -> ZoneMap {
        let exit = Exit { to: "meadow".parse().unwrap(), from_tile, to_tile };
        ZoneMap::new(ZoneMapParts { exits: vec![exit], ..map.parts().clone() }).unwrap()
    }

    /// Walks until the walk ends and gives the body and the ticks that it took.
    fn walk_out(map: &ZoneMap, walk: &mut WalkController, mut body: Body) -> (Body, u32) {
        let mut ticks = 0;
        while walk.is_walking() && ticks < 2_000 {
            let input = walk.input(MoveInput::STILL, body.position);
            body = step(map, body, input);
            ticks += 1;
        }
        (body, ticks)
    }

    #[test]
    fn a_click_leads_through_the_maze() {
        let map = maze();
        let mut walk = WalkController::default();
        let goal = Tile { x: 8, y: 5 };
        assert!(walk.walk_to(&map, map.start().center(), goal));
        assert_eq!(walk.destination(), Some(goal));
        let (body, _) = walk_out(&map, &mut walk, Body::standing(map.start().center()));
        assert_eq!(body.position.tile(), goal);
        assert!(!walk.is_walking());
    }

    #[test]
    fn a_key_ends_the_walk() {
        let map = maze();
        let mut walk = WalkController::default();
        walk.walk_to(&map, map.start().center(), Tile { x: 2, y: 4 });
        let left = MoveInput::towards(-1, 0);
        assert_eq!(walk.input(left, map.start().center()), left);
        assert!(!walk.is_walking());
        assert_eq!(walk.input(MoveInput::STILL, map.start().center()), MoveInput::STILL);
    }

    #[test]
    fn a_walk_that_does_not_move_is_given_up() {
        let map = maze();
        let mut walk = WalkController::default();
        walk.walk_to(&map, map.start().center(), Tile { x: 2, y: 4 });
        let still = (0..=STUCK_TICKS)
            .filter(|_| walk.input(MoveInput::STILL, map.start().center()).is_still())
            .count();
        assert_eq!((still, walk.is_walking()), (1, false));
    }

    #[test]
    fn where_no_way_leads_nothing_starts() {
        let map = draw(&["########", "#@####.#", "########"]);
        let mut walk = WalkController::default();
        assert!(!walk.walk_to(&map, map.start().center(), Tile { x: 6, y: 1 }));
        assert!(!walk.walk_to_exit(&map, map.start().center(), &"meadow".parse().unwrap()));
        assert!(!walk.is_walking());
    }

    #[test]
    fn an_exit_is_entered_at_its_closest_tile() {
        let map = with_exit(&maze(), Tile { x: 6, y: 1 }, Tile { x: 8, y: 1 });
        let mut walk = WalkController::default();
        assert!(walk.walk_to_exit(&map, map.start().center(), &"meadow".parse().unwrap()));
        assert_eq!(walk.destination(), Some(Tile { x: 6, y: 1 }));
        let (body, _) = walk_out(&map, &mut walk, Body::standing(map.start().center()));
        assert_eq!(body.position.tile(), Tile { x: 6, y: 1 });
    }

    proptest! {
        /// From wherever a player has walked by keys, pressed into whichever corner, every
        /// click that has a way is walked to its end.
        #[test]
        fn every_walk_arrives(
            ways in prop::collection::vec((-1..=1i32, -1..=1i32, 1usize..12), 0..30),
            x in 1u16..9,
            y in 1u16..6,
        ) {
            let map = maze();
            let mut body = Body::standing(map.start().center());
            for (dx, dy, ticks) in ways {
                for _ in 0..ticks {
                    body = step(&map, body, MoveInput::towards(dx, dy));
                }
            }
            let mut walk = WalkController::default();
            let clicked = Tile { x, y };
            prop_assert!(walk.walk_to(&map, body.position, clicked));
            let goal = walk.destination().unwrap_or_else(|| body.position.tile());
            let (end, ticks) = walk_out(&map, &mut walk, body);
            prop_assert_eq!(end.position.tile(), goal, "after {} ticks", ticks);
        }
    }
}
