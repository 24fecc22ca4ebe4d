//! What claims do to the directory, and the loss of a claim's connection.

use shared::coordination::{LedgerClaims, TokenHash};
use shared::ids::{SessionEpoch, UnixMillis};
use shared::secret::SessionToken;

use super::super::session_claims::{ClaimGeneration, ClaimRefused, SessionClaims};
use super::{ActiveRealtimeSession, PendingRealtimeSession, SessionDirectory};

/// A session that was claimed for the first time in this process.
#[derive(Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The session.
    pub session: PendingRealtimeSession,
    /// The claim, by its number: the first, unless an earlier process has counted some.
    pub claim: ClaimGeneration,
}

/// A session that was claimed again.
#[derive(Debug)]
pub struct Reclaimed<H> {
    /// The session.
    pub session: PendingRealtimeSession,
    /// The claim, by its number.
    pub claim: ClaimGeneration,
    /// How the task of the claim before is reached: it has nothing to do any more.
    pub replaced: H,
}

/// What becomes of a session whose connection is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It keeps body and seat and waits for the next claim.
    Linkdead,
    /// It ends: somebody has asked it to.
    Ends,
    /// It ends here: the instance drains.
    Drains,
    /// A later claim has it, so nothing is lost.
    Stale,
}

impl<H> SessionDirectory<H> {
    /// Promotes a pending session into an active one, in one step, if `secret` opens it: the
    /// ticket, or what its claims in an earlier process left good. It is being opened until
    /// it is told to be [open](Self::open). `secret_of` tells the secret that answers a claim.
    ///
    /// # Errors
    /// See [`ClaimRefused`]; nothing changes then.
    pub fn claim(
        &mut self,
        token: &SessionToken,
        secret: &TokenHash,
        secret_of: impl FnOnce(ClaimGeneration) -> TokenHash,
        handle: H,
        now: UnixMillis,
    ) -> Result<Claimed, ClaimRefused> {
        if self.recovering.contains(token) {
            return Err(ClaimRefused::Opening);
        }
        let waiting = self.pending.get(token).ok_or(ClaimRefused::Unknown)?;
        if waiting.expires_at.has_passed(now) {
            return Err(ClaimRefused::Unknown);
        }
        let claims = match &waiting.session.claimed_before {
            Some(before) => SessionClaims::after(before, secret, secret_of)?,
            None if waiting.session.ticket == *secret => {
                SessionClaims::first(secret.clone(), secret_of(ClaimGeneration::FIRST))
            }
            None => return Err(ClaimRefused::WrongSecret),
        };
        let (session, claim) = (waiting.session.clone(), claims.generation());
        self.pending.remove(token);
        let active = ActiveRealtimeSession {
            session: session.clone(),
            handle,
            claims,
            leaving: false,
            released: false,
        };
        self.active.insert(token.clone(), active);
        Ok(Claimed { session, claim })
    }

    /// Begins to bring a session back from the ledger, unless it is here or on its way back
    /// already; gives whether it has begun. Whoever claims it meanwhile is told to wait.
    #[must_use]
    pub fn begin_recovery(&mut self, token: &SessionToken) -> bool {
        let is_here = self.pending.contains_key(token) || self.active.contains_key(token);
        !is_here && self.recovering.insert(token.clone())
    }

    /// It has come back, or not.
    pub fn end_recovery(&mut self, token: &SessionToken) {
        self.recovering.remove(token);
    }

    /// What the ledger shall know of the claims of a session that plays here.
    #[must_use]
    pub fn ledger_claims(&self, session: &PendingRealtimeSession) -> Option<LedgerClaims> {
        let active = self.active.get(&session.session_token)?;
        if active.leaving { None } else { self.last_claims(session) }
    }

    /// The same of one that leaves, for whoever takes it up.
    #[must_use]
    pub fn last_claims(&self, session: &PendingRealtimeSession) -> Option<LedgerClaims> {
        let active = self.active.get(&session.session_token)?;
        let is_it = active.session.character.epoch == session.character.epoch;
        is_it.then(|| active.claims.to_ledger())
    }

    /// Whether a session has been claimed.
    #[must_use]
    pub fn is_active(&self, token: &SessionToken) -> bool {
        self.active.contains_key(token)
    }

    /// Notes that the first claim of a session is through: from now on it can be claimed
    /// again.
    pub fn open(&mut self, token: &SessionToken, epoch: SessionEpoch) {
        if let Some(active) = self.active.get_mut(token)
            && active.session.character.epoch == epoch
        {
            active.claims.open();
        }
    }

    /// Looks for the active session that a secret opens.
    ///
    /// # Errors
    /// See [`ClaimRefused`].
    pub fn look(
        &self,
        token: &SessionToken,
        secret: &TokenHash,
        now: UnixMillis,
    ) -> Result<PendingRealtimeSession, ClaimRefused> {
        let active = self.active.get(token).ok_or(ClaimRefused::Unknown)?;
        active.claims.look(secret, now)?;
        if active.leaving || active.released {
            return Err(ClaimRefused::Unknown);
        }
        if self.draining {
            return Err(ClaimRefused::Draining);
        }
        Ok(active.session.clone())
    }

    /// What a [`reclaim`](Self::reclaim) will come to, for the ledger to have it before: the
    /// session, and its claims then.
    ///
    /// # Errors
    /// See [`ClaimRefused`].
    pub fn look_ahead(
        &self,
        token: &SessionToken,
        secret: &TokenHash,
        secret_of: impl FnOnce(ClaimGeneration) -> TokenHash,
        now: UnixMillis,
    ) -> Result<(PendingRealtimeSession, LedgerClaims), ClaimRefused> {
        let session = self.look(token, secret, now)?;
        let active = self.active.get(token).ok_or(ClaimRefused::Unknown)?;
        let mut claims = active.claims.clone();
        claims.again(secret, secret_of, now)?;
        Ok((session, claims.to_ledger()))
    }

    /// Moves an active session to a new connection, in one step, if `secret` opens it:
    /// whether or not the connection before is known to be lost. `secret_of` tells the
    /// secret that answers a claim.
    ///
    /// # Errors
    /// See [`ClaimRefused`]; nothing changes then.
    pub fn reclaim(
        &mut self,
        token: &SessionToken,
        secret: &TokenHash,
        secret_of: impl FnOnce(ClaimGeneration) -> TokenHash,
        handle: H,
        now: UnixMillis,
    ) -> Result<Reclaimed<H>, ClaimRefused> {
        self.look(token, secret, now)?;
        let active = self.active.get_mut(token).ok_or(ClaimRefused::Unknown)?;
        let claim = active.claims.again(secret, secret_of, now)?;
        let replaced = std::mem::replace(&mut active.handle, handle);
        Ok(Reclaimed { session: active.session.clone(), claim, replaced })
    }

    /// Notes that the client was heard on the connection of a claim: the secret that the
    /// claim came with opens nothing any more.
    pub fn acknowledge(&mut self, session: &PendingRealtimeSession, claim: ClaimGeneration) {
        if let Some(active) = self.claimed(session, claim) {
            active.claims.acknowledge(claim);
        }
    }

    /// Notes that the connection of a claim is lost, and decides what becomes of the
    /// session.
    pub fn lose(
        &mut self,
        session: &PendingRealtimeSession,
        claim: ClaimGeneration,
        now: UnixMillis,
    ) -> Loss {
        let draining = self.draining;
        match self.claimed(session, claim) {
            None => Loss::Stale,
            Some(active) if active.released || active.leaving => Loss::Ends,
            Some(_) if draining => Loss::Drains,
            Some(active) => {
                active.claims.lose(now);
                Loss::Linkdead
            }
        }
    }

    /// The active session, if this is its latest claim.
    fn claimed(
        &mut self,
        session: &PendingRealtimeSession,
        claim: ClaimGeneration,
    ) -> Option<&mut ActiveRealtimeSession<H>> {
        let active = self.active.get_mut(&session.session_token)?;
        let current = active.session.character.epoch == session.character.epoch
            && active.claims.generation() == claim;
        current.then_some(active)
    }

    /// Notes that an active session ends, if this is its latest claim; gives whether it is.
    /// Nobody claims it again then, so what follows is safe from a newer connection.
    #[must_use]
    pub fn begin_leaving(
        &mut self,
        session: &PendingRealtimeSession,
        claim: ClaimGeneration,
    ) -> bool {
        match self.claimed(session, claim) {
            Some(active) => {
                active.leaving = true;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
#[path = "claiming_tests.rs"]
mod tests;
