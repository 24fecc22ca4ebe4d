//! The resume ledger.

use async_trait::async_trait;
use shared::coordination::ResumeLedgerRecord;
use shared::ids::{SessionEpoch, UnixMillis};
use shared::secret::SessionToken;

use super::RedisStores;
use crate::stores::{EpochWrite, ResumeLedgerStore, StoreResult, keys};

#[async_trait]
impl ResumeLedgerStore for RedisStores {
    async fn put_ledger(
        &self,
        record: &ResumeLedgerRecord,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let key = keys::resume_ledger(&record.session_token);
        self.put_unless_outranked(record, &[(&key, "epoch")], Some(now)).await
    }

    async fn ledger(
        &self,
        session: &SessionToken,
        now: UnixMillis,
    ) -> StoreResult<Option<ResumeLedgerRecord>> {
        self.get_live(&keys::resume_ledger(session), now).await
    }

    async fn remove_ledger(
        &self,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> StoreResult<bool> {
        let key = keys::resume_ledger(session);
        self.remove_if(&[&key], &[("epoch", &epoch.0.to_string())]).await
    }
}
