//! How far a schema has been brought: the journal of migrations that sqlx keeps in each
//! database, judged the same way by every family.

use std::fmt::Display;

use sqlx::migrate::Migrator;

/// The newest migration that a database has seen; it has a journal.
pub(super) const NEWEST_APPLIED: &str = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations";

/// A newer build has brought the schema further than this one knows.
#[derive(Debug, thiserror::Error)]
#[error(
    "{database} has schema {found}, and this build knows up to {known}: run the newer build, or restore a backup from before it"
)]
pub struct NewerSchema {
    /// The database, as an operator knows it.
    pub database: String,
    /// The newest migration in the database.
    pub found: i64,
    /// The newest migration of this build.
    pub known: i64,
}

/// Refuses a schema whose newest migration is none of this build's.
pub(super) fn check(
    database: impl Display,
    found: i64,
    migrations: &Migrator,
) -> Result<(), NewerSchema> {
    let known = migrations.iter().map(|migration| migration.version).max().unwrap_or(0);
    if found > known {
        return Err(NewerSchema { database: database.to_string(), found, known });
    }
    Ok(())
}
