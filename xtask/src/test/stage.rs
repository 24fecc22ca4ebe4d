//! The stages: what each runs, what it builds on, and what has to be set up for it.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::counts::{self, Counts};
use crate::browser::{Browser, Firefox};
use crate::page::{self, PageTools};
use crate::paths::Project;
use crate::postgres::{self, Group, Postgres};
use crate::process::{Ended, Job, program};
use crate::redis;
use crate::system::Consent;
use crate::tools;

/// The tests that the specification names by filter; each has to exist.
const SPECIFIED: &[&str] = &[
    "has_realtime_session_requires_authoritative_local_player",
    "world_entry_ready_requires_an_accepted_handshake",
    "world_entry_ready_requires_live_authoritative_realtime_player",
    "status_helpers_format_errors_and_cleanup_failed_job_stages",
    "realtime_disconnect_finished_requires_disconnect_request_to_complete",
];

/// A browser that hangs does not end by itself. Builds are within this time, too.
const WASM_LIMIT: Duration = Duration::from_secs(30 * 60);

const INTEGRATION: &str = "binary_id(tests::integration)";

/// One part of the run, in the order of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Lock,
    Format,
    Art,
    Clippy,
    Build,
    OpenApi,
    ClippyWasm,
    Page,
    Host,
    Filters,
    Wasm,
    Integration,
}

/// What may run beside what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    /// Checks and builds with the host's compiler.
    Host,
    /// Checks and builds for the browser.
    Browser,
    /// After both, one at a time.
    Alone,
}

/// What a stage found out.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) counts: Option<Counts>,
    pub(crate) failure: Option<String>,
}

/// What the stages work with. A backend that tests need is set up here, too.
#[derive(Debug)]
pub(crate) struct Workshop<'a> {
    project: &'a Project,
    page: Option<PageTools>,
    nextest: Option<std::path::PathBuf>,
    browser: Option<Browser>,
    firefox: Option<Firefox>,
    postgres: Option<Postgres>,
    redis: Option<std::path::PathBuf>,
}

impl<'a> Workshop<'a> {
    /// Sets up what these stages need.
    pub(crate) fn set_up(project: &'a Project, stages: &[Stage], consent: Consent) -> Result<Self> {
        let any = |wanted: &[Stage]| stages.iter().any(|stage| wanted.contains(stage));
        let browser = any(&[Stage::Wasm, Stage::Integration])
            .then(|| Browser::ensure(project, consent))
            .transpose()?;
        let firefox =
            any(&[Stage::Integration]).then(|| Firefox::ensure(project, consent)).transpose()?;
        let page = any(&[Stage::ClippyWasm, Stage::Page, Stage::Wasm])
            .then(|| PageTools::ensure(project, consent))
            .transpose()?;
        let nextest = any(&[Stage::Host, Stage::Integration])
            .then(|| tools::nextest().ensure(project))
            .transpose()?;
        let postgres =
            any(&[Stage::Integration]).then(|| Postgres::ensure(project, consent)).transpose()?;
        let redis =
            any(&[Stage::Integration]).then(|| redis::ensure(project, consent)).transpose()?;
        Ok(Self { project, page, nextest, browser, firefox, postgres, redis })
    }

    fn page(&self) -> Result<&PageTools> {
        self.page.as_ref().context("the page's tools are not set up")
    }

    fn browser(&self) -> Result<&Browser> {
        self.browser.as_ref().context("the browser is not set up")
    }

    fn firefox(&self) -> Result<&Firefox> {
        self.firefox.as_ref().context("Firefox is not set up")
    }

    /// Cargo for the host.
    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = program("cargo", &self.project.root);
        command.args(arguments).env("CARGO_TARGET_DIR", &self.project.target);
        command
    }

    /// Cargo for the browser.
    fn wasm_cargo(&self, arguments: &[&str]) -> Result<Command> {
        let environment = &self.page()?.environment;
        let mut command = program(environment.find("cargo"), &self.project.root);
        command.args(arguments).args(["--package", "aether", "--target", "wasm32-unknown-unknown"]);
        environment.apply(&mut command);
        Ok(command)
    }

    fn nextest(&self, filter: &str) -> Result<Command> {
        let folder = self.nextest.as_ref().context("nextest is not set up")?;
        let mut command = program(folder.join("cargo-nextest"), &self.project.root);
        command
            .args(["nextest", "run", "--workspace", "--no-fail-fast"])
            .args(["--filterset", filter])
            .env("CARGO_TARGET_DIR", &self.project.target);
        Ok(command)
    }

    fn execute(&self, name: &str, about: &str, command: &mut Command) -> Result<Ended> {
        Job { name, about, logs: &self.project.logs(), limit: None }.run(command)
    }

    /// For stages whose only result is whether they succeed.
    fn check(&self, name: &str, about: &str, command: &mut Command) -> Result<Outcome> {
        let ended = self.execute(name, about, command)?;
        ended.check(about)?;
        Ok(Outcome::default())
    }
}

impl Stage {
    pub(crate) const ALL: [Self; 12] = [
        Self::Lock,
        Self::Format,
        Self::Art,
        Self::Clippy,
        Self::Build,
        Self::OpenApi,
        Self::ClippyWasm,
        Self::Page,
        Self::Host,
        Self::Filters,
        Self::Wasm,
        Self::Integration,
    ];

    /// What it is called on the command line, in the table and in the floor.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Format => "fmt",
            Self::Art => "art",
            Self::Clippy => "clippy",
            Self::Build => "build",
            Self::OpenApi => "openapi",
            Self::ClippyWasm => "clippy-wasm",
            Self::Page => "page",
            Self::Host => "host",
            Self::Filters => "filters",
            Self::Wasm => "wasm",
            Self::Integration => "integration",
        }
    }

    /// Stages whose results it uses.
    pub(crate) fn builds_on(self) -> &'static [Self] {
        match self {
            Self::OpenApi | Self::Host => &[Self::Build],
            Self::Integration => &[Self::Build, Self::Page],
            _ => &[],
        }
    }

    pub(crate) fn lane(self) -> Lane {
        match self {
            Self::Lock | Self::Format | Self::Art | Self::Clippy | Self::Build | Self::OpenApi => {
                Lane::Host
            }
            Self::ClippyWasm | Self::Page => Lane::Browser,
            Self::Host | Self::Filters | Self::Wasm | Self::Integration => Lane::Alone,
        }
    }

    /// Runs it. An error and a [`Outcome::failure`] both fail the stage; the second
    /// knows how many tests ran.
    pub(crate) fn run(self, workshop: &Workshop<'_>) -> Result<Outcome> {
        let name = self.name();
        match self {
            Self::Lock => workshop.check(
                name,
                "cargo metadata --locked",
                &mut workshop.cargo(&["metadata", "--locked", "--format-version=1"]),
            ),
            Self::Format => workshop.check(
                name,
                "cargo fmt --all --check",
                &mut workshop.cargo(&["fmt", "--all", "--check"]),
            ),
            Self::Art => {
                crate::draw(workshop.project, true)?;
                Ok(Outcome::default())
            }
            Self::Clippy => workshop.check(
                name,
                "cargo clippy --workspace --all-targets",
                &mut workshop.cargo(&[
                    "clippy",
                    "--workspace",
                    "--all-targets",
                    "--",
                    "-Dwarnings",
                ]),
            ),
            // Everything that the tests use, the server among it, in one build.
            Self::Build => workshop.check(
                name,
                "cargo build --workspace --bins --tests",
                &mut workshop.cargo(&["build", "--workspace", "--bins", "--tests"]),
            ),
            Self::OpenApi => {
                crate::openapi::run(workshop.project, true)?;
                Ok(Outcome::default())
            }
            Self::ClippyWasm => workshop.check(
                name,
                "cargo clippy --package aether for wasm32",
                workshop.wasm_cargo(&["clippy", "--all-targets"])?.args(["--", "-Dwarnings"]),
            ),
            Self::Page => {
                page::build(workshop.project, workshop.page()?)?;
                Ok(Outcome::default())
            }
            Self::Host => nextest(
                workshop,
                name,
                "tests on the host",
                &mut workshop.nextest(&format!("not {INTEGRATION}"))?,
            ),
            Self::Filters => filters(workshop),
            Self::Wasm => wasm(workshop),
            Self::Integration => integration(workshop),
        }
    }
}

fn nextest(
    workshop: &Workshop<'_>,
    name: &str,
    about: &str,
    command: &mut Command,
) -> Result<Outcome> {
    let ended = workshop.execute(name, about, command)?;
    let counts = counts::of_nextest(&ended.output);
    if ended.success && counts.is_none() {
        bail!("nextest succeeded without a summary that can be read");
    }
    Ok(Outcome { counts, failure: (!ended.success).then(|| ended.explain_tests()) })
}

fn filters(workshop: &Workshop<'_>) -> Result<Outcome> {
    let mut total = Counts::default();
    let mut failures = Vec::new();
    for filter in SPECIFIED {
        let about = format!("cargo test -p aether {filter}");
        let ended = workshop.execute(
            "filters",
            &about,
            &mut workshop.cargo(&["test", "-p", "aether", filter]),
        )?;
        let counts = counts::of_test_results(&ended.output);
        total.add(counts);
        if !ended.success {
            failures.push(ended.explain_tests());
        } else if counts.run() == 0 {
            failures.push(format!("`{about}` ran no test"));
        }
    }
    Ok(Outcome {
        counts: Some(total),
        failure: (!failures.is_empty()).then(|| failures.join("\n")),
    })
}

fn wasm(workshop: &Workshop<'_>) -> Result<Outcome> {
    let browser = workshop.browser()?;
    let environment = &workshop.page()?.environment;
    let capabilities = browser.write_capabilities(&workshop.project.wasm_target())?;
    // Documentation examples are left out: they are no tests of the browser.
    let mut command =
        workshop.wasm_cargo(&["test", "--no-fail-fast", "--lib", "--bins", "--tests"])?;
    command
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
            environment.find("wasm-bindgen-test-runner"),
        )
        .env("CHROMEDRIVER", &browser.driver)
        .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", capabilities)
        .env("WASM_BINDGEN_USE_BROWSER", "1")
        .env("WASM_BINDGEN_TEST_TIMEOUT", "120");
    let ended = Job {
        name: "wasm",
        about: "tests in a headless browser",
        logs: &workshop.project.logs(),
        limit: Some(WASM_LIMIT),
    }
    .run(&mut command)?;
    Ok(Outcome {
        counts: Some(counts::of_test_results(&ended.output)),
        failure: (!ended.success).then(|| ended.explain_tests()),
    })
}

fn integration(workshop: &Workshop<'_>) -> Result<Outcome> {
    let (browser, firefox) = (workshop.browser()?, workshop.firefox()?);
    let redis = workshop.redis.as_ref().context("Redis is not set up")?;
    let project = workshop.project;
    let artefacts = project.artefacts();
    std::fs::create_dir_all(&artefacts)
        .with_context(|| format!("cannot create {}", artefacts.display()))?;
    let postgres = workshop
        .postgres
        .as_ref()
        .context("Postgres is not set up")?
        .start(project, Group::Shared)?;
    let mut command = workshop.nextest(INTEGRATION)?;
    command
        .env(postgres::VARIABLE, postgres.url())
        .env("AETHER_DIST", project.dist())
        .env("AETHER_EDGE_SERVER", project.edge_server())
        .env("AETHER_CHROMEDRIVER", &browser.driver)
        .env("AETHER_CHROMIUM", &browser.chromium)
        .env("AETHER_GECKODRIVER", &firefox.driver)
        .env("AETHER_FIREFOX", &firefox.firefox)
        .env(redis::VARIABLE, redis)
        .env("AETHER_ARTEFACTS", artefacts);
    nextest(
        workshop,
        "integration",
        "stores, flows over real sockets and journeys in browsers",
        &mut command,
    )
}
