//! Presence by account and by character.
//!
//! Epochs compare within one character only. Under the account's key its entries compare:
//! the latest stands, with whatever character. Whoever leaves removes only what is still
//! its own.

use async_trait::async_trait;
use shared::control_plane::HeldSession;
use shared::coordination::PresenceRecord;
use shared::ids::{AccountId, CharacterId, SessionEpoch, UnixMillis};
use shared::secret::SessionToken;

use super::RedisStores;
use super::records::decode_live;
use crate::stores::{EpochWrite, HeldPresence, PresenceStore, StoreResult, keys};

/// Sessions that are looked up by one command, which holds up every other caller meanwhile.
const SESSIONS_A_LOOK: usize = 256;

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

    async fn held_presence(
        &self,
        sessions: &[HeldSession],
        incarnation: u64,
        now: UnixMillis,
    ) -> StoreResult<HeldPresence> {
        let mut held = HeldPresence::default();
        for some in sessions.chunks(SESSIONS_A_LOOK) {
            let keys: Vec<String> = some
                .iter()
                .flat_map(|session| {
                    let of_account = keys::presence_account(session.account_id);
                    [keys::presence_character(session.character_id), of_account]
                })
                .collect();
            let texts = self.get_all(&keys).await?;
            let standing: Vec<StoreResult<Option<PresenceRecord>>> = keys
                .iter()
                .zip(&texts)
                .map(|(key, text)| {
                    text.as_deref().map_or(Ok(None), |text| decode_live(key, text, now))
                })
                .collect();
            for (session, standing) in some.iter().zip(standing.chunks_exact(2)) {
                held.judge(session, incarnation, &standing[0], &standing[1]);
            }
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
        let of_character = keys::presence_character(character);
        let of_account = keys::presence_account(account);
        let epoch = epoch.0.to_string();
        let own = [("session_token", session.expose()), ("epoch", epoch.as_str())];
        self.remove_if(&[&of_character, &of_account], &own).await
    }
}
