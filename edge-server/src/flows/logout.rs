//! Ending a login, and with it its handoffs and its world session.
//!
//! The login's end is what counts: from then on no handoff of it is admitted, because the
//! raise looks the login up in its own transaction. Whoever was admitted before is found by
//! presence. The world session is asked to leave before the login ends, so that a failure
//! can be told and the request repeated, and once more after it, for one that slipped in
//! between.

use shared::coordination::ReleaseRequest;
use shared::secret::AccessToken;

use super::Refusal;
use super::login_server::LoginServer;
use crate::clock::hash_token;

/// Ends the login of `token`. A login that has ended already is no error: the wish is
/// fulfilled.
///
/// # Errors
/// 503 when a store or the control plane does not answer; the login lives on then.
pub async fn run(server: &LoginServer, token: &AccessToken) -> Result<(), Refusal> {
    let login = hash_token(token.expose());
    let account = server.logins.account_of_login(&login, server.clock.now()).await?;
    let Some(account) = account else { return Ok(()) };
    let release = ReleaseRequest::Login { account_id: account.id, login: login.clone() };
    server.control_plane.release(&release).await?;
    server.logins.delete_login(&login).await?;
    if let Err(error) = server.control_plane.release(&release).await {
        tracing::warn!(%error, "a session that began during its logout ends by itself");
    }
    Ok(())
}
