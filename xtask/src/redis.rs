//! The Redis that the store contracts run over: tests start it themselves, each its own.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths::{Project, find_program};
use crate::process::ask;
use crate::system::{self, Consent, Manager, Need};

/// Names redis-server to this program and to tests.
pub(crate) const VARIABLE: &str = "AETHER_REDIS_SERVER";

/// The oldest major version that the server takes.
const OLDEST_MAJOR: u32 = 7;

/// Finds redis-server, and installs it where it is missing.
pub(crate) fn ensure(project: &Project, consent: Consent) -> Result<PathBuf> {
    let server = match find() {
        Some(server) => server,
        None => {
            let need = Need {
                purpose: "test the stores of a deployment (Redis)",
                packages: &[
                    (Manager::Apt, &["redis-server"]),
                    (Manager::Dnf, &["redis"]),
                    (Manager::Pacman, &["redis"]),
                    (Manager::Apk, &["redis"]),
                    (Manager::Brew, &["redis"]),
                ],
            };
            system::install(project, &need, consent)?;
            find().context(
                "redis-server is still not on the search path; \
                 set AETHER_REDIS_SERVER to where it is",
            )?
        }
    };
    let told = ask(Command::new(&server).arg("--version"));
    match told.as_deref().and_then(major_version) {
        Some(major) if major >= OLDEST_MAJOR => Ok(server),
        Some(major) => bail!(
            "{} is version {major}, and Aether needs {OLDEST_MAJOR} or newer; \
             set AETHER_REDIS_SERVER to a newer one",
            server.display()
        ),
        None => bail!("{} does not tell its version", server.display()),
    }
}

fn find() -> Option<PathBuf> {
    env::var_os(VARIABLE)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
        .or_else(|| find_program("redis-server"))
}

/// `Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=…` is 7.
fn major_version(text: &str) -> Option<u32> {
    let version = text.split_whitespace().find_map(|word| word.strip_prefix("v="))?;
    version.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redis_tells_its_major_version() {
        let told = "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d";
        assert_eq!(major_version(told), Some(7));
        assert_eq!(major_version("Redis server"), None);
    }
}
