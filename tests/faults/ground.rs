//! What a little server stands on, and what outlives it: the data of one store family, with
//! what no port offers. Everything here reads and writes behind the back of the ports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use edge_server::stores::postgres::PostgresStores;
use edge_server::stores::redis::RedisStores;
use edge_server::stores::sqlite::SqliteStores;
use serde_json::Value;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{AssertSqlSafe, Connection, Row, SqliteConnection};
use tempfile::TempDir;
use tests::faults::stores::Ports;
use tests::postgres::Database;
use tests::redis::Redis;

/// A payload version of the future.
const FUTURE: u32 = 99;

/// One of the two families of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// One SQLite file.
    Embedded,
    /// Postgres and Redis.
    Deployed,
}

impl Family {
    /// In a word.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::Deployed => "deployed",
        }
    }
}

/// The data of a family, for as long as this value lives.
pub(super) enum Ground {
    Embedded(TempDir),
    Deployed { database: Box<Database>, redis: Box<Redis> },
}

/// The stores as one process has them open.
pub(super) enum OpenStores {
    Embedded(Arc<SqliteStores>),
    Deployed { durable: Arc<PostgresStores>, coordination: Arc<RedisStores> },
}

impl OpenStores {
    pub(super) fn ports(&self) -> Ports {
        match self {
            Self::Embedded(all) => Ports::embedded(all),
            Self::Deployed { durable, coordination } => Ports::deployed(durable, coordination),
        }
    }

    pub(super) async fn close(&self) {
        match self {
            Self::Embedded(all) => all.close().await,
            Self::Deployed { durable, .. } => durable.close().await,
        }
    }
}

impl Ground {
    /// Nothing, yet.
    pub(super) async fn new(family: Family) -> Self {
        match family {
            Family::Embedded => Self::Embedded(folder()),
            Family::Deployed => {
                let (database, redis) = tokio::join!(Database::create(), Redis::start());
                Self::Deployed { database: Box::new(database), redis: Box::new(redis) }
            }
        }
    }

    /// Opens the stores as the composed server does.
    pub(super) async fn open(&self) -> OpenStores {
        match self {
            Self::Embedded(folder) => {
                let url = format!("sqlite://{}", file_in(folder).display());
                let all = Arc::new(SqliteStores::open(&url).await.unwrap());
                all.forget_earlier_process().await.unwrap();
                OpenStores::Embedded(all)
            }
            Self::Deployed { database, redis } => OpenStores::Deployed {
                durable: Arc::new(PostgresStores::open(&database.url()).await.unwrap()),
                coordination: Arc::new(RedisStores::open(&redis.url()).await.unwrap()),
            },
        }
    }

    /// The time of every coordination record is over, but for the living instances' and for
    /// the journal's, which has none.
    pub(super) async fn expire_records(&self) {
        match self {
            Self::Embedded(folder) => {
                let mut door = side_door(folder).await;
                let expire = "DELETE FROM coordination
                     WHERE key NOT LIKE 'registry:%' AND key NOT LIKE 'session:lifecycle:%'";
                sqlx::query(expire).execute(&mut door).await.unwrap();
                door.close().await.unwrap();
            }
            Self::Deployed { redis, .. } => {
                // What an index names and is not there is as good as gone.
                let ends =
                    |key: &String| !key.starts_with("registry:") && !key.starts_with("index:");
                let over: Vec<String> = redis.texts().await.into_keys().filter(ends).collect();
                let words = std::iter::once("DEL").chain(over.iter().map(String::as_str));
                if !over.is_empty() {
                    redis.ask::<u32>(&words.collect::<Vec<_>>()).await;
                }
            }
        }
    }

    /// The records whose key begins so get a payload version of the future.
    pub(super) async fn write_from_the_future(&self, prefix: &str) {
        let mut changed = 0;
        match self {
            Self::Embedded(folder) => {
                let mut door = side_door(folder).await;
                let change = sqlx::query(
                    "UPDATE coordination SET payload_version = ?1,
                     payload = json_set(payload, '$.payload_version', ?1, '$.news', 'unheard of')
                     WHERE key LIKE ?2 || '%'",
                );
                let done = change.bind(FUTURE).bind(prefix).execute(&mut door).await.unwrap();
                changed += done.rows_affected();
                door.close().await.unwrap();
            }
            Self::Deployed { redis, .. } => {
                for (key, text) in redis.texts().await {
                    if key.starts_with(prefix) {
                        let mut record: Value = serde_json::from_str(&text).unwrap();
                        record["payload_version"] = FUTURE.into();
                        record["news"] = "unheard of".into();
                        let text = record.to_string();
                        redis.ask::<()>(&["SET", &key, &text, "KEEPTTL"]).await;
                        changed += 1;
                    }
                }
            }
        }
        assert_ne!(changed, 0, "there is a record {prefix}…");
    }

    /// Every row of every table and every record, as text.
    pub(super) async fn dump(&self) -> BTreeMap<String, Vec<String>> {
        match self {
            Self::Embedded(folder) => dump_of_file(folder).await,
            Self::Deployed { database, redis } => {
                let mut dump = dump_of_database(database).await;
                for (key, text) in redis.texts().await {
                    dump.insert(key, vec![text]);
                }
                dump
            }
        }
    }

    /// Keys of coordination records.
    pub(super) async fn keys(&self) -> Vec<String> {
        match self {
            Self::Embedded(folder) => {
                let mut door = side_door(folder).await;
                let rows = sqlx::query_scalar("SELECT key FROM coordination ORDER BY key");
                let keys = rows.fetch_all(&mut door).await.unwrap();
                door.close().await.unwrap();
                keys
            }
            Self::Deployed { redis, .. } => {
                let mut keys = redis.keys().await;
                keys.retain(|key| !key.starts_with("index:"));
                keys
            }
        }
    }

    /// Those that name a session.
    pub(super) async fn session_keys(&self) -> Vec<String> {
        let names_one =
            |key: &String| key.starts_with("presence:") || key.starts_with("realtime:resume:");
        self.keys().await.into_iter().filter(names_one).collect()
    }
}

async fn dump_of_file(folder: &TempDir) -> BTreeMap<String, Vec<String>> {
    let mut connection = side_door(folder).await;
    let text = |row: &SqliteRow| row.get::<String, _>(0);
    let tables = sqlx::query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    let tables = tables.fetch_all(&mut connection).await.unwrap();
    let mut dump = BTreeMap::new();
    for table in tables.iter().map(text) {
        let columns = sqlx::query("SELECT name FROM pragma_table_info(?)").bind(&table);
        let columns = columns.fetch_all(&mut connection).await.unwrap();
        // In SQLite's own words, blobs included.
        let quoted: Vec<_> = columns.iter().map(|c| format!("quote(\"{}\")", text(c))).collect();
        let rows = format!("SELECT {} FROM \"{table}\" ORDER BY 1", quoted.join("||','||"));
        let rows = sqlx::query(AssertSqlSafe(rows)).fetch_all(&mut connection).await.unwrap();
        dump.insert(table, rows.iter().map(text).collect());
    }
    connection.close().await.unwrap();
    dump
}

async fn dump_of_database(database: &Database) -> BTreeMap<String, Vec<String>> {
    let mut door = database.side_door().await;
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT table_name::text FROM information_schema.tables
         WHERE table_schema = 'public' ORDER BY 1",
    )
    .fetch_all(&mut door)
    .await
    .unwrap();
    let mut dump = BTreeMap::new();
    for table in tables {
        let rows = format!("SELECT t::text FROM \"{table}\" t ORDER BY 1");
        let rows = sqlx::query_scalar(AssertSqlSafe(rows)).fetch_all(&mut door).await.unwrap();
        dump.insert(table, rows);
    }
    dump
}

async fn side_door(folder: &TempDir) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(file_in(folder));
    SqliteConnection::connect_with(&options).await.unwrap()
}

/// A folder in memory, where the system has one: these are deaths of a process, which no
/// disk takes part in, and thousands of commits.
fn folder() -> TempDir {
    let in_memory = Path::new("/dev/shm");
    if in_memory.is_dir() {
        tempfile::tempdir_in(in_memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

fn file_in(folder: &TempDir) -> PathBuf {
    folder.path().join("aether.sqlite")
}
