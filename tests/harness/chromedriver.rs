//! The browser's driver as a process of its own on a free port.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::browser::{Browser, Viewport};
use crate::patience::{DRIVER_READY, within};
use crate::repository;

/// What stands before the port in the line that says that it listens.
const STARTED: &str = "started successfully on port ";

/// A running chromedriver. Dropping it ends it; browsers that it opened have to be
/// [closed](Browser::close) before.
#[derive(Debug)]
pub struct Chromedriver {
    // Ends with it.
    _child: Child,
    // Held, so that the driver can go on writing to it.
    _stdout: Lines<BufReader<ChildStdout>>,
    url: String,
}

impl Chromedriver {
    /// Starts it and waits until it listens.
    ///
    /// # Panics
    /// If it is not there or does not come up.
    pub async fn start() -> Self {
        let program = repository::chromedriver();
        let mut child = Command::new(&program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{}: {error}; name it in AETHER_CHROMEDRIVER", program.display())
            });
        let stdout = child.stdout.take().expect("its output is a pipe");
        let mut lines = BufReader::new(stdout).lines();
        let started = async {
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some((_, port)) = line.split_once(STARTED) {
                    return Some(port.trim_end_matches('.').to_owned());
                }
            }
            None
        };
        let port = within("chromedriver listens", DRIVER_READY, started).await;
        let port = port.expect("chromedriver says on which port it listens");
        Self { _child: child, _stdout: lines, url: format!("http://127.0.0.1:{port}") }
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Opens a browser; `journey` begins the names of its pictures.
    pub async fn open(&self, journey: &str, viewport: Viewport) -> Browser {
        Browser::open(self, journey, viewport).await
    }
}
