//! The end of a log file, for the report of a failure.

use std::path::Path;

/// Lines of a log that a report repeats.
const TAIL_LINES: usize = 40;

/// The last lines of a log; says so where there is none.
pub(crate) fn of(log: &Path) -> String {
    let Ok(text) = std::fs::read_to_string(log) else {
        return format!("(no log at {})", log.display());
    };
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.len().saturating_sub(TAIL_LINES);
    lines[first..].join("\n")
}
