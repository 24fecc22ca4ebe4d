//! Removal of what has expired, a bounded piece at a time, so that no step keeps the other
//! callers of a busy Redis waiting.

use async_trait::async_trait;
use shared::ids::UnixMillis;

use super::RedisStores;
use crate::stores::{CoordinationGarbage, StoreResult};

/// Records that one step removes at most.
const PRUNE_BATCH: u64 = 200;
/// Steps of one call at most; what is left then waits for the next.
const PRUNE_STEPS: usize = 500;

#[async_trait]
impl CoordinationGarbage for RedisStores {
    async fn prune_coordination(&self, now: UnixMillis) -> StoreResult<u64> {
        let mut removed = 0;
        for _step in 0..PRUNE_STEPS {
            let answer =
                self.call(&self.steps.prune, Some(now)).argument(PRUNE_BATCH).run().await?;
            let (outcome, texts) = answer.parts();
            let counts: Vec<u64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
            let ("pruned", [gone, seen]) = (outcome, counts.as_slice()) else {
                return Err(answer.strange());
            };
            removed += gone;
            if *seen < PRUNE_BATCH {
                break;
            }
        }
        Ok(removed)
    }
}
