//! Postgres as a family under test: its durable ports, beside the coordination ports of the
//! embedded family.

use std::collections::BTreeMap;
use std::sync::Arc;

use edge_server::stores::postgres::PostgresStores;
use tests::postgres::Database;

use shared::ids::LifecycleId;

use super::family::{Family, Sqlite, Stores};

/// Durable data in a Postgres database of its own, coordination data in a file.
pub(crate) struct Postgres {
    stores: Stores,
    open: Arc<PostgresStores>,
    coordination: Sqlite,
    database: Database,
}

impl Postgres {
    async fn over(database: Database, coordination: Sqlite) -> Self {
        let open = Arc::new(PostgresStores::open(&database.url()).await.unwrap());
        let stores = Stores {
            accounts: open.clone(),
            logins: open.clone(),
            characters: open.clone(),
            legacy_handoffs: open.clone(),
            ..coordination.stores().clone()
        };
        Self { stores, open, coordination, database }
    }

    /// Where the durable data is.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// The store under the durable ports.
    pub(crate) fn open(&self) -> &PostgresStores {
        &self.open
    }
}

impl Family for Postgres {
    async fn fresh() -> Self {
        Self::over(Database::create().await, Sqlite::fresh().await).await
    }

    fn stores(&self) -> &Stores {
        &self.stores
    }

    async fn restart(self) -> Self {
        self.open.close().await;
        Self::over(self.database, self.coordination.restart().await).await
    }

    async fn write_from_the_future(&self, key: &str) {
        self.coordination.write_from_the_future(key).await;
    }

    async fn entry_from_the_future(&self, id: LifecycleId) {
        self.coordination.entry_from_the_future(id).await;
    }

    async fn coordination(&self) -> BTreeMap<String, String> {
        self.coordination.coordination().await
    }
}
