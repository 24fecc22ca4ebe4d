//! Bodies of the control plane's routes that are more, or less, than one record of
//! [`crate::coordination`].

use serde::{Deserialize, Serialize};

use crate::account::GameEndpoint;
use crate::coordination::{
    HandoffClaimant, InstanceRecord, PresenceRecord, TokenHash, TransferActivated,
};
use crate::ids::{AccountEntry, AccountId, CharacterId, InstanceId, SessionEpoch};
use crate::secret::SessionToken;

/// `handoffs/preflight` and `handoffs/consume`: what is a token good for?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HandoffQuestion {
    /// Hash of the handoff token.
    pub token: TokenHash,
    /// For whom.
    pub claimant: HandoffClaimant,
}

/// `handoffs/redirect`: a handoff shall be good somewhere else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HandoffRedirect {
    /// Hash of the handoff token.
    pub token: TokenHash,
    /// Who sends the player on.
    pub claimant: HandoffClaimant,
    /// Where to.
    pub to: GameEndpoint,
}

/// `instances`: an instance tells that it lives, and which sessions it has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Heartbeat {
    /// The instance.
    pub instance: InstanceRecord,
    /// The sessions that play there, linkdead or not; it is told which of them are no longer
    /// the character's.
    pub sessions: Vec<HeldSession>,
}

/// A session as an instance holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeldSession {
    /// Whose session.
    pub account_id: AccountId,
    /// Which character.
    pub character_id: CharacterId,
    /// Names the session.
    pub session_token: SessionToken,
    /// The epoch of the session.
    pub epoch: SessionEpoch,
    /// The account's entry that the session is.
    pub entry: AccountEntry,
}

/// Answer to a heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeartbeatWrite {
    /// What the instance's record came to.
    pub outcome: RecordWriteOutcome,
    /// Those of its sessions whose character, or account, is in the world with a later one.
    pub superseded: Vec<SessionToken>,
    /// Those that presence does not know, or knows from an earlier incarnation only: the
    /// instance writes their records again.
    pub absent: Vec<SessionToken>,
}

/// `instances/drain`: shall an instance admit nobody new, or admit players again? Who plays
/// there plays on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InstanceDrain {
    /// Which instance.
    pub instance: InstanceId,
    /// Whether nobody new is admitted from now on; holds until it is asked otherwise, or the
    /// process ends.
    pub draining: bool,
}

/// Answer of `instances/drain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InstanceDrained {
    /// Whether there is an instance of that name. It has done as asked then.
    pub known: bool,
}

/// `transfers/status`: has the target activated a transfer?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TransferQuestion {
    /// Hash of the transfer's handoff token.
    pub token: TokenHash,
}

/// Answer of `transfers/status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TransferStatus {
    /// The target's marker, once there is one.
    pub activated: Option<TransferActivated>,
}

/// Answer of `instances`: the game servers whose lease is alive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InstanceList {
    /// By id.
    pub instances: Vec<InstanceRecord>,
}

/// Answer of `presence/characters/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CharacterPresence {
    /// Where the character is, if it is in the world.
    pub presence: Option<PresenceRecord>,
}

/// `presence/remove`: what of presence shall go, if it is still this session's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PresenceRemoval {
    /// The account.
    pub account_id: AccountId,
    /// The character.
    pub character_id: CharacterId,
    /// The session that leaves.
    pub session_token: SessionToken,
    /// The epoch of that session.
    pub epoch: SessionEpoch,
}

/// Answer to a record that a later one may have overtaken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecordWrite {
    /// What the write came to.
    pub outcome: RecordWriteOutcome,
}

/// What a write came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RecordWriteOutcome {
    /// It stands.
    Written,
    /// A later record stands there; it was left alone.
    Superseded,
}
