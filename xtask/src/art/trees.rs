//! Trees: crowns of lit lobes on sturdy trunks, and conifers.

use super::canvas::Canvas;
use super::noise::{pick, ramp, unit, value};
use super::palette::*;
use super::tileset::TILE;

/// A tree's look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tree {
    Oak,
    Linden,
    Apple,
    Blossom,
    Maple,
    Sapling,
}

/// One leafy lobe: centre and radius.
pub(crate) type Lobe = (f32, f32, f32);

const LARGE: [Lobe; 11] = [
    (24.0, 14.0, 12.0),
    (13.0, 20.0, 10.0),
    (35.0, 20.0, 10.0),
    (10.0, 29.0, 8.5),
    (38.0, 29.0, 8.5),
    (17.0, 12.0, 8.0),
    (31.0, 13.0, 8.0),
    (24.0, 25.0, 12.5),
    (16.0, 34.0, 8.5),
    (32.0, 34.0, 8.5),
    (24.0, 36.0, 9.0),
];

const SMALL: [Lobe; 7] = [
    (16.0, 9.5, 8.0),
    (9.0, 14.0, 7.0),
    (23.0, 14.0, 7.0),
    (16.0, 16.0, 9.0),
    (9.5, 21.0, 6.5),
    (22.5, 21.0, 6.5),
    (16.0, 23.5, 7.0),
];

/// Paints a crown of lobes, lit from the top left, with leaf-sized dabs.
pub(crate) fn crown(canvas: &mut Canvas, lobes: &[Lobe], colours: &[u8], seed: u32) {
    let (mut top, mut bottom, mut left, mut right) = (99.0f32, 0.0f32, 99.0f32, 0.0f32);
    for (x, y, r) in lobes {
        top = top.min(y - r);
        bottom = bottom.max(y + r);
        left = left.min(x - r);
        right = right.max(x + r);
    }
    for (i, (cx, cy, r)) in lobes.iter().enumerate() {
        let (jx, jy) = (unit(i as i32, 1, seed) - 0.5, unit(i as i32, 2, seed) - 0.5);
        let (cx, cy) = (cx + jx * 1.6, cy + jy * 1.6);
        for y in 0..canvas.h {
            for x in 0..canvas.w {
                let (u, v) = ((x as f32 + 0.5 - cx) / r, (y as f32 + 0.5 - cy) / r);
                let edge =
                    (value(x as f32 / 2.0, y as f32 / 2.0, 0, seed + 7 + i as u32) - 0.5) * 0.22;
                let d = u * u + v * v;
                if d > 1.0 + edge {
                    continue;
                }
                let z = (1.0 - d).max(0.0).sqrt();
                let light = -0.50 * u - 0.62 * v + 0.45 * z;
                let whole = 1.0
                    - ((x as f32 - left) / (right - left) * 0.35
                        + (y as f32 - top) / (bottom - top) * 0.65);
                let leaf = value(x as f32 / 1.7, y as f32 / 1.4, 0, seed + 3) - 0.5;
                let t = 0.16 + 0.40 * light + 0.42 * whole + 0.30 * leaf;
                canvas.set(x, y, ramp(&colours[1..], t, x, y, 0.25));
                // The seam where a lobe rests on those behind it.
                if d > 0.80 && v > 0.25 {
                    canvas.set(x, y, ramp(colours, t - 0.22, x, y, 0.0));
                }
            }
        }
    }
}

fn trunk(canvas: &mut Canvas, cx: i32, top: i32, bottom: i32, half: i32) {
    for y in top..bottom {
        let flare = i32::from(y > bottom - 4) + i32::from(y > bottom - 2);
        for x in cx - half - flare..cx + half + flare {
            let t = (x - (cx - half)) as f32 / (2 * half) as f32;
            let grain = pick(x, y / 3, 5, 5) == 0;
            canvas.set(
                x,
                y,
                if t < 0.25 && !grain {
                    TAN
                } else if t < 0.6 {
                    WOOD
                } else {
                    BARK
                },
            );
        }
        canvas.set(cx - half - flare, y, BARK);
        canvas.set(cx + half + flare - 1, y, UMBER);
    }
    for x in cx - half..cx + half {
        // The crown's shadow on the trunk.
        canvas.set(x, top, UMBER);
        canvas.set(x, top + 1, UMBER);
        canvas.set(x, top + 2, BARK);
    }
}

/// A tree of 3×4 tiles (the sapling 2×3); its foot is in the middle of the lowest row.
pub(crate) fn tree(kind: Tree, variant: u32) -> Canvas {
    let seed = variant * 101 + kind as u32 * 17 + 1;
    let colours = match kind {
        Tree::Blossom => &BLOSSOM,
        Tree::Maple => &AUTUMN,
        _ => &FOLIAGE,
    };
    if kind == Tree::Sapling || kind == Tree::Blossom && variant == 1 {
        let mut canvas = Canvas::new(2 * TILE, 3 * TILE);
        trunk(&mut canvas, 16, 28, 43, 2);
        crown(&mut canvas, &SMALL.map(|(x, y, r)| (x, y + 2.0, r)), colours, seed);
        canvas.outline(edge_of(kind));
        canvas.shadow(17.0, 42.5, 11.0, 4.5);
        return canvas;
    }
    let mut canvas = Canvas::new(3 * TILE, 4 * TILE);
    trunk(&mut canvas, 24, 42, 60, 4);
    crown(&mut canvas, &LARGE.map(|(x, y, r)| (x, y + 1.5, r)), colours, seed);
    match kind {
        Tree::Apple => {
            for i in 0..11 {
                let (x, y) = (8 + pick(i, 20, seed, 32) as i32, 12 + pick(i, 21, seed, 28) as i32);
                if canvas.get(x, y) != CLEAR
                    && canvas.get(x + 3, y + 3) != CLEAR
                    && canvas.get(x - 2, y) != CLEAR
                {
                    canvas.rect(x, y, 3, 3, ROSE);
                    canvas.set(x, y, BLUSH);
                    canvas.set(x + 2, y + 2, BRICK);
                    canvas.set(x + 1, y - 1, UMBER);
                    canvas.hline(x, y + 3, 3, MOSS);
                }
            }
        }
        Tree::Linden => {
            for i in 0..26 {
                let (x, y) = (6 + pick(i, 22, seed, 34) as i32, 6 + pick(i, 23, seed, 26) as i32);
                if canvas.get(x, y) == MEADOW || canvas.get(x, y) == LIME {
                    canvas.set(x, y, STRAW);
                    canvas.tint(x + 1, y, STRAW);
                }
            }
        }
        _ => {}
    }
    canvas.outline(edge_of(kind));
    canvas.shadow(26.0, 58.5, 17.0, 5.2);
    canvas
}

fn edge_of(kind: Tree) -> u8 {
    match kind {
        Tree::Blossom => PLUM,
        Tree::Maple => UMBER,
        _ => PINE,
    }
}

/// A conifer of 2×4 tiles in tiers of drooping boughs.
pub(crate) fn pine(variant: u32) -> Canvas {
    let mut canvas = Canvas::new(2 * TILE, 4 * TILE);
    trunk(&mut canvas, 16, 50, 60, 2);
    let tiers =
        [(50.0f32, 14.0f32, 20.0f32), (38.0, 12.0, 19.0), (27.0, 9.5, 17.0), (17.0, 7.0, 14.0)];
    for (n, (base, half, height)) in tiers.into_iter().enumerate() {
        for y in 0..height as i32 {
            let row = base - height + y as f32;
            let reach = half * ((y as f32 + 1.0) / height).powf(0.85);
            for x in 0..32 {
                let u = (x as f32 + 0.5 - 16.0) / half;
                let droop = 1.6 * (u * 7.0 + variant as f32).sin().abs();
                if (u * half).abs() <= reach && row <= base - 1.0 - droop + u * u * 1.2 {
                    let t = 0.44 - 0.42 * u - 0.34 * (y as f32 / height)
                        + 0.05 * n as f32
                        + (unit(x / 2, row as i32 / 2, 9 + variant) - 0.5) * 0.32;
                    let lit = ramp(&CONIFER[1..], t + 0.12, x, row as i32, 0.3);
                    canvas.set(
                        x,
                        row as i32,
                        if y as f32 > height - 3.0 - droop { PINE } else { lit },
                    );
                }
            }
        }
    }
    canvas.outline(PINE);
    canvas.shadow(17.5, 59.0, 12.0, 4.5);
    canvas
}
