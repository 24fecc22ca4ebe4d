//! What the page shows and for how long: chat, bubbles, keys, measurements, and which
//! screen is up. Pure like [`connection`](crate::connection): the moment is an argument.
//!
//! Nothing here holds a part of the connection, and the connection reads nothing from
//! here: what is shown is no evidence of a login or of a world.

pub mod bubbles;
pub mod chat_log;
pub mod exits;
pub mod flowers;
pub mod key_names;
pub mod keybinds;
pub mod over_world;
pub mod progress;
pub mod screen;
pub mod telemetry;
pub mod wording;

pub use bubbles::Bubbles;
pub use chat_log::ChatLog;
pub use keybinds::{Action, Keybinds};
pub use screen::{Menu, Screen, screen_of};
pub use telemetry::Telemetry;
