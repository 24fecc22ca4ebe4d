//! The binary: parses, starts, and says in one line why it could not.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser;
use edge_server::compose;
use edge_server::config::{
    Cli, Command, ConfigError, DatabaseFamily, ServeArgs, WorldCommand, bad_value,
};
use edge_server::shutdown;
use tokio_util::sync::CancellationToken;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => match bad_value(&error) {
            Some(one_line) => return fail(&one_line.into()),
            None => error.exit(),
        },
    };
    let done = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(run(cli)));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("edge-server: {error:#}");
    ExitCode::FAILURE
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Serve(args) => serve(*args).await,
        Command::Migrate(args) => {
            compose::migrate(&args).await?;
            // The other family's address may hold a password.
            match args.family()? {
                DatabaseFamily::Sqlite => println!("{} has this build's schema", args.database_url),
                DatabaseFamily::Postgres => println!("the database has this build's schema"),
            }
            Ok(())
        }
        Command::Openapi => {
            print!("{}", edge_server::http::openapi::json());
            Ok(())
        }
        Command::World { command: WorldCommand::Check(args) } => {
            let report = edge_server::world::check::check(&args.world_dir);
            for problem in &report.problems {
                eprintln!("{problem}");
            }
            for note in &report.notes {
                println!("{note}");
            }
            println!("{}", report.verdict(&args.world_dir).map_err(anyhow::Error::msg)?);
            Ok(())
        }
    }
}

async fn serve(args: ServeArgs) -> anyhow::Result<()> {
    args.plan()?;
    let filter = tracing_subscriber::EnvFilter::try_new(&args.log).map_err(|error| {
        ConfigError::BadLogFilter { value: args.log.clone(), reason: error.to_string() }
    })?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        .init();
    let stopping = CancellationToken::new();
    shutdown::on_signals(stopping.clone())?;
    let running = compose::start(&args, stopping).await?;
    println!("{}", running.announcement);
    running.stopped().await
}
