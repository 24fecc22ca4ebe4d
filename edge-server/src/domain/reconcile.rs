//! What is to be repaired of the coordination data after a process, or Redis, has come back.
//! Source: the spec's "Control-Plane Handoff Records", last paragraph.
//!
//! It decides from what has been read and says which repairs follow, as data; each carries the
//! session and epoch that it means, so that the step which carries it out finds a newer record
//! there and leaves it alone. Therefore it may be decided during play.
//!
//! - A **handoff** that the cache has forgotten is put back from its row, while the row's
//!   authority stands: the same epoch, the login alive.
//! - A **record of a session** is looked at only once no process answers for it. It goes where
//!   another session has the character by now; presence, in addition, where no ledger record
//!   is left that could bring the session back. A ledger record that nobody outranks is never
//!   removed: until its end the session may be claimed, at whatever process.
//! - What a **living process** has written is its own to repair: the answer to its heartbeat
//!   tells it what is missing (`workers/instance_keeper.rs`).
//! - A **transfer** that was not activated in time is rolled back: its record opens nothing any
//!   more, and the seat that was promised to it is free, which may be earlier than the promise
//!   ends by itself. The character is where its row has it, and nobody has to be told.

use std::collections::{BTreeMap, BTreeSet};

use shared::coordination::{
    HandoffCacheRecord, InstanceRecord, PresenceRecord, ResumeLedgerRecord, TokenHash,
};
use shared::ids::{AccountId, CharacterId, InstanceId, SessionEpoch, UnixMillis};
use shared::secret::SessionToken;

use super::authority::Character;

/// Whose records are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everybody's: that is the control plane's work.
    Everything,
    /// Those that earlier processes of one instance have left.
    Instance(InstanceId),
}

/// One repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Put a handoff back that the cache has forgotten.
    RestoreHandoff(Box<HandoffCacheRecord>),
    /// Remove what is left of a transfer whose time is over: its record, if it still is over
    /// and unused then, and the promise of a seat.
    RollBackTransfer {
        /// The character that did not move.
        character_id: CharacterId,
        /// Hash of its handoff token.
        token: TokenHash,
    },
    /// Remove the ledger record of a session that has lost its character.
    RemoveLedger {
        /// The character.
        character_id: CharacterId,
        /// Which session.
        session: SessionToken,
        /// With which epoch: a record of another one stays.
        epoch: SessionEpoch,
    },
    /// Remove presence of a session that nobody serves and nothing brings back.
    RemovePresence {
        /// The account.
        account_id: AccountId,
        /// The character.
        character_id: CharacterId,
        /// Which session.
        session: SessionToken,
        /// With which epoch: a record of another one stays.
        epoch: SessionEpoch,
    },
}

impl Repair {
    /// What is done, as logs and metrics name it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::RestoreHandoff(_) => "restore_handoff",
            Self::RollBackTransfer { .. } => "roll_back_transfer",
            Self::RemoveLedger { .. } => "remove_ledger",
            Self::RemovePresence { .. } => "remove_presence",
        }
    }

    /// Whose character it is about.
    #[must_use]
    pub fn character(&self) -> CharacterId {
        match self {
            Self::RestoreHandoff(record) => record.character_id,
            Self::RollBackTransfer { character_id, .. }
            | Self::RemoveLedger { character_id, .. }
            | Self::RemovePresence { character_id, .. } => *character_id,
        }
    }
}

/// Rows of the characters that were read. One that was not read is missing here, and nothing
/// is decided about it; `None` is a character that is gone.
pub type Rows = BTreeMap<CharacterId, Option<Character>>;

/// Which of the forgotten handoffs are put back. `logins` are those that live, with their
/// accounts.
#[must_use]
pub fn restorations(
    forgotten: Vec<HandoffCacheRecord>,
    rows: &Rows,
    logins: &BTreeSet<(TokenHash, AccountId)>,
    now: UnixMillis,
) -> Vec<Repair> {
    let stands = |record: &HandoffCacheRecord| {
        let row = rows.get(&record.character_id).and_then(Option::as_ref);
        !record.expires_at.has_passed(now)
            && logins.contains(&(record.login.clone(), record.account_id))
            && row.is_some_and(|row| {
                row.account_id == record.account_id && row.epoch == record.expected_epoch
            })
    };
    let standing = forgotten.into_iter().filter(stands);
    standing.map(|record| Repair::RestoreHandoff(Box::new(record))).collect()
}

/// Transfers among the prepared handoffs whose time is over.
#[must_use]
pub fn lapsed_transfers(
    handoffs: Vec<HandoffCacheRecord>,
    now: UnixMillis,
) -> Vec<HandoffCacheRecord> {
    let is_lapsed = |record: &HandoffCacheRecord| {
        record.transfer.is_some() && record.expires_at.has_passed(now)
    };
    handoffs.into_iter().filter(is_lapsed).collect()
}

/// Which of the lapsed transfers are rolled back: those that no target has `activated`, as far
/// as that could be read.
#[must_use]
pub fn roll_backs(lapsed: &[HandoffCacheRecord], activated: &BTreeSet<TokenHash>) -> Vec<Repair> {
    let idle = lapsed.iter().filter(|record| !activated.contains(&record.token));
    idle.map(|record| Repair::RollBackTransfer {
        character_id: record.character_id,
        token: record.token.clone(),
    })
    .collect()
}

/// Presence for which no process answers any more.
#[must_use]
pub fn orphaned_presence(
    scope: &Scope,
    presence: Vec<PresenceRecord>,
    living: &[InstanceRecord],
) -> Vec<PresenceRecord> {
    let is_orphan = |one: &PresenceRecord| is_orphan(scope, &one.instance, one.incarnation, living);
    presence.into_iter().filter(is_orphan).collect()
}

/// Ledger records for which no process answers any more.
#[must_use]
pub fn orphaned_ledger(
    scope: &Scope,
    ledger: Vec<ResumeLedgerRecord>,
    living: &[InstanceRecord],
) -> Vec<ResumeLedgerRecord> {
    let is_orphan =
        |one: &ResumeLedgerRecord| is_orphan(scope, &one.instance, one.incarnation, living);
    ledger.into_iter().filter(is_orphan).collect()
}

/// Which of the orphans go. `in_ledger` are sessions that have a ledger record, looked up after
/// presence was read: a handshake writes the ledger before presence.
#[must_use]
pub fn removals(
    presence: &[PresenceRecord],
    ledger: &[ResumeLedgerRecord],
    in_ledger: &BTreeSet<SessionToken>,
    rows: &Rows,
) -> Vec<Repair> {
    let is_lost = |epoch: SessionEpoch, session: &SessionToken, of: CharacterId| {
        is_outranked(rows.get(&of), epoch, session)
    };
    let mut lost = BTreeSet::new();
    let mut repairs = Vec::new();
    for one in ledger {
        let (session, epoch, character_id) = (&one.session_token, one.epoch, one.character_id);
        if is_lost(epoch, session, character_id) {
            lost.insert(session);
            repairs.push(Repair::RemoveLedger { character_id, session: session.clone(), epoch });
        }
    }
    let left = presence.iter().filter(|one| {
        let session = &one.session_token;
        let claimable = in_ledger.contains(session) && !lost.contains(session);
        !claimable || is_lost(one.epoch, session, one.character_id)
    });
    repairs.extend(left.map(|one| Repair::RemovePresence {
        account_id: one.account_id,
        character_id: one.character_id,
        session: one.session_token.clone(),
        epoch: one.epoch,
    }));
    repairs
}

/// Whether neither the process that wrote a record lives nor, as far as the registry shows, is
/// yet to be seen there: after a loss an earlier process may stand in its place for a moment.
fn is_orphan(
    scope: &Scope,
    instance: &InstanceId,
    incarnation: u64,
    living: &[InstanceRecord],
) -> bool {
    let meant = match scope {
        Scope::Everything => true,
        Scope::Instance(own) => own == instance,
    };
    let answered = living.iter().any(|one| one.id == *instance && one.incarnation <= incarnation);
    meant && !answered
}

/// Whether another session has the character by now. One that has been raised under its own
/// name is being recovered: its records are written next.
fn is_outranked(row: Option<&Option<Character>>, epoch: SessionEpoch, own: &SessionToken) -> bool {
    match row {
        None => false,
        Some(None) => true,
        Some(Some(row)) => {
            let recovered = row.raised_by.as_ref().is_some_and(|by| by.session_token == *own);
            row.epoch > epoch && !recovered
        }
    }
}

#[cfg(test)]
#[path = "reconcile_tests.rs"]
mod tests;
