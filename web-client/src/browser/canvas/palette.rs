//! The colours of the palette that the canvas itself draws with; the pictures bring the
//! others. The same values as in the page's `palette.css`.

/// Outlines and shade.
pub(super) const INK: &str = "#10142a";
/// Light text, glints.
pub(super) const FOAM: &str = "#dfe9f2";
/// Names of the dead.
pub(super) const MIST: &str = "#9fb0cf";
/// Markers, motes in daylight, bubbles.
pub(super) const CREAM: &str = "#fdf3dc";
/// What is the player's own.
pub(super) const GOLD: &str = "#f6c453";
/// Motes at dusk.
pub(super) const BLUSH: &str = "#f3a9b4";
/// The tint of dusk.
pub(super) const PLUM: &str = "#4a2f5e";
/// Motes below the ground.
pub(super) const LILAC: &str = "#b394d6";
/// Cloud shadows, as red, green, blue.
pub(super) const NIGHT_RGB: [u8; 3] = [0x1b, 0x21, 0x45];
/// The glow of flowers, as red, green, blue.
pub(super) const SHELL_RGB: [u8; 3] = [0xf6, 0xe4, 0xb8];

/// A colour with an opacity from 0 to 1.
pub(super) fn faded(color: &str, opacity: f64) -> String {
    format!("{color}{:02x}", (opacity.clamp(0.0, 1.0) * 255.0).round() as u8)
}
