//! The fewest tests that each stage has to run, committed beside this package, so that
//! tests cannot go missing unseen.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Fewest tests by stage.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Floor(BTreeMap<String, u64>);

impl Floor {
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let path = root.join("xtask").join("test-floor.toml");
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    /// Lines of `stage = number`; comments and blank lines between them.
    fn parse(text: &str) -> Result<Self> {
        let mut floor = BTreeMap::new();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (stage, number) = line
                .split_once('=')
                .with_context(|| format!("`{line}` is not `stage = number`"))?;
            let number = number
                .trim()
                .parse()
                .with_context(|| format!("`{line}` does not end in a number"))?;
            if floor.insert(stage.trim().to_owned(), number).is_some() {
                bail!("`{}` stands twice", stage.trim());
            }
        }
        Ok(Self(floor))
    }

    /// # Errors
    /// Fewer tests than the floor, or a stage without one.
    pub(crate) fn check(&self, stage: &str, run: u64) -> Result<()> {
        let least = *self
            .0
            .get(stage)
            .with_context(|| format!("xtask/test-floor.toml has no line for {stage}"))?;
        if run < least {
            bail!(
                "{stage} ran {run} tests, fewer than the {least} in xtask/test-floor.toml; \
                 tests have gone missing (lower the floor only where they were meant to)"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_tests_than_the_floor_is_an_error_that_says_so() {
        let floor = Floor::parse("# least\nhost = 12 # now\n\nwasm=3\n").unwrap();
        assert!(floor.check("host", 12).is_ok());
        assert!(floor.check("wasm", 4).is_ok());
        let error = floor.check("host", 11).unwrap_err().to_string();
        assert!(error.contains("host ran 11 tests, fewer than the 12"), "{error}");
    }

    #[test]
    fn a_stage_without_a_floor_is_an_error() {
        let floor = Floor::parse("host = 1").unwrap();
        assert!(floor.check("integration", 50).is_err());
    }

    #[test]
    fn malformed_lines_are_named() {
        for text in ["host", "host = many", "host = 1\nhost = 2"] {
            assert!(Floor::parse(text).is_err(), "{text}");
        }
    }
}
