//! What stands above the characters: tree tops, roofs. It opens softly around the player's
//! own body while that would be hidden by it.

use web_sys::CanvasRenderingContext2d;

use super::ambience::rings;
use super::surface::{Rect, Surface, ignore};
use super::tilemap::Tilemap;

/// Side of the opening in art pixels.
const SIDE: u32 = 88;
/// How much of the canopy goes, from the middle outwards: up to that share of the radius,
/// that opacity of 255.
const CLEARING: [(f64, u8); 5] = [(0.34, 196), (0.5, 164), (0.66, 116), (0.8, 68), (0.92, 28)];
/// How long it takes to open and to close, in milliseconds.
const TURN_MS: f64 = 200.0;
/// From the feet up to the middle of the body, in art pixels.
const WAIST: f64 = 8.0;

/// The canopy of one zone.
#[derive(Debug)]
pub struct Canopy {
    clearing: Option<Surface>,
    /// The canopy around the body, for one frame.
    around: Option<Surface>,
    /// How far it has opened, from 0 to 1.
    openness: f64,
}

impl Canopy {
    /// A closed canopy.
    #[must_use]
    pub fn new() -> Self {
        Self {
            clearing: rings(SIDE, [0; 3], &CLEARING),
            around: Surface::in_memory(SIDE, SIDE),
            openness: 0.0,
        }
    }

    /// Draws the visible `part` of it over a body whose feet are at that point of the map,
    /// `elapsed_ms` after the last frame.
    pub fn draw(
        &mut self,
        to: &CanvasRenderingContext2d,
        tilemap: &Tilemap,
        part: Rect,
        feet: (f64, f64),
        elapsed_ms: f64,
    ) {
        let turn = elapsed_ms / TURN_MS;
        let turn = if tilemap.hides_body(feet) { turn } else { -turn };
        self.openness = (self.openness + turn).clamp(0.0, 1.0);
        let side = f64::from(SIDE);
        let opening = Rect {
            x: (feet.0 - side / 2.0).round(),
            y: (feet.1 - WAIST - side / 2.0).round(),
            width: side,
            height: side,
        };
        let seen = opening.within(part);
        let (Some(clearing), Some(around), Some(seen)) = (&self.clearing, &self.around, seen)
        else {
            return tilemap.draw_above(to, part);
        };
        if self.openness == 0.0 {
            return tilemap.draw_above(to, part);
        }
        for strip in part.without(seen) {
            tilemap.draw_above(to, strip);
        }
        let context = &around.context;
        context.clear_rect(0.0, 0.0, side, side);
        ignore(context.set_transform(1.0, 0.0, 0.0, 1.0, -opening.x, -opening.y));
        tilemap.draw_above(context, seen);
        ignore(context.set_global_composite_operation("destination-out"));
        context.set_global_alpha(self.openness);
        clearing.stamp(context, opening.x, opening.y);
        context.set_global_alpha(1.0);
        ignore(context.set_global_composite_operation("source-over"));
        ignore(context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0));
        let from = Rect { x: seen.x - opening.x, y: seen.y - opening.y, ..seen };
        around.blit(to, from, seen.x, seen.y);
    }
}

impl Default for Canopy {
    fn default() -> Self {
        Self::new()
    }
}
