//! Rows of coordination data: JSON under the key that a deployment uses in Redis.
//!
//! A row that has expired is as good as gone, whatever its version; a live row that this
//! build cannot read is an error, and the step that met it writes nothing.

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::coordination::TokenHash;
use shared::ids::UnixMillis;
use shared::version::PayloadVersion;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, Sqlite, SqliteConnection, Transaction};

use super::{SqliteStores, integer, number, unavailable};
use crate::stores::{CoordinationGarbage, EpochWrite, StoreError, StoreResult};

#[async_trait]
impl CoordinationGarbage for SqliteStores {
    async fn prune_coordination(&self, now: UnixMillis) -> StoreResult<u64> {
        let pruned = sqlx::query("DELETE FROM coordination WHERE expires_at <= ?")
            .bind(integer(now.0))
            .execute(&self.writer)
            .await
            .map_err(unavailable)?;
        Ok(pruned.rows_affected())
    }
}

impl SqliteStores {
    /// Removes what an earlier process of the same file left of instances and live sessions:
    /// registry and presence. Handoffs and their markers stay, for they are good at whatever
    /// process comes, and so does the resume ledger: its sessions can be claimed again. Gives
    /// how many rows.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`]; nothing is removed then.
    pub async fn forget_earlier_process(&self) -> StoreResult<u64> {
        let forgotten = sqlx::query(
            "DELETE FROM coordination WHERE key LIKE 'registry:%' OR key LIKE 'presence:%'",
        )
        .execute(&self.writer)
        .await
        .map_err(unavailable)?;
        Ok(forgotten.rows_affected())
    }
}

/// The record under a key, if it lives at `now`.
pub(super) async fn get_live<T: DeserializeOwned>(
    connection: &mut SqliteConnection,
    key: &str,
    now: UnixMillis,
) -> StoreResult<Option<T>> {
    let row = sqlx::query("SELECT * FROM coordination WHERE key = ? AND expires_at > ?")
        .bind(key)
        .bind(integer(now.0))
        .fetch_optional(connection)
        .await
        .map_err(unavailable)?;
    row.as_ref().map(decode).transpose()
}

/// The record under a key, expired or not.
pub(super) async fn get<T: DeserializeOwned>(
    connection: &mut SqliteConnection,
    key: &str,
) -> StoreResult<Option<T>> {
    let row = sqlx::query("SELECT * FROM coordination WHERE key = ?")
        .bind(key)
        .fetch_optional(connection)
        .await
        .map_err(unavailable)?;
    row.as_ref().map(decode).transpose()
}

/// Writes a record under its key, over whatever stands there: compare first.
pub(super) async fn put<T: Serialize + Sync>(
    connection: &mut SqliteConnection,
    key: &str,
    record: &T,
    expires_at: UnixMillis,
    handoff_token: Option<&TokenHash>,
) -> StoreResult<()> {
    let payload = serde_json::to_string(record).expect("records are plain data");
    sqlx::query(
        "INSERT OR REPLACE INTO coordination
         (key, payload, payload_version, expires_at, handoff_token) VALUES (?, ?, ?, ?, ?)",
    )
    .bind(key)
    .bind(payload)
    .bind(PayloadVersion::CURRENT.get())
    .bind(integer(expires_at.0))
    .bind(handoff_token.map(TokenHash::as_str))
    .execute(connection)
    .await
    .map_err(unavailable)?;
    Ok(())
}

/// Writes a record in one step, unless one that lives at `now` and outranks it stands there.
pub(super) async fn put_unless_outranked<T: Serialize + DeserializeOwned + Sync>(
    mut step: Transaction<'_, Sqlite>,
    key: &str,
    record: &T,
    expires_at: UnixMillis,
    now: UnixMillis,
    outranks: impl FnOnce(&T) -> bool,
) -> StoreResult<EpochWrite> {
    let standing: Option<T> = get_live(&mut step, key, now).await?;
    if standing.is_some_and(|standing| outranks(&standing)) {
        return Ok(EpochWrite::Superseded);
    }
    put(&mut step, key, record, expires_at, None).await?;
    step.commit().await.map_err(unavailable)?;
    Ok(EpochWrite::Written)
}

/// Removes what stands under a key.
pub(super) async fn remove(connection: &mut SqliteConnection, key: &str) -> StoreResult<()> {
    sqlx::query("DELETE FROM coordination WHERE key = ?")
        .bind(key)
        .execute(connection)
        .await
        .map_err(unavailable)?;
    Ok(())
}

/// Removes the record under a key if it is the caller's; gives whether it was.
pub(super) async fn remove_if<T: DeserializeOwned>(
    connection: &mut SqliteConnection,
    key: &str,
    is_own: impl FnOnce(&T) -> bool,
) -> StoreResult<bool> {
    let own = get::<T>(connection, key).await?.is_some_and(|record| is_own(&record));
    if own {
        remove(connection, key).await?;
    }
    Ok(own)
}

/// Reads a row of the table.
pub(super) fn decode<T: DeserializeOwned>(row: &SqliteRow) -> StoreResult<T> {
    let key: String = row.try_get("key").map_err(unavailable)?;
    let payload: String = row.try_get("payload").map_err(unavailable)?;
    let version: u32 = number(row, "payload_version", &key)?;
    let unreadable = |reason: String| StoreError::Unreadable { key: key.clone(), reason };
    PayloadVersion::try_from(version).map_err(|error| unreadable(error.to_string()))?;
    serde_json::from_str(&payload).map_err(|error| unreadable(error.to_string()))
}
