//! Decisions. Everything here is a value or a pure function: `now`, ids and secrets are
//! arguments, effects are data. It does no IO, so it cannot fail that way.

pub mod admission;
pub mod allocation;
pub mod authority;
pub mod client_address;
pub mod diagnosis;
pub mod handshake;
pub mod lifecycle;
pub mod names;
pub mod reconcile;
pub mod session_claims;
pub mod session_directory;
