//! Ways out of a process, and into it, that stand still at a word: the test knows then which
//! step the process is in, and can kill it there, before the step or after it.
//!
//! What a client says is passed on as it is. On the way to a Postgres a word is a piece of
//! SQL: a statement is known by its text when it is run, not when it is prepared.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlx::postgres::PgConnectOptions;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::patience::{HAPPENED, within};

/// Bytes that are passed on at a time.
const CHUNK: usize = 16 * 1024;
/// What ends a transaction, whose statements have done nothing before.
const COMMIT: &[u8] = b"COMMIT";

/// Where ports are looked for: below those that systems choose by themselves, and beside
/// those of gates.
const PORTS: std::ops::Range<u16> = 30_000..32_000;

/// When a line stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// What has the word in it is not passed on: it has not happened.
    Before,
    /// It is passed on and its answer is not: it has happened, and nobody knows.
    After,
}

/// What a server is for those on the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// There.
    #[default]
    There,
    /// There and silent, as one that has been stopped, or behind a network that swallows
    /// everything: what is said waits.
    Silent,
    /// Gone: connections are cut, and further ones end at once.
    Gone,
}

/// The lines of one process, which stand still together at one word.
#[derive(Debug, Default)]
pub struct Lines {
    switch: Arc<Switch>,
    postgres: watch::Sender<Reach>,
    tasks: JoinSet<()>,
    folders: Vec<TempDir>,
}

/// An address that leads to a server which may come back at another one.
#[derive(Clone, Debug)]
pub struct Front {
    address: String,
    server: Arc<Mutex<String>>,
}

#[derive(Debug, Default)]
struct Switch {
    wanted: Mutex<Option<(String, Moment)>>,
    state: watch::Sender<Hold>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Hold {
    #[default]
    Nothing,
    Held,
    /// What was held goes its way.
    Passing,
    /// What was held is gone, and its connection with it.
    Lost,
}

/// Both ends of a connection.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

type Reads<'a> = &'a mut (dyn AsyncRead + Send + Unpin);
type Writes<'a> = &'a mut (dyn AsyncWrite + Send + Unpin);

impl Lines {
    /// A line to a Redis at a socket; gives its own socket.
    ///
    /// # Panics
    /// If the socket cannot be made.
    pub fn to_redis(&mut self, server: PathBuf) -> PathBuf {
        let socket = self.new_folder().join("redis.sock");
        let listener = UnixListener::bind(&socket).expect("the socket can be made");
        let switch = self.switch.clone();
        self.tasks.spawn(async move {
            let mut carried = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (server, switch) = (server.clone(), switch.clone());
                carried.spawn(async move {
                    if let Ok(server) = UnixStream::connect(server).await {
                        let speech = Speech::Plain;
                        carry(Box::new(client), Box::new(server), speech, &switch, always()).await;
                    }
                });
            }
        });
        socket
    }

    /// A line to a Postgres; gives the folder of its socket.
    ///
    /// # Panics
    /// If the socket cannot be made.
    pub fn to_postgres(&mut self, server: PgConnectOptions) -> PathBuf {
        let folder = self.new_folder();
        let name = format!(".s.PGSQL.{}", server.get_port());
        let listener = UnixListener::bind(folder.join(&name)).expect("the socket can be made");
        let (switch, reach) = (self.switch.clone(), self.postgres.subscribe());
        self.tasks.spawn(async move {
            let mut carried = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (server, name, switch) = (server.clone(), name.clone(), switch.clone());
                let (mut gone, there) = (reach.clone(), reach.clone());
                carried.spawn(async move {
                    tokio::select! {
                        _ = gone.wait_for(|reach| *reach == Reach::Gone) => {}
                        () = to_postgres(client, server, &name, &switch, there) => {}
                    }
                });
            }
        });
        folder
    }

    /// A line to an HTTP server that may come and go.
    ///
    /// # Panics
    /// If no port is free.
    pub async fn to_http(&mut self) -> Front {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let front = Front { address: format!("http://{address}"), server: Arc::default() };
        let (server, switch) = (front.server.clone(), self.switch.clone());
        self.tasks.spawn(async move {
            let mut carried = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let server = server.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let switch = switch.clone();
                carried.spawn(async move {
                    if let Ok(server) = TcpStream::connect(server).await {
                        let speech = Speech::Plain;
                        carry(Box::new(client), Box::new(server), speech, &switch, always()).await;
                    }
                });
            }
        });
        front
    }

    fn new_folder(&mut self) -> PathBuf {
        let folder = tempfile::tempdir().expect("a folder for the socket can be made");
        let path = folder.path().to_owned();
        self.folders.push(folder);
        path
    }

    /// The next that has the word in it is held, on whichever of the lines it comes.
    pub fn hold(&self, word: &str, moment: Moment) {
        self.switch.state.send_replace(Hold::Nothing);
        *self.switch.wanted() = Some((word.to_owned(), moment));
    }

    /// Waits until something is held.
    ///
    /// # Panics
    /// If nobody says the word.
    pub async fn until_held(&self) {
        let word = self.switch.wanted().clone();
        within(&format!("somebody says {word:?}"), HAPPENED, self.held()).await;
    }

    /// Comes back when something is held.
    pub async fn held(&self) {
        let mut state = self.switch.state.subscribe();
        let held = state.wait_for(|state| *state == Hold::Held).await;
        held.expect("the switch is there");
    }

    /// What the Postgres is for this process from now on.
    pub fn set_postgres(&self, reach: Reach) {
        self.postgres.send_replace(reach);
    }

    /// What is held goes its way, and so does everything from now on.
    pub fn let_go(&self) {
        *self.switch.wanted() = None;
        self.switch.state.send_replace(Hold::Passing);
    }

    /// What is held is lost, as what a dead process never said or heard; everything from now
    /// on goes its way.
    pub fn lose(&self) {
        *self.switch.wanted() = None;
        self.switch.state.send_replace(Hold::Lost);
    }
}

impl Front {
    /// The address, such as `http://127.0.0.1:40001`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Where it leads from now on, in the same form.
    pub fn lead_to(&self, address: &str) {
        let server = address.trim_start_matches("http://").to_owned();
        *self.server.lock().unwrap_or_else(PoisonError::into_inner) = server;
    }
}

impl Switch {
    fn wanted(&self) -> MutexGuard<'_, Option<(String, Moment)>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the wish, if what is said fulfils it.
    fn take(&self, said: &[u8]) -> Option<Moment> {
        let mut wanted = self.wanted();
        let (word, moment) = wanted.as_ref()?;
        let moment = contains(said, word.as_bytes()).then_some(*moment)?;
        *wanted = None;
        Some(moment)
    }

    /// Holds; gives whether what is held goes on its way.
    async fn stand_still(&self) -> bool {
        let mut state = self.state.subscribe();
        self.state.send_replace(Hold::Held);
        let ended = state.wait_for(|state| *state != Hold::Held).await;
        ended.is_ok_and(|state| *state == Hold::Passing)
    }
}

fn boxed(stream: impl Stream + 'static) -> Box<dyn Stream> {
    Box::new(stream)
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

/// How a client says things.
enum Speech {
    /// Commands and requests, whole in their chunks.
    Plain,
    /// Messages of the Postgres protocol.
    Postgres(Postgres),
}

/// What is known of a connection to a Postgres.
#[derive(Default)]
struct Postgres {
    /// What has come of a message that is not whole yet.
    rest: Vec<u8>,
    has_begun: bool,
    in_transaction: bool,
    statements: HashMap<Vec<u8>, Vec<u8>>,
}

impl Postgres {
    /// What the whole messages of a chunk run, as SQL.
    fn runs(&mut self, chunk: &[u8]) -> Vec<u8> {
        const CODE_OF_VERSION_3: &[u8] = &196_608_u32.to_be_bytes();
        self.rest.extend_from_slice(chunk);
        let mut run = Vec::new();
        loop {
            // Before the connection has begun, messages have no kind.
            let head = usize::from(self.has_begun);
            let Some(length) = self.rest.get(head..head + 4) else { return run };
            let length = u32::from_be_bytes(length.try_into().expect("four bytes")) as usize;
            if self.rest.len() < head + length {
                return run;
            }
            let message: Vec<u8> = self.rest.drain(..head + length).collect();
            let body = &message[head + 4..];
            if !self.has_begun {
                self.has_begun = body.starts_with(CODE_OF_VERSION_3);
                continue;
            }
            let mut texts = body.split(|byte| *byte == 0).map(<[u8]>::to_vec);
            let (first, second) = (texts.next().unwrap_or_default(), texts.next());
            let said = match message[0] {
                b'P' => {
                    self.statements.insert(first, second.unwrap_or_default());
                    continue;
                }
                b'B' => {
                    let name = second.unwrap_or_default();
                    self.statements.get(&name).cloned().unwrap_or_default()
                }
                b'Q' => first,
                _ => continue,
            };
            match &said[..] {
                b"BEGIN" => self.in_transaction = true,
                COMMIT => self.in_transaction = false,
                _ => {}
            }
            run.extend(said);
        }
    }
}

async fn to_postgres(
    client: UnixStream,
    server: PgConnectOptions,
    name: &str,
    switch: &Switch,
    mut reach: watch::Receiver<Reach>,
) {
    until_there(&mut reach).await;
    let server: io::Result<Box<dyn Stream>> = match server.get_socket() {
        Some(folder) => UnixStream::connect(folder.join(name)).await.map(boxed),
        None => TcpStream::connect((server.get_host(), server.get_port())).await.map(boxed),
    };
    if let Ok(server) = server {
        let speech = Speech::Postgres(Postgres::default());
        carry(Box::new(client), server, speech, switch, reach).await;
    }
}

/// A server that is always there.
fn always() -> watch::Receiver<Reach> {
    watch::Sender::new(Reach::There).subscribe()
}

async fn until_there(reach: &mut watch::Receiver<Reach>) {
    // Whoever could have changed it may be gone: then it stays as it is.
    if reach.wait_for(|reach| *reach == Reach::There).await.is_err()
        && *reach.borrow() != Reach::There
    {
        std::future::pending::<()>().await;
    }
}

/// Carries one connection until an end closes it.
async fn carry(
    client: Box<dyn Stream>,
    server: Box<dyn Stream>,
    mut speech: Speech,
    switch: &Switch,
    reach: watch::Receiver<Reach>,
) {
    let (mut from_client, mut to_client) = tokio::io::split(client);
    let (mut from_server, mut to_server) = tokio::io::split(server);
    let (holding, mut held) = watch::channel(false);
    let (asks, mut answers) = (reach.clone(), reach);
    let asking = ask(&mut from_client, &mut to_server, &mut speech, (switch, asks), &holding);
    let answering = async {
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = from_server.read(&mut chunk).await?;
            if length == 0 {
                return Ok(());
            }
            if *held.borrow_and_update() {
                holding.send_replace(false);
                if !switch.stand_still().await {
                    return Ok(());
                }
            }
            until_there(&mut answers).await;
            to_client.write_all(&chunk[..length]).await?;
        }
    };
    // Whoever is at the other end sees the connection end as well.
    let _: io::Result<()> = tokio::select! {
        ended = asking => ended,
        ended = answering => ended,
    };
}

/// Passes on what a client says; tells by `holding` that the answer is to be held.
async fn ask(
    from: Reads<'_>,
    to: Writes<'_>,
    speech: &mut Speech,
    (switch, mut reach): (&Switch, watch::Receiver<Reach>),
    holding: &watch::Sender<bool>,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    // The word was said in a transaction that has not come to its end.
    let mut at_the_commit = false;
    loop {
        let length = from.read(&mut chunk).await?;
        let chunk = &chunk[..length];
        if length == 0 {
            return Ok(());
        }
        let (said, in_transaction) = match speech {
            Speech::Plain => (None, false),
            Speech::Postgres(postgres) => (Some(postgres.runs(chunk)), postgres.in_transaction),
        };
        let said = said.as_deref().unwrap_or(chunk);
        match switch.take(said) {
            Some(Moment::Before) if !switch.stand_still().await => return Ok(()),
            Some(Moment::After) if in_transaction => at_the_commit = true,
            Some(Moment::After) => drop(holding.send_replace(true)),
            _ => {}
        }
        if at_the_commit && contains(said, COMMIT) {
            at_the_commit = false;
            holding.send_replace(true);
        }
        until_there(&mut reach).await;
        to.write_all(chunk).await?;
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Before => "before",
            Self::After => "after",
        })
    }
}

/// The socket of a Redis as an address.
#[must_use]
pub fn redis_url(socket: &Path) -> String {
    format!("redis+unix://{}", socket.display())
}

/// An address on which nobody listens, for a server that comes back to it.
///
/// # Panics
/// If there is none.
pub async fn free_port() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    // Tests at the same time look in different places first.
    const APART: usize = 7;
    let own = std::process::id() as usize * APART + NEXT.fetch_add(1, Ordering::Relaxed);
    for port in PORTS.cycle().skip(own % PORTS.len()).take(PORTS.len()) {
        if TcpListener::bind(("127.0.0.1", port)).await.is_ok() {
            return format!("127.0.0.1:{port}");
        }
    }
    panic!("no port is free in {PORTS:?}")
}
