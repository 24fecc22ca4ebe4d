//! Sessions over real connections, with a host that has no store.

mod commands;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use shared::coordination::AccountClaims;
use shared::ids::{
    AccountEntry, AccountId, Appearance, AttemptId, CharacterId, Placement, SessionEpoch, Try,
    UnixMillis,
};
use shared::limits::REALTIME_HELLO_TIMEOUT;
use shared::realtime::codec::{FrameDecoder, decode_datagram, encode_datagram, encode_frame};
use shared::realtime::command::CommandSequence;
use shared::realtime::message::{
    Bye, ByeCode, Claim, ClientMessage, InputPacket, RealtimeHello, Seen, ServerMessage, Welcome,
};
use shared::realtime::snapshot::{Snapshot, SnapshotReceiver};
use shared::secret::SessionToken;
use shared::version::PROTOCOL_VERSION;
use shared::world::Tile;
use shared::world::map::test_map::draw;
use shared::world::movement::MoveInput;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use wtransport::endpoint::ConnectOptions;
use wtransport::error::ConnectingError;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint, RecvStream, SendStream};

use super::session_host::SessionHost;
use super::{RealtimeBindError, RealtimeConfig, RealtimeServer};
use crate::clock::{Clock, hash_token};
use crate::domain::authority::Character;
use crate::domain::session_claims::ClaimGeneration;
use crate::domain::session_directory::PendingRealtimeSession;
use crate::flows::activate_session::ActivatedSession;
use crate::flows::disconnect::EndReason;
use crate::flows::lose_connection::Embodied;
use crate::session_handle::{SessionControl, SessionHandle, session_channel};
use crate::stores::{GatherOutcome, StoreResult};
use crate::workers::location_saver::location_saver;
use crate::world::zone::ZoneHandle;

const SOON: Duration = Duration::from_secs(3);
const ORIGIN: &str = "http://localhost:8080";
const TICKET: &str = "ticket-of-a-test";

/// A game server that lets in whoever shows [`TICKET`], and waits for those whose connection
/// is lost until they are asked to end.
struct Host {
    zone: ZoneHandle,
    sessions: AtomicU64,
    handles: Mutex<Vec<SessionHandle>>,
    heard: AtomicU64,
    lost: Mutex<Vec<EndReason>>,
    /// Whether claims find their session in the hands of a later one.
    overtaken: AtomicBool,
    ended: Mutex<Vec<(Option<Tile>, EndReason)>>,
    published: Mutex<Vec<String>>,
    /// Where sessions begin that do not at 2,1.
    tiles: Mutex<BTreeMap<u64, Tile>>,
    flowers: commands::FlowerStore,
}

#[async_trait]
impl SessionHost for Host {
    async fn activate(&self, hello: &RealtimeHello) -> Result<ActivatedSession, ByeCode> {
        let Claim::Ticket(ticket) = &hello.claim else { return Err(ByeCode::UnknownSession) };
        if ticket.expose() != TICKET {
            return Err(ByeCode::UnknownSession);
        }
        let number = self.sessions.fetch_add(1, Ordering::SeqCst) + 1;
        let (handle, control) = session_channel();
        self.handles.lock().unwrap().push(handle);
        let mut session = session(number, &hello.session_token);
        if let Some(tile) = self.tiles.lock().unwrap().get(&number) {
            session.character.tile = *tile;
        }
        let resume_token = "resume-token-of-a-test".parse().unwrap();
        Ok(ActivatedSession { session, claim: ClaimGeneration::FIRST, control, resume_token })
    }

    fn acknowledge(&self, _: &PendingRealtimeSession, _: ClaimGeneration) {
        self.heard.fetch_add(1, Ordering::SeqCst);
    }

    async fn lose(
        &self,
        _: &PendingRealtimeSession,
        claim: ClaimGeneration,
        body: &Embodied,
        lost: EndReason,
        control: &mut SessionControl,
    ) -> EndReason {
        body.zone.detach(body.entity, claim).await;
        self.lost.lock().unwrap().push(lost);
        EndReason::Ended(control.asked_to_end().await)
    }

    fn begin_end(&self, _: &PendingRealtimeSession, _: ClaimGeneration) -> bool {
        !self.overtaken.load(Ordering::SeqCst)
    }

    async fn disconnect(&self, _: &PendingRealtimeSession, last: Option<Tile>, reason: EndReason) {
        self.ended.lock().unwrap().push((last, reason));
    }

    async fn gather(
        &self,
        character: CharacterId,
        _: SessionEpoch,
        sequence: CommandSequence,
    ) -> StoreResult<GatherOutcome> {
        self.flowers.gather(character, sequence).await
    }

    fn zone(&self, _: &Placement) -> Option<ZoneHandle> {
        Some(self.zone.clone())
    }

    fn publish_certificates(&self, hashes: &[String]) {
        *self.published.lock().unwrap() = hashes.to_vec();
    }

    fn now(&self) -> UnixMillis {
        Clock.now()
    }
}

pub(super) fn session(number: u64, token: &SessionToken) -> PendingRealtimeSession {
    let uuid = |kind: u128| Uuid::from_u128(kind << 64 | u128::from(number));
    PendingRealtimeSession {
        session_token: token.clone(),
        ticket: hash_token(TICKET),
        handoff: hash_token("handoff-of-the-test"),
        account_id: AccountId::new(uuid(1)),
        claims: AccountClaims { username: "mara".to_owned() },
        login: hash_token("access-of-the-test"),
        character: Character {
            id: CharacterId::new(uuid(2)),
            account_id: AccountId::new(uuid(1)),
            realm: "dawn".parse().unwrap(),
            name: format!("Mara {number}"),
            appearance: Appearance::default(),
            zone: "harbor".parse().unwrap(),
            tile: Tile { x: 2, y: 1 },
            gathered: 0,
            epoch: SessionEpoch(1),
            entry: AccountEntry(1),
            raised_by: None,
            claimed: false,
            last_command: CommandSequence::NONE,
        },
        placement: "dawn/harbor".parse().unwrap(),
        attempt_id: AttemptId::new(uuid(3)),
        r#try: Try::FIRST,
        transfer: None,
        claimed_before: None,
    }
}

struct Running {
    host: Arc<Host>,
    port: u16,
    hashes: Vec<String>,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

fn config(port: u16) -> RealtimeConfig {
    RealtimeConfig {
        addr: ([127, 0, 0, 1], port).into(),
        public_url: "https://127.0.0.1:4433".to_owned(),
        allowed_origins: vec![ORIGIN.to_owned()],
        now: Clock.now(),
    }
}

fn start() -> Running {
    start_with(config(0), |_, _| {})
}

fn start_with(config: RealtimeConfig, before: impl FnOnce(&mut RealtimeServer, &Host)) -> Running {
    start_on(&["############", "#@.........#", "############"], config, before)
}

fn start_on(
    rows: &[&str],
    config: RealtimeConfig,
    before: impl FnOnce(&mut RealtimeServer, &Host),
) -> Running {
    let map = draw(rows);
    let placement = "dawn/harbor".parse().unwrap();
    let host = Arc::new(Host {
        zone: ZoneHandle::spawn(placement, Arc::new(map), location_saver().0),
        sessions: AtomicU64::new(0),
        handles: Mutex::default(),
        heard: AtomicU64::new(0),
        lost: Mutex::default(),
        overtaken: AtomicBool::new(false),
        ended: Mutex::default(),
        published: Mutex::default(),
        tiles: Mutex::default(),
        flowers: commands::FlowerStore::default(),
    });
    let (mut server, addr, hashes) = RealtimeServer::bind(config).unwrap();
    before(&mut server, &host);
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(server.run(host.clone(), shutdown.clone()));
    Running { host, port: addr.port(), hashes, shutdown, serving }
}

impl Running {
    async fn dial(&self, path: &str, origin: Option<&str>) -> Result<Connection, ConnectingError> {
        let digests = self.hashes.iter().map(|hash| {
            let bytes: [u8; 32] = hex::decode(hash).unwrap().try_into().unwrap();
            Sha256Digest::new(bytes)
        });
        let config =
            ClientConfig::builder().with_bind_default().with_server_certificate_hashes(digests);
        let url = format!("https://127.0.0.1:{}{path}", self.port);
        let mut options = ConnectOptions::builder(url);
        if let Some(origin) = origin {
            options = options.add_header("origin", origin);
        }
        Endpoint::client(config.build()).unwrap().connect(options.build()).await
    }

    async fn connect(&self) -> Client {
        let connection = self.dial("/realtime", Some(ORIGIN)).await.unwrap();
        let (stream, recv) = connection.open_bi().await.unwrap().await.unwrap();
        Client { connection, stream, recv, decoder: FrameDecoder::default() }
    }

    async fn enter(&self) -> (Client, Welcome) {
        let mut client = self.connect().await;
        client.say(&hello(PROTOCOL_VERSION, TICKET)).await;
        match client.hear().await {
            ServerMessage::Welcome(welcome) => (client, welcome),
            other => panic!("{other:?}"),
        }
    }

    async fn wait_for_ends(&self, count: usize) -> Vec<(Option<Tile>, EndReason)> {
        let all = async {
            while self.host.ended.lock().unwrap().len() < count {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(SOON, all).await.unwrap();
        self.host.ended.lock().unwrap().clone()
    }
}

fn hello(protocol_version: u32, ticket: &str) -> ClientMessage {
    ClientMessage::Hello(RealtimeHello {
        protocol_version,
        session_token: "session-of-a-test".parse().unwrap(),
        claim: Claim::Ticket(ticket.parse().unwrap()),
    })
}

struct Client {
    connection: Connection,
    stream: SendStream,
    recv: RecvStream,
    decoder: FrameDecoder<ServerMessage>,
}

impl Client {
    async fn say(&mut self, message: &ClientMessage) {
        self.stream.write_all(&encode_frame(message).unwrap()).await.unwrap();
    }

    async fn hear(&mut self) -> ServerMessage {
        let next = async {
            let mut buffer = [0; 1_024];
            loop {
                if let Some(message) = self.decoder.next_message().unwrap() {
                    return message;
                }
                let read = self.recv.read(&mut buffer).await.unwrap().unwrap();
                self.decoder.push(&buffer[..read]);
            }
        };
        timeout(SOON, next).await.unwrap()
    }

    /// Passes over everything until the Bye, and echoes it.
    async fn hear_bye(&mut self) -> ByeCode {
        loop {
            if let ServerMessage::Bye(Bye { code, .. }) = self.hear().await {
                // A server that has waited long enough for the echo is gone by now.
                let echo = encode_frame(&ClientMessage::Bye).unwrap();
                let _ = self.stream.write_all(&echo).await;
                return code;
            }
        }
    }

    fn input(&self, newest: u32, acked_tick: Option<u32>) {
        let inputs = vec![MoveInput::towards(1, 0)];
        let packet = InputPacket { acked_tick, newest, inputs };
        self.connection.send_datagram(encode_datagram(&packet).unwrap()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_enters_walks_and_leaves_deliberately() {
    let running = start();
    let (mut client, welcome) = running.enter().await;
    assert_eq!(welcome.session_token.expose(), "session-of-a-test");
    assert_eq!(welcome.position.tile(), Tile { x: 2, y: 1 });
    let own = Seen {
        entity: welcome.entity,
        name: "Mara 1".to_owned(),
        appearance: Appearance::default(),
        dead: false,
    };
    assert_eq!(client.hear().await, ServerMessage::Seen(own));
    let mut receiver = SnapshotReceiver::default();
    let walk = async {
        for newest in 1.. {
            client.input(newest, receiver.acked_tick());
            let datagram = client.connection.receive_datagram().await.unwrap();
            let snapshot: Snapshot = decode_datagram(&datagram).unwrap();
            let Ok(view) = receiver.apply(&snapshot) else { continue };
            if view[&welcome.entity].position.tile().x >= 4 {
                return;
            }
        }
    };
    timeout(SOON, walk).await.unwrap();
    client.say(&ClientMessage::Bye).await;
    assert_eq!(client.hear_bye().await, ByeCode::LoggedOut);
    let ends = running.wait_for_ends(1).await;
    assert_eq!(ends[0].1, EndReason::LoggedOut);
    assert!(ends[0].0.unwrap().x >= 4, "{ends:?}");
    assert_eq!(*running.host.published.lock().unwrap(), running.hashes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_our_path_and_our_pages_get_a_session() {
    let running = start();
    for (path, origin) in [
        ("/", Some(ORIGIN)),
        ("/realtime/", Some(ORIGIN)),
        ("/realtime?x=1", Some(ORIGIN)),
        ("/realtime", Some("https://elsewhere.example")),
        ("/realtime", None),
    ] {
        let refused = running.dial(path, origin).await;
        assert!(matches!(refused, Err(ConnectingError::SessionRejected)), "{path} {origin:?}");
    }
    assert!(running.dial("/realtime", Some("HTTP://LOCALHOST:8080")).await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_is_not_good_gets_a_bye_with_its_reason() {
    let running = start();
    let frame = |message: &ClientMessage| encode_frame(message).unwrap();
    for (bytes, code) in [
        (frame(&hello(PROTOCOL_VERSION + 1, TICKET)), ByeCode::ProtocolVersion),
        (frame(&hello(PROTOCOL_VERSION, "ticket-of-nobody")), ByeCode::UnknownSession),
        (vec![0xff; 64], ByeCode::Malformed),
        (vec![0, 0, 0, 1, 9], ByeCode::Malformed),
    ] {
        let mut client = running.connect().await;
        client.stream.write_all(&bytes).await.unwrap();
        assert_eq!(client.hear_bye().await, code);
        timeout(SOON, client.connection.closed()).await.unwrap();
    }
    assert_eq!(*running.host.ended.lock().unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_clients_delay_nobody_and_are_let_go() {
    let running = start();
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(running.dial("/realtime", Some(ORIGIN)).await.unwrap());
    }
    let mut half = running.connect().await;
    half.stream.write_all(&[0, 0]).await.unwrap();
    let (_client, _) = timeout(SOON, running.enter()).await.unwrap();
    for connection in &silent {
        timeout(REALTIME_HELLO_TIMEOUT + SOON, connection.closed()).await.unwrap();
    }
    assert_eq!(half.hear_bye().await, ByeCode::TimedOut);
    assert_eq!(*running.host.ended.lock().unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_breaks_the_protocol_in_the_world_ends_the_session() {
    let running = start();
    let unsound = InputPacket { acked_tick: None, newest: 1, inputs: vec![MoveInput::STILL; 2] };
    let uncountable = InputPacket { acked_tick: None, newest: u32::MAX, inputs: Vec::new() };
    let datagrams = [
        vec![0xff; 40],
        encode_datagram(&unsound).unwrap(),
        encode_datagram(&uncountable).unwrap(),
    ];
    for (i, datagram) in datagrams.into_iter().enumerate() {
        let (mut client, _) = running.enter().await;
        client.connection.send_datagram(datagram).unwrap();
        assert_eq!(client.hear_bye().await, ByeCode::Malformed, "datagram {i}");
    }
    let (mut client, _) = running.enter().await;
    client.say(&hello(PROTOCOL_VERSION, TICKET)).await;
    assert_eq!(client.hear_bye().await, ByeCode::Malformed);
    let ends = running.wait_for_ends(4).await;
    let malformed = EndReason::Ended(ByeCode::Malformed);
    assert!(ends.iter().all(|end| *end == (Some(Tile { x: 2, y: 1 }), malformed)), "{ends:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_asked_to_end_is_saved_before_anybody_hears_of_it() {
    let running = start();
    let (mut client, _) = running.enter().await;
    let handle = running.host.handles.lock().unwrap()[0].clone();
    handle.end(ByeCode::Superseded);
    timeout(SOON, handle.ended()).await.unwrap();
    let end = (Some(Tile { x: 2, y: 1 }), EndReason::Ended(ByeCode::Superseded));
    assert_eq!(*running.host.ended.lock().unwrap(), [end]);
    assert_eq!(client.hear_bye().await, ByeCode::Superseded);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_connection_keeps_its_body_until_its_session_is_asked_to_end() {
    let running = start();
    let (mut stays, _) = running.enter().await;
    let (leaves, welcome) = running.enter().await;
    stays.until_seen(welcome.entity).await;
    drop(leaves);
    let noticed = async {
        while running.host.lost.lock().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(SOON, noticed).await.unwrap();
    assert_eq!(*running.host.lost.lock().unwrap(), [EndReason::Lost]);
    assert_eq!(*running.host.ended.lock().unwrap(), []);
    let handle = running.host.handles.lock().unwrap()[1].clone();
    handle.end(ByeCode::LoginEnded);
    while stays.hear().await != ServerMessage::Gone(welcome.entity) {}
    let end = (Some(Tile { x: 2, y: 1 }), EndReason::Ended(ByeCode::LoginEnded));
    assert_eq!(running.wait_for_ends(1).await, [end]);
    timeout(SOON, handle.ended()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(running.host.ended.lock().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_whose_session_has_a_later_claim_ends_without_touching_it() {
    let running = start();
    let (mut older, welcome) = running.enter().await;
    running.host.overtaken.store(true, Ordering::SeqCst);
    let handle = running.host.handles.lock().unwrap()[0].clone();
    handle.end(ByeCode::Superseded);
    assert_eq!(older.hear_bye().await, ByeCode::Superseded);
    timeout(SOON, handle.ended()).await.unwrap();
    assert_eq!(*running.host.ended.lock().unwrap(), []);
    assert!(running.host.zone.leave(welcome.entity).await.is_some(), "the body stays");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_word_of_a_client_is_noted_once() {
    let running = start();
    let (mut client, _) = running.enter().await;
    assert_eq!(running.host.heard.load(Ordering::SeqCst), 0, "a hello is no word after it");
    for number in [7, 8] {
        client.say(&ClientMessage::Ping(number)).await;
        while client.hear().await != ServerMessage::Pong(number) {}
        assert_eq!(running.host.heard.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_saves_everybody_and_says_bye() {
    let running = start();
    let (mut one, _) = running.enter().await;
    let (mut two, _) = running.enter().await;
    running.shutdown.cancel();
    assert_eq!(one.hear_bye().await, ByeCode::ShuttingDown);
    assert_eq!(two.hear_bye().await, ByeCode::ShuttingDown);
    let port = running.port;
    let ends = running.wait_for_ends(2).await;
    assert!(ends.iter().all(|end| end.1 == EndReason::Ended(ByeCode::ShuttingDown)));
    timeout(SOON, running.serving).await.unwrap().unwrap();
    let free_again = async {
        // The socket goes with the endpoint's own task, a moment later.
        while RealtimeServer::bind(config(port)).is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(SOON, free_again).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_echoes_the_bye_is_closed_upon() {
    let running = start();
    let (client, _) = running.enter().await;
    running.host.handles.lock().unwrap()[0].end(ByeCode::ShuttingDown);
    timeout(SOON, client.connection.closed()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_keeps_its_certificate_list_over_a_change() {
    let ten_days = 10 * 24 * 60 * 60 * 1_000;
    let began = UnixMillis(Clock.now().0 - ten_days);
    let running = start_with(RealtimeConfig { now: began, ..config(0) }, |server, host| {
        server.rotate(host);
    });
    // The hashes are those from before the change.
    let (_client, _) = running.enter().await;
    let published = running.host.published.lock().unwrap().clone();
    assert_eq!(published[0], running.hashes[1]);
    assert!(!running.hashes.contains(&published[1]));
}

#[tokio::test]
async fn a_taken_port_is_told_in_one_line() {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    let Err(error @ RealtimeBindError::Bind { .. }) = RealtimeServer::bind(config(port)) else {
        panic!("bound a taken port");
    };
    let text = error.to_string();
    assert!(text.contains(&format!("127.0.0.1:{port}")) && text.contains("EDGE_REALTIME_ADDR"));
    assert!(!text.contains('\n'));
}
