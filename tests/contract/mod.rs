//! The store contract: what every store family promises behind the ports of
//! `edge_server::stores`, written once and run over each of them.
//!
//! A test is a function over `impl Family` that gets empty stores of its own. A file
//! lists its tests for [`over_every_family`] at its end (the compiler warns of one that
//! is missing there); a new family is one more line in that macro. What only one family
//! has, such as the file of the embedded one, is tested in a file of its own.

#![expect(clippy::unwrap_used, reason = "a step that fails here fails its test")]

/// Runs the listed tests over each store family.
macro_rules! over_every_family {
    ($($test:ident),+ $(,)?) => {
        over_family!(sqlite, crate::contract::family::Sqlite, $($test),+);
        over_family!(postgres, crate::contract::postgres::Postgres, $($test),+);
        over_family!(with_redis, crate::contract::family_redis::BesideFile, $($test),+);
        over_family!(deployed, crate::contract::family_redis::Deployed, $($test),+);
    };
}

macro_rules! over_family {
    ($module:ident, $family:ty, $($test:ident),+) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $test() {
                    let family = <$family as crate::contract::family::Family>::fresh().await;
                    super::$test(family).await;
                }
            )+
        }
    };
}

mod accounts;
mod authority;
mod characters;
mod diagnosis;
pub(crate) mod family;
pub(crate) mod family_redis;
mod gathering;
mod handoffs;
mod holds;
mod ledger;
mod legacy_handoffs;
mod lifecycle;
mod logins;
mod postgres;
mod postgres_server;
mod presence;
mod reconciling;
mod redirects;
mod redis_server;
mod registry;
mod restart;
pub(crate) mod samples;
mod sqlite_file;
mod transfers;
mod unreadable;
