//! The loop over every step of a flow and every kind of fault, and the row that each run
//! leaves for who collects them.

use tests::fault_report::{During, Row};
use tests::faults::{Fault, Step};

use super::ground::Family;

/// Faults by the numbers of their steps.
pub(super) type Faults<'a> = &'a [(usize, Fault)];

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
    for number in first..steps.len() {
        for fault in Fault::ALL {
            let faults = [earlier, &[(number, fault)]].concat();
            let row = row(family, flow, steps, &faults);
            let _during = During(row.name());
            one(&faults).await;
            row.record("what must always hold holds", None);
        }
    }
}

/// Where these faults strike.
fn row(family: Family, flow: &str, steps: &[Step], faults: Faults<'_>) -> Row {
    let step = |(number, _): &(usize, Fault)| format!("{number} {}", steps[*number]);
    let struck: Vec<_> = faults.iter().map(step).collect();
    let faults: Vec<_> = faults.iter().map(|(_, fault)| format!("{fault:?}")).collect();
    // Tests run in threads of their names.
    let thread = std::thread::current();
    let test = thread.name().expect("the thread of a test has its name");
    Row::of_ports(family.name(), [flow, &struck.join(", then "), &faults.join(", then ")], test)
}
