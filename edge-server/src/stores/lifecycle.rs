//! The port of the session lifecycle journal.
//!
//! An entry stands in one place at a time: in the queue, with whoever works on it, or among
//! the dead letters. Each step moves it from one place to another at once, and does nothing
//! where it is not in the first any more: then somebody else has taken it over.

use async_trait::async_trait;
use shared::ids::{InstanceId, LifecycleId, UnixMillis};
use shared::lifecycle::LifecycleEntry;

use super::{Page, PageMark, StoreResult};

/// Due entries that one look for work passes over, at most, because this build cannot read
/// them: each is left for a later build and looked at again after [`UNREADABLE_PAUSE`].
pub const UNREADABLE_PASSED_OVER: usize = 16;
/// How long an entry that cannot be read waits for the next look.
pub const UNREADABLE_PAUSE: std::time::Duration = std::time::Duration::from_secs(60);

/// How many entries stand where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifecycleCounts {
    /// In the queue, due or not.
    pub waiting: u64,
    /// Dead letters.
    pub dead: u64,
}

/// The session lifecycle journal. Source: the spec's "Pending, Active, Resume".
#[async_trait]
pub trait LifecycleJournal: Send + Sync {
    /// Writes an entry down that its worker begins at once; the same entry again replaces it.
    async fn begin_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<()>;

    /// Takes the first entry that is due, for a worker.
    async fn take_work(
        &self,
        worker: &InstanceId,
        now: UnixMillis,
    ) -> StoreResult<Option<LifecycleEntry>>;

    /// Strikes an entry out whose work is done. Gives whether it was still the worker's.
    async fn finish_work(&self, worker: &InstanceId, id: LifecycleId) -> StoreResult<bool>;

    /// Puts an entry, as it is now, from its worker into the queue. Gives whether it was still
    /// the worker's.
    async fn defer_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<bool>;

    /// Puts an entry, as it is now, from its worker among the dead letters. Gives whether it
    /// was still the worker's.
    async fn bury_work(&self, worker: &InstanceId, entry: &LifecycleEntry) -> StoreResult<bool>;

    /// Puts whatever a worker has into the queue, due at `now`: the worker has died. Gives
    /// how many entries.
    async fn recover_work(&self, worker: &InstanceId, now: UnixMillis) -> StoreResult<u64>;

    /// Who has work in hand.
    async fn workers(&self) -> StoreResult<Vec<InstanceId>>;

    /// Dead letters, page by page.
    async fn dead_letters(&self, after: Option<&PageMark>) -> StoreResult<Page<LifecycleEntry>>;

    /// Puts a dead letter into the queue, with its tries begun anew and due at `now`. Gives
    /// whether there was one.
    async fn requeue(&self, id: LifecycleId, now: UnixMillis) -> StoreResult<bool>;

    /// How many entries stand where.
    async fn lifecycle_counts(&self) -> StoreResult<LifecycleCounts>;
}

/// A dead letter on its way back into the queue.
pub(super) fn revived(entry: LifecycleEntry, now: UnixMillis) -> LifecycleEntry {
    LifecycleEntry { attempts: 0, not_before: now, ..entry }
}
