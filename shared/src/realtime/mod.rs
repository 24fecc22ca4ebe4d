//! The realtime session: one bidirectional control stream that the client opens, and
//! datagrams both ways.
//!
//! The stream carries length-prefixed frames of [`message::ClientMessage`] and
//! [`message::ServerMessage`]; datagrams carry [`message::InputPacket`] up and
//! [`snapshot::Snapshot`] down. A datagram may be lost, doubled or late; a frame may not.

pub mod codec;
pub mod command;
pub mod message;
pub mod snapshot;

/// Path of the realtime endpoint; every other one is refused.
pub const REALTIME_PATH: &str = "/realtime";
