//! Reads what a row of a durable store holds, the same way for every family that keeps rows.
//!
//! A family says how it gets a text, a number or a flag out of a column; what these mean is
//! parsed here. A value that this build cannot read is [`StoreError::Unreadable`] and names
//! its row.

use shared::ids::{AccountEntry, SessionEpoch, Try};
use shared::realtime::command::CommandSequence;
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

fn present<T>(value: Option<T>, column: &str, key: &str) -> StoreResult<T> {
    value.ok_or_else(|| unreadable(key, column, "there is nothing"))
}

fn unreadable(key: &str, column: &str, reason: impl std::fmt::Display) -> StoreError {
    StoreError::Unreadable { key: key.to_owned(), reason: format!("{column}: {reason}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_a_databases_integers_compares_as_beyond() {
        assert_eq!(integer(7), 7);
        assert_eq!(integer(u64::MAX), i64::MAX);
    }
}
