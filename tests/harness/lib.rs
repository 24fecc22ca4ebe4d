//! What tests that cross Aether's parts are written with: the real server as a process,
//! all of its roles as processes beside each other, its HTTP as a typed client, players over real QUIC, its database file, Postgres databases,
//! a Redis, and a browser.
//!
//! Only [`faults`] reaches into the server, to let its ports go wrong: what every other
//! test sees is what a player, an operator or a person with the `sqlite3` shell sees. Every
//! wait ends at an event or at a bound of [`patience`]; there are no pauses of a fixed length.

pub mod api;
pub mod backend;
pub mod browser;
pub mod chromedriver;
pub mod clock;
pub mod cluster;
pub mod command;
pub mod fault_report;
pub mod faults;
pub mod firefox;
pub mod gate;
pub mod hero;
pub mod hold_line;
pub mod line;
pub mod patience;
pub mod player;
pub mod postgres;
pub mod redis;
pub mod repository;
pub mod server;
pub mod sight;
pub mod silent_line;
pub mod store;
pub mod way;
pub mod world;

mod drawn;
mod driver;
mod log_tail;
mod prediction;
mod process;
