//! Listings: what lives in a store, page by page, for whoever looks at all of it.
//!
//! A page is bounded, shows what stood there when it was read, and says where the next one
//! begins: a record that lives throughout is shown once; one that comes or goes meanwhile may
//! be. What this build cannot read is counted, logged and left alone.

use async_trait::async_trait;
use shared::coordination::{HandoffCacheRecord, PresenceRecord, ResumeLedgerRecord};
use shared::ids::UnixMillis;

use super::{StoreError, StoreResult};

/// Records that one page looks at, at most.
pub const LISTING_PAGE: usize = 200;

/// Where a page ended; the next one begins after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageMark(pub(super) String);

impl PageMark {
    /// A mark that a client has been given, and gives back. Any text is one: a page begins
    /// behind it in the order of texts.
    #[must_use]
    pub fn of_text(text: String) -> Self {
        Self(text)
    }

    /// The mark as a client is given it.
    #[must_use]
    pub fn into_text(self) -> String {
        self.0
    }
}

/// Some of the records of a family, in the order of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// Those that live and can be read.
    pub records: Vec<T>,
    /// How many were left alone because this build cannot read them.
    pub unreadable: usize,
    /// Where to go on, if there may be more.
    pub next: Option<PageMark>,
}

/// What lives among the coordination data.
#[async_trait]
pub trait CoordinationListing: Send + Sync {
    /// Prepared handoffs that have not been consumed.
    async fn list_handoffs(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<HandoffCacheRecord>>;

    /// Presence, by character.
    async fn list_presence(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<PresenceRecord>>;

    /// The resume ledger.
    async fn list_ledger(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<ResumeLedgerRecord>>;
}

impl<T> Page<T> {
    /// A page of what has been read, each record with its key: `Ok(None)` for one that does
    /// not live any more.
    ///
    /// # Errors
    /// Where the store itself failed.
    pub(super) fn of(
        read: impl IntoIterator<Item = (String, StoreResult<Option<T>>)>,
    ) -> StoreResult<Self> {
        let mut page = Self { records: Vec::new(), unreadable: 0, next: None };
        let (mut looked_at, mut last) = (0, None);
        for (key, record) in read {
            match record {
                Ok(record) => page.records.extend(record),
                Err(StoreError::Unreadable { key, reason }) => {
                    tracing::warn!(key, reason, "left out of a listing");
                    page.unreadable += 1;
                }
                Err(error) => return Err(error),
            }
            looked_at += 1;
            last = Some(PageMark(key));
        }
        if looked_at >= LISTING_PAGE {
            page.next = last;
        }
        Ok(page)
    }
}
