//! What happens when the realtime stream claims a session that nobody plays in this process:
//! the pending session becomes the active one. One that an earlier process had, of this
//! instance or another, is brought back from the resume ledger before, whether it was claimed
//! there or not. Source: the spec's "Pending, Active, Resume".

use shared::coordination::{LedgerPhase, TokenHash};
use shared::gameplay::RejectionCode;
use shared::realtime::message::{ByeCode, Claim, RealtimeHello};
use shared::secret::{ResumeToken, SessionToken};

use super::{disconnect, game_handshake, resume_session, session_records};
use crate::clock::hash_token;
use crate::domain::handshake::Outcome;
use crate::domain::session_claims::{ClaimGeneration, ClaimRefused};
use crate::domain::session_directory::{Claimed, PendingRealtimeSession};
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

/// Promotes the session that the hello claims. One that is played here already is
/// [resumed](resume_session). One that is unknown here is looked for in the resume ledger:
/// an earlier process may have had it.
///
/// # Errors
/// The Bye that the client gets. After [`ByeCode::Unavailable`] the same claim may be
/// repeated within the session's time.
pub async fn run(game: &GameServer, hello: &RealtimeHello) -> Result<ActivatedSession, ByeCode> {
    if !game.may_act() {
        return Err(ByeCode::Unavailable);
    }
    let token = &hello.session_token;
    let secret = match &hello.claim {
        Claim::Ticket(ticket) => hash_token(ticket.expose()),
        Claim::Resume(resume_token) => hash_token(resume_token.expose()),
    };
    // Clients say names before anybody knows them; those of this server have such a token.
    if game.tickets.resume_token(token, ClaimGeneration::FIRST.0).is_none() {
        return Err(ByeCode::UnknownSession);
    }
    let promoted = match promote(game, token, &secret).await {
        Err(NotPromoted::Unknown) => {
            restore(game, token, &secret).await?;
            promote(game, token, &secret).await
        }
        answer => answer,
    };
    match promoted {
        Ok(activated) => Ok(activated),
        Err(NotPromoted::Refused(code)) => Err(code),
        Err(NotPromoted::PlaysHere) => resume_session::run(game, token, &secret).await,
        Err(NotPromoted::Unknown) => Err(ByeCode::UnknownSession),
    }
}

/// Why no pending session has become the active one.
enum NotPromoted {
    /// It is active already.
    PlaysHere,
    /// It is not here.
    Unknown,
    /// It was there.
    Refused(ByeCode),
}

async fn promote(
    game: &GameServer,
    token: &SessionToken,
    secret: &TokenHash,
) -> Result<ActivatedSession, NotPromoted> {
    let (handle, control) = session_channel();
    let resume_token = |claim: ClaimGeneration| {
        let next = game.tickets.resume_token(token, claim.0);
        next.expect("a session of this server has a name that tokens have room for")
    };
    let now = game.clock.now();
    let claimed = {
        let mut directory = game.directory();
        if directory.is_active(token) {
            return Err(NotPromoted::PlaysHere);
        }
        let answer = |claim| hash_token(resume_token(claim).expose());
        directory.claim(token, secret, answer, handle, now)
    };
    let Claimed { session, claim } = match claimed {
        Ok(claimed) => claimed,
        Err(ClaimRefused::Unknown) => return Err(NotPromoted::Unknown),
        Err(refused) => return Err(NotPromoted::Refused(resume_session::bye_of(refused))),
    };
    let code = match write_down(game, &session).await {
        Ok(true) => {
            game.directory().open(token, session.character.epoch);
            let resume_token = resume_token(claim);
            return Ok(ActivatedSession { session, claim, control, resume_token });
        }
        Ok(false) => {
            give_up(game, &session, claim).await;
            ByeCode::Superseded
        }
        Err(error) => {
            tracing::error!(%error, "a store did not take an activation");
            let epoch = session.character.epoch;
            let restored = game.directory().restore_pending(token, epoch, game.clock.now());
            if restored {
                ByeCode::Unavailable
            } else {
                give_up(game, &session, claim).await;
                ByeCode::Superseded
            }
        }
    };
    Err(NotPromoted::Refused(code))
}

/// Writes down that a session has been claimed; gives whether it still has its character.
async fn write_down(game: &GameServer, session: &PendingRealtimeSession) -> StoreResult<bool> {
    let Some(claims) = game.directory().ledger_claims(session) else { return Ok(false) };
    let now = game.clock.now();
    let phase = LedgerPhase::Active(claims);
    let record = session_records::ledger(session, &game.identity, phase, now);
    let ledger = game.ledger.put_ledger(&record, now).await?;
    // Last, so that whatever fails before it leaves the attempt open to a retry.
    let (character, epoch) = (session.character.id, session.character.epoch);
    let claimed = game.characters.mark_claimed(character, epoch).await?;
    Ok(ledger == EpochWrite::Written && claimed == SaveOutcome::Saved)
}

/// Ends a session that has been claimed and that nobody ever served.
async fn give_up(game: &GameServer, session: &PendingRealtimeSession, claim: ClaimGeneration) {
    if disconnect::begin(game, session, claim) {
        let reason = disconnect::EndReason::Ended(ByeCode::Superseded);
        disconnect::run(game, session, None, reason).await;
    }
}

/// A session on its way back from the ledger: whoever claims it too is told to wait.
struct OnItsWay<'a> {
    game: &'a GameServer,
    token: &'a SessionToken,
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        self.game.directory().end_recovery(self.token);
    }
}

/// Brings a session back from the resume ledger, if it is there and `secret` opens it.
async fn restore(
    game: &GameServer,
    token: &SessionToken,
    secret: &TokenHash,
) -> Result<(), ByeCode> {
    if !game.directory().begin_recovery(token) {
        return Err(ByeCode::Unavailable);
    }
    let _on_its_way = OnItsWay { game, token };
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
    match game_handshake::run_recovery(game, secret, record).await {
        Outcome::Accepted(session) => {
            tracing::info!(?token, character = %session.character.name, "restored from the ledger");
            Ok(())
        }
        Outcome::Rejected(RejectionCode::LoginEnded) => Err(ByeCode::LoginEnded),
        Outcome::Rejected(_) | Outcome::Redirected(_) => Err(ByeCode::UnknownSession),
        Outcome::Unavailable => Err(ByeCode::Unavailable),
    }
}
