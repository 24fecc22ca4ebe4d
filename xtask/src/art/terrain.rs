//! Ground tiles: grass, sand, water and their transitions, chosen by the four corners of a cell.
//!
//! A mask says at which corners the upper terrain lies: 1 top left, 2 top right, 4 bottom
//! right, 8 bottom left. Edges depend only on the two corners they join, so tiles always meet.

use super::canvas::Canvas;
use super::noise::{bayer, pick, unit, value};
use super::palette::*;
use super::tileset::{FREE, Id, SOLID, TILE, Tileset};
use super::water;

/// Terrains from low to high; neighbouring corners differ by one step at most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    Deep,
    Shallow,
    Sand,
    Grass,
    Lush,
}

/// Frames and pace of moving water.
pub(crate) const WATER_FRAMES: usize = 4;
pub(crate) const WATER_MILLIS: u32 = 260;

/// All ground tiles, by what they join.
pub(crate) struct Terrain {
    deep: Vec<Id>,
    shallow: Vec<Id>,
    sand: Vec<Id>,
    grass: Vec<Id>,
    lush: Vec<Id>,
    drop_off: Vec<Vec<Id>>,
    shore: Vec<Vec<Id>>,
    verge: Vec<Vec<Id>>,
    meadow: Vec<Vec<Id>>,
    /// Water that can be crossed, below docks.
    pub(crate) under_dock: Id,
}

/// How far inside the upper terrain a point lies: above 0.5 is inside.
pub(crate) fn field(mask: u8, x: f32, y: f32, rough: f32, seed: u32) -> f32 {
    let corner = |bit: u8| f32::from(u8::from(mask & bit != 0));
    let (u, v) = ((x + 0.5) / TILE as f32, (y + 0.5) / TILE as f32);
    let (cu, cv) = (u.clamp(0.0, 1.0), v.clamp(0.0, 1.0));
    let top = corner(1) + (corner(2) - corner(1)) * cu;
    let bottom = corner(8) + (corner(4) - corner(8)) * cu;
    let coarse = value(u * 4.0, v * 4.0, 4, seed) - 0.5;
    let fine = value(u * 8.0, v * 8.0, 8, seed + 1) - 0.5;
    top + (bottom - top) * cv + (coarse * 1.2 + fine * 0.8) * rough
}

impl Terrain {
    pub(crate) fn new(set: &mut Tileset) -> Self {
        let variants = |set: &mut Tileset, n: u32, f: &dyn Fn(u32) -> Canvas| {
            (0..n).map(|v| set.add(f(v), FREE)).collect::<Vec<_>>()
        };
        let moving = |set: &mut Tileset, n: u32, f: &dyn Fn(u32, usize) -> Canvas| {
            (0..n)
                .map(|v| {
                    set.add_animated(
                        (0..WATER_FRAMES).map(|t| f(v, t)).collect(),
                        WATER_MILLIS,
                        SOLID,
                    )
                })
                .collect::<Vec<_>>()
        };
        let grass = variants(set, 14, &grass);
        let lush = variants(set, 12, &lush);
        let sand = variants(set, 8, &sand);
        let shallow = moving(set, 4, &water::shallow);
        let deep = moving(set, 4, &water::deep);
        let pair = |set: &mut Tileset, f: &dyn Fn(u8, u32) -> Canvas| {
            (0..16u8)
                .map(|mask| {
                    if mask == 0 || mask == 15 {
                        Vec::new()
                    } else {
                        (0..2).map(|v| set.add(f(mask, v), FREE)).collect()
                    }
                })
                .collect::<Vec<Vec<Id>>>()
        };
        let meadow = pair(set, &meadow_edge);
        let verge = pair(set, &verge);
        let edge = |set: &mut Tileset, walkable: bool, f: &dyn Fn(u8, usize) -> Canvas| {
            (0..16u8)
                .map(|mask| {
                    if mask == 0 || mask == 15 {
                        return Vec::new();
                    }
                    let props = if walkable && mask.count_ones() > 2 { FREE } else { SOLID };
                    vec![set.add_animated(
                        (0..WATER_FRAMES).map(|t| f(mask, t)).collect(),
                        WATER_MILLIS,
                        props,
                    )]
                })
                .collect::<Vec<_>>()
        };
        let shore = edge(set, true, &water::shore);
        let drop_off = edge(set, false, &water::drop_off);
        let under_dock = set
            .add(Canvas::from_fn(TILE, TILE, |_, y| if y % 5 == 0 { ABYSS } else { TEAL }), FREE);
        Self { deep, shallow, sand, grass, lush, drop_off, shore, verge, meadow, under_dock }
    }

    /// The ground tile for a cell with these corners (top left, top right, bottom right, bottom left).
    pub(crate) fn tile(&self, corners: [Level; 4], x: i32, y: i32) -> Id {
        let low = corners.into_iter().min().unwrap_or(Level::Deep);
        let mask = corners
            .iter()
            .enumerate()
            .fold(0u8, |mask, (i, level)| mask | (u8::from(*level > low) << i));
        let weighted = |ids: &[Id]| {
            // The first variants are calm; the livelier ones stay rare.
            let n = ids.len() as u32;
            let calm = pick(x, y, 77, 10) < 4;
            ids[pick(x, y, 78, if calm { n.min(4) } else { n }) as usize]
        };
        let any = |ids: &[Id]| ids[pick(x, y, 79, ids.len() as u32) as usize];
        match (low, mask) {
            (Level::Deep, 0) => any(&self.deep),
            (Level::Shallow, 0) => any(&self.shallow),
            (Level::Sand, 0) => weighted(&self.sand),
            (Level::Grass, 0) => weighted(&self.grass),
            (Level::Lush, _) => weighted(&self.lush),
            (Level::Deep, m) => any(&self.drop_off[usize::from(m)]),
            (Level::Shallow, m) => any(&self.shore[usize::from(m)]),
            (Level::Sand, m) => any(&self.verge[usize::from(m)]),
            (Level::Grass, m) => any(&self.meadow[usize::from(m)]),
        }
    }
}

fn grass_base(x: i32, y: i32, seed: u32) -> u8 {
    // A calm ground tone with soft dabs one step up and down, equal at all tile edges.
    let n = value(x as f32 / 4.0, y as f32 / 2.7, if seed == 0 { 4 } else { 0 }, 40 + seed);
    let inside = ((x.min(15 - x).min(y.min(15 - y))) as f32 / 4.0).clamp(0.0, 1.0);
    if n * inside > 0.72 && bayer(x, y) > 0.35 { MEADOW } else { LEAF }
}

fn blade(canvas: &mut Canvas, x: i32, y: i32, light: u8, dark: u8) {
    canvas.set(x, y, dark);
    canvas.set(x + 2, y, dark);
    canvas.set(x + 1, y + 1, dark);
    canvas.set(x, y - 1, light);
    canvas.set(x + 2, y - 1, light);
    canvas.set(x + 1, y, light);
}

fn grass(variant: u32) -> Canvas {
    let seed = variant * 31 + 5;
    let mut canvas = Canvas::from_fn(TILE, TILE, |x, y| grass_base(x, y, seed));
    let tufts = [1, 2, 0, 2, 3, 2, 5, 3, 4, 2, 3, 1, 4, 3][variant as usize % 14];
    for i in 0..tufts {
        let (x, y) = (1 + pick(i, 0, seed, 12) as i32, 2 + pick(i, 1, seed, 12) as i32);
        match (variant + i as u32) % 3 {
            0 => blade(&mut canvas, x, y, MEADOW, FERN),
            1 => {
                canvas.set(x, y, FERN);
                canvas.set(x + 1, y + 1, FERN);
            }
            _ => {
                canvas.set(x, y, MEADOW);
                canvas.set(x, y + 1, FERN);
            }
        }
    }
    if variant == 13 {
        for (x, y, c) in [(4, 5, CREAM), (11, 9, CREAM), (7, 12, GOLD)] {
            canvas.set(x, y, c);
            canvas.set(x, y + 1, FERN);
        }
    }
    canvas
}

fn lush_base(x: i32, y: i32, seed: u32) -> u8 {
    let n = value(x as f32 / 3.0, y as f32 / 2.0, 0, 60 + seed);
    let inside = ((x.min(15 - x).min(y.min(15 - y))) as f32 / 4.0).clamp(0.0, 1.0);
    if n * inside > 0.80 && bayer(x, y) > 0.3 { LIME } else { MEADOW }
}

fn lush(variant: u32) -> Canvas {
    let seed = variant * 17 + 3;
    let mut canvas = Canvas::from_fn(TILE, TILE, |x, y| lush_base(x, y, seed));
    for i in 0..[1, 2, 0, 2, 4, 3, 5, 3, 6, 2, 4, 3][variant as usize % 12] {
        let (x, y) = (1 + pick(i, 0, seed, 12) as i32, 2 + pick(i, 1, seed, 12) as i32);
        if i % 2 == 0 {
            blade(&mut canvas, x, y, LIME, LEAF);
        } else {
            canvas.set(x, y, LEAF);
            canvas.set(x + 1, y, LIME);
        }
    }
    canvas
}

fn sand(variant: u32) -> Canvas {
    let seed = variant * 13 + 9;
    let mut canvas = Canvas::from_fn(TILE, TILE, |x, y| match pick(x, y, seed, 90) {
        0 => DUNE,
        1 => SHELL,
        _ => SAND,
    });
    for i in 0..[0, 1, 0, 2, 1, 2, 0, 3][variant as usize % 8] {
        // A wind ripple: a lit crest over a soft trough.
        let (x, y, w) = (
            2 + pick(i, 2, seed, 6) as i32,
            3 + pick(i, 3, seed, 10) as i32,
            4 + pick(i, 4, seed, 4) as i32,
        );
        canvas.hline(x, y, w, SHELL);
        canvas.hline(x + 1, y + 1, w, DUNE);
    }
    if variant == 4 {
        canvas.set(5, 11, TAN);
        canvas.set(6, 11, CHALK);
        canvas.set(6, 10, CREAM);
    }
    canvas
}

fn verge(mask: u8, variant: u32) -> Canvas {
    let inside = |x: i32, y: i32| field(mask, x as f32, y as f32, 0.26, 100) > 0.5;
    let base = sand(0);
    let turf = grass(variant % 2);
    Canvas::from_fn(TILE, TILE, |x, y| {
        if inside(x, y) {
            if !inside(x, y + 1) {
                MOSS
            } else if !inside(x, y + 2) || !inside(x + 1, y) {
                FERN
            } else if !inside(x, y - 1) || !inside(x - 1, y) {
                MEADOW
            } else {
                turf.get(x, y)
            }
        } else if inside(x, y - 1) {
            TAN
        } else if inside(x, y - 2) || inside(x - 1, y - 1) {
            DUNE
        } else {
            base.get(x, y)
        }
    })
}

fn meadow_edge(mask: u8, variant: u32) -> Canvas {
    let low = grass(variant % 2);
    let high = lush(variant % 2);
    let inside = |x: i32, y: i32| {
        // Blades reach up over the edge by a column's own height.
        let blade = (unit(x.rem_euclid(TILE), 0, 12) - 0.5) * 4.0;
        field(mask, x as f32, y as f32 + blade, 0.36, 431) > 0.5
    };
    Canvas::from_fn(TILE, TILE, |x, y| {
        if inside(x, y) {
            if !inside(x, y + 1) && pick(x, y, 3, 3) > 0 {
                LEAF
            } else if !inside(x, y - 1) {
                LIME
            } else {
                high.get(x, y)
            }
        } else if inside(x, y - 1) && pick(x, y, 4, 3) > 0 {
            FERN
        } else {
            low.get(x, y)
        }
    })
}
