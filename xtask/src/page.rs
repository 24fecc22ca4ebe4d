//! Builds the page into `dist/`: the tools it takes, the environment they run in, and
//! whether there is anything to do at all.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::environment::Environment;
use crate::paths::Project;
use crate::process::{Job, program};
use crate::progress::say;
use crate::system::Consent;
use crate::tools;
use crate::wasm_toolchain::WasmToolchain;

/// Everything that the page is made of, beside the compiler.
const INPUTS: &[&str] = &[
    "index.html",
    "Trunk.toml",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/config.toml",
    "web-client",
    "shared",
];

/// What trunk tells while it works: the tools that it calls on the compiled code as well, since
/// the longest of them, wasm-opt, says nothing by itself.
const TRUNK_LOG: &str = "error,trunk=info,trunk::pipelines::rust=debug";

/// What is needed to build for the browser.
#[derive(Debug, Clone)]
pub(crate) struct PageTools {
    pub(crate) environment: Environment,
    toolchain: WasmToolchain,
}

impl PageTools {
    /// Sets up whatever is missing.
    pub(crate) fn ensure(project: &Project, consent: Consent) -> Result<Self> {
        Self::install(project, Self::prepare(project, consent)?)
    }

    /// The part that may install system packages, and so may ask.
    pub(crate) fn prepare(project: &Project, consent: Consent) -> Result<WasmToolchain> {
        tools::ensure_npm(project, consent)?;
        WasmToolchain::ensure(project, consent)
    }

    /// The part that takes its time in silence.
    pub(crate) fn install(project: &Project, toolchain: WasmToolchain) -> Result<Self> {
        let mut environment = Environment::default();
        toolchain.apply(&mut environment);
        for tool in [tools::wasm_bindgen(project)?, tools::wasm_opt(), tools::trunk()] {
            environment.search(tool.ensure(project)?);
            if tool.is_wasm_bindgen() {
                environment.set("TRUNK_TOOLS_WASM_BINDGEN", tool.version());
            }
        }
        environment.set("CARGO_TARGET_DIR", project.wasm_target());
        environment.set("TRUNK_SKIP_VERSION_CHECK", "true");
        // Both would replace the flags in .cargo/config.toml.
        environment.remove("RUSTFLAGS");
        environment.remove("CARGO_ENCODED_RUSTFLAGS");
        Ok(Self { environment, toolchain })
    }
}

/// Builds the page, unless `dist/` already holds what these inputs give.
pub(crate) fn build(project: &Project, page_tools: &PageTools) -> Result<()> {
    let _lock = tools::lock(&project.wasm_target())?;
    let inputs = fingerprint(project, page_tools)?;
    let mark = project.wasm_target().join("page-inputs");
    let dist = project.dist();
    if fs::read_to_string(&mark)
        .is_ok_and(|found| mark_of(&inputs, &dist).is_ok_and(|mark| mark == found))
    {
        say("  page: up to date");
        return Ok(());
    }
    // A build that is interrupted must not pass for this one or the one before.
    if mark.exists() {
        fs::remove_file(&mark).with_context(|| format!("cannot remove {}", mark.display()))?;
    }
    fetch(project, page_tools)?;
    // Offline, so that trunk uses the tools it is given or says that it cannot.
    let mut command = program(page_tools.environment.find("trunk"), &project.root);
    command.args(["build", "--release", "--offline", "--log", TRUNK_LOG]);
    page_tools.environment.apply(&mut command);
    Job { name: "page", about: "building for the browser", logs: &project.logs(), limit: None }
        .run(&mut command)?
        .check("trunk build")?;
    report_size(&dist)?;
    fs::write(&mark, mark_of(&inputs, &dist)?)
        .with_context(|| format!("cannot write {}", mark.display()))
}

/// What the page was made of, and the page that names its files: `trunk serve` leaves
/// another one in the same folder.
fn mark_of(inputs: &str, dist: &Path) -> Result<String> {
    let path = dist.join("index.html");
    let page =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(format!("{inputs}\n{page}"))
}

/// Brings the crates of the page here: trunk then needs no network.
fn fetch(project: &Project, tools: &PageTools) -> Result<()> {
    let mut command = program(tools.environment.find("cargo"), &project.root);
    command.args(["fetch", "--target", "wasm32-unknown-unknown"]);
    tools.environment.apply(&mut command);
    Job {
        name: "page crates",
        about: "fetching what the page is built from",
        logs: &project.logs(),
        limit: None,
    }
    .run(&mut command)?
    .check("cargo fetch")
    .map(drop)
}

fn report_size(dist: &Path) -> Result<()> {
    let entries = fs::read_dir(dist).with_context(|| format!("cannot read {}", dist.display()))?;
    for entry in entries {
        let path = entry.context("cannot list the page")?.path();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            let bytes = fs::metadata(&path)
                .with_context(|| format!("cannot read {}", path.display()))?
                .len();
            say(&format!("  page: {} KiB of wasm", bytes / 1024));
            return Ok(());
        }
    }
    bail!("the page was built but {} holds no wasm", dist.display())
}

/// Changes when any input's name or content, or the compiler, changes.
fn fingerprint(project: &Project, tools: &PageTools) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    tools.toolchain.identity(project).hash(&mut hasher);
    for input in INPUTS {
        hash_path(&project.root.join(input), &mut hasher)?;
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn hash_path(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    if path.is_dir() {
        let entries =
            fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut children: Vec<PathBuf> = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<std::io::Result<_>>()
            .with_context(|| format!("cannot list {}", path.display()))?;
        children.sort();
        for child in children {
            hash_path(&child, hasher)?;
        }
    } else if path.is_file() {
        path.hash(hasher);
        fs::read(path).with_context(|| format!("cannot read {}", path.display()))?.hash(hasher);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash_of(path: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        hash_path(path, &mut hasher).unwrap();
        hasher.finish()
    }

    #[test]
    fn a_changed_or_added_file_is_another_input() {
        let folder = std::env::temp_dir().join(format!("xtask-inputs-{}", std::process::id()));
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("src/a.rs"), "1").unwrap();
        let first = hash_of(&folder);
        assert_eq!(first, hash_of(&folder));
        fs::write(folder.join("src/a.rs"), "2").unwrap();
        let changed = hash_of(&folder);
        assert_ne!(first, changed);
        fs::write(folder.join("src/b.rs"), "").unwrap();
        assert_ne!(changed, hash_of(&folder));
        fs::remove_dir_all(&folder).unwrap();
    }
}
