//! A look into the server's database file while it runs, as a person with the `sqlite3`
//! shell has it; and the few changes that no client can make, such as the passing of time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use shared::coordination::InstanceRecord;
use shared::ids::CharacterId;
use shared::limits::ADMISSION_RESERVATION_LIFE;
use shared::world::Tile;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};
use sqlx::{Connection, Row, SqliteConnection};

use crate::patience::{HAPPENED, eventually};

/// How long a look or a change waits for the server's writer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A reading connection.
#[derive(Clone, Debug)]
pub struct Store {
    file: PathBuf,
    readers: SqlitePool,
}

/// A character's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterRow {
    /// The zone.
    pub zone: String,
    /// The tile in it.
    pub tile: Tile,
    /// Flowers gathered.
    pub gathered: i64,
    /// Raised at every change of authority.
    pub session_epoch: i64,
    /// The session that raised it last.
    pub raised_session_token: Option<String>,
    /// Whether the character has been deleted.
    pub is_deleted: bool,
}

/// A coordination row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinationRow {
    /// The record as JSON.
    pub payload: String,
    /// The version beside it.
    pub payload_version: i64,
    /// When it ends.
    pub expires_at: i64,
}

/// The place of the file's writer, taken from the server.
#[derive(Debug)]
pub struct OccupiedWriter(SqliteConnection);

impl OccupiedWriter {
    /// Gives it back, with nothing written.
    ///
    /// # Panics
    /// If it was lost meanwhile.
    pub async fn give_back(self) {
        self.0.close().await.expect("the connection closes, and its transaction with it");
    }
}

impl Store {
    /// Opens the database file of a server.
    ///
    /// # Panics
    /// If it cannot be read.
    pub async fn open(file: &Path) -> Self {
        let options =
            SqliteConnectOptions::new().filename(file).read_only(true).busy_timeout(BUSY_TIMEOUT);
        let readers = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options)
            .await
            .expect("the server's database can be read");
        Self { file: file.to_owned(), readers }
    }

    /// A character's row.
    ///
    /// # Panics
    /// If there is none.
    pub async fn character(&self, id: CharacterId) -> CharacterRow {
        let row = sqlx::query(
            "SELECT zone, tile_x, tile_y, gathered, session_epoch, raised_session_token, deleted_at
             FROM characters WHERE id = ?",
        )
        .bind(id.to_string())
        .fetch_one(&self.readers)
        .await
        .expect("the character has a row");
        CharacterRow {
            zone: row.get("zone"),
            tile: Tile { x: row.get("tile_x"), y: row.get("tile_y") },
            gathered: row.get("gathered"),
            session_epoch: row.get("session_epoch"),
            raised_session_token: row.get("raised_session_token"),
            is_deleted: row.get::<Option<i64>, _>("deleted_at").is_some(),
        }
    }

    /// The living character of a name.
    ///
    /// # Panics
    /// If the database cannot be read.
    pub async fn character_id(&self, name: &str) -> Option<CharacterId> {
        let found: Option<String> =
            sqlx::query_scalar("SELECT id FROM characters WHERE name = ? AND deleted_at IS NULL")
                .bind(name)
                .fetch_optional(&self.readers)
                .await
                .expect("the characters can be read");
        found.map(|id| id.parse().expect("an id is a UUID"))
    }

    /// Coordination rows whose key begins with `prefix`, by key.
    ///
    /// # Panics
    /// If the database cannot be read.
    pub async fn coordination(&self, prefix: &str) -> BTreeMap<String, CoordinationRow> {
        let rows =
            sqlx::query("SELECT key, payload, payload_version, expires_at FROM coordination")
                .fetch_all(&self.readers)
                .await
                .expect("the coordination table can be read");
        rows.iter()
            .map(|row| {
                let value = CoordinationRow {
                    payload: row.get("payload"),
                    payload_version: row.get("payload_version"),
                    expires_at: row.get("expires_at"),
                };
                (row.get::<String, _>("key"), value)
            })
            .filter(|(key, _)| key.starts_with(prefix))
            .collect()
    }

    /// The only key that begins with `prefix`.
    ///
    /// # Panics
    /// If there is none, or another one.
    pub async fn only_key(&self, prefix: &str) -> String {
        let rows = self.coordination(prefix).await;
        let mut keys = rows.into_keys();
        match (keys.next(), keys.next()) {
            (Some(key), None) => key,
            (first, second) => panic!("expected one key {prefix}…, found {first:?}, {second:?}"),
        }
    }

    /// Keys of everything that names a session or a place in the world: presence, ledger.
    pub async fn session_keys(&self) -> Vec<String> {
        let names_a_session =
            |key: &String| key.starts_with("presence:") || key.starts_with("realtime:resume:");
        self.coordination("").await.into_keys().filter(names_a_session).collect()
    }

    /// The registered instances, as their last heartbeats told it.
    ///
    /// # Panics
    /// If a registry record is not what it should be.
    pub async fn instances(&self) -> Vec<InstanceRecord> {
        let rows = self.coordination("registry:instance:").await;
        let read = |row: &CoordinationRow| {
            serde_json::from_str(&row.payload).expect("a registry record is readable")
        };
        rows.values().map(read).collect()
    }

    /// Waits until a heartbeat from now on tells that this many seats are taken: reserved,
    /// pending and active ones. The wait is too short for a forgotten reservation to end by
    /// itself.
    pub async fn until_seats_taken(&self, seats: u32) {
        let latest = |all: &[InstanceRecord]| all.iter().map(|one| one.expires_at).max();
        let before = latest(&self.instances().await);
        let what = format!("{seats} seats are taken");
        eventually(&what, ADMISSION_RESERVATION_LIFE / 2, async || {
            let now = self.instances().await;
            let zones = now.iter().flat_map(|instance| &instance.zones);
            let taken: u32 = zones.map(|zone| zone.occupied).sum();
            (latest(&now) > before && taken == seats).then_some(())
        })
        .await;
    }

    /// Waits until nothing names a session any more.
    pub async fn until_nobody_is_in_the_world(&self) {
        eventually("no presence and no ledger entry is left", HAPPENED, async || {
            self.session_keys().await.is_empty().then_some(())
        })
        .await;
    }

    /// Waits until a character's row shows a tile.
    pub async fn until_saved_at(&self, id: CharacterId, tile: Tile) {
        let what = format!("the row shows {tile}");
        eventually(&what, HAPPENED, async || (self.character(id).await.tile == tile).then_some(()))
            .await;
    }

    /// Makes a coordination row expire, as if its time had passed.
    ///
    /// # Panics
    /// If there is no such row.
    pub async fn expire(&self, key: &str) {
        self.change(
            "UPDATE coordination SET expires_at = 1,
             payload = json_set(payload, '$.expires_at', 1) WHERE key = ?",
            key,
        )
        .await;
    }

    /// Keeps the registry believing what it says of an instance now: what later heartbeats
    /// write is dropped.
    ///
    /// # Panics
    /// If there is no such instance.
    pub async fn freeze_registry(&self, instance: &str) {
        let key = format!("registry:instance:{instance}");
        self.change(
            "UPDATE coordination SET expires_at = 9000000000000,
             payload = json_set(payload, '$.expires_at', 9000000000000)
             WHERE key = ?",
            &key,
        )
        .await;
        let drops = format!(
            "CREATE TRIGGER frozen BEFORE INSERT ON coordination WHEN NEW.key = '{key}'
             BEGIN SELECT RAISE(IGNORE); END"
        );
        let mut writer = self.writer().await;
        let frozen = sqlx::query(sqlx::AssertSqlSafe(drops)).execute(&mut writer).await;
        frozen.expect("the server's writer makes room in time");
        writer.close().await.expect("the change is written");
    }

    /// Gives a coordination row a payload version of the future.
    ///
    /// # Panics
    /// If there is no such row.
    pub async fn write_from_the_future(&self, key: &str) {
        self.change(
            "UPDATE coordination SET payload_version = 99,
             payload = json_set(payload, '$.payload_version', 99, '$.news', 'unheard of')
             WHERE key = ?",
            key,
        )
        .await;
    }

    /// Takes the place of the one writer that the file can have: until it is given back,
    /// nothing that the server wants to write is written.
    ///
    /// # Panics
    /// If the server does not make room in time.
    pub async fn occupy_the_writer(&self) -> OccupiedWriter {
        let mut writer = self.writer().await;
        let begun = sqlx::query("BEGIN IMMEDIATE").execute(&mut writer).await;
        begun.expect("the server's writer makes room in time");
        OccupiedWriter(writer)
    }

    async fn writer(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(&self.file).busy_timeout(BUSY_TIMEOUT);
        let opened = SqliteConnection::connect_with(&options).await;
        opened.expect("a second process may write to the file")
    }

    async fn change(&self, statement: &'static str, key: &str) {
        let mut writer = self.writer().await;
        let changed = sqlx::query(statement)
            .bind(key)
            .execute(&mut writer)
            .await
            .expect("the server's writer makes room in time");
        assert_eq!(changed.rows_affected(), 1, "there is a row under {key}");
        writer.close().await.expect("the change is written");
    }
}
