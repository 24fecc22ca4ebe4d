//! The spec's legacy `handoff_tokens` rows in the embedded store.

use async_trait::async_trait;
use shared::coordination::HandoffCacheRecord;
use shared::ids::UnixMillis;

use super::{SqliteStores, integer, unavailable};
use crate::stores::{LegacyHandoffStore, StoreResult};

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

    async fn prune_handoff_rows(&self, now: UnixMillis) -> StoreResult<u64> {
        let pruned = sqlx::query("DELETE FROM handoff_tokens WHERE expires_at <= ?")
            .bind(integer(now.0))
            .execute(&self.writer)
            .await
            .map_err(unavailable)?;
        Ok(pruned.rows_affected())
    }
}
