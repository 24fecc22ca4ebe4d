//! Small things that grow, and stones: bushes, flowers, reeds, brambles and rocks.

use super::canvas::Canvas;
use super::noise::{pick, ramp, unit, value};
use super::palette::*;
use super::tileset::TILE;
use super::trees::crown;

/// A round bush, one tile; the colour of its blossoms, if any.
pub(crate) fn bush(blossom: Option<u8>, variant: u32) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    let lobes = [(5.0, 8.0, 4.2), (11.0, 8.0, 4.2), (8.0, 5.5, 4.4), (8.0, 10.0, 4.6)];
    crown(&mut canvas, &lobes, &FOLIAGE, 50 + variant);
    if let Some(colour) = blossom {
        for (x, y) in [(4, 6), (9, 4), (7, 9), (11, 8), (5, 11), (12, 11)] {
            canvas.tint(x, y, colour);
            canvas.tint(x + 1, y, CREAM);
            canvas.tint(x, y + 1, darker(colour));
        }
    }
    canvas.outline(PINE);
    canvas.shadow(8.5, 13.0, 7.0, 2.8);
    canvas
}

/// Loose flowers on grass, one tile, free to walk through.
pub(crate) fn flowers(colour: u8, heart: u8, variant: u32) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    for i in 0..[3, 5, 4, 2][variant as usize % 4] {
        let (x, y) =
            (2 + pick(i, 1, 70 + variant, 12) as i32, 2 + pick(i, 2, 70 + variant, 11) as i32);
        canvas.set(x, y + 2, FERN);
        canvas.set(x + 1, y + 3, FERN);
        canvas.set(x - 1, y + 2, MEADOW);
        canvas.set(x, y - 1, colour);
        canvas.set(x - 1, y, colour);
        canvas.set(x + 1, y, darker(colour));
        canvas.set(x, y + 1, darker(colour));
        canvas.set(x, y, heart);
    }
    canvas
}

/// A planted bed of earth with a dense row of blooms; solid by custom of gardeners.
pub(crate) fn flower_bed(colours: [u8; 3], variant: u32) -> Canvas {
    let mut canvas =
        Canvas::from_fn(TILE, TILE, |x, y| if pick(x, y, 81, 4) == 0 { BARK } else { WOOD });
    canvas.hline(0, 0, TILE, TAN);
    canvas.hline(0, TILE - 1, TILE, UMBER);
    for row in 0..3 {
        for column in 0..4 {
            let (x, y) = (1 + column * 4 + (row % 2), 2 + row * 5);
            let colour = colours[pick(column, row, 82 + variant, 3) as usize];
            canvas.rect(x - 1, y + 1, 4, 3, MOSS);
            canvas.set(x - 1, y + 1, LEAF);
            canvas.set(x + 2, y + 2, FERN);
            canvas.rect(x, y - 1, 2, 3, colour);
            canvas.set(x - 1, y, colour);
            canvas.set(x + 2, y, darker(colour));
            canvas.set(x + 1, y + 1, darker(colour));
            canvas.set(x, y, GOLD);
        }
    }
    canvas
}

/// Rows of vegetables: leafy heads on earth.
pub(crate) fn vegetables(variant: u32) -> Canvas {
    let mut canvas = Canvas::from_fn(TILE, TILE, |x, y| match y % 8 {
        0 => TAN,
        7 => UMBER,
        _ if pick(x, y, 84, 5) == 0 => BARK,
        _ => WOOD,
    });
    for row in 0..2 {
        for column in 0..2 {
            let (cx, cy) = (4.0 + column as f32 * 8.0, 3.5 + row as f32 * 8.0);
            let ramp_colours =
                if variant == 0 { [MOSS, LEAF, LIME] } else { [FERN, MEADOW, STRAW] };
            canvas.ellipse_with(cx, cy, 3.4, 3.0, |x, y, u, v| {
                let t = 0.55 - 0.4 * u - 0.4 * v;
                ramp(&ramp_colours, t, x, y, 0.5)
            });
            if variant == 1 {
                canvas.rect(cx as i32 - 1, cy as i32 - 1, 3, 3, EMBER);
                canvas.set(cx as i32 - 1, cy as i32 - 1, GOLD);
                canvas.set(cx as i32, cy as i32 - 2, MOSS);
            }
        }
    }
    canvas
}

/// Small ground growth: 0 tall grass, 1 clover, 2 mushrooms, 3 fallen leaves.
pub(crate) fn growth(kind: u32) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    match kind {
        0 => {
            for i in 0..9 {
                let (x, y) =
                    (1 + i * 3 / 2 + pick(i, 0, 90, 2) as i32, 7 + pick(i, 1, 90, 6) as i32);
                canvas.vline(x, y - 3, 4, if i % 2 == 0 { MEADOW } else { FERN });
                canvas.set(x, y - 4, LIME);
                canvas.set(x + 1, y, MOSS);
            }
        }
        1 => {
            for i in 0..7 {
                let (x, y) = (1 + pick(i, 2, 90, 12) as i32, 2 + pick(i, 3, 90, 11) as i32);
                canvas.rect(x, y, 2, 2, LIME);
                canvas.set(x + 1, y + 1, FERN);
            }
        }
        2 => {
            for (x, y) in [(3, 6), (9, 9)] {
                canvas.rect(x, y, 5, 2, CORAL);
                canvas.hline(x + 1, y - 1, 3, CORAL);
                canvas.set(x + 1, y, CREAM);
                canvas.set(x + 3, y + 1, CREAM);
                canvas.hline(x, y + 2, 5, BRICK);
                canvas.rect(x + 2, y + 2, 2, 3, CHALK);
                canvas.set(x + 3, y + 4, PEBBLE);
            }
        }
        _ => {
            for i in 0..6 {
                let (x, y) = (1 + pick(i, 4, 90, 13) as i32, 1 + pick(i, 5, 90, 13) as i32);
                canvas.set(x, y, OCHRE);
                canvas.set(x + 1, y, CLAY);
            }
        }
    }
    canvas
}

/// Reeds at the water's edge.
pub(crate) fn reeds(variant: u32) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    for i in 0..6 {
        let x = 2 + i * 2 + pick(i, 1, 95 + variant, 2) as i32;
        let top = 1 + pick(i, 2, 95 + variant, 6) as i32;
        canvas.vline(x, top, 14 - top, if i % 2 == 0 { FERN } else { MOSS });
        canvas.set(x, top, LIME);
        if i % 3 == 0 {
            canvas.rect(x, top, 1, 4, BARK);
            canvas.set(x, top, TAN);
        }
        canvas.set(x, 14, SPRAY);
    }
    canvas
}

/// A crag: peaks with a lit left and a dark right face, in a canvas of `w`×`h` pixels.
pub(crate) fn crag(w: i32, h: i32, mossy: bool, seed: u32) -> Canvas {
    let mut canvas = Canvas::new(w, h);
    let foot = h - 4;
    let (fw, fh) = (w as f32, foot as f32);
    // Peaks from back to front: centre, half width, height.
    let peaks = [(0.52, 0.36, 0.92), (0.30, 0.26, 0.62), (0.72, 0.24, 0.50), (0.46, 0.30, 0.36)];
    for (n, (centre, half, tall)) in peaks.into_iter().enumerate() {
        let shift = (unit(n as i32, 1, seed) - 0.5) * 0.16;
        let (cx, half, tall) =
            ((centre + shift) * fw, half * fw, tall * fh * (0.85 + 0.25 * unit(n as i32, 2, seed)));
        for x in 1..w - 1 {
            let u = (x as f32 + 0.5 - cx) / half;
            if u.abs() > 1.0 {
                continue;
            }
            let jag = (value(x as f32 / 2.2, n as f32, 0, seed) - 0.5) * 2.4;
            let top = fh - tall * (1.0 - u.abs().powf(1.6)) + jag;
            let base = fh + 1.6 * (1.0 - u * u).sqrt();
            for y in top.max(1.0) as i32..=base as i32 {
                let deep = (y as f32 - top) / tall.max(1.0);
                let ridge = 0.12 + 0.22 * (value(y as f32 / 3.0, n as f32 + 9.0, 0, seed) - 0.5);
                let lit = if u < ridge { 0.80 } else { 0.34 };
                let t = lit - deep * 0.34
                    + (value(x as f32 / 2.5, y as f32 / 1.5, 0, seed + 5) - 0.5) * 0.24;
                canvas.set(x, y, ramp(&[INK, FLINT, STONE, PEBBLE, CHALK], t, x, y, 0.35));
                if y as f32 - top < 1.0 && u < 0.3 {
                    canvas.set(x, y, CHALK);
                }
                if mossy
                    && y as f32 - top < 3.0
                    && value(x as f32 / 3.0, y as f32, 0, seed + 4) > 0.45
                {
                    canvas.set(x, y, if u < 0.0 { MEADOW } else { FERN });
                }
                if !mossy && deep > 0.78 {
                    canvas.set(x, y, if u < 0.0 { MOSS } else { PINE });
                }
            }
        }
    }
    canvas.outline(INK);
    if mossy {
        canvas.shadow(fw / 2.0 + 1.5, fh + 1.0, fw * 0.48, 2.8);
    }
    canvas
}

/// A crag in the sea with foam that licks its foot.
pub(crate) fn crag_in_sea(w: i32, h: i32, frame: usize, seed: u32) -> Canvas {
    let mut canvas = Canvas::new(w, h);
    let swell = [0.0, 0.5, 1.0, 0.5][frame % 4];
    let (cx, cy, rx) = (w as f32 / 2.0, h as f32 - 4.6, w as f32 * 0.44);
    canvas.ellipse(cx, cy, rx + swell, 3.4 + swell * 0.6, SPRAY);
    canvas.ellipse(cx, cy - 0.3, rx - 0.6 + swell * 0.5, 2.8, FOAM);
    canvas.blit(&crag(w, h - 1, false, seed), 0, 0);
    for x in 2..w - 2 {
        if pick(x, frame as i32, seed, 3) == 0 {
            canvas.set(x, h - 4 + pick(x, 3, seed, 2) as i32, FOAM);
        }
    }
    canvas
}

/// Thorny brambles with embers in them: the tile that hurts.
pub(crate) fn brambles(frame: usize, variant: u32) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    canvas.shadow(8.5, 13.0, 7.8, 2.8);
    let lobes = [
        (4.5, 9.5, 4.2),
        (11.5, 9.0, 4.2),
        (8.0, 6.0, 4.6),
        (7.0, 11.5, 4.0),
        (12.0, 12.0, 3.4),
        (3.6, 12.6, 3.0),
        (4.0, 4.5, 3.4),
        (12.0, 4.0, 3.4),
    ];
    crown(&mut canvas, &lobes, &[INK, INK, PINE, PINE, MOSS, FERN], 130 + variant);
    // Arching canes, lit on top, with pale thorns.
    for i in 0..4 {
        let left = 0.5 + i as f32 * 2.6 + unit(i, 1, 110 + variant) * 2.0;
        let (span, tall) =
            (6.0 + unit(i, 2, 110 + variant) * 4.0, 5.0 + unit(i, 3, 110 + variant) * 5.0);
        let foot = 10.0 + (i % 3) as f32 * 1.6;
        for step in 0..=18 {
            let t = step as f32 / 18.0;
            let (x, y) =
                ((left + span * t) as i32, (foot - tall * (t * std::f32::consts::PI).sin()) as i32);
            canvas.set(x, y + 1, UMBER);
            canvas.set(x, y, if t < 0.5 { LILAC } else { VIOLET });
            if step % 5 == 2 {
                canvas.set(x, y - 1, CHALK);
            }
        }
    }
    for i in 0..5 {
        let (x, y) =
            (2 + pick(i, 5, 120 + variant, 11) as i32, 5 + pick(i, 6, 120 + variant, 9) as i32);
        let hot = (i as usize + frame) % 4;
        canvas.set(x, y, [EMBER, CORAL, GOLD, CORAL][hot]);
        canvas.set(x, y + 1, [BRICK, EMBER, CORAL, EMBER][hot]);
        canvas.set(x + 1, y, [BRICK, BRICK, EMBER, BRICK][hot]);
        let spark = 1 + (pick(i, 7, 120 + variant, 5) as i32 + 12 - frame as i32 * 2) % 5;
        if i < 2 {
            canvas.set(x, spark, if spark < 3 { CORAL } else { GOLD });
        }
    }
    canvas
}
