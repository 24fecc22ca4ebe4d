//! Where the tests find what they run and what they leave.

use std::env;
use std::path::{Path, PathBuf};

/// The checkout: the one that runs the tests, or else the one that built them.
#[must_use]
pub fn root() -> PathBuf {
    let package = named("CARGO_MANIFEST_DIR")
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).to_owned());
    package.parent().expect("the tests' folder is inside the checkout").to_owned()
}

/// The world's files.
#[must_use]
pub fn world_dir() -> PathBuf {
    root().join("shared").join("world")
}

/// The built page: `AETHER_DIST`, or `dist` in the checkout.
#[must_use]
pub fn dist() -> PathBuf {
    named("AETHER_DIST").unwrap_or_else(|| root().join("dist"))
}

/// Cargo's build folder, found from where the running test stands in it.
fn target() -> PathBuf {
    let test = env::current_exe().expect("the system knows which program runs");
    // target/debug/deps/integration-…
    test.ancestors().nth(3).expect("cargo puts tests three folders deep").to_owned()
}

/// The server: `AETHER_EDGE_SERVER`, or the one that was built beside the running test.
///
/// # Panics
/// If it is not there.
#[must_use]
pub fn edge_server() -> PathBuf {
    let beside = || target().join("debug").join(format!("edge-server{}", env::consts::EXE_SUFFIX));
    let server = named("AETHER_EDGE_SERVER").unwrap_or_else(beside);
    assert!(
        server.is_file(),
        "{} is missing: run `cargo build -p edge-server`, or name the server in AETHER_EDGE_SERVER",
        server.display()
    );
    server
}

/// The browser: `AETHER_CHROMIUM`.
#[must_use]
pub fn chromium() -> PathBuf {
    named("AETHER_CHROMIUM").unwrap_or_else(|| PathBuf::from("/usr/bin/chromium"))
}

/// Its driver: `AETHER_CHROMEDRIVER`.
#[must_use]
pub fn chromedriver() -> PathBuf {
    named("AETHER_CHROMEDRIVER").unwrap_or_else(|| PathBuf::from("/usr/bin/chromedriver"))
}

/// The other browser: `AETHER_FIREFOX`.
#[must_use]
pub fn firefox() -> PathBuf {
    named("AETHER_FIREFOX").unwrap_or_else(|| PathBuf::from("/usr/bin/firefox-esr"))
}

/// Its driver: `AETHER_GECKODRIVER`, or the one on the search path.
#[must_use]
pub fn geckodriver() -> PathBuf {
    named("AETHER_GECKODRIVER").unwrap_or_else(|| PathBuf::from("geckodriver"))
}

/// Redis: `AETHER_REDIS_SERVER`, or the one on the search path.
#[must_use]
pub fn redis_server() -> PathBuf {
    named("AETHER_REDIS_SERVER").unwrap_or_else(|| PathBuf::from("redis-server"))
}

/// Where tests leave what people look at: `AETHER_ARTEFACTS`, or a folder beside the build.
///
/// # Panics
/// If it cannot be made.
#[must_use]
pub fn artefacts() -> PathBuf {
    let folder = named("AETHER_ARTEFACTS").unwrap_or_else(|| target().join("artefacts"));
    std::fs::create_dir_all(&folder).expect("the folder for artefacts can be made");
    folder
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
