//! The login screen's scene: the harbor at dusk, 320×200, composed around its middle third so
//! that a narrow portrait crop still shows sun, lighthouse and sea.

use super::backdrop_shore::{headland, lighthouse};
use super::canvas::Canvas;
use super::noise::{bayer, pick, ramp, unit, value};
use super::palette::*;

pub(crate) const W: i32 = 320;
const H: i32 = 200;
const HORIZON: i32 = 122;
const SUN: (i32, i32) = (146, 112);

const SKY: [u8; 10] = [NIGHT, NIGHT, DUSK, DUSK, VIOLET, VIOLET, ROSE, CORAL, PEACH, SHELL];

/// Paints the scene.
pub(crate) fn paint() -> Canvas {
    let mut canvas = Canvas::new(W, H);
    sky(&mut canvas);
    clouds(&mut canvas);
    hills(&mut canvas);
    sea(&mut canvas);
    sails(&mut canvas);
    headland(&mut canvas);
    lighthouse(&mut canvas);
    foreground(&mut canvas);
    canvas
}

fn sun_distance(x: i32, y: i32) -> f32 {
    let (dx, dy) = ((x - SUN.0) as f32, (y - SUN.1) as f32);
    (dx * dx + dy * dy).sqrt()
}

fn sky(canvas: &mut Canvas) {
    for y in 0..HORIZON {
        for x in 0..W {
            let warmth = (1.0 - sun_distance(x, y) / 190.0).max(0.0) * 0.26;
            let t = (y as f32 / HORIZON as f32).powf(1.15) * 0.84 + warmth - 0.04;
            canvas.set(x, y, ramp(&SKY, t, x, y, 1.0));
        }
    }
    for i in 0..90 {
        let (x, y) = (pick(i, 1, 800, W as u32) as i32, (unit(i, 2, 800).powf(1.5) * 70.0) as i32);
        let bright = pick(i, 3, 800, 10);
        canvas.set(
            x,
            y,
            if bright < 5 {
                SLATE
            } else if bright < 9 {
                MIST
            } else {
                CREAM
            },
        );
        if bright == 9 && y < 46 {
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                canvas.set(x + dx, y + dy, SLATE);
            }
        }
    }
    canvas.ellipse_with(SUN.0 as f32, SUN.1 as f32, 23.0, 23.0, |x, y, u, v| {
        let d = (u * u + v * v).sqrt();
        if bayer(x, y) > (d - 0.72) * 3.4 { SHELL } else { PEACH }
    });
    canvas.ellipse(SUN.0 as f32, SUN.1 as f32, 16.0, 16.0, SHELL);
    canvas.ellipse(SUN.0 as f32, SUN.1 as f32, 14.5, 14.5, CREAM);
}

fn clouds(canvas: &mut Canvas) {
    // Long flat banks, lit from below by the sun.
    for (cx, cy, half, thick) in [
        (62, 62, 62, 8),
        (250, 50, 56, 9),
        (150, 82, 48, 5),
        (292, 84, 50, 7),
        (22, 92, 42, 6),
        (206, 98, 34, 3),
        (98, 104, 26, 3),
        (148, 34, 34, 4),
    ] {
        for x in cx - half..cx + half {
            let u = (x - cx) as f32 / half as f32;
            let hump = value(x as f32 / 9.0, cy as f32, 0, 810) * 0.75
                + value(x as f32 / 4.0, cy as f32, 0, 811) * 0.25;
            let up = ((1.0 - u * u) * thick as f32 * (0.35 + hump)) as i32;
            let down = ((1.0 - u * u) * thick as f32 * 0.35) as i32;
            for y in cy - up..=cy + down {
                let v = (y - (cy - up)) as f32 / (up + down + 1) as f32;
                let near = (1.0 - sun_distance(x, y) / 150.0).max(0.0);
                let high = 1.0 - cy as f32 / 110.0;
                let t = 0.20 + v * 0.42 + near * 0.42 - high * 0.28;
                canvas.set(x, y, ramp(&[DUSK, VIOLET, LILAC, BLUSH, PEACH, SHELL], t, x, y, 0.9));
            }
        }
    }
}

fn hills(canvas: &mut Canvas) {
    for x in 0..W {
        let far = 106.0 - 12.0 * (1.0 - x as f32 / 120.0).max(0.0)
            + 7.0 * value(x as f32 / 22.0, 1.0, 0, 820)
            + (x - 95).max(0) as f32 * 0.35;
        let near = 113.0 - 16.0 * (1.0 - x as f32 / 78.0).max(0.0)
            + 5.0 * value(x as f32 / 9.0, 2.0, 0, 821)
            + (x - 60).max(0) as f32 * 0.30;
        for y in far as i32..HORIZON {
            canvas.set(
                x,
                y,
                if bayer(x, y) > 0.75 + (far - y as f32) / 20.0 { LILAC } else { VIOLET },
            );
        }
        for y in near as i32..HORIZON {
            canvas.set(x, y, PLUM);
        }
    }
}

fn sea(canvas: &mut Canvas) {
    for y in HORIZON..H {
        let depth = (y - HORIZON) as f32 / (H - HORIZON) as f32;
        for x in 0..W {
            let aside = ((x - SUN.0) as f32).abs() / (60.0 + depth * 60.0);
            let t = 0.92 - depth * 0.95 - aside.min(1.6) * 0.20;
            canvas.set(
                x,
                y,
                ramp(&[NIGHT, NIGHT, DUSK, DUSK, VIOLET, VIOLET, ROSE, CORAL, PEACH], t, x, y, 0.9),
            );
        }
    }
    // Swell: strokes that lengthen towards the viewer, warm in the sun's road and cool aside.
    for i in 0..900 {
        let depth = unit(i, 1, 830).powf(1.4);
        let y = HORIZON + 1 + (depth * (H - HORIZON) as f32) as i32;
        let x = pick(i, 2, 830, W as u32) as i32;
        let w = 2 + (depth * 12.0 * unit(i, 3, 830)) as i32;
        let road = 7.0 + depth * 24.0;
        let off = ((x + w / 2 - SUN.0) as f32).abs();
        let colour = if off < road * 1.5 {
            continue;
        } else if pick(i, 4, 830, 3) == 0 {
            if depth < 0.35 { PEACH } else { SLATE }
        } else if depth < 0.3 {
            ROSE
        } else if depth < 0.6 {
            PLUM
        } else {
            TEAL
        };
        canvas.hline(x, y, w, colour);
    }
    for i in 0..520 {
        let depth = unit(i, 5, 830).powf(1.2);
        let y = HORIZON + (depth * (H - HORIZON) as f32) as i32;
        let road = 6.0 + depth * 26.0;
        let spread = (unit(i, 6, 830) + unit(i, 7, 830) - 1.0) * 1.7;
        let w = 2 + (unit(i, 8, 830) * (3.0 + depth * 9.0)) as i32;
        let x = SUN.0 + (spread * road) as i32 - w / 2;
        let colour = match (spread.abs() * 10.0) as i32 {
            0..=4 => CREAM,
            5..=8 => SHELL,
            9..=11 => GOLD,
            _ => CORAL,
        };
        canvas.hline(x, y, w, colour);
    }
    canvas.hline(0, HORIZON, SUN.0 - 24, LILAC);
    canvas.hline(SUN.0 - 24, HORIZON, 48, CREAM);
}

fn sails(canvas: &mut Canvas) {
    for (x, y, s) in [(118, HORIZON + 3, 12), (92, HORIZON + 8, 17), (36, HORIZON + 14, 24)] {
        for dy in 0..s {
            canvas.hline(
                x,
                y - s - 2 + dy,
                dy * 6 / 10 + 1,
                if dy % 5 == 4 { PLUM } else { BRICK },
            );
            canvas.hline(x - dy * 4 / 10 - 1, y - s - 2 + dy, dy * 4 / 10, PLUM);
        }
        canvas.vline(x, y - s - 4, s + 4, INK);
        canvas.rect(x - s / 2, y - 1, s + 2, 2, NIGHT);
        canvas.rect(x - s / 2 + 1, y + 1, s, (s / 8).max(1), NIGHT);
        for r in 0..s / 3 {
            let w = s - r * 2 + pick(r, x, 840, 4) as i32;
            canvas.hline(
                x - w / 2 + pick(r, x, 841, 4) as i32,
                y + 3 + r * 2,
                w.max(1),
                if y < HORIZON + 10 { PLUM } else { NIGHT },
            );
        }
    }
}

/// Near the viewer: the pier with its lanterns on the left, grass and flowers along the bottom.
fn foreground(canvas: &mut Canvas) {
    for x in 0..118 {
        let y = 168 + x / 30;
        canvas.hline(x, y, 1, if x > 20 { CORAL } else { CLAY });
        canvas.rect(x, y + 1, 1, 4, if x % 9 == 0 { INK } else { UMBER });
        canvas.set(x, y + 5, INK);
        if x % 22 < 4 {
            canvas.rect(x, y + 6, 1, 26, if x % 22 == 3 { BRICK } else { INK });
        }
    }
    for x in [24, 90] {
        let y = 168 + x / 30;
        canvas.rect(x, y - 24, 2, 24, INK);
        canvas.rect(x - 3, y - 32, 8, 9, INK);
        canvas.rect(x - 2, y - 31, 6, 7, GOLD);
        canvas.rect(x - 1, y - 30, 3, 4, CREAM);
        canvas.hline(x - 2, y - 33, 6, INK);
        for py in y - 44..y - 12 {
            for px in x - 16..x + 18 {
                let d = (((px - x) as f32).powi(2) + ((py - y + 28) as f32).powi(2)).sqrt();
                if d > 5.0
                    && bayer(px, py) > d / 15.0 + 0.1
                    && !matches!(canvas.get(px, py), INK | GOLD | CREAM)
                {
                    canvas.set(px, py, if d < 9.0 { OCHRE } else { CLAY });
                }
            }
        }
    }
    for x in 0..W {
        let lift = 7.0 * ((x - 150) as f32 / 150.0).powi(2);
        let top = 193.0 - lift - 3.0 * value(x as f32 / 14.0, 5.0, 0, 860);
        let blade = top - 7.0 * unit(x, 1, 861) * value(x as f32 / 5.0, 6.0, 0, 862);
        for y in blade as i32..H {
            canvas.set(x, y, if (y as f32) < top && x % 3 == 0 { PINE } else { INK });
        }
        if x % 5 == 0 {
            canvas.set(x, blade as i32, MOSS);
        }
    }
    for i in 0..26 {
        let x = pick(i, 1, 870, W as u32) as i32;
        let y = 186 - (7.0 * ((x - 150) as f32 / 150.0).powi(2)) as i32 + pick(i, 2, 870, 6) as i32;
        let colour = [ROSE, LILAC, GOLD, BLUSH][pick(i, 3, 870, 4) as usize];
        canvas.vline(x, y, 8, PINE);
        for (dx, dy) in [(0, -1), (-1, 0), (1, 0), (0, 1)] {
            canvas.set(x + dx, y + dy, colour);
        }
        canvas.set(x, y, SHELL);
    }
}
