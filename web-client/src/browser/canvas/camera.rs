//! Where the view lies on the map: it follows a point smoothly and stays on the map.

use super::surface::{Rect, TILE, ViewSize};

/// How quickly the camera closes the distance: it has caught up with 63% after this long.
const FOLLOW_MS: f64 = 110.0;
/// A distance over which following would be a pan over half the map, in art pixels.
const JUMP: f64 = 8.0 * TILE;

/// The camera of one scene.
#[derive(Clone, Copy, Debug, Default)]
pub struct Camera {
    center: Option<(f64, f64)>,
}

/// The view that a camera gives for one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Art pixels of the map at the left and top edge of the canvas.
    pub left: f64,
    /// See `left`.
    pub top: f64,
    /// The canvas.
    pub size: ViewSize,
}

impl Camera {
    /// Moves towards `target` (art pixels) for `elapsed_ms` and looks at the map.
    pub fn follow(
        &mut self,
        target: (f64, f64),
        elapsed_ms: f64,
        map: (f64, f64),
        size: ViewSize,
    ) -> View {
        let (width, height) = size.in_art_pixels();
        let goal = (clamp_axis(target.0, width, map.0), clamp_axis(target.1, height, map.1));
        let center = match self.center {
            Some(at) if (goal.0 - at.0).hypot(goal.1 - at.1) < JUMP => {
                let share = 1.0 - (-elapsed_ms / FOLLOW_MS).exp();
                (at.0 + (goal.0 - at.0) * share, at.1 + (goal.1 - at.1) * share)
            }
            _ => goal,
        };
        // Settled positions are clamped again, for the view may have grown meanwhile.
        let center = (clamp_axis(center.0, width, map.0), clamp_axis(center.1, height, map.1));
        self.center = Some(center);
        View { left: center.0 - width / 2.0, top: center.1 - height / 2.0, size }
    }
}

/// The middle of the view along one axis: at `at` as far as the map goes, in the middle of
/// a map that is smaller than the view.
fn clamp_axis(at: f64, view: f64, map: f64) -> f64 {
    if map <= view { map / 2.0 } else { at.clamp(view / 2.0, map - view / 2.0) }
}

impl View {
    /// Device pixels from the canvas' corner to the map's; whole.
    #[must_use]
    pub fn origin(&self) -> (f64, f64) {
        ((-self.left * self.size.scale).round(), (-self.top * self.size.scale).round())
    }

    /// Device pixels of a point of the map; whole.
    #[must_use]
    pub fn to_device(&self, x: f64, y: f64) -> (f64, f64) {
        let scale = self.size.scale;
        (((x - self.left) * scale).round(), ((y - self.top) * scale).round())
    }

    /// The point of the map under a point of the canvas, given in CSS pixels.
    #[must_use]
    pub fn to_map(&self, css_x: f64, css_y: f64) -> (f64, f64) {
        let share = self.size.density / self.size.scale;
        (self.left + css_x * share, self.top + css_y * share)
    }

    /// The visible part of a map of that size, in art pixels, on whole ones.
    #[must_use]
    pub fn visible(&self, map: (f64, f64)) -> Rect {
        let (width, height) = self.size.in_art_pixels();
        let (x, right) = (self.left.floor().max(0.0), (self.left + width).ceil().min(map.0));
        let (y, bottom) = (self.top.floor().max(0.0), (self.top + height).ceil().min(map.1));
        Rect { x, y, width: (right - x).max(0.0), height: (bottom - y).max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn size() -> ViewSize {
        ViewSize { width: 300.0, height: 200.0, scale: 1.0, density: 1.0 }
    }

    #[wasm_bindgen_test]
    fn the_view_stays_on_the_map_and_small_maps_are_centred() {
        let view = Camera::default().follow((0.0, 0.0), 16.0, (1_000.0, 1_000.0), size());
        assert_eq!((view.left, view.top), (0.0, 0.0));
        let view = Camera::default().follow((990.0, 500.0), 16.0, (1_000.0, 1_000.0), size());
        assert_eq!((view.left, view.top), (700.0, 400.0));
        let view = Camera::default().follow((5.0, 5.0), 16.0, (100.0, 100.0), size());
        assert_eq!((view.left, view.top), (-100.0, -50.0));
    }

    #[wasm_bindgen_test]
    fn following_is_smooth_and_a_jump_is_not_a_pan() {
        let mut camera = Camera::default();
        camera.follow((500.0, 500.0), 16.0, (1_000.0, 1_000.0), size());
        let view = camera.follow((510.0, 500.0), 16.0, (1_000.0, 1_000.0), size());
        assert!((350.0..360.0).contains(&view.left) && view.left > 350.0);
        let view = camera.follow((800.0, 500.0), 16.0, (1_000.0, 1_000.0), size());
        assert_eq!(view.left, 650.0);
    }
}
