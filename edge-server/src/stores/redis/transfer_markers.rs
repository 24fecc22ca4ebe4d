//! Markers of activated transfers.

use async_trait::async_trait;
use shared::coordination::{TokenHash, TransferActivated};
use shared::ids::UnixMillis;

use super::RedisStores;
use crate::stores::{EpochWrite, StoreResult, TransferMarkerStore, keys};

#[async_trait]
impl TransferMarkerStore for RedisStores {
    async fn put_activated(
        &self,
        record: &TransferActivated,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let key = keys::transfer_activated(&record.token);
        self.put_unless_outranked(record, &[(&key, "epoch")], Some(now)).await
    }

    async fn activated(
        &self,
        token: &TokenHash,
        now: UnixMillis,
    ) -> StoreResult<Option<TransferActivated>> {
        self.get_live(&keys::transfer_activated(token), now).await
    }
}
