//! The stores of a process: one of the two families, as the ports that everything else knows.

use std::sync::Arc;

use crate::config::{DatabaseArgs, DatabaseFamily, StoreUrls};
use crate::stores::postgres::PostgresStores;
use crate::stores::redis::RedisStores;
use crate::stores::sqlite::SqliteStores;
use crate::stores::{
    AccountStore, CharacterStore, CoordinationGarbage, CoordinationListing, HandoffStore,
    HoldStore, LegacyHandoffStore, LifecycleJournal, LoginStore, PresenceStore, RegistryStore,
    ResumeLedgerStore, TransferMarkerStore,
};

/// Every port, whichever family stands behind it.
#[derive(Clone)]
pub(super) struct Stores {
    pub(super) accounts: Arc<dyn AccountStore>,
    pub(super) logins: Arc<dyn LoginStore>,
    pub(super) characters: Arc<dyn CharacterStore>,
    pub(super) legacy_handoffs: Arc<dyn LegacyHandoffStore>,
    pub(super) handoffs: Arc<dyn HandoffStore>,
    pub(super) holds: Arc<dyn HoldStore>,
    pub(super) transfers: Arc<dyn TransferMarkerStore>,
    pub(super) presence: Arc<dyn PresenceStore>,
    pub(super) ledger: Arc<dyn ResumeLedgerStore>,
    pub(super) registry: Arc<dyn RegistryStore>,
    pub(super) journal: Arc<dyn LifecycleJournal>,
    pub(super) garbage: Arc<dyn CoordinationGarbage>,
    pub(super) listing: Arc<dyn CoordinationListing>,
    family: Family,
}

/// What has to be closed.
#[derive(Clone)]
enum Family {
    Embedded(Arc<SqliteStores>),
    Deployed(Arc<PostgresStores>),
}

impl Stores {
    /// Opens a family and brings its schema up to date.
    ///
    /// # Errors
    /// One line that names what did not open and says what to do.
    pub(super) async fn open(urls: &StoreUrls) -> anyhow::Result<Self> {
        match urls {
            StoreUrls::Embedded { file } => Self::embedded(file).await,
            StoreUrls::Deployed { database, redis } => Self::deployed(database, redis).await,
        }
    }

    async fn embedded(file: &str) -> anyhow::Result<Self> {
        let all = Arc::new(SqliteStores::open(file).await?);
        // The file has one process, and a session ends with it: what an earlier process left
        // of instances and sessions points to nothing.
        let left_over = all.forget_earlier_process().await?;
        if left_over > 0 {
            tracing::info!(left_over, "records of an earlier process were removed");
        }
        Ok(Self {
            accounts: all.clone(),
            logins: all.clone(),
            characters: all.clone(),
            legacy_handoffs: all.clone(),
            handoffs: all.clone(),
            holds: all.clone(),
            transfers: all.clone(),
            presence: all.clone(),
            ledger: all.clone(),
            registry: all.clone(),
            journal: all.clone(),
            garbage: all.clone(),
            listing: all.clone(),
            family: Family::Embedded(all),
        })
    }

    /// What stands in the stores may belong to a process that lives: nothing is forgotten.
    async fn deployed(database: &str, redis: &str) -> anyhow::Result<Self> {
        // Redis first: it is only looked at, and the other is migrated.
        let coordination = Arc::new(RedisStores::open(redis).await?);
        let durable = Arc::new(PostgresStores::open(database).await?);
        Ok(Self {
            accounts: durable.clone(),
            logins: durable.clone(),
            characters: durable.clone(),
            legacy_handoffs: durable.clone(),
            handoffs: coordination.clone(),
            holds: coordination.clone(),
            transfers: coordination.clone(),
            presence: coordination.clone(),
            ledger: coordination.clone(),
            registry: coordination.clone(),
            journal: coordination.clone(),
            garbage: coordination.clone(),
            listing: coordination,
            family: Family::Deployed(durable),
        })
    }

    /// Waits for running steps and gives the stores back.
    pub(super) async fn close(&self) {
        match &self.family {
            Family::Embedded(file) => file.close().await,
            Family::Deployed(durable) => durable.close().await,
        }
    }
}

/// Brings the database to this build's schema.
///
/// # Errors
/// One line that says why the store did not open.
pub async fn migrate(args: &DatabaseArgs) -> anyhow::Result<()> {
    match args.family()? {
        DatabaseFamily::Sqlite => SqliteStores::open(&args.database_url).await?.close().await,
        DatabaseFamily::Postgres => PostgresStores::open(&args.database_url).await?.close().await,
    }
    Ok(())
}
