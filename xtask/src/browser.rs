//! The browsers that tests drive, and their drivers.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::paths::{Project, find_program};
use crate::process::ask;
use crate::system::{self, Consent, Manager, Need};
use crate::tools;

const BROWSERS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

const FIREFOXES: &[&str] = &["firefox-esr", "firefox"];

/// Quiet starts: tests bring their own network, and nothing of this is tested.
const ARGUMENTS: &[&str] = &[
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
];

/// A Chromium and the chromedriver of the same version.
#[derive(Debug, Clone)]
pub(crate) struct Browser {
    pub(crate) chromium: PathBuf,
    pub(crate) driver: PathBuf,
}

impl Browser {
    /// Finds both, and installs them where one is missing.
    pub(crate) fn ensure(project: &Project, consent: Consent) -> Result<Self> {
        let browser = match Self::find() {
            Some(browser) => browser,
            None => {
                let need = Need {
                    purpose: "test the page in a browser",
                    packages: &[
                        (Manager::Apt, &["chromium", "chromium-driver"]),
                        (Manager::Dnf, &["chromium", "chromedriver"]),
                        (Manager::Pacman, &["chromium"]),
                        (Manager::Apk, &["chromium", "chromium-chromedriver"]),
                        (Manager::Brew, &["chromium", "chromedriver"]),
                    ],
                };
                system::install(project, &need, consent)?;
                Self::find().context(
                    "chromium or chromedriver is still not on the search path; \
                     set AETHER_CHROMIUM and AETHER_CHROMEDRIVER to where they are",
                )?
            }
        };
        browser.check_versions()?;
        Ok(browser)
    }

    fn find() -> Option<Self> {
        Some(Self {
            chromium: named("AETHER_CHROMIUM")
                .or_else(|| BROWSERS.iter().find_map(|name| find_program(name)))?,
            driver: named("AETHER_CHROMEDRIVER")
                .or_else(|| named("CHROMEDRIVER"))
                .or_else(|| find_program("chromedriver"))?,
        })
    }

    fn check_versions(&self) -> Result<()> {
        let major = |program: &Path| -> Result<String> {
            ask(Command::new(program).arg("--version"))
                .as_deref()
                .and_then(major_version)
                .map(str::to_owned)
                .with_context(|| format!("{} does not tell its version", program.display()))
        };
        let (browser, driver) = (major(&self.chromium)?, major(&self.driver)?);
        if browser != driver {
            bail!(
                "{} is version {browser} but {} is version {driver}; a driver drives \
                 only its own version, so install both from one source",
                self.chromium.display(),
                self.driver.display()
            );
        }
        Ok(())
    }

    /// Writes what wasm-bindgen's test runner asks of the browser, and returns the file.
    pub(crate) fn write_capabilities(&self, folder: &Path) -> Result<PathBuf> {
        let arguments: Vec<String> = ARGUMENTS.iter().map(|word| json_string(word)).collect();
        let text = format!(
            "{{\"goog:chromeOptions\":{{\"binary\":{},\"args\":[{}]}}}}\n",
            json_string(&self.chromium.to_string_lossy()),
            arguments.join(",")
        );
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let path = folder.join("webdriver.json");
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

/// A Firefox and a geckodriver, which drives any version.
#[derive(Debug, Clone)]
pub(crate) struct Firefox {
    pub(crate) firefox: PathBuf,
    pub(crate) driver: PathBuf,
}

impl Firefox {
    /// Finds both, and installs them where one is missing.
    pub(crate) fn ensure(project: &Project, consent: Consent) -> Result<Self> {
        let firefox = match Self::find() {
            Some(firefox) => firefox,
            None => {
                let need = Need {
                    purpose: "test the page in a second browser",
                    packages: &[
                        (Manager::Apt, &["firefox-esr"]),
                        (Manager::Dnf, &["firefox"]),
                        (Manager::Pacman, &["firefox"]),
                        (Manager::Apk, &["firefox-esr"]),
                        (Manager::Brew, &["firefox"]),
                    ],
                };
                system::install(project, &need, consent)?;
                Self::find().context(
                    "firefox is still not on the search path; set AETHER_FIREFOX to where it is",
                )?
            }
        };
        let driver = match named("AETHER_GECKODRIVER") {
            Some(driver) => driver,
            None => tools::geckodriver().ensure(project)?.join("geckodriver"),
        };
        Ok(Self { firefox, driver })
    }

    fn find() -> Option<PathBuf> {
        named("AETHER_FIREFOX").or_else(|| FIREFOXES.iter().find_map(|name| find_program(name)))
    }
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// `Chromium 156.0.8078.73 built on …` and `ChromeDriver 156.0.8078.73 (…)` are 156.
fn major_version(text: &str) -> Option<&str> {
    text.split_whitespace()
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?
        .split('.')
        .next()
}

fn json_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browser_and_driver_tell_their_major_version() {
        let browser = "Chromium 156.0.8078.73 built on Debian GNU/Linux 12";
        assert_eq!(major_version(browser), Some("156"));
        assert_eq!(major_version("ChromeDriver 156.0.8078.73 (a1b2)"), Some("156"));
        assert_eq!(major_version("Chromium"), None);
    }

    #[test]
    fn paths_stay_one_json_string() {
        assert_eq!(json_string(r#"C:\a "b""#), r#""C:\\a \"b\"""#);
    }
}
