//! Accounts in the embedded store.

use async_trait::async_trait;
use shared::account::Account;
use shared::ids::{AccountId, UnixMillis};
use sqlx::Row;

use super::{SqliteStores, integer, parsed, unavailable};
use crate::domain::names::{fold_case, skeleton};
use crate::stores::{AccountCreation, AccountStore, PasswordChange, StoreResult, StoredAccount};

#[async_trait]
impl AccountStore for SqliteStores {
    async fn create_account(
        &self,
        account: &Account,
        password_hash: &str,
        now: UnixMillis,
    ) -> StoreResult<AccountCreation> {
        let (key, looks) = (fold_case(&account.username), skeleton(&account.username));
        let mut step = self.write().await?;
        // 1 where a name is the same, 0 where one only looks the same, nothing where none does.
        let rival: Option<i64> = sqlx::query_scalar(
            "SELECT max(username_key = ?1) FROM accounts
             WHERE username_key = ?1 OR username_skeleton = ?2",
        )
        .bind(&key)
        .bind(&looks)
        .fetch_one(&mut *step)
        .await
        .map_err(unavailable)?;
        match rival {
            Some(1) => return Ok(AccountCreation::UsernameTaken),
            Some(_) => return Ok(AccountCreation::UsernameConfusable),
            None => {}
        }
        sqlx::query(
            "INSERT INTO accounts
             (id, username, username_key, username_skeleton, password_hash, created_at)
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(account.id.to_string())
        .bind(&account.username)
        .bind(&key)
        .bind(&looks)
        .bind(password_hash)
        .bind(integer(now.0))
        .execute(&mut *step)
        .await
        .map_err(unavailable)?;
        step.commit().await.map_err(unavailable)?;
        Ok(AccountCreation::Created)
    }

    async fn account_by_username(&self, username: &str) -> StoreResult<Option<StoredAccount>> {
        let key = fold_case(username);
        let row =
            sqlx::query("SELECT id, username, password_hash FROM accounts WHERE username_key = ?")
                .bind(&key)
                .fetch_optional(&self.readers)
                .await
                .map_err(unavailable)?;
        row.map(|row| {
            Ok(StoredAccount {
                account: Account {
                    id: parsed(&row, "id", &format!("accounts/{key}"))?,
                    username: row.try_get("username").map_err(unavailable)?,
                },
                password_hash: row.try_get("password_hash").map_err(unavailable)?,
            })
        })
        .transpose()
    }

    async fn change_password(
        &self,
        account: AccountId,
        verified: &str,
        new: &str,
    ) -> StoreResult<PasswordChange> {
        let mut step = self.write().await?;
        let changed =
            sqlx::query("UPDATE accounts SET password_hash = ? WHERE id = ? AND password_hash = ?")
                .bind(new)
                .bind(account.to_string())
                .bind(verified)
                .execute(&mut *step)
                .await
                .map_err(unavailable)?
                .rows_affected();
        if changed == 0 {
            return Ok(PasswordChange::NotVerified);
        }
        sqlx::query("DELETE FROM logins WHERE account_id = ?")
            .bind(account.to_string())
            .execute(&mut *step)
            .await
            .map_err(unavailable)?;
        step.commit().await.map_err(unavailable)?;
        Ok(PasswordChange::Changed)
    }
}
