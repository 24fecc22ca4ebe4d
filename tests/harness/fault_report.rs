//! What became of players after faults, written down for `docs/fault-report.md`: a line of
//! JSON for each row, where [`ROWS`] names a folder for them.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

/// Names the folder in which rows are written down.
pub const ROWS: &str = "AETHER_FAULT_ROWS";
/// Names the one row that is run, such as `handshake/consume/after/game`.
pub const ROW: &str = "AETHER_FAULT_ROW";

/// A fault and what became of the player.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Where the fault struck: between `processes`, or at the ports of one process over the
    /// stores of a family, `embedded` or `deployed`.
    pub family: &'static str,
    /// What was going on.
    pub flow: String,
    /// Where in it.
    pub step: String,
    /// Before or after the step, or how long.
    pub moment: String,
    /// What was killed or away.
    pub fault: String,
    /// What became of it.
    pub outcome: String,
    /// From the fault until the player was in the world, where that was measured.
    pub seconds: Option<f64>,
    /// The test, as `cargo nextest` names it.
    pub test: String,
}

impl Row {
    /// A row of faults between processes: what goes on, the step, when, and what is killed or
    /// away.
    #[must_use]
    pub fn of_processes([flow, step, moment, fault]: [&str; 4], test: &str) -> Self {
        Self::of("processes", [flow, step, moment, fault], test)
    }

    /// A row of faults at the ports of one process over the stores of a family: what goes on,
    /// the steps, and what goes wrong there.
    #[must_use]
    pub fn of_ports(family: &'static str, [flow, steps, faults]: [&str; 3], test: &str) -> Self {
        Self::of(family, [flow, steps, "", faults], test)
    }

    fn of(family: &'static str, parts: [&str; 4], test: &str) -> Self {
        let [flow, step, moment, fault] = parts.map(str::to_owned);
        let (outcome, seconds, test) = (String::new(), None, test.to_owned());
        Self { family, flow, step, moment, fault, outcome, seconds, test }
    }

    /// What [`ROW`] takes.
    #[must_use]
    pub fn name(&self) -> String {
        let parts = [&self.flow, &self.step, &self.moment, &self.fault];
        parts.map(|part| part.replace(' ', "-")).join("/")
    }

    /// Whether the row is to be run.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        let wanted = env::var(ROW).ok().filter(|wanted| !wanted.is_empty());
        wanted.is_none_or(|wanted| wanted == self.name())
    }

    /// Writes down what became of it.
    ///
    /// # Panics
    /// If the folder cannot be written to.
    pub fn record(mut self, outcome: &str, seconds: Option<Duration>) {
        let Some(folder) = env::var_os(ROWS).filter(|folder| !folder.is_empty()) else { return };
        outcome.clone_into(&mut self.outcome);
        self.seconds = seconds.map(|seconds| seconds.as_secs_f64());
        let file = PathBuf::from(folder).join(format!("{}.jsonl", self.test.replace("::", ".")));
        let line = serde_json::to_string(&self).expect("a row is plain data");
        let mut rows = OpenOptions::new().create(true).append(true).open(file).expect("a folder");
        writeln!(rows, "{line}").expect("the row can be written");
    }
}

/// Names the row that a test is in, should it fail there.
#[derive(Debug)]
pub struct During(pub String);

impl Drop for During {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- in the row {} ---", self.0);
        }
    }
}
