//! The login scene's right-hand shore: the village on its slope and the lighthouse.

use super::backdrop::W;
use super::canvas::Canvas;
use super::noise::{bayer, pick, ramp, value};
use super::palette::*;

/// Column of the lighthouse.
const TOWER: i32 = 186;

/// The right-hand shore: a rock with the lighthouse, behind it the village on its slope.
pub(crate) fn headland(canvas: &mut Canvas) {
    for x in 160..W {
        let rise = (x - 160) as f32;
        let top = 136.0
            - (rise * 0.9).min(14.0)
            - ((rise - 70.0).max(0.0) * 0.22).min(20.0)
            - 4.0 * value(x as f32 / 8.0, 3.0, 0, 850);
        let foot = 137.0 + rise * 0.09 + 3.0 * value(x as f32 / 6.0, 4.0, 0, 851);
        for y in top as i32..foot as i32 {
            let rim = y - (top as i32) < 1 && x < 260;
            canvas.set(
                x,
                y,
                if rim {
                    ROSE
                } else if bayer(x, y) > 0.9 - (y as f32 - top) / 90.0 {
                    INK
                } else {
                    NIGHT
                },
            );
        }
        if pick(x, 1, 852, 3) > 0 {
            canvas.set(x, foot as i32, if x < 230 { BLUSH } else { SLATE });
        }
    }
    // Houses climb the slope; their windows are lit.
    for (i, (x, y, w, h)) in [
        (212, 119, 15, 9),
        (230, 115, 18, 11),
        (251, 117, 14, 9),
        (266, 109, 19, 12),
        (287, 112, 16, 10),
        (303, 103, 20, 14),
        (238, 127, 16, 9),
        (276, 126, 20, 10),
        (300, 126, 18, 10),
        (256, 129, 14, 8),
    ]
    .into_iter()
    .enumerate()
    {
        let roof = [BRICK, DUSK, PLUM, BRICK][i % 4];
        canvas.rect(x, y, w, h, PLUM);
        canvas.vline(x, y, h, ROSE);
        canvas.vline(x + 1, y, h, BRICK);
        for dy in 0..7 {
            canvas.hline(
                x - 2 + dy,
                y - dy,
                w + 4 - dy * 2,
                if dy % 2 == 0 { roof } else { darker(roof) },
            );
        }
        canvas.line(x - 2, y, x + 4, y - 6, CORAL);
        canvas.rect(x + w - 5, y - 9, 3, 5, INK);
        for wx in (3..w - 3).step_by(5) {
            canvas.rect(
                x + wx,
                y + 2,
                2,
                3,
                if pick(i as i32, wx, 853, 5) == 0 { OCHRE } else { GOLD },
            );
            canvas.set(x + wx, y + 2, SHELL);
        }
    }
    for (x, y, r) in [
        (226, 124, 5.0),
        (263, 124, 6.0),
        (294, 120, 6.0),
        (247, 123, 4.0),
        (316, 119, 7.0),
        (208, 126, 4.0),
    ] {
        canvas.ellipse_with(x as f32, y as f32 - 2.0, r, r, |px, py, u, v| {
            ramp(&[INK, NIGHT, PINE, MOSS], 0.42 - 0.5 * u - 0.4 * v, px, py, 0.6)
        });
        canvas.vline(x, y + r as i32 - 3, 3, INK);
    }
}

/// The tower, its glow and its beams.
pub(crate) fn lighthouse(canvas: &mut Canvas) {
    // The beams, thinning with distance.
    for (direction, reach) in [(-1, 150), (1, 110)] {
        for step in 6..reach {
            let spread = 1.0 + step as f32 * 0.085;
            let x = TOWER + direction * step;
            let middle = 66.0 - step as f32 * 0.10;
            for y in (middle - spread) as i32..=(middle + spread) as i32 {
                let fade = step as f32 / reach as f32;
                let core = 1.0 - (y as f32 - middle).abs() / (spread + 1.0);
                if bayer(x, y) < (1.0 - fade) * core * 0.75 {
                    let lit = match canvas.get(x, y) {
                        NIGHT | DUSK => SLATE,
                        SLATE | VIOLET => LILAC,
                        ROSE | LILAC => BLUSH,
                        other => other,
                    };
                    canvas.set(x, y, if fade < 0.22 { SHELL } else { lit });
                }
            }
        }
    }
    for y in 76..126 {
        let half = 5 + (y - 76) / 12;
        for x in TOWER - half..TOWER + half {
            let u = (x - TOWER) as f32 / half as f32;
            let band = ((y - 76) / 10) % 2 == 1;
            let t = 0.66 - 0.62 * u;
            canvas.set(
                x,
                y,
                if band {
                    ramp(&[UMBER, BRICK, ROSE, CORAL], t, x, y, 0.5)
                } else {
                    ramp(&[PLUM, VIOLET, BLUSH, SHELL], t, x, y, 0.5)
                },
            );
        }
        canvas.set(TOWER - half - 1, y, NIGHT);
        canvas.set(TOWER + half, y, NIGHT);
    }
    for y in [84, 102] {
        canvas.rect(TOWER - 1, y, 2, 4, GOLD);
    }
    canvas.rect(TOWER - 2, 118, 4, 8, INK);
    canvas.rect(TOWER - 8, 73, 16, 3, NIGHT);
    canvas.hline(TOWER - 8, 73, 16, ROSE);
    canvas.rect(TOWER - 5, 60, 10, 13, INK);
    canvas.rect(TOWER - 4, 61, 8, 12, GOLD);
    canvas.ellipse(TOWER as f32, 66.5, 3.2, 4.5, CREAM);
    for x in [TOWER - 4, TOWER - 1, TOWER + 3] {
        canvas.vline(x, 60, 13, BARK);
    }
    canvas.hline(TOWER - 8, 69, 16, NIGHT);
    for dy in 0..7 {
        canvas.hline(TOWER - 6 + dy, 59 - dy, 12 - dy * 2, BRICK);
        canvas.hline(TOWER - 6 + dy, 59 - dy, 2, CORAL);
    }
    canvas.vline(TOWER, 49, 5, INK);
    for y in 46..88 {
        for x in TOWER - 24..TOWER + 24 {
            let d = (((x - TOWER) as f32).powi(2) + ((y - 66) as f32 * 1.1).powi(2)).sqrt();
            if bayer(x, y) > d / 22.0 + 0.12
                && matches!(canvas.get(x, y), NIGHT | DUSK | VIOLET | ROSE | SLATE)
            {
                canvas.set(
                    x,
                    y,
                    if d < 9.0 {
                        GOLD
                    } else if d < 14.0 {
                        PEACH
                    } else {
                        CORAL
                    },
                );
            }
        }
    }
}
