//! What every text file keeps to.

use std::path::Path;

use tests::repository::root;

use super::imports::without_comments_and_texts;
use super::{assert_none, files_below, rust_files_below};

/// Lines of the longest Rust file.
const LONGEST_FILE: usize = 600;

#[test]
fn every_rust_file_opens_with_what_it_owns() {
    let silent = |file: &super::SourceFile| !file.text.starts_with("//!");
    let files = rust_files_below("").into_iter().filter(silent);
    assert_none(files.map(|file| format!("{} opens without //!", file.path)).collect());
}

#[test]
fn no_rust_file_is_longer_than_a_reader_can_hold() {
    let mut findings = Vec::new();
    for file in rust_files_below("") {
        let lines = file.text.lines().count();
        if lines > LONGEST_FILE {
            findings.push(format!("{} has {lines} lines", file.path));
        }
    }
    assert_none(findings);
}

#[test]
fn tests_wait_for_events_and_never_for_time_to_pass() {
    let mut findings = Vec::new();
    for file in rust_files_below("tests") {
        if without_comments_and_texts(&file.text).contains("sleep(") {
            findings.push(format!("{} sleeps", file.path));
        }
    }
    assert_none(findings);
}

/// What the path of one machine or of one person's folder begins with. In pieces, so that
/// this file keeps the rule as well.
fn of_a_machine() -> [String; 4] {
    [["/ro", "ot/"], ["/wo", "rk/"], ["/Us", "ers/"], ["C:\\Us", "ers\\"]]
        .map(|parts| parts.concat())
}

#[test]
fn the_project_names_no_machine() {
    let mut findings = Vec::new();
    for file in files_below("") {
        for (number, line) in file.text.lines().enumerate() {
            if of_a_machine().iter().any(|path| line.contains(path)) {
                findings.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
            }
        }
    }
    assert_none(findings);
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut findings = Vec::new();
    for name in ["README.md", "ARCHITECTURE.md"] {
        let text = match std::fs::read_to_string(root().join(name)) {
            Ok(text) => text,
            Err(error) => {
                findings.push(format!("{name}: {error}"));
                continue;
            }
        };
        for target in link_targets(&text) {
            let path = target.split('#').next().unwrap_or_default();
            let elsewhere = target.contains("://") || target.starts_with("mailto:");
            if !elsewhere && !path.is_empty() && !root().join(Path::new(path)).exists() {
                findings.push(format!("{name} links to {target}"));
            }
        }
    }
    assert_none(findings);
}

/// The targets of `[text](target)`.
fn link_targets(markdown: &str) -> impl Iterator<Item = &str> {
    markdown.split("](").skip(1).filter_map(|rest| rest.split(')').next()).map(str::trim)
}
