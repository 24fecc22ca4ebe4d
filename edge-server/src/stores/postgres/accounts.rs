//! Accounts in Postgres.

use async_trait::async_trait;
use shared::account::Account;
use shared::ids::{AccountId, UnixMillis};
use sqlx::Row;

use super::steps::Failure;
use super::{PostgresStores, integer, parsed};
use crate::domain::names::{fold_case, skeleton};
use crate::stores::{AccountCreation, AccountStore, PasswordChange, StoreResult, StoredAccount};

#[async_trait]
impl AccountStore for PostgresStores {
    async fn create_account(
        &self,
        account: &Account,
        password_hash: &str,
        now: UnixMillis,
    ) -> StoreResult<AccountCreation> {
        let (key, looks) = (&fold_case(&account.username), &skeleton(&account.username));
        self.tried(|| async move {
            let mut step = self.begin().await?;
            // The indexes judge: of two who create at once the second waits for the first.
            let created = sqlx::query(
                "INSERT INTO accounts
                 (id, username, username_key, username_skeleton, password_hash, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
            )
            .bind(account.id.uuid())
            .bind(&account.username)
            .bind(key)
            .bind(looks)
            .bind(password_hash)
            .bind(integer(now.0))
            .execute(&mut *step)
            .await?
            .rows_affected();
            if created == 1 {
                return step.end(AccountCreation::Created).await;
            }
            // True where a name is the same, false where one only looks the same.
            let rival: Option<bool> = sqlx::query_scalar(
                "SELECT bool_or(username_key = $1) FROM accounts
                 WHERE username_key = $1 OR username_skeleton = $2",
            )
            .bind(key)
            .bind(looks)
            .fetch_one(&mut *step)
            .await?;
            match rival {
                Some(true) => step.end(AccountCreation::UsernameTaken).await,
                Some(false) => step.end(AccountCreation::UsernameConfusable).await,
                None => Err(Failure::Conflict("the account's id or name was taken".to_owned())),
            }
        })
        .await
    }

    async fn account_by_username(&self, username: &str) -> StoreResult<Option<StoredAccount>> {
        let key = &fold_case(username);
        self.tried(|| async move {
            let mut step = self.connection().await?;
            let row = sqlx::query(
                "SELECT id, username, password_hash FROM accounts WHERE username_key = $1",
            )
            .bind(key)
            .fetch_optional(&mut *step)
            .await?;
            let account = match row {
                Some(row) => Some(StoredAccount {
                    account: Account {
                        id: parsed(&row, "id", &format!("accounts/{key}"))?,
                        username: row.try_get("username")?,
                    },
                    password_hash: row.try_get("password_hash")?,
                }),
                None => None,
            };
            step.end(account).await
        })
        .await
    }

    async fn change_password(
        &self,
        account: AccountId,
        verified: &str,
        new: &str,
    ) -> StoreResult<PasswordChange> {
        self.tried(|| async move {
            let mut step = self.begin().await?;
            let changed = sqlx::query(
                "UPDATE accounts SET password_hash = $1 WHERE id = $2 AND password_hash = $3",
            )
            .bind(new)
            .bind(account.uuid())
            .bind(verified)
            .execute(&mut *step)
            .await?
            .rows_affected();
            if changed == 0 {
                return step.end(PasswordChange::NotVerified).await;
            }
            // Its statement begins once the account is held, so it sees each login that was
            // created before, and none can be created beside it.
            sqlx::query("DELETE FROM logins WHERE account_id = $1")
                .bind(account.uuid())
                .execute(&mut *step)
                .await?;
            step.end(PasswordChange::Changed).await
        })
        .await
    }
}
