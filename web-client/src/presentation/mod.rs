//! What a screen remembers beside the connection: which screen it is, what was said, whose
//! bubble shows, which key does what. Pure, and no evidence of anything: nothing here can
//! make the connection ready, and the connection does not know that it exists.

pub mod bubbles;
pub mod chat_log;
pub mod emote_art;
pub mod keybinds;
pub mod screens;

pub use bubbles::{Bubble, Bubbles};
pub use chat_log::{ChatLine, ChatLog};
pub use keybinds::{Action, Keybinds};
pub use screens::{Menu, Screen, screen_of};
