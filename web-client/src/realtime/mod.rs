//! The realtime session as the page lives it: one handle's transport, the authoritative
//! world that arrives over it, and what the page does ahead of the server's answer.
//!
//! Pure like [`connection`](crate::connection): the browser's WebTransport reports events
//! and carries out actions; `now` is always an argument, in milliseconds of the page's
//! monotonic clock.

pub mod endpoint;
pub mod fixed_step;
pub mod handle;
pub mod interpolation;
pub mod notice;
pub mod prediction;
pub mod projection;
pub mod reconnect;
pub mod reconnect_journal;
pub mod transport;
pub mod transport_event;
pub mod walk;

#[cfg(test)]
mod reconnect_tests;
#[cfg(test)]
mod transport_tests;

pub use handle::{RealtimeGeneration, RealtimeSessionHandle};
pub use prediction::Prediction;
pub use projection::WorldProjection;
pub use transport::{TransportAction, TransportEvent, TransportState};
