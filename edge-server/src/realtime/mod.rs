//! The realtime endpoint: WebTransport sessions of players, from the QUIC handshake to
//! the Bye.
//!
//! [`endpoint`] lets connections in, [`hello`] reads what they claim, [`session`] serves
//! one, [`commands`] does what its player wants, [`seat`] makes sure that it leaves the world
//! exactly once. What the session asks
//! of the game server stands behind [`session_host::SessionHost`], so that all of it runs
//! in tests over real connections without any store.

pub mod certificate;
pub mod endpoint;
pub mod session_host;

mod commands;
mod control_stream;
mod hello;
mod seat;
mod session;

pub use endpoint::{RealtimeBindError, RealtimeConfig, RealtimeServer};

#[cfg(test)]
mod tests;
