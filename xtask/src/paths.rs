//! Where things are: the checkout, its build folder, and the user's cache folder
//! that several checkouts share.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// The folders that every command works with.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// The checkout.
    pub(crate) root: PathBuf,
    /// Cargo's build folder for the host.
    pub(crate) target: PathBuf,
    /// Tools and built dependencies, kept between checkouts.
    pub(crate) cache: PathBuf,
}

impl Project {
    /// Finds the folders of the checkout that this program was built from.
    pub(crate) fn locate() -> Result<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .parent()
            .context("xtask's folder has no parent; run it as `cargo xtask`")?
            .to_path_buf();
        if !root.join("Cargo.lock").is_file() {
            bail!("{} holds no Cargo.lock; run `cargo xtask` inside the checkout", root.display());
        }
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => host_target(root.join(folder)),
            None => root.join("target"),
        };
        let cache = cache_folder(env::var_os("XDG_CACHE_HOME"), env::var_os("HOME"))
            .context("neither XDG_CACHE_HOME nor HOME is set, so there is no cache folder")?;
        Ok(Self { root, target, cache })
    }

    /// The build folder for wasm32, apart from the host's: two compilers and two
    /// sets of flags neither wait for nor rebuild each other's work.
    pub(crate) fn wasm_target(&self) -> PathBuf {
        self.target.join("wasm")
    }

    /// The built page.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The server as `cargo build -p edge-server` leaves it.
    pub(crate) fn edge_server(&self) -> PathBuf {
        self.target.join("debug").join(format!("edge-server{}", env::consts::EXE_SUFFIX))
    }

    /// What tools print, one file a step.
    pub(crate) fn logs(&self) -> PathBuf {
        self.target.join("logs")
    }

    /// What tests leave to look at.
    pub(crate) fn artefacts(&self) -> PathBuf {
        self.target.join("artefacts")
    }
}

/// `cargo xtask env` points `CARGO_TARGET_DIR` at the wasm folder; commands started
/// from such a shell still belong to the folder around it.
fn host_target(folder: PathBuf) -> PathBuf {
    match (folder.file_name(), folder.parent()) {
        (Some(name), Some(parent)) if name == "wasm" && parent.ends_with("target") => {
            parent.to_path_buf()
        }
        _ => folder,
    }
}

fn cache_folder(
    xdg: Option<std::ffi::OsString>,
    home: Option<std::ffi::OsString>,
) -> Option<PathBuf> {
    // The XDG specification has relative paths ignored.
    let base = xdg
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| home.map(|home| Path::new(&home).join(".cache")))?;
    Some(base.join("aether"))
}

/// The first program of that name on the search path of this process.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
        .find(|candidate| candidate.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_follows_xdg_and_falls_back_to_home() {
        let xdg = cache_folder(Some("/x".into()), Some("/home/a".into()));
        assert_eq!(xdg, Some(PathBuf::from("/x/aether")));
        let home = cache_folder(None, Some("/home/a".into()));
        assert_eq!(home, Some(PathBuf::from("/home/a/.cache/aether")));
        let relative = cache_folder(Some("x".into()), Some("/home/a".into()));
        assert_eq!(relative, home);
        assert_eq!(cache_folder(None, None), None);
    }

    #[test]
    fn a_shell_set_up_for_wasm_does_not_nest_build_folders() {
        assert_eq!(host_target(PathBuf::from("/p/target/wasm")), PathBuf::from("/p/target"));
        assert_eq!(host_target(PathBuf::from("/p/wasm")), PathBuf::from("/p/wasm"));
    }
}
