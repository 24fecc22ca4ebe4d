//! What lies over the world while it is played.

pub mod chat;
pub mod deeds;
pub mod overlays;
