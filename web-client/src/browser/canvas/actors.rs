//! What stands on the ground: characters and flowers, drawn from back to front.

use shared::world::{Facing, Tile};
use web_sys::CanvasRenderingContext2d;

use super::art::Art;
use super::camera::View;
use super::surface::{Rect, Surface, TILE, ignore};
use crate::presentation::bubbles::Saying;

/// A frame of a character, in art pixels.
const FRAME: (f64, f64) = (16.0, 24.0);
/// From the middle of the feet up and left to the frame's corner.
const FEET: (f64, f64) = (8.0, 20.0);
/// Rows of frames in one appearance's band: down, left, right, up.
const ROWS_PER_BAND: f64 = 4.0;
/// Frames of one walking cycle.
const GAIT_FRAMES: u32 = 4;
/// Tiles walked for one frame.
const STRIDE_TILES: f32 = 0.42;
/// Frames of the flower, and how long each shows.
const FLOWER_FRAMES: (u32, f64) = (4, 260.0);
/// The frame of a picked flower.
const STEM_FRAME: f64 = 4.0;
/// Rows of a frame that a lying body shows: all but the shadow under its feet.
const LYING_HEIGHT: f64 = 21.0;

/// A flower of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flower {
    /// Where it grows.
    pub tile: Tile,
    /// Whether it glows; else it has been picked.
    pub glows: bool,
}

/// A character to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor {
    /// Tiles from the left edge of the map to the middle of its feet.
    pub x: f32,
    /// Tiles from the top edge.
    pub y: f32,
    /// Which way it looks.
    pub facing: Facing,
    /// Whether its feet move.
    pub walking: bool,
    /// Tiles walked so far: what the feet do depends on the way, not on the time.
    pub walked: f32,
    /// The band of its appearance.
    pub appearance: usize,
    /// Its name, once known.
    pub name: Option<String>,
    /// Whether it is the player's own.
    pub own: bool,
    /// Whether it lies there without life.
    pub dead: bool,
    /// What it says or feels, and for how many milliseconds already.
    pub saying: Option<(Saying, f64)>,
}

impl Actor {
    /// The middle of its feet in art pixels.
    #[must_use]
    pub fn feet(&self) -> (f64, f64) {
        (f64::from(self.x) * TILE, f64::from(self.y) * TILE)
    }

    /// Where the middle of its name goes, in art pixels.
    #[must_use]
    pub fn crown(&self) -> (f64, f64) {
        let (x, y) = self.feet();
        let height = if self.dead { FEET.1 / 2.0 } else { FEET.1 };
        (x, y - height - 1.0)
    }

    fn frame(&self) -> Rect {
        let column = if self.walking {
            // Begins with a step, so that the first moment of walking shows.
            (1 + (self.walked / STRIDE_TILES) as u32) % GAIT_FRAMES
        } else {
            0
        };
        let row = match self.facing {
            Facing::Down => 0.0,
            Facing::Left => 1.0,
            Facing::Right => 2.0,
            Facing::Up => 3.0,
        };
        Rect {
            x: f64::from(column) * FRAME.0,
            y: (self.appearance as f64 * ROWS_PER_BAND + row) * FRAME.1,
            width: FRAME.0,
            height: FRAME.1,
        }
    }
}

/// Draws flowers and characters, whatever stands further back first.
pub fn draw(
    context: &CanvasRenderingContext2d,
    art: &Art,
    view: &View,
    actors: &[Actor],
    flowers: &[Flower],
    now: f64,
) {
    let visible = view.visible((f64::INFINITY, f64::INFINITY));
    let in_view = |x: f64, y: f64| {
        x > visible.x - TILE
            && x < visible.x + visible.width + TILE
            && y > visible.y - TILE
            && y < visible.y + visible.height + 2.0 * TILE
    };
    let mut order: Vec<(f64, Standing<'_>)> = Vec::with_capacity(actors.len() + flowers.len());
    for actor in actors {
        let (x, y) = actor.feet();
        if in_view(x, y) {
            order.push((y, Standing::Actor(actor)));
        }
    }
    for Flower { tile, glows } in flowers {
        let (x, y) = (f64::from(tile.x) * TILE, f64::from(tile.y) * TILE);
        if in_view(x, y) {
            order.push((y + TILE * 0.6, Standing::Flower(x, y, *glows)));
        }
    }
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, standing) in order {
        match standing {
            Standing::Actor(actor) => {
                let (x, y) = actor.feet();
                // On whole device pixels of the scaled picture.
                let snap = |n: f64| (n * view.size.scale).round() / view.size.scale;
                if let (true, Some(fallen)) = (actor.dead, &art.fallen) {
                    lay(context, fallen, actor, (snap(x), snap(y)));
                    continue;
                }
                art.characters.draw(context, actor.frame(), snap(x - FEET.0), snap(y - FEET.1));
            }
            Standing::Flower(x, y, glows) => {
                let (frames, millis) = FLOWER_FRAMES;
                // Neighbours do not sway as one.
                let frame = (now / millis + x * 0.37 + y * 0.61) as u32 % frames;
                let frame = if glows { f64::from(frame) } else { STEM_FRAME };
                let from = Rect { x: frame * TILE, y: 0.0, width: TILE, height: TILE };
                art.flower.draw(context, from, x, y);
            }
        }
    }
}

/// A body on its side, around the place where its feet were.
fn lay(context: &CanvasRenderingContext2d, fallen: &Surface, actor: &Actor, feet: (f64, f64)) {
    let still = Actor { facing: Facing::Down, walking: false, ..actor.clone() };
    let from = Rect { height: LYING_HEIGHT, ..still.frame() };
    context.save();
    ignore(context.translate(feet.0, feet.1 - 4.0));
    // A quarter turn keeps the pixels whole.
    ignore(context.rotate(std::f64::consts::FRAC_PI_2));
    fallen.blit(context, from, -FEET.0, -(LYING_HEIGHT / 2.0).floor());
    context.restore();
}

enum Standing<'a> {
    Actor(&'a Actor),
    Flower(f64, f64, bool),
}
