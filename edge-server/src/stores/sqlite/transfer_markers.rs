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
        let mut step = self.write().await?;
        let standing: Option<TransferActivated> =
            coordination::get_live(&mut step, &key, now).await?;
        if standing.is_some_and(|standing| standing.epoch > record.epoch) {
            return Ok(EpochWrite::Superseded);
        }
        coordination::put(&mut step, &key, record, record.expires_at, None).await?;
        step.commit().await.map_err(unavailable)?;
        Ok(EpochWrite::Written)
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
