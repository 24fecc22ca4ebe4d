//! Runs other programs: their output goes to a log file, its tail is shown when they
//! fail, and they start without what Cargo put into this program's environment.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::progress::{Step, Stopwatch};

const POLL: Duration = Duration::from_millis(50);
const TAIL_LINES: usize = 40;
const TEST_TAIL_LINES: usize = 200;

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    /// All that it printed.
    pub(crate) output: String,
    log: PathBuf,
    how: String,
}

impl Ended {
    /// The end of the output, and where all of it is.
    pub(crate) fn explain(&self) -> String {
        self.tail(TAIL_LINES)
    }

    /// The same for tests, of which several may have failed.
    pub(crate) fn explain_tests(&self) -> String {
        self.tail(TEST_TAIL_LINES)
    }

    fn tail(&self, wanted: usize) -> String {
        let lines: Vec<&str> = self.output.lines().collect();
        let skipped = lines.len().saturating_sub(wanted);
        format!(
            "{}; the end of {}:\n    {}",
            self.how,
            self.log.display(),
            lines.get(skipped..).unwrap_or_default().join("\n    ")
        )
    }

    /// Success, or an error that carries the end of the output.
    pub(crate) fn check(self, name: &str) -> Result<String> {
        if self.success { Ok(self.output) } else { bail!("{name} {}", self.explain()) }
    }
}

/// A program to run under a name, with a log in `logs`.
#[derive(Debug)]
pub(crate) struct Job<'a> {
    pub(crate) name: &'a str,
    pub(crate) about: &'a str,
    pub(crate) logs: &'a Path,
    /// After this time the program is ended, which counts as its failure.
    pub(crate) limit: Option<Duration>,
}

impl Job<'_> {
    /// Runs the program and says how it went. An error means that it did not start.
    pub(crate) fn run(&self, command: &mut Command) -> Result<Ended> {
        fs::create_dir_all(self.logs)
            .with_context(|| format!("cannot create {}", self.logs.display()))?;
        let log = self.logs.join(format!("{}.log", self.name.replace(' ', "-")));
        let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let errors = file.try_clone().context("cannot share the log file")?;
        let step = Step::start(self.name, self.about, Some(&log));
        let clock = Stopwatch::start();
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = quiet(command)
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let status = loop {
            if let Some(status) = child.try_wait().context("cannot wait for a program")? {
                break Some(status);
            }
            if self.limit.is_some_and(|limit| clock.elapsed() >= limit) {
                // It may end by itself between the look and the kill.
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            thread::sleep(POLL);
        };
        let output = String::from_utf8_lossy(
            &fs::read(&log).with_context(|| format!("cannot read {}", log.display()))?,
        )
        .into_owned();
        let ended = Ended {
            success: status.is_some_and(|status| status.success()),
            output,
            log,
            how: describe(status),
        };
        step.finish(if ended.success { "done" } else { "FAILED" });
        Ok(ended)
    }
}

fn describe(status: Option<ExitStatus>) -> String {
    match status {
        Some(status) => format!("ended with {status}"),
        None => "took too long and was ended".to_owned(),
    }
}

/// Output without colours and bars, which a log file cannot show.
fn quiet(command: &mut Command) -> &mut Command {
    command
        .env("CARGO_TERM_COLOR", "never")
        .env("CARGO_TERM_PROGRESS_WHEN", "never")
        // Trunk takes nothing but a boolean here.
        .env("NO_COLOR", "true")
}

/// A program as the person's own shell would start it: without the variables that
/// `cargo run` set for this one, some of which make build scripts run again.
pub(crate) fn program(name: impl AsRef<std::ffi::OsStr>, folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.current_dir(folder);
    for (key, _) in env::vars_os() {
        let Some(key) = key.to_str() else { continue };
        let from_cargo = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_"]
            .iter()
            .any(|prefix| key.starts_with(prefix));
        if from_cargo || ["CARGO", "CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE"].contains(&key) {
            command.env_remove(key);
        }
    }
    if let Some(libraries) = env::var_os("LD_LIBRARY_PATH") {
        let kept: Vec<PathBuf> =
            env::split_paths(&libraries).filter(|folder| !of_toolchain(folder)).collect();
        match env::join_paths(&kept) {
            Ok(joined) if !kept.is_empty() => command.env("LD_LIBRARY_PATH", joined),
            _ => command.env_remove("LD_LIBRARY_PATH"),
        };
    }
    command
}

/// Cargo and rustup lead programs to their own libraries by these folders.
fn of_toolchain(folder: &Path) -> bool {
    let text = folder.to_string_lossy();
    folder.as_os_str().is_empty()
        || text.contains("/toolchains/")
        || text.contains("/target/")
        || text.contains("/rustlib/")
}

/// What a program prints on stdout, trimmed; `None` where it is absent or fails.
pub(crate) fn ask(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    if !output.status.success() {
        return None;
    }
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(logs: &Path) -> Job<'_> {
        Job { name: "probe", about: "a test", logs, limit: Some(Duration::from_millis(300)) }
    }

    #[test]
    fn a_failure_carries_the_end_of_the_output() {
        let logs = env::temp_dir().join(format!("xtask-process-{}", std::process::id()));
        let ended = job(&logs).run(Command::new("sh").args(["-c", "seq 100; exit 3"])).unwrap();
        assert!(!ended.success);
        let error = ended.check("probe").unwrap_err().to_string();
        assert!(error.contains("exit status: 3"), "{error}");
        assert!(error.contains("\n    100") && !error.contains("\n    60\n"), "{error}");
        fs::remove_dir_all(&logs).unwrap();
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let logs = env::temp_dir().join(format!("xtask-limit-{}", std::process::id()));
        let ended = job(&logs).run(Command::new("sleep").arg("20")).unwrap();
        assert!(!ended.success);
        assert!(ended.explain().contains("took too long"));
        fs::remove_dir_all(&logs).unwrap();
    }

    #[test]
    fn library_folders_of_toolchains_are_not_inherited() {
        assert!(of_toolchain(Path::new("/home/a/.rustup/toolchains/stable/lib")));
        assert!(!of_toolchain(Path::new("/opt/intel/lib")));
    }
}
