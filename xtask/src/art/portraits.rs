//! Head-and-shoulders portraits, enlarged from the figures and given finer eyes.
//!
//! `portraits.png`: 32×32 each, one row, in the order of [`LOOKS`].

use super::canvas::Canvas;
use super::characters::{View, figure};
use super::looks::{LOOKS, Look};
use super::noise::bayer;
use super::palette::*;

/// Side of a portrait.
pub(crate) const PORTRAIT: i32 = 32;

/// One pass of the classic corner-following enlargement: twice the size, still hard pixels.
pub(crate) fn enlarge(art: &Canvas) -> Canvas {
    Canvas::from_fn(art.w * 2, art.h * 2, |x, y| {
        let (sx, sy) = (x / 2, y / 2);
        let (a, b, c, d) =
            (art.get(sx, sy - 1), art.get(sx + 1, sy), art.get(sx - 1, sy), art.get(sx, sy + 1));
        let here = art.get(sx, sy);
        match (x % 2, y % 2) {
            (0, 0) if c == a && c != d && a != b => a,
            (1, 0) if a == b && a != c && b != d => b,
            (0, 1) if d == c && d != b && c != a => c,
            (1, 1) if b == d && b != a && d != c => d,
            _ => here,
        }
    })
}

/// All portraits in one row.
pub(crate) fn portraits() -> Canvas {
    let mut row = Canvas::new(PORTRAIT * LOOKS.len() as i32, PORTRAIT);
    for (i, look) in LOOKS.iter().enumerate() {
        row.blit(&portrait(look), i as i32 * PORTRAIT, 0);
    }
    row
}

fn portrait(look: &Look) -> Canvas {
    let mut canvas = Canvas::from_fn(PORTRAIT, PORTRAIT, |x, y| {
        let (dx, dy) = (x as f32 - 11.0, y as f32 - 9.0);
        let d = (dx * dx + dy * dy).sqrt() / 26.0;
        if d + (bayer(x, y) - 0.5) * 0.35 < 0.55 { look.backdrop[0] } else { look.backdrop[1] }
    });
    let figure = figure(look, View::Front, 0);
    let bust = enlarge(&figure.crop(0, 0, 16, 16));
    for y in 0..PORTRAIT {
        for x in 0..PORTRAIT {
            let colour = bust.get(x, y);
            if colour != CLEAR && colour != SHADE {
                canvas.set(x, y, colour);
            }
        }
    }
    // Eyes with a catch light, brows and a mouth: what twice the size has room for.
    for x in [10, 20] {
        canvas.rect(x, 16, 2, 4, INK);
        canvas.set(x, 16, CREAM);
        canvas.set(x + 1, 19, darker(look.skin[1]));
        if look.glasses {
            canvas.hline(x - 1, 14, 4, OCHRE);
            canvas.hline(x - 1, 21, 4, OCHRE);
            canvas.vline(x - 2, 15, 6, OCHRE);
            canvas.vline(x + 3, 15, 6, OCHRE);
            canvas.hline(14, 17, 4, OCHRE);
        }
    }
    if !matches!(look.name, "smith" | "hermit") {
        canvas.hline(15, 21, 3, look.skin[1]);
        canvas.hline(14, 22, 4, darker(look.skin[1]));
    }
    canvas.set(16, 19, look.skin[1]);
    canvas.set(16, 20, look.skin[1]);
    canvas
}
