//! Markers of activated transfers in the embedded store.

use async_trait::async_trait;
use shared::coordination::{TokenHash, TransferActivated};
use shared::ids::UnixMillis;

use super::{SqliteStores, coordination, unavailable};
use crate::stores::{EpochWrite, StoreResult, TransferMarkerStore, keys};

#[async_trait]
impl TransferMarkerStore for SqliteStores {
    async fn put_activated(
        &self,
        record: &TransferActivated,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let key = keys::transfer_activated(&record.token);
        let outranks = |standing: &TransferActivated| standing.epoch > record.epoch;
        let (step, end) = (self.write().await?, record.expires_at);
        coordination::put_unless_outranked(step, &key, record, end, now, outranks).await
    }

    async fn activated(
        &self,
        token: &TokenHash,
        now: UnixMillis,
    ) -> StoreResult<Option<TransferActivated>> {
        let mut connection = self.readers.acquire().await.map_err(unavailable)?;
        coordination::get_live(&mut connection, &keys::transfer_activated(token), now).await
    }
}
