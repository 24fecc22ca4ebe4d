//! Commands that do their work and end: `--help`, `migrate`, `world check`.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tests::command::{Finished, run};
use tests::postgres::Database;
use tests::repository::world_dir;

#[tokio::test(flavor = "multi_thread")]
async fn help_explains_every_variable() {
    let folder = tempfile::tempdir().unwrap();
    let help = run(["serve", "--help"], &[], folder.path()).await;
    assert!(help.status.success(), "{help:?}");
    for variable in [
        "EDGE_ROLE",
        "EDGE_HTTP_ADDR",
        "EDGE_REALTIME_ADDR",
        "EDGE_PUBLIC_HTTP_URL",
        "EDGE_PUBLIC_REALTIME_URL",
        "EDGE_DATABASE_URL",
        "EDGE_REDIS_URL",
        "EDGE_CONTROL_PLANE_URLS",
        "EDGE_SERVICE_TOKEN",
        "EDGE_INSTANCE_ID",
        "EDGE_ZONES",
        "EDGE_ZONE_CAPACITY",
        "EDGE_ALLOWED_ORIGINS",
        "EDGE_WORLD_DIR",
        "EDGE_STATIC_DIR",
        "EDGE_LOG",
    ] {
        assert!(help.stdout.contains(variable), "{variable} is not explained");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn migrate_makes_a_database_once_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/folder/aether.sqlite");
    let database = format!("sqlite://{}", file.display());
    for _ in 0..2 {
        let done = run(["migrate"], &[("EDGE_DATABASE_URL", &database)], folder.path()).await;
        assert!(done.status.success(), "{done:?}");
        assert_eq!(done.stdout.lines().count(), 1, "{done:?}");
        assert!(done.stdout.contains(&database), "{done:?}");
    }
    let head = fs::read(&file).unwrap();
    assert!(head.starts_with(b"SQLite format 3\0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn migrate_makes_a_deployment_s_tables_and_repeats_no_password() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::create().await;
    let url = database.url();
    for _ in 0..2 {
        let done = run(["migrate"], &[("EDGE_DATABASE_URL", &url)], folder.path()).await;
        assert!(done.status.success(), "{done:?}");
        assert_eq!(done.stdout.lines().count(), 1, "{done:?}");
        assert!(!done.stdout.contains("://"), "{done:?}");
    }
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM characters")
        .fetch_one(&mut database.side_door().await)
        .await
        .unwrap();
    assert_eq!(rows, 0);
}

async fn check(folder: &Path) -> Finished {
    run(["world", "check"], &[("EDGE_WORLD_DIR", folder.to_str().unwrap())], folder).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shipped_world_is_sound() {
    let checked = check(&world_dir()).await;
    assert!(checked.status.success(), "{checked:?}");
    assert!(checked.stdout.contains("is sound"), "{checked:?}");
}

/// What is done to the text of a file.
type Change = fn(&str) -> String;

/// A copy of the shipped world with one file changed.
fn broken(file: &str, change: impl Fn(&str) -> String) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(world_dir()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    let path = folder.path().join(file);
    let before = fs::read_to_string(&path).unwrap();
    let after = change(&before);
    assert_ne!(before, after, "the change to {file} found nothing to change");
    fs::write(&path, after).unwrap();
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_world_is_told_by_file_and_place() {
    let cases: [(&str, Change, &str); 8] = [
        ("harbor.tmx", |text| text[..text.len() / 2].to_owned(), "harbor.tmx"),
        ("harbor.tmx", |text| text.replace("name=\"start\"", "name=\"finish\""), "start"),
        ("harbor.tmx", |text| text.replace("tileset.tsx", "gone.tsx"), "harbor.tmx"),
        ("harbor.tmx", |text| text.replace("name=\"spawns\"", "name=\"notes\""), "spawn"),
        ("harbor.tmx", |text| text.replace("name=\"flowers\"", "name=\"flower\""), "\"flower\""),
        ("world.toml", |text| text.replace("[\"harbor\"]", "[]"), "carries zone \"harbor\""),
        ("world.toml", |text| text.replace("harbor.tmx", "gone.tmx"), "gone.tmx: no such file"),
        ("world.toml", |text| text.replace("capacity", "capacities"), "world.toml"),
    ];
    for (file, change, expected) in cases {
        let folder = broken(file, change);
        let checked = check(folder.path()).await;
        assert!(!checked.status.success(), "{file}: {checked:?}");
        let named = if expected.starts_with("gone.tmx") { "gone.tmx" } else { file };
        assert!(checked.stderr.contains(named), "{named} is not named: {checked:?}");
        assert!(checked.stderr.contains(expected), "{expected} is not named: {checked:?}");
        assert!(checked.stderr.contains("1 problem in "), "{checked:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exits_are_said_to_lead_nowhere_yet_wherever_they_lead() {
    let checked = check(&world_dir()).await;
    assert!(checked.stdout.contains("exit to meadow is left out of the map"), "{checked:?}");
    let folder = broken("world.toml", |text| {
        let meadow =
            "[[zone]]\nid = \"meadow\"\nname = \"Meadow\"\nmap = \"harbor.tmx\"\ncapacity = 1";
        text.replace("[\"harbor\"]", &format!("[\"harbor\", \"meadow\"]\n{meadow}"))
    });
    let checked = check(folder.path()).await;
    assert!(checked.status.success(), "{checked:?}");
    assert!(checked.stdout.contains("exit to meadow leads nowhere yet"), "{checked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_a_map_is_told_at_once() {
    // The first flower is moved out of the map, and so is the second.
    let folder = broken("harbor.tmx", |text| {
        let (before, flowers) = text.split_once("name=\"flower-1\"").unwrap();
        format!("{before}name=\"flower-1\"{}", flowers.replacen("x=\"", "x=\"90000", 2))
    });
    let checked = check(folder.path()).await;
    assert!(!checked.status.success(), "{checked:?}");
    for object in ["flower-1", "flower-2"] {
        let told = |line: &&str| line.contains("harbor.tmx") && line.contains(object);
        assert_eq!(checked.stderr.lines().filter(told).count(), 1, "{object}: {checked:?}");
    }
}
