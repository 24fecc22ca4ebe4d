//! The report of faults names tests that exist: one that was renamed is not reproduced by
//! its command.

use std::fs;

use tests::repository::root;

use super::assert_none;

/// What stands before the name of a test in a command.
const BEFORE: &str = "test(=";

/// The modules of the families of stores.
const FAMILIES: [&str; 2] = ["embedded", "deployed"];

#[test]
fn every_test_that_the_fault_report_names_exists() {
    let report = fs::read_to_string(root().join("docs/fault-report.md")).unwrap();
    let names = report.split(BEFORE).skip(1).filter_map(|rest| rest.split(')').next());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    assert!(!names.is_empty(), "the report names tests");
    let missing = |name: &&str| {
        let mut parts: Vec<&str> = name.split("::").collect();
        let test = parts.pop().unwrap_or_default();
        // A macro makes a module for each family of stores.
        parts.pop_if(|module| FAMILIES.contains(module));
        let file = root().join("tests").join(parts.join("/")).with_extension("rs");
        let text = fs::read_to_string(file).unwrap_or_default();
        // As a function, or as what a macro makes one of.
        let forms = [format!("async fn {test}("), format!("    {test}: ")];
        !forms.iter().any(|form| text.contains(form))
    };
    assert_none(
        names.into_iter().filter(missing).map(|name| format!("there is no test {name}")).collect(),
    );
}
