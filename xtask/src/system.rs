//! Packages of the operating system: which manager there is, what a thing is called
//! there, and whether this program may install it itself.

use std::env;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths::{Project, find_program};
use crate::process::{Job, ask, program};
use crate::progress::say;

/// What the person has said about system packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Install them and say which.
    Given,
    /// Ask on a terminal; elsewhere print the command and end.
    Ask,
}

impl Consent {
    /// Given by `--install`, by `CI=true`, and by being root.
    pub(crate) fn find(install_flag: bool) -> Self {
        let ci = env::var_os("CI").is_some_and(|value| value == "true");
        if install_flag || ci || is_root() { Self::Given } else { Self::Ask }
    }
}

fn is_root() -> bool {
    ask(Command::new("id").arg("-u")).as_deref() == Some("0")
}

/// The package managers known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manager {
    Apt,
    Dnf,
    Pacman,
    Apk,
    Brew,
}

impl Manager {
    pub(crate) fn find() -> Option<Self> {
        [
            (Self::Apt, "apt-get"),
            (Self::Dnf, "dnf"),
            (Self::Pacman, "pacman"),
            (Self::Apk, "apk"),
            (Self::Brew, "brew"),
        ]
        .into_iter()
        .find_map(|(manager, program)| find_program(program).map(|_| manager))
    }

    fn install(self, packages: &[&str]) -> Vec<String> {
        let words: &[&str] = match self {
            Self::Apt => &["apt-get", "install", "-y", "--no-install-recommends"],
            Self::Dnf => &["dnf", "install", "-y"],
            Self::Pacman => &["pacman", "-S", "--needed", "--noconfirm"],
            Self::Apk => &["apk", "add"],
            Self::Brew => &["brew", "install"],
        };
        words.iter().chain(packages).map(|&word| word.to_owned()).collect()
    }

    /// What a fresh machine has to do before it knows any package.
    fn refresh(self) -> Option<Vec<String>> {
        let words: &[&str] = match self {
            Self::Apt => &["apt-get", "update"],
            Self::Pacman => &["pacman", "-Sy"],
            Self::Apk => &["apk", "update"],
            Self::Dnf | Self::Brew => return None,
        };
        Some(words.iter().map(|&word| word.to_owned()).collect())
    }

    fn needs_root(self) -> bool {
        self != Self::Brew
    }
}

/// Something that comes from the operating system.
#[derive(Debug)]
pub(crate) struct Need<'a> {
    /// What it is for, as the end of "needed to …".
    pub(crate) purpose: &'a str,
    /// Its packages under each manager.
    pub(crate) packages: &'a [(Manager, &'a [&'a str])],
}

/// Installs what is needed, after asking where that is due.
///
/// # Errors
/// Names the packages and the exact command where it may not or cannot install them.
pub(crate) fn install(project: &Project, need: &Need<'_>, consent: Consent) -> Result<()> {
    let manager = Manager::find().with_context(|| {
        format!(
            "no known package manager (apt-get, dnf, pacman, apk, brew) was found; \
             install what is needed to {} by hand",
            need.purpose
        )
    })?;
    let Some((_, packages)) = need.packages.iter().find(|(of, _)| *of == manager) else {
        bail!(
            "it is not known which packages are needed to {} here; install them by hand",
            need.purpose
        );
    };
    let sudo = manager.needs_root() && !is_root();
    let install = with_sudo(manager.install(packages), sudo);
    let listed = packages.join(" ");
    if consent == Consent::Ask && !agreed(&listed, need.purpose)? {
        bail!(
            "the packages {listed} are needed to {}; install them with\n    {}\n\
             or run this command again with --install",
            need.purpose,
            install.join(" ")
        );
    }
    say(&format!("installing the system packages {listed}, needed to {}", need.purpose));
    if let Some(refresh) = manager.refresh() {
        run(project, "package lists", &with_sudo(refresh, sudo))?;
    }
    run(project, "system packages", &install)
}

fn with_sudo(mut words: Vec<String>, sudo: bool) -> Vec<String> {
    if sudo {
        words.insert(0, "sudo".to_owned());
    }
    words
}

fn run(project: &Project, name: &str, words: &[String]) -> Result<()> {
    let (first, rest) = words.split_first().context("an empty command")?;
    let mut command = program(first, Path::new("/"));
    command.args(rest).env("DEBIAN_FRONTEND", "noninteractive");
    Job { name, about: &words.join(" "), logs: &project.logs(), limit: None }
        .run(&mut command)?
        .check(name)
        .map(drop)
}

fn agreed(listed: &str, purpose: &str) -> Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(false);
    }
    let mut out = std::io::stderr().lock();
    write!(out, "The system packages {listed} are needed to {purpose}. Install them? [y/N] ")
        .and_then(|()| out.flush())
        .context("cannot ask on the terminal")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).context("cannot read the answer")?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_name_their_packages_and_take_sudo_only_where_due() {
        let words = Manager::Apt.install(&["chromium", "chromium-driver"]);
        assert_eq!(
            with_sudo(words, true).join(" "),
            "sudo apt-get install -y --no-install-recommends chromium chromium-driver"
        );
        let brew = Manager::Brew.install(&["node"]);
        assert_eq!(with_sudo(brew, false).join(" "), "brew install node");
    }
}
