//! `cargo xtask cluster`: the shape of a deployment on one machine. Postgres, Redis, one login
//! server, two control planes and three game servers, each a process, with one address for
//! players; Ctrl-C stops all of it.
//!
//! A part that ends by itself is started again after a pause, as a process manager would:
//! `cargo xtask cluster kill game-2` lets one see what players notice of it. The data is gone
//! with the cluster.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::paths::Project;
use crate::play;
use crate::postgres::{Group, Postgres};
use crate::process::program;
use crate::progress::{Stopwatch, say};
use crate::redis;
use crate::system::Consent;

/// The page's address.
const PAGE: &str = "127.0.0.1:8080";
/// What game servers carry: each all of the world, as layers of each other.
const ZONES: &str = "dawn/harbor,dusk/harbor";
/// Name, HTTP address and UDP address of the game servers.
const GAMES: [(&str, &str, &str); 3] = [
    ("game-1", "127.0.0.1:8081", "127.0.0.1:4433"),
    ("game-2", "127.0.0.1:8082", "127.0.0.1:4434"),
    ("game-3", "127.0.0.1:8083", "127.0.0.1:4435"),
];
/// Name and address of the control planes.
const CONTROL_PLANES: [(&str, &str); 2] =
    [("control-1", "127.0.0.1:8091"), ("control-2", "127.0.0.1:8092")];
/// The secret of the parts among themselves. They listen on this machine alone.
const SERVICE_TOKEN: &str = "the-service-token-of-a-cluster-for-trying-things";
/// Begins the folder of Redis' socket; the process follows. A socket's path has to be short.
const REDIS_FOLDER: &str = "aether-redis-";

/// How long a part that has ended stays away.
const RESTART_PAUSE: Duration = Duration::from_secs(5);
/// How long parts may take to drain before they are killed.
const DRAINED: Duration = Duration::from_secs(20);
const REDIS_READY: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);

/// Runs the cluster, or does something to one that runs.
pub(crate) fn run(project: &Project, words: &[&str], consent: Consent) -> Result<ExitCode> {
    match words {
        [] => up(project, consent),
        ["kill", name] => kill(project, name),
        _ => bail!("say `cargo xtask cluster`, or `cargo xtask cluster kill NAME` beside it"),
    }
}

fn up(project: &Project, consent: Consent) -> Result<ExitCode> {
    let stopping = Arc::new(AtomicBool::new(false));
    let postgres = Postgres::ensure(project, consent)?;
    let redis_server = redis::ensure(project, consent)?;
    play::build(project, consent)?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stopping))
            .context("cannot listen for signals")?;
    }
    // In groups of their own: a terminal's Ctrl-C reaches this program alone, so that the
    // parts have saved before their stores go.
    let postgres = postgres.start(project, Group::Own)?;
    let redis = Redis::start(&redis_server)?;
    let stores = [
        ("EDGE_DATABASE_URL", postgres.url().to_string_lossy().into_owned()),
        ("EDGE_REDIS_URL", redis.url()),
        ("EDGE_SERVICE_TOKEN", SERVICE_TOKEN.to_owned()),
    ];
    let mut parts: Vec<Part> = parts().into_iter().map(|part| part.with(&stores)).collect();
    let pids = pids(project);
    fs::create_dir_all(&pids).with_context(|| format!("cannot create {}", pids.display()))?;
    for part in &mut parts {
        part.start(project)?;
    }
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    say(&format!(
        "open http://{PAGE} (Ctrl-C stops all of it; `cargo xtask cluster kill NAME` in another \
         terminal kills one of {})",
        names.join(", ")
    ));
    while !stopping.load(Ordering::Relaxed) {
        for part in &mut parts {
            part.look_after(project)?;
        }
        thread::sleep(POLL);
    }
    let all_drained = drain(&mut parts);
    let _ = fs::remove_dir_all(&pids);
    Ok(if all_drained { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One process of the backend.
#[derive(Debug)]
struct Part {
    name: &'static str,
    role: &'static str,
    variables: Vec<(&'static str, String)>,
    child: Option<Child>,
    /// Runs since its end, until it is started again.
    away: Option<Stopwatch>,
}

/// All parts, with what sets them apart.
fn parts() -> Vec<Part> {
    let control_planes: Vec<String> =
        CONTROL_PLANES.iter().map(|(_, address)| format!("http://{address}")).collect();
    let peers = ("EDGE_CONTROL_PLANE_URLS", control_planes.join(","));
    let new = |name, role, variables| Part { name, role, variables, child: None, away: None };
    let mut parts: Vec<Part> = CONTROL_PLANES
        .iter()
        .map(|&(name, address)| {
            new(name, "control-plane", vec![("EDGE_HTTP_ADDR", address.to_owned())])
        })
        .collect();
    parts.push(new("login", "login", vec![peers.clone(), ("EDGE_HTTP_ADDR", PAGE.to_owned())]));
    parts.extend(GAMES.iter().map(|&(name, http, realtime)| {
        new(
            name,
            "game",
            vec![
                peers.clone(),
                ("EDGE_INSTANCE_ID", name.to_owned()),
                ("EDGE_ZONES", ZONES.to_owned()),
                ("EDGE_HTTP_ADDR", http.to_owned()),
                ("EDGE_REALTIME_ADDR", realtime.to_owned()),
            ],
        )
    }));
    parts
}

impl Part {
    fn with(mut self, variables: &[(&'static str, String)]) -> Self {
        self.variables.extend_from_slice(variables);
        self
    }

    fn start(&mut self, project: &Project) -> Result<()> {
        let mut command = program(project.edge_server(), &project.root);
        command.args(["serve", "--role", self.role]);
        play::default_path(&mut command, "EDGE_STATIC_DIR", &project.dist());
        play::default_path(&mut command, "EDGE_WORLD_DIR", &play::world(project));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        // A terminal's Ctrl-C is not theirs: they are told in turn, and told twice they would
        // end without saving.
        command.process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .with_context(|| format!("cannot start {}", project.edge_server().display()))?;
        tell_all(self.name, child.stdout.take());
        tell_all(self.name, child.stderr.take());
        let file = pid_file(project, self.name);
        fs::write(&file, child.id().to_string())
            .with_context(|| format!("cannot write {}", file.display()))?;
        self.child = Some(child);
        Ok(())
    }

    /// Notices its end, and starts it again when that is due.
    fn look_after(&mut self, project: &Project) -> Result<()> {
        if let Some(child) = &mut self.child
            && let Some(status) = child.try_wait().context("cannot wait for a part")?
        {
            say(&format!(
                "{} ended with {status}; it is started again in {} s",
                self.name,
                RESTART_PAUSE.as_secs()
            ));
            self.child = None;
            self.away = Some(Stopwatch::start());
        }
        if self.away.is_some_and(|away| away.elapsed() >= RESTART_PAUSE) {
            self.away = None;
            self.start(project)?;
        }
        Ok(())
    }
}

/// Lets every part save and end: game servers first, while those that they ask still answer.
/// Whether all did.
fn drain(parts: &mut [Part]) -> bool {
    let begun = Stopwatch::start();
    let mut all_drained = true;
    for part in parts.iter_mut().rev() {
        let Some(mut child) = part.child.take() else { continue };
        signal("-TERM", &child.id().to_string());
        loop {
            match child.try_wait() {
                Ok(Some(_)) => break,
                Ok(None) if begun.elapsed() < DRAINED => thread::sleep(POLL),
                Ok(None) | Err(_) => {
                    say(&format!("{} does not end and is killed", part.name));
                    let _ = child.kill();
                    let _ = child.wait();
                    all_drained = false;
                    break;
                }
            }
        }
    }
    all_drained
}

/// Ends a part of a running cluster as a crash would.
fn kill(project: &Project, name: &str) -> Result<ExitCode> {
    let file = pid_file(project, name);
    let Ok(pid) = fs::read_to_string(&file) else {
        let names: Vec<&str> = parts().iter().map(|part| part.name).collect();
        bail!(
            "no part {name} runs: start `cargo xtask cluster`, and name one of {}",
            names.join(", ")
        )
    };
    if !signal("-KILL", pid.trim()) {
        bail!("{name} has ended already; it is started again in a moment");
    }
    say(&format!("{name} is killed"));
    Ok(ExitCode::SUCCESS)
}

fn signal(signal: &str, pid: &str) -> bool {
    let sent = Command::new("kill").arg(signal).arg(pid).stderr(Stdio::null()).status();
    sent.is_ok_and(|status| status.success())
}

fn pids(project: &Project) -> PathBuf {
    project.target.join("cluster")
}

fn pid_file(project: &Project, name: &str) -> PathBuf {
    pids(project).join(format!("{name}.pid"))
}

/// Prints what a part says, each line behind its name.
fn tell_all(name: &'static str, output: Option<impl Read + Send + 'static>) {
    let Some(output) = output else { return };
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            println!("{}", prefixed(name, &line));
        }
    });
}

fn prefixed(name: &str, line: &str) -> String {
    format!("{name:<9} | {line}")
}

/// A Redis on a socket in a folder of its own, empty, until it is dropped.
#[derive(Debug)]
struct Redis {
    server: Child,
    folder: PathBuf,
}

impl Redis {
    fn start(program: &Path) -> Result<Self> {
        let folder = env::temp_dir().join(format!("{REDIS_FOLDER}{}", std::process::id()));
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let server = Command::new(program)
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no"])
            .arg("--unixsocket")
            .arg(folder.join("redis.sock"))
            .arg("--dir")
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let redis = Self { server, folder };
        let begun = Stopwatch::start();
        while !redis.socket().exists() {
            if begun.elapsed() > REDIS_READY {
                bail!("redis-server does not listen on {}", redis.socket().display());
            }
            thread::sleep(POLL);
        }
        Ok(redis)
    }

    fn socket(&self) -> PathBuf {
        self.folder.join("redis.sock")
    }

    fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_cluster_has_every_role_and_no_address_twice() {
        let parts = parts();
        let count = |role| parts.iter().filter(|part| part.role == role).count();
        assert_eq!((count("login"), count("control-plane"), count("game")), (1, 2, 3));
        let addresses: Vec<&String> = parts
            .iter()
            .flat_map(|part| &part.variables)
            .filter(|(name, _)| name.ends_with("_ADDR"))
            .map(|(_, address)| address)
            .collect();
        let distinct: BTreeSet<&String> = addresses.iter().copied().collect();
        assert_eq!(distinct.len(), addresses.len());
        assert!(parts.iter().filter(|part| part.role != "control-plane").all(|part| {
            part.variables.iter().any(|(name, _)| *name == "EDGE_CONTROL_PLANE_URLS")
        }));
    }

    #[test]
    fn lines_stand_behind_the_name_of_their_part() {
        assert_eq!(prefixed("login", "ready"), "login     | ready");
        assert_eq!(prefixed("control-1", "ready"), "control-1 | ready");
    }
}
