//! Aether's backend. One direction: `http | realtime → flow → pure decision → effects →
//! port → result as the next event`. Only [`compose`] names concrete stores.

mod address_shares;
pub mod clock;
pub mod compose;
pub mod config;
pub mod domain;
pub mod flows;
pub mod game;
pub mod http;
pub mod lease;
pub mod peers;
pub mod realtime;
pub mod session_handle;
pub mod shutdown;
pub mod stores;
pub mod workers;
pub mod world;
