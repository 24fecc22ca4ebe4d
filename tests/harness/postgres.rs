//! A Postgres database of its own for each test, on the server that `AETHER_POSTGRES` names.
//!
//! `cargo xtask test` and `cargo xtask backends` start such a server and name it. Any other
//! one will do, if the user in the address may create databases there.

use std::env;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection};

use crate::clock;

/// Where tests find the server.
pub const VARIABLE: &str = "AETHER_POSTGRES";

/// A database that is removed with this value.
#[derive(Debug)]
pub struct Database {
    server: PgConnectOptions,
    name: String,
}

impl Database {
    /// Creates an empty database that no other test touches.
    ///
    /// # Panics
    /// If there is no server, with a line that says what to do.
    pub async fn create() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let server = server();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{}_{number}", clock::now().0, std::process::id());
        let created = sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connect(&server).await)
            .await;
        created.unwrap_or_else(|error| panic!("no database can be created: {error}"));
        Self { server, name }
    }

    /// What `EDGE_DATABASE_URL` takes.
    #[must_use]
    pub fn url(&self) -> String {
        self.options().to_url_lossy().into()
    }

    /// The same by another way to the server: a folder that holds a socket.
    #[must_use]
    pub fn url_at(&self, folder: &Path) -> String {
        self.options().socket(folder).to_url_lossy().into()
    }

    /// The name of the database.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A connection beside the server's own.
    pub async fn side_door(&self) -> PgConnection {
        connect(&self.options()).await
    }

    /// Ends every other connection to the database, as a crash or a failover does. Gives how
    /// many there were.
    ///
    /// # Panics
    /// If the server does not let it.
    pub async fn cut_connections(&self) -> i64 {
        self.cut("TRUE").await
    }

    /// Ends the connections that wait for a lock; whoever holds it goes on holding it. Gives
    /// how many there were.
    ///
    /// # Panics
    /// If the server does not let it.
    pub async fn cut_waiting_connections(&self) -> i64 {
        self.cut("wait_event_type = 'Lock'").await
    }

    async fn cut(&self, which: &'static str) -> i64 {
        let cut = format!(
            "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
             WHERE datname = $1 AND pid <> pg_backend_pid() AND {which}"
        );
        sqlx::query_scalar(AssertSqlSafe(cut))
            .bind(&self.name)
            .fetch_one(&mut connect(&self.server).await)
            .await
            .expect("the user of tests may end connections")
    }

    /// What connects to it.
    #[must_use]
    pub fn options(&self) -> PgConnectOptions {
        self.server.clone().database(&self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), std::mem::take(&mut self.name));
        // In a thread of its own: the test's runtime may be waiting for this very drop.
        let removal = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime can be made");
            runtime.block_on(async {
                let statement = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
                sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connect(&server).await).await
            })
        });
        if !matches!(removal.join(), Ok(Ok(_))) {
            eprintln!("a database of the tests was left behind; the server's end removes it");
        }
    }
}

/// The server that the variable names.
fn server() -> PgConnectOptions {
    let Some(url) = env::var(VARIABLE).ok().filter(|url| !url.is_empty()) else {
        panic!(
            "{VARIABLE} names no Postgres server: run this as `cargo xtask backends cargo nextest \
             run -p tests …`, which starts one, or name one whose user may create databases, \
             such as postgres://user:password@localhost/postgres"
        )
    };
    url.parse().unwrap_or_else(|error| panic!("{VARIABLE} is no address of Postgres: {error}"))
}

async fn connect(options: &PgConnectOptions) -> PgConnection {
    options.connect().await.unwrap_or_else(|error| {
        panic!("the Postgres server that {VARIABLE} names does not answer: {error}")
    })
}
