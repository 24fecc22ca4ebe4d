//! A browser's driver as a process of its own on a free port.

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::patience::{DRIVER_ENDED, DRIVER_READY, within};

/// What a program has printed and nobody has looked at yet.
type Output = Arc<Mutex<Vec<String>>>;

/// A running driver. Dropping it asks it to end, and it ends the browsers that it opened.
#[derive(Debug)]
pub(crate) struct Driver {
    child: Child,
    url: String,
    output: Output,
    readers: [JoinHandle<()>; 2],
}

impl Driver {
    /// Starts a driver and waits until it listens: until it prints `listening`, behind which
    /// the port stands.
    ///
    /// # Panics
    /// If it is not there or does not come up; `variable` names it.
    pub(crate) async fn start(program: &Path, variable: &str, listening: &str) -> Self {
        let mut child = Command::new(program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("{}: {error}; name it in {variable}", program.display())
            });
        let output = Output::default();
        let stderr = child.stderr.take().expect("its errors are a pipe");
        let errors = tokio::spawn(keep(BufReader::new(stderr).lines(), output.clone()));
        let stdout = child.stdout.take().expect("its output is a pipe");
        let mut lines = BufReader::new(stdout).lines();
        let started = async {
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some((_, port)) = line.split_once(listening) {
                    return Some(port.trim().trim_end_matches('.').to_owned());
                }
            }
            None
        };
        let port = within("the driver listens", DRIVER_READY, started).await;
        let port = port.expect("the driver says on which port it listens");
        let rest = tokio::spawn(keep(lines, output.clone()));
        let url = format!("http://127.0.0.1:{port}");
        Self { child, url, output, readers: [errors, rest] }
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Lines that it and its browsers have printed since the last look.
    pub(crate) fn output(&self) -> Vec<String> {
        std::mem::take(&mut *self.output.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends it; gives what was printed since the last look.
    pub(crate) async fn end(mut self) -> Vec<String> {
        ask_to_end(&self.child);
        for reader in &mut self.readers {
            // The pipe closes with the last process that writes to it.
            let read = within("the driver and its browser end", DRIVER_ENDED, reader).await;
            read.expect("reading does not panic");
        }
        self.output()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        ask_to_end(&self.child);
    }
}

/// Not a kill: a driver that is killed leaves its browsers behind.
fn ask_to_end(driver: &Child) {
    if let Some(pid) = driver.id() {
        // One that has ended by itself is not there to be asked.
        let _ = std::process::Command::new("sh")
            .args(["-c", &format!("kill -TERM {pid}")])
            .stderr(Stdio::null())
            .status();
    }
}

async fn keep(mut lines: Lines<impl AsyncBufRead + Unpin>, output: Output) {
    while let Ok(Some(line)) = lines.next_line().await {
        output.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}
