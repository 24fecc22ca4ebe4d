//! The variables that a program for the browser is built with: `trunk` and `cargo`
//! for wasm32 are started with them, and `cargo xtask env` prints them for a shell.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Variables to set and remove, and folders to put before the search path.
#[derive(Debug, Default, Clone)]
pub(crate) struct Environment {
    path: Vec<PathBuf>,
    set: Vec<(&'static str, OsString)>,
    removed: Vec<&'static str>,
}

impl Environment {
    /// Puts a folder before the search path, behind those already put there.
    pub(crate) fn search(&mut self, folder: PathBuf) {
        if !self.path.contains(&folder) {
            self.path.push(folder);
        }
    }

    pub(crate) fn set(&mut self, key: &'static str, value: impl Into<OsString>) {
        self.set.push((key, value.into()));
    }

    pub(crate) fn remove(&mut self, key: &'static str) {
        self.removed.push(key);
    }

    /// Gives the variables to a program, which is also looked for on the new path.
    pub(crate) fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for key in &self.removed {
            command.env_remove(key);
        }
        for (key, value) in &self.set {
            command.env(key, value);
        }
        command.env("PATH", self.joined_path())
    }

    /// The first program of that name on the new path.
    pub(crate) fn find(&self, name: &str) -> PathBuf {
        env::split_paths(&self.joined_path())
            .map(|folder| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
            .find(|candidate| candidate.is_file())
            .unwrap_or_else(|| PathBuf::from(name))
    }

    fn joined_path(&self) -> OsString {
        let inherited = env::var_os("PATH").unwrap_or_default();
        let all = self
            .path
            .iter()
            .cloned()
            .chain(env::split_paths(&inherited).filter(|folder| !self.path.contains(folder)));
        // A folder name that holds the separator cannot be on a search path at all.
        env::join_paths(all).unwrap_or(inherited)
    }

    /// The same as lines for a POSIX shell.
    pub(crate) fn exports(&self) -> String {
        let mut lines = String::new();
        for key in &self.removed {
            if env::var_os(key).is_some() {
                lines.push_str(&format!("unset {key}\n"));
            }
        }
        for (key, value) in &self.set {
            lines.push_str(&format!("export {key}={}\n", quote(&value.to_string_lossy())));
        }
        if !self.path.is_empty() {
            let folders: Vec<String> =
                self.path.iter().map(|folder| quote(&folder.to_string_lossy())).collect();
            lines.push_str(&format!("export PATH={}:\"$PATH\"\n", folders.join(":")));
        }
        lines
    }
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_are_quoted_for_a_shell() {
        let mut environment = Environment::default();
        environment.set("A", "it's");
        environment.search(PathBuf::from("/cache/a b"));
        environment.search(PathBuf::from("/cache/c"));
        environment.search(PathBuf::from("/cache/c"));
        assert_eq!(
            environment.exports(),
            "export A='it'\\''s'\nexport PATH='/cache/a b':'/cache/c':\"$PATH\"\n"
        );
    }

    #[test]
    fn its_folders_come_first_on_the_search_path() {
        let mut environment = Environment::default();
        environment.search(PathBuf::from("/cache/first"));
        let path = environment.joined_path();
        assert_eq!(env::split_paths(&path).next(), Some(PathBuf::from("/cache/first")));
    }
}
