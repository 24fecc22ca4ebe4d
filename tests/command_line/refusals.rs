//! Starts that are refused: one line that names what is wrong, and nothing is touched.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tests::command::{Finished, run};
use tests::player::Player;
use tests::repository::{dist, world_dir};
use tests::server::Server;

/// Starts a server that is expected not to come up; gives the line that says why.
async fn refused(folder: &TempDir, arguments: &[&str], variables: &[(&str, &str)]) -> Finished {
    let (world, page) = (world_dir(), dist());
    let database = format!("sqlite://{}", folder.path().join("aether.sqlite").display());
    let mut all = vec![
        ("EDGE_HTTP_ADDR", "127.0.0.1:0"),
        ("EDGE_REALTIME_ADDR", "127.0.0.1:0"),
        ("EDGE_WORLD_DIR", world.to_str().unwrap()),
        ("EDGE_STATIC_DIR", page.to_str().unwrap()),
        ("EDGE_DATABASE_URL", database.as_str()),
        // Only what the operator has to act on.
        ("EDGE_LOG", "error"),
    ];
    all.extend(variables);
    let arguments = ["serve"].iter().chain(arguments);
    let finished = run(arguments, &all, folder.path()).await;
    assert_eq!(finished.stdout, "", "nothing is announced");
    finished
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_start_on_the_same_port_is_refused_and_the_first_plays_on() {
    let server = Server::start().await;
    let player = server.hero("Mara").await.enter().await;
    let folder = folder();
    let second = refused(&folder, &[], &[("EDGE_HTTP_ADDR", server.http_addr())]).await;
    let line = second.only_line();
    assert!(line.contains(server.http_addr()) && line.contains("EDGE_HTTP_ADDR"), "{line}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
    plays_on(&player).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_start_on_the_same_realtime_port_is_refused_and_the_first_plays_on() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let taken = admission.activation.endpoints[0].url.split('/').nth(2).unwrap();
    let player = hero.claim(&admission).await;
    let folder = folder();
    let second = refused(&folder, &[], &[("EDGE_REALTIME_ADDR", taken)]).await;
    let line = second.only_line();
    assert!(line.contains(taken) && line.contains("EDGE_REALTIME_ADDR"), "{line}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was made");
    plays_on(&player).await;
}

/// Waits until the world has gone on for half a second.
async fn plays_on(player: &Player) {
    let tick = player.sight().tick().unwrap();
    player.until("the first plays on", |sight| sight.tick().is_some_and(|t| t > tick + 10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_start_on_the_same_data_is_refused_and_the_first_plays_on() {
    let server = Server::start().await;
    let player = server.hero("Mara").await.enter().await;
    let database = format!("sqlite://{}", server.database().display());
    let folder = folder();
    let second = refused(&folder, &[], &[("EDGE_DATABASE_URL", &database)]).await;
    let line = second.only_line();
    assert!(line.contains("another Aether server uses"), "{line}");
    assert!(line.contains(server.database().to_str().unwrap()), "{line}");
    let migrate = run(["migrate"], &[("EDGE_DATABASE_URL", &database)], folder.path()).await;
    assert!(migrate.only_line().contains("another Aether server uses"), "{migrate:?}");
    plays_on(&player).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_that_cannot_be_made_is_named() {
    let folder = folder();
    let file = folder.path().join("not-a-folder");
    fs::write(&file, "").unwrap();
    let database = format!("sqlite://{}/aether.sqlite", file.display());
    let refused = refused(&folder, &[], &[("EDGE_DATABASE_URL", &database)]).await;
    let line = refused.only_line();
    assert!(line.contains(file.to_str().unwrap()) && line.contains("EDGE_DATABASE_URL"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_another_program_is_left_alone() {
    for (name, content) in [
        ("text", b"not a database at all, and of some length, so that it has a head\n".repeat(40)),
        ("notes", sqlite_file_of_another_program().await),
    ] {
        let folder = folder();
        let file = folder.path().join(name);
        fs::write(&file, &content).unwrap();
        let database = format!("sqlite://{}", file.display());
        let refused = refused(&folder, &[], &[("EDGE_DATABASE_URL", &database)]).await;
        assert!(refused.only_line().contains(file.to_str().unwrap()), "{refused:?}");
        assert_eq!(fs::read(&file).unwrap(), content, "not a byte is touched");
    }
}

async fn sqlite_file_of_another_program() -> Vec<u8> {
    use sqlx::Connection;
    let folder = folder();
    let file = folder.path().join("notes");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file).create_if_missing(true);
    let mut notes = sqlx::SqliteConnection::connect_with(&options).await.unwrap();
    sqlx::query("CREATE TABLE notes (text TEXT)").execute(&mut notes).await.unwrap();
    notes.close().await.unwrap();
    fs::read(&file).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_value_is_one_line_that_names_value_flag_and_variable() {
    let folder = folder();
    for (flag, variable, value) in [
        ("--http-addr", "EDGE_HTTP_ADDR", "eighty"),
        ("--realtime-addr", "EDGE_REALTIME_ADDR", "127.0.0.1"),
        ("--zone-capacity", "EDGE_ZONE_CAPACITY", "0"),
        ("--zone-capacity", "EDGE_ZONE_CAPACITY", "many"),
        ("--allowed-origins", "EDGE_ALLOWED_ORIGINS", "nowhere"),
        ("--public-http-url", "EDGE_PUBLIC_HTTP_URL", "ftp://play.example"),
        ("--public-realtime-url", "EDGE_PUBLIC_REALTIME_URL", "http://play.example"),
        ("--trusted-proxies", "EDGE_TRUSTED_PROXIES", "10.0.0.0/33"),
        ("--log", "EDGE_LOG", "aether=shout"),
        ("--role", "EDGE_ROLE", "king"),
        ("--control-plane-urls", "EDGE_CONTROL_PLANE_URLS", "https://10.0.0.5"),
        ("--instance-id", "EDGE_INSTANCE_ID", "Game 1"),
        ("--zones", "EDGE_ZONES", "harbor"),
        ("--zones", "EDGE_ZONES", "dawn/crypt#1"),
    ] {
        let by_flag = refused(&folder, &[flag, value], &[]).await;
        let by_variable = refused(&folder, &[], &[(variable, value)]).await;
        for finished in [by_flag, by_variable] {
            let line = finished.only_line();
            for part in [flag, variable, value] {
                assert!(line.contains(part), "{part} is not in {line}");
            }
        }
    }
    assert!(!folder.path().join("aether.sqlite").exists(), "no database was made");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_token_that_is_too_short_is_named_and_never_repeated() {
    let folder = folder();
    let (flag, variable, value) = ("--service-token", "EDGE_SERVICE_TOKEN", "hunter2-hunter2");
    let by_flag = refused(&folder, &[flag, value], &[]).await;
    let by_variable = refused(&folder, &[], &[(variable, value)]).await;
    for finished in [by_flag, by_variable] {
        let line = finished.only_line();
        assert!(line.contains(flag) && line.contains(variable), "{line}");
        assert!(line.contains("32") && !line.contains("hunter2"), "{line}");
    }
    let secret = "hunter2-".repeat(8);
    let help = run(["serve", "--help"], &[(variable, &secret)], folder.path()).await;
    assert!(help.stdout.contains(variable) && !help.stdout.contains("hunter2"), "{help:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn combinations_that_cannot_work_are_refused_before_anything_is_made() {
    let folder = folder();
    for role in ["login", "control-plane", "game"] {
        let finished = refused(&folder, &["--role", role], &[]).await;
        let line = finished.only_line();
        assert!(line.contains(role) && line.contains("SQLite"), "{line}");
        assert!(line.contains("EDGE_DATABASE_URL"), "{line}");
    }
    for (arguments, variables, parts) in unworkable_deployments() {
        let finished = refused(&folder, &arguments, &variables).await;
        let line = finished.only_line();
        assert!(parts.iter().all(|part| line.contains(part)), "{parts:?} are not in {line}");
        assert!(!line.contains("hunter2"), "a password is never repeated: {line}");
    }
    for url in ["mysql://aether:hunter2@db/aether", "sqlite:aether", "aether.sqlite", ""] {
        let finished = refused(&folder, &[], &[("EDGE_DATABASE_URL", url)]).await;
        let line = finished.only_line();
        assert!(line.contains("EDGE_DATABASE_URL"), "{line}");
        assert!(!line.contains("hunter2"), "a password is never repeated: {line}");
    }
    assert!(!folder.path().join("aether.sqlite").exists(), "no database was made");
}

type Unworkable = (Vec<&'static str>, Vec<(&'static str, &'static str)>, Vec<&'static str>);

/// Roles that lack something, with what the line has to name. None comes as far as to dial.
fn unworkable_deployments() -> Vec<Unworkable> {
    let database = ("EDGE_DATABASE_URL", "postgres://aether:hunter2@nowhere.invalid/aether");
    let redis = ("EDGE_REDIS_URL", "redis://:hunter2@nowhere.invalid");
    let token = ("EDGE_SERVICE_TOKEN", "hunter2-hunter2-hunter2-hunter2-hunter2");
    let peers = ("EDGE_CONTROL_PLANE_URLS", "http://127.0.0.1:1, http://127.0.0.1:2");
    let id = ("EDGE_INSTANCE_ID", "game-1");
    let moon = ("EDGE_ZONES", "dawn/harbor,dawn/moon");
    let all = [database, redis, token, peers, id];
    let lacking = |role, left_out: &'static str| {
        let rest = all.iter().copied().filter(|(name, _)| *name != left_out).collect();
        (vec!["--role", role], rest, vec![role, left_out])
    };
    vec![
        (vec![], vec![database], vec!["EDGE_DATABASE_URL", "EDGE_REDIS_URL"]),
        (vec![], vec![redis], vec!["EDGE_DATABASE_URL", "EDGE_REDIS_URL"]),
        lacking("login", "EDGE_CONTROL_PLANE_URLS"),
        lacking("login", "EDGE_SERVICE_TOKEN"),
        lacking("control-plane", "EDGE_SERVICE_TOKEN"),
        lacking("game", "EDGE_CONTROL_PLANE_URLS"),
        lacking("game", "EDGE_SERVICE_TOKEN"),
        lacking("game", "EDGE_INSTANCE_ID"),
        lacking("game", "EDGE_ZONES"),
        (
            vec!["--role", "game"],
            [&all[..], &[moon]].concat(),
            vec!["EDGE_ZONES", "dawn/moon", "dawn/harbor, dusk/harbor"],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn help_repeats_no_password() {
    let folder = folder();
    for variable in ["EDGE_DATABASE_URL", "EDGE_REDIS_URL"] {
        let help =
            run(["serve", "--help"], &[(variable, "redis://:hunter2@r")], folder.path()).await;
        assert!(help.stdout.contains(variable) && !help.stdout.contains("hunter2"), "{help:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_world_that_is_not_there_is_named() {
    let folder = folder();
    let nowhere = folder.path().join("nowhere");
    let path = nowhere.to_str().unwrap();
    let finished = refused(&folder, &[], &[("EDGE_WORLD_DIR", path)]).await;
    let line = finished.only_line();
    assert!(line.contains(path) && line.contains("EDGE_WORLD_DIR"), "{line}");
    assert!(!Path::new(&folder.path().join("aether.sqlite")).exists(), "no database was made");
}
