//! What a look for a handoff has found, as both coordination stores answer it.

use shared::account::GameEndpoint;
use shared::coordination::{HandoffCacheRecord, HandoffLookup, Redirection};

/// What stands there for a claimant.
pub(super) enum Found<P> {
    /// Prepared and not yet consumed.
    Prepared {
        /// The record.
        record: Box<HandoffCacheRecord>,
        /// What the store has to know to put another one in its place.
        place: P,
    },
    /// Consumed by this very claimant, whose answer was lost.
    ConsumedBySelf {
        /// The record.
        record: Box<HandoffCacheRecord>,
    },
    /// Consumed by somebody else.
    ConsumedByOther,
    /// Sent on, from here or from elsewhere, and good at another instance.
    Moved {
        /// There.
        to: GameEndpoint,
    },
    /// Unknown, expired or meant for somebody else.
    Nothing,
}

impl<P> Found<P> {
    /// What whoever looks or consumes is told.
    pub(super) fn answer(self) -> HandoffLookup {
        match self {
            Self::Prepared { record, .. } | Self::ConsumedBySelf { record } => {
                HandoffLookup::Found { record }
            }
            Self::ConsumedByOther => HandoffLookup::AlreadyConsumed,
            Self::Moved { to } => HandoffLookup::Redirected { to },
            Self::Nothing => HandoffLookup::Missing,
        }
    }

    /// What a redirect moves.
    ///
    /// # Errors
    /// What the redirect is answered where there is nothing to move.
    pub(super) fn into_prepared(self) -> Result<(Box<HandoffCacheRecord>, P), Redirection> {
        match self {
            Self::Prepared { record, place } => Ok((record, place)),
            Self::Moved { to } => Err(Redirection::Moved { to }),
            Self::ConsumedBySelf { .. } => Err(Redirection::ConsumedBySelf),
            Self::ConsumedByOther => Err(Redirection::AlreadyConsumed),
            Self::Nothing => Err(Redirection::Missing),
        }
    }
}
