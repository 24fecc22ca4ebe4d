//! The walking figures: 8 appearances × 4 directions × 4 frames.
//!
//! `characters.png`: an appearance is a band of four rows (down, left, right, up) of four frames
//! (stand, step left, stand, step right), each 16×24 pixels; bands are in the order of [`LOOKS`].

use super::canvas::Canvas;
use super::looks::{Dress, LOOKS, Look};
use super::palette::*;

pub(crate) const FRAME_W: i32 = 16;
pub(crate) const FRAME_H: i32 = 24;

/// The side a figure is seen from; facing right is facing left mirrored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Front,
    Side,
    Back,
}

const FACE: [&str; 9] = [
    "....ssssssss....",
    "...ssssssssss...",
    "...ssssssssss...",
    "...ssssssssss...",
    "...ssssssssss...",
    "..dsskssssksdd..",
    "...sskssssksd...",
    "...sbssssssbd...",
    "....ssssssdd....",
];

const PROFILE: [&str; 9] = [
    "....ssssssss....",
    "...ssssssssss...",
    "...ssssssssss...",
    "...ssssssssss...",
    "...ssssssssss...",
    "..sskssssdsss...",
    "...sksssssdss...",
    "...sbsssssss....",
    "....ssssssd.....",
];

/// The whole sheet of figures.
pub(crate) fn sheet() -> Canvas {
    let mut sheet = Canvas::new(FRAME_W * 4, FRAME_H * 4 * LOOKS.len() as i32);
    for (band, look) in LOOKS.iter().enumerate() {
        for (row, view) in [(0, View::Front), (1, View::Side), (3, View::Back)] {
            for step in 0..4 {
                let figure = figure(look, view, step);
                let y = (band as i32 * 4 + row) * FRAME_H;
                sheet.blit(&figure, step * FRAME_W, y);
                if view == View::Side {
                    sheet.blit(&figure.mirrored(), step * FRAME_W, y + FRAME_H);
                }
            }
        }
    }
    sheet
}

/// One frame of a figure, with its shadow.
pub(crate) fn figure(look: &Look, view: View, step: i32) -> Canvas {
    let mut body = Canvas::new(FRAME_W, FRAME_H);
    // Bodies rise by a pixel in mid-stride.
    let lift = i32::from(step % 2 == 1);
    let swing = [0, 1, 0, -1][step as usize];
    if let (Some(pack), View::Front) = (look.pack, view) {
        pack_behind(&mut body, pack, lift);
    }
    if let (Some(cloak), true) = (look.cloak, view != View::Back) {
        drape(&mut body, cloak, view, lift);
    }
    legs(&mut body, look, view, swing);
    torso(&mut body, look, view, lift, swing);
    if let (Some(cloak), View::Back) = (look.cloak, view) {
        drape(&mut body, cloak, view, lift);
    }
    if let (Some(pack), View::Side | View::Back) = (look.pack, view) {
        pack_on(&mut body, pack, view, lift);
    }
    head(&mut body, look, view, lift);
    if look.staff {
        staff(&mut body, view, lift);
    }
    body.outline(INK);
    let mut canvas = Canvas::new(FRAME_W, FRAME_H);
    canvas.shadow(8.0, 22.3, 6.0, 1.9);
    for y in 0..FRAME_H {
        for x in 0..FRAME_W {
            if body.get(x, y) != CLEAR {
                canvas.set(x, y, body.get(x, y));
            }
        }
    }
    canvas
}

fn key(look: &Look) -> [(char, u8); 15] {
    [
        ('h', look.hair[0]),
        ('H', look.hair[1]),
        ('L', look.hair[2]),
        ('t', look.hat[0]),
        ('T', look.hat[1]),
        ('l', look.hat[2]),
        ('a', look.accent[0]),
        ('A', look.accent[1]),
        ('w', CREAM),
        ('g', GOLD),
        ('s', look.skin[0]),
        ('d', look.skin[1]),
        ('k', INK),
        ('b', if look.skin[0] == PEACH { CORAL } else { look.skin[1] }),
        ('c', look.cloth[0]),
    ]
}

fn head(canvas: &mut Canvas, look: &Look, view: View, lift: i32) {
    let key = key(look);
    let face: &[&str] = match view {
        View::Front => &FACE,
        View::Side => &PROFILE,
        View::Back => &[],
    };
    canvas.hline(6, 12 - lift, 4, look.skin[1]);
    canvas.blit(&Canvas::from_art(face, &key), 0, 3 - lift);
    if look.glasses && view == View::Front {
        for x in [5, 10] {
            canvas.set(x - 1, 8 - lift, CREAM);
            canvas.set(x + 1, 8 - lift, CREAM);
            canvas.set(x - 1, 9 - lift, MIST);
            canvas.set(x + 1, 9 - lift, MIST);
            canvas.hline(x - 1, 10 - lift, 3, OCHRE);
        }
        canvas.hline(7, 8 - lift, 2, OCHRE);
    }
    let art = look.heads[view as usize];
    canvas.blit(&Canvas::from_art(art, &key), 0, -lift);
}

fn legs(canvas: &mut Canvas, look: &Look, view: View, swing: i32) {
    let [base, dark] = look.legs;
    let mut leg = |x: i32, raise: i32, far: bool| {
        let colour = if far { dark } else { base };
        canvas.rect(x, 17, 3, 4 - raise, colour);
        canvas.vline(x + 2, 17, 4 - raise, dark);
        canvas.rect(x, 21 - raise, 3, 2, look.boots);
    };
    match view {
        View::Front | View::Back => {
            leg(5, i32::from(swing > 0), false);
            leg(8, i32::from(swing < 0), false);
        }
        View::Side if swing == 0 => {
            leg(7, 0, true);
            leg(6, 0, false);
        }
        View::Side => {
            let near = if swing > 0 { 4 } else { 8 };
            leg(12 - near, 1, true);
            leg(near, 0, false);
            canvas.rect(6, 17, 4, 2, base);
        }
    }
    if look.dress == Dress::Robe {
        let [cloth, shade, light] = look.cloth;
        let (x, w) = if view == View::Side { (5, 7) } else { (4, 8) };
        canvas.rect(x, 16, w, 6, cloth);
        canvas.rect(x + w - 2, 16, 2, 6, shade);
        canvas.vline(x, 17, 5, light);
        canvas.vline(x + 3 + swing, 18, 4, shade);
        canvas.hline(x, 21, w, look.accent[0]);
        canvas.hline(x + w - 2, 21, 2, look.accent[1]);
        if swing != 0 {
            canvas.set(if swing > 0 { x } else { x + w - 1 }, 21, CLEAR);
        }
    }
}

fn torso(canvas: &mut Canvas, look: &Look, view: View, lift: i32, swing: i32) {
    let [cloth, shade, light] = look.cloth;
    let top = 12 - lift;
    let (x, w) = if view == View::Side { (5, 6) } else { (4, 8) };
    for y in top..top + 6 {
        for dx in 0..w {
            let stripe = look.dress == Dress::Stripes && (y - top) % 2 == 1;
            let colour = if stripe {
                look.accent[0]
            } else if dx >= w - 2 {
                shade
            } else if dx == 0 {
                light
            } else {
                cloth
            };
            canvas.set(x + dx, y, colour);
        }
    }
    match look.dress {
        Dress::Bib => {
            let [bib, dark] = look.accent;
            if view == View::Back {
                canvas.line(x + 1, top, x + w - 2, top + 4, dark);
                canvas.line(x + w - 2, top, x + 1, top + 4, dark);
                canvas.rect(x, top + 4, w, 2, bib);
            } else {
                canvas.rect(x + 1, top + 2, w - 2, 7, bib);
                canvas.vline(x + w - 2, top + 2, 7, dark);
                canvas.vline(x + 1, top, 2, bib);
                canvas.vline(x + w - 2, top, 2, dark);
                canvas.hline(x + 3, top + 5, w - 5, dark);
            }
        }
        Dress::Tunic | Dress::Robe => {
            canvas.hline(x, top + 4, w, look.accent[1]);
            if view != View::Back {
                canvas.set(x + w / 2 - 1, top + 4, GOLD);
            }
            if look.dress == Dress::Tunic {
                canvas.hline(x, top + 6, w, shade);
            }
        }
        Dress::Stripes => canvas.hline(x, top + 5, w, look.legs[1]),
    }
    let [sleeve, sleeve_dark] = if look.bare_arms { look.skin } else { [cloth, shade] };
    let mut arm = |x: i32, shift: i32, colour: u8| {
        canvas.rect(x, top + 1, 2, 4 + shift, colour);
        canvas.rect(x, top + 5 + shift, 2, 1, look.skin[0]);
    };
    match view {
        View::Side => {
            arm(7 + swing * 2, 0, if look.bare_arms { look.skin[1] } else { sleeve_dark })
        }
        _ => {
            arm(3, -swing.min(0) - i32::from(swing > 0), sleeve);
            arm(11, swing.max(0) - i32::from(swing < 0), sleeve_dark);
        }
    }
}

fn drape(canvas: &mut Canvas, [base, dark]: [u8; 2], view: View, lift: i32) {
    let top = 11 - lift;
    match view {
        View::Front => {
            canvas.rect(2, top + 2, 12, 8, dark);
            canvas.rect(3, top, 10, 3, base);
            canvas.vline(2, top + 3, 7, base);
        }
        View::Side => {
            canvas.rect(7, top, 5, 10, base);
            canvas.rect(10, top + 3, 3, 7, dark);
        }
        View::Back => {
            canvas.rect(3, top, 10, 9, base);
            canvas.rect(2, top + 3, 12, 6, base);
            for x in [5, 9, 12] {
                canvas.vline(x, top + 3, 6, dark);
            }
            canvas.hline(2, top + 8, 12, dark);
        }
    }
}

fn pack_behind(canvas: &mut Canvas, [base, dark]: [u8; 2], lift: i32) {
    canvas.line(13, 8 - lift, 10, 14 - lift, dark);
    canvas.line(14, 8 - lift, 11, 14 - lift, base);
}

fn pack_on(canvas: &mut Canvas, [base, dark]: [u8; 2], view: View, lift: i32) {
    let (x, y) = if view == View::Side { (10, 12 - lift) } else { (6, 13 - lift) };
    let w = if view == View::Side { 3 } else { 4 };
    canvas.rect(x, y, w, 6, base);
    canvas.hline(x, y, w, darker(base));
    canvas.vline(x + w - 1, y, 6, darker(base));
    canvas.rect(x + 1, y + 2, 1, 2, dark);
    canvas.vline(x + 1, y - 3, 3, dark);
}

fn staff(canvas: &mut Canvas, view: View, lift: i32) {
    let x = match view {
        View::Front => 1,
        View::Side => 2,
        View::Back => 14,
    };
    canvas.vline(x, 6 - lift, 16, WOOD);
    canvas.set(x, 5 - lift, GOLD);
    canvas.set(x, 4 - lift, SHELL);
    if view != View::Back {
        canvas.set(x + 1, 16 - lift, PEACH);
        canvas.set(x, 16 - lift, PEACH);
    }
}
