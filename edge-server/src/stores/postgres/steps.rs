//! How a step of the store is carried out: on one connection, within a bounded time, and
//! again where the server says that others were in its way. It is the one owner of that
//! retry, and sorts what the server says into outages and bugs.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};
use tokio::time::timeout;

use super::{PostgresStores, STEP_TIMEOUT, STEP_TRIES};
use crate::stores::{StoreError, StoreResult};

/// Why a step did not come to its end.
#[derive(Debug)]
pub(super) enum Failure {
    /// Others were in its way. The server has undone all of it, so it can be tried again.
    Conflict(String),
    /// Another try would end the same, or nobody knows how this one ended.
    Final(StoreError),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        const SERIALIZATION_FAILURE: &str = "40001";
        const DEADLOCK_DETECTED: &str = "40P01";
        match sql_state(&error).as_deref() {
            Some(SERIALIZATION_FAILURE | DEADLOCK_DETECTED) => Self::Conflict(error.to_string()),
            _ => Self::Final(classified(error)),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Final(error)
    }
}

impl PostgresStores {
    /// Carries out a step, again if others were in its way.
    pub(super) async fn tried<T, F>(&self, attempt: impl Fn() -> F) -> StoreResult<T>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let tries = async {
            for _ in 1..STEP_TRIES {
                match attempt().await {
                    Err(Failure::Conflict(reason)) => {
                        tracing::debug!(reason, "a step is tried again");
                    }
                    ended => return ended,
                }
            }
            attempt().await
        };
        match timeout(STEP_TIMEOUT, tries).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(Failure::Conflict(reason))) => {
                tracing::warn!(reason, tries = STEP_TRIES, "others were always in a step's way");
                Err(StoreError::Unavailable(reason))
            }
            Ok(Err(Failure::Final(error))) => Err(error),
            Err(_) => Err(StoreError::Unavailable(format!("no answer within {STEP_TIMEOUT:?}"))),
        }
    }

    /// A connection for one statement, which is a transaction of its own.
    pub(super) async fn connection(&self) -> Result<Step, Failure> {
        let connection = self.pool.acquire().await?;
        Ok(Step { connection: Some(connection), is_transaction: false })
    }

    /// A connection for several statements that are one transaction.
    pub(super) async fn begin(&self) -> Result<Step, Failure> {
        let mut step = self.connection().await?;
        sqlx::raw_sql("BEGIN").execute(&mut *step).await?;
        step.is_transaction = true;
        Ok(step)
    }
}

/// A connection of the pool for one step, which has to [`end`](Self::end) with its answer.
///
/// One that does not is closed, and the server undoes its transaction: nobody knows then what
/// still comes over the connection, and to find out may take as long as a network is silent.
pub(super) struct Step {
    /// There until the end.
    connection: Option<PoolConnection<Postgres>>,
    is_transaction: bool,
}

impl Step {
    /// Commits, whatever the answer is, and gives the connection back.
    pub(super) async fn end<T>(mut self, answer: T) -> Result<T, Failure> {
        if self.is_transaction {
            sqlx::raw_sql("COMMIT").execute(&mut *self).await?;
        }
        drop(self.connection.take());
        Ok(answer)
    }
}

impl Deref for Step {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.connection.as_ref().expect("it is given back at the end only")
    }
}

impl DerefMut for Step {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.connection.as_mut().expect("it is given back at the end only")
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.close_on_drop();
        }
    }
}

/// What the server calls the error:
/// <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
pub(super) fn sql_state(error: &sqlx::Error) -> Option<String> {
    error.as_database_error()?.code().map(std::borrow::Cow::into_owned)
}

/// Sorts an error into outages, which pass, and bugs.
pub(super) fn classified(error: sqlx::Error) -> StoreError {
    use sqlx::Error as E;
    let text = error.to_string();
    let is_bug = match &error {
        E::Database(_) => is_bug(sql_state(&error).as_deref().unwrap_or_default()),
        E::ColumnDecode { .. }
        | E::ColumnIndexOutOfBounds { .. }
        | E::ColumnNotFound(_)
        | E::Decode(_)
        | E::Encode(_)
        | E::RowNotFound
        | E::TypeNotFound { .. } => true,
        _ => false,
    };
    if !is_bug {
        return StoreError::Unavailable(text);
    }
    tracing::error!(error = text, "the database does not take what this build asks");
    StoreError::Refused(text)
}

/// Whether the server complains of what it was asked, and not of its own state.
fn is_bug(sql_state: &str) -> bool {
    /// A standby that was taken for the primary: it passes when the failover is done.
    const READ_ONLY_TRANSACTION: &str = "25006";
    /// Feature not supported, cardinality, data, constraints, syntax and
    /// names: by the first two characters.
    const OF_STATEMENTS: [&str; 5] = ["0A", "21", "22", "23", "42"];
    /// Rights of the role: an operator gives them.
    const INSUFFICIENT_PRIVILEGE: &str = "42501";
    ![READ_ONLY_TRANSACTION, INSUFFICIENT_PRIVILEGE].contains(&sql_state)
        && OF_STATEMENTS.iter().any(|class| sql_state.starts_with(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outages_pass_and_bugs_do_not() {
        for (sql_state, name, expected) in [
            ("57P01", "admin_shutdown", false),
            ("57014", "query_canceled", false),
            ("53300", "too_many_connections", false),
            ("55P03", "lock_not_available", false),
            ("08006", "connection_failure", false),
            ("25006", "read_only_sql_transaction", false),
            ("25P03", "idle_in_transaction_session_timeout", false),
            ("28P01", "invalid_password", false),
            ("42501", "insufficient_privilege", false),
            ("XX000", "internal_error", false),
            ("23514", "check_violation", true),
            ("42703", "undefined_column", true),
            ("22003", "numeric_value_out_of_range", true),
        ] {
            assert_eq!(is_bug(sql_state), expected, "{name}");
        }
        let closed = classified(sqlx::Error::PoolClosed);
        assert!(matches!(closed, StoreError::Unavailable(_)), "{closed}");
        let missing = classified(sqlx::Error::ColumnNotFound("zone".to_owned()));
        assert!(matches!(missing, StoreError::Refused(_)), "{missing}");
    }
}
