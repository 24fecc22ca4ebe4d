//! Boats: rowing boats and a sailing boat, which rock at their moorings.

use super::canvas::Canvas;
use super::noise::{pick, ramp};
use super::palette::*;
use super::tileset::TILE;

/// A rowing boat on the water, side on: 3×2 tiles.
pub(crate) fn boat(hull: u8, frame: usize) -> Canvas {
    let mut canvas = Canvas::new(3 * TILE, 2 * TILE);
    let bob = [0, 0, 1, 1][frame % 4];
    let mut body = Canvas::new(3 * TILE, 2 * TILE);
    for x in 2..46 {
        let u = (x as f32 - 24.0) / 22.0;
        let sheer = (u * u * 5.0) as i32;
        let depth = ((1.0 - u.powi(4)) * 13.0) as i32;
        for y in 11 - sheer..11 - sheer + depth + 2 {
            let t = y - (11 - sheer);
            body.set(
                x,
                y,
                match t {
                    0 => SAND,
                    1 => TAN,
                    2..=3 => hull,
                    4 => CREAM,
                    5..=8 => hull,
                    _ => darker(hull),
                },
            );
        }
        if u.abs() < 0.86 {
            let inner = (6.0 * (1.0 - u * u)) as i32;
            for y in 11 - sheer - inner + 2..11 - sheer {
                body.set(x, y, if y < 11 - sheer - inner + 4 { BARK } else { WOOD });
            }
            body.set(x, 11 - sheer - inner + 1, TAN);
        }
    }
    for x in [14, 24, 33] {
        body.rect(x, 5, 4, 7, TAN);
        body.vline(x, 5, 7, SAND);
        body.vline(x + 3, 5, 7, BARK);
    }
    body.line(8, 3, 36, 13, DUNE);
    body.line(8, 4, 36, 14, WOOD);
    body.outline(INK);
    canvas.ellipse(24.0, 24.5, 21.0 - bob as f32, 4.0, TEAL);
    canvas.blit(&body, 0, bob);
    for x in 4..44 {
        if pick(x, frame as i32, 170, 3) > 0 {
            let u = (x as f32 - 24.0) / 21.0;
            canvas.set(
                x,
                24 + (3.5 * (1.0 - u * u).max(0.0).sqrt()) as i32,
                if pick(x, frame as i32, 171, 2) == 0 { FOAM } else { LAGOON },
            );
        }
    }
    canvas
}

/// A sailing boat with a warm sail, moored: 4×5 tiles.
pub(crate) fn sailboat(frame: usize) -> Canvas {
    let mut canvas = Canvas::new(4 * TILE, 5 * TILE);
    let bob = [0, 0, 1, 1][frame % 4];
    let hull = boat(ROSE, frame);
    canvas.blit(&hull, 8, 47);
    let mut rig = Canvas::new(4 * TILE, 5 * TILE);
    rig.rect(31, 3, 2, 56, WOOD);
    rig.vline(31, 3, 56, TAN);
    for y in 7..48 {
        let t = (y - 7) as f32 / 41.0;
        let reach = (t * 21.0 + (t * std::f32::consts::PI).sin() * 3.0) as i32;
        for x in 34..34 + reach {
            let u = (x - 34) as f32 / reach.max(1) as f32;
            let seam = (y - 7) % 9 == 8;
            rig.set(
                x,
                y,
                if seam {
                    SAND
                } else {
                    ramp(&[DUNE, SAND, SHELL, CREAM], 0.95 - u * 0.8, x, y, 0.8)
                },
            );
        }
        let fore = (t * 17.0) as i32;
        if y > 12 {
            for x in 30 - fore + 3..30 {
                rig.set(
                    x,
                    y,
                    if y > 34 {
                        CORAL
                    } else {
                        ramp(&[DUNE, SAND, SHELL], 0.4 + (30 - x) as f32 / 30.0, x, y, 0.6)
                    },
                );
            }
        }
    }
    rig.hline(33, 48, 24, BARK);
    rig.rect(33, 1, 6, 3, ROSE);
    rig.outline(INK);
    canvas.blit(&rig.crop(0, 0, 64, 56), 0, bob);
    canvas
}
