//! Logins in Postgres: access tokens by their hash.

use async_trait::async_trait;
use shared::account::Account;
use shared::coordination::TokenHash;
use shared::ids::{AccountId, UnixMillis};
use sqlx::Row;

use super::{PostgresStores, integer, parsed};
use crate::stores::{LoginCreation, LoginStore, StoreResult};

#[async_trait]
impl LoginStore for PostgresStores {
    async fn create_login(
        &self,
        token: &TokenHash,
        account: AccountId,
        verified: &str,
        expires_at: UnixMillis,
    ) -> StoreResult<LoginCreation> {
        self.tried(|| async move {
            let mut step = self.connection().await?;
            // FOR SHARE: a change of the password comes before and is seen, or comes after and
            // finds the login.
            let created = sqlx::query(
                "INSERT INTO logins (token_hash, account_id, expires_at)
                 SELECT $1, id, $2 FROM accounts WHERE id = $3 AND password_hash = $4 FOR SHARE",
            )
            .bind(token.as_str())
            .bind(integer(expires_at.0))
            .bind(account.uuid())
            .bind(verified)
            .execute(&mut *step)
            .await?
            .rows_affected();
            let created = created == 1;
            step.end(if created { LoginCreation::Created } else { LoginCreation::NotVerified })
                .await
        })
        .await
    }

    async fn account_of_login(
        &self,
        token: &TokenHash,
        now: UnixMillis,
    ) -> StoreResult<Option<Account>> {
        self.tried(|| async move {
            let mut step = self.connection().await?;
            let row = sqlx::query(
                "SELECT accounts.id, accounts.username
                 FROM logins JOIN accounts ON accounts.id = logins.account_id
                 WHERE logins.token_hash = $1 AND logins.expires_at > $2",
            )
            .bind(token.as_str())
            .bind(integer(now.0))
            .fetch_optional(&mut *step)
            .await?;
            let account = match row {
                Some(row) => Some(Account {
                    id: parsed(&row, "id", "accounts")?,
                    username: row.try_get("username")?,
                }),
                None => None,
            };
            step.end(account).await
        })
        .await
    }

    async fn delete_login(&self, token: &TokenHash) -> StoreResult<()> {
        self.tried(|| async move {
            let mut step = self.connection().await?;
            sqlx::query("DELETE FROM logins WHERE token_hash = $1")
                .bind(token.as_str())
                .execute(&mut *step)
                .await?;
            step.end(()).await
        })
        .await
    }

    async fn prune_logins(&self, now: UnixMillis) -> StoreResult<u64> {
        self.tried(|| async move {
            let mut step = self.connection().await?;
            let pruned = sqlx::query(
                "DELETE FROM logins WHERE token_hash IN (
                     SELECT token_hash FROM logins WHERE expires_at <= $1 FOR UPDATE SKIP LOCKED
                 )",
            )
            .bind(integer(now.0))
            .execute(&mut *step)
            .await?;
            step.end(pruned.rows_affected()).await
        })
        .await
    }
}
