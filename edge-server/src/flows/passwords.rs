//! Hashing of passwords: argon2id at OWASP's minimum (19 MiB, 2 passes, 1 lane), off the
//! async threads, and bounded in parallel and in waiting, because it is the most expensive
//! thing that a stranger can ask for. One address has a part of the queue only, so that it
//! cannot keep the others from logging in.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use shared::problem::ProblemCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Refusal;
use crate::address_shares::{Share, Shares};
use crate::domain::client_address::AddressBlock;

/// KiB of memory that one hash takes.
pub const ARGON2_MEMORY_KIB: u32 = 19 * 1024;
/// Passes over that memory.
pub const ARGON2_PASSES: u32 = 2;
/// Hashes that may wait for each one that runs; over it the answer is 429 at once. At some
/// 30 ms a hash the last one waits for two seconds.
pub const MAX_WAITING_PER_HASH: usize = 63;
/// Hashes of one address, running and waiting, for each one that runs: a quarter of all.
pub const MAX_OF_ONE_ADDRESS_PER_HASH: usize = 16;
/// When a client that was turned away should come back.
pub const RETRY_HASHING_AFTER: Duration = Duration::from_secs(2);

/// Hashes and checks passwords.
#[derive(Clone)]
pub struct Passwords {
    running: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    shares: Shares,
    /// Checked when a username is unknown, so that the answer takes as long as for a
    /// wrong password.
    decoy: Arc<str>,
}

impl Passwords {
    /// A hasher that runs `parallel` hashes at a time.
    #[must_use]
    pub fn new(parallel: usize) -> Self {
        let decoy = hash("no account has this password").expect("argon2 hashes a short text");
        Self {
            running: Arc::new(Semaphore::new(parallel)),
            queue: Arc::new(Semaphore::new(parallel * (1 + MAX_WAITING_PER_HASH))),
            shares: Shares::new(parallel * MAX_OF_ONE_ADDRESS_PER_HASH),
            decoy: decoy.into(),
        }
    }

    /// The PHC string of a password, with a fresh salt.
    ///
    /// # Errors
    /// 429 when too many hashes wait already, or too many of this address.
    pub async fn hash(&self, address: AddressBlock, password: String) -> Result<String, Refusal> {
        self.run(address, move || hash(&password)).await?.map_err(|error| {
            tracing::error!(%error, "argon2 failed to hash");
            Refusal::new(ProblemCode::Internal, "the server failed to store the password")
        })
    }

    /// Whether a password is the one behind a PHC string. `None` stands for an account
    /// that does not exist: the answer is no, after the same work.
    ///
    /// # Errors
    /// 429 when too many hashes wait already, or too many of this address.
    pub async fn verify(
        &self,
        address: AddressBlock,
        password: String,
        stored: Option<String>,
    ) -> Result<bool, Refusal> {
        let exists = stored.is_some();
        let phc = stored.unwrap_or_else(|| self.decoy.to_string());
        let matches = self.run(address, move || verify(&password, &phc)).await?;
        Ok(matches && exists)
    }

    /// Takes a place in the queue, or says when to come back.
    fn line_up(&self, address: AddressBlock) -> Result<Place, Refusal> {
        let Some(share) = self.shares.take(address) else {
            let detail = "many people at your address are logging in right now: try again in a \
                          moment";
            return Err(Refusal::later(ProblemCode::RateLimited, detail, RETRY_HASHING_AFTER));
        };
        let Ok(queued) = self.queue.clone().try_acquire_owned() else {
            let detail = "many people are logging in right now: try again in a moment";
            return Err(Refusal::later(ProblemCode::RateLimited, detail, RETRY_HASHING_AFTER));
        };
        Ok(Place { _queued: queued, _share: share })
    }

    async fn run<T: Send + 'static>(
        &self,
        address: AddressBlock,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let place = self.line_up(address)?;
        let running = self.running.clone().acquire_owned().await;
        let running = running.expect("the semaphore of hashes is never closed");
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            // Held to here, also where the caller has hung up meanwhile.
            drop((running, place));
            result
        });
        done.await.map_err(|error| {
            tracing::error!(%error, "a hashing task died");
            Refusal::unavailable()
        })
    }
}

/// A place among the hashes that run or wait.
#[derive(Debug)]
struct Place {
    _queued: OwnedSemaphorePermit,
    _share: Share,
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(ARGON2_MEMORY_KIB, ARGON2_PASSES, 1, None);
    Argon2::new(
        Algorithm::Argon2id,
        Version::V0x13,
        params.expect("the constants are within argon2's bounds"),
    )
}

fn hash(password: &str) -> argon2::password_hash::Result<String> {
    Ok(argon2().hash_password(password.as_bytes())?.to_string())
}

fn verify(password: &str, phc: &str) -> bool {
    let parsed = match PasswordHash::new(phc) {
        Ok(parsed) => parsed,
        Err(error) => {
            tracing::error!(%error, "a stored password hash is unreadable");
            return false;
        }
    };
    argon2().verify_password(password.as_bytes(), &parsed).is_ok()
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    /// An address of its own for each number.
    fn address(number: u8) -> AddressBlock {
        IpAddr::from([192, 0, 2, number]).into()
    }

    #[tokio::test]
    async fn a_password_matches_its_own_hash_alone() {
        let passwords = Passwords::new(2);
        let phc = passwords.hash(address(1), "correct horse".into()).await.unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
        let right = passwords.verify(address(1), "correct horse".into(), Some(phc.clone()));
        assert!(right.await.unwrap());
        assert!(!passwords.verify(address(1), "wrong horse".into(), Some(phc)).await.unwrap());
    }

    #[tokio::test]
    async fn nobody_logs_in_with_the_decoy() {
        let passwords = Passwords::new(1);
        let guess = "no account has this password".to_owned();
        assert!(!passwords.verify(address(1), guess, None).await.unwrap());
    }

    #[tokio::test]
    async fn over_the_bound_the_answer_is_429_at_once() {
        let passwords = Passwords::new(1);
        let _all =
            passwords.queue.clone().acquire_many_owned(1 + MAX_WAITING_PER_HASH as u32).await;
        let refusal = passwords.hash(address(1), "correct horse".into()).await.unwrap_err();
        assert_eq!(refusal.problem.code, ProblemCode::RateLimited);
        assert_eq!(refusal.retry_after, Some(RETRY_HASHING_AFTER));
        assert_eq!(passwords.shares.addresses(), 0, "a refused one waits for nothing");
    }

    #[tokio::test]
    async fn one_address_cannot_crowd_the_queue() {
        let passwords = Passwords::new(1);
        let crowd: Vec<Place> =
            std::iter::from_fn(|| passwords.line_up(address(1)).ok()).take(1_000).collect();
        assert_eq!(crowd.len(), MAX_OF_ONE_ADDRESS_PER_HASH);
        let refusal = passwords.hash(address(1), "correct horse".into()).await.unwrap_err();
        assert_eq!(refusal.problem.code, ProblemCode::RateLimited);
        assert_eq!(refusal.retry_after, Some(RETRY_HASHING_AFTER));
        passwords.hash(address(2), "correct horse".into()).await.unwrap();
        drop(crowd);
        passwords.hash(address(1), "correct horse".into()).await.unwrap();
        assert_eq!(passwords.shares.addresses(), 0, "nobody's count is kept");
    }

    #[tokio::test]
    async fn who_hangs_up_while_waiting_gives_the_place_back() {
        let passwords = Passwords::new(1);
        let busy = passwords.running.clone().acquire_owned().await.unwrap();
        let mut waiting = Box::pin(passwords.hash(address(1), "correct horse".into()));
        tokio::select! {
            biased;
            _ = &mut waiting => panic!("no hash runs"),
            () = std::future::ready(()) => {}
        }
        assert_eq!(passwords.shares.addresses(), 1);
        drop(waiting);
        assert_eq!(passwords.shares.addresses(), 0);
        drop(busy);
    }
}
