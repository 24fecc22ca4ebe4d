//! Bubbles above heads, each set once into a canvas of its own.

use std::collections::BTreeMap;

use shared::realtime::command::Emote;

use super::palette::{BLUSH, CREAM, GOLD, INK, PLUM};
use super::surface::{Surface, ignore};
use crate::presentation::Bubble;
use crate::presentation::emote_art::drawing;

/// The face of speech, as the page's fonts name it.
const FACE: &str = "\"Nunito Sans\", sans-serif";
/// Height of the letters in CSS pixels.
const TEXT: f64 = 13.0;
/// Height of a line in CSS pixels.
const LINE: f64 = 17.0;
/// Greatest width of a line in CSS pixels.
const MAX_LINE: f64 = 180.0;
/// Space between text and edge in CSS pixels.
const PADDING: (f64, f64) = (8.0, 5.0);
/// Height of the tail in CSS pixels.
const TAIL: f64 = 6.0;
/// CSS pixels of one pixel of a feeling's picture.
const EMOTE_PIXEL: f64 = 2.0;
/// Bubbles kept; beyond that all are set anew.
const MAX_PLATES: usize = 64;

/// The bubbles set so far.
#[derive(Debug, Default)]
pub(super) struct BubblePlates {
    density: f64,
    plates: BTreeMap<Bubble, Surface>,
}

impl BubblePlates {
    /// The picture of a bubble, tail included, for a screen of that density.
    pub(super) fn plate(&mut self, bubble: &Bubble, density: f64) -> Option<&Surface> {
        if self.density != density || self.plates.len() >= MAX_PLATES {
            self.density = density;
            self.plates.clear();
        }
        if !self.plates.contains_key(bubble) {
            let plate = match bubble {
                Bubble::Speech(text) => speech(text, density)?,
                Bubble::Emote(emote) => feeling(*emote, density)?,
            };
            self.plates.insert(bubble.clone(), plate);
        }
        self.plates.get(bubble)
    }
}

/// Breaks a text into lines by a measure of width; a word that is too long is broken inside.
fn lines_of(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if fits(&joined) {
            *line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(String::new());
        }
        for letter in word.chars() {
            let line = lines.last_mut().expect("there is always a line");
            let longer = format!("{line}{letter}");
            if fits(&longer) || line.is_empty() {
                *line = longer;
            } else {
                lines.push(letter.to_string());
            }
        }
    }
    lines
}

fn speech(text: &str, density: f64) -> Option<Surface> {
    let font = format!("700 {}px {FACE}", TEXT * density);
    let gauge = Surface::in_memory(1, 1)?;
    gauge.context.set_font(&font);
    let width_of =
        |line: &str| gauge.context.measure_text(line).map_or(0.0, |metrics| metrics.width());
    let lines = lines_of(text, |line| width_of(line) <= MAX_LINE * density);
    let text_width = lines.iter().map(|line| width_of(line)).fold(0.0, f64::max);
    let (across, down) = (PADDING.0 * density, PADDING.1 * density);
    let height = lines.len() as f64 * LINE * density + 2.0 * down;
    let surface = plate((text_width + 2.0 * across).ceil(), height.ceil(), density)?;
    let context = &surface.context;
    context.set_font(&font);
    context.set_text_baseline("middle");
    context.set_fill_style_str(INK);
    for (n, line) in lines.iter().enumerate() {
        let y = down + (n as f64 + 0.5) * LINE * density;
        ignore(context.fill_text(line, across, y.round()));
    }
    Some(surface)
}

fn feeling(emote: Emote, density: f64) -> Option<Surface> {
    let rows = drawing(emote);
    let pixel = (EMOTE_PIXEL * density).round().max(1.0);
    let pad = 3.0 * pixel;
    let side = rows.len() as f64 * pixel + 2.0 * pad;
    let surface = plate(side, side, density)?;
    for (y, row) in rows.iter().enumerate() {
        for (x, letter) in row.chars().enumerate() {
            let color = match letter {
                'k' => INK,
                'g' => GOLD,
                'r' => BLUSH,
                'p' => PLUM,
                _ => continue,
            };
            surface.context.set_fill_style_str(color);
            let (x, y) = (pad + x as f64 * pixel, pad + y as f64 * pixel);
            surface.context.fill_rect(x, y, pixel, pixel);
        }
    }
    Some(surface)
}

/// An empty bubble of that size in device pixels, and its tail below.
fn plate(width: f64, height: f64, density: f64) -> Option<Surface> {
    let edge = (2.0 * density).round().max(1.0);
    let tail = (TAIL * density).round();
    let surface = Surface::in_memory(width as u32, (height + tail) as u32)?;
    let context = &surface.context;
    let middle = (width / 2.0).round();
    for (color, inset) in [(INK, 0.0), (CREAM, edge)] {
        context.set_fill_style_str(color);
        context.fill_rect(edge + inset, inset, width - 2.0 * (edge + inset), height - 2.0 * inset);
        context.fill_rect(inset, edge + inset, width - 2.0 * inset, height - 2.0 * (edge + inset));
    }
    // Steps, as everything here is made of pixels.
    let steps = (tail / edge).floor().max(1.0);
    for step in 0..steps as u32 {
        let half = (steps - f64::from(step)) * edge;
        let y = height + f64::from(step) * edge;
        context.set_fill_style_str(INK);
        context.fill_rect(middle - half, y, 2.0 * half, edge);
        context.set_fill_style_str(CREAM);
        let inner = half - edge;
        if inner > 0.0 {
            context.fill_rect(middle - inner, y - edge, 2.0 * inner, edge * 2.0);
        }
    }
    Some(surface)
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn speech_is_broken_between_words_and_inside_one_that_is_too_long() {
        let lines = |text: &str| lines_of(text, |line| line.chars().count() <= 6);
        assert_eq!(lines("a bc def gh"), ["a bc", "def gh"]);
        assert_eq!(lines("abcdefghij k"), ["abcdef", "ghij k"]);
        assert_eq!(lines("hi"), ["hi"]);
    }
}
