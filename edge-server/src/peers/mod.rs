//! How roles speak to each other: through ports with an implementation for each way.

pub mod control_plane;
pub mod in_process;
pub mod session_holders;
