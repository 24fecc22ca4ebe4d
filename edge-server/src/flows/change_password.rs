//! Changing one's password, which ends every login of the account: what somebody else came
//! by with the old one is worth nothing from then on.

use shared::account::{Account, ChangePassword, check_password};
use shared::coordination::ReleaseRequest;
use shared::problem::ProblemCode;

use super::Refusal;
use super::login_server::LoginServer;
use crate::domain::client_address::AddressBlock;
use crate::stores::PasswordChange;

/// Changes the password of `account` and ends all its logins, the caller's included, with
/// their handoffs and the account's world session.
///
/// Of two changes at once the one that commits first stands: the other has verified a
/// password that is no longer the account's.
///
/// # Errors
/// 422 for a new password against the rules, 401 for a wrong current one, 429 when too many
/// passwords are being hashed.
pub async fn run(
    server: &LoginServer,
    address: AddressBlock,
    account: &Account,
    wish: ChangePassword,
) -> Result<(), Refusal> {
    check_password(&wish.new).map_err(Refusal::rule)?;
    // What no account can have is no reason to hash it.
    if check_password(&wish.current).is_err() {
        return Err(wrong());
    }
    let stored = server.accounts.account_by_username(&account.username).await?;
    let Some(stored) = stored.filter(|stored| stored.account.id == account.id) else {
        return Err(wrong());
    };
    let verified = stored.password_hash;
    if !server.passwords.verify(address, wish.current, Some(verified.clone())).await? {
        return Err(wrong());
    }
    let new = server.passwords.hash(address, wish.new).await?;
    match server.accounts.change_password(account.id, &verified, &new).await? {
        PasswordChange::Changed => {
            tracing::info!(account = %account.id, "a password was changed, all logins have ended");
            let release = ReleaseRequest::Account { account_id: account.id };
            if let Err(error) = server.control_plane.release(&release).await {
                tracing::warn!(%error, "a session of an ended login plays until it is renewed");
            }
            Ok(())
        }
        PasswordChange::NotVerified => Err(wrong()),
    }
}

fn wrong() -> Refusal {
    let detail = "the current password is not right: check it";
    Refusal::new(ProblemCode::InvalidCredentials, detail)
}
