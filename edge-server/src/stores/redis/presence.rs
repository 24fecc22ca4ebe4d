//! Presence by account and by character.
//!
//! Epochs compare within one character only. Under the account's key its entries compare:
//! the latest stands, with whatever character. Whoever leaves removes only what is still
//! its own.

use async_trait::async_trait;
use shared::coordination::PresenceRecord;
use shared::ids::{AccountId, CharacterId, SessionEpoch, UnixMillis};
use shared::secret::SessionToken;

use super::RedisStores;
use crate::stores::{EpochWrite, PresenceStore, StoreResult, keys};

#[async_trait]
impl PresenceStore for RedisStores {
    async fn put_presence(
        &self,
        record: &PresenceRecord,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let of_character = keys::presence_character(record.character_id);
        let of_account = keys::presence_account(record.account_id);
        let ranked = [(of_character.as_str(), "epoch"), (of_account.as_str(), "entry")];
        self.put_unless_outranked(record, &ranked, Some(now)).await
    }

    async fn presence_of_character(
        &self,
        id: CharacterId,
        now: UnixMillis,
    ) -> StoreResult<Option<PresenceRecord>> {
        self.get_live(&keys::presence_character(id), now).await
    }

    async fn presence_of_account(
        &self,
        id: AccountId,
        now: UnixMillis,
    ) -> StoreResult<Option<PresenceRecord>> {
        self.get_live(&keys::presence_account(id), now).await
    }

    async fn remove_presence(
        &self,
        account: AccountId,
        character: CharacterId,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> StoreResult<bool> {
        let of_character = keys::presence_character(character);
        let of_account = keys::presence_account(account);
        let epoch = epoch.0.to_string();
        let own = [("session_token", session.expose()), ("epoch", epoch.as_str())];
        self.remove_if(&[&of_character, &of_account], &own).await
    }
}
