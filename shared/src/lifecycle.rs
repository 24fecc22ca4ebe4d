//! The session lifecycle journal: what is left to be done of sessions that have ended, under
//! `session:lifecycle:queue`, `session:lifecycle:processing:{instance}` and
//! `session:lifecycle:dead`. Source: the spec's "Pending, Active, Resume".
//!
//! An entry does not expire: its work is done, or it waits for a person.

use serde::{Deserialize, Serialize};

use crate::ids::{
    AccountId, CharacterId, InstanceId, LifecycleId, SessionEpoch, UnixMillis, ZoneId,
};
use crate::secret::SessionToken;
use crate::version::PayloadVersion;
use crate::world::Tile;

/// One step of a session's end. Each compares session and epoch, so that it may be taken at
/// any time and more than once, and never touches a newer session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum LifecycleStep {
    /// Commit where the character stood last.
    SavePlace {
        /// The zone.
        zone: ZoneId,
        /// The tile in it.
        tile: Tile,
    },
    /// Remove presence of account and character.
    RemovePresence,
    /// Remove the session's record of the resume ledger.
    RemoveLedger,
}

/// What is left to be done of one session's end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LifecycleEntry {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// Names the entry, wherever it stands.
    pub id: LifecycleId,
    /// Whose session.
    pub account_id: AccountId,
    /// Which character.
    pub character_id: CharacterId,
    /// Its name, for people.
    pub character_name: String,
    /// Which session.
    pub session_token: SessionToken,
    /// The epoch of the session: whoever has a higher one is left alone.
    pub epoch: SessionEpoch,
    /// The instance that had the session.
    pub instance: InstanceId,
    /// The steps that are left, in their order.
    pub steps: Vec<LifecycleStep>,
    /// How often they were tried from the journal.
    pub attempts: u32,
    /// When they are tried next.
    pub not_before: UnixMillis,
    /// When the session ended.
    pub created_at: UnixMillis,
    /// Why the last try was not the last.
    pub last_error: Option<String>,
}
