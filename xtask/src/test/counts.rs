//! How many tests ran, read from what their runners print.

/// Tests that passed and failed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Counts {
    /// All that ran.
    pub(crate) fn run(self) -> u64 {
        self.passed + self.failed
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// The last summary of nextest:
/// `Summary [ 1.2s] 12/13 tests run: 9 passed (1 slow), 2 failed, 1 timed out, 4 skipped`.
pub(crate) fn of_nextest(output: &str) -> Option<Counts> {
    let summary = output.lines().rfind(|line| line.trim_start().starts_with("Summary ["))?;
    let (_, list) = summary.split_once(" run: ")?;
    let list = without_parentheses(list);
    let mut counts = Counts::default();
    for part in list.split(',') {
        let (number, what) = part.trim().split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        match what.trim() {
            "passed" => counts.passed += number,
            // Not run at all, and counted nowhere.
            "skipped" => {}
            // Failed, timed out, could not be started: none of them is a pass.
            _ => counts.failed += number,
        }
    }
    Some(counts)
}

/// The sum over the `test result: ok. 3 passed; 0 failed; …` lines that cargo's own
/// runner and wasm-bindgen's print, one a test binary.
pub(crate) fn of_test_results(output: &str) -> Counts {
    let mut counts = Counts::default();
    for line in output.lines() {
        let Some((_, rest)) = line.split_once("test result: ") else {
            continue;
        };
        counts.passed += number_before(rest, " passed");
        counts.failed += number_before(rest, " failed");
    }
    counts
}

fn number_before(text: &str, word: &str) -> u64 {
    text.split_once(word)
        .and_then(|(before, _)| before.rsplit(' ').next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|&character| {
            match character {
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    return false;
                }
                _ => {}
            }
            depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64) -> Counts {
        Counts { passed, failed }
    }

    #[test]
    fn nextest_summaries_count_everything_but_passes_as_failed() {
        let clean = "     Summary [   0.004s] 3 tests run: 3 passed, 0 skipped\n";
        assert_eq!(of_nextest(clean), Some(counts(3, 0)));
        let one = "     Summary [   0.004s] 1 test run: 1 passed, 12 skipped\n";
        assert_eq!(of_nextest(one), Some(counts(1, 0)));
        let mixed = "   Summary [  61.2s] 12/13 tests run: 8 passed (1 slow, 1 leaky), \
                     2 failed (1 due to being leaky), 1 timed out, 1 exec failed, 4 skipped\n error";
        assert_eq!(of_nextest(mixed), Some(counts(8, 4)));
    }

    #[test]
    fn the_last_summary_counts_and_none_is_none() {
        let twice = "Summary [ 1s] 1 test run: 0 passed, 1 failed, 0 skipped\n\
                     Summary [ 1s] 2 tests run: 2 passed, 0 skipped";
        assert_eq!(of_nextest(twice), Some(counts(2, 0)));
        assert_eq!(of_nextest("error: could not compile"), None);
    }

    #[test]
    fn results_of_several_binaries_add_up() {
        let output = "\
running 3 tests
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 filtered out; finished in 1.20s
no tests to run!
";
        assert_eq!(of_test_results(output), counts(7, 2));
        assert_eq!(of_test_results("no tests to run!"), counts(0, 0));
    }
}
