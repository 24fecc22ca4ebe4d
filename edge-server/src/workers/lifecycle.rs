//! Works the session lifecycle journal: at each instance, what is due, whoever's it was; with
//! the control plane, what instances had in hand that have died.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::flows::session_lifecycle;
use crate::game::GameServer;
use crate::stores::{LifecycleJournal, RegistryStore, StoreResult};

/// How often an instance looks for work that is due.
pub const LIFECYCLE_PERIOD: Duration = Duration::from_secs(1);
/// Entries that one look takes on, at most: the others are for the next look, or another
/// instance.
pub const ENTRIES_A_LOOK: usize = 64;
/// How often an instance puts back into the queue what stands as its own work: of what is begun
/// and not concluded by then an answer of the journal was lost. While the end of a session is
/// under way it waits: that one's place goes first, and is not to be overtaken.
pub const OWN_RECOVERY_PERIOD: Duration = Duration::from_secs(60);
/// How often a control plane looks for work of instances that have died.
pub const ADOPTION_PERIOD: Duration = Duration::from_secs(5);

/// Runs until `stopping`.
pub async fn run(game: Arc<GameServer>, stopping: CancellationToken) {
    let mut period = tokio::time::interval(LIFECYCLE_PERIOD);
    period.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // What an earlier process has left is due at once.
    let mut recovery_due = game.clock.moment();
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            _ = period.tick() => {}
        }
        if game.clock.moment() >= recovery_due && recover(&game).await {
            recovery_due = game.clock.moment() + OWN_RECOVERY_PERIOD;
        }
        if game.may_act() {
            look(&game).await;
        }
    }
}

/// What stands as work of the instance is due now, unless the end of a session is under way.
/// Gives whether that was so and the journal has answered.
pub async fn recover(game: &GameServer) -> bool {
    let Some(_none) = game.backlog.while_none_is_under_way() else { return false };
    match game.journal.recover_work(&game.identity.id, game.clock.now()).await {
        Ok(count) => {
            if count > 0 {
                tracing::info!(count, "ends of sessions go on that were begun and not concluded");
            }
            true
        }
        Err(error) => {
            tracing::warn!(%error, "the journal does not answer");
            false
        }
    }
}

/// Does what is due, once.
pub async fn look(game: &GameServer) {
    session_lifecycle::hand_over_backlog(game).await;
    for _entry in 0..ENTRIES_A_LOOK {
        match game.journal.take_work(&game.identity.id, game.clock.now()).await {
            Ok(Some(entry)) => session_lifecycle::work(game, entry).await,
            Ok(None) => return,
            Err(error) => return tracing::warn!(%error, "the journal does not answer"),
        }
    }
}

/// Puts back into the queue what dead instances had in hand; runs until `stopping`.
pub async fn adopt(
    journal: Arc<dyn LifecycleJournal>,
    registry: Arc<dyn RegistryStore>,
    clock: Clock,
    stopping: CancellationToken,
) {
    let mut period = tokio::time::interval(ADOPTION_PERIOD);
    period.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            _ = period.tick() => {}
        }
        if let Err(error) = adopt_once(&*journal, &*registry, clock).await {
            tracing::warn!(%error, "work of dead instances was not looked for");
        }
    }
}

/// One look for work of dead instances.
///
/// # Errors
/// A store that does not answer; the next look goes on.
pub async fn adopt_once(
    journal: &dyn LifecycleJournal,
    registry: &dyn RegistryStore,
    clock: Clock,
) -> StoreResult<()> {
    let counts = journal.lifecycle_counts().await?;
    for (gauge, count) in
        [("aether_lifecycle_waiting", counts.waiting), ("aether_lifecycle_dead", counts.dead)]
    {
        // Exact far beyond any number of entries.
        metrics::gauge!(gauge).set(count as f64);
    }
    let workers = journal.workers().await?;
    if workers.is_empty() {
        return Ok(());
    }
    // After the workers: who has begun since, and registered before, is among the living.
    let living = registry.instances(clock.now()).await?;
    for worker in workers.iter().filter(|worker| living.iter().all(|one| one.id != **worker)) {
        let count = journal.recover_work(worker, clock.now()).await?;
        tracing::info!(%worker, count, "ends of sessions go on that a dead instance had begun");
    }
    Ok(())
}
