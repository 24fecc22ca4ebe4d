//! The embedded store family: one SQLite file holds durable and coordination data, and
//! one process uses it.
//!
//! One connection writes, so every write is in turn and `BEGIN IMMEDIATE` never meets a
//! rival; a few read-only connections read beside it (WAL). `synchronous = FULL`: a commit
//! has reached the disk before it is acknowledged, and so survives a power cut and not
//! only a crash of the process. It costs one sync for each write; writes that come often
//! (places, every second) come as one batch.
//!
//! It refuses what it cannot trust: a file in use, of another program, of a newer schema,
//! or damaged (see [`OpenError`]).

mod accounts;
mod characters;
mod coordination;
mod handoffs;
mod holds;
mod ledger;
mod legacy_handoffs;
mod lifecycle;
mod listing;
mod logins;
mod opening;
mod presence;
mod registry;
mod transfer_markers;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, Sqlite, SqlitePool, Transaction};

pub use opening::OpenError;

use super::columns::{Columns, integer, number, parsed, read_character};
use super::{StoreError, StoreResult};

/// How long a statement waits for a lock of another program, such as a backup.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a caller waits for a connection before the store counts as unavailable.
const CONNECTION_WAIT: Duration = Duration::from_secs(10);
/// Connections that read; each is a thread.
const READERS: u32 = 4;

/// Every port of the embedded family. Share it by `Arc`; close it once, at the end.
#[derive(Debug)]
pub struct SqliteStores {
    /// The one connection that writes.
    writer: SqlitePool,
    /// Read-only connections.
    readers: SqlitePool,
    /// Held for as long as the file is in use.
    lock: File,
    path: PathBuf,
}

impl SqliteStores {
    /// Opens the file that `url` (`sqlite://path`) names, creates it and its folder where
    /// they are missing, and brings its schema up to date.
    ///
    /// # Errors
    /// One line for the operator that names the file and says what to do.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        opening::open(url).await
    }

    /// The file, with links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for running statements, moves the write-ahead log into the file, and lets the
    /// file go. Later calls find the store unavailable; closing twice is harmless.
    pub async fn close(&self) {
        self.readers.close().await;
        if !self.writer.is_closed() {
            // Closing the last connection does the same unless another program is reading;
            // what is left in the log then is found again at the next open.
            if let Err(error) =
                sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&self.writer).await
            {
                tracing::warn!(%error, path = %self.path.display(), "cannot checkpoint");
            }
            self.writer.close().await;
        }
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(%error, path = %self.path.display(), "cannot unlock");
        }
    }

    /// Starts a transaction that may write. Taking the write lock at once keeps a read
    /// inside it from going stale before its write.
    async fn write(&self) -> StoreResult<Transaction<'static, Sqlite>> {
        self.writer.begin_with("BEGIN IMMEDIATE").await.map_err(unavailable)
    }

    /// Starts a transaction that reads one state of the file.
    async fn read(&self) -> StoreResult<Transaction<'static, Sqlite>> {
        self.readers.begin().await.map_err(unavailable)
    }
}

/// Whatever SQLite or the pool says is an outage to the caller.
fn unavailable(error: sqlx::Error) -> StoreError {
    StoreError::Unavailable(error.to_string())
}

impl Columns for SqliteRow {
    fn text(&self, column: &str) -> StoreResult<Option<String>> {
        self.try_get(column).map_err(unavailable)
    }

    fn integer(&self, column: &str) -> StoreResult<Option<i64>> {
        self.try_get(column).map_err(unavailable)
    }

    fn flag(&self, column: &str) -> StoreResult<Option<bool>> {
        self.try_get(column).map_err(unavailable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ask(pool: &SqlitePool, pragma: &'static str) -> String {
        sqlx::query_scalar::<_, i64>(pragma)
            .fetch_one(pool)
            .await
            .map_or_else(|error| error.to_string(), |answer| answer.to_string())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_writer_syncs_each_commit_and_readers_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/aether.db", folder.path().display());
        let stores = SqliteStores::open(&url).await.unwrap();
        assert_eq!(ask(&stores.writer, "PRAGMA synchronous").await, "2", "FULL");
        assert_eq!(ask(&stores.writer, "PRAGMA foreign_keys").await, "1");
        assert_eq!(stores.writer.options().get_max_connections(), 1);
        let refused = ask(&stores.readers, "DELETE FROM coordination RETURNING 1").await;
        assert!(refused.contains("readonly"), "{refused}");
        stores.close().await;
    }
}
