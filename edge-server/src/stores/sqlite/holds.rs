//! Promises of seats in the embedded store.

use async_trait::async_trait;
use shared::coordination::AssignHold;
use shared::ids::{AccountId, UnixMillis};
use sqlx::SqliteConnection;

use super::{SqliteStores, coordination, unavailable};
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
        let standing = all(&mut step).await?;
        let standing = standing.into_iter().filter(|other| !other.expires_at.has_passed(now));
        let standing: Vec<AssignHold> = standing.collect();
        let (own, others): (Vec<_>, Vec<_>) =
            standing.iter().partition(|other| other.account_id == hold.account_id);
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

    async fn give_up(&self, account: AccountId) -> StoreResult<()> {
        let mut step = self.write().await?;
        let own = all(&mut step).await?.into_iter().filter(|hold| hold.account_id == account);
        for hold in own {
            coordination::remove(&mut step, &keys::hold(&hold.token)).await?;
        }
        step.commit().await.map_err(unavailable)
    }
}

/// Every promise. One that this build cannot read promises nothing that it could count.
async fn all(connection: &mut SqliteConnection) -> StoreResult<Vec<AssignHold>> {
    let rows = sqlx::query("SELECT * FROM coordination WHERE key >= ? AND key < ?")
        .bind(keys::HOLD_PREFIX)
        .bind(keys::HOLD_PREFIX_END)
        .fetch_all(connection)
        .await
        .map_err(unavailable)?;
    Ok(rows.iter().filter_map(|row| coordination::decode(row).ok()).collect())
}
