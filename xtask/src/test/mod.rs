//! `cargo xtask test`: everything that has to hold, in named stages, with a table at
//! the end. Nothing is skipped: what is missing is installed or fails the run.

mod counts;
mod floor;
mod stage;

use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use self::counts::Counts;
use self::floor::Floor;
use self::stage::{Lane, Stage, Workshop};
use crate::paths::Project;
use crate::progress::{Stopwatch, in_seconds, say};
use crate::system::Consent;

/// How a stage went.
#[derive(Debug)]
struct Report {
    stage: Stage,
    took: Duration,
    counts: Option<Counts>,
    error: Option<String>,
    /// Another stage failed that this one builds on.
    barred: bool,
}

/// Runs the named stages, or all of them, and prints the table.
pub(crate) fn run(project: &Project, names: &[&str], consent: Consent) -> Result<ExitCode> {
    let clock = Stopwatch::start();
    let stages = select(names)?;
    let floor = Floor::read(&project.root)?;
    let workshop = Workshop::set_up(project, &stages, consent)?;
    let ready = clock.elapsed();
    let reports = Mutex::new(Vec::new());
    // Builds for the host and for the browser wait on different things (one on many
    // small crates, the other on one long link), so they go side by side. Tests have
    // the machine to themselves.
    thread::scope(|scope| {
        for lane in [Lane::Host, Lane::Browser] {
            let (workshop, floor, reports, stages) = (&workshop, &floor, &reports, &stages);
            scope.spawn(move || run_lane(lane, stages, workshop, floor, reports));
        }
    });
    run_lane(Lane::Alone, &stages, &workshop, &floor, &reports);
    let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
    reports.sort_by_key(|report| report.stage);
    Ok(conclude(&reports, ready, clock.elapsed()))
}

/// The stages with these names and what they build on, in order.
fn select(names: &[&str]) -> Result<Vec<Stage>> {
    let mut wanted = Vec::new();
    for name in names {
        let stage =
            Stage::ALL.iter().copied().find(|stage| stage.name() == *name).with_context(|| {
                let known: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
                format!("there is no stage `{name}`; there are {}", known.join(", "))
            })?;
        wanted.push(stage);
        wanted.extend(stage.builds_on());
    }
    if names.is_empty() {
        wanted.extend(Stage::ALL);
    }
    wanted.sort_unstable();
    wanted.dedup();
    Ok(wanted)
}

fn run_lane(
    lane: Lane,
    stages: &[Stage],
    workshop: &Workshop<'_>,
    floor: &Floor,
    reports: &Mutex<Vec<Report>>,
) {
    for &stage in stages.iter().filter(|stage| stage.lane() == lane) {
        let missing = lock(reports)
            .iter()
            .find(|report| report.error.is_some() && stage.builds_on().contains(&report.stage))
            .map(|report| report.stage.name());
        let report = match missing {
            Some(missing) => Report {
                stage,
                took: Duration::ZERO,
                counts: None,
                error: Some(format!("not run, since {missing} failed")),
                barred: true,
            },
            None => run_stage(stage, workshop, floor),
        };
        if let Some(error) = &report.error {
            say(&format!("  {}: {error}", stage.name()));
        }
        lock(reports).push(report);
    }
}

fn lock(reports: &Mutex<Vec<Report>>) -> std::sync::MutexGuard<'_, Vec<Report>> {
    reports.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run_stage(stage: Stage, workshop: &Workshop<'_>, floor: &Floor) -> Report {
    let clock = Stopwatch::start();
    let (counts, error) = match stage.run(workshop) {
        Ok(outcome) => {
            let error = match (outcome.failure, outcome.counts) {
                (Some(failure), _) => Some(failure),
                (None, Some(counts)) => judge(stage, counts, floor).err(),
                (None, None) => None,
            };
            (outcome.counts, error)
        }
        Err(error) => (None, Some(format!("{error:#}"))),
    };
    Report { stage, took: clock.elapsed(), counts, error, barred: false }
}

fn judge(stage: Stage, counts: Counts, floor: &Floor) -> Result<(), String> {
    if counts.failed > 0 {
        return Err(format!("{} tests failed", counts.failed));
    }
    floor.check(stage.name(), counts.run()).map_err(|error| error.to_string())
}

/// Prints the table and the closing line, and decides the exit code.
fn conclude(reports: &[Report], ready: Duration, took: Duration) -> ExitCode {
    let mut total = Counts::default();
    println!("\n{:<14}{:>14}  {:<9}tests", "stage", "time", "result");
    println!("{:<14}{:>14}  ok", "set-up", in_seconds(ready));
    for report in reports {
        println!("{}", row(report));
        total.add(counted(report));
    }
    println!("{:<14}{:>14}", "all", in_seconds(took));
    for report in reports {
        if let Some(error) = &report.error {
            let first = error.lines().next().unwrap_or_default();
            println!("{}: {first}", report.stage.name());
        }
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
    if reports.iter().all(|report| report.error.is_none()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn row(report: &Report) -> String {
    let result = match (&report.error, report.barred) {
        (None, _) => "ok",
        (Some(_), false) => "FAILED",
        (Some(_), true) => "not run",
    };
    let tests = match report.counts {
        Some(counts) if counts.failed > 0 => {
            format!("{} passed, {} failed", counts.passed, counts.failed)
        }
        Some(counts) => counts.passed.to_string(),
        None => String::new(),
    };
    format!("{:<14}{:>14}  {result:<9}{tests}", report.stage.name(), in_seconds(report.took))
        .trim_end()
        .to_owned()
}

/// A stage that fails without a failing test counts as one failure.
fn counted(report: &Report) -> Counts {
    let mut counts = report.counts.unwrap_or_default();
    if report.error.is_some() && counts.failed == 0 {
        counts.failed = 1;
    }
    counts
}

/// The names of all stages, for the help text.
pub(crate) fn stage_names() -> String {
    let names: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(counts: Option<Counts>, error: Option<&str>) -> Report {
        Report {
            stage: Stage::Host,
            took: Duration::from_millis(1500),
            counts,
            error: error.map(str::to_owned),
            barred: false,
        }
    }

    #[test]
    fn named_stages_bring_what_they_build_on() {
        let names: Vec<&str> =
            select(&["integration"]).unwrap().into_iter().map(Stage::name).collect();
        assert_eq!(names, ["build", "page", "integration"]);
        assert_eq!(select(&[]).unwrap(), Stage::ALL);
        let error = select(&["nothing"]).unwrap_err().to_string();
        assert!(error.contains("no stage `nothing`"), "{error}");
    }

    #[test]
    fn a_failed_stage_always_counts() {
        let counts = |passed, failed| Some(Counts { passed, failed });
        assert_eq!(counted(&report(None, Some("unformatted"))).failed, 1);
        assert_eq!(counted(&report(counts(3, 2), Some("2 failed"))).failed, 2);
        assert_eq!(counted(&report(counts(3, 0), Some("floor"))).failed, 1);
        assert_eq!(counted(&report(counts(3, 0), None)).failed, 0);
    }

    #[test]
    fn rows_tell_stage_time_result_and_tests() {
        let counts = Some(Counts { passed: 12, failed: 0 });
        assert_eq!(row(&report(counts, None)), "host                   1.5 s  ok       12");
    }
}
