//! Small moving things that make the village lived in: smoke, laundry, gulls.

use super::canvas::Canvas;
use super::palette::*;
use super::tileset::TILE;

/// Smoke that rises from a chimney `x` pixels into its left tile: 2×2 tiles, drawn above the roof.
pub(crate) fn smoke(x: i32, frame: usize) -> Canvas {
    let mut canvas = Canvas::new(2 * TILE, 2 * TILE);
    for puff in 0..4 {
        // Each puff climbs a quarter of the way a frame's cycle, drifting and thinning.
        let age = (puff as f32 + frame as f32 / 4.0) / 4.0;
        let cx = x as f32 + age * age * 9.0;
        let cy = 31.0 - age * 27.0;
        let r = 1.8 + age * 2.6;
        canvas.ellipse_with(cx, cy, r, r * 0.85, |px, py, u, v| {
            if age > 0.55 && (px + py + frame as i32) % 2 == 0 {
                CLEAR
            } else if u + v > 0.55 {
                MIST
            } else if u + v < -0.4 {
                CREAM
            } else {
                FOAM
            }
        });
    }
    canvas
}

/// Laundry on a line between two posts, stirred by the sea wind: 4×2 tiles.
pub(crate) fn laundry(frame: usize) -> Canvas {
    let mut canvas = Canvas::new(4 * TILE, 2 * TILE);
    for x in [3, 58] {
        canvas.rect(x, 3, 3, 26, WOOD);
        canvas.vline(x, 3, 26, TAN);
        canvas.vline(x + 2, 3, 26, BARK);
        canvas.hline(x - 1, 3, 5, TAN);
    }
    let sag = |x: i32| 5 + (3.0 * (1.0 - ((x - 31) as f32 / 27.0).powi(2))) as i32;
    for x in 6..58 {
        canvas.set(x, sag(x), CHALK);
    }
    let wind = [0, 1, 2, 1][frame % 4];
    for (x, w, h, colours) in [
        (9, 10, 13, [CREAM, CHALK, PEBBLE]),
        (21, 7, 9, [CORAL, ROSE, BRICK]),
        (30, 12, 14, [LAGOON, TIDE, SEA]),
        (44, 5, 8, [GOLD, OCHRE, TAN]),
        (50, 5, 8, [GOLD, OCHRE, TAN]),
    ] {
        for dy in 0..h {
            let lean = dy * wind / 9;
            for dx in 0..w {
                let fold = (dx + lean + frame as i32) % 5;
                let tone = if dy == h - 1 || fold == 4 {
                    2
                } else if fold < 2 {
                    0
                } else {
                    1
                };
                canvas.set(x + dx + lean, sag(x + w / 2) + 1 + dy, colours[tone]);
            }
        }
        canvas.set(x + 1, sag(x), UMBER);
        canvas.set(x + w - 2, sag(x + w), UMBER);
    }
    canvas.outline(UMBER);
    canvas.shadow(33.0, 29.5, 27.0, 2.0);
    canvas
}

/// A gull on a post, looking about.
pub(crate) fn gull(frame: usize) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    canvas.rect(6, 10, 4, 5, WOOD);
    canvas.vline(9, 10, 5, BARK);
    canvas.hline(6, 10, 4, DUNE);
    canvas.ellipse(8.0, 7.4, 4.4, 2.6, CREAM);
    canvas.ellipse(9.0, 7.6, 3.6, 1.6, MIST);
    canvas.hline(11, 8, 3, SLATE);
    let turned = frame % 4 == 2;
    canvas.rect(3, 3, 4, 4, CREAM);
    canvas.set(if turned { 6 } else { 4 }, 4, INK);
    if turned {
        canvas.hline(7, 5, 2, OCHRE);
    } else {
        canvas.hline(1, 5, 2, OCHRE);
    }
    canvas.outline(INK);
    canvas.shadow(9.0, 15.0, 4.0, 1.2);
    canvas
}
