//! A Redis of a test's own: a process in a temporary folder that listens on a socket there,
//! writes nothing to disk, and ends with the test.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use redis::FromRedisValue;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::command;
use crate::patience::{REDIS_READY, SERVER_KILLED, within};
use crate::repository;

/// What stands in the line that says that it listens.
const READY: &str = "eady to accept connections";

/// A running Redis. Dropping it ends it.
#[derive(Debug)]
pub struct Redis {
    folder: TempDir,
    arguments: Vec<String>,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    // Held, so that the server can go on writing to it.
    _stdout: Lines<BufReader<ChildStdout>>,
}

impl Redis {
    /// Starts an empty one and waits until it listens.
    ///
    /// # Panics
    /// If it is not there or does not come up.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts an empty one with arguments beside the harness' own.
    ///
    /// # Panics
    /// If it is not there or does not come up.
    pub async fn start_with(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a temporary folder");
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let mut redis = Self { folder, arguments, process: None };
        redis.start_again().await;
        redis
    }

    /// Starts one that was killed again: empty, as nothing of it is on disk.
    ///
    /// # Panics
    /// If it runs, is not there, or does not come up.
    pub async fn start_again(&mut self) {
        assert!(self.process.is_none(), "the Redis has not been stopped");
        let program = repository::redis_server();
        let mut child = Command::new(&program)
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no"])
            .arg("--unixsocket")
            .arg(self.socket())
            .arg("--dir")
            .arg(self.folder.path())
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "{}: {error}; `cargo xtask test` installs it, and so does \
                     `apt-get install redis-server`; or name it in AETHER_REDIS_SERVER",
                    program.display()
                )
            });
        let stdout = child.stdout.take().expect("its output is a pipe");
        let mut lines = BufReader::new(stdout).lines();
        let mut said = Vec::new();
        let ready = async {
            while let Ok(Some(line)) = lines.next_line().await {
                if line.contains(READY) {
                    return true;
                }
                said.push(line);
            }
            false
        };
        let listens = within("redis-server listens", REDIS_READY, ready).await;
        assert!(listens, "redis-server ended instead of listening:\n{}", said.join("\n"));
        self.process = Some(Process { child, _stdout: lines });
    }

    /// Where it listens.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("redis.sock")
    }

    /// Its address, as in `EDGE_REDIS_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    fn pid(&self) -> u32 {
        let process = self.process.as_ref().expect("the Redis runs");
        process.child.id().expect("the Redis runs")
    }

    /// Ends it as a crash would, with all that it held.
    ///
    /// # Panics
    /// If it is not running.
    pub async fn kill9(&mut self) {
        let mut process = self.process.take().expect("the Redis runs");
        process.child.start_kill().expect("one's own child can be killed");
        within("a killed Redis is gone", SERVER_KILLED, process.child.wait())
            .await
            .expect("the Redis can be waited for");
    }

    /// Stops the process where it is, as a machine that is gone from the network would look,
    /// until it may [go on](Self::go_on).
    ///
    /// # Panics
    /// If it is not running.
    pub async fn pause(&self) {
        command::signal(self.pid(), "STOP").await;
    }

    /// Lets a paused process go on.
    ///
    /// # Panics
    /// If it is not running.
    pub async fn go_on(&self) {
        command::signal(self.pid(), "CONT").await;
    }

    /// Runs a command over a connection of its own, as a person with `redis-cli` would.
    ///
    /// # Panics
    /// If the server refuses it, or answers in another shape.
    pub async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let client = redis::Client::open(self.url()).expect("the address is one");
        let mut door =
            client.get_multiplexed_async_connection().await.expect("the Redis can be reached");
        let (name, arguments) = words.split_first().expect("a command has a name");
        redis::cmd(name)
            .arg(arguments)
            .query_async(&mut door)
            .await
            .unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }

    /// Every key that holds a text, with the text.
    pub async fn texts(&self) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        for key in self.ask::<Vec<String>>(&["KEYS", "*"]).await {
            if self.ask::<String>(&["TYPE", &key]).await == "string" {
                let text = self.ask(&["GET", &key]).await;
                texts.insert(key, text);
            }
        }
        texts
    }
}
