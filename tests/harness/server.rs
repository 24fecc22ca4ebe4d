//! The real server as a process of its own, in a folder of its own, on free ports.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use crate::api::Api;
use crate::command;
use crate::hero::Hero;
use crate::log_tail;
use crate::patience::{SERVER_KILLED, SERVER_READY, SERVER_STOPPED, within};
use crate::repository;
use crate::store::Store;

/// The system chooses the port.
const ANY_PORT: &str = "127.0.0.1:0";
/// What stands before the address in the line that says that players may come.
const READY: &str = "Aether is ready: open ";

/// A server that is being set up.
#[derive(Debug, Default)]
pub struct Setup {
    variables: BTreeMap<String, String>,
}

impl Setup {
    /// Sets a variable of the server.
    #[must_use]
    pub fn with(mut self, variable: &str, value: impl ToString) -> Self {
        self.variables.insert(variable.to_owned(), value.to_string());
        self
    }

    /// Gives the server addresses that it keeps over a restart, as a deployed one has them:
    /// pages that are open find it again, and may speak to it.
    ///
    /// # Panics
    /// If no addresses are free.
    #[must_use]
    pub fn at_lasting_addresses(self) -> Self {
        let (login, _game) = two_ports_in_a_row();
        let realtime = UdpSocket::bind(ANY_PORT).and_then(|socket| socket.local_addr());
        self.with("EDGE_HTTP_ADDR", login)
            .with("EDGE_REALTIME_ADDR", realtime.expect("a UDP port is free"))
    }

    /// Starts the server and waits until players may come.
    ///
    /// # Panics
    /// With the end of its log, if it does not come up.
    pub async fn start(self) -> Server {
        let folder = tempfile::tempdir().expect("there is room for a temporary folder");
        let process = Process::start(&folder, &self.variables).await;
        Server { folder, variables: self.variables, process: Some(process) }
    }
}

/// Two free TCP addresses on neighbouring ports: the role `all` serves the game role on the
/// port after the login role's.
fn two_ports_in_a_row() -> (SocketAddr, SocketAddr) {
    loop {
        let first = TcpListener::bind(ANY_PORT).expect("a TCP port is free");
        let login = first.local_addr().expect("a bound socket has an address");
        let Some(next) = login.port().checked_add(1) else { continue };
        if let Ok(second) = TcpListener::bind(("127.0.0.1", next)) {
            return (login, second.local_addr().expect("a bound socket has an address"));
        }
    }
}

/// A running server. Dropping it ends it at once; [`Server::stop`] lets it drain.
#[derive(Debug)]
pub struct Server {
    folder: TempDir,
    variables: BTreeMap<String, String>,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    // Held, so that the server can go on writing to it.
    _stdout: Lines<BufReader<ChildStdout>>,
    address: String,
}

impl Process {
    async fn start(folder: &TempDir, variables: &BTreeMap<String, String>) -> Self {
        let log = log_of(folder);
        let stderr = File::options().create(true).append(true).open(&log);
        let mut command = command::edge_server();
        command
            .args(["serve", "--role", "all"])
            .env("EDGE_DATABASE_URL", format!("sqlite://{}", database_of(folder).display()))
            .env("EDGE_HTTP_ADDR", ANY_PORT)
            .env("EDGE_REALTIME_ADDR", ANY_PORT)
            .env("EDGE_WORLD_DIR", repository::world_dir())
            .env("EDGE_STATIC_DIR", repository::dist())
            .envs(variables)
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(stderr.expect("the log can be written"));
        let mut child = command.spawn().expect("the server's binary can be started");
        let stdout = child.stdout.take().expect("its output is a pipe");
        let mut lines = BufReader::new(stdout).lines();
        let ready = async {
            while let Ok(Some(line)) = lines.next_line().await {
                if let Some(address) = line.strip_prefix(READY) {
                    return Some(address.to_owned());
                }
            }
            None
        };
        match tokio::time::timeout(SERVER_READY, ready).await {
            Ok(Some(address)) => Self { child, _stdout: lines, address },
            Ok(None) => panic!("the server ended instead of serving:\n{}", log_tail::of(&log)),
            Err(_) => {
                panic!("the server was not ready in {SERVER_READY:?}:\n{}", log_tail::of(&log))
            }
        }
    }
}

fn log_of(folder: &TempDir) -> PathBuf {
    folder.path().join("server.log")
}

fn database_of(folder: &TempDir) -> PathBuf {
    folder.path().join("aether.sqlite")
}

impl Server {
    /// Starts a server with default limits.
    ///
    /// # Panics
    /// With the end of its log, if it does not come up.
    pub async fn start() -> Self {
        Self::setup().start().await
    }

    /// A server with variables of its own.
    #[must_use]
    pub fn setup() -> Setup {
        Setup::default()
    }

    fn process(&self) -> &Process {
        self.process.as_ref().expect("the server runs")
    }

    /// The origin of the page and of the login role, such as `http://127.0.0.1:40001`.
    ///
    /// # Panics
    /// If the server is not running.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.process().address
    }

    /// `HOST:PORT` of that origin.
    ///
    /// # Panics
    /// If the server is not running.
    #[must_use]
    pub fn http_addr(&self) -> &str {
        self.origin().strip_prefix("http://").expect("a test server speaks plain HTTP")
    }

    /// The process.
    ///
    /// # Panics
    /// If the server is not running.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process().child.id().expect("the server runs")
    }

    /// The server's database file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        database_of(&self.folder)
    }

    /// What the server has logged so far.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(log_of(&self.folder)).unwrap_or_default()
    }

    /// A client of its HTTP.
    #[must_use]
    pub fn api(&self) -> Api {
        Api::new(self.origin())
    }

    /// A look into its database.
    pub async fn store(&self) -> Store {
        Store::open(&self.database()).await
    }

    /// A fresh account with one character of this name in the realm `dawn`.
    pub async fn hero(&self, name: &str) -> Hero {
        Hero::create(self.api(), name).await
    }

    /// Asks the server to stop, without waiting for it.
    ///
    /// # Panics
    /// If the server is not running.
    pub async fn terminate(&self) {
        command::signal(self.pid(), "TERM").await;
    }

    /// Asks the server to stop as Ctrl-C does, without waiting for it.
    ///
    /// # Panics
    /// If the server is not running.
    pub async fn interrupt(&self) {
        command::signal(self.pid(), "INT").await;
    }

    /// Stops the process where it is, as a machine that is too busy would, until it may
    /// [go on](Self::go_on).
    ///
    /// # Panics
    /// If the server is not running.
    pub async fn pause(&self) {
        command::signal(self.pid(), "STOP").await;
    }

    /// Lets a paused process go on.
    ///
    /// # Panics
    /// If the server is not running.
    pub async fn go_on(&self) {
        command::signal(self.pid(), "CONT").await;
    }

    /// Waits until the process has ended.
    ///
    /// # Panics
    /// With the end of its log, if it does not end in time.
    pub async fn ended(&mut self) -> ExitStatus {
        let log = log_of(&self.folder);
        let process = self.process.as_mut().expect("the server runs");
        let status = match tokio::time::timeout(SERVER_STOPPED, process.child.wait()).await {
            Ok(status) => status.expect("the server can be waited for"),
            Err(_) => panic!("still running after {SERVER_STOPPED:?}:\n{}", log_tail::of(&log)),
        };
        self.process = None;
        status
    }

    /// Lets the server drain and end.
    ///
    /// # Panics
    /// If it does not end in time, or not well.
    pub async fn stop(&mut self) {
        self.terminate().await;
        let status = self.ended().await;
        assert!(status.success(), "the server ended with {status}:\n{}", self.tail());
    }

    /// Ends the server as a crash would.
    ///
    /// # Panics
    /// If the server is not running.
    pub async fn kill9(&mut self) {
        let mut process = self.process.take().expect("the server runs");
        process.child.start_kill().expect("one's own child can be killed");
        let ended = process.child.wait();
        within("a killed server is gone", SERVER_KILLED, ended)
            .await
            .expect("the server can be waited for");
    }

    /// Starts a server that has ended again, over the same data.
    ///
    /// # Panics
    /// If it is still running, or does not come up.
    pub async fn start_again(&mut self) {
        assert!(self.process.is_none(), "the server has not been stopped");
        self.process = Some(Process::start(&self.folder, &self.variables).await);
    }

    /// Changes a variable for the next start.
    pub fn set(&mut self, variable: &str, value: impl ToString) {
        self.variables.insert(variable.to_owned(), value.to_string());
    }

    /// Stops the server and starts it again over the same data.
    pub async fn restart(&mut self) {
        self.stop().await;
        self.start_again().await;
    }

    fn tail(&self) -> String {
        log_tail::of(&log_of(&self.folder))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- the end of the server's log ---\n{}", self.tail());
        }
    }
}
