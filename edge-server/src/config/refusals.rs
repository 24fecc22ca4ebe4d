//! Values, and combinations of values, that cannot work: each is one line that names the
//! variable and says what to do.

/// A value or a combination of values that cannot work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A value that clap refused.
    #[error("bad value {value:?} for {flag}: {reason}")]
    BadValue {
        /// The value.
        value: String,
        /// The flag, and its variable.
        flag: String,
        /// What clap says of it.
        reason: String,
    },
    /// SQLite serves one process.
    #[error(
        "role {role} cannot run on SQLite (EDGE_DATABASE_URL): the embedded store serves one \
         process, so use --role all, or name a Postgres"
    )]
    RoleNeedsDeployedStores {
        /// The role asked for.
        role: &'static str,
    },
    /// Coordination data would be in two places.
    #[error(
        "EDGE_REDIS_URL does not go with SQLite (EDGE_DATABASE_URL): the embedded store keeps \
         coordination data itself, so unset EDGE_REDIS_URL"
    )]
    RedisBesideSqlite,
    /// Coordination data would be nowhere.
    #[error(
        "Postgres (EDGE_DATABASE_URL) needs a Redis for coordination data: set EDGE_REDIS_URL, \
         such as redis://127.0.0.1:6379"
    )]
    PostgresWithoutRedis,
    /// A role lacks what it cannot be without.
    #[error("role {role} needs {variable}: {hint}")]
    Missing {
        /// The role.
        role: &'static str,
        /// The variable that is not set.
        variable: &'static str,
        /// What to set it to.
        hint: &'static str,
    },
    /// A database that this build cannot speak to.
    #[error(
        "EDGE_DATABASE_URL {url:?} is not supported: write sqlite://FILE or \
         postgres://USER:PASSWORD@HOST/DATABASE"
    )]
    UnsupportedDatabase {
        /// The URL, without what could be a password.
        url: String,
    },
    /// A zone that the world does not have.
    #[error("EDGE_ZONES names {zone}, which the world does not have: it has {known}")]
    UnknownZone {
        /// The zone of a realm.
        zone: String,
        /// Those that there are.
        known: String,
    },
    /// A log filter that does not parse.
    #[error("bad value {value:?} for --log (EDGE_LOG): {reason}")]
    BadLogFilter {
        /// The filter.
        value: String,
        /// Why.
        reason: String,
    },
}

/// Flags with a secret, which is not repeated when it is refused.
const SECRET_FLAGS: [&str; 2] = ["--service-token", "--admin-token"];

/// Puts clap's refusal of a value into one line that names value, flag and variable.
/// Gives `None` for everything else that clap has to say (help, usage).
#[must_use]
pub fn bad_value(error: &clap::Error) -> Option<ConfigError> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if !matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue) {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let argument = text(ContextKind::InvalidArg);
    let flag = argument.split_whitespace().next().unwrap_or_default().to_owned();
    let variable =
        format!("EDGE_{}", flag.trim_start_matches('-').replace('-', "_").to_uppercase());
    let choices = text(ContextKind::ValidValue);
    let reason = std::error::Error::source(error).map_or_else(
        || {
            if choices.is_empty() {
                "not allowed".to_owned()
            } else {
                format!("use one of {choices}")
            }
        },
        ToString::to_string,
    );
    let value = if SECRET_FLAGS.contains(&flag.as_str()) {
        "…".to_owned()
    } else {
        text(ContextKind::InvalidValue)
    };
    Some(ConfigError::BadValue { value, flag: format!("{flag} ({variable})"), reason })
}
