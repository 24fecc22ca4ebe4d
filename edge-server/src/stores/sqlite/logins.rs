//! Logins in the embedded store: access tokens by their hash.

use async_trait::async_trait;
use shared::account::Account;
use shared::coordination::TokenHash;
use shared::ids::{AccountId, UnixMillis};
use sqlx::Row;

use super::{SqliteStores, integer, parsed, unavailable};
use crate::stores::{LoginCreation, LoginStore, StoreResult};

#[async_trait]
impl LoginStore for SqliteStores {
    async fn create_login(
        &self,
        token: &TokenHash,
        account: AccountId,
        verified: &str,
        expires_at: UnixMillis,
    ) -> StoreResult<LoginCreation> {
        let created = sqlx::query(
            "INSERT INTO logins (token_hash, account_id, expires_at)
             SELECT ?, id, ? FROM accounts WHERE id = ? AND password_hash = ?",
        )
        .bind(token.as_str())
        .bind(integer(expires_at.0))
        .bind(account.to_string())
        .bind(verified)
        .execute(&self.writer)
        .await
        .map_err(unavailable)?
        .rows_affected();
        Ok(if created == 1 { LoginCreation::Created } else { LoginCreation::NotVerified })
    }

    async fn account_of_login(
        &self,
        token: &TokenHash,
        now: UnixMillis,
    ) -> StoreResult<Option<Account>> {
        let row = sqlx::query(
            "SELECT accounts.id, accounts.username
             FROM logins JOIN accounts ON accounts.id = logins.account_id
             WHERE logins.token_hash = ? AND logins.expires_at > ?",
        )
        .bind(token.as_str())
        .bind(integer(now.0))
        .fetch_optional(&self.readers)
        .await
        .map_err(unavailable)?;
        row.map(|row| {
            Ok(Account {
                id: parsed(&row, "id", "accounts")?,
                username: row.try_get("username").map_err(unavailable)?,
            })
        })
        .transpose()
    }

    async fn delete_login(&self, token: &TokenHash) -> StoreResult<()> {
        sqlx::query("DELETE FROM logins WHERE token_hash = ?")
            .bind(token.as_str())
            .execute(&self.writer)
            .await
            .map_err(unavailable)?;
        Ok(())
    }

    async fn prune_logins(&self, now: UnixMillis) -> StoreResult<u64> {
        let pruned = sqlx::query("DELETE FROM logins WHERE expires_at <= ?")
            .bind(integer(now.0))
            .execute(&self.writer)
            .await
            .map_err(unavailable)?;
        Ok(pruned.rows_affected())
    }
}
