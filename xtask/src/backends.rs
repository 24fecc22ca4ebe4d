//! `cargo xtask backends COMMAND`: runs a command beside the backends that tests need, such
//! as one test by hand.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::paths::Project;
use crate::play::exit_code;
use crate::postgres::{self, Group, Postgres};
use crate::process::program;
use crate::redis;
use crate::system::Consent;

/// Starts the backends, runs the command with the variables that name them, and ends with its
/// exit code.
pub(crate) fn run(project: &Project, words: &[&str], consent: Consent) -> Result<ExitCode> {
    let Some((name, arguments)) = words.split_first() else {
        bail!("say what to run, such as `cargo xtask backends cargo nextest run -p tests`");
    };
    let postgres = Postgres::ensure(project, consent)?.start(project, Group::Shared)?;
    // Tests start it themselves, each its own.
    let redis = redis::ensure(project, consent)?;
    let mut command = program(name, Path::new("."));
    command.args(arguments).env(postgres::VARIABLE, postgres.url()).env(redis::VARIABLE, redis);
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    Ok(exit_code(status))
}
