//! How roles speak to each other: through ports with an implementation for each way.

mod backend_http;
pub mod control_plane;
pub mod http_control_plane;
pub mod http_holders;
pub mod in_process;
pub mod service_token;
pub mod session_holders;
