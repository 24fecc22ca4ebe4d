//! Work that goes on beside the requests: what a session or a zone leaves to be done.

pub mod garbage;
pub mod instance_keeper;
pub mod lifecycle;
pub mod location_saver;
pub mod reconciler;
