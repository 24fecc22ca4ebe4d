//! The pictures of feelings, small enough to be written down.

use shared::realtime::command::Emote;

/// Pixels of a picture along either side.
pub const SIDE: usize = 11;

/// A feeling as a picture: `.` nothing, `k` ink, `g` gold, `r` red, `p` plum.
#[must_use]
pub fn drawing(emote: Emote) -> [&'static str; SIDE] {
    match emote {
        Emote::Wave => [
            "....kk.....",
            ".kk.kgk.kk.",
            ".kgkkgkkgk.",
            ".kgkkgkkgk.",
            "..kgggggk.k",
            "kk.kgggggkk",
            "kgkkgggggk.",
            ".kggggggk..",
            "..kgggggk..",
            "...kgggk...",
            "....kkk....",
        ],
        Emote::Laugh => [
            "...kkkkk...",
            "..kgggggk..",
            ".kgggggggk.",
            "kggkggkgggk",
            "kgkgkkgkggk",
            "kgggggggggk",
            "kgkkkkkkkgk",
            "kggkrrrkggk",
            ".kggkkkggk.",
            "..kgggggk..",
            "...kkkkk...",
        ],
        Emote::Heart => [
            "...........",
            ".kkk...kkk.",
            "krrrk.krrrk",
            "krrrrkrrrrk",
            "krrrrrrrrrk",
            "krrrrrrrrrk",
            ".krrrrrrrk.",
            "..krrrrrk..",
            "...krrrk...",
            "....krk....",
            ".....k.....",
        ],
        Emote::Dance => [
            ".....kkkkk.",
            ".....kpppk.",
            ".....kkkpk.",
            ".....k.kpk.",
            ".....k.kpk.",
            ".....k.kpk.",
            ".kkk.k.kpk.",
            "kpppkk.kkk.",
            "kpppk.kpppk",
            ".kkk..kpppk",
            ".......kkk.",
        ],
    }
}

/// The runs of one letter in a row of a picture: where each begins, how long it is, which.
#[must_use]
pub fn runs(row: &str) -> Vec<(usize, usize, char)> {
    let mut runs: Vec<(usize, usize, char)> = Vec::new();
    for (x, letter) in row.chars().enumerate().filter(|(_, letter)| *letter != '.') {
        match runs.last_mut() {
            Some((from, length, last)) if *last == letter && *from + *length == x => *length += 1,
            _ => runs.push((x, 1, letter)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feeling_has_a_square_picture_in_known_colours() {
        for emote in Emote::ALL {
            for row in drawing(emote) {
                assert_eq!(row.chars().count(), SIDE, "{emote:?}");
                assert!(row.chars().all(|letter| ".kgrp".contains(letter)), "{emote:?}");
            }
        }
    }

    #[test]
    fn runs_cover_a_row_and_nothing_else() {
        assert_eq!(runs(".kkg..g"), [(1, 2, 'k'), (3, 1, 'g'), (6, 1, 'g')]);
        assert!(runs("...").is_empty());
    }
}
