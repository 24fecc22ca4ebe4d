//! What happens when the realtime stream claims a session: the pending one becomes the active
//! one, and an active one moves to the connection that claims it again. Source: the spec's
//! "Pending, Active, Resume".

use shared::coordination::{LedgerPhase, TokenHash};
use shared::realtime::message::{ByeCode, Claim, RealtimeHello};
use shared::secret::{ResumeToken, SessionToken};

use super::{disconnect, game_handshake, session_records};
use crate::clock::hash_token;
use crate::domain::handshake::Outcome;
use crate::domain::session_directory::{ClaimRefused, PendingRealtimeSession, ResumedSession};
use crate::game::GameServer;
use crate::session_handle::{SessionControl, session_channel};
use crate::stores::{EpochWrite, SaveOutcome, StoreError, StoreResult};

/// What a claim came to.
#[derive(Debug)]
pub enum Claimed {
    /// The session begins to play.
    First(Box<ActivatedSession>),
    /// The session has played before, and its task is to be given the new connection.
    Again(Box<ReclaimedSession>),
}

/// A session that has been claimed again.
#[derive(Debug)]
pub struct ReclaimedSession {
    /// Who plays, where, and with which epoch.
    pub session: PendingRealtimeSession,
    /// Which of its connections this is, counted from one.
    pub claims: u64,
    /// The secret of the next claim.
    pub resume_token: ResumeToken,
}

/// A claimed session, for the task that serves it.
#[derive(Debug)]
pub struct ActivatedSession {
    /// Who plays, where, and with which epoch.
    pub session: PendingRealtimeSession,
    /// How others ask the session to end, and learn that it has.
    pub control: SessionControl,
    /// The secret of the next claim.
    pub resume_token: ResumeToken,
}

/// Promotes the session that the hello claims, or claims it again. One that this process does
/// not have is looked for in the resume ledger: it may have been accepted by an earlier process
/// of this instance.
///
/// # Errors
/// The Bye that the client gets. After [`ByeCode::Unavailable`] the session is pending
/// again, and the same claim may be repeated within its time.
pub async fn run(game: &GameServer, hello: &RealtimeHello) -> Result<Claimed, ByeCode> {
    match &hello.claim {
        Claim::Ticket(ticket) => {
            let ticket = hash_token(ticket.expose());
            // The ticket of a session that plays: its first Welcome was lost on the way.
            match claim_again(game, &hello.session_token, &ticket) {
                Ok(claimed) => Ok(claimed),
                Err(_) => first_claim(game, &hello.session_token, &ticket).await,
            }
        }
        Claim::Resume(secret) => {
            claim_again(game, &hello.session_token, &hash_token(secret.expose()))
                .map_err(|_| ByeCode::UnknownSession)
        }
    }
}

fn claim_again(
    game: &GameServer,
    token: &SessionToken,
    secret: &TokenHash,
) -> Result<Claimed, ClaimRefused> {
    let press = |claims| game.tickets.resume_token(token, claims);
    let mint = |claims| hash_token(press(claims).expose());
    let resumed = game.directory().resume(token, secret, mint)?;
    let ResumedSession { session, claims } = resumed;
    tracing::info!(?token, claims, character = %session.character.name, "a session is claimed again");
    let resume_token = press(claims);
    Ok(Claimed::Again(Box::new(ReclaimedSession { session, claims, resume_token })))
}

async fn first_claim(
    game: &GameServer,
    token: &SessionToken,
    ticket: &TokenHash,
) -> Result<Claimed, ByeCode> {
    let (handle, control) = session_channel();
    let now = game.clock.now();
    let mut claimed = game.directory().claim(token, ticket, handle.clone(), now);
    if claimed == Err(ClaimRefused::Unknown) {
        restore_pending(game, token, ticket).await?;
        claimed = game.directory().claim(token, ticket, handle, game.clock.now());
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
            let epoch = session.character.epoch;
            game.directory().hand_out(token, epoch, hash_token(resume_token.expose()));
            Ok(Claimed::First(Box::new(ActivatedSession { session, control, resume_token })))
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
