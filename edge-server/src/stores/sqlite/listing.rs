//! Listings of the embedded store's coordination data.

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use shared::coordination::{HandoffCacheRecord, PresenceRecord, ResumeLedgerRecord};
use shared::ids::UnixMillis;
use sqlx::Row;

use super::{SqliteStores, coordination, integer, unavailable};
use crate::stores::{CoordinationListing, LISTING_PAGE, Page, PageMark, StoreResult, keys};

#[async_trait]
impl CoordinationListing for SqliteStores {
    async fn list_handoffs(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<HandoffCacheRecord>> {
        self.list(keys::HANDOFF_PREFIX, after, now).await
    }

    async fn list_presence(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<PresenceRecord>> {
        self.list(keys::PRESENCE_CHARACTER_PREFIX, after, now).await
    }

    async fn list_ledger(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<ResumeLedgerRecord>> {
        self.list(keys::RESUME_LEDGER_PREFIX, after, now).await
    }
}

impl SqliteStores {
    async fn list<T: DeserializeOwned>(
        &self,
        prefix: &str,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<T>> {
        // ';' follows ':' in ASCII: the range is every key of the family.
        let end = format!("{};", prefix.trim_end_matches(':'));
        let rows = sqlx::query(
            "SELECT * FROM coordination
             WHERE key > ? AND key < ? AND expires_at > ? ORDER BY key LIMIT ?",
        )
        .bind(after.map_or(prefix, |mark| mark.0.as_str()))
        .bind(end)
        .bind(integer(now.0))
        .bind(integer(LISTING_PAGE as u64))
        .fetch_all(&self.readers)
        .await
        .map_err(unavailable)?;
        let mut read = Vec::with_capacity(rows.len());
        for row in &rows {
            let key = row.try_get("key").map_err(unavailable)?;
            read.push((key, coordination::decode(row).map(Some)));
        }
        Page::of(read)
    }
}
