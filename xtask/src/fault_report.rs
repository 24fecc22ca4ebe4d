//! `cargo xtask fault-report`: runs the tests that let something go wrong, beside the backends
//! of tests, and writes down what became of the players.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::backends;
use crate::paths::Project;
use crate::play;
use crate::system::Consent;

/// The document, below the root.
const DOCUMENT: &str = "docs/fault-report.md";
/// Names the folder in which tests write down their rows.
const ROWS: &str = "AETHER_FAULT_ROWS";
/// What is run.
const TESTS: &str = "test(/^deployed::(kills|outages|crashes|reconcile)::/) | test(/^faults::/)";

const HEAD: &str = "\
# Faults, and what became of the players

Written by `cargo xtask fault-report`; every row has passed in that run.

After each fault the player comes back as the page does it by itself, without help, and then
one session alone plays, at the last committed place. After a kill, and after each fault at the
ports, the test looks as well that what was used opens nothing, that presence points to the
session, that the journal of ends is empty and that no seat is left taken (I1 to I6, I11 and I12
of what must always hold); after an outage it looks that the player plays on and is saved.
";

/// A line of what a test has written down.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    family: String,
    flow: String,
    step: String,
    moment: String,
    fault: String,
    outcome: String,
    test: String,
    #[serde(rename = "seconds", deserialize_with = "whole_seconds")]
    within: Option<u64>,
}

/// Rounded up, so that two runs say the same.
fn whole_seconds<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    let seconds: Option<f64> = Deserialize::deserialize(from)?;
    Ok(seconds.map(|seconds| std::time::Duration::from_secs_f64(seconds + 1.0).as_secs()))
}

/// Runs the tests; writes the report if all of them have passed.
pub(crate) fn run(project: &Project, consent: Consent) -> Result<ExitCode> {
    play::build_server(project)?;
    let folder = project.target.join("fault-rows");
    if folder.exists() {
        fs::remove_dir_all(&folder).context("remove the rows of an earlier run")?;
    }
    fs::create_dir_all(&folder).context("make the folder for rows")?;
    let setting = format!("{ROWS}={}", folder.display());
    let words = ["env", &setting, "cargo", "nextest", "run", "--package", "tests", "-E", TESTS];
    let code = backends::run(project, &words, consent)?;
    if code == ExitCode::SUCCESS {
        let document = report(&rows(&folder)?);
        fs::write(project.root.join(DOCUMENT), document).context("write the report")?;
    }
    Ok(code)
}

fn rows(folder: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for file in fs::read_dir(folder)? {
        for line in fs::read_to_string(file?.path())?.lines() {
            rows.push(serde_json::from_str(line).with_context(|| format!("the row {line}"))?);
        }
    }
    rows.sort();
    Ok(rows)
}

fn command(test: &str) -> String {
    format!("cargo xtask backends cargo nextest run -p tests -E 'test(={test})'")
}

/// What runs one row alone, in the words of the tests' `fault_report`.
fn command_of(row: &Row) -> String {
    let parts = [&row.flow, &row.step, &row.moment, &row.fault];
    let name = parts.map(|part| part.replace(' ', "-")).join("/");
    format!("AETHER_FAULT_ROW='{name}' {}", command(&row.test))
}

fn report(rows: &[Row]) -> String {
    let mut text = HEAD.to_owned();
    text.push_str("\n## Between real processes, on Postgres and Redis\n\n");
    text.push_str("A killed process gets `kill -9` while it is held before the step, or after ");
    text.push_str("it and before it hears of it; then it is started again.\n\n");
    text.push_str("| flow | step | moment | what | what became of it | within | command |\n");
    text.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
    for row in rows.iter().filter(|row| row.family == "processes") {
        let within = row.within.map(|within| format!("{within} s")).unwrap_or_default();
        let Row { flow, step, moment, fault, outcome, .. } = row;
        let command = command_of(row);
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {flow} | {step} | {moment} | {fault} | {outcome} | {within} | `{command}` |"
        );
    }
    text.push_str("\n## At the ports of one process\n\n");
    text.push_str("A call of a port fails before it does anything or after it, happens twice, ");
    text.push_str("or is the last thing that its process does.\n\n");
    text.push_str("| test | step | faults | rows |\n| --- | --- | --- | --- |\n");
    let mut tests = Vec::new();
    for ((test, _, step), (faults, count)) in by_first_step(rows) {
        let _ = writeln!(text, "| `{test}` | {step} | {} | {count} |", faults.join(", "));
        tests.push(test);
    }
    tests.dedup();
    text.push_str("\nEach of these is run by:\n\n```\n");
    for test in tests {
        let _ = writeln!(text, "{}", command(test));
    }
    text.push_str("```\n");
    text
}

/// The rows at ports by their test and the first step that goes wrong, in the steps' order;
/// with the faults there, and how many rows it were.
fn by_first_step(rows: &[Row]) -> BTreeMap<(&str, usize, &str), (Vec<&str>, usize)> {
    let mut groups: BTreeMap<_, (Vec<&str>, usize)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.family != "processes") {
        let first = |text: &'_ str| text.split(", then ").next().unwrap_or_default().len();
        let step = &row.step[..first(&row.step)];
        let fault = &row.fault[..first(&row.fault)];
        let (number, name) = step.split_once(' ').unwrap_or(("0", step));
        let key = (&*row.test, number.parse().unwrap_or_default(), name);
        let (faults, count) = groups.entry(key).or_default();
        if !faults.contains(&fault) {
            faults.push(fault);
        }
        *count += 1;
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_the_command_that_runs_it() {
        let lines = [
            r#"{"family":"processes","flow":"handshake","step":"read character",
                "moment":"after","fault":"game","outcome":"back","seconds":0.2,"test":"a::b"}"#,
            r#"{"family":"ports","flow":"claim","step":"3 ledger.put_ledger, then 5 x",
                "moment":"","fault":"FailBefore, then Repeat","outcome":"holds",
                "seconds":null,"test":"faults::claim::c"}"#,
        ];
        let rows: Vec<Row> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let text = report(&rows);
        let row = "| back | 1 s | `AETHER_FAULT_ROW='handshake/read-character/after/game' cargo \
                   xtask backends cargo nextest run -p tests -E 'test(=a::b)'` |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| `faults::claim::c` | ledger.put_ledger | FailBefore | 1 |"));
        assert!(text.contains("-E 'test(=faults::claim::c)'\n"));
    }
}
