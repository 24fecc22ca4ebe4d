//! Aether's page: logs in, picks a realm and a character, enters the world and plays.
//!
//! [`connection`] and [`realtime`] are pure: events in, the next state and effects as
//! data out; the clock and ids are arguments. So is [`presentation`], which decides what is
//! shown of them and for how long. They build and are tested on the host.
//! `browser` carries effects out and `ui` shows the state; both exist on `wasm32` alone.

pub mod connection;
pub mod presentation;
pub mod realtime;

#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(target_arch = "wasm32")]
pub mod ui;
