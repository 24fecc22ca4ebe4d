//! An indexed-colour canvas and the few drawing verbs that the art is made of.

use super::palette::{CLEAR, GLOW, SHADE, darker};

/// Pixels as palette indices, row by row. Drawing outside is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Canvas {
    pub(crate) w: i32,
    pub(crate) h: i32,
    pub(crate) px: Vec<u8>,
}

impl Canvas {
    pub(crate) fn new(w: i32, h: i32) -> Self {
        Self { w, h, px: vec![CLEAR; (w * h) as usize] }
    }

    /// Fills a new canvas from a function of the pixel.
    pub(crate) fn from_fn(w: i32, h: i32, mut f: impl FnMut(i32, i32) -> u8) -> Self {
        let mut canvas = Self::new(w, h);
        for y in 0..h {
            for x in 0..w {
                canvas.set(x, y, f(x, y));
            }
        }
        canvas
    }

    /// Parses rows of letters; `key` gives each letter's colour, anything else stays clear.
    pub(crate) fn from_art(rows: &[&str], key: &[(char, u8)]) -> Self {
        let w = rows.iter().map(|row| row.len()).max().unwrap_or(0) as i32;
        let mut canvas = Self::new(w, rows.len() as i32);
        for (y, row) in rows.iter().enumerate() {
            for (x, letter) in row.chars().enumerate() {
                if let Some((_, colour)) = key.iter().find(|(k, _)| *k == letter) {
                    canvas.set(x as i32, y as i32, *colour);
                }
            }
        }
        canvas
    }

    fn index(&self, x: i32, y: i32) -> Option<usize> {
        (x >= 0 && y >= 0 && x < self.w && y < self.h).then_some((y * self.w + x) as usize)
    }

    pub(crate) fn get(&self, x: i32, y: i32) -> u8 {
        self.index(x, y).map_or(CLEAR, |i| self.px[i])
    }

    pub(crate) fn set(&mut self, x: i32, y: i32, colour: u8) {
        if let Some(i) = self.index(x, y) {
            self.px[i] = colour;
        }
    }

    /// Sets a pixel only where something is painted already.
    pub(crate) fn tint(&mut self, x: i32, y: i32, colour: u8) {
        if self.get(x, y) != CLEAR {
            self.set(x, y, colour);
        }
    }

    /// Makes a painted pixel one step darker.
    pub(crate) fn darken(&mut self, x: i32, y: i32) {
        self.set(x, y, darker(self.get(x, y)));
    }

    pub(crate) fn rect(&mut self, x: i32, y: i32, w: i32, h: i32, colour: u8) {
        for dy in 0..h {
            for dx in 0..w {
                self.set(x + dx, y + dy, colour);
            }
        }
    }

    pub(crate) fn hline(&mut self, x: i32, y: i32, w: i32, colour: u8) {
        self.rect(x, y, w, 1, colour);
    }

    pub(crate) fn vline(&mut self, x: i32, y: i32, h: i32, colour: u8) {
        self.rect(x, y, 1, h, colour);
    }

    /// A filled ellipse around a centre in pixels.
    pub(crate) fn ellipse(&mut self, cx: f32, cy: f32, rx: f32, ry: f32, colour: u8) {
        self.ellipse_with(cx, cy, rx, ry, |_, _, _, _| colour);
    }

    /// A filled ellipse; the function gets the pixel and its place in the unit disc.
    pub(crate) fn ellipse_with(
        &mut self,
        cx: f32,
        cy: f32,
        rx: f32,
        ry: f32,
        f: impl Fn(i32, i32, f32, f32) -> u8,
    ) {
        for y in (cy - ry).floor() as i32..=(cy + ry).ceil() as i32 {
            for x in (cx - rx).floor() as i32..=(cx + rx).ceil() as i32 {
                let (u, v) = ((x as f32 + 0.5 - cx) / rx, (y as f32 + 0.5 - cy) / ry);
                if u * u + v * v <= 1.0 {
                    self.set(x, y, f(x, y, u, v));
                }
            }
        }
    }

    /// A translucent drop shadow, only where nothing is painted yet.
    pub(crate) fn shadow(&mut self, cx: f32, cy: f32, rx: f32, ry: f32) {
        for y in (cy - ry).floor() as i32..=(cy + ry).ceil() as i32 {
            for x in (cx - rx).floor() as i32..=(cx + rx).ceil() as i32 {
                let (u, v) = ((x as f32 + 0.5 - cx) / rx, (y as f32 + 0.5 - cy) / ry);
                if u * u + v * v <= 1.0 && self.get(x, y) == CLEAR {
                    self.set(x, y, SHADE);
                }
            }
        }
    }

    /// A straight line of single pixels.
    pub(crate) fn line(&mut self, x0: i32, y0: i32, x1: i32, y1: i32, colour: u8) {
        let steps = (x1 - x0).abs().max((y1 - y0).abs()).max(1);
        for i in 0..=steps {
            let t = i as f32 / steps as f32;
            let x = x0 as f32 + (x1 - x0) as f32 * t;
            let y = y0 as f32 + (y1 - y0) as f32 * t;
            self.set(x.round() as i32, y.round() as i32, colour);
        }
    }

    /// Paints another canvas over this one; clear pixels let through, shade darkens.
    pub(crate) fn blit(&mut self, other: &Canvas, x: i32, y: i32) {
        for dy in 0..other.h {
            for dx in 0..other.w {
                let colour = other.get(dx, dy);
                let below = self.get(x + dx, y + dy);
                match colour {
                    CLEAR => {}
                    // A glow is light in the air; it must not punch through what it falls on.
                    GLOW if below != CLEAR => {}
                    SHADE if below != CLEAR && below != SHADE => {
                        self.set(x + dx, y + dy, darker(below))
                    }
                    _ => self.set(x + dx, y + dy, colour),
                }
            }
        }
    }

    pub(crate) fn crop(&self, x: i32, y: i32, w: i32, h: i32) -> Canvas {
        Canvas::from_fn(w, h, |dx, dy| self.get(x + dx, y + dy))
    }

    pub(crate) fn mirrored(&self) -> Canvas {
        Canvas::from_fn(self.w, self.h, |x, y| self.get(self.w - 1 - x, y))
    }

    /// Draws a one-pixel outline around everything solid, in `colour`.
    pub(crate) fn outline(&mut self, colour: u8) {
        let before = self.clone();
        let solid = |x, y| !matches!(before.get(x, y), CLEAR | SHADE);
        for y in 0..self.h {
            for x in 0..self.w {
                if !solid(x, y)
                    && (solid(x - 1, y) || solid(x + 1, y) || solid(x, y - 1) || solid(x, y + 1))
                {
                    self.set(x, y, colour);
                }
            }
        }
    }

    pub(crate) fn is_clear(&self) -> bool {
        self.px.iter().all(|px| *px == CLEAR)
    }
}
