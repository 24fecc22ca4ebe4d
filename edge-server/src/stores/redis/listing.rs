//! Listings of what Redis holds, from the index that is kept in step with the records.

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use shared::coordination::{HandoffCacheRecord, PresenceRecord, ResumeLedgerRecord};
use shared::ids::UnixMillis;

use super::RedisStores;
use super::records::decode_live;
use crate::stores::{CoordinationListing, LISTING_PAGE, Page, PageMark, StoreResult, keys};

#[async_trait]
impl CoordinationListing for RedisStores {
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

impl RedisStores {
    async fn list<T: DeserializeOwned>(
        &self,
        prefix: &str,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<T>> {
        let answer = self
            .call(&self.steps.list, Some(now))
            .argument(prefix)
            .argument(after.map(|mark| mark.0.as_str()).unwrap_or_default())
            .argument(LISTING_PAGE)
            .run()
            .await?;
        let ("listed", texts) = answer.parts() else { return Err(answer.strange()) };
        Page::of(texts.chunks_exact(2).map(|listed| {
            let (key, text) = (listed[0], listed[1]);
            let record = if text.is_empty() { Ok(None) } else { decode_live(key, text, now) };
            (key.to_owned(), record)
        }))
    }
}
