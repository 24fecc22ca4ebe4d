//! When reconciliation runs: at the start of a process until it has been complete once, and
//! with the control plane for as long as it lives, because Redis may come back empty at any
//! time. Nothing waits for it, and no failure of it stops a start.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::domain::reconcile::Scope;
use crate::flows::reconcile_startup::{self, Reconciled, Reconciler};

/// How soon a run is repeated to which a store did not answer, and how often the control plane
/// looks for handoffs that have been forgotten: well within the life of one
/// ([`shared::limits::HANDOFF_TOKEN_LIFE`]), so that whoever is about to enter still can.
pub const RECONCILE_RETRY: Duration = Duration::from_secs(2);
/// How often the control plane looks at everything.
pub const RECONCILE_PERIOD: Duration = Duration::from_secs(60);

/// Runs until `stopping`; for one instance, until a run was complete.
pub async fn run(reconciler: Reconciler, stopping: CancellationToken) {
    let mut turns = tokio::time::interval(RECONCILE_RETRY);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The next run of everything is due at once.
    let mut due: Option<Instant> = None;
    loop {
        let now = tokio::select! {
            () = stopping.cancelled() => return,
            now = turns.tick() => now,
        };
        if due.is_some_and(|due| now < due) {
            tell(&reconcile_startup::restore_handoffs(&reconciler).await);
            continue;
        }
        let done = reconcile_startup::run(&reconciler).await;
        tell(&done);
        if done.is_incomplete {
            continue;
        }
        match reconciler.scope {
            Scope::Everything => due = Some(now + RECONCILE_PERIOD),
            Scope::Instance(_) => break,
        }
    }
    // A part of a server that ends by itself would end the server.
    stopping.cancelled().await;
}

fn tell(done: &Reconciled) {
    if !done.repairs.is_empty() {
        tracing::info!(repairs = ?done.repairs, "coordination data has been reconciled");
    }
}
