//! `cargo xtask play`: the page and the server, built side by side, then the server
//! in the foreground until it ends.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::page::{self, PageTools};
use crate::paths::Project;
use crate::process::{Job, program};
use crate::progress::{Stopwatch, in_seconds, say};
use crate::system::Consent;

const POLL: Duration = Duration::from_millis(50);

/// Builds what is not up to date and plays: the exit code is the server's.
pub(crate) fn run(project: &Project, consent: Consent) -> Result<ExitCode> {
    build(project, consent)?;
    serve(project)
}

/// Builds the page and the server, side by side, where they are not up to date.
pub(crate) fn build(project: &Project, consent: Consent) -> Result<()> {
    let clock = Stopwatch::start();
    // What may ask a question comes before what runs side by side.
    let toolchain = PageTools::prepare(project, consent)?;
    thread::scope(|scope| {
        let page = scope.spawn(|| {
            let tools = PageTools::install(project, toolchain)?;
            page::build(project, &tools)
        });
        let server = build_server(project);
        let page =
            page.join().map_err(|_| anyhow!("the thread that built the page panicked")).flatten();
        server.and(page)
    })?;
    say(&format!("built in {}; starting (Ctrl-C stops it)", in_seconds(clock.elapsed())));
    Ok(())
}

/// Builds the server as [`Project::edge_server`] has it.
pub(crate) fn build_server(project: &Project) -> Result<()> {
    let mut command = program("cargo", &project.root);
    command.args(["build", "--package", "edge-server"]).env("CARGO_TARGET_DIR", &project.target);
    Job { name: "server", about: "building the server", logs: &project.logs(), limit: None }
        .run(&mut command)?
        .check("cargo build --package edge-server")
        .map(drop)
}

fn serve(project: &Project) -> Result<ExitCode> {
    // A terminal's Ctrl-C reaches the server by itself; here it is only noted, so that
    // this program outlives the server and can tell how it ended. SIGTERM comes to
    // this process alone and is passed on.
    let interrupted = Arc::new(AtomicBool::new(false));
    let terminated = Arc::new(AtomicBool::new(false));
    for (signal, flag) in [(SIGINT, &interrupted), (SIGTERM, &terminated)] {
        signal_hook::flag::register(signal, Arc::clone(flag))
            .context("cannot listen for signals")?;
    }
    let mut command = program(project.edge_server(), &project.root);
    command.args(["serve", "--role", "all"]);
    default_path(&mut command, "EDGE_STATIC_DIR", &project.dist());
    default_path(&mut command, "EDGE_WORLD_DIR", &world(project));
    let mut server = command
        .spawn()
        .with_context(|| format!("cannot start {}", project.edge_server().display()))?;
    loop {
        if let Some(status) = server.try_wait().context("cannot wait for the server")? {
            return Ok(exit_code(status));
        }
        if terminated.swap(false, Ordering::Relaxed) {
            pass_on_termination(&server);
        }
        thread::sleep(POLL);
    }
}

pub(crate) fn world(project: &Project) -> PathBuf {
    project.root.join("shared").join("world")
}

/// What the person has set stays.
pub(crate) fn default_path(command: &mut Command, key: &str, path: &Path) {
    if env::var_os(key).is_none() {
        command.env(key, path);
    }
}

fn pass_on_termination(server: &Child) {
    let sent = Command::new("kill").arg("-TERM").arg(server.id().to_string()).status();
    if !sent.is_ok_and(|status| status.success()) {
        say("the server could not be told to stop; it may have ended already");
    }
}

/// A program's own code; one that a signal ended counts as 128 and the signal,
/// as shells have it.
pub(crate) fn exit_code(status: std::process::ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1);
    ExitCode::from(code)
}
