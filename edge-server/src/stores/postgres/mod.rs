//! The durable half of the deployed store family: accounts, logins, characters and the legacy
//! handoff rows in Postgres, which every process of a deployment shares.
//!
//! What decides and then writes is one transaction at READ COMMITTED that first locks the rows
//! which it compares, so that what it has read stays true until it commits. Rows are locked in
//! one order everywhere, and so no two steps wait for each other in a ring:
//!
//! 1. the **account**, by whoever raises, claims, creates a character or a login, or changes
//!    the password;
//! 2. its **logins**, by a raise that needs one, by the password's change and the logout;
//! 3. **characters**, by their ids where there are several.
//!
//! Pruning passes by rows that somebody else holds, and waits for nobody. Names are judged by
//! their unique indexes and not by locks.
//!
//! A step has a bounded time and a bounded number of tries, and both belong to [`steps`].
//! Connections keep prepared statements and settings, so a pooler between has to pool
//! sessions and not transactions.

mod accounts;
mod characters;
mod legacy_handoffs;
mod logins;
mod opening;
mod steps;

use std::time::Duration;

use sqlx::postgres::PgRow;
use sqlx::types::Uuid;
use sqlx::{PgPool, Row, TypeInfo, ValueRef};

pub use opening::OpenError;

use super::StoreResult;
use super::columns::{Columns, integer, number, parsed, read_character};
use steps::classified;

/// Connections of one process. A server lets in 100 by default, which six processes share.
const MAX_CONNECTIONS: u32 = 10;
/// How long opening waits for the server's first answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a step waits for a connection, a new one's making included, before the store
/// counts as unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(4);
/// After this time the server ends a statement, one that waits for a lock among them.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(3);
/// After this time the server ends a transaction whose process has fallen silent, so that its
/// locks do not outlive it for long.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest that a step takes, the wait for a connection and all of its tries together. It
/// ends what the server cannot: a network that swallows everything.
const STEP_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a step is tried if it and others are in each other's way.
pub const STEP_TRIES: u32 = 5;
/// Connections that nobody has used for so long are closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// The longest life of a connection: after a failover or a change of the server's settings
/// none is left with the old ones for longer.
const MAX_LIFETIME: Duration = Duration::from_secs(30 * 60);
/// How long a start waits for another process that migrates the same database.
const MIGRATION_WAIT: Duration = Duration::from_secs(30);

/// Every durable port of the deployed family. Share it by `Arc`; close it once, at the end.
#[derive(Debug)]
pub struct PostgresStores {
    pool: PgPool,
}

impl PostgresStores {
    /// Opens the database that `url` (`postgres://user:password@host/database`) names and
    /// brings its schema up to date.
    ///
    /// # Errors
    /// One line for the operator that names the database and says what to do.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        Self::open_within(url, MIGRATION_WAIT).await
    }

    /// The same with another bound for the wait for a process that migrates the database.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_within(url: &str, migration_wait: Duration) -> Result<Self, OpenError> {
        opening::open(url, migration_wait).await
    }

    /// Waits for running steps and closes every connection. Later calls find the store
    /// unavailable; closing twice is harmless.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

impl Columns for PgRow {
    fn text(&self, column: &str) -> StoreResult<Option<String>> {
        let is_id = self.try_get_raw(column).map_err(classified)?.type_info().name() == "UUID";
        if is_id {
            let id: Option<Uuid> = self.try_get(column).map_err(classified)?;
            return Ok(id.map(|id| id.to_string()));
        }
        self.try_get(column).map_err(classified)
    }

    fn integer(&self, column: &str) -> StoreResult<Option<i64>> {
        self.try_get(column).map_err(classified)
    }

    fn flag(&self, column: &str) -> StoreResult<Option<bool>> {
        self.try_get(column).map_err(classified)
    }
}
