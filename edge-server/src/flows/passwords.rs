//! Hashing of passwords: argon2id at OWASP's minimum (19 MiB, 2 passes, 1 lane), off the
//! async threads, and bounded in parallel and in waiting, because it is the most expensive
//! thing that a stranger can ask for.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use shared::problem::ProblemCode;
use tokio::sync::Semaphore;

use super::Refusal;

/// KiB of memory that one hash takes.
pub const ARGON2_MEMORY_KIB: u32 = 19 * 1024;
/// Passes over that memory.
pub const ARGON2_PASSES: u32 = 2;
/// Hashes that may wait for each one that runs; over it the answer is 429 at once.
pub const MAX_WAITING_PER_HASH: usize = 16;
/// When a client that was turned away should come back.
pub const RETRY_HASHING_AFTER: Duration = Duration::from_secs(2);

/// Hashes and checks passwords.
#[derive(Clone)]
pub struct Passwords {
    running: Arc<Semaphore>,
    queue: Arc<Semaphore>,
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
            decoy: decoy.into(),
        }
    }

    /// The PHC string of a password, with a fresh salt.
    ///
    /// # Errors
    /// 429 when too many hashes wait already.
    pub async fn hash(&self, password: String) -> Result<String, Refusal> {
        self.run(move || hash(&password)).await?.map_err(|error| {
            tracing::error!(%error, "argon2 failed to hash");
            Refusal::new(ProblemCode::Internal, "the server failed to store the password")
        })
    }

    /// Whether a password is the one behind a PHC string. `None` stands for an account
    /// that does not exist: the answer is no, after the same work.
    ///
    /// # Errors
    /// 429 when too many hashes wait already.
    pub async fn verify(&self, password: String, stored: Option<String>) -> Result<bool, Refusal> {
        let exists = stored.is_some();
        let phc = stored.unwrap_or_else(|| self.decoy.to_string());
        let matches = self.run(move || verify(&password, &phc)).await?;
        Ok(matches && exists)
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let Ok(_queued) = self.queue.clone().try_acquire_owned() else {
            let detail = "many people are logging in right now: try again in a moment";
            return Err(Refusal::later(ProblemCode::RateLimited, detail, RETRY_HASHING_AFTER));
        };
        let running = self.running.clone().acquire_owned().await;
        let running = running.expect("the semaphore of hashes is never closed");
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            drop(running);
            result
        });
        done.await.map_err(|error| {
            tracing::error!(%error, "a hashing task died");
            Refusal::unavailable()
        })
    }
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
    use super::*;

    #[tokio::test]
    async fn a_password_matches_its_own_hash_alone() {
        let passwords = Passwords::new(2);
        let phc = passwords.hash("correct horse".into()).await.unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
        assert!(passwords.verify("correct horse".into(), Some(phc.clone())).await.unwrap());
        assert!(!passwords.verify("wrong horse".into(), Some(phc)).await.unwrap());
    }

    #[tokio::test]
    async fn nobody_logs_in_with_the_decoy() {
        let passwords = Passwords::new(1);
        let guess = "no account has this password".to_owned();
        assert!(!passwords.verify(guess, None).await.unwrap());
    }

    #[tokio::test]
    async fn over_the_bound_the_answer_is_429_at_once() {
        let passwords = Passwords::new(1);
        let _all =
            passwords.queue.clone().acquire_many_owned(1 + MAX_WAITING_PER_HASH as u32).await;
        let refusal = passwords.hash("correct horse".into()).await.unwrap_err();
        assert_eq!(refusal.problem.code, ProblemCode::RateLimited);
        assert_eq!(refusal.retry_after, Some(RETRY_HASHING_AFTER));
    }
}
