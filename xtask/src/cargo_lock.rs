//! Reads single facts out of Cargo.lock.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The locked version of `package`: the first one, where several are locked.
pub(crate) fn locked_version(root: &Path, package: &str) -> Result<String> {
    let path = root.join("Cargo.lock");
    let lock =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    version_of(&lock, package)
        .map(str::to_owned)
        .with_context(|| format!("{} locks no package {package}", path.display()))
}

fn version_of<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let mut lines = lock.lines();
    lines.find(|line| field(line, "name") == Some(package))?;
    lines.take_while(|line| !line.starts_with("[[")).find_map(|line| field(line, "version"))
}

fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"version = 4

[[package]]
name = "wasm-bindgen-futures"
version = "0.4.80"

[[package]]
name = "wasm-bindgen"
version = "0.2.130"
source = "registry"
dependencies = [
 "wasm-bindgen-macro",
]

[[package]]
name = "last"
"#;

    #[test]
    fn the_version_belongs_to_the_exact_name() {
        assert_eq!(version_of(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_of(LOCK, "wasm-bindgen-futures"), Some("0.4.80"));
    }

    #[test]
    fn absent_packages_and_versions_are_no_version() {
        assert_eq!(version_of(LOCK, "wasm"), None);
        assert_eq!(version_of(LOCK, "last"), None);
    }
}
