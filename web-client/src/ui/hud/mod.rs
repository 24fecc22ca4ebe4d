//! What lies over the world: chat, feelings, gathering, death, the way back, measurements.

pub mod actions;
pub mod away;
pub mod chat;
pub mod death;
pub mod own_plate;
pub mod telemetry;
pub mod ways;
