//! Canvases: the one on the page, sized to its box in device pixels, and those in memory.

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Pixels along one side of a tile of the art.
pub const TILE: f64 = 16.0;
/// Tiles that should fit across and down; the scale is the largest that shows about as many.
const WANTED_TILES: (f64, f64) = (20.0, 15.0);
/// Bounds of the scale, in CSS pixels for an art pixel.
const SCALE_BOUNDS: (f64, f64) = (2.0, 5.0);

/// A canvas with its context; smoothing is off.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The canvas.
    pub canvas: HtmlCanvasElement,
    /// Its context.
    pub context: CanvasRenderingContext2d,
}

impl Surface {
    /// Takes hold of a canvas. `None` where the browser gives no context.
    #[must_use]
    pub fn of(canvas: HtmlCanvasElement) -> Option<Self> {
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        context.set_image_smoothing_enabled(false);
        Some(Self { canvas, context })
    }

    /// A canvas in memory.
    #[must_use]
    pub fn in_memory(width: u32, height: u32) -> Option<Self> {
        let document = web_sys::window()?.document()?;
        let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
        canvas.set_width(width.max(1));
        canvas.set_height(height.max(1));
        Self::of(canvas)
    }

    /// Draws a part of this canvas, as large as it is.
    pub fn blit(&self, to: &CanvasRenderingContext2d, from: Rect, x: f64, y: f64) {
        let drawn = to
            .draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
                &self.canvas,
                from.x,
                from.y,
                from.width,
                from.height,
                x,
                y,
                from.width,
                from.height,
            );
        ignore(drawn);
    }

    /// Draws all of this canvas.
    pub fn stamp(&self, to: &CanvasRenderingContext2d, x: f64, y: f64) {
        ignore(to.draw_image_with_html_canvas_element(&self.canvas, x, y));
    }
}

/// A rectangle in art pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Rect {
    /// What of it lies in the other; `None` where they share nothing.
    #[must_use]
    pub fn within(self, other: Self) -> Option<Self> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let width = (self.x + self.width).min(other.x + other.width) - x;
        let height = (self.y + self.height).min(other.y + other.height) - y;
        (width > 0.0 && height > 0.0).then_some(Self { x, y, width, height })
    }

    /// It without a part of it: strips above, below, left and right.
    pub fn without(self, part: Self) -> impl Iterator<Item = Self> {
        let (right, bottom) = (part.x + part.width, part.y + part.height);
        let strips = [
            Self { height: part.y - self.y, ..self },
            Self { y: bottom, height: self.y + self.height - bottom, ..self },
            Self { x: self.x, width: part.x - self.x, ..part },
            Self { x: right, width: self.x + self.width - right, ..part },
        ];
        strips.into_iter().filter(|strip| strip.width > 0.0 && strip.height > 0.0)
    }
}

/// The size of the page's canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewSize {
    /// Device pixels across.
    pub width: f64,
    /// Device pixels down.
    pub height: f64,
    /// Device pixels for an art pixel; whole.
    pub scale: f64,
    /// Device pixels for a CSS pixel.
    pub density: f64,
}

impl ViewSize {
    /// The size for a box of CSS pixels on a screen of that density.
    #[must_use]
    pub fn of_box(width: f64, height: f64, density: f64) -> Self {
        let (across, down) = WANTED_TILES;
        let wanted = (width / (across * TILE)).min(height / (down * TILE));
        let css_scale = wanted.clamp(SCALE_BOUNDS.0, SCALE_BOUNDS.1);
        Self {
            width: (width * density).round().max(1.0),
            height: (height * density).round().max(1.0),
            scale: (css_scale * density).round().max(1.0),
            density,
        }
    }

    /// Art pixels across and down.
    #[must_use]
    pub fn in_art_pixels(self) -> (f64, f64) {
        (self.width / self.scale, self.height / self.scale)
    }

    /// The corner closest to `corner` with which something of that extent lies on the
    /// canvas; what is larger begins at the canvas' own corner.
    #[must_use]
    pub fn keep_within(self, corner: (f64, f64), extent: (f64, f64)) -> (f64, f64) {
        let keep = |at: f64, extent: f64, room: f64| at.clamp(0.0, (room - extent).max(0.0));
        (keep(corner.0, extent.0, self.width), keep(corner.1, extent.1, self.height))
    }

    /// Makes the canvas as large as its box, where it is not.
    pub fn fit(surface: &Surface) -> Self {
        let density = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        let canvas = &surface.canvas;
        let (width, height) = (canvas.client_width(), canvas.client_height());
        let size = Self::of_box(f64::from(width), f64::from(height), density);
        let (width, height) = (size.width as u32, size.height as u32);
        if canvas.width() != width || canvas.height() != height {
            canvas.set_width(width);
            canvas.set_height(height);
            // Sizing a canvas resets its context.
            surface.context.set_image_smoothing_enabled(false);
        }
        size
    }
}

/// Drawing fails only for pictures that are not decoded yet: such a frame goes without.
pub(super) fn ignore(drawn: Result<(), JsValue>) {
    drop(drawn);
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn a_rectangle_is_its_part_and_the_strips_around_it() {
        let whole = Rect { x: 10.0, y: 20.0, width: 30.0, height: 40.0 };
        for part in [
            Rect { x: 15.0, y: 25.0, width: 5.0, height: 6.0 },
            Rect { x: 0.0, y: 10.0, width: 25.0, height: 20.0 },
            Rect { x: 35.0, y: 55.0, width: 88.0, height: 88.0 },
            whole,
        ] {
            let part = part.within(whole).expect("they overlap");
            let area = |rect: Rect| rect.width * rect.height;
            let strips: f64 = whole.without(part).map(area).sum();
            assert_eq!(strips + area(part), area(whole), "{part:?}");
            assert!(whole.without(part).all(|strip| strip.within(part).is_none()));
        }
        assert_eq!(Rect { x: 40.0, ..whole }.within(whole), None);
    }

    #[wasm_bindgen_test]
    fn what_would_stick_out_of_the_canvas_is_kept_on_it() {
        let size = ViewSize { width: 300.0, height: 200.0, scale: 1.0, density: 1.0 };
        for (corner, kept) in [
            ((10.0, 20.0), (10.0, 20.0)),
            ((290.0, -5.0), (260.0, 0.0)),
            ((-1.0, 199.0), (0.0, 180.0)),
        ] {
            assert_eq!(size.keep_within(corner, (40.0, 20.0)), kept, "{corner:?}");
        }
        assert_eq!(size.keep_within((5.0, 5.0), (400.0, 20.0)), (0.0, 5.0));
    }

    #[wasm_bindgen_test]
    fn the_scale_is_whole_device_pixels_at_every_size() {
        for (width, height, density, scale) in [
            (1280.0, 800.0, 1.0, 3.0),
            (390.0, 844.0, 1.0, 2.0),
            (390.0, 844.0, 3.0, 6.0),
            (768.0, 1024.0, 2.0, 5.0),
            (3440.0, 1440.0, 1.0, 5.0),
        ] {
            assert_eq!(ViewSize::of_box(width, height, density).scale, scale, "{width}×{height}");
        }
    }
}
