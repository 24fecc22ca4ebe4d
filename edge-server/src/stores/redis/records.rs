//! Records as Redis keeps them: JSON under their key.
//!
//! A record that has expired is as good as gone, whatever its version; a live one that this
//! build cannot read is an error.

use redis::RedisError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use shared::ids::UnixMillis;
use shared::version::PayloadVersion;

use super::RedisStores;
use crate::stores::{EpochWrite, StoreError, StoreResult};

/// What every record of every version carries.
#[derive(Deserialize)]
struct Header {
    #[serde(rename = "payload_version")]
    _payload_version: PayloadVersion,
    #[serde(rename = "expires_at")]
    _expires_at: UnixMillis,
}

/// The end of a record of whatever version.
#[derive(Deserialize)]
struct End {
    expires_at: UnixMillis,
}

impl RedisStores {
    /// The record under a key, if it lives at `now`.
    pub(super) async fn get_live<T: DeserializeOwned>(
        &self,
        key: &str,
        now: UnixMillis,
    ) -> StoreResult<Option<T>> {
        let answer = self.link.ask(redis::cmd("GET").arg(key)).await;
        let text: Option<String> = answer
            .and_then(|value| Ok(redis::from_redis_value(value)?))
            .map_err(|error| unavailable(&error))?;
        text.map_or(Ok(None), |text| decode_live(key, &text, now))
    }

    /// The texts under some keys, in their order.
    pub(super) async fn get_all(&self, keys: &[String]) -> StoreResult<Vec<Option<String>>> {
        let answer = self.link.ask(redis::cmd("MGET").arg(keys)).await;
        answer
            .and_then(|value| Ok(redis::from_redis_value(value)?))
            .map_err(|error| unavailable(&error))
    }

    /// Writes one record under all of `keys`, each with the field that ranks its records,
    /// unless a live one of a higher rank stands under any of them.
    pub(super) async fn put_unless_outranked<T: Serialize>(
        &self,
        record: &T,
        keys: &[(&str, &str)],
        now: Option<UnixMillis>,
    ) -> StoreResult<EpochWrite> {
        let mut call = self.call(&self.steps.put_unless_outranked, now).argument(encode(record));
        for (key, rank) in keys {
            call = call.key(*key).argument(rank);
        }
        let answer = call.run().await?;
        match answer.parts().0 {
            "done" => Ok(EpochWrite::Written),
            "superseded" => Ok(EpochWrite::Superseded),
            _ => Err(answer.strange()),
        }
    }

    /// Removes those records of `keys` in which all of `fields` have the given values; gives
    /// whether there was one.
    pub(super) async fn remove_if(
        &self,
        keys: &[&str],
        fields: &[(&str, &str)],
    ) -> StoreResult<bool> {
        let mut call = self.call(&self.steps.remove_if, None);
        for key in keys {
            call = call.key(*key);
        }
        for (field, value) in fields {
            call = call.argument(field).argument(value);
        }
        let answer = call.run().await?;
        match answer.parts().0 {
            "removed" => Ok(true),
            "nothing" => Ok(false),
            _ => Err(answer.strange()),
        }
    }
}

/// The text of a record.
pub(super) fn encode<T: Serialize>(record: &T) -> String {
    serde_json::to_string(record).expect("records are plain data")
}

/// Reads a record.
pub(super) fn decode<T: DeserializeOwned>(key: &str, text: &str) -> StoreResult<T> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Unreadable { key: key.to_owned(), reason: error.to_string() })
}

/// Reads a record if it lives at `now`.
pub(super) fn decode_live<T: DeserializeOwned>(
    key: &str,
    text: &str,
    now: UnixMillis,
) -> StoreResult<Option<T>> {
    let End { expires_at } = decode(key, text)?;
    if expires_at.has_passed(now) { Ok(None) } else { decode(key, text).map(Some) }
}

/// The error about a record that a step could not read.
pub(super) fn unreadable(key: &str, text: &str) -> StoreError {
    match decode::<Header>(key, text) {
        Err(error) => error,
        Ok(_) => StoreError::Unreadable {
            key: key.to_owned(),
            reason: "a field has another type than this build knows".to_owned(),
        },
    }
}

/// Whatever Redis or the way to it says is an outage to the caller.
pub(super) fn unavailable(error: &RedisError) -> StoreError {
    StoreError::Unavailable(error.to_string())
}
