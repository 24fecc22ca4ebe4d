//! The repository's own rules, held by reading its files: who may import whom, what every
//! file opens with, how long it may get, and that the project speaks of itself alone.

mod connection_flow;
mod fault_report;
mod imports;
mod layers;
mod texts;

use std::fs;
use std::path::{Path, PathBuf};

use tests::repository::root;

/// Folders that hold what was built or fetched.
const NOT_OURS: [&str; 6] =
    ["target", "dist", "node_modules", ".git", "data", "proptest-regressions"];

/// A text file of the project.
struct SourceFile {
    /// Its path from the root, with forward slashes.
    path: String,
    text: String,
}

/// Every text file below a folder, in the order of their paths.
fn files_below(folder: &str) -> Vec<SourceFile> {
    let mut found = Vec::new();
    collect(&root().join(folder), &mut found);
    assert!(!found.is_empty(), "{folder} has no files");
    found.sort();
    found.into_iter().filter_map(read).collect()
}

/// Every Rust file below a folder.
fn rust_files_below(folder: &str) -> Vec<SourceFile> {
    let rust: Vec<SourceFile> =
        files_below(folder).into_iter().filter(|file| file.path.ends_with(".rs")).collect();
    assert!(!rust.is_empty(), "{folder} has no Rust files");
    rust
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().unwrap().is_dir() {
            if !NOT_OURS.contains(&name.as_str()) {
                collect(&entry.path(), found);
            }
        } else {
            found.push(entry.path());
        }
    }
}

fn read(path: PathBuf) -> Option<SourceFile> {
    // What is no UTF-8 is a picture or a font.
    let text = String::from_utf8(fs::read(&path).ok()?).ok()?;
    let path = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
    Some(SourceFile { path, text })
}

/// Fails with every finding at once.
#[track_caller]
fn assert_none(findings: Vec<String>) {
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}
