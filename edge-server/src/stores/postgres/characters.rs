//! Characters in Postgres: the one arbiter of authority.
//!
//! Every step that reads an epoch and then writes has locked the row before. It decides
//! nothing itself: `domain::authority` judges a raise. Columns are named one by one, because
//! a newer build may add some while this one runs.

use std::collections::BTreeMap;

use async_trait::async_trait;
use shared::coordination::TokenHash;
use shared::ids::{AccountEntry, AccountId, CharacterId, RealmId, SessionEpoch, UnixMillis};
use shared::limits::MAX_CHARACTERS_PER_REALM;
use shared::realtime::command::CommandSequence;
use sqlx::types::Uuid;
use sqlx::{PgConnection, Row};

use super::steps::Failure;
use super::{PostgresStores, integer, number, read_character};
use crate::domain::authority::{
    Character, EpochRaise, EpochRaised, Place, RaiseGround, RaiseJudgement, judge_raise_of_account,
};
use crate::domain::names::{fold_case, skeleton};
use crate::stores::{
    CharacterCreation, CharacterDeletion, CharacterStore, GatherOutcome, LocationSave,
    NewCharacter, SaveOutcome, StoreResult,
};

/// What [`read_character`] reads.
macro_rules! columns {
    () => {
        "characters.id, account_id, realm, name, appearance, zone, tile_x, tile_y, gathered,
         session_epoch, entry, raised_attempt_id, raised_handoff, raised_try,
         raised_session_token, raised_instance, claimed, command_sequence"
    };
}

const FIND: &str =
    concat!("SELECT ", columns!(), " FROM characters WHERE id = $1 AND deleted_at IS NULL");

/// The same, and holds the row until the step ends.
const HOLD: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM characters WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE"
);

const ROSTER: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM characters WHERE account_id = $1 AND realm = $2 AND deleted_at IS NULL
     ORDER BY created_at, creation"
);

/// Holds a character's account for whoever makes its next entry.
const OWNER_TO_ENTER: &str = "SELECT entries FROM accounts
     WHERE id = (SELECT account_id FROM characters WHERE id = $1) FOR NO KEY UPDATE";

/// Holds it for whoever compares an entry with its last one.
const OWNER_TO_COMPARE: &str = "SELECT entries FROM accounts
     WHERE id = (SELECT account_id FROM characters WHERE id = $1) FOR SHARE";

const RAISE: &str = concat!(
    "WITH entered AS (
         UPDATE accounts SET entries = entries + 1 WHERE id = $13 RETURNING entries
     )
     UPDATE characters SET session_epoch = $2, raised_handoff = $3, raised_attempt_id = $4,
         raised_try = $5, raised_session_token = $6, raised_instance = $7, raised_at = $8,
         claimed = claimed AND $14, entry = entered.entries, zone = $9, tile_x = $10, tile_y = $11,
         command_sequence = CASE WHEN $12 THEN command_sequence ELSE 0 END
     FROM entered WHERE characters.id = $1 RETURNING ",
    columns!()
);

#[async_trait]
impl CharacterStore for PostgresStores {
    async fn create_character(
        &self,
        character: &NewCharacter,
        now: UnixMillis,
    ) -> StoreResult<CharacterCreation> {
        let (key, looks) = (&fold_case(&character.name), &skeleton(&character.name));
        self.tried(|| async move {
            let mut step = self.begin().await?;
            // Creations of one account are in turn, so that each counts those before it.
            sqlx::query("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE")
                .bind(character.account_id.uuid())
                .execute(&mut *step)
                .await?;
            let roster: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM characters
                 WHERE account_id = $1 AND realm = $2 AND deleted_at IS NULL",
            )
            .bind(character.account_id.uuid())
            .bind(character.realm.as_str())
            .fetch_one(&mut *step)
            .await?;
            if usize::try_from(roster).unwrap_or(usize::MAX) >= MAX_CHARACTERS_PER_REALM {
                return step.end(CharacterCreation::RosterFull).await;
            }
            // The indexes judge: of two who create at once the second waits for the first.
            let created = sqlx::query(
                "INSERT INTO characters
                 (id, account_id, realm, name, name_key, name_skeleton, appearance, zone, tile_x,
                  tile_y, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING",
            )
            .bind(character.id.uuid())
            .bind(character.account_id.uuid())
            .bind(character.realm.as_str())
            .bind(&character.name)
            .bind(key)
            .bind(looks)
            .bind(character.appearance.as_str())
            .bind(character.zone.as_str())
            .bind(i64::from(character.tile.x))
            .bind(i64::from(character.tile.y))
            .bind(integer(now.0))
            .execute(&mut *step)
            .await?
            .rows_affected();
            if created == 1 {
                return step.end(CharacterCreation::Created).await;
            }
            // True where a name is the same, false where one only looks the same.
            let rival: Option<bool> = sqlx::query_scalar(
                "SELECT bool_or(name_key = $1) FROM characters
                 WHERE realm = $3 AND deleted_at IS NULL
                 AND (name_key = $1 OR name_skeleton = $2)",
            )
            .bind(key)
            .bind(looks)
            .bind(character.realm.as_str())
            .fetch_one(&mut *step)
            .await?;
            match rival {
                Some(true) => step.end(CharacterCreation::NameTaken).await,
                Some(false) => step.end(CharacterCreation::NameConfusable).await,
                // Whoever had the name was deleted in between.
                None => Err(Failure::Conflict("the character's id or name was taken".to_owned())),
            }
        })
        .await
    }

    async fn roster(&self, account: AccountId, realm: &RealmId) -> StoreResult<Vec<Character>> {
        self.tried(|| async move {
            let mut step = self.connection().await?;
            let rows = sqlx::query(ROSTER)
                .bind(account.uuid())
                .bind(realm.as_str())
                .fetch_all(&mut *step)
                .await?;
            let roster = rows.iter().map(read_character).collect::<StoreResult<_>>()?;
            step.end(roster).await
        })
        .await
    }

    async fn character(&self, id: CharacterId) -> StoreResult<Option<Character>> {
        self.tried(|| async move {
            let mut step = self.connection().await?;
            let found = find(&mut step, FIND, id).await?;
            step.end(found).await
        })
        .await
    }

    async fn delete_character(
        &self,
        account: AccountId,
        id: CharacterId,
        expected: SessionEpoch,
        now: UnixMillis,
    ) -> StoreResult<CharacterDeletion> {
        self.tried(|| async move {
            let mut step = self.begin().await?;
            match find(&mut step, HOLD, id).await? {
                Some(row) if row.account_id == account => {
                    if row.epoch != expected {
                        return step.end(CharacterDeletion::Superseded).await;
                    }
                }
                _ => return step.end(CharacterDeletion::NotFound).await,
            }
            sqlx::query(
                "UPDATE characters SET deleted_at = $1, session_epoch = session_epoch + 1
                 WHERE id = $2",
            )
            .bind(integer(now.0))
            .bind(id.uuid())
            .execute(&mut *step)
            .await?;
            step.end(CharacterDeletion::Deleted).await
        })
        .await
    }

    async fn raise_epoch(&self, raise: &EpochRaise, now: UnixMillis) -> StoreResult<EpochRaised> {
        self.tried(|| async move {
            let mut step = self.begin().await?;
            let latest = hold_owner(&mut step, OWNER_TO_ENTER, raise.character_id).await?;
            if let RaiseGround::Admission { login, .. } = &raise.ground
                && !hold_login(&mut step, login, now).await?
            {
                return step.end(EpochRaised::LoginEnded).await;
            }
            let Some(row) = find(&mut step, HOLD, raise.character_id).await? else {
                return step.end(EpochRaised::Gone).await;
            };
            let latest = AccountEntry(latest.unwrap_or_default().unsigned_abs());
            match judge_raise_of_account(&row, latest, raise) {
                RaiseJudgement::Superseded => return step.end(EpochRaised::Superseded).await,
                RaiseJudgement::AlreadyOwn => return step.end(EpochRaised::Raised(row)).await,
                RaiseJudgement::Raise => {}
            }
            let last = Place { zone: row.zone, tile: row.tile };
            let place = raise.ground.place().unwrap_or(&last);
            let raised = sqlx::query(RAISE)
                .bind(raise.character_id.uuid())
                .bind(integer(row.epoch.next().0))
                .bind(raise.by.handoff.as_str())
                .bind(raise.by.attempt_id.uuid())
                .bind(i64::from(raise.by.r#try.0))
                .bind(raise.by.session_token.expose())
                .bind(raise.by.instance.as_str())
                .bind(integer(now.0))
                .bind(place.zone.as_str())
                .bind(i64::from(place.tile.x))
                .bind(i64::from(place.tile.y))
                .bind(raise.ground.continues_commands())
                .bind(row.account_id.uuid())
                .bind(raise.ground.keeps_claimed())
                .fetch_one(&mut *step)
                .await?;
            step.end(EpochRaised::Raised(read_character(&raised)?)).await
        })
        .await
    }

    async fn mark_claimed(&self, id: CharacterId, epoch: SessionEpoch) -> StoreResult<SaveOutcome> {
        self.tried(|| async move {
            let mut step = self.begin().await?;
            // Held, so that no raise of another of its characters comes in between.
            let Some(entries) = hold_owner(&mut step, OWNER_TO_COMPARE, id).await? else {
                return step.end(SaveOutcome::Stale).await;
            };
            let marked = sqlx::query(
                "UPDATE characters SET claimed = TRUE
                 WHERE id = $1 AND session_epoch = $2 AND entry = $3 AND deleted_at IS NULL",
            )
            .bind(id.uuid())
            .bind(integer(epoch.0))
            .bind(entries)
            .execute(&mut *step)
            .await?
            .rows_affected();
            step.end(if marked == 1 { SaveOutcome::Saved } else { SaveOutcome::Stale }).await
        })
        .await
    }

    async fn save_locations(&self, saves: &[LocationSave]) -> StoreResult<Vec<SaveOutcome>> {
        if saves.is_empty() {
            return Ok(Vec::new());
        }
        let ids: &Vec<Uuid> = &saves.iter().map(|save| save.character_id.uuid()).collect();
        self.tried(|| async move {
            let mut step = self.begin().await?;
            let held = sqlx::query(
                "SELECT id, session_epoch FROM characters
                 WHERE id = ANY($1) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE",
            )
            .bind(ids)
            .fetch_all(&mut *step)
            .await?;
            let mut epochs: BTreeMap<Uuid, i64> = BTreeMap::new();
            for row in &held {
                epochs.insert(row.try_get("id")?, row.try_get("session_epoch")?);
            }
            let is_current = |save: &&LocationSave| {
                epochs.get(&save.character_id.uuid()) == Some(&integer(save.epoch.0))
            };
            // Of two places of one character the later one stays.
            let last: BTreeMap<Uuid, &LocationSave> = saves
                .iter()
                .filter(is_current)
                .map(|save| (save.character_id.uuid(), save))
                .collect();
            let column =
                |of: fn(&LocationSave) -> i64| last.values().map(|save| of(save)).collect();
            let (x, y): (Vec<i64>, Vec<i64>) =
                (column(|save| save.tile.x.into()), column(|save| save.tile.y.into()));
            sqlx::query(
                "UPDATE characters SET zone = place.zone, tile_x = place.x, tile_y = place.y
                 FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[])
                     AS place (id, zone, x, y)
                 WHERE characters.id = place.id",
            )
            .bind(last.keys().copied().collect::<Vec<_>>())
            .bind(last.values().map(|save| save.zone.as_str()).collect::<Vec<_>>())
            .bind(x)
            .bind(y)
            .execute(&mut *step)
            .await?;
            let outcome = |save: &LocationSave| {
                if is_current(&save) { SaveOutcome::Saved } else { SaveOutcome::Stale }
            };
            step.end(saves.iter().map(outcome).collect()).await
        })
        .await
    }

    async fn gather(
        &self,
        id: CharacterId,
        epoch: SessionEpoch,
        sequence: CommandSequence,
    ) -> StoreResult<GatherOutcome> {
        self.tried(|| async move {
            let mut step = self.begin().await?;
            let gathered = sqlx::query(
                "UPDATE characters
                 SET command_sequence = $1, gathered = least(gathered + 1, 4294967295)
                 WHERE id = $2 AND session_epoch = $3 AND deleted_at IS NULL
                 AND command_sequence < $1
                 RETURNING gathered",
            )
            .bind(i64::from(sequence.0))
            .bind(id.uuid())
            .bind(integer(epoch.0))
            .fetch_optional(&mut *step)
            .await?;
            if let Some(row) = gathered {
                let total = number(&row, "gathered", &format!("characters/{id}"))?;
                return step.end(GatherOutcome::Gathered { total }).await;
            }
            // Epochs and counts only rise: a row that is current now was so a moment ago.
            let outcome = match find(&mut step, FIND, id).await? {
                Some(row) if row.epoch == epoch => GatherOutcome::Already { total: row.gathered },
                _ => GatherOutcome::Stale,
            };
            step.end(outcome).await
        })
        .await
    }
}

/// Holds a character's account; gives the number of its last entry.
async fn hold_owner(
    step: &mut PgConnection,
    statement: &'static str,
    id: CharacterId,
) -> Result<Option<i64>, Failure> {
    Ok(sqlx::query_scalar(statement).bind(id.uuid()).fetch_optional(step).await?)
}

/// Whether a login lives; it cannot end before the step does.
async fn hold_login(
    step: &mut PgConnection,
    login: &TokenHash,
    now: UnixMillis,
) -> Result<bool, Failure> {
    let found =
        sqlx::query("SELECT 1 FROM logins WHERE token_hash = $1 AND expires_at > $2 FOR SHARE")
            .bind(login.as_str())
            .bind(integer(now.0))
            .fetch_optional(step)
            .await?;
    Ok(found.is_some())
}

/// The living character of an id, by [`FIND`] or [`HOLD`].
async fn find(
    connection: &mut PgConnection,
    statement: &'static str,
    id: CharacterId,
) -> Result<Option<Character>, Failure> {
    let row = sqlx::query(statement).bind(id.uuid()).fetch_optional(connection).await?;
    Ok(row.as_ref().map(read_character).transpose()?)
}
