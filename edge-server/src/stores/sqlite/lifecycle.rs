//! The session lifecycle journal in the embedded store: rows whose keys say where an entry
//! stands. They have no end.

use async_trait::async_trait;
use shared::ids::{InstanceId, LifecycleId, UnixMillis};
use shared::lifecycle::LifecycleEntry;
use shared::version::PayloadVersion;
use sqlx::{Row, SqliteConnection};

use super::{SqliteStores, coordination, integer, unavailable};
use crate::stores::lifecycle::{UNREADABLE_PASSED_OVER, UNREADABLE_PAUSE, revived};
use crate::stores::{
    LISTING_PAGE, LifecycleCounts, LifecycleJournal, Page, PageMark, StoreError, StoreResult, keys,
};

/// The end of what has none.
const NEVER: UnixMillis = UnixMillis(i64::MAX as u64);

fn in_place(place: &str, id: LifecycleId) -> String {
    format!("{place}:{id}")
}

/// The range of keys of a place: ';' follows ':' in ASCII.
fn range(place: &str) -> (String, String) {
    (format!("{place}:"), format!("{place};"))
}

#[async_trait]
impl LifecycleJournal for SqliteStores {
    async fn begin_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<()> {
        let key = in_place(&keys::lifecycle_processing(worker), entry.id);
        let mut step = self.write().await?;
        coordination::put(&mut step, &key, entry, NEVER, None).await?;
        step.commit().await.map_err(unavailable)
    }

    async fn take_work(
        &self,
        worker: &InstanceId,
        now: UnixMillis,
    ) -> StoreResult<Option<LifecycleEntry>> {
        let (from, to) = range(keys::LIFECYCLE_QUEUE);
        let mut step = self.write().await?;
        let due = sqlx::query(
            "SELECT * FROM coordination
             WHERE key > ? AND key < ? AND json_extract(payload, '$.not_before') <= ?
             ORDER BY json_extract(payload, '$.not_before'), key LIMIT ?",
        )
        .bind(from)
        .bind(to)
        .bind(integer(now.0))
        .bind(integer(UNREADABLE_PASSED_OVER as u64))
        .fetch_all(&mut *step)
        .await
        .map_err(unavailable)?;
        let mut taken = None;
        for row in &due {
            let key: String = row.try_get("key").map_err(unavailable)?;
            match coordination::decode::<LifecycleEntry>(row) {
                Ok(entry) => {
                    coordination::remove(&mut step, &key).await?;
                    let key = in_place(&keys::lifecycle_processing(worker), entry.id);
                    coordination::put(&mut step, &key, &entry, NEVER, None).await?;
                    taken = Some(entry);
                    break;
                }
                Err(StoreError::Unreadable { key, reason }) => {
                    tracing::warn!(key, reason, "left for a build that can read it");
                    sqlx::query(
                        "UPDATE coordination
                         SET payload = json_set(payload, '$.not_before', ?) WHERE key = ?",
                    )
                    .bind(integer(now.plus(UNREADABLE_PAUSE).0))
                    .bind(key)
                    .execute(&mut *step)
                    .await
                    .map_err(unavailable)?;
                }
                Err(error) => return Err(error),
            }
        }
        step.commit().await.map_err(unavailable)?;
        Ok(taken)
    }

    async fn finish_work(&self, worker: &InstanceId, id: LifecycleId) -> StoreResult<bool> {
        let mut step = self.write().await?;
        let was_there =
            take_out(&mut step, &in_place(&keys::lifecycle_processing(worker), id)).await?;
        step.commit().await.map_err(unavailable)?;
        Ok(was_there)
    }

    async fn defer_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<bool> {
        self.move_entry(&keys::lifecycle_processing(worker), keys::LIFECYCLE_QUEUE, entry).await
    }

    async fn bury_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<bool> {
        self.move_entry(&keys::lifecycle_processing(worker), keys::LIFECYCLE_DEAD, entry).await
    }

    async fn recover_work(&self, worker: &InstanceId, now: UnixMillis) -> StoreResult<u64> {
        let place = keys::lifecycle_processing(worker);
        let (from, to) = range(&place);
        let moved = sqlx::query(
            "UPDATE coordination
             SET key = ? || substr(key, ?), payload = json_set(payload, '$.not_before', ?)
             WHERE key > ? AND key < ?",
        )
        .bind(keys::LIFECYCLE_QUEUE)
        // From the colon before the id: texts count from one.
        .bind(integer(place.len() as u64 + 1))
        .bind(integer(now.0))
        .bind(from)
        .bind(to)
        .execute(&self.writer)
        .await
        .map_err(unavailable)?;
        Ok(moved.rows_affected())
    }

    async fn workers(&self) -> StoreResult<Vec<InstanceId>> {
        let (from, to) = range("session:lifecycle:processing");
        let keys: Vec<String> =
            sqlx::query_scalar("SELECT key FROM coordination WHERE key > ? AND key < ?")
                .bind(&from)
                .bind(to)
                .fetch_all(&self.readers)
                .await
                .map_err(unavailable)?;
        let mut workers: Vec<InstanceId> = keys
            .iter()
            .filter_map(|key| key.strip_prefix(&from)?.split_once(':')?.0.parse().ok())
            .collect();
        workers.sort();
        workers.dedup();
        Ok(workers)
    }

    async fn dead_letters(&self, after: Option<&PageMark>) -> StoreResult<Page<LifecycleEntry>> {
        let (from, to) = range(keys::LIFECYCLE_DEAD);
        let rows = sqlx::query(
            "SELECT * FROM coordination WHERE key > ? AND key < ? ORDER BY key LIMIT ?",
        )
        .bind(after.map_or(from, |mark| format!("{}:{}", keys::LIFECYCLE_DEAD, mark.0)))
        .bind(to)
        .bind(integer(LISTING_PAGE as u64))
        .fetch_all(&self.readers)
        .await
        .map_err(unavailable)?;
        let mut read = Vec::with_capacity(rows.len());
        for row in &rows {
            let key: String = row.try_get("key").map_err(unavailable)?;
            let id = key.rsplit(':').next().unwrap_or_default().to_owned();
            read.push((id, coordination::decode(row).map(Some)));
        }
        Page::of(read)
    }

    async fn requeue(&self, id: LifecycleId, now: UnixMillis) -> StoreResult<bool> {
        let key = in_place(keys::LIFECYCLE_DEAD, id);
        let mut step = self.write().await?;
        let Some(entry) = coordination::get::<LifecycleEntry>(&mut step, &key).await? else {
            return Ok(false);
        };
        coordination::remove(&mut step, &key).await?;
        let key = in_place(keys::LIFECYCLE_QUEUE, id);
        coordination::put(&mut step, &key, &revived(entry, now), NEVER, None).await?;
        step.commit().await.map_err(unavailable)?;
        Ok(true)
    }

    async fn lifecycle_counts(&self) -> StoreResult<LifecycleCounts> {
        let mut connection = self.readers.acquire().await.map_err(unavailable)?;
        let waiting = count(&mut connection, keys::LIFECYCLE_QUEUE).await?;
        let dead = count(&mut connection, keys::LIFECYCLE_DEAD).await?;
        Ok(LifecycleCounts { waiting, dead })
    }
}

impl SqliteStores {
    async fn move_entry(&self, from: &str, to: &str, entry: &LifecycleEntry) -> StoreResult<bool> {
        let mut step = self.write().await?;
        if !take_out(&mut step, &in_place(from, entry.id)).await? {
            return Ok(false);
        }
        coordination::put(&mut step, &in_place(to, entry.id), entry, NEVER, None).await?;
        step.commit().await.map_err(unavailable)?;
        Ok(true)
    }
}

/// Removes what stands under a key; gives whether anything did.
async fn take_out(connection: &mut SqliteConnection, key: &str) -> StoreResult<bool> {
    let removed = sqlx::query("DELETE FROM coordination WHERE key = ? AND payload_version = ?")
        .bind(key)
        .bind(PayloadVersion::CURRENT.get())
        .execute(connection)
        .await
        .map_err(unavailable)?;
    Ok(removed.rows_affected() > 0)
}

async fn count(connection: &mut SqliteConnection, place: &str) -> StoreResult<u64> {
    let (from, to) = range(place);
    let number: i64 =
        sqlx::query_scalar("SELECT count(*) FROM coordination WHERE key > ? AND key < ?")
            .bind(from)
            .bind(to)
            .fetch_one(connection)
            .await
            .map_err(unavailable)?;
    Ok(u64::try_from(number).unwrap_or_default())
}
