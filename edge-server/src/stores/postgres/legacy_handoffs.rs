//! The spec's legacy `handoff_tokens` rows in Postgres.

use async_trait::async_trait;
use shared::coordination::{HandoffCacheRecord, HandoffScope, TokenHash};
use shared::ids::{DungeonRunId, InstanceId, UnixMillis};
use sqlx::Row;

use super::{PostgresStores, integer};
use crate::stores::columns::read_handoff;
use crate::stores::{LISTING_PAGE, LegacyHandoffStore, Page, PageMark, StoreResult};

#[async_trait]
impl LegacyHandoffStore for PostgresStores {
    async fn put_handoff_row(&self, record: &HandoffCacheRecord) -> StoreResult<()> {
        let scope = &serde_json::to_string(&record.scope).expect("a scope is plain data");
        let transfer = record.transfer.as_ref().map(|transfer| {
            serde_json::to_string(transfer).expect("a transfer activation is plain data")
        });
        let transfer = transfer.as_deref();
        self.tried(|| async move {
            let mut step = self.connection().await?;
            sqlx::query(
                "INSERT INTO handoff_tokens
                 (token_hash, account_id, login_hash, character_id, realm, target_zone,
                  target_placement, target_instance, dungeon_run_id, start_tile_x, start_tile_y,
                  transfer, expected_epoch, payload_version, scope, expires_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::text::jsonb, $13, $14,
                  $15::text::jsonb, $16)
                 ON CONFLICT (token_hash) DO UPDATE SET
                  (account_id, login_hash, character_id, realm, target_zone, target_placement,
                   target_instance, dungeon_run_id, start_tile_x, start_tile_y, transfer,
                   expected_epoch, payload_version, scope, expires_at)
                 = (excluded.account_id, excluded.login_hash, excluded.character_id,
                    excluded.realm, excluded.target_zone, excluded.target_placement,
                    excluded.target_instance, excluded.dungeon_run_id, excluded.start_tile_x,
                    excluded.start_tile_y, excluded.transfer, excluded.expected_epoch,
                    excluded.payload_version, excluded.scope, excluded.expires_at)",
            )
            .bind(record.token.as_str())
            .bind(record.account_id.uuid())
            .bind(record.login.as_str())
            .bind(record.character_id.uuid())
            .bind(record.realm_id.as_str())
            .bind(record.target_zone.as_str())
            .bind(record.target_placement.to_string())
            .bind(record.target_instance.as_str())
            .bind(record.dungeon_run_id.map(DungeonRunId::uuid))
            .bind(record.start_tile.map(|tile| i64::from(tile.x)))
            .bind(record.start_tile.map(|tile| i64::from(tile.y)))
            .bind(transfer)
            .bind(integer(record.expected_epoch.0))
            .bind(i64::from(record.payload_version.get()))
            .bind(scope)
            .bind(integer(record.expires_at.0))
            .execute(&mut *step)
            .await?;
            step.end(()).await
        })
        .await
    }

    async fn move_handoff_row(&self, token: &TokenHash, to: &InstanceId) -> StoreResult<()> {
        let scope = HandoffScope::Instance(to.clone());
        let scope = &serde_json::to_string(&scope).expect("a scope is plain data");
        self.tried(|| async move {
            let mut step = self.connection().await?;
            sqlx::query(
                "UPDATE handoff_tokens SET target_instance = $1, scope = $2::text::jsonb
                 WHERE token_hash = $3",
            )
            .bind(to.as_str())
            .bind(scope)
            .bind(token.as_str())
            .execute(&mut *step)
            .await?;
            step.end(()).await
        })
        .await
    }

    async fn handoff_rows(
        &self,
        after: Option<&PageMark>,
        now: UnixMillis,
    ) -> StoreResult<Page<HandoffCacheRecord>> {
        let after = after.map(|mark| mark.0.as_str()).unwrap_or_default();
        self.tried(|| async move {
            let mut step = self.connection().await?;
            let rows = sqlx::query(
                "SELECT token_hash, handoff_tokens.account_id, login_hash, character_id, realm,
                  target_zone, target_placement, target_instance, dungeon_run_id, start_tile_x,
                  start_tile_y, transfer::text AS transfer, expected_epoch, payload_version,
                  scope::text AS scope, expires_at, accounts.username
                 FROM handoff_tokens JOIN accounts ON accounts.id = handoff_tokens.account_id
                 WHERE token_hash > $1 AND expires_at > $2 ORDER BY token_hash LIMIT $3",
            )
            .bind(after)
            .bind(integer(now.0))
            .bind(integer(LISTING_PAGE as u64))
            .fetch_all(&mut *step)
            .await?;
            let mut read = Vec::with_capacity(rows.len());
            for row in &rows {
                read.push((row.try_get("token_hash")?, read_handoff(row).map(Some)));
            }
            step.end(Page::of(read)?).await
        })
        .await
    }

    async fn prune_handoff_rows(&self, now: UnixMillis) -> StoreResult<u64> {
        self.tried(|| async move {
            let mut step = self.connection().await?;
            let pruned = sqlx::query(
                "DELETE FROM handoff_tokens WHERE token_hash IN (
                     SELECT token_hash FROM handoff_tokens WHERE expires_at <= $1
                     FOR UPDATE SKIP LOCKED
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
