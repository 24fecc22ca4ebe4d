//! What happens when a process has started, and from time to time after that: coordination
//! data that a crash or an empty Redis has left wrong is repaired. Source: the spec's
//! "Control-Plane Handoff Records", last paragraph.
//!
//! It reads, decides (`domain/reconcile.rs`), carries the repairs out one by one and logs each.
//! Every repair is a step that compares token, session or epoch, so it may run during play,
//! beside another one, and be broken off anywhere. What a store does not answer is left for
//! the next run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use shared::coordination::HandoffCacheRecord;
use shared::ids::{CharacterId, UnixMillis};

use crate::clock::Clock;
use crate::domain::reconcile::{
    self, Repair, Rows, Scope, orphaned_ledger, orphaned_presence, removals, restorations,
    roll_backs,
};
use crate::stores::{
    CharacterStore, CoordinationListing, HandoffStore, LegacyHandoffStore, LoginStore, Page,
    PageMark, PresenceStore, RegistryStore, ResumeLedgerStore, StoreError, StoreResult,
    TransferMarkerStore,
};

/// Pages of one listing that a run reads at most; the rest waits for records to end.
pub const MAX_PAGES: usize = 500;

/// How long ago a transfer may have ended for a run to look at it: longer than the pause
/// between two runs ([`crate::workers::reconciler::RECONCILE_PERIOD`]). What ended earlier has
/// been collected as garbage.
pub const ENDED_TRANSFERS: Duration = Duration::from_secs(300);

/// What reconciliation works with.
#[derive(Clone)]
pub struct Reconciler {
    /// Whose records it looks at.
    pub scope: Scope,
    /// Characters: the durable arbiter.
    pub characters: Arc<dyn CharacterStore>,
    /// Logins: a handoff is good for one that is alive.
    pub logins: Arc<dyn LoginStore>,
    /// The rows that handoffs are rebuilt from.
    pub legacy_handoffs: Arc<dyn LegacyHandoffStore>,
    /// The handoffs as they are used.
    pub handoffs: Arc<dyn HandoffStore>,
    /// Markers of activated transfers.
    pub transfers: Arc<dyn TransferMarkerStore>,
    /// Presence.
    pub presence: Arc<dyn PresenceStore>,
    /// The resume ledger.
    pub ledger: Arc<dyn ResumeLedgerStore>,
    /// Who lives.
    pub registry: Arc<dyn RegistryStore>,
    /// All that stands there.
    pub listing: Arc<dyn CoordinationListing>,
    /// Judges every expiry.
    pub clock: Clock,
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// How often each repair was made, by its name.
    pub repairs: BTreeMap<&'static str, usize>,
    /// Whether a store did not answer somewhere: what it would have said is not repaired.
    pub is_incomplete: bool,
}

/// Repairs everything of the scope.
pub async fn run(reconciler: &Reconciler) -> Reconciled {
    let mut done = restore_handoffs(reconciler).await;
    if reconciler.scope == Scope::Everything {
        done.after(reconciler, reconciler.lapsed_transfers().await).await;
    }
    done.after(reconciler, reconciler.left_over().await).await;
    done
}

/// Puts handoffs back that the cache has forgotten, and no more: little work where it has not.
/// It is the control plane's; nothing is done in the scope of one instance.
pub async fn restore_handoffs(reconciler: &Reconciler) -> Reconciled {
    let mut done = Reconciled::default();
    if reconciler.scope == Scope::Everything {
        done.after(reconciler, reconciler.forgotten().await).await;
    }
    done
}

impl Reconciled {
    /// Adds what comes of a decision, if what it rests on could be read.
    async fn after(&mut self, reconciler: &Reconciler, decided: StoreResult<Vec<Repair>>) {
        match decided {
            Ok(repairs) => reconciler.carry_out(&repairs, self).await,
            Err(error) => {
                tracing::warn!(%error, "reconciliation is not complete; the next run tries again");
                self.is_incomplete = true;
            }
        }
    }
}

impl Reconciler {
    /// Reads what is to be known of forgotten handoffs, and decides.
    async fn forgotten(&self) -> StoreResult<Vec<Repair>> {
        let now = self.clock.now();
        let rows =
            all(
                |after| async move { self.legacy_handoffs.handoff_rows(after.as_ref(), now).await },
            )
            .await?;
        let tokens: Vec<_> = rows.iter().map(|record| record.token.clone()).collect();
        let forgotten: BTreeSet<_> =
            self.handoffs.forgotten_handoffs(&tokens, now).await?.into_iter().collect();
        let rows: Vec<HandoffCacheRecord> =
            rows.into_iter().filter(|record| forgotten.contains(&record.token)).collect();
        let mut logins = BTreeSet::new();
        for record in &rows {
            let account = self.logins.account_of_login(&record.login, now).await?;
            logins.extend(account.map(|account| (record.login.clone(), account.id)));
        }
        // After the handoffs: an epoch that stands now stood when they were looked at.
        let characters = self.rows_of(rows.iter().map(|record| record.character_id)).await?;
        Ok(restorations(rows, &characters, &logins, now))
    }

    /// Reads which transfers have ended of late without having been activated, and decides.
    async fn lapsed_transfers(&self) -> StoreResult<Vec<Repair>> {
        let now = self.clock.now();
        let ended = u64::try_from(ENDED_TRANSFERS.as_millis()).unwrap_or(u64::MAX);
        let since = UnixMillis(now.0.saturating_sub(ended));
        let handoffs =
            all(|after| async move { self.listing.list_handoffs(after.as_ref(), since).await })
                .await?;
        let lapsed = reconcile::lapsed_transfers(handoffs, now);
        let mut activated = BTreeSet::new();
        for token in lapsed.iter().map(|record| &record.token) {
            match self.transfers.activated(token, now).await {
                Ok(None) => {}
                Ok(Some(_)) | Err(StoreError::Unreadable { .. }) => {
                    activated.insert(token.clone());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(roll_backs(&lapsed, &activated))
    }

    /// Reads what is to be known of records that nobody answers for, and decides. Presence is
    /// read before the ledger, because a handshake writes it after; the registry comes after
    /// both, so that whoever wrote one and lives is in it; the rows come last, because an epoch
    /// only rises.
    async fn left_over(&self) -> StoreResult<Vec<Repair>> {
        let now = self.clock.now();
        let presence =
            all(|after| async move { self.listing.list_presence(after.as_ref(), now).await })
                .await?;
        let ledger =
            all(|after| async move { self.listing.list_ledger(after.as_ref(), now).await }).await?;
        let living = self.registry.instances(now).await?;
        let presence = orphaned_presence(&self.scope, presence, &living);
        let ledger = orphaned_ledger(&self.scope, ledger, &living);
        let mut in_ledger = BTreeSet::new();
        for session in presence.iter().map(|one| &one.session_token) {
            match self.ledger.ledger(session, now).await {
                Ok(None) => {}
                // What cannot be read is a record of a newer build, which may bring it back.
                Ok(Some(_)) | Err(StoreError::Unreadable { .. }) => {
                    in_ledger.insert(session.clone());
                }
                Err(error) => return Err(error),
            }
        }
        let of_presence = presence.iter().map(|one| one.character_id);
        let of_ledger = ledger.iter().map(|one| one.character_id);
        let rows = self.rows_of(of_presence.chain(of_ledger)).await?;
        Ok(removals(&presence, &ledger, &in_ledger, &rows))
    }

    async fn rows_of(&self, ids: impl Iterator<Item = CharacterId>) -> StoreResult<Rows> {
        let mut rows = Rows::new();
        for id in ids.collect::<BTreeSet<_>>() {
            match self.characters.character(id).await {
                Ok(row) => {
                    rows.insert(id, row);
                }
                // Nothing is decided about it.
                Err(StoreError::Unreadable { key, reason }) => {
                    tracing::warn!(key, reason, "a character is left out of reconciliation");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(rows)
    }

    async fn carry_out(&self, repairs: &[Repair], done: &mut Reconciled) {
        for repair in repairs {
            let name = repair.name();
            match self.apply(repair, self.clock.now()).await {
                Ok(true) => {
                    let character = repair.character();
                    tracing::info!(repair = name, %character, "coordination data was repaired");
                    metrics::counter!("aether_repairs_total", "repair" => name).increment(1);
                    *done.repairs.entry(name).or_default() += 1;
                }
                // It has changed since it was read, or another run was faster.
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, repair = name, "a repair was not taken");
                    done.is_incomplete = true;
                }
            }
        }
    }

    async fn apply(&self, repair: &Repair, now: UnixMillis) -> StoreResult<bool> {
        match repair {
            Repair::RestoreHandoff(record) => self.handoffs.restore_handoff(record, now).await,
            Repair::RollBackTransfer { token, .. } => self.handoffs.end_handoff(token, now).await,
            Repair::RemoveLedger { session, epoch, .. } => {
                self.ledger.remove_ledger(session, *epoch).await
            }
            Repair::RemovePresence { account_id, character_id, session, epoch } => {
                self.presence.remove_presence(*account_id, *character_id, session, *epoch).await
            }
        }
    }
}

/// Reads a listing to its end, or to [`MAX_PAGES`].
async fn all<T, F>(read: impl Fn(Option<PageMark>) -> F) -> StoreResult<Vec<T>>
where
    F: Future<Output = StoreResult<Page<T>>>,
{
    let (mut records, mut unreadable, mut after) = (Vec::new(), 0, None);
    for _page in 0..MAX_PAGES {
        let page = read(after.take()).await?;
        records.extend(page.records);
        unreadable += page.unreadable;
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if after.is_some() {
        tracing::warn!(read = records.len(), "a listing is longer than reconciliation reads");
    }
    if unreadable > 0 {
        tracing::warn!(unreadable, "records that this build cannot read were left alone");
    }
    Ok(records)
}
