//! What happens when a session ends, for whatever reason: its place is committed, then
//! everything that points to it is removed. Each step compares session and epoch, so a
//! late one never touches a newer session (I12).

use std::time::Duration;

use shared::coordination::LedgerPhase;
use shared::realtime::message::ByeCode;
use shared::world::Tile;

use super::session_records;
use crate::domain::session_claims::ClaimGeneration;
use crate::domain::session_directory::PendingRealtimeSession;
use crate::game::GameServer;
use crate::stores::{LocationSave, Outage, SaveOutcome};

/// Tries of each step before it is left to the record's expiry.
pub const DISCONNECT_TRIES: u32 = 5;
/// Pause before the second try; it doubles with every further one.
pub const DISCONNECT_BACKOFF: Duration = Duration::from_millis(100);

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

/// Ends a session whose end has [begun](begin), or that was never claimed; `last` is its place, if it ever stood in the world. What fails here is
/// logged: nobody waits for it.
pub async fn run(
    game: &GameServer,
    session: &PendingRealtimeSession,
    last: Option<Tile>,
    reason: EndReason,
) {
    let (token, epoch) = (&session.session_token, session.character.epoch);
    tracing::info!(?token, ?reason, character = %session.character.name, "a session ends");
    if let Some(tile) = last {
        save_place(game, session, tile).await;
    }
    if reason == EndReason::Ended(ByeCode::ShuttingDown) {
        let_go(game, session).await;
    } else {
        remove_records(game, session).await;
    }
    // The seat goes last: while anything of the session is left, its seat is taken.
    game.directory().remove_active(token, epoch);
}

/// Of a server that stops: a session that was played stays in the ledger, for whoever takes
/// it up. Where that cannot be written, it is as if the process had died: the record of before
/// stays, and is good once the instance is known to be gone.
async fn let_go(game: &GameServer, session: &PendingRealtimeSession) {
    let claims = game.directory().last_claims(session);
    let Some(claims) = claims.or_else(|| session.claimed_before.clone()) else {
        return remove_records(game, session).await;
    };
    remove_presence(game, session).await;
    let _turn = game.ledger_turn.lock().await;
    persist("let the session go", || async {
        let (now, phase) = (game.clock.now(), LedgerPhase::Left(claims.clone()));
        let record = session_records::ledger(session, &game.identity, phase, now);
        game.ledger.put_ledger(&record, now).await
    })
    .await;
}

/// Removes presence and ledger where they are still this session's.
pub async fn remove_records(game: &GameServer, session: &PendingRealtimeSession) {
    remove_presence(game, session).await;
    remove_ledger(game, session).await;
}

/// Removes presence where it is still this session's.
pub async fn remove_presence(game: &GameServer, session: &PendingRealtimeSession) {
    let (token, epoch) = (&session.session_token, session.character.epoch);
    persist("remove presence", || async {
        let character = session.character.id;
        let plane = &game.control_plane;
        plane.remove_presence(session.account_id, character, token, epoch).await
    })
    .await;
}

/// Removes the ledger entry where it is still this session's.
pub async fn remove_ledger(game: &GameServer, session: &PendingRealtimeSession) {
    let (token, epoch) = (&session.session_token, session.character.epoch);
    persist("remove the ledger entry", || game.ledger.remove_ledger(token, epoch)).await;
}

async fn save_place(game: &GameServer, session: &PendingRealtimeSession, tile: Tile) {
    let save = LocationSave {
        character_id: session.character.id,
        epoch: session.character.epoch,
        zone: session.placement.zone.clone(),
        tile,
    };
    let saves = [save];
    let saved = persist("save the place", || game.characters.save_locations(&saves)).await;
    let character = &session.character.name;
    match saved {
        Some(outcomes) if outcomes.contains(&SaveOutcome::Stale) => {
            tracing::info!(%character, "the place was not saved: a newer session has the character");
        }
        Some(_) => {}
        // The saver goes on trying for as long as the process lives.
        None => {
            if game.saver.offer(saves.to_vec()).is_err() {
                tracing::error!(%character, "the last place is lost: the saver is full");
            }
        }
    }
}

/// Tries a step a bounded number of times; gives its result or nothing.
async fn persist<T, E: Outage, F: Future<Output = Result<T, E>>>(
    what: &str,
    mut attempt: impl FnMut() -> F,
) -> Option<T> {
    let mut pause = DISCONNECT_BACKOFF;
    for round in 1..=DISCONNECT_TRIES {
        match attempt().await {
            Ok(done) => return Some(done),
            Err(error) if round == DISCONNECT_TRIES || !error.may_pass() => {
                tracing::error!(%error, "a disconnect could not {what}");
            }
            Err(error) => {
                tracing::warn!(%error, round, "a disconnect could not {what} yet");
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
        }
    }
    None
}
