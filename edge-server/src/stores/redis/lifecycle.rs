//! The session lifecycle journal in Redis: a hash of entries for each place, and what finds
//! them (`lua/lifecycle.lua`).

use async_trait::async_trait;
use shared::ids::{InstanceId, LifecycleId, UnixMillis};
use shared::lifecycle::LifecycleEntry;

use super::RedisStores;
use super::records::{decode, encode, unavailable};
use super::steps::milliseconds;
use crate::stores::lifecycle::{UNREADABLE_PASSED_OVER, UNREADABLE_PAUSE, revived};
use crate::stores::{
    LISTING_PAGE, LifecycleCounts, LifecycleJournal, Page, PageMark, StoreResult, keys,
};

#[async_trait]
impl LifecycleJournal for RedisStores {
    async fn begin_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<()> {
        let call = self.call(&self.steps.lifecycle_begin, None);
        let call = call.argument(worker).argument(entry.id).argument(encode(entry));
        let answer = call.run().await?;
        match answer.parts().0 {
            "done" => Ok(()),
            _ => Err(answer.strange()),
        }
    }

    async fn take_work(
        &self,
        worker: &InstanceId,
        now: UnixMillis,
    ) -> StoreResult<Option<LifecycleEntry>> {
        let answer = self
            .call(&self.steps.lifecycle_take, Some(now))
            .argument(worker)
            .argument(UNREADABLE_PASSED_OVER)
            .argument(milliseconds(UNREADABLE_PAUSE))
            .run()
            .await?;
        match answer.parts() {
            ("taken", texts) if texts.len() == 2 => decode(texts[0], texts[1]).map(Some),
            ("nothing", passed) => {
                for id in passed {
                    let key = format!("{}:{id}", keys::LIFECYCLE_QUEUE);
                    tracing::warn!(key, "left for a build that can read it");
                }
                Ok(None)
            }
            _ => Err(answer.strange()),
        }
    }

    async fn finish_work(&self, worker: &InstanceId, id: LifecycleId) -> StoreResult<bool> {
        let call = self.call(&self.steps.lifecycle_finish, None);
        moved(&call.argument(worker).argument(id).run().await?)
    }

    async fn defer_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<bool> {
        self.move_entry(worker, entry, &entry.not_before.0.to_string()).await
    }

    async fn bury_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<bool> {
        self.move_entry(worker, entry, "").await
    }

    async fn recover_work(&self, worker: &InstanceId, now: UnixMillis) -> StoreResult<u64> {
        let call = self.call(&self.steps.lifecycle_recover, Some(now));
        let answer = call.argument(worker).run().await?;
        match answer.parts() {
            ("done", texts) if texts.len() == 1 => texts[0].parse().map_err(|_| answer.strange()),
            _ => Err(answer.strange()),
        }
    }

    async fn workers(&self) -> StoreResult<Vec<InstanceId>> {
        let mut command = redis::cmd("SMEMBERS");
        command.arg("index:lifecycle:workers");
        let names: Vec<String> = self
            .link
            .ask(&command)
            .await
            .and_then(|value| Ok(redis::from_redis_value(value)?))
            .map_err(|error| unavailable(&error))?;
        let mut workers: Vec<InstanceId> =
            names.iter().filter_map(|name| name.parse().ok()).collect();
        workers.sort();
        Ok(workers)
    }

    async fn dead_letters(&self, after: Option<&PageMark>) -> StoreResult<Page<LifecycleEntry>> {
        let answer = self
            .call(&self.steps.lifecycle_dead, None)
            .argument(after.map(|mark| mark.0.as_str()).unwrap_or_default())
            .argument(LISTING_PAGE)
            .run()
            .await?;
        let ("listed", texts) = answer.parts() else { return Err(answer.strange()) };
        Page::of(texts.chunks_exact(2).map(|listed| {
            let (id, text) = (listed[0], listed[1]);
            let key = format!("{}:{id}", keys::LIFECYCLE_DEAD);
            let entry = if text.is_empty() { Ok(None) } else { decode(&key, text).map(Some) };
            (id.to_owned(), entry)
        }))
    }

    async fn requeue(&self, id: LifecycleId, now: UnixMillis) -> StoreResult<bool> {
        let mut command = redis::cmd("HGET");
        command.arg(keys::LIFECYCLE_DEAD).arg(id.to_string());
        let seen: Option<String> = self
            .link
            .ask(&command)
            .await
            .and_then(|value| Ok(redis::from_redis_value(value)?))
            .map_err(|error| unavailable(&error))?;
        let Some(seen) = seen else { return Ok(false) };
        let entry: LifecycleEntry = decode(&format!("{}:{id}", keys::LIFECYCLE_DEAD), &seen)?;
        let answer = self
            .call(&self.steps.lifecycle_requeue, Some(now))
            .argument(id)
            .argument(&seen)
            .argument(encode(&revived(entry, now)))
            .run()
            .await?;
        moved(&answer)
    }

    async fn lifecycle_counts(&self) -> StoreResult<LifecycleCounts> {
        let count = async |place: &str| {
            let answer = self.link.ask(redis::cmd("HLEN").arg(place)).await;
            answer
                .and_then(|value| Ok(redis::from_redis_value(value)?))
                .map_err(|error| unavailable(&error))
        };
        let waiting = count(keys::LIFECYCLE_QUEUE).await?;
        Ok(LifecycleCounts { waiting, dead: count(keys::LIFECYCLE_DEAD).await? })
    }
}

impl RedisStores {
    async fn move_entry(
        &self,
        worker: &InstanceId,
        entry: &LifecycleEntry,
        due: &str,
    ) -> StoreResult<bool> {
        let call = self.call(&self.steps.lifecycle_move, None).argument(worker);
        moved(&call.argument(entry.id).argument(encode(entry)).argument(due).run().await?)
    }
}

fn moved(answer: &super::steps::Answer) -> StoreResult<bool> {
    match answer.parts().0 {
        "done" => Ok(true),
        "nothing" => Ok(false),
        _ => Err(answer.strange()),
    }
}
