//! The server's binary as a command: what it prints, how it ends.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use tokio::process::Command;

use crate::patience::{COMMAND_DONE, within};
use crate::repository;

/// What a command left.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed to standard output.
    pub stdout: String,
    /// What it printed to standard error.
    pub stderr: String,
}

impl Finished {
    /// The one line on standard error of a command that refused.
    ///
    /// # Panics
    /// If the command succeeded, or said more or less than one line.
    #[must_use]
    pub fn only_line(&self) -> &str {
        assert!(!self.status.success(), "it succeeded: {self:?}");
        let mut lines = self.stderr.lines();
        match (lines.next(), lines.next()) {
            (Some(line), None) => line,
            _ => panic!("expected one line, got {self:?}"),
        }
    }
}

/// The server's binary with none of its variables set, so that nothing of the shell that
/// runs the tests reaches it.
#[must_use]
pub fn edge_server() -> Command {
    let mut command = Command::new(repository::edge_server());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("EDGE_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Runs the server's binary until it ends by itself.
///
/// # Panics
/// If it cannot be started or does not end.
pub async fn run(
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    variables: &[(&str, &str)],
    folder: &Path,
) -> Finished {
    let mut command = edge_server();
    command.args(arguments).envs(variables.iter().copied()).current_dir(folder);
    let output = within("the command ends", COMMAND_DONE, command.output()).await;
    let output = output.expect("the server's binary can be started");
    Finished {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Sends a signal to one process.
///
/// # Panics
/// If the system refuses.
pub async fn signal(pid: u32, name: &str) {
    // The shell's own `kill`, so that no program beside it is needed.
    let status = Command::new("sh")
        .args(["-c", &format!("kill -{name} {pid}")])
        .status()
        .await
        .expect("there is a shell");
    assert!(status.success(), "the process {pid} takes the signal {name}");
}
