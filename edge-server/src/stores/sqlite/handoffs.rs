//! Prepared handoffs and their consumed markers in the embedded store.
//!
//! A prepared record is found by its token, which the table keeps unique, and given out
//! only if the key that it stands under is one of the claimant's.

use async_trait::async_trait;
use shared::account::GameEndpoint;
use shared::coordination::{
    AssignHold, ConsumedMarker, HandoffCacheRecord, HandoffClaimant, HandoffLookup,
    HandoffRedirectRecord, HandoffScope, Redirection, TokenHash,
};
use shared::ids::UnixMillis;
use shared::limits::CONSUMED_MARKER_LIFE;
use shared::version::PayloadVersion;
use sqlx::{Row, SqliteConnection};

use super::{SqliteStores, coordination, integer, unavailable};
use crate::stores::found::Found;
use crate::stores::{HandoffStore, StoreResult, keys};

#[async_trait]
impl HandoffStore for SqliteStores {
    async fn put_handoff(&self, record: &HandoffCacheRecord) -> StoreResult<()> {
        let mut step = self.write().await?;
        let standing = sqlx::query("SELECT * FROM coordination WHERE handoff_token = ?")
            .bind(record.token.as_str())
            .fetch_optional(&mut *step)
            .await
            .map_err(unavailable)?;
        if let Some(row) = standing {
            coordination::decode::<HandoffCacheRecord>(&row)?;
            let key: String = row.try_get("key").map_err(unavailable)?;
            coordination::remove(&mut step, &key).await?;
        }
        let key = keys::handoff(&record.scope, &record.token);
        let token = Some(&record.token);
        coordination::put(&mut step, &key, record, record.expires_at, token).await?;
        step.commit().await.map_err(unavailable)
    }

    async fn forgotten_handoffs(
        &self,
        tokens: &[TokenHash],
        now: UnixMillis,
    ) -> StoreResult<Vec<TokenHash>> {
        let mut view = self.read().await?;
        let mut forgotten = Vec::new();
        for token in tokens {
            if is_forgotten(&mut view, token, now).await? {
                forgotten.push(token.clone());
            }
        }
        Ok(forgotten)
    }

    async fn restore_handoff(
        &self,
        record: &HandoffCacheRecord,
        now: UnixMillis,
    ) -> StoreResult<bool> {
        if record.expires_at.has_passed(now) {
            return Ok(false);
        }
        let mut step = self.write().await?;
        if !is_forgotten(&mut step, &record.token, now).await? {
            return Ok(false);
        }
        let (key, token) = (keys::handoff(&record.scope, &record.token), Some(&record.token));
        coordination::put(&mut step, &key, record, record.expires_at, token).await?;
        step.commit().await.map_err(unavailable)?;
        Ok(true)
    }

    async fn end_handoff(&self, token: &TokenHash, now: UnixMillis) -> StoreResult<bool> {
        let mut step = self.write().await?;
        let ended =
            sqlx::query("DELETE FROM coordination WHERE handoff_token = ? AND expires_at <= ?")
                .bind(token.as_str())
                .bind(integer(now.0))
                .execute(&mut *step)
                .await
                .map_err(unavailable)?;
        if ended.rows_affected() == 0 {
            return Ok(false);
        }
        coordination::remove(&mut step, &keys::hold(token)).await?;
        step.commit().await.map_err(unavailable)?;
        Ok(true)
    }

    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> StoreResult<HandoffLookup> {
        let mut view = self.read().await?;
        Ok(look_up(&mut view, token, claimant, now).await?.answer())
    }

    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        now: UnixMillis,
    ) -> StoreResult<HandoffLookup> {
        let mut step = self.write().await?;
        let found = look_up(&mut step, token, claimant, now).await?;
        if let Found::Prepared { record, place: key } = &found {
            let marker = ConsumedMarker {
                payload_version: PayloadVersion::CURRENT,
                attempt_id: claimant.attempt_id,
                instance: claimant.instance.clone(),
                record: (**record).clone(),
                expires_at: record.expires_at.plus(CONSUMED_MARKER_LIFE),
            };
            let marker_key = keys::handoff_consumed(token);
            coordination::remove(&mut step, key).await?;
            coordination::remove(&mut step, &keys::hold(token)).await?;
            coordination::put(&mut step, &marker_key, &marker, marker.expires_at, None).await?;
            step.commit().await.map_err(unavailable)?;
        }
        Ok(found.answer())
    }

    async fn redirect(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
        now: UnixMillis,
    ) -> StoreResult<Redirection> {
        let mut step = self.write().await?;
        let found = look_up(&mut step, token, claimant, now).await?;
        let (mut record, key) = match found.into_prepared() {
            Ok(prepared) => prepared,
            Err(nothing_to_move) => return Ok(nothing_to_move),
        };
        let expires_at = record.expires_at;
        record.scope = HandoffScope::Instance(to.instance_id.clone());
        record.target_instance = to.instance_id.clone();
        record.redirected_from.push(claimant.instance.clone());
        coordination::remove(&mut step, &key).await?;
        let moved_key = keys::handoff(&record.scope, token);
        coordination::put(&mut step, &moved_key, &record, expires_at, Some(token)).await?;
        let left = HandoffRedirectRecord {
            payload_version: PayloadVersion::CURRENT,
            to: to.clone(),
            expires_at,
        };
        let left_key = keys::handoff_redirect(token);
        coordination::put(&mut step, &left_key, &left, expires_at, None).await?;
        let hold_key = keys::hold(token);
        let hold: Option<AssignHold> = coordination::get_live(&mut step, &hold_key, now).await?;
        if let Some(mut hold) = hold {
            hold.instance = to.instance_id.clone();
            // Found for the redirect, it must not outlive what it is for.
            hold.expires_at = expires_at;
            coordination::put(&mut step, &hold_key, &hold, expires_at, None).await?;
        }
        step.commit().await.map_err(unavailable)?;
        Ok(Redirection::Moved { to: to.clone() })
    }
}

/// Whether nothing that lives names a token, be it readable or not.
async fn is_forgotten(
    connection: &mut SqliteConnection,
    token: &TokenHash,
    now: UnixMillis,
) -> StoreResult<bool> {
    let known = sqlx::query(
        "SELECT 1 FROM coordination
         WHERE (key IN (?, ?) OR handoff_token = ?) AND expires_at > ? LIMIT 1",
    )
    .bind(keys::handoff_consumed(token))
    .bind(keys::handoff_redirect(token))
    .bind(token.as_str())
    .bind(integer(now.0))
    .fetch_optional(connection)
    .await
    .map_err(unavailable)?;
    Ok(known.is_none())
}

/// What stands there, and under which key. The marker speaks first: a record that was put
/// again after its consume is still spent.
async fn look_up(
    connection: &mut SqliteConnection,
    token: &TokenHash,
    claimant: &HandoffClaimant,
    now: UnixMillis,
) -> StoreResult<Found<String>> {
    let marker_key = keys::handoff_consumed(token);
    let marker: Option<ConsumedMarker> =
        coordination::get_live(connection, &marker_key, now).await?;
    if let Some(marker) = marker {
        let own = marker.attempt_id == claimant.attempt_id && marker.instance == claimant.instance;
        return Ok(if own {
            Found::ConsumedBySelf { record: Box::new(marker.record) }
        } else {
            Found::ConsumedByOther
        });
    }

    let row = sqlx::query("SELECT * FROM coordination WHERE handoff_token = ? AND expires_at > ?")
        .bind(token.as_str())
        .bind(integer(now.0))
        .fetch_optional(&mut *connection)
        .await
        .map_err(unavailable)?;
    let Some(row) = row else { return Ok(Found::Nothing) };
    let key: String = row.try_get("key").map_err(unavailable)?;
    if claimant.scopes().any(|scope| keys::handoff(&scope, token) == key) {
        let record = Box::new(coordination::decode(&row)?);
        return Ok(Found::Prepared { record, place: key });
    }
    let redirect_key = keys::handoff_redirect(token);
    let left: Option<HandoffRedirectRecord> =
        coordination::get_live(connection, &redirect_key, now).await?;
    // Whoever it was meant for before may learn where it has gone; it opens nothing here.
    Ok(left.map_or(Found::Nothing, |left| Found::Moved { to: left.to }))
}
