//! Moving water: open sea, shallows, the drop between them, and the swash on sand.

use super::canvas::Canvas;
use super::noise::{bayer, hash, pick};
use super::palette::*;
use super::terrain::field;
use super::tileset::TILE;

fn dash(canvas: &mut Canvas, x: i32, y: i32, w: i32, colour: u8, under: u8) {
    canvas.hline(x, y, w, colour);
    canvas.hline(x + 1, y + 1, w - 1, under);
}

pub(crate) fn shallow(variant: u32, t: usize) -> Canvas {
    let seed = variant * 7 + 1;
    let mut canvas = Canvas::from_fn(TILE, TILE, |_, _| TIDE);
    ripples(&mut canvas, seed, t, 3, LAGOON, SEA);
    canvas
}

fn ripples(canvas: &mut Canvas, seed: u32, t: usize, count: i32, light: u8, dark: u8) {
    let swing = [0, 1, 2, 1][t % 4];
    for i in 0..count {
        let x = 1 + pick(i, 5, seed, 7) as i32 + if i % 2 == 0 { swing } else { 2 - swing };
        let y = 1 + i * 5 + pick(i, 6, seed, 3) as i32;
        let w = 3 + ((pick(i, 7, seed, 3) as i32 + t as i32) % 3);
        dash(canvas, x, y, w, light, dark);
    }
}

pub(crate) fn deep(variant: u32, t: usize) -> Canvas {
    let seed = variant * 11 + 2;
    let mut canvas = Canvas::from_fn(TILE, TILE, |_, _| SEA);
    ripples(&mut canvas, seed, t, if variant < 2 { 2 } else { 3 }, TIDE, TEAL);
    // A glint of the low sun that comes and goes.
    if variant == 3 {
        let x = 3 + pick(0, 8, seed, 8) as i32;
        match t {
            1 => canvas.set(x, 6, CREAM),
            2 => {
                canvas.hline(x - 1, 6, 3, CREAM);
                canvas.set(x, 5, SHELL);
                canvas.set(x, 7, LAGOON);
            }
            3 => canvas.set(x, 6, LAGOON),
            _ => {}
        }
    }
    canvas
}

pub(crate) fn drop_off(mask: u8, t: usize) -> Canvas {
    let mut canvas = Canvas::from_fn(TILE, TILE, |x, y| {
        let f = field(mask, x as f32, y as f32, 0.16, 300);
        if f + (bayer(x, y) - 0.5) * 0.26 > 0.5 { TIDE } else { SEA }
    });
    let swing = [0, 1, 2, 1][t % 4];
    for i in 0..2 {
        let (x, y) = (
            2 + pick(i, 9, u32::from(mask), 8) as i32 + swing,
            3 + i * 7 + pick(i, 10, u32::from(mask), 3) as i32,
        );
        let above = field(mask, x as f32, y as f32, 0.16, 300) > 0.5;
        dash(
            &mut canvas,
            x,
            y,
            4,
            if above { LAGOON } else { TIDE },
            if above { SEA } else { TEAL },
        );
    }
    canvas
}

pub(crate) fn shore(mask: u8, t: usize) -> Canvas {
    // The swash runs up and back; the wet band it leaves behind stays.
    let reach = [0.0, 0.05, 0.09, 0.04][t % 4];
    Canvas::from_fn(TILE, TILE, |x, y| {
        let f = field(mask, x as f32, y as f32, 0.19, 200);
        let line = 0.52 + reach;
        if f > 0.80 {
            if hash(x, y, 5).is_multiple_of(70) { DUNE } else { SAND }
        } else if f > 0.74 {
            if bayer(x, y) > 0.5 { SAND } else { DUNE }
        } else if f > line + 0.06 {
            DUNE
        } else if f > line + 0.02 {
            TAN
        } else if f > line - 0.07 {
            FOAM
        } else if f > line - 0.18 {
            if bayer(x, y) + (f - line) > 0.15 { SPRAY } else { LAGOON }
        } else if f > 0.24 - reach || f > 0.14 - reach && bayer(x, y) > 0.5 {
            LAGOON
        } else {
            TIDE
        }
    })
}
