//! How roles speak to each other: through ports with an implementation for each way.

pub mod control_plane;
