//! Accounts in the embedded store.

use async_trait::async_trait;
use shared::account::Account;
use shared::ids::UnixMillis;
use sqlx::Row;

use super::{SqliteStores, fold_case, integer, parsed, unavailable};
use crate::stores::{AccountCreation, AccountStore, StoreResult, StoredAccount};

#[async_trait]
impl AccountStore for SqliteStores {
    async fn create_account(
        &self,
        account: &Account,
        password_hash: &str,
        now: UnixMillis,
    ) -> StoreResult<AccountCreation> {
        // The conflict is the username's alone: an id that exists is a bug and fails.
        let created = sqlx::query(
            "INSERT INTO accounts (id, username, username_key, password_hash, created_at)
             VALUES (?, ?, ?, ?, ?) ON CONFLICT (username_key) DO NOTHING",
        )
        .bind(account.id.to_string())
        .bind(&account.username)
        .bind(fold_case(&account.username))
        .bind(password_hash)
        .bind(integer(now.0))
        .execute(&self.writer)
        .await
        .map_err(unavailable)?
        .rows_affected();
        Ok(if created == 1 { AccountCreation::Created } else { AccountCreation::UsernameTaken })
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
}
