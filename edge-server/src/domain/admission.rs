//! What is to be admitted, whether a handoff or the resume ledger names it, and the pending
//! session that comes of it.

use shared::coordination::{
    AccountClaims, HandoffCacheRecord, InstanceRecord, LedgerClaims, LedgerPhase,
    ResumeLedgerRecord, TokenHash,
};
use shared::ids::{AccountId, CharacterId, InstanceId, Placement, SessionEpoch};

use super::authority::{Character, EpochRaise, Place, RaiseGround, RaisedBy};
use super::handshake::HandshakeInput;
use super::session_directory::PendingRealtimeSession;

/// Somebody at the door, known and not yet let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Whose character.
    pub account_id: AccountId,
    /// Trusted claims about the account.
    pub claims: AccountClaims,
    /// Hash of the access token of the login behind it.
    pub login: TokenHash,
    /// Which character.
    pub character_id: CharacterId,
    /// Where it enters.
    pub placement: Placement,
    /// The epoch that it was prepared for.
    pub expected: SessionEpoch,
    /// Who asks.
    pub by: RaisedBy,
    /// On what ground.
    pub ground: RaiseGround,
    /// Hash of the ticket that will open the session.
    pub ticket: TokenHash,
    /// Hash of the handoff token, where it is a zone transfer's.
    pub transfer: Option<TokenHash>,
    /// The claims of the session in an earlier process, if it had any.
    pub claimed_before: Option<LedgerClaims>,
}

impl Entry {
    /// The login that has to be alive for it, if any has to.
    #[must_use]
    pub fn needed_login(&self) -> Option<TokenHash> {
        match self.ground {
            RaiseGround::Admission { .. } | RaiseGround::Recovery { .. } => {
                Some(self.login.clone())
            }
            RaiseGround::Transfer { .. } => None,
        }
    }

    /// The raise that this entry asks for.
    #[must_use]
    pub fn raise(&self) -> EpochRaise {
        EpochRaise {
            character_id: self.character_id,
            expected: self.expected,
            by: self.by.clone(),
            ground: self.ground.clone(),
        }
    }
}

/// The entry that a consumed handoff allows.
#[must_use]
pub fn entry_of_handoff(input: &HandshakeInput, record: HandoffCacheRecord) -> Entry {
    let place = |tile| Place { zone: record.target_zone.clone(), tile };
    let ground = match &record.transfer {
        Some(transfer) => RaiseGround::Transfer { place: place(transfer.target_tile) },
        None => RaiseGround::Admission {
            login: record.login.clone(),
            zone: record.target_zone.clone(),
            place: record.start_tile.map(place),
        },
    };
    Entry {
        account_id: record.account_id,
        claims: record.claims,
        login: record.login,
        character_id: record.character_id,
        placement: record.target_placement,
        expected: record.expected_epoch,
        by: RaisedBy {
            handoff: record.token.clone(),
            attempt_id: input.hello.attempt_id,
            r#try: input.hello.r#try,
            session_token: input.session_token.clone(),
            instance: input.instance.clone(),
        },
        ground,
        ticket: input.ticket.clone(),
        transfer: record.transfer.map(|_| record.token),
        claimed_before: None,
    }
}

/// The entry of a session that was accepted before, here or at another instance, and keeps
/// its name, its ticket, its attempt and its claims.
#[must_use]
pub fn entry_of_ledger(here: &InstanceId, record: ResumeLedgerRecord) -> Entry {
    let claimed_before = match record.phase {
        LedgerPhase::Pending => None,
        LedgerPhase::Active(claims) | LedgerPhase::Left(claims) => Some(claims),
    };
    Entry {
        account_id: record.account_id,
        claims: record.claims,
        login: record.login,
        character_id: record.character_id,
        placement: record.placement,
        expected: record.epoch,
        by: RaisedBy {
            handoff: record.handoff,
            attempt_id: record.attempt_id,
            r#try: record.r#try,
            session_token: record.session_token,
            instance: here.clone(),
        },
        ground: RaiseGround::Recovery { claimed: claimed_before.is_some() },
        ticket: record.ticket,
        // A transfer is confirmed by the handshake that activates it, not by a claim.
        transfer: None,
        claimed_before,
    }
}

/// Whether the process that wrote a ledger record may still have its session: its instance
/// lives, and no later process has its name.
#[must_use]
pub fn may_still_play(living: &[InstanceRecord], instance: &InstanceId, incarnation: u64) -> bool {
    living.iter().any(|one| one.id == *instance && one.incarnation <= incarnation)
}

/// The session of an entry whose raise returned `character`.
#[must_use]
pub fn pending_session(entry: Entry, character: Character) -> PendingRealtimeSession {
    PendingRealtimeSession {
        session_token: entry.by.session_token,
        ticket: entry.ticket,
        handoff: entry.by.handoff,
        account_id: entry.account_id,
        claims: entry.claims,
        login: entry.login,
        character,
        placement: entry.placement,
        attempt_id: entry.by.attempt_id,
        r#try: entry.by.r#try,
        transfer: entry.transfer,
        claimed_before: entry.claimed_before,
    }
}
