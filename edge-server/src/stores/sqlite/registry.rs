//! The registry of game servers in the embedded store.

use async_trait::async_trait;
use shared::coordination::InstanceRecord;
use shared::ids::{InstanceId, UnixMillis};

use super::{SqliteStores, coordination, integer, unavailable};
use crate::stores::{EpochWrite, RegistryStore, StoreError, StoreResult, keys};

#[async_trait]
impl RegistryStore for SqliteStores {
    async fn put_instance(&self, record: &InstanceRecord) -> StoreResult<EpochWrite> {
        let key = keys::instance(&record.id);
        let mut step = self.write().await?;
        // A lapsed lease still counts: its process may wake up, and must find itself
        // followed, never follow.
        let standing: Option<InstanceRecord> = coordination::get(&mut step, &key).await?;
        if standing.is_some_and(|standing| standing.incarnation > record.incarnation) {
            return Ok(EpochWrite::Superseded);
        }
        coordination::put(&mut step, &key, record, record.expires_at, None).await?;
        step.commit().await.map_err(unavailable)?;
        Ok(EpochWrite::Written)
    }

    async fn instances(&self, now: UnixMillis) -> StoreResult<Vec<InstanceRecord>> {
        // ';' follows ':' in ASCII: the range is every key of the family.
        let rows = sqlx::query(
            "SELECT * FROM coordination
             WHERE key >= 'registry:instance:' AND key < 'registry:instance;' AND expires_at > ?
             ORDER BY key",
        )
        .bind(integer(now.0))
        .fetch_all(&self.readers)
        .await
        .map_err(unavailable)?;
        let mut instances = Vec::with_capacity(rows.len());
        for row in &rows {
            match coordination::decode(row) {
                Ok(instance) => instances.push(instance),
                // An instance of a newer build is one that this build sends nobody to; it
                // must not take the others away.
                Err(StoreError::Unreadable { key, reason }) => {
                    tracing::warn!(key, reason, "left out of the registry's list");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(instances)
    }

    async fn remove_instance(&self, id: &InstanceId, incarnation: u64) -> StoreResult<bool> {
        let mut step = self.write().await?;
        let key = keys::instance(id);
        let removed = coordination::remove_if(&mut step, &key, |standing: &InstanceRecord| {
            standing.incarnation == incarnation
        })
        .await?;
        step.commit().await.map_err(unavailable)?;
        Ok(removed)
    }
}
