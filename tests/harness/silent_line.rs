//! A way to a Postgres server that falls silent at a word: nothing is refused and nothing
//! breaks, there is no answer any more, as behind a network that swallows everything.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sqlx::postgres::PgConnectOptions;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::Notify;

/// Bytes that are passed on at a time; a statement fits.
const CHUNK: usize = 16 * 1024;

/// A socket in a folder of its own, for as long as this value lives.
#[derive(Debug)]
pub struct SilentLine {
    folder: TempDir,
    switch: Arc<Switch>,
}

#[derive(Debug, Default)]
struct Switch {
    word: Mutex<Option<&'static str>>,
    fell_silent: Notify,
}

impl SilentLine {
    /// Lays a line to the server of these options; it passes everything on at first.
    ///
    /// # Panics
    /// If the socket cannot be made.
    #[must_use]
    pub fn to(server: PgConnectOptions) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the socket can be made");
        let socket = folder.path().join(format!(".s.PGSQL.{}", server.get_port()));
        let listener = UnixListener::bind(socket).expect("the socket can be made");
        let switch = Arc::new(Switch::default());
        tokio::spawn({
            let switch = switch.clone();
            async move {
                while let Ok((client, _)) = listener.accept().await {
                    tokio::spawn(carry(client, server.clone(), switch.clone()));
                }
            }
        });
        Self { folder, switch }
    }

    /// The folder of the socket, as the host in an address.
    #[must_use]
    pub fn host(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// From the next connection on which a client says `word`, that connection is silent.
    pub fn fall_silent_at(&self, word: &'static str) {
        self.set(Some(word));
    }

    /// New connections pass everything on again; a silent one stays so.
    pub fn heal(&self) {
        self.set(None);
    }

    /// Waits until a connection has fallen silent.
    pub async fn until_silent(&self) {
        self.switch.fell_silent.notified().await;
    }

    fn set(&self, word: Option<&'static str>) {
        *self.switch.word.lock().unwrap_or_else(PoisonError::into_inner) = word;
    }
}

/// Carries one connection until an end closes it.
async fn carry(client: UnixStream, server: PgConnectOptions, switch: Arc<Switch>) {
    let (client_reads, client_writes) = client.into_split();
    let passed = match server.get_socket() {
        Some(folder) => {
            let socket = folder.join(format!(".s.PGSQL.{}", server.get_port()));
            match UnixStream::connect(socket).await {
                Ok(server) => {
                    let (reads, writes) = server.into_split();
                    pass_both(client_reads, client_writes, reads, writes, &switch).await
                }
                Err(error) => Err(error),
            }
        }
        None => match TcpStream::connect((server.get_host(), server.get_port())).await {
            Ok(server) => {
                let (reads, writes) = server.into_split();
                pass_both(client_reads, client_writes, reads, writes, &switch).await
            }
            Err(error) => Err(error),
        },
    };
    // Whoever is at the other end sees the connection end as well.
    drop(passed);
}

async fn pass_both(
    mut from_client: impl AsyncRead + Unpin,
    mut to_client: impl AsyncWrite + Unpin,
    mut from_server: impl AsyncRead + Unpin,
    mut to_server: impl AsyncWrite + Unpin,
    switch: &Switch,
) -> io::Result<()> {
    let asking = async {
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = from_client.read(&mut chunk).await?;
            let said = &chunk[..length];
            if length == 0 {
                return Ok(());
            }
            let word = *switch.word.lock().unwrap_or_else(PoisonError::into_inner);
            if word.is_some_and(|word| said.windows(word.len()).any(|part| part == word.as_bytes()))
            {
                switch.fell_silent.notify_one();
                return std::future::pending().await;
            }
            to_server.write_all(said).await?;
        }
    };
    tokio::select! {
        ended = asking => ended,
        ended = tokio::io::copy(&mut from_server, &mut to_client) => ended.map(drop),
    }
}
