//! A store family under test, and races over it.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use edge_server::stores::keys;
use edge_server::stores::sqlite::SqliteStores;
use shared::ids::LifecycleId;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, Row, SqliteConnection};
use tempfile::TempDir;
/// Every port, as flows see them.
pub(crate) use tests::faults::stores::Ports as Stores;
use tokio::task::JoinSet;

/// What a store family has to offer to be tested.
pub(crate) trait Family: Sized {
    /// Empty stores that no other test touches.
    fn fresh() -> impl Future<Output = Self>;

    /// The ports.
    fn stores(&self) -> &Stores;

    /// Ends the server and starts it again over the same data.
    fn restart(self) -> impl Future<Output = Self>;

    /// Gives the coordination record under `key` a payload version of the future, behind
    /// the back of the ports.
    fn write_from_the_future(&self, key: &str) -> impl Future<Output = ()>;

    /// Gives an entry of the lifecycle journal's queue a payload version of the future.
    fn entry_from_the_future(&self, id: LifecycleId) -> impl Future<Output = ()>;

    /// Every coordination record as it is stored, by key.
    fn coordination(&self) -> impl Future<Output = BTreeMap<String, String>>;
}

/// The embedded family, over a file in a folder of its own.
pub(crate) struct Sqlite {
    stores: Stores,
    open: Arc<SqliteStores>,
    folder: TempDir,
}

/// The address of a database file.
pub(crate) fn sqlite_url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// A connection beside the server's own, for what no port offers.
pub(crate) async fn side_door(file: &Path) -> SqliteConnection {
    SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(file)).await.unwrap()
}

impl Sqlite {
    fn file(folder: &TempDir) -> PathBuf {
        folder.path().join("aether.db")
    }

    /// Opens the file in a folder, which goes away with the family.
    pub(crate) async fn over(folder: TempDir) -> Self {
        let open = SqliteStores::open(&sqlite_url(&Self::file(&folder))).await.unwrap();
        let open = Arc::new(open);
        let stores = Stores::embedded(&open);
        Self { stores, open, folder }
    }

    /// Closes the file under whoever still asks for it.
    pub(crate) async fn close(&self) {
        self.open.close().await;
    }
}

impl Family for Sqlite {
    async fn fresh() -> Self {
        Self::over(tempfile::tempdir().unwrap()).await
    }

    fn stores(&self) -> &Stores {
        &self.stores
    }

    async fn restart(self) -> Self {
        self.open.close().await;
        Self::over(self.folder).await
    }

    async fn write_from_the_future(&self, key: &str) {
        let changed = sqlx::query(
            "UPDATE coordination SET payload_version = 2,
             payload = json_set(payload, '$.payload_version', 2, '$.news', 'unheard of')
             WHERE key = ?",
        )
        .bind(key)
        .execute(&mut side_door(&Self::file(&self.folder)).await)
        .await
        .unwrap();
        assert_eq!(changed.rows_affected(), 1, "no record under {key}");
    }

    async fn entry_from_the_future(&self, id: LifecycleId) {
        self.write_from_the_future(&format!("{}:{id}", keys::LIFECYCLE_QUEUE)).await;
    }

    async fn coordination(&self) -> BTreeMap<String, String> {
        let rows =
            sqlx::query("SELECT key, payload, payload_version, expires_at FROM coordination")
                .fetch_all(&mut side_door(&Self::file(&self.folder)).await)
                .await
                .unwrap();
        rows.iter()
            .map(|row| {
                let (payload, version, end): (String, i64, i64) =
                    (row.get(1), row.get(2), row.get(3));
                (row.get(0), format!("v{version} until {end}: {payload}"))
            })
            .collect()
    }
}

/// Runs all contestants at once and gives their results in the order of their numbers.
pub(crate) async fn race<T, F>(contestants: usize, run: impl Fn(usize) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut set = JoinSet::new();
    for number in 0..contestants {
        let run = run(number);
        set.spawn(async move { (number, run.await) });
    }
    let mut results = set.join_all().await;
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
