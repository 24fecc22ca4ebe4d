//! What happens when the realtime stream claims a ticket: the pending session becomes the
//! active one. Source: the spec's "Pending, Active, Resume".

use shared::coordination::{LedgerPhase, TokenHash};
use shared::realtime::message::{ByeCode, Claim, RealtimeHello};
use shared::secret::{ResumeToken, SessionToken};

use super::{disconnect, game_handshake, resume_session, session_records};
use crate::clock::hash_token;
use crate::domain::handshake::Outcome;
use crate::domain::session_claims::{ClaimGeneration, ClaimRefused};
use crate::domain::session_directory::PendingRealtimeSession;
use crate::game::GameServer;
use crate::session_handle::{SessionControl, session_channel};
use crate::stores::{EpochWrite, SaveOutcome, StoreError, StoreResult};

/// A claimed session, for the task that serves its connection.
#[derive(Debug)]
pub struct ActivatedSession {
    /// Who plays, where, and with which epoch.
    pub session: PendingRealtimeSession,
    /// Which claim of it this is. What the connection does, it does under this number.
    pub claim: ClaimGeneration,
    /// How others ask the session to end, and learn that it has.
    pub control: SessionControl,
    /// The secret of the next claim.
    pub resume_token: ResumeToken,
}

/// Promotes the session that the hello claims. One that has been claimed already is
/// [resumed](resume_session). One that is unknown here is looked for in the resume ledger,
/// if it is claimed by its ticket: it may have been accepted by an earlier process of this
/// instance.
///
/// # Errors
/// The Bye that the client gets. After [`ByeCode::Unavailable`] the session is what it was
/// before, and the same claim may be repeated within its time.
pub async fn run(game: &GameServer, hello: &RealtimeHello) -> Result<ActivatedSession, ByeCode> {
    if !game.may_act() {
        return Err(ByeCode::Unavailable);
    }
    let token = &hello.session_token;
    let ticket = match &hello.claim {
        Claim::Ticket(ticket) => hash_token(ticket.expose()),
        Claim::Resume(resume_token) => {
            return resume_session::run(game, token, &hash_token(resume_token.expose())).await;
        }
    };
    let (handle, control) = session_channel();
    let claim = ClaimGeneration::FIRST;
    let Some(resume_token) = game.tickets.resume_token(token, claim.0) else {
        return Err(ByeCode::UnknownSession);
    };
    let answer = hash_token(resume_token.expose());
    let now = game.clock.now();
    let mut claimed = {
        let mut directory = game.directory();
        if directory.is_active(token) {
            None
        } else {
            Some(directory.claim(token, &ticket, answer.clone(), handle.clone(), now))
        }
    };
    if claimed == Some(Err(ClaimRefused::Unknown)) {
        restore_pending(game, token, &ticket).await?;
        let now = game.clock.now();
        claimed = Some(game.directory().claim(token, &ticket, answer, handle, now));
    }
    let Some(claimed) = claimed else { return resume_session::run(game, token, &ticket).await };
    let session = claimed.map_err(resume_session::bye_of)?;
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
            game.directory().open(token, session.character.epoch);
            Ok(ActivatedSession { session, claim, control, resume_token })
        }
        Ok(false) => {
            give_up(game, &session).await;
            Err(ByeCode::Superseded)
        }
        Err(error) => {
            tracing::error!(%error, "a store did not take an activation");
            let (token, epoch) = (&session.session_token, session.character.epoch);
            let restored = game.directory().restore_pending(token, epoch, now);
            if !restored {
                give_up(game, &session).await;
                return Err(ByeCode::Superseded);
            }
            Err(ByeCode::Unavailable)
        }
    }
}

/// Ends a session that has been claimed and that nobody ever served.
async fn give_up(game: &GameServer, session: &PendingRealtimeSession) {
    if disconnect::begin(game, session, ClaimGeneration::FIRST) {
        let reason = disconnect::EndReason::Ended(ByeCode::Superseded);
        disconnect::run(game, session, None, reason).await;
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
