//! How often an address or an account may ask, all of it in one place. Over its limit a
//! request is answered with 429 and Retry-After, whatever it asks for.
//!
//! Bursts are generous, because a school or a café is one address; what goes on for long
//! is not. Memory is bounded: a key is forgotten as soon as its burst is whole again, and
//! no key is longer than a username.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use shared::ids::AccountId;
use shared::limits::MAX_USERNAME_LEN;
use shared::problem::ProblemCode;
use tokio_util::sync::CancellationToken;

use crate::domain::client_address::AddressBlock;
use crate::domain::names::fold_case;
use crate::flows::Refusal;

/// So many requests at once, and a further one after each pause.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Requests at once.
    pub burst: NonZeroU32,
    /// From one further request to the next.
    pub pause: Duration,
}

impl Allowance {
    const fn new(burst: u32, pause: Duration) -> Self {
        assert!(!pause.is_zero(), "a limit without a pause is none");
        Self { burst: NonZeroU32::new(burst).expect("a burst of none lets nobody in"), pause }
    }
}

/// Handshakes of one address: step 1 of the spec's handshake.
pub const HANDSHAKES_OF_ADDRESS: Allowance = Allowance::new(60, Duration::from_millis(200));
/// Registrations of one address.
pub const REGISTRATIONS_OF_ADDRESS: Allowance = Allowance::new(120, Duration::from_secs(5));
/// Logins of one address, tried or done.
pub const LOGINS_OF_ADDRESS: Allowance = Allowance::new(300, Duration::from_millis(300));
/// Changes of passwords of one address, tried or done.
pub const PASSWORD_CHANGES_OF_ADDRESS: Allowance = Allowance::new(60, Duration::from_secs(1));
/// Requests with a bearer to the login role, of one address.
pub const REQUESTS_OF_ADDRESS: Allowance = Allowance::new(600, Duration::from_millis(20));
/// Questions of one address where its sessions are. All pages behind it ask at once, and every
/// few seconds, when a game server goes away.
pub const LOCATIONS_OF_ADDRESS: Allowance = Allowance::new(300, Duration::from_millis(50));
/// Guesses of one account's password from one address, at a login or at a change of it,
/// right ones included; also where there is no such account, so that the limit does not
/// tell.
pub const GUESSES_OF_USERNAME: Allowance = Allowance::new(30, Duration::from_secs(5));
/// The same from everywhere: so much more that no single stranger can keep an account's
/// owner from logging in by guessing.
pub const GUESSES_OF_USERNAME_EVERYWHERE: Allowance =
    Allowance::new(300, Duration::from_millis(1_500));
/// Selections, creations and deletions of one account's characters.
pub const ACTIONS_OF_ACCOUNT: Allowance = Allowance::new(60, Duration::from_millis(500));

/// How often keys whose burst is whole again are forgotten.
pub const FORGET_PERIOD: Duration = Duration::from_secs(10);

/// A limit for each key.
pub struct Limit<K: Clone + Eq + Hash> {
    limiter: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
    /// What a refused player reads.
    detail: &'static str,
}

impl<K: Clone + Eq + Hash> Limit<K> {
    fn new(allowance: Allowance, detail: &'static str) -> Self {
        let quota = Quota::with_period(allowance.pause).expect("an allowance has a pause");
        let limiter = RateLimiter::keyed(quota.allow_burst(allowance.burst));
        Self { limiter, clock: DefaultClock::default(), detail }
    }

    /// Counts one request.
    ///
    /// # Errors
    /// 429 with Retry-After once the key has used its burst.
    pub fn check(&self, key: &K) -> Result<(), Refusal> {
        self.limiter.check_key(key).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now()).max(Duration::from_secs(1));
            Refusal::later(ProblemCode::RateLimited, self.detail, wait)
        })
    }

    fn forget_quiet(&self) {
        self.limiter.retain_recent();
        self.limiter.shrink_to_fit();
    }
}

impl Limit<AddressBlock> {
    fn of_address(allowance: Allowance) -> Self {
        Self::new(allowance, "too many tries from this address: wait a moment")
    }

    /// The limit of handshakes.
    #[must_use]
    pub fn handshakes() -> Self {
        Self::of_address(HANDSHAKES_OF_ADDRESS)
    }

    /// Forgets quiet addresses from time to time, until `stopping`.
    pub async fn keep_small(&self, stopping: CancellationToken) {
        periodically(stopping, || self.forget_quiet()).await;
    }
}

/// A username as a limit counts it: without its case, and no longer than one can be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UsernameKey(String);

impl From<&str> for UsernameKey {
    fn from(username: &str) -> Self {
        let possible: String = username.chars().take(MAX_USERNAME_LEN).collect();
        Self(fold_case(&possible))
    }
}

/// The limits of the login role.
pub struct LoginLimits {
    /// Registrations by address.
    pub registrations: Limit<AddressBlock>,
    /// Logins by address.
    pub logins: Limit<AddressBlock>,
    /// Changes of passwords by address.
    pub password_changes: Limit<AddressBlock>,
    /// Requests with a bearer by address.
    pub requests: Limit<AddressBlock>,
    /// Questions where a session is, by address.
    pub locations: Limit<AddressBlock>,
    /// Guesses of a password by username and address.
    guesses: Limit<(UsernameKey, AddressBlock)>,
    /// Guesses of a password by username.
    guesses_everywhere: Limit<UsernameKey>,
    /// What an account does with its characters.
    pub actions: Limit<AccountId>,
}

impl Default for LoginLimits {
    fn default() -> Self {
        let guesses = "too many tries with this username: wait a moment";
        Self {
            registrations: Limit::of_address(REGISTRATIONS_OF_ADDRESS),
            logins: Limit::of_address(LOGINS_OF_ADDRESS),
            password_changes: Limit::of_address(PASSWORD_CHANGES_OF_ADDRESS),
            requests: Limit::of_address(REQUESTS_OF_ADDRESS),
            locations: Limit::of_address(LOCATIONS_OF_ADDRESS),
            guesses: Limit::new(GUESSES_OF_USERNAME, guesses),
            guesses_everywhere: Limit::new(GUESSES_OF_USERNAME_EVERYWHERE, guesses),
            actions: Limit::new(ACTIONS_OF_ACCOUNT, "you do too much at once: wait a moment"),
        }
    }
}

impl LoginLimits {
    /// Counts a guess of an account's password.
    ///
    /// # Errors
    /// 429 with Retry-After once the address has guessed too often, or all together.
    pub fn guess(&self, username: &str, address: AddressBlock) -> Result<(), Refusal> {
        let username = UsernameKey::from(username);
        // What is refused here must not use up what is everybody's.
        self.guesses.check(&(username.clone(), address))?;
        self.guesses_everywhere.check(&username)
    }

    /// Forgets quiet keys from time to time, until `stopping`.
    pub async fn keep_small(&self, stopping: CancellationToken) {
        periodically(stopping, || {
            for limit in [
                &self.registrations,
                &self.logins,
                &self.password_changes,
                &self.requests,
                &self.locations,
            ] {
                limit.forget_quiet();
            }
            self.guesses.forget_quiet();
            self.guesses_everywhere.forget_quiet();
            self.actions.forget_quiet();
        })
        .await;
    }
}

async fn periodically(stopping: CancellationToken, act: impl Fn()) {
    let mut period = tokio::time::interval(FORGET_PERIOD);
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            _ = period.tick() => act(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn address(number: u8) -> AddressBlock {
        IpAddr::from([10, 0, 0, number]).into()
    }

    #[test]
    fn one_key_over_its_burst_does_not_stop_another() {
        let burst = HANDSHAKES_OF_ADDRESS.burst.get() as usize;
        let limit = Limit::handshakes();
        let passed = (0..burst * 2).filter(|_| limit.check(&address(1)).is_ok()).count();
        assert!((burst..burst * 2).contains(&passed), "{passed}");
        assert!(limit.check(&address(2)).is_ok());
    }

    #[test]
    fn a_refusal_says_when_to_come_back() {
        let hour = Duration::from_secs(3_600);
        let limit = Limit::new(Allowance::new(2, hour), "slowly");
        assert!(limit.check(&7).is_ok() && limit.check(&7).is_ok());
        let refusal = limit.check(&7).unwrap_err();
        assert_eq!(refusal.problem.code, ProblemCode::RateLimited);
        let after = refusal.retry_after.unwrap();
        assert!(after > hour - Duration::from_secs(60) && after <= hour, "{after:?}");
    }

    #[test]
    fn a_stranger_who_guesses_keeps_nobody_from_logging_in() {
        let limits = LoginLimits::default();
        let (stranger, owner) = (address(1), address(2));
        let tries = GUESSES_OF_USERNAME_EVERYWHERE.burst.get() * 2;
        let passed = (0..tries).filter(|_| limits.guess("Mara", stranger).is_ok()).count();
        assert!(passed < 2 * GUESSES_OF_USERNAME.burst.get() as usize, "{passed}");
        assert!(limits.guess("mara", owner).is_ok());
    }

    #[test]
    fn many_addresses_together_guess_no_more_than_everywhere_allows() {
        let limits = LoginLimits::default();
        let all = (0..250).flat_map(|host| [address(host); 20]);
        let passed = all.filter(|from| limits.guess("Mara", *from).is_ok()).count();
        let burst = GUESSES_OF_USERNAME_EVERYWHERE.burst.get() as usize;
        assert!((burst..burst * 2).contains(&passed), "{passed}");
        assert!(limits.guess("Nora", address(1)).is_ok(), "another name has its own limit");
    }

    #[test]
    fn a_username_counts_without_its_case_and_at_most_at_its_longest() {
        assert_eq!(UsernameKey::from("Mara"), "mARA".into());
        assert_ne!(UsernameKey::from("Mara"), "Nora".into());
        let endless = "a".repeat(10_000);
        assert_eq!(UsernameKey::from(endless.as_str()).0.len(), MAX_USERNAME_LEN);
    }

    #[test]
    fn keys_are_forgotten_once_their_burst_is_whole_again() {
        let moment = Duration::from_nanos(1);
        let limit = Limit::new(Allowance::new(1, moment), "slowly");
        let hours = Limit::new(Allowance::new(1, Duration::from_secs(3_600)), "slowly");
        for key in 0..1_000 {
            assert!(limit.check(&key).is_ok() && hours.check(&key).is_ok());
        }
        limit.forget_quiet();
        hours.forget_quiet();
        assert_eq!(limit.limiter.len(), 0, "whole again after a nanosecond");
        assert_eq!(hours.limiter.len(), 1_000, "an hour is not over yet");
    }
}
