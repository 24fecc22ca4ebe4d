//! Ending a login, and with it its handoffs and its world session.
//!
//! The login's end is what counts. From then on no handoff of it is admitted, because the
//! raise looks the login up in its own transaction; a handshake under way looks once more
//! after it has written presence; and an instance that could not be asked to let the session
//! go ends it when it next renews it.

use shared::coordination::ReleaseRequest;
use shared::secret::AccessToken;

use super::Refusal;
use super::login_server::LoginServer;
use crate::clock::hash_token;

/// Ends the login of `token`. A login that has ended already is no error: the wish is
/// fulfilled.
///
/// # Errors
/// 503 when the store does not answer; the login lives on then.
pub async fn run(server: &LoginServer, token: &AccessToken) -> Result<(), Refusal> {
    let login = hash_token(token.expose());
    let account = server.logins.account_of_login(&login, server.clock.now()).await?;
    let Some(account) = account else { return Ok(()) };
    server.logins.delete_login(&login).await?;
    let release = ReleaseRequest::Login { account_id: account.id, login };
    if let Err(error) = server.control_plane.release(&release).await {
        tracing::warn!(%error, "a session of an ended login plays until it is renewed");
    }
    Ok(())
}
