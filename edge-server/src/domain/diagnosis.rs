//! What the stores say together about one character: whether it is where everybody believes it
//! is, and what is left of sessions that have lost it. Source: the spec's "Failure And
//! Recovery".
//!
//! The durable row decides. What is removed by a cleanup is only what counts for nothing any
//! more: what belongs to the session that has the character is left to its owner.

use shared::admin::{Finding, FindingCode};
use shared::coordination::{InstanceRecord, LedgerPhase, PresenceRecord, ResumeLedgerRecord};
use shared::ids::InstanceId;

use super::authority::Character;

/// What was read about a character, one store after the other.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The durable row.
    pub character: Character,
    /// Presence under the character's key.
    pub presence: Option<PresenceRecord>,
    /// Presence under its account's key.
    pub account_presence: Option<PresenceRecord>,
    /// The ledger records that may be of the character: of the session that raised the row,
    /// and of the one that presence names.
    pub ledgers: Vec<ResumeLedgerRecord>,
    /// The instances whose lease lives.
    pub living: Vec<InstanceRecord>,
}

/// What cleanup removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Both keys of presence, where they are still this session's.
    Presence(PresenceRecord),
    /// A record of the ledger, where it still has this epoch.
    Ledger(ResumeLedgerRecord),
}

impl Evidence {
    fn is_alive(&self, instance: &InstanceId, incarnation: u64) -> bool {
        self.living.iter().any(|one| one.id == *instance && one.incarnation == incarnation)
    }

    fn lives(&self, presence: &PresenceRecord) -> bool {
        self.is_alive(&presence.instance, presence.incarnation)
    }

    fn serves(&self, ledger: &ResumeLedgerRecord) -> bool {
        self.is_alive(&ledger.instance, ledger.incarnation)
    }

    /// The ledger record of the session that has the character.
    #[must_use]
    pub fn own_ledger(&self) -> Option<&ResumeLedgerRecord> {
        self.ledgers.iter().find(|record| record.epoch == self.character.epoch)
    }

    /// The living instance that presence names, or else the ledger.
    #[must_use]
    pub fn instance(&self) -> Option<&InstanceRecord> {
        let named = self.presence.as_ref().map(|presence| &presence.instance);
        let named = named.or(self.own_ledger().map(|record| &record.instance))?;
        self.living.iter().find(|one| one.id == *named)
    }

    /// Everything that is worth telling, the state of the character first.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let mut codes = vec![self.state()];
        let epoch = self.character.epoch;
        if let Some(presence) = &self.presence {
            if presence.epoch < epoch {
                codes.push(FindingCode::PresenceOutranked);
            } else if !self.lives(presence) {
                codes.push(FindingCode::PresenceOfDeadInstance);
            }
        } else if self.own_ledger().is_some_and(|record| self.serves(record)) {
            codes.push(FindingCode::PresenceMissing);
        }
        if self.ledgers.iter().any(|record| record.epoch < epoch) {
            codes.push(FindingCode::LedgerOutranked);
        }
        let ahead = self.presence.as_ref().is_some_and(|presence| presence.epoch > epoch)
            || self.ledgers.iter().any(|record| record.epoch > epoch);
        if ahead {
            codes.push(FindingCode::RowBehind);
        }
        let other = self.account_presence.as_ref();
        if other.is_some_and(|other| other.character_id != self.character.id && self.lives(other)) {
            codes.push(FindingCode::AccountPlaysAnother);
        }
        codes.into_iter().map(finding).collect()
    }

    /// What cleanup may remove, with the finding that says why.
    #[must_use]
    pub fn removals(&self) -> Vec<(FindingCode, Removal)> {
        let mut removals = Vec::new();
        if let Some(presence) = &self.presence {
            if presence.epoch < self.character.epoch {
                let removal = Removal::Presence(presence.clone());
                removals.push((FindingCode::PresenceOutranked, removal));
            } else if presence.epoch == self.character.epoch && !self.lives(presence) {
                let removal = Removal::Presence(presence.clone());
                removals.push((FindingCode::PresenceOfDeadInstance, removal));
            }
        }
        let outranked = self.ledgers.iter().filter(|record| record.epoch < self.character.epoch);
        removals.extend(
            outranked.map(|record| (FindingCode::LedgerOutranked, Removal::Ledger(record.clone()))),
        );
        removals
    }

    fn state(&self) -> FindingCode {
        if self.character.raised_by.is_none() {
            return FindingCode::NeverEntered;
        }
        let present =
            self.presence.as_ref().filter(|presence| presence.epoch == self.character.epoch);
        let own = self.own_ledger();
        let is_served = own.is_some_and(|record| self.serves(record))
            || present.is_some_and(|presence| self.lives(presence));
        match (own.map(|record| &record.phase), is_served) {
            (Some(LedgerPhase::Pending), _) => FindingCode::WaitsForItsClaim,
            (_, true) => FindingCode::InTheWorld,
            (Some(LedgerPhase::Active(_) | LedgerPhase::Left(_)), false) => {
                FindingCode::MayBeResumed
            }
            (None, false) => FindingCode::Away,
        }
    }
}

fn finding(code: FindingCode) -> Finding {
    let (says, cleanup_removes_it) = match code {
        FindingCode::NeverEntered => ("Nobody has entered the world with it yet.", false),
        FindingCode::Away => ("It is not in the world; it enters where its row says.", false),
        FindingCode::InTheWorld => ("It is in the world, at the instance named here.", false),
        FindingCode::WaitsForItsClaim => (
            "A handshake was accepted, and the page has not come for the session yet. It ends by \
             itself at its expires_at.",
            false,
        ),
        FindingCode::MayBeResumed => (
            "Its game server is gone. Until the ledger record's expires_at the player goes on \
             with the session by themselves, and may enter anew at any time.",
            false,
        ),
        FindingCode::PresenceOfDeadInstance => (
            "Presence names a game server that does not live. It counts for nothing and ends at \
             its expires_at; look why that server ended before you remove it.",
            true,
        ),
        FindingCode::PresenceOutranked => (
            "Presence is of a session that has lost the character since. It ends at its \
             expires_at.",
            true,
        ),
        FindingCode::LedgerOutranked => (
            "A ledger record is of a session that has lost the character since. Nobody can claim \
             it; it ends at its expires_at.",
            true,
        ),
        FindingCode::PresenceMissing => (
            "The game server that has the session lives, and presence is missing. It is written \
             again by the next renewal or reconciliation; if it stays away, look at that \
             server's log.",
            false,
        ),
        FindingCode::RowBehind => (
            "A record has a higher epoch than the row, so the durable store has gone back in \
             time, as after the restore of a backup. What was played since is lost; the player \
             can enter once the records have expired or the sessions have ended.",
            false,
        ),
        FindingCode::AccountPlaysAnother => ("The account plays another of its characters.", false),
    };
    Finding { code, says: says.to_owned(), cleanup_removes_it }
}
