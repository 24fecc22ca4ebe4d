//! Doors in front of a server, which a page reaches through them alone. A test shuts, holds
//! and opens each, so that the server is gone for one step of the way into the world and
//! there for the others.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::api::Api;
use crate::patience::{HAPPENED, within};
use crate::server::{Server, Setup};

/// Where gates look for ports: below those that systems choose by themselves, so that nobody
/// who lets the system choose takes one that a door has left for a while.
const PORTS: std::ops::Range<u16> = 20_000..30_000;
/// Ports in a row of one gate: two doors of the gate, two listeners of the server.
const PORTS_OF_GATE: u16 = 4;
/// Bytes of a datagram, at most.
const MAX_DATAGRAM: usize = 64 * 1024;
/// Bytes that a connection takes at once.
const CHUNK: usize = 16 * 1024;

/// The doors of one server, all of them open at first.
#[derive(Debug)]
pub struct Gate {
    /// To the page and the login role.
    pub page: Door,
    /// To the HTTP of the first instance.
    pub game: Door,
    /// To the realtime endpoint of the first instance.
    pub realtime: Door,
    behind: u16,
}

impl Gate {
    /// Opens the doors; the server is started with [`Gate::setup`].
    ///
    /// # Panics
    /// If there are no ports for it.
    pub async fn open() -> Self {
        let blocks = PORTS.step_by(usize::from(PORTS_OF_GATE));
        // Runs at the same time look in different places first.
        let first = std::process::id() as usize % blocks.len();
        for port in blocks.clone().skip(first).chain(blocks.take(first)) {
            if let Some(gate) = Self::at(port).await {
                return gate;
            }
        }
        panic!("no four ports in a row are free in {PORTS:?}")
    }

    async fn at(port: u16) -> Option<Self> {
        let behind = port + 2;
        // The server's own are looked at and left for it.
        for listener in [behind, behind + 1] {
            TcpListener::bind(local(listener)).await.ok()?;
        }
        UdpSocket::bind(local(behind)).await.ok()?;
        Some(Self {
            page: Door::open_at(Kind::Connections, port, behind).await.ok()?,
            game: Door::open_at(Kind::Connections, port + 1, behind + 1).await.ok()?,
            realtime: Door::open_at(Kind::Datagrams, port, behind).await.ok()?,
            behind,
        })
    }

    /// A server that browsers reach through the doors.
    #[must_use]
    pub fn setup(&self) -> Setup {
        Server::setup()
            .with("EDGE_HTTP_ADDR", local(self.behind))
            .with("EDGE_REALTIME_ADDR", local(self.behind))
            .with("EDGE_PUBLIC_HTTP_URL", format!("http://{}", self.page.address))
            .with("EDGE_PUBLIC_REALTIME_URL", format!("https://{}", self.realtime.address))
    }

    /// A client that reaches the login role whatever the doors do.
    #[must_use]
    pub fn api_behind(&self) -> Api {
        Api::new(&format!("http://{}", local(self.behind)))
    }
}

fn local(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Connections,
    Datagrams,
}

/// One door.
#[derive(Debug)]
pub struct Door {
    kind: Kind,
    address: SocketAddr,
    server: SocketAddr,
    held: watch::Sender<bool>,
    asked: watch::Sender<bool>,
    keeper: Option<Keeper>,
}

/// What stands at a door that is not shut.
#[derive(Debug)]
struct Keeper {
    leaves: CancellationToken,
    task: JoinHandle<()>,
}

impl Door {
    async fn open_at(kind: Kind, port: u16, server: u16) -> std::io::Result<Self> {
        let mut door = Self {
            kind,
            address: local(port),
            server: local(server),
            held: watch::Sender::new(false),
            asked: watch::Sender::new(false),
            keeper: None,
        };
        door.stand().await?;
        Ok(door)
    }

    /// Nobody listens: connections are refused and those that were there are cut.
    pub async fn shut(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            keeper.leaves.cancel();
            keeper.task.await.expect("a door's keeper does not panic");
        }
    }

    /// Whoever comes is let in and gets no answer, for as long as this lasts. What is said on
    /// a connection meanwhile reaches the server later, a datagram never.
    ///
    /// # Panics
    /// If somebody else has taken the port meanwhile.
    pub async fn hold(&mut self) {
        self.asked.send_replace(false);
        self.held.send_replace(true);
        self.stand().await.expect("the door's port is still its own");
    }

    /// All of it reaches the server.
    ///
    /// # Panics
    /// If somebody else has taken the port meanwhile.
    pub async fn open(&mut self) {
        self.held.send_replace(false);
        self.stand().await.expect("the door's port is still its own");
    }

    /// Waits until somebody has said something at the door since it was last held.
    pub async fn until_asked(&self) {
        let mut asked = self.asked.subscribe();
        let event = asked.wait_for(|asked| *asked);
        within("somebody comes to the door", HAPPENED, event).await.expect("the door is there");
    }

    async fn stand(&mut self) -> std::io::Result<()> {
        if self.keeper.is_some() {
            return Ok(());
        }
        let leaves = CancellationToken::new();
        let way = Way {
            server: self.server,
            held: self.held.subscribe(),
            asked: self.asked.clone(),
            leaves: leaves.clone(),
        };
        let task = match self.kind {
            Kind::Connections => {
                tokio::spawn(pass_connections(TcpListener::bind(self.address).await?, way))
            }
            Kind::Datagrams => {
                tokio::spawn(pass_datagrams(UdpSocket::bind(self.address).await?, way))
            }
        };
        self.keeper = Some(Keeper { leaves, task });
        Ok(())
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        if let Some(keeper) = &self.keeper {
            keeper.leaves.cancel();
        }
    }
}

/// What passes through a door, and whether.
#[derive(Clone)]
struct Way {
    server: SocketAddr,
    held: watch::Receiver<bool>,
    asked: watch::Sender<bool>,
    leaves: CancellationToken,
}

async fn pass_connections(listener: TcpListener, way: Way) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = way.leaves.cancelled() => break,
            accepted = listener.accept() => {
                let Ok((client, _)) = accepted else { continue };
                connections.spawn(pass_connection(client, way.clone()));
            }
        }
    }
    drop(listener);
    connections.shutdown().await;
}

/// Both directions, until either side ends one of them.
async fn pass_connection(client: TcpStream, way: Way) {
    let Ok(server) = TcpStream::connect(way.server).await else { return };
    let ((from_client, to_client), (from_server, to_server)) =
        (client.into_split(), server.into_split());
    tokio::select! {
        () = pass_bytes(from_client, to_server, way.held.clone(), Some(&way.asked)) => {}
        () = pass_bytes(from_server, to_client, way.held, None) => {}
    }
}

async fn until_open(held: &mut watch::Receiver<bool>) {
    // A door that is gone has let its keeper go as well.
    let _ = held.wait_for(|held| !held).await;
}

async fn pass_bytes(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut held: watch::Receiver<bool>,
    asked: Option<&watch::Sender<bool>>,
) {
    let mut waiting = Vec::with_capacity(CHUNK);
    loop {
        tokio::select! {
            // What has come before an end still goes through; what waits at a door that is
            // held does not outlive who said it.
            biased;
            () = until_open(&mut held), if !waiting.is_empty() => {
                if to.write_all(&waiting).await.is_err() {
                    return;
                }
                waiting.clear();
            }
            read = from.read_buf(&mut waiting) => {
                if !read.is_ok_and(|bytes| bytes > 0) {
                    return;
                }
                if let Some(asked) = asked {
                    asked.send_replace(true);
                }
            }
        }
    }
}

/// Every client has a socket of its own towards the server.
async fn pass_datagrams(door: UdpSocket, way: Way) {
    let door = Arc::new(door);
    let mut clients: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut answers = JoinSet::new();
    let mut datagram = vec![0; MAX_DATAGRAM];
    loop {
        let received = tokio::select! {
            () = way.leaves.cancelled() => break,
            received = door.recv_from(&mut datagram) => received,
        };
        let Ok((bytes, client)) = received else { continue };
        way.asked.send_replace(true);
        if *way.held.borrow() {
            continue;
        }
        let to_server = match clients.get(&client) {
            Some(socket) => socket.clone(),
            None => {
                let Ok(socket) = UdpSocket::bind(local(0)).await else { continue };
                if socket.connect(way.server).await.is_err() {
                    continue;
                }
                let socket = Arc::new(socket);
                clients.insert(client, socket.clone());
                answers.spawn(pass_answers(socket.clone(), door.clone(), client, way.held.clone()));
                socket
            }
        };
        // A datagram may be lost.
        let _ = to_server.send(&datagram[..bytes]).await;
    }
    answers.shutdown().await;
}

async fn pass_answers(
    from_server: Arc<UdpSocket>,
    door: Arc<UdpSocket>,
    client: SocketAddr,
    held: watch::Receiver<bool>,
) {
    let mut datagram = vec![0; MAX_DATAGRAM];
    loop {
        // An error tells of a datagram that found no server.
        let Ok(bytes) = from_server.recv(&mut datagram).await else { continue };
        if !*held.borrow() {
            let _ = door.send_to(&datagram[..bytes], client).await;
        }
    }
}
