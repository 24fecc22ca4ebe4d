//! The coordination half of a deployment: handoffs, promises of seats, markers, presence,
//! the resume ledger and the registry in one Redis (7.0 or newer), shared by every process.
//!
//! A record is one key of [`super::keys`] with its JSON. Every step that looks at what stands
//! there before it writes is one Lua script (`lua/`), so that it is atomic for all processes,
//! and begins with the same prelude, `lua/records.lua`. Whether a record has expired is
//! decided from its `expires_at` and the caller's `now`, which the scripts are handed; Redis'
//! own clock only collects garbage, long after ([`steps::GARBAGE_MARGIN`]).
//!
//! What the embedded store finds by a query is found by index keys, which the prelude keeps
//! in step with the records, so that no call scans the keys:
//!
//! | index | what is found there |
//! | --- | --- |
//! | `index:expiry` | every record, by its end: for pruning |
//! | `index:listed:{family}` | prepared handoffs, presence by character, the ledger: for listings |
//! | `index:instances` | every registered instance |
//! | `index:handoff:{token}` | the one scope under which a token's handoff stands |
//! | `index:hold:account:{id}` | the promise to an account |
//! | `index:lifecycle:…` | entries of the lifecycle journal by when they are due, dead letters, and who has work in hand |
//! | `index:hold:seats:{placement}:{instance}` | the promises of seats there, by their end |
//!
//! **One Redis, no cluster.** A step touches keys of several families, which a Redis Cluster
//! would spread over nodes that know no common transaction; [`RedisStores::open`] refuses one.
//! Replicas for failover are welcome. A failover may lose the last writes, and then holds
//! what the next paragraph says, in part.
//!
//! **A Redis that lost everything** is survived: it holds nothing that decides who has a
//! character. Handoffs are put back from their legacy rows. Consumed markers are gone, so one
//! that has been used and is put back before its session has raised can be consumed again; its
//! admission then finds that the durable row's epoch is no longer the one it was made for.
//! Instances register with the next heartbeat, and are told by it that presence of their
//! sessions is missing, which they write again; a session that waited for its claim goes on in
//! the process that has it. The registry forgets which incarnation was the last: an
//! older process may stand there until the newer one's next heartbeat, and the epoch refuses
//! what it writes. Scripts are sent again where they are missing.

mod garbage;
mod handoffs;
mod holds;
mod ledger;
mod lifecycle;
mod link;
mod listing;
mod opening;
mod presence;
mod records;
mod registry;
mod steps;
mod transfer_markers;

pub use link::LONGEST_CALL;
pub use opening::OpenError;

use self::link::Link;
use self::steps::Steps;

/// Every coordination port of a deployment. Share it by `Arc`.
#[derive(Debug)]
pub struct RedisStores {
    link: Link,
    steps: Steps,
}

impl RedisStores {
    /// Connects to the Redis that `url` names: `redis://[user:password@]host[:port][/database]`
    /// or `redis+unix:///path`.
    ///
    /// # Errors
    /// One line for the operator that names the server and says what to do.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        opening::open(url).await
    }
}
