//! Reads what a row of a durable store holds, the same way for every family that keeps rows.
//!
//! A family says how it gets a text, a number or a flag out of a column; what these mean is
//! parsed here. A value that this build cannot read is [`StoreError::Unreadable`] and names
//! its row.

use shared::coordination::{AccountClaims, HandoffCacheRecord, TokenHash};
use shared::ids::{AccountEntry, SessionEpoch, Try, UnixMillis};
use shared::realtime::command::CommandSequence;
use shared::version::PayloadVersion;
use shared::world::Tile;

use super::{StoreError, StoreResult};
use crate::domain::authority::{Character, RaisedBy};

/// A row as a family reads it. A column that is NULL gives nothing.
pub(super) trait Columns {
    /// A column of text, or of an id as its text.
    fn text(&self, column: &str) -> StoreResult<Option<String>>;

    /// A column of whole numbers.
    fn integer(&self, column: &str) -> StoreResult<Option<i64>>;

    /// A column of truth values.
    fn flag(&self, column: &str) -> StoreResult<Option<bool>>;
}

/// A number as a database keeps it. What does not fit lies beyond every number that a row
/// holds (an epoch, a moment) and compares as such.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reads a text column as one of the types that are parsed at the edge.
pub(super) fn parsed<T>(row: &impl Columns, column: &str, key: &str) -> StoreResult<T>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    present(row.text(column)?, column, key)?.parse().map_err(|error| unreadable(key, column, error))
}

/// Reads an integer column as a narrower or unsigned number.
pub(super) fn number<T>(row: &impl Columns, column: &str, key: &str) -> StoreResult<T>
where
    T: TryFrom<i64, Error: std::fmt::Display>,
{
    let wide = present(row.integer(column)?, column, key)?;
    T::try_from(wide).map_err(|error| unreadable(key, column, error))
}

/// Reads a row of the characters.
pub(super) fn read_character(row: &impl Columns) -> StoreResult<Character> {
    let key = format!("characters/{}", present(row.text("id")?, "id", "characters")?);
    let raised_by = match row.text("raised_attempt_id")? {
        // The table's CHECK holds: the columns are filled together.
        Some(_) => Some(RaisedBy {
            handoff: parsed(row, "raised_handoff", &key)?,
            attempt_id: parsed(row, "raised_attempt_id", &key)?,
            r#try: Try(number(row, "raised_try", &key)?),
            session_token: parsed(row, "raised_session_token", &key)?,
            instance: parsed(row, "raised_instance", &key)?,
        }),
        None => None,
    };
    Ok(Character {
        id: parsed(row, "id", &key)?,
        account_id: parsed(row, "account_id", &key)?,
        realm: parsed(row, "realm", &key)?,
        name: present(row.text("name")?, "name", &key)?,
        appearance: parsed(row, "appearance", &key)?,
        zone: parsed(row, "zone", &key)?,
        tile: Tile { x: number(row, "tile_x", &key)?, y: number(row, "tile_y", &key)? },
        gathered: number(row, "gathered", &key)?,
        epoch: SessionEpoch(number(row, "session_epoch", &key)?),
        entry: AccountEntry(number(row, "entry", &key)?),
        raised_by,
        claimed: present(row.flag("claimed")?, "claimed", &key)?,
        last_command: CommandSequence(number(row, "command_sequence", &key)?),
    })
}

/// Reads a legacy row of a handoff, with the `username` of its account beside it.
pub(super) fn read_handoff(row: &impl Columns) -> StoreResult<HandoffCacheRecord> {
    let token: TokenHash = parsed(row, "token_hash", "handoff_tokens")?;
    let key = format!("handoff_tokens/{token}");
    let version: u32 = number(row, "payload_version", &key)?;
    let payload_version = PayloadVersion::try_from(version)
        .map_err(|error| unreadable(&key, "payload_version", error))?;
    let start_tile = match row.integer("start_tile_x")? {
        Some(_) => Some(Tile {
            x: number(row, "start_tile_x", &key)?,
            y: number(row, "start_tile_y", &key)?,
        }),
        None => None,
    };
    let run = row.text("dungeon_run_id")?.map(|_| parsed(row, "dungeon_run_id", &key));
    Ok(HandoffCacheRecord {
        payload_version,
        token,
        account_id: parsed(row, "account_id", &key)?,
        claims: AccountClaims { username: present(row.text("username")?, "username", &key)? },
        login: parsed(row, "login_hash", &key)?,
        character_id: parsed(row, "character_id", &key)?,
        realm_id: parsed(row, "realm", &key)?,
        target_zone: parsed(row, "target_zone", &key)?,
        target_placement: parsed(row, "target_placement", &key)?,
        target_instance: parsed(row, "target_instance", &key)?,
        dungeon_run_id: run.transpose()?,
        start_tile,
        transfer: row.text("transfer")?.map(|text| json(&text, "transfer", &key)).transpose()?,
        redirected_from: Vec::new(),
        expected_epoch: SessionEpoch(number(row, "expected_epoch", &key)?),
        scope: json(&present(row.text("scope")?, "scope", &key)?, "scope", &key)?,
        expires_at: UnixMillis(number(row, "expires_at", &key)?),
    })
}

fn json<T: serde::de::DeserializeOwned>(text: &str, column: &str, key: &str) -> StoreResult<T> {
    serde_json::from_str(text).map_err(|error| unreadable(key, column, error))
}

fn present<T>(value: Option<T>, column: &str, key: &str) -> StoreResult<T> {
    value.ok_or_else(|| unreadable(key, column, "there is nothing"))
}

fn unreadable(key: &str, column: &str, reason: impl std::fmt::Display) -> StoreError {
    StoreError::Unreadable { key: key.to_owned(), reason: format!("{column}: {reason}") }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn what_is_beyond_a_databases_integers_compares_as_beyond() {
        assert_eq!(integer(7), 7);
        assert_eq!(integer(u64::MAX), i64::MAX);
    }

    /// A row in memory.
    struct Row(BTreeMap<&'static str, Option<&'static str>>);

    impl Columns for Row {
        fn text(&self, column: &str) -> StoreResult<Option<String>> {
            Ok(self.0.get(column).copied().flatten().map(str::to_owned))
        }

        fn integer(&self, column: &str) -> StoreResult<Option<i64>> {
            Ok(self.text(column)?.map(|number| number.parse().unwrap()))
        }

        fn flag(&self, _: &str) -> StoreResult<Option<bool>> {
            Ok(None)
        }
    }

    #[test]
    fn a_row_without_its_epoch_or_of_another_version_is_no_handoff() {
        const HASH: &str = "00000000000000000000000000000000000000000000000000000000000000ab";
        const ID: &str = "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001";
        let whole = BTreeMap::from([
            ("token_hash", Some(HASH)),
            ("account_id", Some(ID)),
            ("username", Some("mara")),
            ("login_hash", Some(HASH)),
            ("character_id", Some(ID)),
            ("realm", Some("dawn")),
            ("target_zone", Some("harbor")),
            ("target_placement", Some("dawn/harbor")),
            ("target_instance", Some("edge-a")),
            ("expected_epoch", Some("3")),
            ("payload_version", Some("1")),
            ("scope", Some(r#"{"instance":"edge-a"}"#)),
            ("expires_at", Some("1000")),
        ]);
        assert_eq!(read_handoff(&Row(whole.clone())).unwrap().expected_epoch, SessionEpoch(3));
        for (column, value) in [
            ("expected_epoch", None),
            ("payload_version", None),
            ("payload_version", Some("2")),
            ("scope", Some("{}")),
            ("transfer", Some(r#"{"payload_version":2}"#)),
        ] {
            let mut row = whole.clone();
            row.insert(column, value);
            let read = read_handoff(&Row(row));
            assert!(matches!(read, Err(StoreError::Unreadable { .. })), "{column} {value:?}");
        }
    }
}
