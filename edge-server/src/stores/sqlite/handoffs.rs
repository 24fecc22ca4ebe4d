//! Prepared handoffs and their consumed markers in the embedded store.
//!
//! A prepared record is found by its token, which the table keeps unique, and given out
//! only if the key that it stands under is one of the claimant's.

use async_trait::async_trait;
use shared::coordination::{
    ConsumedMarker, HandoffCacheRecord, HandoffClaimant, HandoffLookup, TokenHash,
};
use shared::ids::UnixMillis;
use shared::limits::CONSUMED_MARKER_LIFE;
use shared::version::PayloadVersion;
use sqlx::{Row, SqliteConnection};

use super::{SqliteStores, coordination, integer, unavailable};
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
        if let Found::Prepared { key, record } = &found {
            let marker = ConsumedMarker {
                payload_version: PayloadVersion::CURRENT,
                attempt_id: claimant.attempt_id,
                instance: claimant.instance.clone(),
                record: (**record).clone(),
                expires_at: record.expires_at.plus(CONSUMED_MARKER_LIFE),
            };
            let marker_key = keys::handoff_consumed(token);
            coordination::remove(&mut step, key).await?;
            coordination::put(&mut step, &marker_key, &marker, marker.expires_at, None).await?;
            step.commit().await.map_err(unavailable)?;
        }
        Ok(found.answer())
    }
}

/// What stands there for a claimant.
enum Found {
    /// Prepared and not yet consumed, under this key.
    Prepared { key: String, record: Box<HandoffCacheRecord> },
    /// Consumed by this very claimant, whose answer was lost.
    ConsumedBySelf { record: Box<HandoffCacheRecord> },
    /// Consumed by somebody else.
    ConsumedByOther,
    /// Unknown, expired or meant for somebody else.
    Nothing,
}

impl Found {
    fn answer(self) -> HandoffLookup {
        match self {
            Self::Prepared { record, .. } | Self::ConsumedBySelf { record } => {
                HandoffLookup::Found { record }
            }
            Self::ConsumedByOther => HandoffLookup::AlreadyConsumed,
            Self::Nothing => HandoffLookup::Missing,
        }
    }
}

/// The marker speaks first: a record that was put again after its consume is still spent.
async fn look_up(
    connection: &mut SqliteConnection,
    token: &TokenHash,
    claimant: &HandoffClaimant,
    now: UnixMillis,
) -> StoreResult<Found> {
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
        .fetch_optional(connection)
        .await
        .map_err(unavailable)?;
    let Some(row) = row else { return Ok(Found::Nothing) };
    let key: String = row.try_get("key").map_err(unavailable)?;
    if claimant.scopes().any(|scope| keys::handoff(&scope, token) == key) {
        Ok(Found::Prepared { key, record: Box::new(coordination::decode(&row)?) })
    } else {
        Ok(Found::Nothing)
    }
}
