//! Flows over HTTP and realtime against the real server with its default limits. Each
//! test is a sentence about what a client gets; each has a server of its own.

mod accounts;
mod bodies;
mod claims;
mod handoffs;
mod happy_path;
mod limits;
mod locate;
mod logout;
mod lost_connections;
mod page;
mod passwords;
mod places;
mod recovered;
mod redirects;
mod restored;
mod rosters;
mod takeover;

use tests::store::Store;

/// What I6 asks after a handshake that failed: no presence, no ledger entry, and no seat
/// reserved or pending.
async fn assert_nothing_is_left(store: &Store) {
    assert_eq!(store.session_keys().await, Vec::<String>::new());
    store.until_seats_taken(0).await;
}
