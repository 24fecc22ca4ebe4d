//! Emblem, favicon, the glowing flower and the loose drop shadow.

use super::canvas::Canvas;
use super::noise::{bayer, ramp};
use super::palette::*;
use super::signs::stem;

/// The emblem: a lighthouse before a compass star, in a ring, over the sea. 64×64.
pub(crate) fn logo() -> Canvas {
    let mut canvas = Canvas::new(64, 64);
    canvas.ellipse(32.0, 32.0, 31.0, 31.0, INK);
    canvas.ellipse_with(32.0, 32.0, 30.0, 30.0, |x, y, u, v| {
        ramp(&[BARK, CLAY, OCHRE, GOLD, SHELL], 0.55 - 0.45 * u - 0.5 * v, x, y, 0.6)
    });
    canvas.ellipse(32.0, 32.0, 27.0, 27.0, UMBER);
    canvas.ellipse_with(32.0, 32.0, 26.0, 26.0, |x, y, _, v| {
        ramp(&[NIGHT, DUSK, VIOLET, ROSE, CORAL, PEACH], (v + 0.75) / 1.4, x, y, 1.0)
    });
    // Compass star: long points to the winds, short ones between, each half lit.
    let star = |canvas: &mut Canvas, long: f32, turn: bool| {
        for y in 0..64 {
            for x in 0..64 {
                let (mut u, mut v) = (x as f32 + 0.5 - 32.0, y as f32 + 0.5 - 29.0);
                if turn {
                    (u, v) = ((u - v) * 0.707, (u + v) * 0.707);
                }
                let (au, av) = (u.abs(), v.abs());
                let (along, across) = if au > av { (au, av) } else { (av, au) };
                if along < long && across < (long - along) * 0.24 {
                    let lit = if au > av { (v < 0.0) == (u > 0.0) } else { (u < 0.0) == (v < 0.0) };
                    canvas.set(
                        x,
                        y,
                        if turn {
                            if lit { MIST } else { SLATE }
                        } else if lit {
                            CREAM
                        } else {
                            GOLD
                        },
                    );
                }
            }
        }
    };
    star(&mut canvas, 17.0, true);
    star(&mut canvas, 26.0, false);
    let inside = |x: i32, y: i32| {
        ((x as f32 + 0.5 - 32.0).powi(2) + (y as f32 + 0.5 - 32.0).powi(2)).sqrt() < 26.0
    };
    // Sea with a sun road.
    for y in 45..64 {
        for x in 0..64 {
            if inside(x, y) {
                let wave = ((x as f32 * 0.42 + y as f32 * 1.3).sin() * 1.2) as i32;
                let colour = match (y - 45 + wave).rem_euclid(5) {
                    0 => LAGOON,
                    1 => TIDE,
                    2 | 3 => SEA,
                    _ => TEAL,
                };
                canvas.set(
                    x,
                    y,
                    if (x - 32).abs() < 3 + (y - 45) / 3 && (x + y) % 3 == 0 {
                        SHELL
                    } else {
                        colour
                    },
                );
            }
        }
    }
    // Rock and tower.
    let mut tower = Canvas::new(64, 64);
    tower.ellipse_with(32.0, 51.0, 14.0, 5.0, |x, y, u, v| {
        ramp(&[INK, FLINT, STONE, PEBBLE], 0.55 - 0.4 * u - 0.5 * v, x, y, 0.6)
    });
    for y in 22..49 {
        let half = 4 + (y - 22) / 8;
        for x in 32 - half..32 + half {
            let u = (x - 32) as f32 / half as f32;
            let band = ((y - 22) / 7) % 2 == 1;
            let t = 0.62 - 0.45 * u;
            tower.set(
                x,
                y,
                if band {
                    ramp(&[BRICK, ROSE, CORAL], t, x, y, 0.4)
                } else {
                    ramp(&[MIST, CHALK, CREAM], t, x, y, 0.4)
                },
            );
        }
    }
    tower.rect(30, 44, 4, 6, BARK);
    tower.set(31, 46, GOLD);
    tower.rect(26, 20, 12, 2, SLATE);
    tower.hline(26, 20, 12, MIST);
    tower.rect(28, 13, 8, 7, GOLD);
    tower.rect(30, 14, 4, 5, CREAM);
    for x in [28, 35] {
        tower.vline(x, 13, 7, BARK);
    }
    for y in 8..13 {
        let half = y - 7;
        tower.rect(32 - half, y, half * 2, 1, ROSE);
        tower.rect(32 - half, y, half, 1, CORAL);
    }
    tower.rect(31, 6, 2, 3, GOLD);
    tower.outline(INK);
    canvas.blit(&tower, 0, 0);
    for (x, y) in [(13, 22), (50, 24), (17, 35), (47, 36), (20, 15), (45, 16)] {
        canvas.set(x, y, CREAM);
    }
    canvas
}

/// The favicon: the tower and its star on a rounded field. 32×32.
pub(crate) fn favicon() -> Canvas {
    let mut canvas = Canvas::from_fn(32, 32, |x, y| {
        let corner = |a: i32| (4 - a).max(a - 27).max(0);
        if corner(x) * corner(x) + corner(y) * corner(y) > 17 {
            CLEAR
        } else {
            ramp(&[NIGHT, DUSK, VIOLET, ROSE, CORAL], y as f32 / 26.0, x, y, 1.0)
        }
    });
    for i in 0..13 {
        let w = (13 - i) / 4;
        for (x, y) in [(15 - i, 11), (16 + i, 11)] {
            for d in -w..=w {
                canvas.tint(x, y + d, if d < 0 { CREAM } else { GOLD });
            }
        }
    }
    for y in 24..32 {
        for x in 0..32 {
            canvas.tint(x, y, if (x / 2 + y * 2) % 5 == 0 { LAGOON } else { SEA });
        }
    }
    let mut tower = Canvas::new(32, 32);
    for y in 14..27 {
        let half = 3 + (y - 14) / 5;
        for x in 16 - half..16 + half {
            let band = ((y - 14) / 4) % 2 == 1;
            let left = x < 16;
            tower.set(
                x,
                y,
                if band {
                    if left { CORAL } else { ROSE }
                } else if left {
                    CREAM
                } else {
                    CHALK
                },
            );
        }
    }
    tower.rect(11, 12, 10, 2, MIST);
    tower.rect(13, 7, 6, 5, GOLD);
    tower.rect(14, 8, 3, 3, CREAM);
    for y in 3..7 {
        tower.rect(16 - (y - 2), y, (y - 2) * 2, 1, ROSE);
    }
    tower.outline(INK);
    canvas.blit(&tower, 0, 0);
    canvas
}

/// The glowing flower that can be gathered: 4 frames of 16×16 in a row, and behind them
/// what stays of it once it is picked.
pub(crate) fn flower() -> Canvas {
    let mut sheet = Canvas::new(80, 16);
    for frame in 0..4 {
        let pulse = [0.0, 0.7, 1.3, 0.7][frame as usize];
        let mut bloom = Canvas::new(16, 16);
        bloom.vline(8, 9, 5, MOSS);
        bloom.vline(7, 10, 4, LEAF);
        bloom.hline(4, 11, 3, LEAF);
        bloom.set(3, 10, LIME);
        bloom.hline(9, 12, 3, FERN);
        bloom.set(12, 11, LEAF);
        for (dx, dy) in [(0.0, -3.1f32), (2.9, -0.9), (1.8, 2.4), (-1.8, 2.4), (-2.9, -0.9)] {
            bloom.ellipse_with(8.0 + dx, 6.5 + dy, 2.3, 2.3, |x, y, u, v| {
                ramp(
                    &[VIOLET, LILAC, BLUSH, CREAM],
                    0.55 + pulse * 0.12 - 0.35 * u - 0.4 * v,
                    x,
                    y,
                    0.4,
                )
            });
        }
        bloom.ellipse(8.0, 6.5, 1.9, 1.9, GOLD);
        bloom.rect(7, 6, 2, 1, CREAM);
        bloom.outline(PLUM);
        let mut cell = Canvas::new(16, 16);
        for y in 0..16 {
            for x in 0..16 {
                let (dx, dy) = (x as f32 - 7.5, y as f32 - 6.5);
                let d = (dx * dx + dy * dy).sqrt();
                if d < 7.2 + pulse && bayer(x, y) > (d - 5.2 - pulse) / 4.0 {
                    cell.set(x, y, GLOW);
                }
            }
        }
        cell.shadow(8.0, 14.2, 4.5, 1.6);
        for y in 0..16 {
            for x in 0..16 {
                if bloom.get(x, y) != CLEAR {
                    cell.set(x, y, bloom.get(x, y));
                }
            }
        }
        // Motes that rise and fade.
        for (i, x) in [2, 13, 10].into_iter().enumerate() {
            let y = 11 - ((frame as usize * 3 + i * 4) % 11) as i32;
            cell.set(x, y, if y < 4 { GOLD } else { CREAM });
        }
        sheet.blit(&cell, frame * 16, 0);
    }
    sheet.blit(&stem(), 64, 0);
    sheet
}

/// A round drop shadow for anything that stands on the ground. 16×8.
pub(crate) fn shadow() -> Canvas {
    let mut canvas = Canvas::new(16, 8);
    canvas.shadow(8.0, 4.0, 6.5, 2.8);
    canvas
}
