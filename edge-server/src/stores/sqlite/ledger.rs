//! The resume ledger in the embedded store.

use async_trait::async_trait;
use shared::coordination::ResumeLedgerRecord;
use shared::ids::{SessionEpoch, UnixMillis};
use shared::secret::SessionToken;

use super::{SqliteStores, coordination, unavailable};
use crate::stores::{EpochWrite, ResumeLedgerStore, StoreResult, keys};

#[async_trait]
impl ResumeLedgerStore for SqliteStores {
    async fn put_ledger(
        &self,
        record: &ResumeLedgerRecord,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let key = keys::resume_ledger(&record.session_token);
        let outranks = |standing: &ResumeLedgerRecord| standing.epoch > record.epoch;
        let (step, end) = (self.write().await?, record.expires_at);
        coordination::put_unless_outranked(step, &key, record, end, now, outranks).await
    }

    async fn ledger(
        &self,
        session: &SessionToken,
        now: UnixMillis,
    ) -> StoreResult<Option<ResumeLedgerRecord>> {
        let mut connection = self.readers.acquire().await.map_err(unavailable)?;
        coordination::get_live(&mut connection, &keys::resume_ledger(session), now).await
    }

    async fn remove_ledger(
        &self,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> StoreResult<bool> {
        let mut step = self.write().await?;
        let key = keys::resume_ledger(session);
        let removed = coordination::remove_if(&mut step, &key, |standing: &ResumeLedgerRecord| {
            standing.epoch == epoch
        })
        .await?;
        step.commit().await.map_err(unavailable)?;
        Ok(removed)
    }
}
