//! The contract of the control plane's port: what whoever asks it may rely on, written once
//! and run over each way to reach it, in the same process and over HTTP, and over the stores
//! of a deployment.
//!
//! A test is a function over a [`rig::Rig`] of its own; a file lists its tests for
//! [`over_every_way`] at its end. What only HTTP has is tested in [`over_http`].

/// Runs the listed tests over each way to reach a control plane, the last over the stores of a
/// deployment.
macro_rules! over_every_way {
    ($($test:ident),+ $(,)?) => {
        over_way!(in_process, $($test),+);
        over_way!(over_http, $($test),+);
        over_way!(deployed, $($test),+);
    };
}

macro_rules! over_way {
    ($way:ident, $($test:ident),+) => {
        mod $way {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $test() {
                    super::$test(crate::control_plane::rig::Rig::$way().await).await;
                }
            )+
        }
    };
}

pub(crate) mod bodies;
mod errors;
mod handoffs;
mod over_http;
mod presence;
mod registry;
mod releases;
pub(crate) mod rig;
mod transfers;
