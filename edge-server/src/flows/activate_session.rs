//! What happens when the realtime stream claims a ticket: the pending session becomes the
//! active one. Source: the spec's "Pending, Active, Resume".

use shared::coordination::{LedgerPhase, TokenHash};
use shared::realtime::message::{ByeCode, Claim, RealtimeHello};
use shared::secret::{ResumeToken, SessionToken};

use super::{disconnect, game_handshake, session_records};
use crate::clock::hash_token;
use crate::domain::handshake::Outcome;
use crate::domain::session_directory::{ClaimRefused, PendingRealtimeSession};
use crate::game::GameServer;
use crate::session_handle::{SessionControl, session_channel};
use crate::stores::{EpochWrite, SaveOutcome, StoreError, StoreResult};

/// A claimed session, for the task that serves its connection.
#[derive(Debug)]
pub struct ActivatedSession {
    /// Who plays, where, and with which epoch.
    pub session: PendingRealtimeSession,
    /// How others ask the session to end, and learn that it has.
    pub control: SessionControl,
    /// The secret of the next claim.
    pub resume_token: ResumeToken,
}

/// Promotes the session that the hello claims. One that is not pending here is looked for
/// in the resume ledger: it may have been accepted by an earlier process of this instance.
///
/// # Errors
/// The Bye that the client gets. After [`ByeCode::Unavailable`] the session is pending
/// again, and the same claim may be repeated within its time.
pub async fn run(game: &GameServer, hello: &RealtimeHello) -> Result<ActivatedSession, ByeCode> {
    let Claim::Ticket(ticket) = &hello.claim else { return Err(ByeCode::UnknownSession) };
    let ticket = hash_token(ticket.expose());
    let (handle, control) = session_channel();
    let token = &hello.session_token;
    let now = game.clock.now();
    let mut claimed = game.directory().claim(token, &ticket, handle.clone(), now);
    if claimed == Err(ClaimRefused::Unknown) {
        restore_pending(game, token, &ticket).await?;
        claimed = game.directory().claim(token, &ticket, handle, game.clock.now());
    }
    let session = claimed.map_err(|refused| match refused {
        ClaimRefused::Unknown | ClaimRefused::WrongTicket => ByeCode::UnknownSession,
    })?;
    let record = session_records::ledger(&session, &game.identity, LedgerPhase::Active, now);
    let written = async {
        let ledger = game.ledger.put_ledger(&record, now).await?;
        // Last, so that whatever fails before it leaves the attempt open to a retry.
        let claimed =
            game.characters.mark_claimed(session.character.id, session.character.epoch).await?;
        StoreResult::Ok(ledger == EpochWrite::Written && claimed == SaveOutcome::Saved)
    };
    match written.await {
        Ok(true) => {
            let resume_token = game.tickets.resume_token(token, 1);
            Ok(ActivatedSession { session, control, resume_token })
        }
        Ok(false) => {
            let reason = disconnect::EndReason::Ended(ByeCode::Superseded);
            disconnect::run(game, &session, None, reason).await;
            Err(ByeCode::Superseded)
        }
        Err(error) => {
            tracing::error!(%error, "a store did not take an activation");
            let (token, epoch) = (&session.session_token, session.character.epoch);
            let restored = game.directory().restore_pending(token, epoch, now);
            if !restored {
                let reason = disconnect::EndReason::Ended(ByeCode::Superseded);
                disconnect::run(game, &session, None, reason).await;
                return Err(ByeCode::Superseded);
            }
            Err(ByeCode::Unavailable)
        }
    }
}

/// Brings an accepted session back from the resume ledger.
async fn restore_pending(
    game: &GameServer,
    token: &SessionToken,
    ticket: &TokenHash,
) -> Result<(), ByeCode> {
    let record = match game.ledger.ledger(token, game.clock.now()).await {
        Ok(Some(record)) => record,
        Ok(None) => return Err(ByeCode::UnknownSession),
        Err(error @ StoreError::Unreadable { .. }) => {
            tracing::error!(%error, "a session cannot be restored");
            return Err(ByeCode::UnknownSession);
        }
        Err(error) => {
            tracing::error!(%error, "the ledger did not answer");
            return Err(ByeCode::Unavailable);
        }
    };
    match game_handshake::run_recovery(game, ticket, record).await {
        Outcome::Accepted(session) => {
            tracing::info!(?token, character = %session.character.name, "restored from the ledger");
            Ok(())
        }
        Outcome::Rejected(_) | Outcome::Redirected(_) => Err(ByeCode::UnknownSession),
        Outcome::Unavailable => Err(ByeCode::Unavailable),
    }
}
