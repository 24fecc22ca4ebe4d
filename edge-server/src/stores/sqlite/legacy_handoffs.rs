//! The spec's legacy `handoff_tokens` rows in the embedded store.

use async_trait::async_trait;
use shared::coordination::{HandoffCacheRecord, HandoffScope, TokenHash};
use shared::ids::{InstanceId, UnixMillis};
use sqlx::Row;

use super::{SqliteStores, integer, unavailable};
use crate::stores::columns::read_handoff;
use crate::stores::{LISTING_PAGE, LegacyHandoffStore, Page, PageMark, StoreResult};

#[async_trait]
impl LegacyHandoffStore for SqliteStores {
    async fn put_handoff_row(&self, record: &HandoffCacheRecord) -> StoreResult<()> {
        let scope = serde_json::to_string(&record.scope).expect("a scope is plain data");
        let transfer = record.transfer.as_ref().map(|transfer| {
            serde_json::to_string(transfer).expect("a transfer activation is plain data")
        });
        sqlx::query(
            "INSERT OR REPLACE INTO handoff_tokens
             (token_hash, account_id, login_hash, character_id, realm, target_zone,
              target_placement, target_instance, dungeon_run_id, start_tile_x, start_tile_y,
              transfer, expected_epoch, payload_version, scope, expires_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(record.token.as_str())
        .bind(record.account_id.to_string())
        .bind(record.login.as_str())
        .bind(record.character_id.to_string())
        .bind(record.realm_id.as_str())
        .bind(record.target_zone.as_str())
        .bind(record.target_placement.to_string())
        .bind(record.target_instance.as_str())
        .bind(record.dungeon_run_id.map(|run| run.to_string()))
        .bind(record.start_tile.map(|tile| tile.x))
        .bind(record.start_tile.map(|tile| tile.y))
        .bind(transfer)
        .bind(integer(record.expected_epoch.0))
        .bind(record.payload_version.get())
        .bind(scope)
        .bind(integer(record.expires_at.0))
        .execute(&self.writer)
        .await
        .map_err(unavailable)?;
        Ok(())
    }

    async fn move_handoff_row(&self, token: &TokenHash, to: &InstanceId) -> StoreResult<()> {
        let scope = HandoffScope::Instance(to.clone());
        sqlx::query(
            "UPDATE handoff_tokens SET target_instance = ?, scope = ? WHERE token_hash = ?",
        )
        .bind(to.as_str())
        .bind(serde_json::to_string(&scope).expect("a scope is plain data"))
        .bind(token.as_str())
        .execute(&self.writer)
        .await
        .map_err(unavailable)?;
        Ok(())
    }

    async fn handoff_rows(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<HandoffCacheRecord>> {
        let rows = sqlx::query(
            "SELECT handoff_tokens.*, accounts.username FROM handoff_tokens
             JOIN accounts ON accounts.id = handoff_tokens.account_id
             WHERE token_hash > ? AND expires_at > ? ORDER BY token_hash LIMIT ?",
        )
        .bind(after.map(|mark| mark.0.as_str()).unwrap_or_default())
        .bind(integer(now.0))
        .bind(integer(LISTING_PAGE as u64))
        .fetch_all(&self.readers)
        .await
        .map_err(unavailable)?;
        let mut read = Vec::with_capacity(rows.len());
        for row in &rows {
            let token = row.try_get("token_hash").map_err(unavailable)?;
            read.push((token, read_handoff(row).map(Some)));
        }
        Page::of(read)
    }

    async fn prune_handoff_rows(&self, now: UnixMillis) -> StoreResult<u64> {
        let pruned = sqlx::query("DELETE FROM handoff_tokens WHERE expires_at <= ?")
            .bind(integer(now.0))
            .execute(&self.writer)
            .await
            .map_err(unavailable)?;
        Ok(pruned.rows_affected())
    }
}
