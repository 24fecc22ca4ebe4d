//! Tests that cross Aether's parts, in one binary: the contracts of stores and control
//! plane, flows over real sockets, what only a real connection shows, faults at every step, the command line,
//! the roles as processes of a deployment, the page in a browser, the OpenAPI document, and the repository's own rules.

#![expect(clippy::unwrap_used, reason = "all of it is tests, helpers between them included")]

mod browser;
mod command_line;
mod contract;
mod control_plane;
mod deployed;
mod faults;
mod flows;
mod openapi;
mod tidy;
mod webtransport;
