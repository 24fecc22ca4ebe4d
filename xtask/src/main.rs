//! Aether's own commands. Each sets up what it needs, says what it is doing, and is
//! quick the second time.

mod art;
mod backends;
mod browser;
mod cargo_lock;
mod cluster;
mod environment;
mod fault_report;
mod openapi;
mod page;
mod paths;
mod play;
mod postgres;
mod process;
mod progress;
mod redis;
mod system;
mod test;
mod tools;
mod wasm_toolchain;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::browser::{Browser, Firefox};
use crate::page::PageTools;
use crate::paths::Project;
use crate::postgres::Postgres;
use crate::progress::{Step, Stopwatch, in_seconds, say};
use crate::system::Consent;

const HELP: &str = "\
Aether's own commands

Usage: cargo xtask COMMAND [--install]

  play            build the page and the server and play; Ctrl-C stops the server
                  (every EDGE_… variable reaches it: `cargo run -p edge-server -- serve --help`
                  lists them)
  test [STAGE…]   run everything that has to hold, or only these stages and what
                  they build on:
                  STAGES
  cluster [kill NAME]
                  what a deployment runs, on this machine: Postgres, Redis, one login
                  server, two control planes, three game servers; Ctrl-C stops all of it;
                  `kill game-2` in another terminal kills that one, which comes back
  backends COMMAND…
                  run a command beside the backends of the tests, such as one test:
                  `cargo xtask backends cargo nextest run -p tests contract`
  fault-report    run the tests that let something go wrong, and write
                  docs/fault-report.md from what became of the players
  art [--check]   draw the pictures, or compare them with the committed ones
  openapi [--check]
                  write docs/openapi.json from the server's routes, or compare it
  build-page      build the page into dist/
  setup           set up the tools of all this, and build nothing
  env             print `export` lines with which trunk and cargo build for wasm32
  help            print this

  --install       install system packages without asking (implied for root and CI=true)

Tools are kept in $XDG_CACHE_HOME/aether (~/.cache/aether), logs in target/logs.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let clock = Stopwatch::start();
    // What comes behind it belongs to another program.
    if let Some(at) = arguments.iter().position(|word| word == "backends") {
        let consent = Consent::find(arguments[..at].iter().any(|word| word == "--install"));
        let command: Vec<&str> = arguments[at + 1..].iter().map(String::as_str).collect();
        return backends::run(&Project::locate()?, &command, consent);
    }
    let consent = Consent::find(arguments.iter().any(|word| word == "--install"));
    let words: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| *word != "--install").collect();
    if words.is_empty() || words.iter().any(|word| ["help", "--help", "-h"].contains(word)) {
        print!("{}", HELP.replace("STAGES", &test::stage_names()));
        return Ok(ExitCode::SUCCESS);
    }
    let project = Project::locate()?;
    match words.as_slice() {
        ["play"] => return play::run(&project, consent),
        ["cluster", words @ ..] => return cluster::run(&project, words, consent),
        ["test", stages @ ..] => return test::run(&project, stages, consent),
        ["build-page"] => {
            page::build(&project, &PageTools::ensure(&project, consent)?)?;
            say(&format!("done in {}", in_seconds(clock.elapsed())));
        }
        ["setup"] => {
            PageTools::ensure(&project, consent)?;
            tools::nextest().ensure(&project)?;
            Browser::ensure(&project, consent)?;
            Firefox::ensure(&project, consent)?;
            Postgres::ensure(&project, consent)?;
            redis::ensure(&project, consent)?;
            say(&format!("set up in {}", in_seconds(clock.elapsed())));
        }
        ["art"] => draw(&project, false)?,
        ["art", "--check"] => draw(&project, true)?,
        ["fault-report"] => return fault_report::run(&project, consent),
        ["openapi"] => {
            play::build_server(&project)?;
            openapi::run(&project, false)?;
        }
        ["openapi", "--check"] => {
            play::build_server(&project)?;
            openapi::run(&project, true)?;
        }
        ["env"] => {
            print!("{}", PageTools::ensure(&project, consent)?.environment.exports());
        }
        other => bail!("unknown command `{}`; see `cargo xtask help`", other.join(" ")),
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws the art, or with `check` compares it with what is committed.
pub(crate) fn draw(project: &Project, check: bool) -> Result<()> {
    let about = if check { "comparing the art with its code" } else { "drawing the art" };
    let step = Step::start("art", about, None);
    let drawn = art::run(&project.root, check);
    step.finish(if drawn.is_ok() { "done" } else { "FAILED" });
    drawn
}
