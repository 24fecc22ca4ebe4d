//! The Postgres server that tests use: found or installed, started over an empty cluster in a
//! folder of its own, and gone with it at the end.
//!
//! It listens on a socket in that folder alone, so it needs no port and no password, and it
//! keeps nothing safe from a crash, which makes it quick.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::paths::{Project, find_program};
use crate::process::{Job, ask, program};
use crate::progress::{Stopwatch, say};
use crate::system::{self, Consent, Manager, Need};

/// Names the server to tests, as an address whose user may create databases.
pub(crate) const VARIABLE: &str = "AETHER_POSTGRES";

/// Folders of packages that put no server on the search path; `*` is the version.
const FOLDERS: &[(&str, &str)] = &[
    ("/usr/lib/postgresql", "bin"),
    ("/usr/libexec", "."),
    ("/opt/homebrew/opt", "bin"),
    ("/usr/local/opt", "bin"),
];

/// Who runs the server if this program is run by root, which Postgres refuses.
const SERVANTS: [&str; 2] = ["postgres", "nobody"];

/// The only user of the cluster.
const USER: &str = "aether";

/// Begins the names of the folders; the process follows.
const FOLDER: &str = "aether-pg-";

const READY: Duration = Duration::from_secs(30);
const STOPPED: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);

/// Tests want speed, and their data is gone after them.
const SETTINGS: &[&str] = &[
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "autovacuum=off",
    "max_connections=200",
];

/// Whom a terminal's Ctrl-C reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// The server as well as this program, which may end at once.
    Shared,
    /// This program alone, which stops the server when nothing needs it any more.
    Own,
}

/// The folder of the server's programs.
#[derive(Debug, Clone)]
pub(crate) struct Postgres {
    programs: PathBuf,
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    server: Child,
    folder: PathBuf,
}

impl Postgres {
    /// Finds the programs, and installs them where they are missing.
    pub(crate) fn ensure(project: &Project, consent: Consent) -> Result<Self> {
        if let Some(postgres) = Self::find() {
            return Ok(postgres);
        }
        let need = Need {
            purpose: "test the stores on Postgres",
            packages: &[
                (Manager::Apt, &["postgresql"]),
                (Manager::Dnf, &["postgresql-server"]),
                (Manager::Pacman, &["postgresql"]),
                (Manager::Apk, &["postgresql"]),
                (Manager::Brew, &["postgresql@17"]),
            ],
        };
        system::install(project, &need, consent)?;
        Self::find().context(
            "Postgres' initdb is still not found; put the folder that holds it on the search path",
        )
    }

    fn find() -> Option<Self> {
        let has_all = |folder: &PathBuf| {
            ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file())
        };
        let on_path = find_program("initdb").and_then(|found| found.parent().map(Path::to_owned));
        on_path.into_iter().chain(packaged()).find(has_all).map(|programs| Self { programs })
    }

    /// Starts a server over a new cluster.
    pub(crate) fn start(&self, project: &Project, group: Group) -> Result<Server> {
        sweep();
        let folder = env::temp_dir().join(format!("{FOLDER}{}", std::process::id()));
        let servant = Servant::find()?;
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        if let Some(servant) = &servant {
            chown(&folder, Some(servant.user), Some(servant.group))
                .with_context(|| format!("cannot hand over {}", folder.display()))?;
        }
        let data = folder.join("data");
        let mut initdb = self.command("initdb", &folder, servant.as_ref());
        initdb.arg("--pgdata").arg(&data).args(["--username", USER, "--auth=trust"]);
        initdb.args(["--encoding=UTF8", "--locale=C", "--no-sync"]);
        let about = "making an empty database cluster";
        Job { name: "initdb", about, logs: &project.logs(), limit: Some(READY) }
            .run(&mut initdb)?
            .check("initdb")?;

        let log = project.logs().join("postgres.log");
        let output =
            File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let errors = output.try_clone().context("cannot share the log file")?;
        let mut postgres = self.command("postgres", &folder, servant.as_ref());
        postgres.arg("-D").arg(&data).arg("-k").arg(&folder);
        for setting in SETTINGS {
            postgres.args(["-c", setting]);
        }
        if group == Group::Own {
            postgres.process_group(0);
        }
        let server = postgres.stdout(output).stderr(errors).spawn().with_context(|| {
            format!("cannot start {}", self.programs.join("postgres").display())
        })?;
        let mut server = Server { server, folder };
        self.wait_until_ready(&mut server, &log)?;
        Ok(server)
    }

    fn wait_until_ready(&self, server: &mut Server, log: &Path) -> Result<()> {
        let clock = Stopwatch::start();
        loop {
            if let Some(status) = server.server.try_wait().context("cannot wait for Postgres")? {
                bail!("Postgres ended with {status}; see {}", log.display());
            }
            let mut question = Command::new(self.programs.join("pg_isready"));
            question.arg("--host").arg(&server.folder);
            question.args(["--username", USER, "--dbname=postgres"]);
            if ask(&mut question).is_some() {
                return Ok(());
            }
            if clock.elapsed() > READY {
                bail!("Postgres was not ready within {READY:?}; see {}", log.display());
            }
            thread::sleep(POLL);
        }
    }

    fn command(&self, name: &str, folder: &Path, servant: Option<&Servant>) -> Command {
        let mut command = program(self.programs.join(name), folder);
        // Variables of the person's own server would lead to it.
        for (key, _) in env::vars_os() {
            if key.to_string_lossy().starts_with("PG") {
                command.env_remove(key);
            }
        }
        if let Some(servant) = servant {
            command.uid(servant.user).gid(servant.group);
        }
        command
    }
}

impl Server {
    /// Its address, for [`VARIABLE`].
    pub(crate) fn url(&self) -> OsString {
        format!("postgres://{USER}@{}/postgres", encoded(&self.folder)).into()
    }

    fn stop(&mut self) -> Result<()> {
        // At once: nothing of it is needed any more. Its processes end with the first one.
        let sent = Command::new("kill").arg("-QUIT").arg(self.server.id().to_string()).status();
        let clock = Stopwatch::start();
        while sent.is_ok() && clock.elapsed() < STOPPED {
            if self.server.try_wait().context("cannot wait for Postgres")?.is_some() {
                return Ok(());
            }
            thread::sleep(POLL);
        }
        self.server.kill().context("cannot end Postgres")?;
        self.server.wait().map(drop).context("cannot wait for Postgres")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            say(&format!("{error:#}"));
        }
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            say(&format!("cannot remove {}: {error}", self.folder.display()));
        }
    }
}

/// The user that root lends the server to.
#[derive(Debug)]
struct Servant {
    user: u32,
    group: u32,
}

impl Servant {
    /// Nobody if this program is not run by root.
    fn find() -> Result<Option<Self>> {
        let id = |arguments: &[&str]| -> Option<u32> {
            ask(Command::new("id").args(arguments))?.parse().ok()
        };
        if id(&["-u"]) != Some(0) {
            return Ok(None);
        }
        SERVANTS
            .iter()
            .find_map(|name| Some(Self { user: id(&["-u", name])?, group: id(&["-g", name])? }))
            .map(Some)
            .context("Postgres does not run as root, and there is no user `postgres` or `nobody`")
    }
}

/// Removes what earlier processes left that had no time for it. A server that is still there
/// ends by itself once it misses its folder.
fn sweep() {
    let Ok(entries) = fs::read_dir(env::temp_dir()) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(|name| name.strip_prefix(FOLDER)) else {
            continue;
        };
        let is_process = process.bytes().all(|byte| byte.is_ascii_digit());
        if is_process && ask(Command::new("kill").args(["-0", process])).is_none() {
            // Another user's folder is that user's to remove.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Folders that hold the server's programs beside the search path, the newest version first.
fn packaged() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (parent, inner) in FOLDERS {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        found.extend(entries.flatten().filter_map(|entry| {
            let version = version_in(&entry.file_name().to_string_lossy())?;
            Some((version, entry.path().join(inner)))
        }));
    }
    found.sort();
    found.into_iter().rev().map(|(_, folder)| folder).collect()
}

/// `15`, `postgresql17` and `postgresql@17` name a version.
fn version_in(folder: &str) -> Option<u32> {
    folder.strip_prefix("postgresql").unwrap_or(folder).trim_start_matches('@').parse().ok()
}

/// A path in the place of the host, as addresses of Postgres have it.
fn encoded(folder: &Path) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    folder.as_os_str().as_encoded_bytes().iter().fold(String::new(), |text, &byte| {
        if is_plain(byte) {
            text + &char::from(byte).to_string()
        } else {
            format!("{text}%{byte:02X}")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_packages_tell_their_version() {
        for (folder, version) in
            [("15", Some(15)), ("postgresql17", Some(17)), ("postgresql@16", Some(16)), ("a", None)]
        {
            assert_eq!(version_in(folder), version, "{folder}");
        }
    }

    #[test]
    fn a_folder_is_a_host_in_an_address() {
        assert_eq!(encoded(Path::new("/tmp/a b-1.2")), "%2Ftmp%2Fa%20b-1.2");
    }
}
