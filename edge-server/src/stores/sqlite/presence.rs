//! Presence by account and by character in the embedded store.
//!
//! Epochs compare within one character only. Under the account's key its entries compare:
//! the latest stands, with whatever character. Whoever leaves removes only what is still
//! its own.

use async_trait::async_trait;
use shared::control_plane::HeldSession;
use shared::coordination::PresenceRecord;
use shared::ids::{AccountId, CharacterId, SessionEpoch, UnixMillis};
use shared::secret::SessionToken;

use super::{SqliteStores, coordination, unavailable};
use crate::stores::{EpochWrite, HeldPresence, PresenceStore, StoreError, StoreResult, keys};

#[async_trait]
impl PresenceStore for SqliteStores {
    async fn put_presence(
        &self,
        record: &PresenceRecord,
        now: UnixMillis,
    ) -> StoreResult<EpochWrite> {
        let of_character = keys::presence_character(record.character_id);
        let of_account = keys::presence_account(record.account_id);
        let mut step = self.write().await?;
        let (character, account): (Option<PresenceRecord>, Option<PresenceRecord>) = (
            coordination::get_live(&mut step, &of_character, now).await?,
            coordination::get_live(&mut step, &of_account, now).await?,
        );
        let newer = character.is_some_and(|standing| standing.epoch > record.epoch)
            || account.is_some_and(|standing| standing.entry > record.entry);
        if newer {
            return Ok(EpochWrite::Superseded);
        }
        for key in [&of_character, &of_account] {
            coordination::put(&mut step, key, record, record.expires_at, None).await?;
        }
        step.commit().await.map_err(unavailable)?;
        Ok(EpochWrite::Written)
    }

    async fn presence_of_character(
        &self,
        id: CharacterId,
        now: UnixMillis,
    ) -> StoreResult<Option<PresenceRecord>> {
        let mut connection = self.readers.acquire().await.map_err(unavailable)?;
        coordination::get_live(&mut connection, &keys::presence_character(id), now).await
    }

    async fn presence_of_account(
        &self,
        id: AccountId,
        now: UnixMillis,
    ) -> StoreResult<Option<PresenceRecord>> {
        let mut connection = self.readers.acquire().await.map_err(unavailable)?;
        coordination::get_live(&mut connection, &keys::presence_account(id), now).await
    }

    async fn held_presence(
        &self,
        sessions: &[HeldSession],
        incarnation: u64,
        now: UnixMillis,
    ) -> StoreResult<HeldPresence> {
        let mut connection = self.readers.acquire().await.map_err(unavailable)?;
        let mut held = HeldPresence::default();
        for session in sessions {
            let keys = [
                keys::presence_character(session.character_id),
                keys::presence_account(session.account_id),
            ];
            let mut standing = [Ok(None), Ok(None)];
            for (key, place) in keys.iter().zip(&mut standing) {
                *place = match coordination::get_live(&mut connection, key, now).await {
                    Err(error @ (StoreError::Unavailable(_) | StoreError::Refused(_))) => {
                        return Err(error);
                    }
                    read => read,
                };
            }
            let [of_character, of_account] = &standing;
            held.judge(session, incarnation, of_character, of_account);
        }
        Ok(held)
    }

    async fn remove_presence(
        &self,
        account: AccountId,
        character: CharacterId,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> StoreResult<bool> {
        let mut step = self.write().await?;
        let mut removed = false;
        for key in [keys::presence_character(character), keys::presence_account(account)] {
            removed |= coordination::remove_if(&mut step, &key, |standing: &PresenceRecord| {
                standing.session_token == *session && standing.epoch == epoch
            })
            .await?;
        }
        step.commit().await.map_err(unavailable)?;
        Ok(removed)
    }
}
