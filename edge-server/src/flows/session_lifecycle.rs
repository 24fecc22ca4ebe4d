//! What happens to the end of a session that meets a store which does not answer: the journal
//! has it from before its first step until nothing of it is left. Source: the spec's "Pending,
//! Active, Resume" and "Failure And Recovery".
//!
//! Whoever ends a session takes its steps at once. What did not work is put into the queue, from
//! which the lifecycle workers take it again, here or at another instance; what a process that
//! died had in hand comes back into the queue as well. Each step compares session and epoch, so
//! it does no harm twice, or late.
//!
//! While the journal itself does not answer, the process keeps the work ([`Backlog`]) and hands
//! it over as soon as it does.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shared::ids::LifecycleId;
use shared::lifecycle::{LifecycleEntry, LifecycleStep};
use shared::version::PayloadVersion;

use tokio::sync::{RwLock, RwLockWriteGuard};

use crate::clock::new_uuid;
use crate::domain::lifecycle::{Afterwards, FailedStep, after_try};
use crate::domain::session_directory::PendingRealtimeSession;
use crate::game::GameServer;
use crate::stores::{LocationSave, Outage, SaveOutcome, StoreResult};

/// How long the end of a session goes on trying to commit its last place before the rest of it
/// is taken: so long its presence stands, and whoever enters anew has it waited for.
pub const PLACE_PATIENCE: Duration = Duration::from_secs(30);
/// How long each of the other steps is tried by whoever ends a session.
pub const STEP_PATIENCE: Duration = Duration::from_millis(1_500);
/// Pause before the second try of a step; it doubles with every further one.
pub const STEP_FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause between two tries of a step.
pub const STEP_MAX_PAUSE: Duration = Duration::from_secs(1);
/// Ends of sessions that a process keeps while the journal does not answer. Beyond it the
/// oldest is given up: its records end by their expiry.
pub const MAX_BACKLOG: usize = 4_096;

/// What the journal could not be told, and whether ends of sessions are under way.
#[derive(Debug, Default)]
pub struct Backlog {
    kept: Mutex<VecDeque<LifecycleEntry>>,
    /// Shared by the ends that are under way: their entries are in hand, and nobody else's.
    under_way: RwLock<()>,
}

impl Backlog {
    fn lock(&self) -> MutexGuard<'_, VecDeque<LifecycleEntry>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps ends from beginning for as long as the value lives; nothing where one is under
    /// way.
    #[must_use]
    pub fn while_none_is_under_way(&self) -> Option<RwLockWriteGuard<'_, ()>> {
        self.under_way.try_write().ok()
    }

    fn keep(&self, entry: LifecycleEntry) {
        let mut kept = self.lock();
        if kept.len() >= MAX_BACKLOG
            && let Some(lost) = kept.pop_front()
        {
            tracing::error!(session = ?lost.session_token, "the end of a session is given up");
        }
        kept.push_back(entry);
    }

    fn next(&self) -> Option<LifecycleEntry> {
        self.lock().pop_front()
    }

    /// How much of it there is.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether the journal has been told everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Takes steps of a session's end, by the journal.
pub async fn end(game: &GameServer, session: &PendingRealtimeSession, steps: Vec<LifecycleStep>) {
    let now = game.clock.now();
    let entry = LifecycleEntry {
        payload_version: PayloadVersion::CURRENT,
        id: LifecycleId::new(new_uuid()),
        account_id: session.account_id,
        character_id: session.character.id,
        character_name: session.character.name.clone(),
        session_token: session.session_token.clone(),
        epoch: session.character.epoch,
        instance: game.identity.id.clone(),
        steps,
        attempts: 0,
        not_before: now,
        created_at: now,
        last_error: None,
    };
    let _under_way = game.backlog.under_way.read().await;
    let begun = game.journal.begin_work(&game.identity.id, &entry).await;
    if let Err(error) = &begun {
        tracing::warn!(%error, "the journal did not take the end of a session");
    }
    let mut failed = Vec::new();
    for step in &entry.steps {
        failed.extend(with_patience(game, &entry, step).await.err());
    }
    conclude(game, entry, failed, begun.is_ok()).await;
}

/// Tries work of the journal once.
pub async fn work(game: &GameServer, entry: LifecycleEntry) {
    if is_active_again(game, &entry) {
        tracing::info!(session = ?entry.session_token, "its end is stale: it is active again");
        return conclude(game, entry, Vec::new(), true).await;
    }
    let mut failed = Vec::new();
    for step in &entry.steps {
        failed.extend(take_step(game, &entry, step).await.err());
    }
    conclude(game, entry, failed, true).await;
}

/// Hands over what the journal could not be told; stops at the first that it does not take.
pub async fn hand_over_backlog(game: &GameServer) {
    while let Some(entry) = game.backlog.next() {
        let worker = &game.identity.id;
        let told = async {
            game.journal.begin_work(worker, &entry).await?;
            game.journal.defer_work(worker, &entry).await
        };
        if let Err(error) = told.await {
            tracing::warn!(%error, "the journal still does not answer");
            return game.backlog.keep(entry);
        }
    }
}

/// Whether the very session of an entry plays here: then nothing of it is stale.
fn is_active_again(game: &GameServer, entry: &LifecycleEntry) -> bool {
    let directory = game.directory();
    directory.all_active().any(|active| {
        active.session.session_token == entry.session_token
            && active.session.character.epoch == entry.epoch
            && !active.is_leaving()
    })
}

async fn conclude(
    game: &GameServer,
    entry: LifecycleEntry,
    failed: Vec<FailedStep>,
    is_in_hand: bool,
) {
    let (id, session) = (entry.id, entry.session_token.clone());
    let (worker, journal) = (&game.identity.id, &game.journal);
    let (told, left): (StoreResult<bool>, _) = match after_try(entry, failed, game.clock.now()) {
        // Also where the journal has not answered: it may have taken it. What cannot be struck
        // out is done again later, which does no harm.
        Afterwards::Done => (journal.finish_work(worker, id).await, None),
        Afterwards::Later(left) => {
            metrics::counter!("aether_lifecycle_retries_total").increment(1);
            tracing::warn!(?session, error = ?left.last_error, "the end of a session goes on later");
            if !is_in_hand {
                return game.backlog.keep(left);
            }
            (journal.defer_work(worker, &left).await, Some(left))
        }
        Afterwards::Dead(left) => {
            metrics::counter!("aether_lifecycle_buried_total").increment(1);
            tracing::error!(?session, %id, error = ?left.last_error, "a dead letter");
            if !is_in_hand {
                return game.backlog.keep(left);
            }
            (journal.bury_work(worker, &left).await, Some(left))
        }
    };
    if let Err(error) = told {
        tracing::warn!(%error, ?session, "the journal was not told");
        if let Some(left) = left {
            game.backlog.keep(left);
        }
    }
}

/// Tries a step for as long as it is worth to whoever ends the session.
async fn with_patience(
    game: &GameServer,
    entry: &LifecycleEntry,
    step: &LifecycleStep,
) -> Result<(), FailedStep> {
    let patience = match step {
        LifecycleStep::SavePlace { .. } => PLACE_PATIENCE,
        LifecycleStep::RemovePresence | LifecycleStep::RemoveLedger => STEP_PATIENCE,
    };
    let tried = patiently(
        game,
        patience,
        |failed: &FailedStep| failed.may_pass,
        async || take_step(game, entry, step).await,
    );
    tried.await.inspect_err(|failed| {
        tracing::warn!(error = failed.error, ?step, "a step of a session's end is put off");
    })
}

/// Tries something for so long, while its error `may_pass`, with growing pauses.
pub(super) async fn patiently<T, E, F: Future<Output = Result<T, E>>>(
    game: &GameServer,
    patience: Duration,
    may_pass: impl Fn(&E) -> bool,
    mut attempt: impl FnMut() -> F,
) -> Result<T, E> {
    let end = game.clock.moment() + patience;
    let mut pause = STEP_FIRST_PAUSE;
    loop {
        match attempt().await {
            Err(error) if may_pass(&error) && game.clock.moment() + pause < end => {
                tokio::time::sleep(pause).await;
            }
            tried => return tried,
        }
        pause = (pause * 2).min(STEP_MAX_PAUSE);
    }
}

async fn take_step(
    game: &GameServer,
    entry: &LifecycleEntry,
    step: &LifecycleStep,
) -> Result<(), FailedStep> {
    let (character, session, epoch) = (entry.character_id, &entry.session_token, entry.epoch);
    match step {
        LifecycleStep::SavePlace { zone, tile } => {
            let save =
                LocationSave { character_id: character, epoch, zone: zone.clone(), tile: *tile };
            let saved = game.characters.save_locations(&[save]).await;
            let outcomes = saved.map_err(|error| failed(step, &error))?;
            if outcomes.contains(&SaveOutcome::Stale) {
                tracing::info!(?session, "its place counts no more: another session came after");
            }
            Ok(())
        }
        LifecycleStep::RemovePresence => game
            .control_plane
            .remove_presence(entry.account_id, character, session, epoch)
            .await
            .map_err(|error| failed(step, &error)),
        LifecycleStep::RemoveLedger => match game.ledger.remove_ledger(session, epoch).await {
            Ok(_) => Ok(()),
            Err(error) => Err(failed(step, &error)),
        },
    }
}

fn failed(step: &LifecycleStep, error: &dyn Outage) -> FailedStep {
    FailedStep { step: step.clone(), error: error.to_string(), may_pass: error.may_pass() }
}
