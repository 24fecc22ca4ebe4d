//! The wire contract of Aether: what the page and every server role agree on.
//!
//! Owns ids, coordination records, HTTP bodies, realtime messages with their codec,
//! and the movement rules and map model that client and server both run.
//! Refuses IO, clocks and randomness: everything here is a value or a pure function,
//! and builds for the host and for `wasm32` alike.

pub mod account;
pub mod admin;
pub mod control_plane;
pub mod coordination;
pub mod gameplay;
pub mod ids;
pub mod lifecycle;
pub mod limits;
#[cfg(feature = "openapi")]
mod openapi;
pub mod problem;
pub mod realtime;
pub mod secret;
pub mod version;
pub mod world;
