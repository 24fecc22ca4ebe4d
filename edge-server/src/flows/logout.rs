//! Ending a login.

use shared::secret::AccessToken;

use super::Refusal;
use super::login_server::LoginServer;
use crate::clock::hash_token;

/// Ends the login of `token`. A login that has ended already is no error: the wish is
/// fulfilled.
///
/// # Errors
/// 503 when the store does not answer.
pub async fn run(server: &LoginServer, token: &AccessToken) -> Result<(), Refusal> {
    server.logins.delete_login(&hash_token(token.expose())).await?;
    Ok(())
}
