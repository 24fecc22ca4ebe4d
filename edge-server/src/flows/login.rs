//! Registering an account and logging in.

use shared::account::{
    Account, Credentials, LoginResponse, RuleBroken, check_password, check_username,
};
use shared::ids::AccountId;
use shared::limits::ACCESS_TOKEN_LIFE;
use shared::problem::ProblemCode;

use super::Refusal;
use super::login_server::LoginServer;
use crate::clock::{hash_token, new_access_token, new_uuid};
use crate::domain::client_address::AddressBlock;
use crate::domain::names::looks_reserved;
use crate::stores::{AccountCreation, LoginCreation};

/// Creates an account.
///
/// # Errors
/// 422 for a name or password against the rules, 409 for a name that is taken or looks like
/// a taken one, 429 when too many passwords are being hashed.
pub async fn register(
    server: &LoginServer,
    address: AddressBlock,
    credentials: Credentials,
) -> Result<Account, Refusal> {
    check_username(&credentials.username).map_err(Refusal::rule)?;
    if looks_reserved(&credentials.username) {
        return Err(Refusal::rule(RuleBroken::UsernameReserved));
    }
    check_password(&credentials.password).map_err(Refusal::rule)?;
    let hash = server.passwords.hash(address, credentials.password).await?;
    let account = Account { id: AccountId::new(new_uuid()), username: credentials.username };
    match server.accounts.create_account(&account, &hash, server.clock.now()).await? {
        AccountCreation::Created => Ok(account),
        AccountCreation::UsernameTaken => {
            let detail = format!("the username {} is taken: choose another", account.username);
            Err(Refusal::new(ProblemCode::UsernameTaken, detail))
        }
        AccountCreation::UsernameConfusable => {
            let detail =
                format!("the username {} looks like a taken one: choose another", account.username);
            Err(Refusal::new(ProblemCode::UsernameConfusable, detail))
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
    address: AddressBlock,
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
    let matches = server.passwords.verify(address, credentials.password, phc).await?;
    let Some(stored) = stored.filter(|_| matches) else { return Err(wrong()) };
    let access_token = new_access_token();
    let expires_at = server.clock.now().plus(ACCESS_TOKEN_LIFE);
    let hash = hash_token(access_token.expose());
    let verified = &stored.password_hash;
    match server.logins.create_login(&hash, stored.account.id, verified, expires_at).await? {
        LoginCreation::Created => {
            Ok(LoginResponse { access_token, expires_at, account: stored.account })
        }
        LoginCreation::NotVerified => Err(wrong()),
    }
}
