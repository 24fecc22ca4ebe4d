//! The loop over every step of a flow and every kind of fault, and the row that each run
//! leaves for who collects them.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::json;
use tests::faults::{Fault, Step};

use super::ground::Family;

/// Names the folder into which rows are written; without it there are none.
const ROWS: &str = "AETHER_FAULT_ROWS";

/// Faults by the numbers of their steps.
pub(super) type Faults<'a> = &'a [(usize, Fault)];

/// Names what was going on when a test fails.
pub(super) struct During(String);

impl During {
    pub(super) fn new(steps: &[Step], faults: Faults<'_>) -> Self {
        let named: Vec<_> = faults
            .iter()
            .map(|(number, fault)| {
                let step = steps.get(*number).copied().unwrap_or("a later step");
                format!("{fault:?} at {number} {step}")
            })
            .collect();
        Self(named.join(", then "))
    }
}

impl Drop for During {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- with {} ---", self.0);
        }
    }
}

/// Makes one run for each step of a flow and each kind of fault there.
pub(super) async fn at_every_step(
    family: Family,
    flow: &str,
    steps: &[Step],
    one: impl AsyncFnMut(Faults<'_>),
) {
    at_every_later_step(family, flow, steps, &[], one).await;
}

/// The same for the steps that follow the last of these faults, which strike in each run.
pub(super) async fn at_every_later_step(
    family: Family,
    flow: &str,
    steps: &[Step],
    earlier: Faults<'_>,
    mut one: impl AsyncFnMut(Faults<'_>),
) {
    let first = earlier.last().map_or(0, |(number, _)| number + 1);
    for (number, step) in steps.iter().enumerate().skip(first) {
        for fault in Fault::ALL {
            let faults = [earlier, &[(number, fault)]].concat();
            let _during = During::new(steps, &faults);
            one(&faults).await;
            record(family, flow, step, fault);
        }
    }
}

/// Writes down that everything that must hold does after a fault.
fn record(family: Family, flow: &str, step: Step, fault: Fault) {
    let Some(folder) = std::env::var_os(ROWS).filter(|folder| !folder.is_empty()) else { return };
    let (moment, fault) = match fault {
        Fault::FailBefore => ("before", "failed"),
        Fault::FailAfter => ("after", "failed"),
        Fault::Repeat => ("after", "repeated"),
        Fault::CrashBefore => ("before", "crashed"),
        Fault::CrashAfter => ("after", "crashed"),
    };
    let thread = std::thread::current();
    let test = thread.name().expect("the thread of a test has its name");
    let row = json!({
        "family": family.name(), "flow": flow, "step": step, "moment": moment,
        "fault": fault, "outcome": "held", "test": test,
    });
    let file = PathBuf::from(folder).join(format!("{}.jsonl", test.replace("::", ".")));
    let mut rows = OpenOptions::new().create(true).append(true).open(file).unwrap();
    writeln!(rows, "{row}").unwrap();
}
