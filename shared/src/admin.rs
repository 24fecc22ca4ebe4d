//! Bodies of the routes for those who run a deployment, under `/admin/v1/`. They show what the
//! stores have, without the hashes of anybody's secrets.

use serde::{Deserialize, Serialize};

use crate::coordination::{InstanceRecord, LedgerPhase, PresenceRecord, ResumeLedgerRecord};
use crate::ids::{
    AccountEntry, AccountId, CharacterId, InstanceId, Placement, RealmId, SessionEpoch, UnixMillis,
    ZoneId,
};
use crate::lifecycle::LifecycleEntry;
use crate::secret::SessionToken;
use crate::world::Tile;

/// `PUT /admin/v1/instances/{id}/draining`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Draining {
    /// Whether nobody new is admitted from now on.
    pub draining: bool,
}

/// A character as the durable store has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CharacterRow {
    /// Its id.
    pub id: CharacterId,
    /// Whose it is.
    pub account_id: AccountId,
    /// Where it lives.
    pub realm: RealmId,
    /// Its name.
    pub name: String,
    /// The zone where it was last committed.
    pub zone: ZoneId,
    /// The tile in that zone.
    pub tile: Tile,
    /// Its epoch: whoever holds a lower one writes nothing.
    pub epoch: SessionEpoch,
    /// The account's entry that the last raise was.
    pub entry: AccountEntry,
    /// The session that raised it last; none yet for a new character.
    pub session_token: Option<SessionToken>,
    /// The instance that admitted that session.
    pub instance: Option<InstanceId>,
    /// Whether that session has been claimed.
    pub claimed: bool,
}

/// How far a session in the ledger has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum SessionPhase {
    /// Accepted, waiting for its first realtime claim.
    Pending,
    /// Claimed.
    Active,
    /// Let go by a server that has stopped; it may be claimed again anywhere.
    Left,
}

impl From<LedgerPhase> for SessionPhase {
    fn from(phase: LedgerPhase) -> Self {
        match phase {
            LedgerPhase::Pending => Self::Pending,
            LedgerPhase::Active(_) => Self::Active,
            LedgerPhase::Left(_) => Self::Left,
        }
    }
}

/// A session as the resume ledger has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LedgerEntry {
    /// Names the session.
    pub session_token: SessionToken,
    /// Whose session.
    pub account_id: AccountId,
    /// Which character.
    pub character_id: CharacterId,
    /// Its name.
    pub character_name: String,
    /// The epoch of the session.
    pub epoch: SessionEpoch,
    /// The instance that holds the session.
    pub instance: InstanceId,
    /// The process of that instance.
    pub incarnation: u64,
    /// Where in the world.
    pub placement: Placement,
    /// Where in the zone, when the record was written.
    pub tile: Tile,
    /// How far the session has come.
    pub phase: SessionPhase,
    /// When the session stops being claimable.
    pub expires_at: UnixMillis,
}

impl From<ResumeLedgerRecord> for LedgerEntry {
    fn from(record: ResumeLedgerRecord) -> Self {
        Self {
            session_token: record.session_token,
            account_id: record.account_id,
            character_id: record.character_id,
            character_name: record.character_name,
            epoch: record.epoch,
            instance: record.instance,
            incarnation: record.incarnation,
            placement: record.placement,
            tile: record.tile,
            phase: record.phase.into(),
            expires_at: record.expires_at,
        }
    }
}

/// What the stores say together about one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum FindingCode {
    /// Nobody has entered with it yet.
    NeverEntered,
    /// It is not in the world.
    Away,
    /// It is in the world, and everything agrees.
    InTheWorld,
    /// A session was accepted and waits for its claim.
    WaitsForItsClaim,
    /// Its game server is gone, and its session may be claimed again from the ledger.
    MayBeResumed,
    /// Presence of a game server that is gone. It counts for nothing; cleanup removes it.
    PresenceOfDeadInstance,
    /// Presence of a session that has lost the character. Cleanup removes it.
    PresenceOutranked,
    /// A ledger record of a session that has lost the character. Cleanup removes it.
    LedgerOutranked,
    /// The game server lives and has the session, and there is no presence: it is written
    /// again within a renewal.
    PresenceMissing,
    /// Presence or ledger have a higher epoch than the row: the durable store has gone back
    /// in time, as after the restore of a backup. Nothing repairs this by itself.
    RowBehind,
    /// The account plays another character.
    AccountPlaysAnother,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    /// What it is.
    pub code: FindingCode,
    /// The same in a sentence, with what to do.
    pub says: String,
    /// Whether cleanup removes what it is about.
    pub cleanup_removes_it: bool,
}

/// A character, and everything that points to it, looked at together. Source: the spec's
/// "Failure And Recovery".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CharacterDiagnosis {
    /// The durable row: it decides.
    pub character: CharacterRow,
    /// Presence of the character, whoever wrote it.
    pub presence: Option<PresenceRecord>,
    /// Presence of its account, whatever character it plays.
    pub account_presence: Option<PresenceRecord>,
    /// The ledger record of the session that raised the row last.
    pub ledger: Option<LedgerEntry>,
    /// The game server that presence, or else the ledger, names, if its lease lives.
    pub instance: Option<InstanceRecord>,
    /// What follows from it.
    pub findings: Vec<Finding>,
}

/// Some of the sessions that are in the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionList {
    /// Presence as it stands, in the order of its keys.
    pub sessions: Vec<PresenceRecord>,
    /// Records that this build cannot read, and that are left out.
    pub unreadable: usize,
    /// What to send as `after` to see more; none where this was the last page.
    pub next: Option<String>,
}

/// Some of the dead letters of the session lifecycle journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeadLetterList {
    /// Entries of the journal, in the order of their ids.
    pub dead_letters: Vec<LifecycleEntry>,
    /// Entries that this build cannot read, and that are left out.
    pub unreadable: usize,
    /// What to send as `after` to see more; none where this was the last page.
    pub next: Option<String>,
    /// How many entries wait to be tried again by themselves.
    pub waiting: u64,
    /// How many dead letters there are in all.
    pub dead: u64,
}

/// What a cleanup has removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CharacterCleanup {
    /// The findings whose records are gone. A record that changed in between was left alone.
    pub removed: Vec<FindingCode>,
    /// The character as it is now.
    pub diagnosis: CharacterDiagnosis,
}
