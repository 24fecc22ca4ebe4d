//! The claims of one session: how many there were, which secret opens the next, and what
//! has become of the connection of the latest.
//!
//! Each claim is answered with a new secret. Whether the client has got it is not known
//! before it has been heard on the new connection, so until then the secret that the claim
//! came with stays good beside the new one: a Welcome may be lost on the way.
//!
//! The ledger has the claims as of the latest that was written, before the session moved. It
//! may lag behind by what the client has acknowledged since, so it accepts at most one secret
//! more than this process would, and always the one that the client holds: the newest if its
//! Welcome went out, the previous one if it did not.

use shared::coordination::{LedgerClaims, TokenHash};
use shared::ids::UnixMillis;
use shared::limits::RESUME_GRACE;

/// Numbers the claims of a session, from one. What a connection does, it does under the
/// number of its claim, and a later claim makes all of it stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimGeneration(pub u64);

impl ClaimGeneration {
    /// The claim that comes first.
    pub const FIRST: Self = Self(1);
}

/// Why a claim was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimRefused {
    /// No session of that name can be claimed.
    Unknown,
    /// The secret does not open it.
    WrongSecret,
    /// The first claim is not through yet; the same claim may be repeated.
    Opening,
    /// The instance takes nobody any more.
    Draining,
}

/// The connection of the latest claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    /// The first claim is being written down; it has no connection to take over yet.
    Opening,
    /// It is there, as far as anybody knows.
    Live,
    /// It is lost. The session waits for the next claim until this moment.
    Linkdead { until: UnixMillis },
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionClaims {
    generation: ClaimGeneration,
    /// The secret that answered the latest claim.
    newest: TokenHash,
    /// The secret that the latest claim came with, until the client has been heard.
    previous: Option<TokenHash>,
    connection: Connection,
}

impl SessionClaims {
    /// A session that is being claimed for the first time, by `ticket`; `newest` answers it.
    #[must_use]
    pub fn first(ticket: TokenHash, newest: TokenHash) -> Self {
        Self {
            generation: ClaimGeneration::FIRST,
            newest,
            previous: Some(ticket),
            connection: Connection::Opening,
        }
    }

    /// A session that had its claims in an earlier process, which wrote down `before`, and is
    /// being claimed again by `secret`. `secret_of` tells the secret that answers a claim.
    ///
    /// # Errors
    /// [`ClaimRefused::WrongSecret`].
    pub fn after(
        before: &LedgerClaims,
        secret: &TokenHash,
        secret_of: impl FnOnce(ClaimGeneration) -> TokenHash,
    ) -> Result<Self, ClaimRefused> {
        if !opens(before, secret) {
            return Err(ClaimRefused::WrongSecret);
        }
        let generation = ClaimGeneration(before.generation + 1);
        Ok(Self {
            generation,
            newest: secret_of(generation),
            previous: Some(secret.clone()),
            connection: Connection::Opening,
        })
    }

    /// What a later process judges the next claim by.
    #[must_use]
    pub fn to_ledger(&self) -> LedgerClaims {
        LedgerClaims {
            generation: self.generation.0,
            newest: self.newest.clone(),
            previous: self.previous.clone(),
        }
    }

    /// The latest claim.
    #[must_use]
    pub fn generation(&self) -> ClaimGeneration {
        self.generation
    }

    /// The first claim is through.
    pub fn open(&mut self) {
        if self.connection == Connection::Opening {
            self.connection = Connection::Live;
        }
    }

    /// Whether the first claim is not through yet.
    #[must_use]
    pub fn is_opening(&self) -> bool {
        self.connection == Connection::Opening
    }

    /// Whether the connection is lost.
    #[must_use]
    pub fn is_linkdead(&self) -> bool {
        matches!(self.connection, Connection::Linkdead { .. })
    }

    /// Whether the connection is lost and the time for the next claim is over.
    #[must_use]
    pub fn has_lapsed(&self, now: UnixMillis) -> bool {
        matches!(self.connection, Connection::Linkdead { until } if until.has_passed(now))
    }

    /// Looks whether a secret opens the session.
    ///
    /// # Errors
    /// See [`ClaimRefused`].
    pub fn look(&self, secret: &TokenHash, now: UnixMillis) -> Result<(), ClaimRefused> {
        if self.newest != *secret && self.previous.as_ref() != Some(secret) {
            return Err(ClaimRefused::WrongSecret);
        }
        if self.is_opening() {
            return Err(ClaimRefused::Opening);
        }
        if self.has_lapsed(now) {
            return Err(ClaimRefused::Unknown);
        }
        Ok(())
    }

    /// Claims the session again, whether its connection is known to be lost or not.
    /// `secret_of` tells the secret that answers a claim.
    ///
    /// # Errors
    /// See [`ClaimRefused`]; nothing changes then.
    pub fn again(
        &mut self,
        secret: &TokenHash,
        secret_of: impl FnOnce(ClaimGeneration) -> TokenHash,
        now: UnixMillis,
    ) -> Result<ClaimGeneration, ClaimRefused> {
        self.look(secret, now)?;
        self.generation = ClaimGeneration(self.generation.0 + 1);
        self.previous = Some(secret.clone());
        self.newest = secret_of(self.generation);
        self.connection = Connection::Live;
        Ok(self.generation)
    }

    /// The client has been heard on the connection of a claim, so it has the newest secret:
    /// the previous one opens nothing any more.
    pub fn acknowledge(&mut self, claim: ClaimGeneration) {
        if claim == self.generation {
            self.previous = None;
        }
    }

    /// The connection is lost; the next claim has its time from now on.
    pub fn lose(&mut self, now: UnixMillis) {
        self.connection = Connection::Linkdead { until: now.plus(RESUME_GRACE) };
    }
}

/// Whether a secret opens a session that an earlier process wrote down so.
#[must_use]
pub fn opens(before: &LedgerClaims, secret: &TokenHash) -> bool {
    before.newest == *secret || before.previous.as_ref() == Some(secret)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    fn secret(number: u64) -> TokenHash {
        format!("{number:064x}").parse().unwrap()
    }

    /// The answer to the claim of that number; 0 is the ticket.
    fn answer(claim: ClaimGeneration) -> TokenHash {
        secret(claim.0)
    }

    fn at(seconds: u64) -> UnixMillis {
        UnixMillis(0).plus(Duration::from_secs(seconds))
    }

    fn claimed() -> SessionClaims {
        let mut claims = SessionClaims::first(secret(0), answer(ClaimGeneration::FIRST));
        claims.open();
        claims
    }

    #[track_caller]
    fn opens_only(claims: &SessionClaims, good: &[u64]) {
        for number in 0..6 {
            let expected =
                if good.contains(&number) { Ok(()) } else { Err(ClaimRefused::WrongSecret) };
            assert_eq!(claims.look(&secret(number), at(0)), expected, "{number} of {claims:?}");
        }
    }

    #[test]
    fn every_claim_raises_the_generation_and_is_answered_by_a_new_secret() {
        let mut claims = claimed();
        assert_eq!(claims.generation(), ClaimGeneration(1));
        assert_eq!(claims.again(&secret(1), answer, at(0)), Ok(ClaimGeneration(2)));
        assert_eq!(claims.again(&secret(2), answer, at(0)), Ok(ClaimGeneration(3)));
        opens_only(&claims, &[2, 3]);
    }

    #[test]
    fn the_ticket_stays_good_until_the_client_was_heard() {
        let mut claims = claimed();
        opens_only(&claims, &[0, 1]);
        claims.acknowledge(ClaimGeneration(1));
        opens_only(&claims, &[1]);
    }

    #[test]
    fn the_previous_secret_opens_until_something_was_heard_and_nothing_afterwards() {
        let mut claims = claimed();
        claims.acknowledge(ClaimGeneration(1));
        claims.again(&secret(1), answer, at(0)).unwrap();
        opens_only(&claims, &[1, 2]);
        claims.acknowledge(ClaimGeneration(2));
        opens_only(&claims, &[2]);
        assert_eq!(claims.again(&secret(1), answer, at(0)), Err(ClaimRefused::WrongSecret));
    }

    #[test]
    fn of_several_lost_welcomes_the_last_used_and_the_newest_secret_are_good() {
        let mut claims = claimed();
        claims.acknowledge(ClaimGeneration(1));
        for _ in 0..3 {
            claims.again(&secret(1), answer, at(0)).unwrap();
        }
        opens_only(&claims, &[1, 4]);
        // The last Welcome did arrive, and its connection was lost before a word.
        claims.again(&secret(4), answer, at(0)).unwrap();
        opens_only(&claims, &[4, 5]);
    }

    #[test]
    fn who_is_heard_late_on_an_older_connection_acknowledges_nothing() {
        let mut claims = claimed();
        claims.again(&secret(0), answer, at(0)).unwrap();
        claims.acknowledge(ClaimGeneration(1));
        opens_only(&claims, &[0, 2]);
    }

    #[test]
    fn a_later_process_goes_on_counting_and_takes_what_the_client_can_hold() {
        let mut claims = claimed();
        claims.again(&secret(1), answer, at(0)).unwrap();
        let written = claims.to_ledger();
        for (held, good) in [(0, false), (1, true), (2, true), (3, false)] {
            assert_eq!(opens(&written, &secret(held)), good, "{held}");
            let after = SessionClaims::after(&written, &secret(held), answer);
            assert_eq!(after.is_ok(), good, "{held}");
        }
        let mut after = SessionClaims::after(&written, &secret(1), answer).unwrap();
        assert_eq!((after.generation(), after.is_opening()), (ClaimGeneration(3), true));
        after.open();
        // Its Welcome may be lost as well.
        opens_only(&after, &[1, 3]);
        after.acknowledge(ClaimGeneration(3));
        opens_only(&after, &[3]);
    }

    #[test]
    fn what_was_acknowledged_is_written_down_with_the_next_writing() {
        let mut claims = claimed();
        assert_eq!(claims.to_ledger().previous, Some(secret(0)));
        claims.acknowledge(ClaimGeneration(1));
        assert_eq!(claims.to_ledger().previous, None);
    }

    proptest! {
        /// Whatever was claimed, heard and lost: a process that dies at any moment leaves a
        /// record that opens to the secret which the client holds then.
        #[test]
        fn the_record_opens_to_what_the_client_holds(
            steps in prop::collection::vec((any::<bool>(), any::<bool>(), any::<bool>()), 1..12),
        ) {
            let mut claims = claimed();
            let (mut held, mut written) = (secret(0), claims.to_ledger());
            for (told, heard, dies) in steps {
                // Written down first, then moved, then told.
                let mut next = claims.clone();
                let claim = next.again(&held, answer, at(0)).unwrap();
                written = next.to_ledger();
                prop_assert!(opens(&written, &held), "before the Welcome");
                claims = next;
                if told {
                    held = answer(claim);
                    prop_assert!(opens(&written, &held), "after the Welcome");
                }
                if told && heard {
                    claims.acknowledge(claim);
                    prop_assert!(opens(&claims.to_ledger(), &held), "renewed");
                }
                if dies {
                    let after = SessionClaims::after(&written, &held, answer).unwrap();
                    prop_assert!(after.generation() > claims.generation());
                    claims = after;
                    claims.open();
                }
            }
            prop_assert!(opens(&written, &held));
        }
    }

    #[test]
    fn a_wrong_secret_changes_nothing() {
        let mut claims = claimed();
        claims.lose(at(3));
        let before = claims.clone();
        assert_eq!(claims.again(&secret(5), answer, at(4)), Err(ClaimRefused::WrongSecret));
        assert_eq!(claims, before);
    }

    #[test]
    fn a_session_can_be_claimed_before_and_after_its_loss_was_noticed_and_for_its_grace() {
        let grace = RESUME_GRACE.as_secs();
        let mut claims = claimed();
        claims.again(&secret(1), answer, at(0)).unwrap();
        claims.lose(at(10));
        assert!(claims.is_linkdead() && !claims.has_lapsed(at(9 + grace)));
        assert_eq!(claims.look(&secret(2), at(9 + grace)), Ok(()));
        assert!(claims.has_lapsed(at(10 + grace)), "it counts from the loss");
        assert_eq!(claims.again(&secret(2), answer, at(10 + grace)), Err(ClaimRefused::Unknown));
        claims.again(&secret(2), answer, at(9 + grace)).unwrap();
        assert!(!claims.is_linkdead() && !claims.has_lapsed(at(99 + grace)));
    }

    #[test]
    fn nobody_claims_again_what_is_still_being_claimed_for_the_first_time() {
        let mut claims = SessionClaims::first(secret(0), answer(ClaimGeneration::FIRST));
        assert_eq!(claims.again(&secret(0), answer, at(0)), Err(ClaimRefused::Opening));
        assert_eq!(claims.again(&secret(7), answer, at(0)), Err(ClaimRefused::WrongSecret));
        claims.open();
        assert_eq!(claims.again(&secret(0), answer, at(0)), Ok(ClaimGeneration(2)));
    }
}
