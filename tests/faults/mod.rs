//! A fault at every step of select, handshake, claim and disconnect, over the real store
//! and the real flows, without sockets: each call of a port fails, happens twice, or is the
//! last thing that its process does. After each the [`checks`] look for what must always
//! hold. Steps are found by writing a clean run down, so a new one is covered by itself.
//!
//! The [`races`] run the same flows against each other, [`over_http`] with the control plane
//! behind a socket, and [`slow_clients`] over sockets altogether.

mod checks;
mod claim;
mod disconnect;
mod grace;
mod handshake;
mod heard;
mod locate;
mod logout;
mod over_http;
mod races;
mod recovered;
mod redirect;
mod restored;
mod resume;
mod rig;
mod select;
mod slow_clients;
mod story;
mod takeover;
mod unknown_versions;
