//! The registry of game servers.

use async_trait::async_trait;
use shared::coordination::InstanceRecord;
use shared::ids::{InstanceId, UnixMillis};

use super::RedisStores;
use super::records::decode_live;
use crate::stores::{EpochWrite, RegistryStore, StoreError, StoreResult, keys};

#[async_trait]
impl RegistryStore for RedisStores {
    async fn put_instance(&self, record: &InstanceRecord) -> StoreResult<EpochWrite> {
        let key = keys::instance(&record.id);
        // Without a `now`, since a lapsed lease still counts: its process may wake up, and
        // must find itself followed, never follow.
        self.put_unless_outranked(record, &[(&key, "incarnation")], None).await
    }

    async fn instances(&self, now: UnixMillis) -> StoreResult<Vec<InstanceRecord>> {
        let answer = self.call(&self.steps.instances, Some(now)).run().await?;
        let ("listed", texts) = answer.parts() else { return Err(answer.strange()) };
        let mut instances: Vec<InstanceRecord> = Vec::with_capacity(texts.len() / 2);
        for listed in texts.chunks_exact(2) {
            match decode_live(listed[0], listed[1], now) {
                Ok(instance) => instances.extend(instance),
                // An instance of a newer build is one that this build sends nobody to; it
                // must not take the others away.
                Err(StoreError::Unreadable { key, reason }) => {
                    tracing::warn!(key, reason, "left out of the registry's list");
                }
                Err(error) => return Err(error),
            }
        }
        instances.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(instances)
    }

    async fn remove_instance(&self, id: &InstanceId, incarnation: u64) -> StoreResult<bool> {
        let key = keys::instance(id);
        self.remove_if(&[&key], &[("incarnation", &incarnation.to_string())]).await
    }
}
