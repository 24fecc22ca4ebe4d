//! Opens the file of the embedded store, or says in one line why not.
//!
//! The order matters: the lock comes before the first look into the file, and every
//! refusal before the first write to it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{AssertSqlSafe, Connection, SqliteConnection, SqlitePool};

use super::{BUSY_TIMEOUT, CONNECTION_WAIT, READERS, SqliteStores};
use crate::stores::schema::{self, NewerSchema};

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations/sqlite");

/// Written into the head of the file: `AETH`. A database without it belongs to another
/// program.
const APPLICATION_ID: i32 = 0x4145_5448;

/// What the address of the database has to look like.
const SCHEME: &str = "sqlite://";

/// Why the embedded store did not open. Each is one line for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is not `sqlite://` and a path.
    #[error(
        "EDGE_DATABASE_URL {url:?} names no file: write sqlite:// and a path without parameters, such as sqlite://data/aether.db"
    )]
    BadUrl {
        /// The address as it was given.
        url: String,
    },
    /// The folder or the file cannot be created or written.
    #[error(
        "cannot write {}: {reason}; make it writable or choose another EDGE_DATABASE_URL", .path.display()
    )]
    Unwritable {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Another process holds the file.
    #[error(
        "another Aether server uses {}: stop it or choose another EDGE_DATABASE_URL", .path.display()
    )]
    InUse {
        /// The database file.
        path: PathBuf,
    },
    /// The file is not a database, or a damaged one.
    #[error(
        "{} is damaged or no SQLite database ({reason}): restore a backup, move it away, or choose another EDGE_DATABASE_URL", .path.display()
    )]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
    /// The file is a database of another program.
    #[error(
        "{} is a database of another program: choose another EDGE_DATABASE_URL", .path.display()
    )]
    Foreign {
        /// The database file.
        path: PathBuf,
    },
    /// A newer build has brought the schema further than this one knows.
    #[error(transparent)]
    NewerSchema(#[from] NewerSchema),
    /// The schema could not be brought up to date; nothing of the failed step remains.
    #[error("cannot migrate {}: {reason}", .path.display())]
    Migration {
        /// The database file.
        path: PathBuf,
        /// What went wrong.
        reason: String,
    },
    /// Anything else that SQLite refuses, such as a lock held for too long.
    #[error("cannot open {}: {reason}", .path.display())]
    Failed {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        reason: String,
    },
}

pub(super) async fn open(url: &str) -> Result<SqliteStores, OpenError> {
    let path = database_path(url)?;
    let lock = lock(&path)?;
    touch(&path)?;

    let file = SqliteConnectOptions::new().filename(&path).busy_timeout(BUSY_TIMEOUT);
    // A connection of its own looks first: setting WAL, as the writer does on connecting,
    // is a write already.
    let mut first = SqliteConnection::connect_with(&file.clone().read_only(true))
        .await
        .map_err(|error| failed(&path, &error))?;
    let is_new = inspect(&mut first, &path).await?;
    first.close().await.map_err(|error| failed(&path, &error))?;

    let writer = pool(1)
        .connect_with(
            file.clone()
                .foreign_keys(true)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full),
        )
        .await
        .map_err(|error| failed(&path, &error))?;
    if let Err(error) = bring_up_to_date(&writer, &path, is_new).await {
        writer.close().await;
        return Err(error);
    }
    match pool(READERS).connect_with(file.read_only(true)).await {
        Ok(readers) => Ok(SqliteStores { writer, readers, lock, path }),
        Err(error) => {
            writer.close().await;
            Err(failed(&path, &error))
        }
    }
}

/// Signs a new file and runs the migrations that it lacks.
async fn bring_up_to_date(writer: &SqlitePool, path: &Path, is_new: bool) -> Result<(), OpenError> {
    if is_new {
        sqlx::query(AssertSqlSafe(format!("PRAGMA application_id = {APPLICATION_ID}")))
            .execute(writer)
            .await
            .map_err(|error| failed(path, &error))?;
    }
    MIGRATIONS.run(writer).await.map_err(|error| match error {
        MigrateError::Execute(error) => failed(path, &error),
        error => OpenError::Migration { path: path.to_owned(), reason: error.to_string() },
    })
}

/// A pool whose connections stay: a file has no network that could lose them.
fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(CONNECTION_WAIT)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

/// Refuses what the migrations must not touch; gives whether the file is new.
async fn inspect(file: &mut SqliteConnection, path: &Path) -> Result<bool, OpenError> {
    if ask(file, path, "SELECT count(*) FROM sqlite_schema").await? == 0 {
        return Ok(true);
    }
    if ask(file, path, "PRAGMA application_id").await? != i64::from(APPLICATION_ID) {
        return Err(OpenError::Foreign { path: path.to_owned() });
    }
    let check: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(&mut *file)
        .await
        .map_err(|error| failed(path, &error))?;
    if check != "ok" {
        let reason = check.replace('\n', " ");
        return Err(OpenError::Damaged { path: path.to_owned(), reason });
    }
    let journal = "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'";
    if ask(file, path, journal).await? != 0 {
        let found = ask(file, path, schema::NEWEST_APPLIED).await?;
        schema::check(path.display(), found, &MIGRATIONS)?;
    }
    Ok(false)
}

async fn ask(
    file: &mut SqliteConnection,
    path: &Path,
    question: &'static str,
) -> Result<i64, OpenError> {
    sqlx::query_scalar(question).fetch_one(file).await.map_err(|error| failed(path, &error))
}

/// The file that the address names, in its folder, which exists from then on. Links are
/// resolved, so that two names of one file meet at one lock.
fn database_path(url: &str) -> Result<PathBuf, OpenError> {
    let bad = || OpenError::BadUrl { url: url.to_owned() };
    let text = url.strip_prefix(SCHEME).ok_or_else(bad)?;
    // The characters that SQLite or other tools read as parameters; `:memory:` is no file.
    if text.contains(['?', '#']) || text.starts_with(':') || text.ends_with('/') {
        return Err(bad());
    }
    let path = Path::new(text);
    let name = path.file_name().ok_or_else(bad)?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let unwritable = |error: io::Error| unwritable(folder, &error);
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let folder = folder.canonicalize().map_err(unwritable)?;
    let path = folder.join(name);
    Ok(path.canonicalize().unwrap_or(path))
}

/// Takes `<file>.lock` for this process. The lock file itself stays: removing it would
/// let two processes lock two files of one name.
fn lock(path: &Path) -> Result<File, OpenError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    let file =
        private().open(&name).map_err(|error| unwritable(path.parent().unwrap_or(path), &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path: path.to_owned() }),
        Err(TryLockError::Error(error)) => Err(unwritable(&name, &error)),
    }
}

/// Creates the file where it is missing and finds out whether it can be written, which
/// SQLite would tell at the first write only.
fn touch(path: &Path) -> Result<(), OpenError> {
    private().open(path).map(drop).map_err(|error| unwritable(path, &error))
}

/// Opens for writing; what it creates is for the server's own user alone, because it
/// holds password hashes.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn unwritable(path: &Path, error: &io::Error) -> OpenError {
    OpenError::Unwritable { path: path.to_owned(), reason: error.to_string() }
}

/// Sorts what SQLite says by its primary result code (<https://sqlite.org/rescode.html>).
fn failed(path: &Path, error: &sqlx::Error) -> OpenError {
    const READONLY: i32 = 8;
    const CORRUPT: i32 = 11;
    const FULL: i32 = 13;
    const NOTADB: i32 = 26;

    let path = path.to_owned();
    let code = match error {
        sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<i32>().ok()),
        _ => None,
    };
    let reason = match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        error => error.to_string(),
    };
    match code.map(|code| code & 0xff) {
        Some(CORRUPT | NOTADB) => OpenError::Damaged { path, reason },
        Some(READONLY | FULL) => OpenError::Unwritable { path, reason },
        _ => OpenError::Failed { path, reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_file_says_what_to_write() {
        for url in [
            "",
            "aether.db",
            "postgres://localhost/aether",
            "sqlite::memory:",
            "sqlite://",
            "sqlite://:memory:",
            "sqlite:///",
            "sqlite:///tmp/",
            "sqlite:///tmp/aether.db?mode=rwc",
        ] {
            let error = database_path(url).unwrap_err();
            assert!(matches!(error, OpenError::BadUrl { .. }), "{url}: {error}");
            assert!(error.to_string().contains("sqlite://data/aether.db"), "{error}");
        }
    }
}
