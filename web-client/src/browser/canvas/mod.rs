//! Draws the world: pixel art on Canvas 2D, at a whole-number scale.
//!
//! Everything is drawn in two spaces. *Art pixels* are those of the pictures, 16 to a
//! tile; the context's transform scales them by a whole number of *device pixels* and
//! moves them by one, so no picture is ever resampled. Names are drawn in device pixels.

pub mod actors;
pub mod ambience;
pub mod art;
pub mod bubble;
pub mod camera;
pub mod canopy;
pub mod nameplate;
pub mod painter;
mod palette;
pub mod surface;
pub mod tilemap;

pub use painter::{Frame, Painter};
