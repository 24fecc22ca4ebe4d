//! The things one navigates by: lighthouse, fountain with its mosaic, well, market stalls.

use super::buildings::{masonry, roof};
use super::canvas::Canvas;
use super::noise::{bayer, pick, ramp};
use super::palette::*;
use super::tileset::TILE;

/// Frames of anything that glows or flows, and their pace.
pub(crate) const GLOW_MILLIS: u32 = 220;

/// The lighthouse: 5×10 tiles, its foot in the lowest two rows.
pub(crate) fn lighthouse(frame: usize) -> Canvas {
    let (w, h) = (5 * TILE, 10 * TILE);
    let mut tower = Canvas::new(w, h);
    let cx = 36;
    // Tapered shaft in bands.
    for y in 50..h - 8 {
        let t = (y - 50) as f32 / (h - 58) as f32;
        let half = (13.0 + 7.0 * t) as i32;
        for x in cx - half..cx + half {
            let u = (x - cx) as f32 / half as f32;
            let band = ((y - 50) / 20) % 2 == 1;
            let light = 0.74 - 0.30 * u - if u > 0.55 { 0.24 } else { 0.0 }
                + if (-0.75..-0.35).contains(&u) { 0.16 } else { 0.0 };
            let colour = if band {
                ramp(&[BRICK, BRICK, ROSE, ROSE, CORAL], light, x, y, 0.5)
            } else {
                ramp(&[MIST, PEBBLE, CHALK, CREAM, CREAM], light, x, y, 0.5)
            };
            tower.set(x, y, colour);
            if (y - 50) % 20 == 19 {
                tower.darken(x, y);
            }
        }
    }
    for (x, y) in [(cx - 3, 62), (cx + 3, 86), (cx - 4, 110)] {
        tower.rect(x - 1, y - 1, 6, 9, BARK);
        tower.rect(x, y, 4, 7, GOLD);
        tower.rect(x, y, 2, 2, CREAM);
        tower.hline(x, y + 3, 4, WOOD);
    }
    // Plinth of stone, with door and steps.
    for y in h - 22..h - 3 {
        for x in cx - 24..cx + 24 {
            let stone = masonry(x, y);
            tower.set(x, y, if x > cx + 14 { darker(stone) } else { stone });
        }
    }
    tower.hline(cx - 25, h - 22, 50, CREAM);
    tower.hline(cx - 25, h - 21, 50, PEBBLE);
    tower.rect(cx - 7, h - 26, 14, 24, BARK);
    tower.hline(cx - 5, h - 27, 10, BARK);
    tower.rect(cx - 5, h - 24, 10, 21, TEAL);
    tower.vline(cx, h - 24, 21, ABYSS);
    tower.vline(cx + 4, h - 24, 21, ABYSS);
    tower.rect(cx + 2, h - 14, 1, 2, GOLD);
    tower.hline(cx - 9, h - 3, 18, CHALK);
    tower.hline(cx - 9, h - 2, 18, STONE);
    // Gallery.
    tower.rect(cx - 19, 46, 38, 6, STONE);
    tower.hline(cx - 19, 46, 38, CREAM);
    tower.hline(cx - 19, 47, 38, CHALK);
    tower.rect(cx + 8, 48, 11, 4, FLINT);
    tower.hline(cx - 16, 52, 32, FLINT);
    for x in (cx - 18..cx + 19).step_by(4) {
        tower.vline(x, 38, 8, NIGHT);
    }
    // Lamp room: glass and a turning light.
    tower.rect(cx - 11, 24, 22, 22, NIGHT);
    tower.rect(cx - 10, 25, 20, 20, GOLD);
    let sweep = [-6, -1, 5, -1][frame % 4];
    tower.ellipse((cx + sweep) as f32, 34.0, 7.0, 9.0, SHELL);
    tower.ellipse((cx + sweep) as f32, 34.0, 4.0, 6.5, CREAM);
    for x in [cx - 10, cx - 4, cx + 3, cx + 9] {
        tower.vline(x, 24, 22, BARK);
    }
    tower.hline(cx - 19, 38, 38, DUSK);
    tower.hline(cx - 19, 37, 38, SLATE);
    // Cap.
    for y in 8..25 {
        let half = (((y - 7) as f32 / 17.0).sqrt() * 14.0) as i32;
        for x in cx - half..cx + half {
            let u = (x - cx) as f32 / half.max(1) as f32;
            tower.set(
                x,
                y,
                ramp(
                    &[UMBER, BRICK, ROSE, CORAL, PEACH],
                    0.62 - 0.5 * u - 0.012 * (y - 14) as f32,
                    x,
                    y,
                    0.6,
                ),
            );
        }
    }
    tower.hline(cx - 14, 24, 28, BRICK);
    tower.rect(cx - 1, 2, 2, 7, GOLD);
    tower.rect(cx - 2, 4, 4, 3, GOLD);
    tower.set(cx - 2, 4, CREAM);
    tower.outline(INK);
    let mut canvas = Canvas::new(w, h);
    for y in h - 26..h {
        canvas.hline(cx + 20, y, ((y - h + 26) * 2 / 3 + 6).min(20), SHADE);
    }
    canvas.hline(cx - 24, h - 1, 54, SHADE);
    canvas.hline(cx - 24, h - 2, 58, SHADE);
    canvas.blit(&tower, 0, 0);
    // A halo around the lamp.
    for y in 18..52 {
        for x in 0..w {
            let (dx, dy) = ((x - cx) as f32, (y - 34) as f32 * 1.2);
            let d = (dx * dx + dy * dy).sqrt();
            if canvas.get(x, y) == CLEAR
                && d < 25.0 + (frame % 2) as f32 * 2.0
                && bayer(x, y) > d / 40.0 - 0.05
            {
                canvas.set(x, y, GLOW);
            }
        }
    }
    canvas
}

/// A compass laid into the paving around the fountain: 9×9 tiles, clear where cobbles show.
pub(crate) fn mosaic() -> Canvas {
    let side = 9 * TILE;
    let middle = side as f32 / 2.0;
    Canvas::from_fn(side, side, |x, y| {
        let (u, v) = (x as f32 + 0.5 - middle, (y as f32 + 0.5 - middle) * 1.16);
        let (d, turn) = ((u * u + v * v).sqrt(), v.atan2(u));
        let joint = |count: f32| ((turn / std::f32::consts::TAU + 1.0) * count).fract() < 0.16;
        let chip = |light: u8, dark: u8| if pick(x / 3, y / 3, 162, 5) == 0 { dark } else { light };
        // Eight points between the rings, the main four longer.
        let (au, av) = (u.abs(), v.abs());
        let (along, across) = if au > av { (au, av) } else { (av, au) };
        let (du, dv) = (((u - v) * 0.707).abs(), ((u + v) * 0.707).abs());
        let (slant, beside) = if du > dv { (du, dv) } else { (dv, du) };
        match d {
            d if d > 70.0 => CLEAR,
            d if d > 68.5 => STONE,
            d if d > 62.0 => {
                if joint(40.0) {
                    STONE
                } else {
                    chip(SAND, DUNE)
                }
            }
            d if d > 60.5 => STONE,
            d if d < 35.0 && d > 33.5 => STONE,
            d if d <= 33.5 && d > 28.0 => {
                if joint(24.0) {
                    STONE
                } else {
                    chip(MIST, PEBBLE)
                }
            }
            d if d <= 28.0 => CLEAR,
            _ if across < (60.5 - along) * 0.30 => {
                let lit = if au > av { (v < 0.0) == (u > 0.0) } else { (u < 0.0) == (v < 0.0) };
                if across > (60.5 - along) * 0.30 - 1.0 {
                    STONE
                } else if lit {
                    chip(SHELL, SAND)
                } else {
                    chip(OCHRE, TAN)
                }
            }
            _ if beside < (52.0 - slant) * 0.30 => {
                let lit = if du > dv {
                    (u + v < 0.0) == (u - v > 0.0)
                } else {
                    (u - v < 0.0) == (u + v < 0.0)
                };
                if beside > (52.0 - slant) * 0.30 - 1.0 {
                    STONE
                } else if lit {
                    chip(LAGOON, TIDE)
                } else {
                    chip(SEA, TEAL)
                }
            }
            _ => CLEAR,
        }
    })
}

/// The fountain of the square: 3×3 tiles of flowing water.
pub(crate) fn fountain(frame: usize) -> Canvas {
    let mut canvas = Canvas::new(3 * TILE, 3 * TILE);
    let stone = |x: i32, y: i32, u: f32, v: f32| {
        ramp(&[FLINT, STONE, PEBBLE, CHALK, CREAM], 0.66 - 0.3 * u - 0.22 * v, x, y, 0.5)
    };
    canvas.ellipse_with(24.0, 33.0, 22.5, 13.5, |x, y, u, _| {
        if (x + y / 4 * 3) % 8 == 0 {
            FLINT
        } else {
            ramp(&[FLINT, STONE, PEBBLE], 0.6 - 0.5 * u, x, y, 0.4)
        }
    });
    canvas.ellipse_with(24.0, 28.5, 22.5, 13.5, stone);
    for x in 2..46 {
        if x % 7 == 3 {
            for y in 16..45 {
                if matches!(canvas.get(x, y), PEBBLE | CHALK | CREAM) {
                    canvas.darken(x, y);
                }
            }
        }
    }
    canvas.ellipse(24.0, 28.5, 18.5, 10.3, FLINT);
    canvas.ellipse_with(24.0, 29.3, 18.0, 9.6, |x, y, u, v| {
        let d = (u * u + v * v).sqrt();
        let ring = (d * 9.0 - frame as f32 * 0.9).rem_euclid(3.0);
        if d > 0.3 && ring < 0.55 && pick(x, y, 161, 4) > 0 {
            SPRAY
        } else if v < -0.55 {
            TEAL
        } else if (u + v) < 0.1 {
            SEA
        } else {
            TIDE
        }
    });
    // The pillar and its upper bowl.
    canvas.rect(20, 12, 8, 18, PEBBLE);
    canvas.vline(20, 12, 18, CREAM);
    canvas.vline(21, 12, 18, CHALK);
    canvas.rect(26, 12, 2, 18, STONE);
    canvas.hline(18, 29, 12, CHALK);
    canvas.hline(18, 30, 12, STONE);
    canvas.hline(17, 31, 14, SPRAY);
    canvas.ellipse_with(24.0, 12.5, 10.5, 4.6, stone);
    canvas.ellipse(24.0, 11.8, 8.5, 2.8, SEA);
    canvas.hline(19, 11, 4, LAGOON);
    canvas.rect(23, 4, 3, 8, CHALK);
    canvas.vline(25, 4, 8, STONE);
    // Jets that fall into the basin.
    for (side, n) in [(-1, 0), (1, 1)] {
        for step in 0..20 {
            let x = 24 + side * (2 + step * 11 / 20);
            let y = 3 + (step * step) / 17;
            let bright = (step as usize + frame * 2 + n) % 5;
            canvas.set(x, y, if bright < 2 { CREAM } else { SPRAY });
            if step > 6 {
                canvas.set(x, y + 1, if bright < 3 { SPRAY } else { LAGOON });
            }
        }
    }
    canvas.set(24, 2, CREAM);
    canvas.set(24, 1 + (frame as i32 % 2), FOAM);
    canvas.outline(NIGHT);
    canvas.shadow(25.0, 44.0, 22.0, 3.6);
    canvas
}

/// A roofed well: 2×3 tiles.
pub(crate) fn well() -> Canvas {
    let mut canvas = Canvas::new(2 * TILE, 3 * TILE);
    canvas.ellipse(16.0, 36.0, 13.0, 8.5, STONE);
    for y in 34..45 {
        for x in 3..29 {
            if canvas.get(x, y) != CLEAR {
                let stone = masonry(x, y);
                canvas.set(x, y, if x > 21 { darker(stone) } else { stone });
            }
        }
    }
    canvas.ellipse(16.0, 32.5, 13.0, 6.5, CHALK);
    canvas.ellipse(16.0, 33.0, 9.5, 4.2, INK);
    canvas.ellipse(16.0, 34.4, 7.5, 2.4, TEAL);
    for x in [4, 25] {
        canvas.rect(x, 14, 3, 20, WOOD);
        canvas.vline(x, 14, 20, TAN);
        canvas.vline(x + 2, 14, 20, BARK);
    }
    canvas.hline(6, 20, 20, BARK);
    canvas.hline(6, 19, 20, TAN);
    canvas.vline(15, 20, 7, DUNE);
    canvas.rect(12, 26, 7, 5, WOOD);
    canvas.hline(12, 26, 7, TAN);
    canvas.hline(12, 28, 7, SLATE);
    roof(&mut canvas, 1, 4, 30, 18, [UMBER, BRICK, CLAY, EMBER, CORAL], 6);
    canvas.outline(INK);
    canvas.shadow(17.5, 44.0, 14.0, 3.5);
    canvas
}

/// A market stall under a striped awning: 3×3 tiles; `goods` chooses what is on sale.
pub(crate) fn stall(stripe: u8, goods: u32) -> Canvas {
    let mut canvas = Canvas::new(3 * TILE, 3 * TILE);
    for x in [3, 42] {
        canvas.rect(x, 14, 3, 32, WOOD);
        canvas.vline(x + 2, 14, 32, BARK);
    }
    canvas.rect(4, 18, 40, 14, UMBER);
    canvas.rect(2, 30, 44, 4, TAN);
    canvas.hline(2, 30, 44, SAND);
    canvas.rect(2, 34, 44, 11, WOOD);
    for x in (2..46).step_by(6) {
        canvas.vline(x, 34, 11, BARK);
    }
    canvas.hline(2, 34, 44, UMBER);
    canvas.hline(2, 44, 44, UMBER);
    for i in 0..6 {
        let x = 5 + i * 7;
        let colours: [u8; 3] = match (goods, i % 3) {
            (0, 0) => [ROSE, BLUSH, BRICK],
            (0, 1) => [GOLD, CREAM, OCHRE],
            (0, _) => [LIME, STRAW, FERN],
            (_, 0) => [MIST, FOAM, SLATE],
            (_, 1) => [CORAL, PEACH, EMBER],
            _ => [TIDE, SPRAY, SEA],
        };
        canvas.rect(x - 1, 26, 7, 5, BARK);
        canvas.hline(x - 1, 28, 7, TAN);
        for (dx, dy) in [(0, 25), (3, 25), (1, 23)] {
            canvas.rect(x + dx, dy, 3, 3, colours[0]);
            canvas.set(x + dx, dy, colours[1]);
            canvas.set(x + dx + 2, dy + 2, colours[2]);
        }
    }
    // Awning with a scalloped hem.
    for x in 0..48 {
        let band = (x / 6) % 2 == 0;
        let (light, base, dark) = if band {
            (CREAM, CREAM, CHALK)
        } else {
            (if stripe == ROSE { CORAL } else { LAGOON }, stripe, darker(stripe))
        };
        let inset = if (3..45).contains(&x) { 0 } else { 3 };
        for y in 3 + inset..16 {
            canvas.set(
                x,
                y,
                if y < 6 {
                    light
                } else if y < 12 {
                    base
                } else {
                    dark
                },
            );
        }
        let drop = [1, 3, 4, 4, 3, 1][(x % 6) as usize];
        canvas.vline(x, 16, drop, base);
        canvas.set(x, 16 + drop - 1, dark);
    }
    canvas.hline(1, 15, 46, SHADE);
    for x in 1..47 {
        let under = if (x / 6) % 2 == 0 { PEBBLE } else { darker(darker(stripe)) };
        canvas.set(x, 15, under);
    }
    canvas.outline(INK);
    canvas.shadow(25.0, 45.0, 23.0, 3.0);
    canvas
}
