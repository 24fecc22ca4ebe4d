//! The programs that builds and tests use and that Cargo does not bring: which
//! versions, where they are found, and how they get into the cache folder.
//!
//! A matching program on the search path is used as it is. Everything else is built
//! from its package once and stamped with its version and recipe.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo_lock::locked_version;
use crate::paths::{Project, find_program};
use crate::process::{Job, ask, program};
use crate::progress::say;
use crate::system::{self, Consent, Manager, Need};

/// Raised when a tool is to be built in another way, which makes it built again.
const RECIPE: u32 = 1;

const TRUNK: &str = "0.21.14";
const NEXTEST: &str = "0.9.143";
const GECKODRIVER: &str = "0.37.1";
const BINARYEN: &str = "132.0.0";
/// Older ones do not know what rustc's wasm32 target uses.
const BINARYEN_OLDEST: u32 = 119;

/// A program kept in the cache folder.
#[derive(Debug)]
pub(crate) struct Tool {
    /// The program's name, and its package's where no other is given.
    program: &'static str,
    package: &'static str,
    version: String,
    source: Source,
    /// Whether a version found on the search path will do.
    accepts: fn(found: &str, wanted: &str) -> bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A crate, with the arguments that its installation takes.
    Crate(&'static [&'static str]),
    Npm,
}

/// Bundles the page. Built without TLS: it has nothing to download.
pub(crate) fn trunk() -> Tool {
    Tool {
        program: "trunk",
        package: "trunk",
        version: TRUNK.to_owned(),
        source: Source::Crate(&["--locked", "--no-default-features"]),
        accepts: |found, _| found.starts_with("0.21."),
    }
}

/// Makes JavaScript bindings and runs tests in browsers. Its version and that of the
/// library have to be the same.
pub(crate) fn wasm_bindgen(project: &Project) -> Result<Tool> {
    Ok(Tool {
        program: "wasm-bindgen",
        package: "wasm-bindgen-cli",
        version: locked_version(&project.root, "wasm-bindgen")?,
        source: Source::Crate(&[]),
        accepts: |found, wanted| found == wanted,
    })
}

/// Runs the host's tests.
pub(crate) fn nextest() -> Tool {
    Tool {
        program: "cargo-nextest",
        package: "cargo-nextest",
        version: NEXTEST.to_owned(),
        source: Source::Crate(&[
            "--locked",
            "--no-default-features",
            "--features=default-no-update",
        ]),
        accepts: |found, _| found.starts_with("0.9."),
    }
}

/// Drives Firefox.
pub(crate) fn geckodriver() -> Tool {
    Tool {
        program: "geckodriver",
        package: "geckodriver",
        version: GECKODRIVER.to_owned(),
        source: Source::Crate(&["--locked"]),
        accepts: |found, _| found.starts_with("0.37."),
    }
}

/// Makes the page smaller.
pub(crate) fn wasm_opt() -> Tool {
    Tool {
        program: "wasm-opt",
        package: "binaryen",
        version: BINARYEN.to_owned(),
        source: Source::Npm,
        accepts: |found, _| {
            found
                .split('.')
                .next()
                .and_then(|major| major.parse::<u32>().ok())
                .is_some_and(|major| major >= BINARYEN_OLDEST)
        },
    }
}

impl Tool {
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Whether trunk has to be told this tool's version.
    pub(crate) fn is_wasm_bindgen(&self) -> bool {
        self.program == "wasm-bindgen"
    }

    /// The folder that holds the program, after installing it where it is missing.
    pub(crate) fn ensure(&self, project: &Project) -> Result<PathBuf> {
        if let Some(folder) = self.present(project) {
            return Ok(folder);
        }
        let _lock = lock(&project.cache)?;
        if let Some(folder) = self.present(project) {
            return Ok(folder);
        }
        let home = self.home(project);
        match self.source {
            Source::Crate(arguments) => self.install_crate(project, &home, arguments)?,
            Source::Npm => self.install_npm(project, &home)?,
        }
        let programs = self.programs(project);
        if !programs.join(self.program).exists() {
            bail!(
                "{} {} was installed but brought no {}",
                self.package,
                self.version,
                programs.join(self.program).display()
            );
        }
        stamp(&home, &self.stamp())?;
        Ok(programs)
    }

    /// The folder that holds the program, where it is already here.
    fn present(&self, project: &Project) -> Option<PathBuf> {
        self.on_search_path()
            .or_else(|| stamped(&self.home(project), &self.stamp()).then(|| self.programs(project)))
    }

    fn home(&self, project: &Project) -> PathBuf {
        project.cache.join("tools").join(format!("{}-{}", self.package, self.version))
    }

    fn programs(&self, project: &Project) -> PathBuf {
        let home = self.home(project);
        match self.source {
            Source::Crate(_) => home.join("bin"),
            Source::Npm => home.join("node_modules").join(".bin"),
        }
    }

    fn on_search_path(&self) -> Option<PathBuf> {
        let found = find_program(self.program)?;
        let mut command = Command::new(&found);
        if self.program == "cargo-nextest" {
            command.arg("nextest");
        }
        let version = version_in(&ask(command.arg("--version"))?)?;
        if !(self.accepts)(&version, &self.version) {
            return None;
        }
        found.parent().map(Path::to_path_buf)
    }

    fn stamp(&self) -> String {
        format!("{} {} recipe {RECIPE}\n", self.package, self.version)
    }

    fn install_crate(&self, project: &Project, home: &Path, arguments: &[&str]) -> Result<()> {
        let mut command = program("cargo", &project.cache);
        command
            .args(["install", self.package, "--version", &self.version, "--force"])
            .args(arguments)
            .arg("--root")
            .arg(home)
            // Built fast rather than to be fast: each works on small inputs.
            .env("CARGO_TARGET_DIR", project.cache.join("tools").join("target"))
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo")
            .env_remove("CARGO_BUILD_TARGET")
            .env_remove("RUSTFLAGS");
        Job {
            name: self.package,
            about: &format!("building version {}, once", self.version),
            logs: &project.cache.join("logs"),
            limit: None,
        }
        .run(&mut command)?
        .check(&format!("cargo install {}", self.package))
        .map(drop)
    }

    fn install_npm(&self, project: &Project, home: &Path) -> Result<()> {
        fs::create_dir_all(home).with_context(|| format!("cannot create {}", home.display()))?;
        let mut command = program("npm", home);
        command
            .args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"])
            .arg(home)
            .arg(format!("{}@{}", self.package, self.version));
        Job {
            name: self.package,
            about: &format!("installing version {} with npm, once", self.version),
            logs: &project.cache.join("logs"),
            limit: None,
        }
        .run(&mut command)?
        .check(&format!("npm install {}", self.package))
        .map(drop)
    }
}

/// Makes sure of npm where [`wasm_opt`] is still to come from it.
pub(crate) fn ensure_npm(project: &Project, consent: Consent) -> Result<()> {
    if wasm_opt().present(project).is_some() || find_program("npm").is_some() {
        return Ok(());
    }
    let need = Need {
        purpose: "make the page small (Node.js runs wasm-opt)",
        packages: &[
            (Manager::Apt, &["nodejs", "npm"]),
            (Manager::Dnf, &["nodejs", "nodejs-npm"]),
            (Manager::Pacman, &["nodejs", "npm"]),
            (Manager::Apk, &["nodejs", "npm"]),
            (Manager::Brew, &["node"]),
        ],
    };
    system::install(project, &need, consent)
}

/// Whether `folder` was completed under exactly this stamp.
pub(crate) fn stamped(folder: &Path, stamp: &str) -> bool {
    fs::read_to_string(folder.join("stamp")).is_ok_and(|found| found == stamp)
}

/// Marks `folder` as complete. Written last, so that an interrupted installation is
/// repeated.
pub(crate) fn stamp(folder: &Path, stamp: &str) -> Result<()> {
    let path = folder.join("stamp");
    fs::write(&path, stamp).with_context(|| format!("cannot write {}", path.display()))
}

/// Holds a folder until it is dropped: two commands do not set up or build the same
/// thing at once.
pub(crate) fn lock(folder: &Path) -> Result<File> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join("lock");
    let file = File::create(&path).with_context(|| format!("cannot open {}", path.display()))?;
    if file.try_lock().is_err() {
        say(&format!("waiting for another command that works in {}", folder.display()));
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}

/// The first word of a program's version line that starts with a digit.
fn version_in(text: &str) -> Option<String> {
    text.lines()
        .next()?
        .split_whitespace()
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        let found = |text| version_in(text).unwrap();
        assert_eq!(found("trunk 0.21.14"), "0.21.14");
        assert_eq!(found("wasm-opt version 132 (version_132)"), "132");
        assert_eq!(
            found("cargo-nextest 0.9.143 (60fa45f63 2026-08-04)\nrelease: 0.9.143"),
            "0.9.143"
        );
        assert_eq!(version_in("no version"), None);
    }

    #[test]
    fn only_matching_programs_of_the_search_path_will_do() {
        let trunk = trunk();
        assert!((trunk.accepts)("0.21.9", &trunk.version));
        assert!(!(trunk.accepts)("0.20.3", &trunk.version));
        let wasm_opt = wasm_opt();
        assert!((wasm_opt.accepts)("132", &wasm_opt.version));
        assert!(!(wasm_opt.accepts)("108", &wasm_opt.version));
    }

    #[test]
    fn another_version_or_recipe_is_another_stamp() {
        let folder = std::env::temp_dir().join(format!("xtask-stamp-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut tool = trunk();
        assert!(!stamped(&folder, &tool.stamp()));
        stamp(&folder, &tool.stamp()).unwrap();
        assert!(stamped(&folder, &tool.stamp()));
        tool.version = "0.21.15".to_owned();
        assert!(!stamped(&folder, &tool.stamp()));
        fs::remove_dir_all(&folder).unwrap();
    }
}
