//! Registering an account and logging in.

use shared::account::{Account, Credentials, LoginResponse, check_password, check_username};
use shared::ids::AccountId;
use shared::limits::ACCESS_TOKEN_LIFE;
use shared::problem::ProblemCode;

use super::Refusal;
use super::login_server::LoginServer;
use crate::clock::{hash_token, new_access_token, new_uuid};
use crate::stores::AccountCreation;

/// Creates an account.
///
/// # Errors
/// 422 for a name or password against the rules, 409 for a taken name, 429 when too many
/// passwords are being hashed.
pub async fn register(server: &LoginServer, credentials: Credentials) -> Result<Account, Refusal> {
    check_username(&credentials.username)
        .map_err(|broken| Refusal::rule(ProblemCode::InvalidUsername, broken))?;
    check_password(&credentials.password)
        .map_err(|broken| Refusal::rule(ProblemCode::InvalidPassword, broken))?;
    let hash = server.passwords.hash(credentials.password).await?;
    let account = Account { id: AccountId::new(new_uuid()), username: credentials.username };
    match server.accounts.create_account(&account, &hash, server.clock.now()).await? {
        AccountCreation::Created => Ok(account),
        AccountCreation::UsernameTaken => {
            let detail = format!("the username {} is taken: choose another", account.username);
            Err(Refusal::new(ProblemCode::UsernameTaken, detail))
        }
    }
}

/// Logs in.
///
/// # Errors
/// 401 for a wrong name or password, the same for both and after the same work; 429 when
/// too many passwords are being hashed.
pub async fn login(
    server: &LoginServer,
    credentials: Credentials,
) -> Result<LoginResponse, Refusal> {
    let wrong = || {
        let detail = "username and password do not match: check both, or create an account";
        Refusal::new(ProblemCode::InvalidCredentials, detail)
    };
    // What no account can have is no reason to hash megabytes of it.
    if check_password(&credentials.password).is_err() {
        return Err(wrong());
    }
    let stored = server.accounts.account_by_username(&credentials.username).await?;
    let phc = stored.as_ref().map(|stored| stored.password_hash.clone());
    let matches = server.passwords.verify(credentials.password, phc).await?;
    let Some(stored) = stored.filter(|_| matches) else { return Err(wrong()) };
    let access_token = new_access_token();
    let expires_at = server.clock.now().plus(ACCESS_TOKEN_LIFE);
    let hash = hash_token(access_token.expose());
    server.logins.create_login(&hash, stored.account.id, expires_at).await?;
    Ok(LoginResponse { access_token, expires_at, account: stored.account })
}
