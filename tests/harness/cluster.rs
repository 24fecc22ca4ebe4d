//! A backend as it is deployed: one login server, two control planes and two game servers,
//! each a process of its own, on a Postgres database and a Redis of the test's own.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::ExitStatus;

use shared::coordination::InstanceRecord;
use shared::ids::CharacterId;
use shared::world::Tile;
use sqlx::Row;
use tempfile::TempDir;

use crate::api::Api;
use crate::hero::Hero;
use crate::hold_line::{Front, Lines, free_port, redis_url};
use crate::log_tail;
use crate::patience::{HAPPENED, LAPSED, eventually};
use crate::postgres::Database;
use crate::process::Process;
use crate::redis::Redis;
use crate::store::CharacterRow;

/// The secret that the parts of a test's backend share.
pub const SERVICE_TOKEN: &str = "the-service-token-of-a-cluster-under-test";

/// What the game servers carry, each a layer of its own.
const ZONES: &str = "dawn/harbor,dusk/harbor";

/// A running backend. Dropping it ends its processes, and with them its stores.
#[derive(Debug)]
pub struct Cluster {
    /// `game-1` and `game-2`.
    pub games: [Part; 2],
    /// Where players begin.
    pub login: Part,
    /// Those that the other parts ask, in this order.
    pub control_planes: [Part; 2],
    /// Coordination data.
    pub redis: Redis,
    /// Durable data.
    pub database: Database,
    /// Where the page is, where parts stand behind lines.
    page: Option<Front>,
}

/// One process of a backend.
#[derive(Debug)]
pub struct Part {
    role: &'static str,
    folder: TempDir,
    variables: BTreeMap<String, String>,
    process: Option<Process>,
    lines: Option<Lines>,
    /// Where others reach it, however often it is started.
    fronts: Vec<Front>,
    doors: Vec<Lines>,
}

impl Cluster {
    /// Starts a backend with default limits.
    ///
    /// # Panics
    /// If a part does not come up.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a backend whose game servers have variables of their own.
    ///
    /// # Panics
    /// If a part does not come up.
    pub async fn start_with(of_games: &[(&str, &str)]) -> Self {
        let (database, redis) = tokio::join!(Database::create(), Redis::start());
        let database_url = database.url();
        let redis_url = redis.url();
        let stores = [
            ("EDGE_DATABASE_URL", database_url.as_str()),
            ("EDGE_REDIS_URL", redis_url.as_str()),
            ("EDGE_SERVICE_TOKEN", SERVICE_TOKEN),
        ];
        // One after the other: the first one migrates.
        let first = Part::start("control-plane", &[&stores[..]]).await;
        let second = Part::start("control-plane", &[&stores[..]]).await;
        let addresses = format!("{},{}", first.address(), second.address());
        let peers = [("EDGE_CONTROL_PLANE_URLS", addresses.as_str())];
        let login = Part::start("login", &[&stores[..], &peers]).await;
        let page = [("EDGE_ALLOWED_ORIGINS", login.address()), ("EDGE_ZONES", ZONES)];
        // Players find a game server where it was, however often it is started. Held together,
        // so that they differ.
        let sockets = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a UDP port is free"));
        let realtime = sockets
            .each_ref()
            .map(|socket| socket.local_addr().expect("a bound socket has an address").to_string());
        drop(sockets);
        // Each asks another control plane first.
        let reversed = format!("{},{}", second.address(), first.address());
        let game = async |id: &str, realtime: &str, control_planes: &str| {
            let own = [
                ("EDGE_INSTANCE_ID", id),
                ("EDGE_REALTIME_ADDR", realtime),
                ("EDGE_CONTROL_PLANE_URLS", control_planes),
            ];
            Part::start("game", &[&stores[..], &page, &own, of_games]).await
        };
        let (game_1, game_2) = tokio::join!(
            game("game-1", &realtime[0], &addresses),
            game("game-2", &realtime[1], &reversed)
        );
        let (games, control_planes) = ([game_1, game_2], [first, second]);
        Self { games, login, control_planes, redis, database, page: None }
    }

    /// Starts a backend whose parts reach each other and their stores by [lines](Part::lines)
    /// of their own, and that are found where they were when they are started again.
    ///
    /// # Panics
    /// If a part does not come up.
    pub async fn start_behind_lines() -> Self {
        let (database, redis) = tokio::join!(Database::create(), Redis::start());
        let stores = |lines: &mut Lines| {
            let of_redis = lines.to_redis(redis.socket());
            let of_postgres = lines.to_postgres(database.options());
            [
                ("EDGE_DATABASE_URL", database.url_at(&of_postgres)),
                ("EDGE_REDIS_URL", redis_url(&of_redis)),
                ("EDGE_SERVICE_TOKEN", SERVICE_TOKEN.to_owned()),
            ]
        };
        let control_plane = async || {
            let mut lines = Lines::default();
            let stores = stores(&mut lines);
            Part::start_behind("control-plane", &stores, lines, Vec::new()).await
        };
        let (first, second) = (control_plane().await, control_plane().await);
        let mut control_planes = [first, second];
        let mut page = Lines::default();
        let page_front = page.to_http().await;
        let of_page = page_front.address().to_owned();
        let mut lines = Lines::default();
        let mut variables = stores(&mut lines).to_vec();
        variables.push(ways_to(&mut control_planes, &mut lines).await);
        let mut login =
            Part::start_behind("login", &variables, lines, vec![page_front.clone()]).await;
        login.keep(page);
        let mut games = Vec::new();
        for id in ["game-1", "game-2"] {
            let mut lines = Lines::default();
            let mut variables = stores(&mut lines).to_vec();
            variables.push(ways_to(&mut control_planes, &mut lines).await);
            let mut door = Lines::default();
            let front = door.to_http().await;
            variables.extend([
                ("EDGE_ALLOWED_ORIGINS", of_page.clone()),
                ("EDGE_ZONES", ZONES.to_owned()),
                ("EDGE_INSTANCE_ID", id.to_owned()),
                ("EDGE_PUBLIC_HTTP_URL", front.address().to_owned()),
                ("EDGE_HTTP_ADDR", free_port().await),
            ]);
            let mut game = Part::start_behind("game", &variables, lines, vec![front]).await;
            game.keep(door);
            games.push(game);
        }
        let games = games.try_into().expect("there are two of them");
        Self { games, login, control_planes, redis, database, page: Some(page_front) }
    }

    /// Every part.
    pub fn parts(&self) -> impl Iterator<Item = &Part> {
        self.games.iter().chain([&self.login]).chain(&self.control_planes)
    }

    /// A client of the login server.
    #[must_use]
    pub fn api(&self) -> Api {
        Api::new(self.page.as_ref().map_or_else(|| self.login.address(), Front::address))
    }

    /// A fresh account with one character of this name in the realm `dawn`.
    pub async fn hero(&self, name: &str) -> Hero {
        Hero::create(self.api(), name).await
    }

    /// A character's row.
    ///
    /// # Panics
    /// If there is none.
    pub async fn character(&self, id: CharacterId) -> CharacterRow {
        let row = sqlx::query(
            "SELECT zone, tile_x, tile_y, gathered, session_epoch, raised_session_token, deleted_at
             FROM characters WHERE id = $1::uuid",
        )
        .bind(id.to_string())
        .fetch_one(&mut self.database.side_door().await)
        .await
        .expect("the character has a row");
        let side = |column: &str| {
            u16::try_from(row.get::<i64, _>(column)).expect("a tile lies within a map")
        };
        CharacterRow {
            zone: row.get("zone"),
            tile: Tile { x: side("tile_x"), y: side("tile_y") },
            gathered: row.get("gathered"),
            session_epoch: row.get("session_epoch"),
            raised_session_token: row.get("raised_session_token"),
            is_deleted: row.get::<Option<i64>, _>("deleted_at").is_some(),
        }
    }

    /// The living character of a name.
    ///
    /// # Panics
    /// If the characters cannot be read.
    pub async fn character_id(&self, name: &str) -> Option<CharacterId> {
        let found: Option<String> = sqlx::query_scalar(
            "SELECT id::text FROM characters WHERE name = $1 AND deleted_at IS NULL",
        )
        .bind(name)
        .fetch_optional(&mut self.database.side_door().await)
        .await
        .expect("the characters can be read");
        found.map(|id| id.parse().expect("an id is a UUID"))
    }

    /// Waits until a character's row has it on a tile.
    pub async fn until_saved_at(&self, id: CharacterId, tile: Tile) {
        let what = format!("the character is saved at {tile:?}");
        eventually(&what, HAPPENED, async || (self.character(id).await.tile == tile).then_some(()))
            .await;
    }

    /// The registered instances, as their last heartbeats told it, whether their lease lives
    /// or not.
    ///
    /// # Panics
    /// If a record is not one.
    pub async fn instances(&self) -> BTreeMap<String, InstanceRecord> {
        let texts = self.redis.texts().await;
        let registered = texts.iter().filter(|(key, _)| key.starts_with("registry:instance:"));
        registered
            .map(|(_, text)| {
                let record: InstanceRecord = serde_json::from_str(text).expect("a record is JSON");
                (record.id.to_string(), record)
            })
            .collect()
    }

    /// Waits until the game servers have told the registry twice more that they live.
    ///
    /// # Panics
    /// If they do not.
    pub async fn until_heartbeats(&self) {
        for _ in 0..2 {
            let before = self.instances().await;
            eventually("every game server has sent a heartbeat", HAPPENED, async || {
                let after = self.instances().await;
                let beaten = |(id, record): (&String, &InstanceRecord)| {
                    after.get(id).is_some_and(|later| later.expires_at > record.expires_at)
                };
                before.iter().all(beaten).then_some(())
            })
            .await;
        }
    }

    /// Waits until the roster has a hero's character in the world no more, such as when the
    /// lease of its game server has lapsed.
    ///
    /// # Panics
    /// If it stays there.
    pub async fn until_out_of_the_world(&self, hero: &Hero) {
        eventually("the roster has the character out of the world", LAPSED, async || {
            (!hero.in_roster().await.in_world).then_some(())
        })
        .await;
    }
}

/// The variable that leads a part to the control planes, each by one of its lines.
async fn ways_to(control_planes: &mut [Part; 2], lines: &mut Lines) -> (&'static str, String) {
    let mut addresses = Vec::new();
    for control_plane in control_planes {
        let front = lines.to_http().await;
        front.lead_to(control_plane.address());
        addresses.push(front.address().to_owned());
        control_plane.fronts.push(front);
    }
    ("EDGE_CONTROL_PLANE_URLS", addresses.join(","))
}

impl Part {
    async fn start_behind(
        role: &'static str,
        variables: &[(&'static str, String)],
        lines: Lines,
        fronts: Vec<Front>,
    ) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a temporary folder");
        let variables =
            variables.iter().map(|(name, value)| (String::from(*name), value.clone())).collect();
        let (lines, doors) = (Some(lines), Vec::new());
        let mut part = Self { role, folder, variables, process: None, lines, fronts, doors };
        part.start_again().await;
        part
    }

    /// The ways from this part to everything else.
    ///
    /// # Panics
    /// If the backend was not started behind lines.
    #[must_use]
    pub fn lines(&self) -> &Lines {
        self.lines.as_ref().expect("the backend was started behind lines")
    }

    /// Where players reach it, however often it is started.
    ///
    /// # Panics
    /// If the backend was not started behind lines.
    #[must_use]
    pub fn front(&self) -> &str {
        self.fronts.first().expect("the backend was started behind lines").address()
    }

    /// Keeps the way to this part for as long as the part.
    fn keep(&mut self, door: Lines) {
        self.doors.push(door);
    }

    async fn start(role: &'static str, variables: &[&[(&str, &str)]]) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a temporary folder");
        let pairs = variables.iter().copied().flatten();
        let variables = pairs.map(|(name, value)| (String::from(*name), String::from(*value)));
        let (variables, fronts, doors) = (variables.collect(), Vec::new(), Vec::new());
        let mut part = Self { role, folder, variables, process: None, lines: None, fronts, doors };
        part.start_again().await;
        part
    }

    /// Starts another process of the same name beside it, at addresses of its own.
    ///
    /// # Panics
    /// If it does not come up.
    pub async fn twin(&self) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a temporary folder");
        let (mut variables, fronts, doors) = (self.variables.clone(), Vec::new(), Vec::new());
        variables.retain(|name, _| !matches!(&**name, "EDGE_HTTP_ADDR" | "EDGE_REALTIME_ADDR"));
        let role = self.role;
        let mut part = Self { role, folder, variables, process: None, lines: None, fronts, doors };
        part.start_again().await;
        part
    }

    /// Waits until the process has ended by itself.
    ///
    /// # Panics
    /// If it goes on.
    pub async fn ended(&mut self) -> ExitStatus {
        let log = self.log_file();
        let status = self.process.as_mut().expect("the part runs").ended(&log).await;
        self.process = None;
        status
    }

    /// Starts one that has ended again.
    ///
    /// # Panics
    /// If it runs, or does not come up.
    pub async fn start_again(&mut self) {
        assert!(self.process.is_none(), "role {} has not been stopped", self.role);
        let log = self.log_file();
        let process = Process::start(self.role, self.folder.path(), &log, &self.variables).await;
        // A game server says where players reach it, and listens where it was told to.
        let address = self.variables.get("EDGE_HTTP_ADDR").map_or(process.address(), |own| own);
        for front in &self.fronts {
            front.lead_to(address);
        }
        if self.fronts.is_empty() && !self.variables.contains_key("EDGE_PUBLIC_HTTP_URL") {
            // Others go on knowing it by this address, which is where it listens.
            let address =
                process.address().strip_prefix("http://").expect("parts speak plain HTTP");
            self.variables.insert("EDGE_HTTP_ADDR".to_owned(), address.to_owned());
        }
        self.process = Some(process);
    }

    fn process(&self) -> &Process {
        self.process.as_ref().expect("the part runs")
    }

    /// Where it serves HTTP, such as `http://127.0.0.1:40001`.
    ///
    /// # Panics
    /// If it is not running.
    #[must_use]
    pub fn address(&self) -> &str {
        self.process().address()
    }

    /// Ends it as a crash would.
    ///
    /// # Panics
    /// If it is not running.
    pub async fn kill9(&mut self) {
        self.process.take().expect("the part runs").kill9().await;
    }

    /// Lets it drain and end.
    ///
    /// # Panics
    /// If it does not end in time, or not well.
    pub async fn stop(&mut self) {
        self.process().signal("TERM").await;
        let status = self.ended().await;
        assert!(status.success(), "role {} ended with {status}", self.role);
    }

    /// Stops the process where it is, until it may [go on](Self::go_on).
    ///
    /// # Panics
    /// If it is not running.
    pub async fn pause(&self) {
        self.process().signal("STOP").await;
    }

    /// Lets a paused process go on.
    ///
    /// # Panics
    /// If it is not running.
    pub async fn go_on(&self) {
        self.process().signal("CONT").await;
    }

    /// What it has logged so far.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("server.log")
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let (role, tail) = (self.role, log_tail::of(&self.log_file()));
            eprintln!("--- the end of the log of role {role} ---\n{tail}");
        }
    }
}
