//! Small furniture of the village: fences, barrels, crates, lanterns, benches, signs.

use super::canvas::Canvas;
use super::noise::bayer;
use super::palette::*;
use super::tileset::TILE;

/// A fence tile that reaches towards its neighbours (bits: 1 up, 2 right, 4 down, 8 left).
pub(crate) fn fence(links: u8) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    if links & 1 != 0 {
        rail_down(&mut canvas, 0, 6);
    }
    if links & 4 != 0 {
        rail_down(&mut canvas, 8, TILE);
    }
    for (on, x0, x1) in [(links & 8 != 0, 0, 8), (links & 2 != 0, 8, 16)] {
        if on {
            for y in [5, 10] {
                canvas.rect(x0, y, x1 - x0, 2, TAN);
                canvas.hline(x0, y, x1 - x0, SAND);
                canvas.hline(x0, y + 2, x1 - x0, UMBER);
            }
            canvas.rect(x0, 14, x1 - x0, 1, SHADE);
        }
    }
    picket(&mut canvas, 7, 1);
    canvas.rect(9, 14, 3, 1, SHADE);
    canvas
}

fn picket(canvas: &mut Canvas, x: i32, top: i32) {
    canvas.rect(x - 1, top, 4, 13 - (top - 1), UMBER);
    canvas.rect(x, top, 2, 13 - top, DUNE);
    canvas.vline(x, top, 13 - top, SAND);
    canvas.vline(x + 1, top + 1, 12 - top, TAN);
    canvas.set(x - 1, top, CLEAR);
    canvas.set(x + 2, top, CLEAR);
    canvas.set(x, top, CREAM);
}

fn rail_down(canvas: &mut Canvas, y0: i32, y1: i32) {
    canvas.rect(6, y0, 1, y1 - y0, UMBER);
    canvas.rect(7, y0, 1, y1 - y0, SAND);
    canvas.rect(8, y0, 1, y1 - y0, TAN);
    canvas.rect(9, y0, 1, y1 - y0, UMBER);
    canvas.rect(10, y0, 2, y1 - y0, SHADE);
}

/// A barrel standing on its end.
pub(crate) fn barrel(open: bool) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    for y in 4..14 {
        let bulge = [0, 1, 1, 1, 1, 1, 1, 1, 1, 0][(y - 4) as usize];
        for x in 3 - bulge..13 + bulge {
            let u = (x as f32 - 7.5) / 6.5;
            let colour = if y == 6 || y == 11 {
                if u < -0.3 { MIST } else { SLATE }
            } else if u < -0.55 {
                TAN
            } else if u < -0.25 {
                DUNE
            } else if u < 0.35 {
                TAN
            } else {
                WOOD
            };
            canvas.set(x, y, if (x % 4 == 0) && y != 6 && y != 11 { WOOD } else { colour });
        }
    }
    canvas.ellipse(8.0, 4.2, 5.2, 2.6, if open { UMBER } else { DUNE });
    canvas.hline(5, 3, 5, if open { TEAL } else { SAND });
    if open {
        canvas.ellipse(8.0, 4.4, 4.0, 1.7, SEA);
        canvas.hline(5, 4, 3, LAGOON);
    } else {
        canvas.hline(4, 5, 8, WOOD);
    }
    canvas.outline(INK);
    canvas.shadow(9.0, 13.6, 7.0, 2.4);
    canvas
}

/// A crate of boards.
pub(crate) fn krate() -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    canvas.rect(2, 2, 12, 4, DUNE);
    canvas.hline(2, 2, 12, SAND);
    for x in [5, 9] {
        canvas.vline(x, 2, 4, TAN);
    }
    canvas.rect(2, 6, 12, 8, TAN);
    canvas.rect(4, 8, 8, 4, WOOD);
    canvas.line(4, 11, 11, 8, DUNE);
    canvas.line(4, 12, 11, 9, BARK);
    canvas.hline(2, 6, 12, SAND);
    canvas.vline(13, 6, 8, WOOD);
    canvas.hline(2, 13, 12, BARK);
    canvas.outline(INK);
    canvas.shadow(9.5, 13.5, 6.8, 2.2);
    canvas
}

/// A lantern on a post: 1×2 tiles; the flame flickers.
pub(crate) fn lantern(frame: usize) -> Canvas {
    let mut canvas = Canvas::new(TILE, 2 * TILE);
    canvas.rect(7, 12, 2, 17, SLATE);
    canvas.vline(8, 12, 17, DUSK);
    canvas.rect(6, 27, 4, 2, SLATE);
    canvas.rect(5, 29, 6, 1, DUSK);
    canvas.hline(5, 3, 6, SLATE);
    canvas.hline(6, 2, 4, SLATE);
    canvas.hline(7, 1, 2, MIST);
    canvas.rect(5, 4, 6, 7, GOLD);
    canvas.rect(6, 5, 3, 5, [CREAM, SHELL, CREAM, GOLD][frame % 4]);
    canvas.set(8, 9, OCHRE);
    canvas.vline(10, 4, 7, OCHRE);
    canvas.hline(4, 11, 8, SLATE);
    canvas.outline(INK);
    for y in 0..18 {
        for x in 0..TILE {
            let (dx, dy) = (x as f32 - 7.5, (y as f32 - 7.0) * 0.9);
            let d = (dx * dx + dy * dy).sqrt();
            let reach = 7.6 + [0.0, 0.5, 0.9, 0.4][frame % 4];
            if canvas.get(x, y) == CLEAR && d < reach && bayer(x, y) > (d - 4.0) / 6.0 {
                canvas.set(x, y, GLOW);
            }
        }
    }
    canvas.shadow(9.0, 30.0, 5.0, 1.8);
    canvas
}

/// A bench facing the viewer: 2×1 tiles.
pub(crate) fn bench() -> Canvas {
    let mut canvas = Canvas::new(2 * TILE, TILE);
    for (y, light) in [(3, SAND), (6, DUNE)] {
        canvas.rect(3, y, 26, 2, TAN);
        canvas.hline(3, y, 26, light);
    }
    canvas.rect(2, 9, 28, 3, TAN);
    canvas.hline(2, 9, 28, SAND);
    canvas.hline(2, 11, 28, WOOD);
    for x in [4, 26] {
        canvas.rect(x, 2, 2, 13, SLATE);
        canvas.vline(x + 1, 2, 13, DUSK);
    }
    canvas.outline(INK);
    canvas.shadow(17.0, 14.0, 14.0, 2.0);
    canvas
}

/// A wooden sign with an arrow that points east (or none).
pub(crate) fn sign(arrow: bool) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    canvas.rect(7, 8, 3, 7, WOOD);
    canvas.vline(9, 8, 7, BARK);
    canvas.rect(1, 2, 13, 7, TAN);
    canvas.hline(1, 2, 13, SAND);
    canvas.hline(1, 8, 13, WOOD);
    if arrow {
        canvas.vline(14, 4, 3, TAN);
        canvas.hline(3, 5, 8, UMBER);
        canvas.set(9, 4, UMBER);
        canvas.set(9, 6, UMBER);
        canvas.set(8, 3, UMBER);
        canvas.set(8, 7, UMBER);
    } else {
        canvas.hline(3, 4, 8, UMBER);
        canvas.hline(3, 6, 6, UMBER);
    }
    canvas.outline(INK);
    canvas.shadow(9.5, 14.8, 4.5, 1.4);
    canvas
}

/// A board with a skull: what lies behind it kills.
pub(crate) fn warning() -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    canvas.rect(7, 10, 3, 5, WOOD);
    canvas.vline(9, 10, 5, BARK);
    canvas.rect(1, 1, 14, 10, BRICK);
    canvas.hline(1, 1, 14, CLAY);
    canvas.hline(1, 10, 14, UMBER);
    canvas.rect(5, 2, 6, 5, CREAM);
    canvas.rect(4, 3, 8, 3, CREAM);
    canvas.rect(6, 7, 4, 2, CHALK);
    for x in [5, 9] {
        canvas.rect(x, 4, 2, 2, INK);
    }
    canvas.hline(7, 6, 2, INK);
    canvas.set(7, 8, INK);
    canvas.set(9, 8, INK);
    canvas.outline(INK);
    canvas.shadow(9.5, 14.8, 4.5, 1.4);
    canvas
}

/// A pot with a plant in it.
pub(crate) fn pot(colour: u8) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    canvas.rect(4, 8, 8, 6, CLAY);
    canvas.rect(3, 7, 10, 2, EMBER);
    canvas.vline(4, 9, 5, EMBER);
    canvas.vline(11, 9, 5, BRICK);
    canvas.hline(5, 13, 6, BRICK);
    canvas.ellipse(8.0, 4.5, 5.4, 3.6, LEAF);
    canvas.ellipse(6.5, 3.5, 3.0, 2.0, LIME);
    for (x, y) in [(4, 4), (8, 2), (11, 5), (7, 6)] {
        canvas.rect(x, y, 2, 2, colour);
        canvas.set(x, y, CREAM);
    }
    canvas.outline(INK);
    canvas.shadow(9.0, 13.8, 6.0, 1.8);
    canvas
}

/// Firewood stacked by a wall.
pub(crate) fn woodpile() -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    for (row, (y, n)) in [(11, 4), (7, 3), (4, 2)].into_iter().enumerate() {
        for i in 0..n {
            let x = 2.2 + row as f32 * 1.8 + i as f32 * 3.7;
            canvas.ellipse(x, y as f32 + 0.5, 2.1, 2.1, BARK);
            canvas.ellipse(x, y as f32 + 0.3, 1.5, 1.5, DUNE);
            canvas.set(x as i32, y, TAN);
        }
    }
    canvas.outline(INK);
    canvas.shadow(9.0, 13.8, 7.0, 1.6);
    canvas
}

/// A net hung to dry with glass floats: 2×2 tiles.
pub(crate) fn nets() -> Canvas {
    let mut canvas = Canvas::new(2 * TILE, 2 * TILE);
    for y in 6..25 {
        for x in 4..28 {
            let sag = 6 + ((x - 16) * (x - 16)) / -60 + 4;
            if y >= sag && ((x + y) % 4 == 0 || (x - y + 64) % 4 == 0) {
                canvas.set(x, y, if y < 14 { SAND } else { TAN });
            }
        }
    }
    for (x, y) in [(7, 22), (14, 25), (21, 22), (26, 17)] {
        canvas.rect(x, y, 3, 3, TIDE);
        canvas.set(x, y, SPRAY);
        canvas.set(x + 2, y + 2, TEAL);
    }
    for x in [2, 28] {
        canvas.rect(x, 3, 2, 27, WOOD);
        canvas.vline(x + 1, 3, 27, BARK);
    }
    canvas.rect(2, 4, 28, 2, TAN);
    canvas.hline(2, 5, 28, BARK);
    canvas.outline(UMBER);
    canvas.shadow(17.0, 30.0, 14.0, 1.8);
    canvas
}

/// Odds and ends of the beach: 0 shell, 1 starfish, 2 driftwood, 3 pebbles.
pub(crate) fn flotsam(kind: u32) -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    match kind {
        0 => {
            canvas.rect(6, 7, 4, 3, BLUSH);
            canvas.hline(7, 6, 2, CREAM);
            canvas.hline(6, 10, 4, ROSE);
            canvas.vline(7, 7, 3, CREAM);
            canvas.hline(6, 11, 5, DUNE);
        }
        1 => {
            for (x, y) in [
                (7, 4),
                (7, 5),
                (7, 6),
                (4, 7),
                (5, 7),
                (6, 7),
                (7, 7),
                (8, 7),
                (9, 7),
                (10, 7),
                (6, 8),
                (7, 8),
                (8, 8),
                (5, 9),
                (9, 9),
                (5, 10),
                (9, 10),
            ] {
                canvas.set(x, y, CORAL);
                canvas.set(
                    x + 1,
                    y + 1,
                    if canvas.get(x + 1, y + 1) == CLEAR { TAN } else { CORAL },
                );
            }
            canvas.set(7, 7, PEACH);
        }
        2 => {
            canvas.rect(2, 8, 12, 2, PEBBLE);
            canvas.hline(2, 7, 10, CHALK);
            canvas.hline(3, 10, 12, TAN);
            canvas.line(9, 7, 12, 4, PEBBLE);
            canvas.set(13, 8, STONE);
        }
        _ => {
            for (x, y, c) in [(3, 6, PEBBLE), (8, 9, STONE), (11, 5, CHALK), (5, 11, PEBBLE)] {
                canvas.rect(x, y, 3, 2, c);
                canvas.hline(x, y + 2, 3, TAN);
                canvas.set(x, y, CREAM);
            }
        }
    }
    canvas
}

/// Lily pads for still water.
pub(crate) fn lilies() -> Canvas {
    let mut canvas = Canvas::new(TILE, TILE);
    for (x, y) in [(4.5, 5.0), (11.0, 10.5)] {
        canvas.ellipse(x, y + 0.6, 3.6, 2.7, TEAL);
        canvas.ellipse(x, y, 3.4, 2.4, FERN);
        canvas.ellipse(x - 0.5, y - 0.5, 2.2, 1.3, LEAF);
        canvas.line(x as i32, y as i32, x as i32 + 3, y as i32 - 1, SEA);
    }
    canvas.rect(3, 3, 3, 2, BLUSH);
    canvas.set(4, 2, CREAM);
    canvas.set(4, 3, CREAM);
    canvas
}
