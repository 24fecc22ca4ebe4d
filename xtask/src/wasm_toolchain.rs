//! A compiler that can build for wasm32: the one in use with its target added, or,
//! where rustup cannot fetch the target, a toolchain of our own in the cache folder.
//!
//! Our own consists of the distribution's compiler and a standard library built from
//! the distribution's sources. Debian and its descendants package both; it changes
//! nothing outside the cache folder.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::environment::Environment;
use crate::paths::{Project, find_program};
use crate::process::{Job, ask, program};
use crate::progress::say;
use crate::system::{self, Consent, Manager, Need};
use crate::tools::{lock, stamp, stamped};

const TARGET: &str = "wasm32-unknown-unknown";
/// A network that answers at all is done long before.
const RUSTUP_LIMIT: Duration = Duration::from_secs(60);
/// Raised when the toolchain is to be put together in another way.
const RECIPE: u32 = 1;

const PACKAGED_RUSTC: &str = "/usr/bin/rustc";
const PACKAGED_CARGO: &str = "/usr/bin/cargo";
const PACKAGED_CLIPPY: &str = "/usr/bin/cargo-clippy";
const PACKAGED_LINKER: &str = "/usr/bin/rust-lld";

/// What builds for wasm32 here.
#[derive(Debug, Clone)]
pub(crate) enum WasmToolchain {
    /// The compiler that builds for the host, too.
    Host,
    /// Our own, in this folder.
    Own(PathBuf),
}

impl WasmToolchain {
    /// Finds a compiler for wasm32, and sets one up where there is none.
    pub(crate) fn ensure(project: &Project, consent: Consent) -> Result<Self> {
        if host_has_target(project) {
            return Ok(Self::Host);
        }
        let own = project.cache.join("wasm-toolchain");
        if let Some(version) = packaged_version()
            && stamped(&own, &own_stamp(&version))
        {
            return Ok(Self::Own(own));
        }
        if add_target(project)? {
            return Ok(Self::Host);
        }
        say(&format!("rustup could not add {TARGET}; using the distribution's compiler instead"));
        let _lock = lock(&project.cache)?;
        let version = ensure_packaged(project, consent)?;
        if !stamped(&own, &own_stamp(&version)) {
            assemble(project, &own, &version)?;
        }
        Ok(Self::Own(own))
    }

    /// Makes `cargo` and `rustc` mean this toolchain.
    pub(crate) fn apply(&self, environment: &mut Environment) {
        let Self::Own(folder) = self else { return };
        environment.search(folder.join("bin"));
        environment.set("RUSTC", folder.join("bin").join("rustc"));
        environment.remove("RUSTUP_TOOLCHAIN");
    }

    /// Tells builds of different compilers apart.
    pub(crate) fn identity(&self, project: &Project) -> String {
        let mut command = match self {
            Self::Host => program("rustc", &project.root),
            Self::Own(folder) => program(folder.join("bin").join("rustc"), &project.root),
        };
        ask(command.arg("-vV")).unwrap_or_default()
    }
}

fn host_has_target(project: &Project) -> bool {
    ask(program("rustc", &project.root).args(["--print", "target-libdir", "--target", TARGET]))
        .is_some_and(|folder| {
            fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
        })
}

fn add_target(project: &Project) -> Result<bool> {
    if find_program("rustup").is_none() {
        return Ok(false);
    }
    let mut command = program("rustup", &project.root);
    command.args(["target", "add", TARGET]).env("RUSTUP_MAX_RETRIES", "1");
    let ended = Job {
        name: "rustup",
        about: &format!("adding the target {TARGET}"),
        logs: &project.logs(),
        limit: Some(RUSTUP_LIMIT),
    }
    .run(&mut command)?;
    Ok(ended.success && host_has_target(project))
}

fn packaged_version() -> Option<String> {
    ask(Command::new(PACKAGED_RUSTC).arg("-vV"))
}

fn own_stamp(version: &str) -> String {
    format!("recipe {RECIPE}\n{version}\n")
}

/// The distribution's compiler, recent enough, with its sources and its linker.
fn ensure_packaged(project: &Project, consent: Consent) -> Result<String> {
    let complete = || {
        [PACKAGED_RUSTC, PACKAGED_CARGO, PACKAGED_CLIPPY, PACKAGED_LINKER]
            .iter()
            .all(|path| Path::new(path).exists())
            && packaged_library().is_some()
    };
    if !complete() {
        let need = Need {
            purpose: "build the page, since rustup cannot add its target",
            packages: &[(
                Manager::Apt,
                &["rustc-web", "cargo-web", "rust-web-clippy", "rust-web-src", "rust-web-llvm"],
            )],
        };
        system::install(project, &need, consent)
            .with_context(|| format!("no compiler for {TARGET}; `rustup target add {TARGET}` on a machine with a network is the other way"))?;
    }
    if !complete() {
        bail!(
            "the packaged compiler lacks its sources or its linker; \
             `rustup target add {TARGET}` is the other way"
        );
    }
    packaged_version().with_context(|| format!("{PACKAGED_RUSTC} does not run"))
}

/// The sources of the standard library that belong to the packaged compiler.
fn packaged_library() -> Option<PathBuf> {
    let sysroot = ask(Command::new(PACKAGED_RUSTC).args(["--print", "sysroot"]))?;
    let library = PathBuf::from(sysroot).join("lib/rustlib/src/rust/library");
    library.join("Cargo.lock").is_file().then_some(library)
}

/// Builds the standard library and lays out a sysroot around it.
fn assemble(project: &Project, own: &Path, version: &str) -> Result<()> {
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .context("the packaged compiler does not name its host")?;
    if own.exists() {
        fs::remove_dir_all(own).with_context(|| format!("cannot clear {}", own.display()))?;
    }
    let rlibs = build_library(project, own)?;

    let rustlib = own.join("lib").join("rustlib");
    let target_lib = rustlib.join(TARGET).join("lib");
    make_folder(&target_lib)?;
    for rlib in rlibs {
        let name = rlib.file_name().context("a library without a name")?;
        let to = target_lib.join(name);
        fs::copy(&rlib, &to).with_context(|| format!("cannot write {}", to.display()))?;
    }
    // The host's own library builds procedural macros and build scripts; beside it
    // the compiler looks for its linker.
    let host_folder = rustlib.join(host);
    make_folder(&host_folder.join("bin"))?;
    let packaged = Path::new("/usr/lib/rustlib").join(host).join("lib");
    link(&packaged, &host_folder.join("lib"))?;
    link(Path::new(PACKAGED_LINKER), &host_folder.join("bin").join("rust-lld"))?;

    let bin = own.join("bin");
    make_folder(&bin)?;
    let sysroot = shell_quoted(own);
    wrapper(&bin.join("rustc"), &format!("exec {PACKAGED_RUSTC} --sysroot {sysroot} \"$@\""))?;
    wrapper(&bin.join("cargo"), &format!("exec {PACKAGED_CARGO} \"$@\""))?;
    // Clippy's driver, which it finds beside itself, takes its sysroot from here.
    wrapper(
        &bin.join("cargo-clippy"),
        &format!("SYSROOT={sysroot} exec {PACKAGED_CLIPPY} \"$@\""),
    )?;
    let scratch = own.join("build");
    fs::remove_dir_all(&scratch).with_context(|| format!("cannot clear {}", scratch.display()))?;
    stamp(own, &own_stamp(version))?;
    say(&format!(
        "{} now builds for {TARGET} with {}",
        own.display(),
        version.lines().next().unwrap_or_default()
    ));
    Ok(())
}

/// The standard library's rlibs, built from the packaged sources.
fn build_library(project: &Project, own: &Path) -> Result<Vec<PathBuf>> {
    let scratch = own.join("build");
    make_folder(&scratch.join("src"))?;
    let manifest = "[package]\nname = \"empty\"\nedition = \"2024\"\n\n[workspace]\n";
    for (file, text) in [("Cargo.toml", manifest), ("src/lib.rs", "")] {
        let path = scratch.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    let mut command = program(PACKAGED_CARGO, &scratch);
    command
        .args([
            "build",
            "--release",
            "-Zbuild-std=std,panic_abort,panic_unwind,test,proc_macro",
            "--target",
            TARGET,
        ])
        .env("RUSTC", PACKAGED_RUSTC)
        // Building the standard library is unstable in cargo; the sources are the
        // compiler's own.
        .env("RUSTC_BOOTSTRAP", "1")
        // Link-time optimisation of the page reads the library's bitcode.
        .env("RUSTFLAGS", "-Cembed-bitcode=yes")
        .env("CARGO_TARGET_DIR", scratch.join("target"))
        .env_remove("RUSTUP_TOOLCHAIN");
    Job {
        name: "wasm library",
        about: "building Rust's standard library for the page, once",
        logs: &project.cache.join("logs"),
        limit: None,
    }
    .run(&mut command)?
    .check("building the standard library")?;

    let deps = scratch.join("target").join(TARGET).join("release/deps");
    let entries = fs::read_dir(&deps).with_context(|| format!("cannot read {}", deps.display()))?;
    let mut rlibs = Vec::new();
    for entry in entries {
        let path = entry.context("cannot list the library")?.path();
        let ours =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libempty"));
        if path.extension().is_some_and(|extension| extension == "rlib") && !ours {
            rlibs.push(path);
        }
    }
    if rlibs.is_empty() {
        bail!("building the standard library left nothing in {}", deps.display());
    }
    Ok(rlibs)
}

fn make_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))
}

fn link(to: &Path, at: &Path) -> Result<()> {
    symlink(to, at).with_context(|| format!("cannot link {}", at.display()))
}

fn wrapper(path: &Path, line: &str) -> Result<()> {
    fs::write(path, format!("#!/bin/sh\n{line}\n"))
        .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o755)))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn shell_quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}
