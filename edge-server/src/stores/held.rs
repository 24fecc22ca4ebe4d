//! How presence stands to the sessions that a process holds, as both coordination stores
//! answer it.

use shared::control_plane::HeldSession;
use shared::coordination::PresenceRecord;
use shared::secret::SessionToken;

use super::StoreResult;

/// Those of a process's sessions whose presence is not what the process has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldPresence {
    /// A live record outranks them: of the same character with a higher epoch, or of the
    /// account with a higher entry. What cannot be read outranks nobody.
    pub outranked: Vec<SessionToken>,
    /// None outranks them, and their own does not stand under both keys, or stands there as
    /// an earlier incarnation has written it. What cannot be read is not to be written over.
    pub absent: Vec<SessionToken>,
}

impl HeldPresence {
    /// Enters one session, with what stands under its two keys.
    pub(super) fn judge(
        &mut self,
        session: &HeldSession,
        incarnation: u64,
        of_character: &StoreResult<Option<PresenceRecord>>,
        of_account: &StoreResult<Option<PresenceRecord>>,
    ) {
        let standing = |found: &StoreResult<Option<PresenceRecord>>| {
            found.as_ref().ok().and_then(Option::as_ref).cloned()
        };
        let outranked = standing(of_character).is_some_and(|there| there.epoch > session.epoch)
            || standing(of_account).is_some_and(|there| there.entry > session.entry);
        let is_own = |there: &PresenceRecord| {
            there.session_token == session.session_token
                && there.epoch == session.epoch
                && there.incarnation >= incarnation
        };
        let stands = |found: &StoreResult<Option<PresenceRecord>>| {
            found.as_ref().map_or(true, |there| there.as_ref().is_some_and(is_own))
        };
        if outranked {
            self.outranked.push(session.session_token.clone());
        } else if !stands(of_character) || !stands(of_account) {
            self.absent.push(session.session_token.clone());
        }
    }
}
