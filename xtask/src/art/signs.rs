//! Small signs for the page and for over the heads: feelings, chat, flower, and the bubble
//! that holds them.

use super::canvas::Canvas;
use super::palette::*;

/// Side of a sign.
const SIDE: i32 = 16;

const HAND: [&str; 14] = [
    "....S.S.S.....",
    "....S.S.S.S...",
    "....S.S.S.S...",
    "....S.S.S.S...",
    "....SSSSSSS...",
    "S...SSSSSSS...",
    "SS..SSSSSST...",
    ".SSSSSSSSST...",
    "..SSSSSSSTT...",
    "...SSSSSSTT...",
    "...SSSSSTT....",
    "....SSSSTT....",
    "....BBBBBB....",
    "....BBBBBA....",
];

const HEART: [&str; 11] = [
    "..RRR..RRR..",
    ".RHHRRRRRRR.",
    "RHHRRRRRRRRD",
    "RHRRRRRRRRRD",
    "RRRRRRRRRRRD",
    "RRRRRRRRRRDD",
    ".RRRRRRRRDD.",
    "..RRRRRRDD..",
    "...RRRRDD...",
    "....RRDD....",
    ".....DD.....",
];

const NOTES: [&str; 12] = [
    ".....VVVVVVV",
    "....VVVVVVVV",
    "....VV....VV",
    "....VV....VV",
    "....LV....LV",
    "....LV....LV",
    "....LV....LV",
    "..VVLV..VVLV",
    ".VLLVV.VLLVV",
    "VLLVVVVLLVVV",
    "VVVVV.VVVVV.",
    ".VVV...VVV..",
];

const FACE_EYES: [&str; 3] = [".N....N.", "N.N..N.N", "........"];
const FACE_MOUTH: [&str; 4] = ["NNNNNN", "NCCCCN", ".NRRN.", "..NN.."];

const SPEECH: [&str; 11] = [
    ".CCCCCCCCCC.",
    "CCCCCCCCCCCC",
    "CCCCCCCCCCCC",
    "CCNNCNNCNNCM",
    "CCNNCNNCNNCM",
    "CCCCCCCCCCCM",
    "CCCCCCCCCCMM",
    ".CCCCCCCMMM.",
    "..CCM.......",
    "..CM........",
    "..M.........",
];

const SKULL: [&str; 11] = [
    "...CCCCCC...",
    "..CCCCCCCC..",
    ".CCCCCCCCCM.",
    ".CNNCCCCNNM.",
    ".CNNNCCNNNM.",
    ".CNNCCCCNNM.",
    ".CCCCNNCCCM.",
    "..CCCCCCCM..",
    "...CNCNCM...",
    "...CNCNCM...",
    "....CCCM....",
];

const KEY: [(char, u8); 14] = [
    ('S', PEACH),
    ('T', TAWNY),
    ('B', AZURE),
    ('A', DUSK),
    ('R', ROSE),
    ('H', BLUSH),
    ('D', BRICK),
    ('V', VIOLET),
    ('L', LILAC),
    ('N', INK),
    ('C', CREAM),
    ('M', MIST),
    ('G', GOLD),
    ('O', OCHRE),
];

fn sign(rows: &[&str]) -> Canvas {
    let drawn = Canvas::from_art(rows, &KEY);
    let mut sign = Canvas::new(SIDE, SIDE);
    sign.blit(&drawn, (SIDE - drawn.w) / 2, (SIDE - drawn.h) / 2);
    sign.outline(INK);
    sign
}

fn laugh() -> Canvas {
    let mut face = Canvas::new(SIDE, SIDE);
    face.ellipse_with(8.0, 8.0, 6.6, 6.6, |_, _, u, v| match u + v {
        sum if sum < -0.7 => SHELL,
        sum if sum > 0.75 => OCHRE,
        _ => GOLD,
    });
    face.blit(&Canvas::from_art(&FACE_EYES, &KEY), 4, 5);
    face.blit(&Canvas::from_art(&FACE_MOUTH, &KEY), 5, 9);
    face.outline(INK);
    face
}

fn flower() -> Canvas {
    let mut flower = Canvas::new(SIDE, SIDE);
    flower.vline(8, 9, 5, MOSS);
    flower.vline(7, 10, 4, LEAF);
    flower.hline(4, 11, 3, LEAF);
    flower.hline(9, 12, 3, FERN);
    for (x, y) in [(8.0, 3.4), (10.9, 5.6), (9.8, 8.9), (6.2, 8.9), (5.1, 5.6)] {
        flower.ellipse_with(x, y, 2.3, 2.3, |_, _, u, v| if u + v < -0.3 { CREAM } else { BLUSH });
    }
    flower.ellipse(8.0, 6.5, 1.9, 1.9, GOLD);
    flower.outline(INK);
    flower
}

/// Signs of 16×16 in a row: wave, laugh, heart, dance, chat, flower, skull.
pub(crate) fn signs() -> Canvas {
    let signs =
        [sign(&HAND), laugh(), sign(&HEART), sign(&NOTES), sign(&SPEECH), flower(), sign(&SKULL)];
    let mut sheet = Canvas::new(SIDE * signs.len() as i32, SIDE);
    for (place, sign) in (0..).zip(&signs) {
        sheet.blit(sign, place * SIDE, 0);
    }
    sheet
}

/// The bubble over a head, with its tail below the middle. 22×25; a sign goes to 3,2.
pub(crate) fn bubble() -> Canvas {
    let mut bubble = Canvas::new(22, 25);
    bubble.rect(2, 1, 18, 19, CREAM);
    bubble.rect(1, 2, 20, 17, CREAM);
    bubble.hline(2, 19, 18, CHALK);
    for (y, half) in [(20, 3), (21, 2), (22, 1)] {
        bubble.rect(11 - half, y, half * 2, 1, CREAM);
    }
    bubble.outline(INK);
    bubble
}

/// What a picked flower leaves: its stem. 16×16.
pub(crate) fn stem() -> Canvas {
    let mut stem = Canvas::new(SIDE, SIDE);
    stem.vline(8, 10, 4, MOSS);
    stem.vline(7, 11, 3, FERN);
    stem.hline(4, 12, 3, FERN);
    stem.set(3, 11, LEAF);
    stem.hline(9, 12, 3, MOSS);
    stem.set(12, 11, FERN);
    stem.outline(PINE);
    let mut cell = Canvas::new(SIDE, SIDE);
    cell.shadow(8.0, 14.2, 3.5, 1.3);
    for y in 0..SIDE {
        for x in 0..SIDE {
            if stem.get(x, y) != CLEAR {
                cell.set(x, y, stem.get(x, y));
            }
        }
    }
    cell
}
