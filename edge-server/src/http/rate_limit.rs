//! Rate limits per client address.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use shared::problem::ProblemCode;
use tokio_util::sync::CancellationToken;

use crate::flows::Refusal;

/// Handshakes that one address may make at once.
pub const HANDSHAKE_BURST: NonZeroU32 = NonZeroU32::new(60).expect("not zero");
/// Handshakes a second that it may go on making.
pub const HANDSHAKES_PER_SECOND: NonZeroU32 = NonZeroU32::new(5).expect("not zero");

/// How often addresses that have been quiet are forgotten.
pub const FORGET_PERIOD: Duration = Duration::from_secs(60);

/// A limit for each address.
pub struct AddressLimit {
    limiter: DefaultKeyedRateLimiter<IpAddr>,
    clock: DefaultClock,
}

impl AddressLimit {
    /// The limit of handoff-token attempts: step 1 of the spec's handshake.
    #[must_use]
    pub fn handshakes() -> Self {
        let quota = Quota::per_second(HANDSHAKES_PER_SECOND).allow_burst(HANDSHAKE_BURST);
        Self { limiter: RateLimiter::keyed(quota), clock: DefaultClock::default() }
    }

    /// Counts one request.
    ///
    /// # Errors
    /// 429 with Retry-After once the address has used its burst.
    pub fn check(&self, address: IpAddr) -> Result<(), Refusal> {
        self.limiter.check_key(&address).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            let detail = "too many tries from this address: wait a moment";
            Refusal::later(ProblemCode::RateLimited, detail, wait.max(Duration::from_secs(1)))
        })
    }

    /// Forgets quiet addresses from time to time, until `stopping`.
    pub async fn keep_small(&self, stopping: CancellationToken) {
        let mut period = tokio::time::interval(FORGET_PERIOD);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = period.tick() => self.forget_quiet(),
            }
        }
    }

    /// Forgets addresses that have been quiet, so that memory stays bounded.
    fn forget_quiet(&self) {
        self.limiter.retain_recent();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_over_its_burst_does_not_stop_another() {
        let limit = AddressLimit::handshakes();
        let (loud, quiet) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let passed = (0..HANDSHAKE_BURST.get() * 2).filter(|_| limit.check(loud).is_ok()).count();
        assert!(passed >= HANDSHAKE_BURST.get() as usize, "{passed}");
        assert!(passed < HANDSHAKE_BURST.get() as usize * 2, "{passed}");
        assert!(limit.check(quiet).is_ok());
    }
}
