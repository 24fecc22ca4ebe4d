//! Path overlays: cobbles and trodden earth, laid over any ground by corner masks; and docks.

use super::canvas::Canvas;
use super::noise::{bayer, hash, pick, unit};
use super::palette::*;
use super::terrain::field;
use super::tileset::{FREE, Id, TILE, Tileset};

/// Overlay tiles by corner mask; mask 0 is unused.
pub(crate) struct Paths {
    cobble: Vec<Vec<Id>>,
    earth: Vec<Vec<Id>>,
}

/// What a path is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Paving {
    Cobble,
    Earth,
}

impl Paths {
    pub(crate) fn new(set: &mut Tileset) -> Self {
        let all = |set: &mut Tileset, f: &dyn Fn(u8, u32) -> Canvas| {
            (0..16u8)
                .map(|mask| {
                    let variants = if mask == 15 { 4 } else { 1 };
                    (0..variants).map(|v| set.add(f(mask, v), FREE)).collect::<Vec<_>>()
                })
                .collect::<Vec<_>>()
        };
        Self { cobble: all(set, &cobble), earth: all(set, &earth) }
    }

    pub(crate) fn tile(&self, paving: Paving, mask: u8, x: i32, y: i32) -> Id {
        let table = if paving == Paving::Cobble { &self.cobble } else { &self.earth };
        let ids = &table[usize::from(mask)];
        ids[pick(x, y, 91, ids.len() as u32) as usize]
    }
}

/// The nearest stone centre, the distance to it and to the next one, on a tile that repeats.
fn stone_at(x: i32, y: i32) -> (u32, f32, f32, f32, f32) {
    let (cell_w, cell_h) = (16.0 / 3.0, 4.0);
    let mut best = (0, 99.0f32, 99.0f32, 0.0, 0.0);
    let (px, py) = (x as f32 + 0.5, y as f32 + 0.5);
    for iy in -1i32..=4 {
        for ix in -1i32..=3 {
            let (hx, hy) = (ix.rem_euclid(3), iy.rem_euclid(4));
            let shift = if iy.rem_euclid(2) == 0 { 0.25 } else { 0.75 };
            let cx = (ix as f32 + shift + (unit(hx, hy, 21) - 0.5) * 0.5) * cell_w;
            let cy = (iy as f32 + 0.5 + (unit(hx, hy, 22) - 0.5) * 0.3) * cell_h;
            let (dx, dy) = ((px - cx) / cell_w, (py - cy) / cell_h);
            let d = (dx.abs().powi(3) + dy.abs().powi(3)).powf(1.0 / 3.0);
            if d < best.1 {
                best = (hash(hx, hy, 23), d, best.1, dx, dy);
            } else if d < best.2 {
                best.2 = d;
            }
        }
    }
    best
}

fn cobble(mask: u8, variant: u32) -> Canvas {
    let inside = |x: i32, y: i32| field(mask, x as f32, y as f32, 0.20, 500) > 0.42;
    Canvas::from_fn(TILE, TILE, |x, y| {
        if !inside(x, y) {
            return if mask != 15 && inside(x, y - 1) { SHADE } else { CLEAR };
        }
        let (id, near, next, dx, dy) = stone_at(x, y);
        let gap = next - near;
        let rim = mask != 15
            && (!inside(x, y + 1) || !inside(x + 1, y) || !inside(x - 1, y) || !inside(x, y - 1));
        if rim {
            return if !inside(x, y + 1) { FLINT } else { STONE };
        }
        if gap < 0.12 {
            return if dx + dy > -0.1 { STONE } else { TAN };
        }
        let tone = (id >> 3).wrapping_add(if variant > 0 {
            hash(id as i32, variant as i32, 8) % 7
        } else {
            0
        }) % 7;
        let body = match tone {
            0 => SAND,
            1 => PEBBLE,
            _ => CHALK,
        };
        if dx + dy < -0.42 && body == CHALK {
            SHELL
        } else if dx + dy > 0.45 {
            if body == PEBBLE { STONE } else { PEBBLE }
        } else {
            body
        }
    })
}

fn earth(mask: u8, variant: u32) -> Canvas {
    let inside = |x: i32, y: i32| field(mask, x as f32, y as f32, 0.24, 600) > 0.42;
    let seed = variant * 5 + 2;
    let mut canvas = Canvas::from_fn(TILE, TILE, |x, y| {
        if !inside(x, y) {
            return CLEAR;
        }
        if mask != 15 {
            if !inside(x, y - 1) {
                return WOOD;
            }
            if !inside(x, y - 2) || !inside(x - 1, y) {
                return TAN;
            }
            if (!inside(x + 1, y) || !inside(x, y + 1)) && bayer(x, y) > 0.4 {
                return TAN;
            }
        }
        match pick(x, y, seed, 60) {
            0 | 1 => TAN,
            2 => SAND,
            _ => DUNE,
        }
    });
    for i in 0..[1, 2, 2, 3][variant as usize % 4] {
        let (x, y) = (3 + pick(i, 3, seed, 10) as i32, 3 + pick(i, 4, seed, 10) as i32);
        if canvas.get(x, y) == DUNE && canvas.get(x + 1, y + 1) != CLEAR {
            canvas.set(x, y, CHALK);
            canvas.set(x + 1, y, PEBBLE);
            canvas.hline(x, y + 1, 2, TAN);
        }
    }
    canvas
}

/// Planks of a dock: which sides are open to the water.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct DockSides {
    pub(crate) left: bool,
    pub(crate) right: bool,
    pub(crate) top: bool,
    pub(crate) bottom: bool,
}

/// One dock tile: planks across, beams and posts at open sides. It is opaque.
pub(crate) fn dock(sides: DockSides, variant: u32) -> Canvas {
    let mut canvas = Canvas::from_fn(TILE, TILE, |x, y| {
        let plank = y / 4;
        let seam = 3 + ((plank + variant as i32) * 7) % 11;
        let grain = pick(x / 3, y, 31 + variant + plank as u32, 9);
        match y % 4 {
            3 => BARK,
            0 if (plank + variant as i32) % 3 == 1 => SAND,
            0 => DUNE,
            _ if x == seam && plank % 2 == 1 => BARK,
            _ if grain == 0 => WOOD,
            _ if (plank + variant as i32) % 4 == 2 => WOOD,
            _ => TAN,
        }
    });
    let sides_x = [(sides.left, 0), (sides.right, TILE - 3)];
    for (open, x) in sides_x {
        if open {
            canvas.vline(x, 0, TILE, UMBER);
            canvas.vline(x + 1, 0, TILE, WOOD);
            canvas.vline(x + 2, 0, TILE, if x == 0 { BARK } else { UMBER });
            canvas.rect(x, 5, 3, 4, BARK);
            canvas.hline(x, 4, 3, DUNE);
            canvas.hline(x, 5, 3, TAN);
            canvas.hline(x, 9, 3, UMBER);
        }
    }
    if sides.top {
        canvas.hline(0, 0, TILE, UMBER);
        canvas.hline(0, 1, TILE, TAN);
    }
    if sides.bottom {
        canvas.hline(0, TILE - 3, TILE, DUNE);
        canvas.hline(0, TILE - 2, TILE, WOOD);
        canvas.hline(0, TILE - 1, TILE, UMBER);
    }
    canvas
}

/// The pillars below a dock's far end, standing in the water.
pub(crate) fn dock_pillars(left: bool, right: bool) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    canvas.rect(0, 0, TILE, 2, UMBER);
    canvas.rect(0, 2, TILE, 4, SHADE);
    let mut post = |x: i32| {
        canvas.rect(x, 0, 4, 8, BARK);
        canvas.vline(x, 0, 8, UMBER);
        canvas.vline(x + 1, 1, 7, WOOD);
        canvas.hline(x - 1, 8, 6, FOAM);
        canvas.hline(x, 9, 4, LAGOON);
    };
    if left {
        post(1);
    }
    if right {
        post(TILE - 5);
    }
    if !left && !right {
        post(6);
    }
    canvas
}
