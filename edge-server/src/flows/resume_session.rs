//! What happens when the realtime stream claims a session that has been claimed before:
//! after its connection was lost, whether or not that has been noticed here, or in a second
//! tab. The session moves to the new connection, and the one before is told so.
//!
//! Whatever can fail comes before the session is moved, so a claim that fails has changed
//! nothing and may be repeated.

use shared::coordination::TokenHash;
use shared::realtime::message::ByeCode;
use shared::secret::SessionToken;

use super::activate_session::ActivatedSession;
use super::release_sessions;
use crate::clock::hash_token;
use crate::domain::session_claims::ClaimRefused;
use crate::domain::session_directory::PendingRealtimeSession;
use crate::game::GameServer;
use crate::session_handle::session_channel;
use crate::stores::StoreResult;

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
    let (handle, control) = session_channel();
    let resume_token = |claim| {
        let next = game.tickets.resume_token(token, claim);
        next.expect("a session that could be claimed has a name of this server")
    };
    let reclaimed = game.directory().reclaim(
        token,
        secret,
        |claim| hash_token(resume_token(claim.0).expose()),
        handle,
        game.clock.now(),
    );
    let reclaimed = reclaimed.map_err(bye_of)?;
    reclaimed.replaced.end(ByeCode::Superseded);
    let (session, claim) = (reclaimed.session, reclaimed.claim);
    tracing::info!(?token, claim = claim.0, character = %session.character.name, "claimed again");
    Ok(ActivatedSession { session, claim, control, resume_token: resume_token(claim.0) })
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
