//! The server's binary as a running process of some role, that writes its log to a file.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::command;
use crate::log_tail;
use crate::patience::{SERVER_KILLED, SERVER_READY, SERVER_STOPPED, within};
use crate::repository;

/// What stands before the address in the line that says that it serves.
const READY: &str = " is ready: ";
/// What stands between, where the address is one for players.
const OPEN: &str = "open ";

/// A process that serves. Dropping it ends it at once.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    // Held, so that the server can go on writing to it.
    _stdout: Lines<BufReader<ChildStdout>>,
    address: String,
}

impl Process {
    /// Starts a role on free ports in a folder and waits until it serves. The variables win
    /// over what is set here.
    pub(crate) async fn start(
        role: &str,
        folder: &Path,
        log: &Path,
        variables: &BTreeMap<String, String>,
    ) -> Self {
        let stderr = File::options().create(true).append(true).open(log);
        let mut command = command::edge_server();
        command
            .args(["serve", "--role", role])
            .env("EDGE_HTTP_ADDR", "127.0.0.1:0")
            .env("EDGE_REALTIME_ADDR", "127.0.0.1:0")
            .env("EDGE_WORLD_DIR", repository::world_dir())
            .env("EDGE_STATIC_DIR", repository::dist())
            .envs(variables)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(stderr.expect("the log can be written"));
        let mut child = command.spawn().expect("the server's binary can be started");
        let stdout = child.stdout.take().expect("its output is a pipe");
        let mut lines = BufReader::new(stdout).lines();
        let ready = async {
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some((_, address)) = line.split_once(READY) {
                    return Some(address.strip_prefix(OPEN).unwrap_or(address).to_owned());
                }
            }
            None
        };
        match tokio::time::timeout(SERVER_READY, ready).await {
            Ok(Some(address)) => Self { child, _stdout: lines, address },
            Ok(None) => {
                panic!("role {role} ended instead of serving:\n{}", log_tail::of(log))
            }
            Err(_) => {
                panic!("role {role} was not ready in {SERVER_READY:?}:\n{}", log_tail::of(log))
            }
        }
    }

    /// Where it serves HTTP, such as `http://127.0.0.1:40001`.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Its id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id().expect("the server runs")
    }

    /// Sends it a signal.
    pub(crate) async fn signal(&self, name: &str) {
        command::signal(self.pid(), name).await;
    }

    /// Waits until it has ended; a panic shows the end of its log.
    pub(crate) async fn ended(&mut self, log: &Path) -> ExitStatus {
        match tokio::time::timeout(SERVER_STOPPED, self.child.wait()).await {
            Ok(status) => status.expect("the server can be waited for"),
            Err(_) => panic!("still running after {SERVER_STOPPED:?}:\n{}", log_tail::of(log)),
        }
    }

    /// Ends it as a crash would.
    pub(crate) async fn kill9(mut self) {
        self.child.start_kill().expect("one's own child can be killed");
        within("a killed server is gone", SERVER_KILLED, self.child.wait())
            .await
            .expect("the server can be waited for");
    }
}
