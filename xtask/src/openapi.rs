//! The committed OpenAPI document: the server writes it, from its own routes.

use std::fs;

use anyhow::{Context as _, Result, bail, ensure};

use crate::paths::Project;
use crate::process::program;
use crate::progress::Step;

/// The document, below the root.
const DOCUMENT: &str = "docs/openapi.json";

/// Writes what the built server prints; with `check` it only compares.
pub(crate) fn run(project: &Project, check: bool) -> Result<()> {
    let about = if check { "comparing the document with the server's" } else { "writing" };
    let step = Step::start("openapi", about, None);
    let done = printed(project)
        .and_then(|text| if check { compare(project, &text) } else { write(project, &text) });
    step.finish(if done.is_ok() { "done" } else { "FAILED" });
    done
}

fn printed(project: &Project) -> Result<String> {
    let server = project.edge_server();
    let output = program(&server, &project.root)
        .arg("openapi")
        .output()
        .with_context(|| format!("cannot start {}", server.display()))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the server printed no document: {errors}");
    String::from_utf8(output.stdout).context("the document is no text")
}

fn write(project: &Project, text: &str) -> Result<()> {
    fs::write(project.root.join(DOCUMENT), text).with_context(|| format!("write {DOCUMENT}"))
}

fn compare(project: &Project, text: &str) -> Result<()> {
    let committed = fs::read_to_string(project.root.join(DOCUMENT))
        .with_context(|| format!("{DOCUMENT} is missing; run `cargo xtask openapi`"))?;
    if let Some((line, (old, new))) =
        (1..).zip(committed.lines().zip(text.lines())).find(|(_, (old, new))| old != new)
    {
        bail!(
            "{DOCUMENT}:{line} says `{}` and the server `{}`; run `cargo xtask openapi` and \
             commit the result",
            old.trim(),
            new.trim()
        );
    }
    ensure!(
        committed == text,
        "{DOCUMENT} and the server's document differ in length; run `cargo xtask openapi` and \
         commit the result"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_differs_is_named_with_its_line_and_the_remedy() {
        let root = std::env::temp_dir().join(format!("aether-openapi-{}", std::process::id()));
        fs::create_dir_all(root.join("docs")).unwrap();
        let project = Project { target: root.join("target"), cache: root.clone(), root };
        let missing = compare(&project, "{\n}\n").unwrap_err().to_string();
        assert!(missing.contains("cargo xtask openapi"), "{missing}");
        write(&project, "{\n  \"a\": 1\n}\n").unwrap();
        assert!(compare(&project, "{\n  \"a\": 1\n}\n").is_ok());
        let changed = compare(&project, "{\n  \"a\": 2\n}\n").unwrap_err().to_string();
        assert!(changed.starts_with("docs/openapi.json:2"), "{changed}");
        let longer = compare(&project, "{\n  \"a\": 1\n}\n\n").unwrap_err().to_string();
        fs::remove_dir_all(&project.root).unwrap();
        assert!(longer.contains("cargo xtask openapi"), "{longer}");
    }
}
