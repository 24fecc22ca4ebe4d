//! What happens when a session ends, for whatever reason: its place is committed, then
//! everything that points to it is removed. Each step compares session and epoch, so a
//! late one never touches a newer session (I12).

use shared::coordination::{LedgerClaims, LedgerPhase};
use shared::lifecycle::LifecycleStep;
use shared::realtime::message::ByeCode;
use shared::world::Tile;

use super::session_lifecycle::{STEP_PATIENCE, patiently};
use super::{session_lifecycle, session_records};
use crate::domain::session_claims::ClaimGeneration;
use crate::domain::session_directory::PendingRealtimeSession;
use crate::game::GameServer;
use crate::stores::{Outage as _, StoreError};

/// Why a session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The player left.
    LoggedOut,
    /// The connection was lost.
    Lost,
    /// The server ended it.
    Ended(ByeCode),
}

impl EndReason {
    /// Whether only the connection has ended: nobody wanted the session to.
    #[must_use]
    pub fn is_loss(self) -> bool {
        matches!(self, Self::Lost | Self::Ended(ByeCode::TimedOut))
    }
}

/// Begins the end of a claimed session; gives `false` where a later claim has it. Then the
/// one that ends must not touch anything of it: body, seat, presence and ledger go on.
#[must_use]
pub fn begin(game: &GameServer, session: &PendingRealtimeSession, claim: ClaimGeneration) -> bool {
    let begun = game.directory().begin_leaving(session, claim);
    if !begun {
        tracing::info!(token = ?session.session_token, claim = claim.0, "a later claim has it");
    }
    begun
}

/// Ends a session whose end has [begun](begin), or that was never claimed; `last` is its place,
/// if it ever stood in the world. What fails here is the journal's (`session_lifecycle`).
pub async fn run(
    game: &GameServer,
    session: &PendingRealtimeSession,
    last: Option<Tile>,
    reason: EndReason,
) {
    let (token, epoch) = (&session.session_token, session.character.epoch);
    tracing::info!(?token, ?reason, character = %session.character.name, "a session ends");
    let place =
        last.map(|tile| LifecycleStep::SavePlace { zone: session.placement.zone.clone(), tile });
    let mut steps: Vec<LifecycleStep> =
        place.into_iter().chain([LifecycleStep::RemovePresence]).collect();
    // A session that was played stays in the ledger when its server stops.
    let let_go = if reason == EndReason::Ended(ByeCode::ShuttingDown) {
        game.directory().last_claims(session).or_else(|| session.claimed_before.clone())
    } else {
        None
    };
    if let_go.is_none() {
        steps.push(LifecycleStep::RemoveLedger);
    }
    session_lifecycle::end(game, session, steps).await;
    if let Some(claims) = let_go {
        write_that_it_is_left(game, session, claims).await;
    }
    // The seat goes last: while anybody waits for the session to leave, it is there.
    game.directory().remove_active(token, epoch);
}

/// Of a server that stops: a session that was played stays in the ledger, for whoever takes
/// it up. Where that cannot be written, it is as if the process had died: the record of before
/// stays, and is good once the instance is known to be gone.
async fn write_that_it_is_left(
    game: &GameServer,
    session: &PendingRealtimeSession,
    claims: LedgerClaims,
) {
    let _turn = game.ledger_turn.lock().await;
    let put = patiently(game, STEP_PATIENCE, StoreError::may_pass, || async {
        let (now, phase) = (game.clock.now(), LedgerPhase::Left(claims.clone()));
        let record = session_records::ledger(session, &game.identity, phase, now);
        game.ledger.put_ledger(&record, now).await
    });
    if let Err(error) = put.await {
        tracing::warn!(%error, "a session that was let go waits for the end of the lease");
    }
}

/// Removes presence and ledger where they are still this session's.
pub async fn remove_records(game: &GameServer, session: &PendingRealtimeSession) {
    let records = vec![LifecycleStep::RemovePresence, LifecycleStep::RemoveLedger];
    session_lifecycle::end(game, session, records).await;
}

/// Removes presence where it is still this session's.
pub async fn remove_presence(game: &GameServer, session: &PendingRealtimeSession) {
    session_lifecycle::end(game, session, vec![LifecycleStep::RemovePresence]).await;
}

/// Removes the ledger entry where it is still this session's.
pub async fn remove_ledger(game: &GameServer, session: &PendingRealtimeSession) {
    session_lifecycle::end(game, session, vec![LifecycleStep::RemoveLedger]).await;
}
