//! Promises of seats in the embedded store.

use async_trait::async_trait;
use shared::coordination::AssignHold;
use shared::ids::UnixMillis;

use super::{SqliteStores, coordination, integer, unavailable};
use crate::stores::{HoldStore, StoreResult, keys};

#[async_trait]
impl HoldStore for SqliteStores {
    async fn hold(
        &self,
        hold: &AssignHold,
        room: Option<u32>,
        now: UnixMillis,
    ) -> StoreResult<bool> {
        let mut step = self.write().await?;
        // One that this build cannot read promises nothing that it could count.
        let rows =
            sqlx::query("SELECT * FROM coordination WHERE key >= ? AND key < ? AND expires_at > ?")
                .bind(keys::HOLD_PREFIX)
                .bind(keys::HOLD_PREFIX_END)
                .bind(integer(now.0))
                .fetch_all(&mut *step)
                .await
                .map_err(unavailable)?;
        let standing: Vec<AssignHold> =
            rows.iter().filter_map(|row| coordination::decode(row).ok()).collect();
        let (own, others): (Vec<_>, Vec<_>) =
            standing.iter().partition(|other| other.character_id == hold.character_id);
        let rivals = others
            .iter()
            .filter(|other| other.placement == hold.placement && other.instance == hold.instance)
            .count();
        if room.is_some_and(|room| rivals >= room as usize) {
            return Ok(false);
        }
        for earlier in own {
            coordination::remove(&mut step, &keys::hold(&earlier.token)).await?;
        }
        let key = keys::hold(&hold.token);
        coordination::put(&mut step, &key, hold, hold.expires_at, None).await?;
        step.commit().await.map_err(unavailable)?;
        Ok(true)
    }
}
