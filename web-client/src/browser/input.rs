//! Keys, pointer and touch become the input of a tick.
//!
//! Which key walks where is the player's choice ([`Keybinds`](crate::presentation::Keybinds)). A click or tap
//! walks there; holding or dragging steers towards the pointer for as long as it lasts.
//! What was asked for last wins.

use shared::ids::ZoneId;
use shared::world::map::ZoneMap;
use shared::world::movement::MoveInput;
use shared::world::{Position, SUBTILE, Tile};

use super::canvas::camera::View;
use super::canvas::surface::TILE;
use crate::presentation::Action;
use crate::realtime::walk::WalkController;

/// A press that lasts this long steers, in milliseconds.
const HOLD_MS: f64 = 260.0;
/// A press that moves this far steers, in CSS pixels.
const DRAG_PX: f64 = 14.0;
/// Within this distance of one's feet steering stands still, in tiles.
const STEER_REST: f64 = 0.45;

/// The movement keys that are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldKeys {
    left: bool,
    right: bool,
    up: bool,
    down: bool,
}

impl HeldKeys {
    /// Notes that the key of an action went down or up; says whether that walks.
    pub fn set(&mut self, action: Action, held: bool) -> bool {
        match action {
            Action::WalkLeft => self.left = held,
            Action::WalkRight => self.right = held,
            Action::WalkUp => self.up = held,
            Action::WalkDown => self.down = held,
            _ => return false,
        }
        true
    }

    /// The movement that the keys mean together.
    #[must_use]
    pub fn input(self) -> MoveInput {
        MoveInput::from_held(self.left, self.right, self.up, self.down)
    }
}

/// A press of the pointer, in CSS pixels of the canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Press {
    began: (f64, f64),
    now: (f64, f64),
    since: f64,
    steers: bool,
}

/// What the player does, from one tick to the next.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    keys: HeldKeys,
    press: Option<Press>,
    walk: WalkController,
    marked_since: f64,
}

impl Controls {
    /// The key of an action went down or up; says whether that walks.
    pub fn key(&mut self, action: Action, held: bool) -> bool {
        self.keys.set(action, held)
    }

    /// The pointer went down: walk there, as long as nothing else follows.
    pub fn press(&mut self, map: &ZoneMap, at: Position, view: &View, css: (f64, f64), now: f64) {
        self.press = Some(Press { began: css, now: css, since: now, steers: false });
        if let Some(tile) = tile_under(map, view, css) {
            self.walk.walk_to(map, at, tile);
            self.marked_since = now;
        }
    }

    /// The pointer moved while it was down.
    pub fn drag(&mut self, css: (f64, f64)) {
        if let Some(press) = &mut self.press {
            press.now = css;
            let (dx, dy) = (css.0 - press.began.0, css.1 - press.began.1);
            press.steers |= dx.hypot(dy) > DRAG_PX;
        }
    }

    /// The pointer went up or was taken away. A walk that it began goes on.
    pub fn lift(&mut self) {
        self.press = None;
    }

    /// The page has lost the keyboard: what is held will never be seen to go up.
    pub fn release_all(&mut self) {
        self.keys = HeldKeys::default();
        self.press = None;
    }

    /// Stands still: a menu has opened.
    pub fn stop(&mut self) {
        self.release_all();
        self.walk.cancel();
    }

    /// Walks to an exit; says whether there is a way.
    pub fn walk_to_exit(&mut self, map: &ZoneMap, at: Position, zone: &ZoneId, now: f64) -> bool {
        self.marked_since = now;
        self.walk.walk_to_exit(map, at, zone)
    }

    /// Where a walk leads and since when, for the marker on the ground.
    #[must_use]
    pub fn marker(&self) -> Option<(Tile, f64)> {
        Some((self.walk.destination()?, self.marked_since))
    }

    /// The input of one tick for a body that stands `at`.
    pub fn input(&mut self, at: Position, view: Option<&View>, now: f64) -> MoveInput {
        let mut held = self.keys.input();
        if let (Some(press), Some(view)) = (&mut self.press, view) {
            press.steers |= now - press.since > HOLD_MS;
            if press.steers {
                self.walk.cancel();
                if held.is_still() {
                    held = steer(at, view.to_map(press.now.0, press.now.1));
                }
            }
        }
        self.walk.input(held, at)
    }
}

/// The tile under a point of the canvas, where that lies on the map.
fn tile_under(map: &ZoneMap, view: &View, css: (f64, f64)) -> Option<Tile> {
    let (x, y) = view.to_map(css.0, css.1);
    let (x, y) = ((x / TILE).floor(), (y / TILE).floor());
    let parts = map.parts();
    let inside =
        (0.0..f64::from(parts.width)).contains(&x) && (0.0..f64::from(parts.height)).contains(&y);
    inside.then_some(Tile { x: x as u16, y: y as u16 })
}

/// The one of eight ways that leads from `at` towards a point in art pixels.
fn steer(at: Position, point: (f64, f64)) -> MoveInput {
    let tiles = |n: i32| f64::from(n) / f64::from(SUBTILE);
    let (dx, dy) = (point.0 / TILE - tiles(at.x), point.1 / TILE - tiles(at.y));
    if dx.hypot(dy) < STEER_REST {
        return MoveInput::STILL;
    }
    // Each way has an eighth of the circle: tan 22.5° parts straight from diagonal.
    let straight = std::f64::consts::FRAC_PI_8.tan();
    let sign = |n: f64, other: f64| {
        if n.abs() < other.abs() * straight { 0 } else { n.signum() as i32 }
    };
    MoveInput::towards(sign(dx, dy), sign(dy, dx))
}

#[cfg(test)]
mod tests {
    use shared::world::map::test_map::draw;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;
    use crate::browser::canvas::surface::ViewSize;
    use crate::presentation::Keybinds;

    fn check(codes: &[&str], expected: (i32, i32)) {
        let mut keys = HeldKeys::default();
        for code in codes {
            let action = Keybinds::default().action(code).expect("the key does something");
            assert!(keys.set(action, true), "{code}");
        }
        assert_eq!(keys.input().signs(), expected, "{codes:?}");
    }

    fn view() -> View {
        let size = ViewSize { width: 300.0, height: 200.0, scale: 1.0, density: 1.0 };
        View { left: 0.0, top: 0.0, size }
    }

    #[wasm_bindgen_test]
    fn keys_become_movement_by_their_place() {
        check(&["KeyW"], (0, -1));
        check(&["ArrowLeft"], (-1, 0));
        check(&["KeyS", "KeyD"], (1, 1));
        check(&["ArrowUp", "KeyS"], (0, 0));
        assert!(!HeldKeys::default().set(Action::Gather, true));
    }

    #[wasm_bindgen_test]
    fn a_page_without_the_keyboard_holds_no_keys() {
        let mut controls = Controls::default();
        controls.key(Action::WalkRight, true);
        let at = Tile { x: 1, y: 1 }.center();
        assert_eq!(controls.input(at, None, 0.0), MoveInput::towards(1, 0));
        controls.release_all();
        assert_eq!(controls.input(at, None, 50.0), MoveInput::STILL);
    }

    #[wasm_bindgen_test]
    fn a_tap_walks_and_a_hold_steers() {
        let map = draw(&["#######", "#@....#", "#.....#", "#######"]);
        let at = Tile { x: 1, y: 1 }.center();
        let mut controls = Controls::default();
        controls.press(&map, at, &view(), (5.5 * TILE, 1.5 * TILE), 0.0);
        controls.lift();
        assert_eq!(controls.marker().map(|(tile, _)| tile), Some(Tile { x: 5, y: 1 }));
        assert_eq!(controls.input(at, Some(&view()), 50.0), MoveInput::towards(1, 0));

        controls.press(&map, at, &view(), (5.5 * TILE, 5.5 * TILE), 1_000.0);
        let steered = controls.input(at, Some(&view()), 1_000.0 + HOLD_MS + 1.0);
        assert_eq!(steered, MoveInput::towards(1, 1));
        assert_eq!(controls.marker(), None);
        controls.lift();
        assert_eq!(controls.input(at, Some(&view()), 2_000.0), MoveInput::STILL);
    }
}
