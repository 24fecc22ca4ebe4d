//! What happens when the realtime stream claims a session that has been claimed before:
//! after its connection was lost, whether or not that has been noticed here, or in a second
//! tab. The session moves to the new connection, and the one before is told so.
//!
//! Whatever can fail comes before the session is moved, so a claim that fails has changed
//! nothing here and may be repeated. The last of it is the ledger: once it knows the secret
//! that answers this claim, a later process accepts that one and the one that was presented,
//! whichever the client turns out to hold.

use shared::coordination::{LedgerClaims, LedgerPhase, TokenHash};
use shared::realtime::message::ByeCode;
use shared::secret::SessionToken;

use super::activate_session::ActivatedSession;
use super::{disconnect, release_sessions, session_records};
use crate::clock::hash_token;
use crate::domain::session_claims::{ClaimGeneration, ClaimRefused};
use crate::domain::session_directory::PendingRealtimeSession;
use crate::game::GameServer;
use crate::session_handle::session_channel;
use crate::stores::{EpochWrite, StoreResult};

/// Moves an active session of this process to a new connection, if `secret` opens it.
///
/// # Errors
/// The Bye that the client gets. A session that has lost its login or its character is
/// asked to end; otherwise nothing has changed.
pub async fn run(
    game: &GameServer,
    token: &SessionToken,
    secret: &TokenHash,
) -> Result<ActivatedSession, ByeCode> {
    let looked = game.directory().look(token, secret, game.clock.now());
    let session = looked.map_err(bye_of)?;
    match ground_of(game, &session).await {
        Ok(None) => {}
        Ok(Some(code)) => {
            release_sessions::end_one(game, &session, code);
            return Err(code);
        }
        Err(error) => {
            tracing::error!(%error, "a store did not answer a claim");
            return Err(ByeCode::Unavailable);
        }
    }
    let resume_token = |claim: ClaimGeneration| {
        let next = game.tickets.resume_token(token, claim.0);
        next.expect("a session that could be claimed has a name of this server")
    };
    let answer = |claim| hash_token(resume_token(claim).expose());
    let _turn = game.ledger_turn.lock().await;
    let ahead = game.directory().look_ahead(token, secret, answer, game.clock.now());
    let (session, claims) = ahead.map_err(bye_of)?;
    match put_ledger(game, &session, claims).await {
        Ok(EpochWrite::Written) => {}
        Ok(EpochWrite::Superseded) => {
            release_sessions::end_one(game, &session, ByeCode::Superseded);
            return Err(ByeCode::Superseded);
        }
        Err(error) => {
            tracing::error!(%error, "the ledger did not take a claim");
            return Err(ByeCode::Unavailable);
        }
    }
    let (handle, control) = session_channel();
    let reclaimed = game.directory().reclaim(token, secret, answer, handle, game.clock.now());
    let reclaimed = match reclaimed {
        Ok(reclaimed) => reclaimed,
        Err(refused) => {
            // It was ended or acknowledged since: the ledger is told what is true.
            correct_ledger(game, &session).await;
            return Err(bye_of(refused));
        }
    };
    reclaimed.replaced.end(ByeCode::Superseded);
    let (session, claim) = (reclaimed.session, reclaimed.claim);
    tracing::info!(?token, claim = claim.0, character = %session.character.name, "claimed again");
    Ok(ActivatedSession { session, claim, control, resume_token: resume_token(claim) })
}

/// Writes the ledger record of a session that plays here, as its claims are now; `None`
/// where it does not play here any more.
pub async fn write_ledger(
    game: &GameServer,
    session: &PendingRealtimeSession,
) -> Option<StoreResult<EpochWrite>> {
    let _turn = game.ledger_turn.lock().await;
    let claims = game.directory().ledger_claims(session)?;
    Some(put_ledger(game, session, claims).await)
}

async fn put_ledger(
    game: &GameServer,
    session: &PendingRealtimeSession,
    claims: LedgerClaims,
) -> StoreResult<EpochWrite> {
    let now = game.clock.now();
    let phase = LedgerPhase::Active(claims);
    let record = session_records::ledger(session, &game.identity, phase, now);
    game.ledger.put_ledger(&record, now).await
}

/// After a claim that was written down and did not come about. Where this fails, the next
/// renewal does it, or the record ends by its time.
async fn correct_ledger(game: &GameServer, session: &PendingRealtimeSession) {
    let claims = game.directory().ledger_claims(session);
    let Some(claims) = claims else { return disconnect::remove_ledger(game, session).await };
    if let Err(error) = put_ledger(game, session, claims).await {
        tracing::warn!(%error, "the ledger knows a claim that did not come about");
    }
}

/// What a client is told whose claim the directory refuses.
pub(super) fn bye_of(refused: ClaimRefused) -> ByeCode {
    match refused {
        ClaimRefused::Unknown | ClaimRefused::WrongSecret => ByeCode::UnknownSession,
        ClaimRefused::Opening => ByeCode::Unavailable,
        ClaimRefused::Draining => ByeCode::ShuttingDown,
    }
}

/// Why the session must not go on: whoever ended its login, or gave its character to
/// another session, may not have been able to say so here.
async fn ground_of(
    game: &GameServer,
    session: &PendingRealtimeSession,
) -> StoreResult<Option<ByeCode>> {
    let now = game.clock.now();
    if game.logins.account_of_login(&session.login, now).await?.is_none() {
        return Ok(Some(ByeCode::LoginEnded));
    }
    let row = game.characters.character(session.character.id).await?;
    let own = row.is_some_and(|row| row.epoch == session.character.epoch);
    Ok(if own { None } else { Some(ByeCode::Superseded) })
}
