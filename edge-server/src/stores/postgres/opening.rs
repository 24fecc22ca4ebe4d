//! Opens the database of a deployment, or says in one line why not.
//!
//! A connection of its own looks first, and migrates under an advisory lock: of several
//! processes that start at once one migrates and the others wait for it. The pool is made
//! once the schema is this build's.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, PgConnection, Row};
use tokio::time::timeout;

use super::steps::sql_state;
use super::{
    ACQUIRE_TIMEOUT, CONNECT_TIMEOUT, IDLE_TIMEOUT, MAX_CONNECTIONS, MAX_LIFETIME, PostgresStores,
    SILENCE_TIMEOUT, STATEMENT_TIMEOUT,
};
use crate::stores::schema::{self, NewerSchema};

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations/postgres");

/// What the address of the database has to begin with.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Under what name the server lists the connections.
const APPLICATION: &str = "aether";

/// A database as an operator knows it: without the user and the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Database {
    host: String,
    port: u16,
    socket: Option<PathBuf>,
    name: Option<String>,
}

impl Database {
    fn of(options: &PgConnectOptions) -> Self {
        Self {
            host: options.get_host().to_owned(),
            port: options.get_port(),
            socket: options.get_socket().cloned(),
            name: options.get_database().map(str::to_owned),
        }
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.socket {
            Some(socket) => write!(f, "Postgres at {}", socket.display())?,
            None => write!(f, "Postgres at {}:{}", self.host, self.port)?,
        }
        match &self.name {
            Some(name) => write!(f, ", database {name}"),
            None => Ok(()),
        }
    }
}

/// Why the database did not open. Each is one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address does not parse.
    #[error(
        "EDGE_DATABASE_URL is no address of a Postgres database ({reason}): write postgres://USER:PASSWORD@HOST/DATABASE"
    )]
    BadUrl {
        /// What is wrong with it, without the address itself: it may hold a password.
        reason: String,
    },
    /// Nobody answers there, or not as a Postgres server with the asked encryption does.
    #[error("{database} cannot be reached ({reason}): start it or correct EDGE_DATABASE_URL")]
    Unreachable {
        /// Which database.
        database: Database,
        /// What the system said.
        reason: String,
    },
    /// The server does not let this user in, or has no such database.
    #[error(
        "{database} refuses the connection ({reason}): create user and database, or correct EDGE_DATABASE_URL"
    )]
    NotAdmitted {
        /// Which database.
        database: Database,
        /// What the server said.
        reason: String,
    },
    /// There are tables, and none that this server has made.
    #[error("{database} belongs to another program: name an empty one in EDGE_DATABASE_URL")]
    Foreign {
        /// Which database.
        database: Database,
    },
    /// A newer build has brought the schema further than this one knows.
    #[error(transparent)]
    NewerSchema(#[from] NewerSchema),
    /// Another process migrates, and has not finished in time.
    #[error(
        "{database} is being migrated by another process for more than {waited:?}: start again when it has finished"
    )]
    MigrationBusy {
        /// Which database.
        database: Database,
        /// How long this process has waited.
        waited: Duration,
    },
    /// The schema could not be brought up to date; nothing of the failed step remains.
    #[error("cannot migrate {database}: {reason}")]
    Migration {
        /// Which database.
        database: Database,
        /// What went wrong.
        reason: String,
    },
    /// Anything else that the server refuses.
    #[error("cannot open {database}: {reason}")]
    Failed {
        /// Which database.
        database: Database,
        /// What the server said.
        reason: String,
    },
}

pub(super) async fn open(url: &str, migration_wait: Duration) -> Result<PostgresStores, OpenError> {
    let options = parse(url)?;
    let database = Database::of(&options);
    let mut first = connect(&options, migration_wait, &database).await?;
    bring_up_to_date(&mut first, &database, migration_wait).await?;
    first.close().await.map_err(|error| failed(&database, &error))?;
    let pool = PgPoolOptions::new()
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .idle_timeout(IDLE_TIMEOUT)
        .max_lifetime(MAX_LIFETIME)
        // One short question before each step, for which no step fails on a connection that
        // was lost while nobody used it.
        .test_before_acquire(true)
        .connect_lazy_with(options.options([
            ("statement_timeout", milliseconds(STATEMENT_TIMEOUT)),
            ("idle_in_transaction_session_timeout", milliseconds(SILENCE_TIMEOUT)),
        ]));
    Ok(PostgresStores { pool })
}

fn parse(url: &str) -> Result<PgConnectOptions, OpenError> {
    if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
        return Err(OpenError::BadUrl { reason: "it does not begin with postgres://".to_owned() });
    }
    let options: PgConnectOptions =
        url.parse().map_err(|error: sqlx::Error| OpenError::BadUrl { reason: line(&error) })?;
    Ok(options
        .application_name(APPLICATION)
        // Locks are what steps rely on, at the level that reads anew after a wait.
        .options([("default_transaction_isolation", "read committed")]))
}

/// The connection that looks and migrates. It may take its time over a statement, but not
/// over a lock.
async fn connect(
    options: &PgConnectOptions,
    migration_wait: Duration,
    database: &Database,
) -> Result<PgConnection, OpenError> {
    let options = options.clone().options([
        ("lock_timeout", milliseconds(migration_wait)),
        ("statement_timeout", "0".to_owned()),
    ]);
    let unreachable = |reason| OpenError::Unreachable { database: database.clone(), reason };
    match timeout(CONNECT_TIMEOUT, options.connect()).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(match &error {
            sqlx::Error::Database(_) => failed(database, &error),
            error => unreachable(line(error)),
        }),
        Err(_) => Err(unreachable(format!("no answer within {CONNECT_TIMEOUT:?}"))),
    }
}

/// Refuses what the migrations must not touch, and runs those that the database lacks.
async fn bring_up_to_date(
    first: &mut PgConnection,
    database: &Database,
    migration_wait: Duration,
) -> Result<(), OpenError> {
    // In one statement: another process may be making the first tables.
    let look = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL,
                EXISTS (SELECT FROM pg_tables WHERE schemaname = current_schema())";
    let found =
        sqlx::query(look).fetch_one(&mut *first).await.map_err(|error| failed(database, &error))?;
    let (has_journal, has_tables): (bool, bool) = (found.get(0), found.get(1));
    if has_tables && !has_journal {
        return Err(OpenError::Foreign { database: database.clone() });
    }
    match MIGRATIONS.run_direct(None, &mut *first, false).await {
        Ok(()) => Ok(()),
        Err(error) => {
            if matches!(error, MigrateError::VersionMissing(_)) {
                let newest: i64 = sqlx::query_scalar(schema::NEWEST_APPLIED)
                    .fetch_one(&mut *first)
                    .await
                    .map_err(|error| failed(database, &error))?;
                schema::check(database, newest, &MIGRATIONS)?;
            }
            Err(not_migrated(database, &error, migration_wait))
        }
    }
}

fn not_migrated(database: &Database, error: &MigrateError, waited: Duration) -> OpenError {
    const LOCK_NOT_AVAILABLE: &str = "55P03";
    let database = database.clone();
    match error {
        MigrateError::Execute(error) if sql_state(error).as_deref() == Some(LOCK_NOT_AVAILABLE) => {
            OpenError::MigrationBusy { database, waited }
        }
        error => OpenError::Migration { database, reason: line(error) },
    }
}

/// Sorts what the server says by its class
/// (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
fn failed(database: &Database, error: &sqlx::Error) -> OpenError {
    const INVALID_AUTHORIZATION: &str = "28";
    const NO_SUCH_DATABASE: &str = "3D";
    const INSUFFICIENT_PRIVILEGE: &str = "42501";
    let (database, reason) = (database.clone(), line(error));
    let state = sql_state(error).unwrap_or_default();
    let is_of = |class: &str| state.starts_with(class);
    if [INVALID_AUTHORIZATION, NO_SUCH_DATABASE, INSUFFICIENT_PRIVILEGE].into_iter().any(is_of) {
        OpenError::NotAdmitted { database, reason }
    } else {
        OpenError::Failed { database, reason }
    }
}

/// An error as one line.
fn line(error: &dyn fmt::Display) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn milliseconds(time: Duration) -> String {
    time.as_millis().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_does_not_parse_is_refused_without_repeating_it() {
        for url in [
            "",
            "sqlite://data/aether.db",
            "mysql://mara:secret@host/aether",
            "postgres://mara:secret@host:no-port/aether",
            "postgres://mara:secret@host/aether?sslmode=perhaps",
        ] {
            let error = parse(url).unwrap_err();
            assert!(matches!(error, OpenError::BadUrl { .. }), "{url}: {error}");
            let line = error.to_string();
            assert!(line.contains("postgres://USER:PASSWORD@HOST/DATABASE"), "{line}");
            assert!(!line.contains("secret") && !line.contains('\n'), "{line}");
        }
    }

    #[test]
    fn a_database_is_shown_without_user_and_password() {
        for (url, shown) in [
            (
                "postgres://mara:secret@db.example/aether",
                "Postgres at db.example:5432, database aether",
            ),
            ("postgresql://mara:secret@[::1]:6000/a", "Postgres at [::1]:6000, database a"),
            ("postgres://mara:secret@%2Frun%2Fpg/a", "Postgres at /run/pg, database a"),
        ] {
            assert_eq!(Database::of(&parse(url).unwrap()).to_string(), shown);
        }
    }
}
