//! What is over heads: words, set once into a canvas of their own as names are, and
//! feelings, as a sign in a bubble of pixels.

use std::collections::BTreeMap;

use shared::realtime::command::Emote;
use web_sys::CanvasRenderingContext2d;

use super::art::Art;
use super::palette::{CREAM, INK};
use super::surface::{Rect, Surface, TILE, ignore};

/// The face of what is said, as the page's fonts name it.
const FACE: &str = "\"Nunito Sans\", sans-serif";
/// Height of the letters in CSS pixels, and of a line.
const TEXT: (f64, f64) = (14.0, 18.0);
/// Space between text and edge in CSS pixels.
const PADDING: (f64, f64) = (10.0, 6.0);
/// A line is at most that wide, in CSS pixels.
const LINE_WIDTH: f64 = 200.0;
/// Lines of one bubble; what is longer can be read in the log.
const MAX_LINES: usize = 4;
/// Bubbles kept; beyond that all are set anew.
const MAX_KEPT: usize = 64;
/// Height of the tail in CSS pixels.
const TAIL: f64 = 6.0;
/// The bubble of a sign, and where the sign goes in it, in art pixels.
pub(super) const SIGN_BUBBLE: Rect = Rect { x: 0.0, y: 0.0, width: 22.0, height: 25.0 };
const SIGN_AT: (f64, f64) = (3.0, 2.0);
/// How long a sign takes to come up, in milliseconds, and how far, in art pixels.
const RISE: (f64, f64) = (120.0, 5.0);

/// What has been said lately, ready to be drawn.
#[derive(Debug, Default)]
pub struct SpeechBubbles {
    density: f64,
    kept: BTreeMap<String, Surface>,
}

impl SpeechBubbles {
    /// The bubble of a text, for a screen of that density.
    pub fn bubble(&mut self, text: &str, density: f64) -> Option<&Surface> {
        if self.density != density || self.kept.len() >= MAX_KEPT {
            self.density = density;
            self.kept.clear();
        }
        if !self.kept.contains_key(text) {
            self.kept.insert(text.to_owned(), set(text, density)?);
        }
        self.kept.get(text)
    }
}

/// Draws the sign of a feeling in the map's space; `x` is its middle and `y` the tip of its
/// tail.
pub fn draw_feeling(
    context: &CanvasRenderingContext2d,
    art: &Art,
    emote: Emote,
    (x, y): (f64, f64),
    age: f64,
    still: bool,
) {
    let rise = if still { 0.0 } else { RISE.1 * (1.0 - (age / RISE.0).min(1.0)) };
    let left = (x - SIGN_BUBBLE.width / 2.0).round();
    let top = (y - SIGN_BUBBLE.height + rise).round();
    art.bubble.draw(context, SIGN_BUBBLE, left, top);
    let from = Rect { x: sign_index(emote) * TILE, y: 0.0, width: TILE, height: TILE };
    art.signs.draw(context, from, left + SIGN_AT.0, top + SIGN_AT.1);
}

fn sign_index(emote: Emote) -> f64 {
    match emote {
        Emote::Wave => 0.0,
        Emote::Laugh => 1.0,
        Emote::Heart => 2.0,
        Emote::Dance => 3.0,
    }
}

fn set(text: &str, density: f64) -> Option<Surface> {
    let font = format!("600 {}px {FACE}", TEXT.0 * density);
    let gauge = Surface::in_memory(1, 1)?;
    gauge.context.set_font(&font);
    let measure =
        |text: &str| gauge.context.measure_text(text).map_or(0.0, |metrics| metrics.width());
    let lines = wrap(text, LINE_WIDTH * density, &measure);
    let widest = lines.iter().map(|line| measure(line)).fold(0.0, f64::max);
    let (across, down) = (PADDING.0 * density, PADDING.1 * density);
    let line_height = TEXT.1 * density;
    let (width, height) =
        ((widest + 2.0 * across).ceil(), (line_height * lines.len() as f64 + 2.0 * down).ceil());
    let tail = (TAIL * density).round();
    let pixel = (2.0 * density).round();
    let surface = Surface::in_memory(width as u32, (height + tail) as u32)?;
    let context = &surface.context;
    for (color, inset) in [(INK, 0.0), (CREAM, pixel)] {
        context.set_fill_style_str(color);
        let (w, h) = (width - 2.0 * inset, height - 2.0 * inset);
        context.fill_rect(inset + pixel, inset, w - 2.0 * pixel, h);
        context.fill_rect(inset, inset + pixel, w, h - 2.0 * pixel);
    }
    draw_tail(context, (width / 2.0).round(), height, tail, pixel);
    context.set_font(&font);
    context.set_text_baseline("middle");
    context.set_fill_style_str(INK);
    for (number, line) in lines.iter().enumerate() {
        let y = down + (number as f64 + 0.5) * line_height + 0.5 * density;
        let x = ((width - measure(line)) / 2.0).round();
        ignore(context.fill_text(line, x, y.round()));
    }
    Some(surface)
}

/// Steps down to a tip, from the lower edge of the bubble.
fn draw_tail(context: &CanvasRenderingContext2d, x: f64, top: f64, tail: f64, pixel: f64) {
    let steps = (tail / pixel).round().max(1.0) as u32;
    for step in 0..=steps {
        let half = f64::from(steps - step) * pixel;
        let y = top - pixel + f64::from(step) * pixel;
        context.set_fill_style_str(INK);
        context.fill_rect(x - half - pixel, y, 2.0 * (half + pixel), pixel);
        if half > 0.0 {
            context.set_fill_style_str(CREAM);
            context.fill_rect(x - half, y, 2.0 * half, pixel);
        }
    }
}

/// Breaks a text into lines of at most `width`, between words where there are any. What is
/// left beyond the last line becomes an ellipsis.
fn wrap(text: &str, width: f64, measure: &impl Fn(&str) -> f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word = word.to_owned();
        loop {
            let last = lines.last_mut().expect("there is a line to begin with");
            let joined = if last.is_empty() { word.clone() } else { format!("{last} {word}") };
            if measure(&joined) <= width {
                *last = joined;
                break;
            }
            if !last.is_empty() {
                lines.push(String::new());
                continue;
            }
            // A word that is wider than a line is broken where it has to be.
            let mut head = String::new();
            let mut letters = word.chars();
            for letter in letters.by_ref() {
                head.push(letter);
                if measure(&head) > width && head.chars().count() > 1 {
                    head.pop();
                    break;
                }
            }
            word = word[head.len()..].to_owned();
            *last = head;
            if word.is_empty() {
                break;
            }
            lines.push(String::new());
        }
    }
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        if let Some(last) = lines.last_mut() {
            while !last.is_empty() && measure(&format!("{last}...")) > width {
                last.pop();
            }
            last.push_str("...");
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let lines = wrap(text, 10.0, &|text: &str| text.chars().count() as f64);
        assert_eq!(lines, expected, "{text:?}");
    }

    #[wasm_bindgen_test]
    fn texts_are_broken_between_words_and_end_with_the_last_line() {
        check("hello", &["hello"]);
        check("hello there you", &["hello", "there you"]);
        check("Donaudampfschiff da", &["Donaudampf", "schiff da"]);
        check("öööööööööööö", &["öööööööööö", "öö"]);
        check(
            "a b c d e f g h i j k l m n o p q r s t u v w x y z",
            &["a b c d e", "f g h i j", "k l m n o", "p q r s..."],
        );
    }
}
