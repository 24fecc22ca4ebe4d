//! Names above heads, each set once into a canvas of its own: text is far slower to draw
//! than a picture.

use std::collections::BTreeMap;

use super::palette::{FOAM, GOLD, INK, MIST, faded};
use super::surface::{Surface, ignore};

/// The face of names, as the page's fonts name it.
const FACE: &str = "\"Nunito Sans\", sans-serif";
/// Height of the letters in CSS pixels.
const TEXT: f64 = 13.0;
/// Space between text and edge in CSS pixels.
const PADDING: (f64, f64) = (6.0, 3.0);
/// Plates kept; beyond that all are set anew.
const MAX_PLATES: usize = 256;

/// Opacity of the plate behind a name.
const GROUND_OPACITY: f64 = 0.74;

/// Whose name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameOf {
    /// Somebody else's.
    Other,
    /// The player's own.
    Own,
    /// That of somebody who is dead.
    Dead,
}

/// The plates set so far.
#[derive(Debug, Default)]
pub struct Nameplates {
    density: f64,
    plates: BTreeMap<(String, NameOf), Surface>,
}

impl Nameplates {
    /// The plate of a name, for a screen of that density.
    pub fn plate(&mut self, name: &str, of: NameOf, density: f64) -> Option<&Surface> {
        if self.density != density || self.plates.len() >= MAX_PLATES {
            self.density = density;
            self.plates.clear();
        }
        let key = (name.to_owned(), of);
        if !self.plates.contains_key(&key) {
            self.plates.insert(key.clone(), set(name, of, density)?);
        }
        self.plates.get(&key)
    }
}

fn set(name: &str, of: NameOf, density: f64) -> Option<Surface> {
    let font = format!("700 {}px {FACE}", TEXT * density);
    let gauge = Surface::in_memory(1, 1)?;
    gauge.context.set_font(&font);
    let text_width = gauge.context.measure_text(name).ok()?.width();
    let (across, down) = (PADDING.0 * density, PADDING.1 * density);
    let (width, height) =
        ((text_width + 2.0 * across).ceil(), (TEXT * 1.2 * density + 2.0 * down).ceil());
    let surface = Surface::in_memory(width as u32, height as u32)?;
    let context = &surface.context;
    let notch = (2.0 * density).round();
    context.set_fill_style_str(&faded(INK, GROUND_OPACITY));
    context.fill_rect(notch, 0.0, width - 2.0 * notch, height);
    context.fill_rect(0.0, notch, notch, height - 2.0 * notch);
    context.fill_rect(width - notch, notch, notch, height - 2.0 * notch);
    context.set_font(&font);
    context.set_text_baseline("middle");
    context.set_fill_style_str(match of {
        NameOf::Other => FOAM,
        NameOf::Own => GOLD,
        NameOf::Dead => MIST,
    });
    ignore(context.fill_text(name, across, (height / 2.0 + 0.5 * density).round()));
    Some(surface)
}
