//! Opening the store: which servers it refuses, and with which line.

use redis::RedisError;

use super::RedisStores;
use super::link::Link;
use super::steps::Steps;

/// The oldest major version of Redis that the steps are tested with.
const OLDEST_MAJOR: u32 = 7;

/// Why the store did not open: one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address cannot be one. It is not repeated, because it may hold a password.
    #[error(
        "EDGE_REDIS_URL is no address of a Redis ({0}); \
         write it like redis://127.0.0.1:6379 or redis+unix:///path/to/socket"
    )]
    Address(RedisError),
    /// Nobody answers there, or not to us.
    #[error("cannot use the Redis at {address} (EDGE_REDIS_URL): {reason}")]
    Unreachable {
        /// Where, without credentials.
        address: String,
        /// What happened.
        reason: RedisError,
    },
    /// It lacks what the steps need.
    #[error(
        "the Redis at {address} is version {version}; \
         Aether needs {OLDEST_MAJOR}.0 or newer"
    )]
    Old {
        /// Where, without credentials.
        address: String,
        /// What it says of itself.
        version: String,
    },
    /// Its keys are spread over nodes.
    #[error(
        "the Redis at {address} is a cluster, over whose nodes no step is atomic; \
         name a single server in EDGE_REDIS_URL"
    )]
    Cluster {
        /// Where, without credentials.
        address: String,
    },
}

pub(super) async fn open(url: &str) -> Result<RedisStores, OpenError> {
    let link = Link::new(url).map_err(OpenError::Address)?;
    let address = link.address();
    let answer = link.ask(&redis::cmd("INFO")).await;
    let told: String = answer
        .and_then(|value| Ok(redis::from_redis_value(value)?))
        .map_err(|reason| OpenError::Unreachable { address: address.clone(), reason })?;
    judge(&told, &address)?;
    Ok(RedisStores { link, steps: Steps::default() })
}

/// Judges what a server says of itself.
fn judge(told: &str, address: &str) -> Result<(), OpenError> {
    let says = |name: &str| {
        told.lines()
            .filter_map(|line| line.trim_end().split_once(':'))
            .find_map(|(key, value)| (key == name).then_some(value))
            .unwrap_or_default()
    };
    let address = || address.to_owned();
    let version = says("redis_version");
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < OLDEST_MAJOR) {
        return Err(OpenError::Old { address: address(), version: version.to_owned() });
    }
    if says("redis_mode") == "cluster" {
        return Err(OpenError::Cluster { address: address() });
    }
    // What it evicts may be the marker of a handoff that was used, long before its end.
    let policy = says("maxmemory_policy");
    if !matches!(policy, "noeviction" | "") {
        tracing::warn!(
            policy,
            "this Redis may evict live records: set maxmemory-policy noeviction"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(version: &str, mode: &str) -> String {
        format!("# Server\r\nredis_version:{version}\r\nredis_mode:{mode}\r\n")
    }

    #[test]
    fn old_servers_and_clusters_are_refused_with_one_line() {
        let refused = |text: String| judge(&text, "redis.example:6379").unwrap_err().to_string();
        assert!(judge(&told("7.0.15", "standalone"), "").is_ok());
        assert!(judge(&told("8.2.1", "sentinel"), "").is_ok());
        for (text, hint) in [
            (told("6.2.14", "standalone"), "version 6.2.14; Aether needs 7.0"),
            (told("7.0.15", "cluster"), "is a cluster"),
            (String::new(), "Aether needs 7.0"),
        ] {
            let line = refused(text);
            assert!(line.contains(hint) && !line.contains('\n'), "{line}");
            assert!(line.contains("redis.example:6379"), "{line}");
        }
    }

    #[tokio::test]
    async fn an_address_that_cannot_be_one_is_not_repeated() {
        let error = open("http://user:hunter2@host").await.unwrap_err().to_string();
        assert!(error.contains("EDGE_REDIS_URL") && !error.contains("hunter2"), "{error}");
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_named_without_its_password() {
        let url = "redis+unix:///nowhere/redis.sock?pass=hunter2";
        let error = open(url).await.unwrap_err().to_string();
        assert!(error.contains("/nowhere/redis.sock") && !error.contains("hunter2"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
