//! Coordination records and the bodies of the control plane: handoffs, presence, ledger,
//! registry. Source: the spec's "Control-Plane Handoff Records".
//!
//! Every record carries a [`PayloadVersion`] and `expires_at`; whoever reads one decides
//! its expiry from that and from its own `now`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::account::GameEndpoint;
use crate::gameplay::RealtimeEndpoint;
use crate::ids::{
    AccountEntry, AccountId, AttemptId, CharacterId, DungeonRunId, InstanceId, Placement, RealmId,
    SessionEpoch, Try, UnixMillis, ZoneId,
};
use crate::secret::SessionToken;
use crate::version::PayloadVersion;
use crate::world::Tile;

/// SHA-256 of a secret as lower-case hex: the only form in which secrets are stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenHash(String);

impl TokenHash {
    /// The 64 hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Text that is not 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a token hash: expected 64 lower-case hex digits")]
pub struct NotATokenHash;

impl FromStr for TokenHash {
    type Err = NotATokenHash;

    fn from_str(text: &str) -> Result<Self, NotATokenHash> {
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if text.len() == 64 && text.bytes().all(hex) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotATokenHash)
        }
    }
}

impl TryFrom<String> for TokenHash {
    type Error = NotATokenHash;

    fn try_from(text: String) -> Result<Self, NotATokenHash> {
        text.parse()
    }
}

impl From<TokenHash> for String {
    fn from(hash: TokenHash) -> Self {
        hash.0
    }
}

impl fmt::Display for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Under which key a handoff record is found. One record stands under exactly one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HandoffScope {
    /// One exact instance: what select and redirects write.
    Instance(InstanceId),
    /// Whoever carries the placement.
    Placement(Placement),
    /// The spec's legacy scope: the HTTP port of the game server.
    Port(u16),
}

/// What the login server vouches for about an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AccountClaims {
    /// The account's name.
    pub username: String,
}

/// What the target of a zone transfer has to do before the character is its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TransferActivation {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// The instance that the character leaves.
    pub source_instance: InstanceId,
    /// The session that it leaves.
    pub source_session: SessionToken,
    /// The zone that it leaves.
    pub source_zone: ZoneId,
    /// The zone that it enters.
    pub target_zone: ZoneId,
    /// Where it stands there.
    pub target_tile: Tile,
}

/// A prepared handoff: one character may enter one placement, once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HandoffCacheRecord {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// Hash of the handoff token.
    pub token: TokenHash,
    /// Whose character.
    pub account_id: AccountId,
    /// Trusted claims about the account.
    pub claims: AccountClaims,
    /// Hash of the access token of the login that asked: once that login has ended, the
    /// handoff is good for nothing.
    pub login: TokenHash,
    /// Which character.
    pub character_id: CharacterId,
    /// In which realm.
    pub realm_id: RealmId,
    /// The zone to enter.
    pub target_zone: ZoneId,
    /// The placement to enter.
    pub target_placement: Placement,
    /// The instance that allocation chose.
    pub target_instance: InstanceId,
    /// The dungeon run to enter, if it is one.
    pub dungeon_run_id: Option<DungeonRunId>,
    /// Where in the zone to begin, if not where the character was last: its zone is not
    /// part of the world any more.
    pub start_tile: Option<Tile>,
    /// What makes it a zone transfer, if it is one.
    pub transfer: Option<TransferActivation>,
    /// Instances that could not admit the player and sent it on; none may follow twice.
    pub redirected_from: Vec<InstanceId>,
    /// The character's epoch that the handoff was made for; admission compares with it.
    pub expected_epoch: SessionEpoch,
    /// The key that the record stands under.
    pub scope: HandoffScope,
    /// When the token stops being good.
    pub expires_at: UnixMillis,
}

/// Who consumes: the same pair may ask again and gets the same record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HandoffClaimant {
    /// The client's attempt.
    pub attempt_id: AttemptId,
    /// The instance that asks.
    pub instance: InstanceId,
    /// Placements that the instance carries, for the placement scope.
    pub placements: Vec<Placement>,
    /// The instance's HTTP port, for the legacy scope.
    pub port: u16,
}

impl HandoffClaimant {
    /// Every scope under which this claimant may find a record, most exact first.
    pub fn scopes(&self) -> impl Iterator<Item = HandoffScope> + '_ {
        std::iter::once(HandoffScope::Instance(self.instance.clone()))
            .chain(self.placements.iter().cloned().map(HandoffScope::Placement))
            .chain(std::iter::once(HandoffScope::Port(self.port)))
    }
}

/// Left behind by a consume; outlives the record and keeps a replay from passing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsumedMarker {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// The attempt that consumed.
    pub attempt_id: AttemptId,
    /// The instance that consumed.
    pub instance: InstanceId,
    /// What was consumed, for the same claimant to ask again.
    pub record: HandoffCacheRecord,
    /// When the marker may go.
    pub expires_at: UnixMillis,
}

/// Left behind by a redirect, so that whoever asks at the old place is sent on again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffRedirectRecord {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// Where the record has gone.
    pub to: GameEndpoint,
    /// The record's own end.
    pub expires_at: UnixMillis,
}

/// A seat that allocation has promised to a handoff: a hint, because the game server
/// judges its capacity itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignHold {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// Hash of the handoff token.
    pub token: TokenHash,
    /// For whom: an account plays one character at a time, so it has one promise at a time.
    pub account_id: AccountId,
    /// Where.
    pub placement: Placement,
    /// At which instance.
    pub instance: InstanceId,
    /// When the promise ends by itself.
    pub expires_at: UnixMillis,
}

/// Left behind by a target that has activated a transfer; the source polls for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TransferActivated {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// Hash of the transfer's handoff token.
    pub token: TokenHash,
    /// The character that moved.
    pub character_id: CharacterId,
    /// The session at the target.
    pub session_token: SessionToken,
    /// The epoch of that session.
    pub epoch: SessionEpoch,
    /// The target.
    pub instance: InstanceId,
    /// When the marker may go.
    pub expires_at: UnixMillis,
}

/// Answer of preflight (which reads) and of consume (which takes).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum HandoffLookup {
    /// The token is good for the claimant.
    Found {
        /// What it is good for.
        record: Box<HandoffCacheRecord>,
    },
    /// Unknown, expired or meant for somebody else.
    Missing,
    /// Consumed by another attempt or at another instance.
    AlreadyConsumed,
    /// This instance has sent the player on.
    Redirected {
        /// Where the token is good now.
        to: GameEndpoint,
    },
}

/// Answer of `handoffs/redirect`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Redirection {
    /// The token is good there, and nowhere else.
    Moved {
        /// Where: not what was asked for, if an earlier redirect had moved it already.
        to: GameEndpoint,
    },
    /// Unknown, expired or meant for somebody else.
    Missing,
    /// Consumed: what has been used cannot be moved.
    AlreadyConsumed,
    /// Consumed by the very claimant: it stays good there, and nowhere else.
    ConsumedBySelf,
}

/// `sessions/release`: which sessions shall save their character and leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "of", rename_all = "snake_case", deny_unknown_fields)]
pub enum ReleaseRequest {
    /// Those that play a character with this epoch or a lower one: somebody takes over.
    Character {
        /// Whose.
        account_id: AccountId,
        /// Which character.
        character_id: CharacterId,
        /// Later sessions stay.
        up_to: SessionEpoch,
    },
    /// Those of an account that entered earlier: its other characters make way for the one
    /// that has entered since.
    EarlierEntries {
        /// Whose.
        account_id: AccountId,
        /// The entry that they make way for; later ones stay as well.
        before: AccountEntry,
    },
    /// Those that a login has begun, played or not: it has been logged out.
    Login {
        /// Whose.
        account_id: AccountId,
        /// Hash of its access token.
        login: TokenHash,
    },
    /// All of an account.
    Account {
        /// Whose.
        account_id: AccountId,
    },
}

/// Where a character is in the world, by account and by character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PresenceRecord {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// The account.
    pub account_id: AccountId,
    /// The character.
    pub character_id: CharacterId,
    /// The session that plays it.
    pub session_token: SessionToken,
    /// The epoch of that session; a lower one never overwrites a higher one.
    pub epoch: SessionEpoch,
    /// The account's entry that the session is; under the account's key a lower one never
    /// overwrites a higher one.
    pub entry: AccountEntry,
    /// The instance that serves it.
    pub instance: InstanceId,
    /// The process of that instance: what an earlier one has left says nothing any more.
    pub incarnation: u64,
    /// Where in the world.
    pub placement: Placement,
    /// Name of the runtime profile.
    pub profile: String,
    /// When presence ends unless it is written again.
    pub expires_at: UnixMillis,
}

/// A session as reconnect and recovery need it, under `realtime:resume:{session_token}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumeLedgerRecord {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// Names the session.
    pub session_token: SessionToken,
    /// Hash of the ticket of the first claim.
    pub ticket: TokenHash,
    /// Hash of the handoff token that the session came by.
    pub handoff: TokenHash,
    /// Whose session.
    pub account_id: AccountId,
    /// Trusted claims about the account.
    pub claims: AccountClaims,
    /// Hash of the access token of the login that began the session.
    pub login: TokenHash,
    /// Which character.
    pub character_id: CharacterId,
    /// Its name.
    pub character_name: String,
    /// The epoch of the session.
    pub epoch: SessionEpoch,
    /// The attempt that made the session.
    pub attempt_id: AttemptId,
    /// The try of that attempt.
    pub r#try: Try,
    /// The instance that holds the session.
    pub instance: InstanceId,
    /// The process of that instance: one that comes after it may bring the session back, at
    /// this instance or at another.
    pub incarnation: u64,
    /// Where in the world.
    pub placement: Placement,
    /// Where in the zone, when the record was written.
    pub tile: Tile,
    /// How far the session has come.
    pub phase: LedgerPhase,
    /// When the session stops being claimable.
    pub expires_at: UnixMillis,
}

/// How far a session in the ledger has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LedgerPhase {
    /// Accepted, waiting for its first realtime claim.
    Pending,
    /// Claimed; whoever comes next is judged by this.
    Active(LedgerClaims),
    /// Its process has stopped and let it go, its place saved: nobody has to wait until that
    /// process is known to be gone.
    Left(LedgerClaims),
}

/// The claims of a session, as a later process judges the next one by them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerClaims {
    /// How many there were. It goes on from process to process, so that no secret of before
    /// is ever given again.
    pub generation: u64,
    /// Hash of the secret that answered the latest.
    pub newest: TokenHash,
    /// Hash of the one that is good beside it, because its Welcome may have been lost.
    pub previous: Option<TokenHash>,
}

/// One placement that an instance carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ZoneLoad {
    /// Which placement.
    pub placement: Placement,
    /// Seats taken: reserved, pending and active.
    pub occupied: u32,
    /// Seats in all.
    pub capacity: u32,
}

/// A game server as the registry knows it, under `registry:instance:{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct InstanceRecord {
    /// Unknown versions do not parse.
    pub payload_version: PayloadVersion,
    /// Which instance.
    pub id: InstanceId,
    /// A number of the process; a later process of the same instance has a higher one.
    pub incarnation: u64,
    /// Its HTTP origin for players.
    pub http_url: String,
    /// Where the backend's own parts reach its HTTP, in the clear.
    pub internal_url: String,
    /// Its HTTP port as players reach it, for the legacy handoff scope.
    pub http_port: u16,
    /// Where its sessions are claimed.
    pub endpoints: Vec<RealtimeEndpoint>,
    /// What it carries.
    pub zones: Vec<ZoneLoad>,
    /// Whether it takes no new players.
    pub draining: bool,
    /// When its lease ends unless it sends a heartbeat.
    pub expires_at: UnixMillis,
}

/// `assign/game`: find an instance for one handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AssignRequest {
    /// The placement to enter.
    pub placement: Placement,
    /// Whose character enters.
    pub account_id: AccountId,
    /// The handoff token, by its hash, for which a seat shall be promised.
    pub hold_for: TokenHash,
    /// Instances that have said no.
    pub excluding: Vec<InstanceId>,
    /// The instance where the character has a seat in this placement already, which its
    /// next admission uses again: for it alone that instance is never full.
    pub seated_at: Option<InstanceId>,
}

/// Answer of `assign/game`. An outage is an error, not an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Assignment {
    /// This instance has room.
    Assigned {
        /// Which, and where players reach it.
        endpoint: GameEndpoint,
    },
    /// Living instances carry the placement, and all of them are full or draining.
    Full,
    /// No living instance carries the placement.
    NotCarried,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claimant_looks_under_its_scopes_from_exact_to_legacy() {
        let claimant = HandoffClaimant {
            attempt_id: "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap(),
            instance: "edge-a".parse().unwrap(),
            placements: vec!["dawn/harbor".parse().unwrap()],
            port: 8081,
        };
        assert_eq!(
            claimant.scopes().collect::<Vec<_>>(),
            [
                HandoffScope::Instance("edge-a".parse().unwrap()),
                HandoffScope::Placement("dawn/harbor".parse().unwrap()),
                HandoffScope::Port(8081),
            ]
        );
    }

    #[test]
    fn token_hashes_are_64_hex_digits() {
        assert!("ab".repeat(32).parse::<TokenHash>().is_ok());
        assert!("AB".repeat(32).parse::<TokenHash>().is_err());
        assert!("ab".repeat(31).parse::<TokenHash>().is_err());
    }
}
