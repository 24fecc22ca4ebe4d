//! Characters in the embedded store: the one arbiter of authority.
//!
//! Every step that reads an epoch and then writes holds the write lock from its start. It
//! decides nothing itself: `domain::authority` judges a raise.

use async_trait::async_trait;
use shared::coordination::TokenHash;
use shared::ids::{AccountEntry, AccountId, CharacterId, RealmId, SessionEpoch, UnixMillis};
use shared::limits::MAX_CHARACTERS_PER_REALM;
use shared::realtime::command::CommandSequence;
use sqlx::SqliteConnection;

use super::{SqliteStores, integer, read_character, unavailable};
use crate::domain::authority::{
    Character, EpochRaise, EpochRaised, Place, RaiseGround, RaiseJudgement, judge_raise_of_account,
};
use crate::domain::names::{fold_case, skeleton};
use crate::stores::{
    CharacterCreation, CharacterDeletion, CharacterStore, GatherOutcome, LocationSave,
    NewCharacter, SaveOutcome, StoreResult,
};

#[async_trait]
impl CharacterStore for SqliteStores {
    async fn create_character(
        &self,
        character: &NewCharacter,
        now: UnixMillis,
    ) -> StoreResult<CharacterCreation> {
        let mut step = self.write().await?;
        let roster: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM characters
             WHERE account_id = ? AND realm = ? AND deleted_at IS NULL",
        )
        .bind(character.account_id.to_string())
        .bind(character.realm.as_str())
        .fetch_one(&mut *step)
        .await
        .map_err(unavailable)?;
        if usize::try_from(roster).unwrap_or(usize::MAX) >= MAX_CHARACTERS_PER_REALM {
            return Ok(CharacterCreation::RosterFull);
        }
        let (key, looks) = (fold_case(&character.name), skeleton(&character.name));
        // 1 where a name is the same, 0 where one only looks the same, nothing where none does.
        let rival: Option<i64> = sqlx::query_scalar(
            "SELECT max(name_key = ?1) FROM characters
             WHERE realm = ?3 AND deleted_at IS NULL AND (name_key = ?1 OR name_skeleton = ?2)",
        )
        .bind(&key)
        .bind(&looks)
        .bind(character.realm.as_str())
        .fetch_one(&mut *step)
        .await
        .map_err(unavailable)?;
        match rival {
            Some(1) => return Ok(CharacterCreation::NameTaken),
            Some(_) => return Ok(CharacterCreation::NameConfusable),
            None => {}
        }
        sqlx::query(
            "INSERT INTO characters
             (id, account_id, realm, name, name_key, name_skeleton, appearance, zone, tile_x,
              tile_y, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(character.id.to_string())
        .bind(character.account_id.to_string())
        .bind(character.realm.as_str())
        .bind(&character.name)
        .bind(&key)
        .bind(&looks)
        .bind(character.appearance.as_str())
        .bind(character.zone.as_str())
        .bind(character.tile.x)
        .bind(character.tile.y)
        .bind(integer(now.0))
        .execute(&mut *step)
        .await
        .map_err(unavailable)?;
        step.commit().await.map_err(unavailable)?;
        Ok(CharacterCreation::Created)
    }

    async fn roster(&self, account: AccountId, realm: &RealmId) -> StoreResult<Vec<Character>> {
        // rowid breaks the tie of two characters of one millisecond: it only ever grows,
        // because no row of this table is removed.
        let rows = sqlx::query(
            "SELECT * FROM characters WHERE account_id = ? AND realm = ? AND deleted_at IS NULL
             ORDER BY created_at, rowid",
        )
        .bind(account.to_string())
        .bind(realm.as_str())
        .fetch_all(&self.readers)
        .await
        .map_err(unavailable)?;
        rows.iter().map(read_character).collect()
    }

    async fn character(&self, id: CharacterId) -> StoreResult<Option<Character>> {
        let mut connection = self.readers.acquire().await.map_err(unavailable)?;
        find(&mut connection, id).await
    }

    async fn delete_character(
        &self,
        account: AccountId,
        id: CharacterId,
        expected: SessionEpoch,
        now: UnixMillis,
    ) -> StoreResult<CharacterDeletion> {
        let mut step = self.write().await?;
        match find(&mut step, id).await? {
            Some(row) if row.account_id == account => {
                if row.epoch != expected {
                    return Ok(CharacterDeletion::Superseded);
                }
            }
            _ => return Ok(CharacterDeletion::NotFound),
        }
        sqlx::query(
            "UPDATE characters SET deleted_at = ?, session_epoch = session_epoch + 1 WHERE id = ?",
        )
        .bind(integer(now.0))
        .bind(id.to_string())
        .execute(&mut *step)
        .await
        .map_err(unavailable)?;
        step.commit().await.map_err(unavailable)?;
        Ok(CharacterDeletion::Deleted)
    }

    async fn raise_epoch(&self, raise: &EpochRaise, now: UnixMillis) -> StoreResult<EpochRaised> {
        let mut step = self.write().await?;
        if let RaiseGround::Admission { login, .. } = &raise.ground
            && !login_lives(&mut step, login, now).await?
        {
            return Ok(EpochRaised::LoginEnded);
        }
        let Some(row) = find(&mut step, raise.character_id).await? else {
            return Ok(EpochRaised::Gone);
        };
        let latest: i64 = sqlx::query_scalar("SELECT entries FROM accounts WHERE id = ?")
            .bind(row.account_id.to_string())
            .fetch_one(&mut *step)
            .await
            .map_err(unavailable)?;
        match judge_raise_of_account(&row, AccountEntry(latest.unsigned_abs()), raise) {
            RaiseJudgement::Superseded => Ok(EpochRaised::Superseded),
            RaiseJudgement::AlreadyOwn => Ok(EpochRaised::Raised(row)),
            RaiseJudgement::Raise => {
                let last = Place { zone: row.zone, tile: row.tile };
                let place = raise.ground.place().unwrap_or(&last);
                let entry: i64 = sqlx::query_scalar(
                    "UPDATE accounts SET entries = entries + 1 WHERE id = ? RETURNING entries",
                )
                .bind(row.account_id.to_string())
                .fetch_one(&mut *step)
                .await
                .map_err(unavailable)?;
                let raised = sqlx::query(
                    "UPDATE characters SET session_epoch = ?, raised_handoff = ?, raised_attempt_id = ?,
                     raised_try = ?, raised_session_token = ?, raised_instance = ?, raised_at = ?,
                     claimed = claimed AND ?, entry = ?, zone = ?, tile_x = ?, tile_y = ?,
                     command_sequence = CASE WHEN ? THEN command_sequence ELSE 0 END
                     WHERE id = ? RETURNING *",
                )
                .bind(integer(row.epoch.next().0))
                .bind(raise.by.handoff.as_str())
                .bind(raise.by.attempt_id.to_string())
                .bind(raise.by.r#try.0)
                .bind(raise.by.session_token.expose())
                .bind(raise.by.instance.as_str())
                .bind(integer(now.0))
                .bind(raise.ground.keeps_claimed())
                .bind(entry)
                .bind(place.zone.as_str())
                .bind(place.tile.x)
                .bind(place.tile.y)
                .bind(raise.ground.continues_commands())
                .bind(raise.character_id.to_string())
                .fetch_one(&mut *step)
                .await
                .map_err(unavailable)?;
                let character = read_character(&raised)?;
                step.commit().await.map_err(unavailable)?;
                Ok(EpochRaised::Raised(character))
            }
        }
    }

    async fn mark_claimed(&self, id: CharacterId, epoch: SessionEpoch) -> StoreResult<SaveOutcome> {
        let mut step = self.write().await?;
        let marked = sqlx::query(
            "UPDATE characters SET claimed = 1
             WHERE id = ? AND session_epoch = ? AND deleted_at IS NULL
             AND entry = (SELECT entries FROM accounts WHERE id = account_id)",
        )
        .bind(id.to_string())
        .bind(integer(epoch.0))
        .execute(&mut *step)
        .await
        .map_err(unavailable)?
        .rows_affected();
        step.commit().await.map_err(unavailable)?;
        Ok(if marked == 1 { SaveOutcome::Saved } else { SaveOutcome::Stale })
    }

    async fn save_locations(&self, saves: &[LocationSave]) -> StoreResult<Vec<SaveOutcome>> {
        if saves.is_empty() {
            return Ok(Vec::new());
        }
        let mut step = self.write().await?;
        let mut outcomes = Vec::with_capacity(saves.len());
        for save in saves {
            let saved = sqlx::query(
                "UPDATE characters SET zone = ?, tile_x = ?, tile_y = ?
                 WHERE id = ? AND session_epoch = ? AND deleted_at IS NULL",
            )
            .bind(save.zone.as_str())
            .bind(save.tile.x)
            .bind(save.tile.y)
            .bind(save.character_id.to_string())
            .bind(integer(save.epoch.0))
            .execute(&mut *step)
            .await
            .map_err(unavailable)?
            .rows_affected();
            outcomes.push(if saved == 1 { SaveOutcome::Saved } else { SaveOutcome::Stale });
        }
        step.commit().await.map_err(unavailable)?;
        Ok(outcomes)
    }

    async fn gather(
        &self,
        id: CharacterId,
        epoch: SessionEpoch,
        sequence: CommandSequence,
    ) -> StoreResult<GatherOutcome> {
        let mut step = self.write().await?;
        let gathered: Option<u32> = sqlx::query_scalar(
            "UPDATE characters SET command_sequence = ?1, gathered = min(gathered + 1, 4294967295)
             WHERE id = ?2 AND session_epoch = ?3 AND deleted_at IS NULL AND command_sequence < ?1
             RETURNING gathered",
        )
        .bind(sequence.0)
        .bind(id.to_string())
        .bind(integer(epoch.0))
        .fetch_optional(&mut *step)
        .await
        .map_err(unavailable)?;
        let outcome = match gathered {
            Some(total) => GatherOutcome::Gathered { total },
            // Under the same lock: the row is as the statement has found it.
            None => match find(&mut step, id).await? {
                Some(row) if row.epoch == epoch => GatherOutcome::Already { total: row.gathered },
                _ => GatherOutcome::Stale,
            },
        };
        step.commit().await.map_err(unavailable)?;
        Ok(outcome)
    }
}

async fn login_lives(
    connection: &mut SqliteConnection,
    login: &TokenHash,
    now: UnixMillis,
) -> StoreResult<bool> {
    let found = sqlx::query("SELECT 1 FROM logins WHERE token_hash = ? AND expires_at > ?")
        .bind(login.as_str())
        .bind(integer(now.0))
        .fetch_optional(connection)
        .await
        .map_err(unavailable)?;
    Ok(found.is_some())
}

async fn find(
    connection: &mut SqliteConnection,
    id: CharacterId,
) -> StoreResult<Option<Character>> {
    let row = sqlx::query("SELECT * FROM characters WHERE id = ? AND deleted_at IS NULL")
        .bind(id.to_string())
        .fetch_optional(connection)
        .await
        .map_err(unavailable)?;
    row.as_ref().map(read_character).transpose()
}
