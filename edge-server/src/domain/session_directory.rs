//! The sessions of one game-server instance: reservations, pending and active ones, and
//! the seats that they take.
//!
//! A seat belongs to a character, not to a session: while a character's reservation,
//! pending and active session overlap (it enters again over itself), it takes one seat.
//! So a full zone never refuses a player because of their own body.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use shared::coordination::{AccountClaims, LedgerClaims, ReleaseRequest, TokenHash, ZoneLoad};
use shared::ids::{AccountId, AttemptId, CharacterId, Placement, SessionEpoch, Try, UnixMillis};
use shared::limits::{ADMISSION_RESERVATION_LIFE, PENDING_SESSION_LIFE, RESUME_GRACE};
use shared::secret::SessionToken;

use super::authority::Character;
use super::session_claims::SessionClaims;

mod claiming;

pub use claiming::{Claimed, Loss, Reclaimed};

/// A short-lived hold of a seat. It is used up by registering or releasing it; one that is
/// lost on the way ends by itself.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a reservation holds a seat until it is registered or released"]
pub struct Reservation {
    id: u64,
}

/// Why a seat was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionRefused {
    /// The instance does not carry the placement.
    NotCarried,
    /// All seats are taken.
    Full,
    /// The instance takes no new players.
    Draining,
}

/// Why a session was not registered; its seat is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegistrationRefused {
    /// The seat was no longer held, or the instance has begun to drain.
    ReservationEnded,
    /// A later entry of the account is here.
    Outranked,
}

/// Sessions that are to end. Nothing opens them any more; what those that waited left
/// outside is the flow's to remove, and those that were claimed do it themselves once they
/// are asked to end.
#[derive(Debug)]
pub struct Displaced<H> {
    /// Sessions that waited for their claim.
    pub pending: Vec<PendingRealtimeSession>,
    /// How the tasks of claimed sessions are reached, linkdead ones among them.
    pub live: Vec<H>,
}

/// An accepted handshake that waits for its realtime claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingRealtimeSession {
    /// Names the session.
    pub session_token: SessionToken,
    /// Hash of the ticket that claims it.
    pub ticket: TokenHash,
    /// Hash of the handoff token that it came by.
    pub handoff: TokenHash,
    /// Whose session.
    pub account_id: AccountId,
    /// Trusted claims about the account.
    pub claims: AccountClaims,
    /// Hash of the access token of the login that began it.
    pub login: TokenHash,
    /// The character as the raising statement returned it.
    pub character: Character,
    /// Where it enters.
    pub placement: Placement,
    /// The attempt that made it.
    pub attempt_id: AttemptId,
    /// The try of that attempt.
    pub r#try: Try,
    /// Hash of the handoff token of the zone transfer that it activates, if it came by one.
    pub transfer: Option<TokenHash>,
    /// Its claims in an earlier process, if it had any: the next is judged by them and not
    /// by the ticket.
    pub claimed_before: Option<LedgerClaims>,
}

impl PendingRealtimeSession {
    /// How long it waits for its claim.
    #[must_use]
    pub fn life(&self) -> Duration {
        if self.claimed_before.is_some() { RESUME_GRACE } else { PENDING_SESSION_LIFE }
    }
}

/// A claimed session. `H` is how its task is reached: the one that serves its connection,
/// or waits for the next.
#[derive(Clone, Debug)]
pub struct ActiveRealtimeSession<H> {
    /// What was claimed.
    pub session: PendingRealtimeSession,
    /// How the task of its latest claim is reached.
    pub handle: H,
    claims: SessionClaims,
    leaving: bool,
    /// Whether somebody has asked it to end.
    released: bool,
}

impl<H> ActiveRealtimeSession<H> {
    /// Whether its end has begun: its records are being removed and must not be renewed.
    #[must_use]
    pub fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// Whether its connection is lost and it waits for the next claim.
    #[must_use]
    pub fn is_linkdead(&self) -> bool {
        self.claims.is_linkdead()
    }
}

#[derive(Debug)]
struct Held {
    placement: Placement,
    character: CharacterId,
    expires_at: UnixMillis,
}

#[derive(Debug)]
struct Waiting {
    session: PendingRealtimeSession,
    expires_at: UnixMillis,
    /// Whether its handshake has written everything: only then may it be told to a client.
    settled: bool,
}

/// See the module.
#[derive(Debug)]
pub struct SessionDirectory<H> {
    capacities: BTreeMap<Placement, u32>,
    draining: bool,
    /// Nobody new comes in; who is here stays, and comes back.
    closed: bool,
    next_reservation: u64,
    reservations: BTreeMap<u64, Held>,
    pending: BTreeMap<SessionToken, Waiting>,
    active: BTreeMap<SessionToken, ActiveRealtimeSession<H>>,
    /// Sessions that are being brought back from the ledger, each once at a time.
    recovering: BTreeSet<SessionToken>,
}

impl<H> SessionDirectory<H> {
    /// A directory with nobody in it.
    #[must_use]
    pub fn new(capacities: BTreeMap<Placement, u32>) -> Self {
        Self {
            capacities,
            draining: false,
            closed: false,
            next_reservation: 1,
            reservations: BTreeMap::new(),
            pending: BTreeMap::new(),
            active: BTreeMap::new(),
            recovering: BTreeSet::new(),
        }
    }

    /// Holds a seat for a character.
    ///
    /// # Errors
    /// See [`AdmissionRefused`]; nothing is held then.
    pub fn reserve(
        &mut self,
        placement: &Placement,
        character: CharacterId,
        now: UnixMillis,
    ) -> Result<Reservation, AdmissionRefused> {
        let capacity = *self.capacities.get(placement).ok_or(AdmissionRefused::NotCarried)?;
        if self.is_draining() {
            return Err(AdmissionRefused::Draining);
        }
        self.reservations.retain(|_, held| !held.expires_at.has_passed(now));
        let seated = self.seated(placement);
        if !seated.contains(&character) && seated.len() >= capacity as usize {
            return Err(AdmissionRefused::Full);
        }
        let id = self.next_reservation;
        self.next_reservation += 1;
        let expires_at = now.plus(ADMISSION_RESERVATION_LIFE);
        self.reservations.insert(id, Held { placement: placement.clone(), character, expires_at });
        Ok(Reservation { id })
    }

    /// Gives a seat back.
    pub fn release(&mut self, reservation: Reservation) {
        self.reservations.remove(&reservation.id);
    }

    /// Turns a reservation into a pending session in one step. An account plays one
    /// character at a time, and its latest entry counts: pending sessions of earlier ones
    /// are taken out, live ones are given to be ended.
    ///
    /// # Errors
    /// See [`RegistrationRefused`]; nothing is registered or pushed out then.
    pub fn register(
        &mut self,
        reservation: Reservation,
        session: PendingRealtimeSession,
        now: UnixMillis,
    ) -> Result<Displaced<H>, RegistrationRefused>
    where
        H: Clone,
    {
        let ended = RegistrationRefused::ReservationEnded;
        let held = self.reservations.remove(&reservation.id).ok_or(ended)?;
        if self.draining || held.expires_at.has_passed(now) || held.placement != session.placement {
            return Err(ended);
        }
        if self.has_later_entry(&session) {
            return Err(RegistrationRefused::Outranked);
        }
        let account = session.account_id;
        let live = self.ask_to_end(|active| active.session.account_id == account);
        let pending = self.take_pending(|waiting| waiting.session.account_id == account);
        let expires_at = now.plus(session.life());
        let waiting = Waiting { session, expires_at, settled: false };
        self.pending.insert(waiting.session.session_token.clone(), waiting);
        Ok(Displaced { pending, live })
    }

    /// Whether the account of a session has entered since with another one.
    fn has_later_entry(&self, session: &PendingRealtimeSession) -> bool {
        let pending = self.pending.values().map(|waiting| &waiting.session);
        let all = pending.chain(self.active.values().map(|active| &active.session));
        all.filter(|other| other.account_id == session.account_id)
            .any(|other| other.character.entry > session.character.entry)
    }

    /// Notes that the handshake of a pending session has written everything. Gives whether
    /// it still waits for its claim: nobody has pushed it out.
    #[must_use]
    pub fn settle(&mut self, token: &SessionToken) -> bool {
        match self.pending.get_mut(token) {
            Some(waiting) => {
                waiting.settled = true;
                true
            }
            None => false,
        }
    }

    /// A session of this epoch that waits for its claim, and whether its handshake has
    /// written everything.
    #[must_use]
    pub fn pending(
        &self,
        token: &SessionToken,
        epoch: SessionEpoch,
    ) -> Option<(&PendingRealtimeSession, bool)> {
        let waiting = self.pending.get(token)?;
        let current = waiting.session.character.epoch == epoch;
        current.then_some((&waiting.session, waiting.settled))
    }

    /// Removes a pending session if it has this epoch; gives whether it did.
    pub fn remove_pending(&mut self, token: &SessionToken, epoch: SessionEpoch) -> bool {
        let matches = self.pending.get(token).is_some_and(|w| w.session.character.epoch == epoch);
        if matches {
            self.pending.remove(token);
        }
        matches
    }

    /// Puts a session back whose first claim could not be activated, so that the client
    /// may claim again within its time. Gives `false`, and puts nothing back, where somebody
    /// has asked it to end, the account has entered anew or the instance drains.
    pub fn restore_pending(
        &mut self,
        token: &SessionToken,
        epoch: SessionEpoch,
        now: UnixMillis,
    ) -> bool {
        if self.active.get(token).is_none_or(|active| !active.claims.is_opening()) {
            return false;
        }
        let Some(active) = self.remove_active(token, epoch) else { return false };
        let session = active.session;
        if active.released || self.draining || self.has_later_entry(&session) {
            return false;
        }
        let expires_at = now.plus(session.life());
        let waiting = Waiting { session, expires_at, settled: true };
        self.pending.insert(waiting.session.session_token.clone(), waiting);
        true
    }

    /// Removes an active session if it has this epoch; gives it back.
    pub fn remove_active(
        &mut self,
        token: &SessionToken,
        epoch: SessionEpoch,
    ) -> Option<ActiveRealtimeSession<H>> {
        let matches = self.active.get(token).is_some_and(|a| a.session.character.epoch == epoch);
        if matches { self.active.remove(token) } else { None }
    }

    /// All active sessions, by token.
    pub fn all_active(&self) -> impl Iterator<Item = &ActiveRealtimeSession<H>> {
        self.active.values()
    }

    /// Whether a session is active and its end has not begun.
    #[must_use]
    pub fn is_playing(&self, token: &SessionToken) -> bool {
        self.active.get(token).is_some_and(|active| !active.leaving)
    }

    /// Takes out the pending sessions that a release means, and gives the live ones that
    /// are to be asked to end. A takeover of a character leaves its pending sessions
    /// alone: they have nothing to save, and the raise that follows fences them.
    pub fn let_go(&mut self, request: &ReleaseRequest) -> Displaced<H>
    where
        H: Clone,
    {
        let means = |session: &PendingRealtimeSession| match request {
            ReleaseRequest::Character { character_id, up_to, .. } => {
                session.character.id == *character_id && session.character.epoch <= *up_to
            }
            ReleaseRequest::EarlierEntries { account_id, before } => {
                session.account_id == *account_id && session.character.entry < *before
            }
            ReleaseRequest::Login { account_id, login } => {
                session.account_id == *account_id && session.login == *login
            }
            ReleaseRequest::Account { account_id } => session.account_id == *account_id,
        };
        let live = self.ask_to_end(|active| means(&active.session));
        let pending = match request {
            ReleaseRequest::Character { .. } => Vec::new(),
            _ => self.take_pending(|waiting| means(&waiting.session)),
        };
        Displaced { pending, live }
    }

    /// Ends what is held for somebody who has not come by now: reservations, pending
    /// sessions, and linkdead ones whose grace is over, which are given to be ended.
    pub fn expire(&mut self, now: UnixMillis) -> Displaced<H>
    where
        H: Clone,
    {
        self.reservations.retain(|_, held| !held.expires_at.has_passed(now));
        let pending = self.take_pending(|waiting| waiting.expires_at.has_passed(now));
        let live = self.ask_to_end(|active| active.claims.has_lapsed(now));
        Displaced { pending, live }
    }

    /// Notes that claimed sessions are asked to end, which nobody claims again then; gives
    /// how their tasks are reached.
    pub fn ask_to_end(&mut self, which: impl Fn(&ActiveRealtimeSession<H>) -> bool) -> Vec<H>
    where
        H: Clone,
    {
        let asked = self.active.values_mut().filter(|active| which(active));
        asked
            .map(|active| {
                active.released = true;
                active.handle.clone()
            })
            .collect()
    }

    fn take_pending(&mut self, which: impl Fn(&Waiting) -> bool) -> Vec<PendingRealtimeSession> {
        let (taken, kept): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.pending).into_iter().partition(|(_, w)| which(w));
        self.pending = kept;
        taken.into_values().map(|waiting| waiting.session).collect()
    }

    /// From now on nobody is admitted and nobody comes back. Gives the sessions that nobody
    /// has claimed, and those whose connection is lost: nothing opens them any more.
    pub fn drain(&mut self) -> Displaced<H>
    where
        H: Clone,
    {
        self.draining = true;
        self.reservations.clear();
        let pending = self.take_pending(|_| true);
        let live = self.ask_to_end(ActiveRealtimeSession::is_linkdead);
        Displaced { pending, live }
    }

    /// Whether nobody new is admitted from now on. Who is here stays, and comes back after a
    /// loss.
    pub fn set_closed(&mut self, closed: bool) {
        self.closed = closed;
    }

    /// Whether the instance takes no new players.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.draining || self.closed
    }

    /// Seats taken and seats in all, for each placement.
    #[must_use]
    pub fn loads(&self) -> Vec<ZoneLoad> {
        self.capacities
            .iter()
            .map(|(placement, capacity)| ZoneLoad {
                placement: placement.clone(),
                occupied: u32::try_from(self.seated(placement).len()).unwrap_or(u32::MAX),
                capacity: *capacity,
            })
            .collect()
    }

    fn seated(&self, placement: &Placement) -> BTreeSet<CharacterId> {
        let reserved = self.reservations.values().map(|held| (&held.placement, held.character));
        let pending = self.pending.values().map(|w| (&w.session.placement, w.session.character.id));
        let active = self.active.values().map(|a| (&a.session.placement, a.session.character.id));
        reserved
            .chain(pending)
            .chain(active)
            .filter(|(at, _)| *at == placement)
            .map(|(_, character)| character)
            .collect()
    }

    /// Checks what must always hold (I3, one pending session an account, and nobody who
    /// waits for a claim that cannot come).
    ///
    /// # Errors
    /// The first broken rule.
    pub fn check_invariants(&self) -> Result<(), String> {
        for load in self.loads() {
            if load.occupied > load.capacity {
                return Err(format!(
                    "{} seats {} of {}",
                    load.placement, load.occupied, load.capacity
                ));
            }
        }
        let mut waiting = BTreeSet::new();
        for pending in self.pending.values() {
            if !waiting.insert(pending.session.account_id) {
                return Err(format!("two pending sessions of {}", pending.session.account_id));
            }
        }
        if let Some(token) = self.pending.keys().find(|token| self.active.contains_key(token)) {
            return Err(format!("{token:?} is pending and active"));
        }
        let hopeless = |active: &&ActiveRealtimeSession<H>| {
            self.draining && active.is_linkdead() && !active.released && !active.leaving
        };
        if let Some(active) = self.active.values().find(hopeless) {
            return Err(format!("{:?} waits in vain", active.session.session_token));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "session_directory_tests.rs"]
mod tests;
