//! Cottages: plaster and timber walls under tiled roofs, seen from the front and above.

use super::canvas::Canvas;
use super::noise::{pick, unit};
use super::palette::*;
use super::tileset::TILE;

/// Roof colours, from shadow to light.
pub(crate) const RED_TILES: [u8; 5] = [UMBER, BRICK, CLAY, EMBER, CORAL];
pub(crate) const BLUE_TILES: [u8; 5] = [NIGHT, DUSK, SLATE, AZURE, MIST];
pub(crate) const GOLD_THATCH: [u8; 5] = [BARK, WOOD, TAN, OCHRE, GOLD];
pub(crate) const GREEN_TILES: [u8; 5] = [INK, ABYSS, TEAL, SEA, TIDE];
pub(crate) const PLUM_TILES: [u8; 5] = [INK, PLUM, VIOLET, VIOLET, LILAC];

/// A cottage's plan, in tiles.
#[derive(Clone, Copy)]
pub(crate) struct Cottage {
    /// Width in tiles; height is [`Cottage::HEIGHT`].
    pub(crate) width: i32,
    pub(crate) roof: [u8; 5],
    /// Column of the door.
    pub(crate) door: i32,
    /// Colour of door and shutters.
    pub(crate) trim: u8,
    /// A front gable over this column, two tiles wide.
    pub(crate) gable: Option<i32>,
    pub(crate) chimney: i32,
    /// Bare stone walls instead of plaster and timber.
    pub(crate) stone: bool,
}

impl Cottage {
    /// Rows of a cottage: three of roof, two of wall.
    pub(crate) const HEIGHT: i32 = 5;

    /// Paints it. One extra column at the right takes its shadow.
    pub(crate) fn paint(&self) -> Canvas {
        let (w, h) = (self.width * TILE, Self::HEIGHT * TILE);
        let mut house = Canvas::new(w, h);
        let eaves = 52;
        self.wall(&mut house, 4, eaves - 4, w - 8, h - 2);
        roof(&mut house, 0, 8, w, eaves, self.roof, 7);
        if let Some(column) = self.gable {
            self.front_gable(&mut house, column * TILE);
        }
        chimney(&mut house, self.chimney, 1);
        house.outline(INK);
        let mut canvas = Canvas::new(w + TILE, h);
        for y in 40..h {
            // The cast shadow slants away from the low sun.
            let reach = ((y - 40) / 2).min(10);
            canvas.hline(w - 4, y, reach + 4, SHADE);
        }
        canvas.hline(3, h - 1, w - 4, SHADE);
        canvas.blit(&house, 0, 0);
        canvas
    }

    fn wall(&self, canvas: &mut Canvas, x: i32, top: i32, w: i32, bottom: i32) {
        for y in top..bottom {
            for dx in 0..w {
                let px = x + dx;
                let colour = if self.stone { masonry(px, y) } else { plaster(px, y) };
                canvas.set(px, y, if dx > w - 7 { darker(colour) } else { colour });
            }
        }
        if !self.stone {
            for post in [x, x + w - 3] {
                beam(canvas, post, top, 3, bottom - top);
            }
            beam(canvas, x, bottom - 10, w, 2);
        }
        for dx in 0..w {
            for dy in 0..5 {
                canvas.set(x + dx, bottom - 5 + dy, masonry(x + dx, bottom - 5 + dy + 60));
            }
            // Shadow of the eaves.
            canvas.darken(x + dx, top + 4);
            for dy in 5..8 {
                canvas.darken(x + dx, top + dy);
            }
            canvas.darken(x + dx, top + 5);
        }
        for column in 0..self.width {
            let middle = column * TILE + 8;
            if column == self.door {
                door(canvas, middle - 6, bottom - 20, self.trim);
            } else if middle - 9 > x && middle + 9 < x + w {
                window(canvas, middle - 5, bottom - 21, self.trim, column % 2 == 0);
            }
        }
    }

    /// A small steep gable over the roof's front, with a round window.
    fn front_gable(&self, canvas: &mut Canvas, x: i32) {
        let (w, top, foot) = (2 * TILE, 22, 58);
        let middle = x + w / 2;
        for y in top..foot {
            let reach = ((y - top) as f32 * 0.62) as i32;
            for px in middle - reach.min(w / 2 - 3)..middle + reach.min(w / 2 - 3) {
                let colour = if self.stone { masonry(px, y) } else { plaster(px, y) };
                canvas.set(px, y, if px > middle + 4 { darker(colour) } else { colour });
            }
        }
        for y in top - 4..top + 24 {
            let reach = ((y - top + 4) as f32 * 0.70) as i32;
            for side in [-1, 1] {
                for thick in 0..5 {
                    let px = middle + side * (reach - thick) - i32::from(side < 0);
                    let tone = match (side < 0, thick) {
                        (true, 0) => 4,
                        (true, 1 | 2) => 3,
                        (false, 0) => 1,
                        (_, 4) => 0,
                        _ => 2,
                    };
                    let tone = if y % 4 == 0 && thick < 4 { tone - tone.min(1) } else { tone };
                    canvas.set(px, y, self.roof[tone]);
                }
            }
        }
        canvas.ellipse(middle as f32, 40.0, 4.5, 4.5, BARK);
        canvas.ellipse(middle as f32, 40.0, 3.3, 3.3, GOLD);
        canvas.vline(middle, 37, 7, BARK);
        canvas.hline(middle - 3, 40, 7, BARK);
        canvas.rect(middle - 2, 38, 2, 2, CREAM);
    }
}

fn plaster(x: i32, y: i32) -> u8 {
    match pick(x / 2, y / 2, 130, 26) {
        0 => SHELL,
        1 => SAND,
        _ => CREAM,
    }
}

/// Coursed stone, the mortar one step darker than the stones.
pub(crate) fn masonry(x: i32, y: i32) -> u8 {
    let course = y.div_euclid(5);
    let shift = if course % 2 == 0 { 0 } else { 4 };
    let (bx, by) = ((x + shift).rem_euclid(8), y.rem_euclid(5));
    let stone = pick((x + shift).div_euclid(8), course, 131, 4);
    if bx == 7 || by == 4 {
        STONE
    } else if by == 0 && bx < 6 {
        if stone == 0 { PEBBLE } else { CREAM }
    } else if stone == 0 || stone == 1 && (bx > 4 || by > 2) {
        PEBBLE
    } else {
        CHALK
    }
}

fn beam(canvas: &mut Canvas, x: i32, y: i32, w: i32, h: i32) {
    canvas.rect(x, y, w, h, WOOD);
    if w > h {
        canvas.hline(x, y + h - 1, w, BARK);
    } else {
        canvas.vline(x + w - 1, y, h, BARK);
        canvas.vline(x, y, h, TAN);
    }
}

/// Courses of rounded tiles from ridge to eaves, lit from the left, hipped by `slant` pixels.
pub(crate) fn roof(
    canvas: &mut Canvas,
    x: i32,
    top: i32,
    w: i32,
    eaves: i32,
    tones: [u8; 5],
    slant: i32,
) {
    for y in top..eaves {
        let t = (y - top) as f32 / (eaves - top) as f32;
        let inset = ((1.0 - t) * slant as f32) as i32;
        let course = (y - top) / 5;
        let row = (y - top) % 5;
        for px in x + inset..x + w - inset {
            let shift = if course % 2 == 0 { 0 } else { 3 };
            let column = (px - x + shift).rem_euclid(6);
            let which = (px - x + shift).div_euclid(6);
            let mut tone: i32 = match (row, column) {
                (4, 1..=4) | (3, 0 | 5) => 1,
                (4, _) => 0,
                (_, 5) => 1,
                (0, 1..=2) | (1, 1) => 4,
                (0..=1, _) => 3,
                _ => 2,
            };
            tone += match pick(which, course, 140, 9) {
                0 => 1,
                1 => -1,
                _ => 0,
            };
            let across = (px - x) as f32 / w as f32;
            if across > 0.86 {
                tone -= 1;
            }
            if across < 0.12 && tone == 2 {
                tone += 1;
            }
            canvas.set(px, y, tones[tone.clamp(0, 4) as usize]);
        }
        canvas.set(x + inset, y, tones[3]);
        canvas.set(x + w - inset - 1, y, tones[0]);
    }
    // Ridge caps.
    let (left, right) = (x + slant, x + w - slant);
    for px in left..right {
        let joint = (px - left) % 7 == 6;
        canvas.set(px, top - 2, if joint { tones[2] } else { tones[4] });
        canvas.set(px, top - 1, if joint { tones[1] } else { tones[3] });
        canvas.set(px, top, tones[1]);
    }
    canvas.hline(x, eaves - 1, w, tones[0]);
    canvas.hline(x + 1, eaves, w - 2, INK);
}

fn chimney(canvas: &mut Canvas, x: i32, top: i32) {
    for y in top..top + 17 {
        for px in x..x + 10 {
            let stone = masonry(px, y);
            canvas.set(px, y, if px > x + 6 { darker(stone) } else { stone });
        }
    }
    canvas.rect(x - 1, top, 12, 3, PEBBLE);
    canvas.hline(x - 1, top, 12, CHALK);
    canvas.hline(x - 1, top + 2, 12, FLINT);
    canvas.rect(x + 2, top, 6, 1, INK);
    canvas.vline(x - 1, top + 3, 14, FLINT);
    canvas.vline(x + 10, top + 3, 15, FLINT);
}

fn door(canvas: &mut Canvas, x: i32, y: i32, trim: u8) {
    let shade = darker(trim);
    canvas.rect(x, y + 2, 12, 18, BARK);
    canvas.hline(x + 1, y + 1, 10, BARK);
    canvas.hline(x + 3, y, 6, BARK);
    canvas.rect(x + 2, y + 3, 8, 17, trim);
    canvas.hline(x + 3, y + 2, 6, trim);
    for dx in [4, 7] {
        canvas.vline(x + dx, y + 3, 17, shade);
    }
    canvas.vline(x + 9, y + 3, 17, shade);
    canvas.rect(x + 4, y + 5, 4, 4, GOLD);
    canvas.set(x + 4, y + 5, CREAM);
    canvas.rect(x + 8, y + 12, 1, 2, GOLD);
    canvas.hline(x - 2, y + 19, 16, CHALK);
    canvas.hline(x - 2, y + 20, 16, PEBBLE);
    canvas.hline(x - 2, y + 21, 16, FLINT);
}

fn window(canvas: &mut Canvas, x: i32, y: i32, trim: u8, lit: bool) {
    canvas.rect(x, y, 10, 11, BARK);
    for dy in 0..9 {
        for dx in 0..8 {
            let colour = if lit {
                if dx + dy < 5 { CREAM } else { GOLD }
            } else if dx + dy < 6 {
                SPRAY
            } else if unit(dx, dy, 3) > 0.8 {
                LAGOON
            } else {
                AZURE
            };
            canvas.set(x + 1 + dx, y + 1 + dy, colour);
        }
    }
    canvas.vline(x + 4, y + 1, 9, WOOD);
    canvas.hline(x + 1, y + 4, 8, WOOD);
    for (sx, light) in [(x - 3, true), (x + 10, false)] {
        canvas.rect(sx, y, 3, 11, if light { trim } else { darker(trim) });
        for dy in (2..11).step_by(3) {
            canvas.hline(sx, y + dy, 3, darker(darker(trim)));
        }
    }
    // A box of flowers on the sill.
    canvas.rect(x - 1, y + 11, 12, 3, WOOD);
    canvas.hline(x - 1, y + 13, 12, UMBER);
    for i in 0..6 {
        let colour = [ROSE, CREAM, GOLD, BLUSH][pick(i, x, 150, 4) as usize];
        canvas.set(x + i * 2 - 1, y + 10, colour);
        canvas.set(x + i * 2, y + 10, LEAF);
        canvas.set(x + i * 2, y + 11, MOSS);
    }
}
