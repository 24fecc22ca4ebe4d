//! A fault at every step of select, handshake, claim and disconnect, over the real store
//! and the real flows, without sockets: each call of a port fails, happens twice, or is the
//! last thing that its process does. After each the [`checks`] look for what must always
//! hold. Steps are found by writing a clean run down, so a new one is covered by itself.
//!
//! The [`races`] run the same flows against each other, [`over_http`] with the control plane
//! behind a socket, and [`slow_clients`] over sockets altogether.

/// Runs the listed tests over each store family.
macro_rules! over_both_families {
    ($($test:ident),+ $(,)?) => {
        over_family_of_faults!(embedded, Embedded, $($test),+);
        over_family_of_faults!(deployed, Deployed, $($test),+);
    };
}

macro_rules! over_family_of_faults {
    ($module:ident, $family:ident, $($test:ident),+) => {
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    super::$test(crate::faults::ground::Family::$family).await;
                }
            )+
        }
    };
}

mod checks;
mod claim;
mod disconnect;
mod grace;
mod ground;
mod handshake;
mod heard;
mod lifecycle;
mod locate;
mod logout;
mod over_http;
mod races;
mod reconcile;
mod recovered;
mod redirect;
mod restored;
mod resume;
mod rig;
mod select;
mod slow_clients;
mod story;
mod sweep;
mod takeover;
mod unknown_versions;
