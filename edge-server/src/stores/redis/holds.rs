//! Promises of seats.

use async_trait::async_trait;
use shared::coordination::AssignHold;
use shared::ids::{AccountId, UnixMillis};

use super::RedisStores;
use super::records::encode;
use crate::stores::{HoldStore, StoreResult, keys};

#[async_trait]
impl HoldStore for RedisStores {
    async fn hold(
        &self,
        hold: &AssignHold,
        room: Option<u32>,
        now: UnixMillis,
    ) -> StoreResult<bool> {
        let answer = self
            .call(&self.steps.hold, Some(now))
            .key(keys::hold(&hold.token))
            .argument(encode(hold))
            .argument(hold.account_id)
            .argument(&hold.placement)
            .argument(&hold.instance)
            .argument(room.map(|room| room.to_string()).unwrap_or_default())
            .run()
            .await?;
        match answer.parts().0 {
            "done" => Ok(true),
            "refused" => Ok(false),
            _ => Err(answer.strange()),
        }
    }

    async fn give_up(&self, account: AccountId) -> StoreResult<()> {
        let answer = self.call(&self.steps.give_up, None).argument(account).run().await?;
        match answer.parts().0 {
            "done" => Ok(()),
            _ => Err(answer.strange()),
        }
    }
}
