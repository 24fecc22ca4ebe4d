//! A Redis of a test's own: a process in a temporary folder that listens on a socket there,
//! writes nothing to disk, and ends with the test.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use redis::FromRedisValue;
use redis::aio::MultiplexedConnection;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::command;
use crate::patience::{REDIS_READY, SERVER_KILLED, within};
use crate::repository;

/// What stands in the line that says that it listens.
const READY: &str = "eady to accept connections";

/// Lists every key that holds a text, with the text.
const TEXTS: &str = "
    local listed = {}
    for _, key in ipairs(redis.call('KEYS', '*')) do
        if redis.call('TYPE', key).ok == 'string' then
            table.insert(listed, key)
            table.insert(listed, redis.call('GET', key))
        end
    end
    return listed
";

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

    async fn side_door(&self) -> MultiplexedConnection {
        let client = redis::Client::open(self.url()).expect("the address is one");
        client.get_multiplexed_async_connection().await.expect("the Redis can be reached")
    }

    /// Runs a command over a connection of its own, as a person with `redis-cli` would.
    ///
    /// # Panics
    /// If the server refuses it, or answers in another shape.
    pub async fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        ask(&mut self.side_door().await, words).await
    }

    /// Every key, in order.
    pub async fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.ask(&["KEYS", "*"]).await;
        keys.sort();
        keys
    }

    /// Every key that holds a text, with the text, all of one moment.
    ///
    /// # Panics
    /// If the server refuses to tell.
    pub async fn texts(&self) -> BTreeMap<String, String> {
        let listed: Vec<String> = ask(&mut self.side_door().await, &["EVAL", TEXTS, "0"]).await;
        listed.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
    }
}

async fn ask<T: FromRedisValue>(door: &mut MultiplexedConnection, words: &[&str]) -> T {
    let (name, arguments) = words.split_first().expect("a command has a name");
    let asked = redis::cmd(name).arg(arguments).query_async(door).await;
    asked.unwrap_or_else(|error| panic!("{words:?}: {error}"))
}
