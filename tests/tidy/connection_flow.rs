//! `docs/connection-flow.md` tells the truth: each file and each test that it names exists.

use std::fs;

use tests::repository::root;

use super::assert_none;

const TABLE: &str = "docs/connection-flow.md";
/// Files without another folder are the page's.
const HOME: &str = "web-client/src";

/// What stands between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The text of a file that the table names.
fn text_of(file: &str) -> Option<String> {
    let at_home = root().join(HOME).join(file);
    fs::read_to_string(at_home).or_else(|_| fs::read_to_string(root().join(file))).ok()
}

/// Whether a text has a test of that name: a function behind an attribute that makes it one,
/// or one that a macro runs over both backends.
fn has_test(text: &str, name: &str) -> bool {
    let listed = text.split_once("over_both_backends! {").map(|(_, list)| list);
    let is_listed = listed.is_some_and(|list| {
        list.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    });
    if is_listed && text.contains(&format!("async fn {name}<")) {
        return true;
    }
    let is_named = |line: &str| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        let rest = line.strip_prefix("fn ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with('('))
    };
    let mut is_test = false;
    for line in text.lines().map(str::trim_start) {
        if is_test && is_named(line) {
            return true;
        }
        is_test = line.starts_with("#[") && (is_test || line.contains("test"));
    }
    false
}

/// The rows of the table's sections: what holds, where, tests.
fn rows(table: &str) -> Vec<[&str; 3]> {
    table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
        .filter(|line| !line.starts_with("| what holds |"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [what, place, tests] = cells[..] else { panic!("three cells: {line}") };
            [what, place, tests]
        })
        .collect()
}

#[test]
fn every_file_and_test_of_the_connection_flow_exists() {
    let table = fs::read_to_string(root().join(TABLE)).unwrap();
    let rows = rows(&table);
    assert!(rows.len() >= 40, "{TABLE} has lost rows");
    let mut findings = Vec::new();
    for [what, places, tests] in rows {
        let mut named = 0;
        for place in quoted(places) {
            if text_of(place).is_none() {
                findings.push(format!("{what}: no file {place}"));
            }
        }
        for test in quoted(tests) {
            named += 1;
            let found = test
                .split_once("::")
                .and_then(|(file, name)| Some(has_test(&text_of(file)?, name)));
            if found != Some(true) {
                findings.push(format!("{what}: no test {test}"));
            }
        }
        if named == 0 {
            findings.push(format!("{what}: no test is named"));
        }
    }
    assert_none(findings);
}

#[test]
fn a_test_that_is_not_there_is_noticed() {
    let text = "#[test]\nfn it_holds() {}\n\nfn helps() {}\n";
    assert!(has_test(text, "it_holds"));
    for absent in ["it_hold", "it_holds_always", "helps"] {
        assert!(!has_test(text, absent), "{absent}");
    }
}
