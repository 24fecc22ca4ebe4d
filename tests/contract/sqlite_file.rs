//! What the embedded store promises about its file: refusals that an operator
//! understands, and nothing acknowledged lost to a crash.

use std::fs;
use std::path::{Path, PathBuf};

use edge_server::stores::CharacterStore;
use edge_server::stores::sqlite::{OpenError, SqliteStores};
use shared::account::Account;
use shared::realtime::command::CommandSequence;
use sqlx::{Connection, Row};
use tempfile::TempDir;

use super::family::{Family, Sqlite, side_door, sqlite_url};
use super::samples::{NOW, account, given_account, given_character, handoff, on_instance, token};

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().canonicalize().unwrap().join("aether.db");
    (folder, file)
}

async fn open(file: &Path) -> Result<SqliteStores, OpenError> {
    SqliteStores::open(&sqlite_url(file)).await
}

/// Changes a file that no server has open.
async fn change(file: &Path, statement: &'static str) {
    let mut door = side_door(file).await;
    sqlx::raw_sql(statement).execute(&mut door).await.unwrap();
    // Closing writes the log into the file; a dropped connection does so at some time.
    door.close().await.unwrap();
}

/// Opening fails with one line that contains each of `hints`; the file stays as it was.
async fn check_refused(file: &Path, hints: &[&str]) -> OpenError {
    let before = fs::read(file).ok();
    let error = open(file).await.expect_err("the file is refused");
    let line = error.to_string();
    for hint in hints {
        assert!(line.contains(hint), "{line:?} lacks {hint:?}");
    }
    assert!(!line.contains('\n'), "{line:?}");
    assert!(fs::read(file).ok() == before, "a refused file is left alone");
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_and_file_are_made_and_kept_from_other_users() {
    let (folder, _) = folder();
    let file = folder.path().join("a/b/aether.db");
    let stores = open(&file).await.unwrap();
    assert_eq!(stores.path(), file.canonicalize().unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The log holds what the file holds.
        for name in ["aether.db", "aether.db-wal"] {
            let mode = fs::metadata(file.with_file_name(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_server_is_refused_until_the_first_has_closed() {
    let (_folder, file) = folder();
    let first = open(&file).await.unwrap();
    let name = file.display().to_string();
    let error = check_refused(&file, &["another Aether server", &name, "EDGE_DATABASE_URL"]).await;
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    first.close().await;
    open(&file).await.unwrap();
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn another_name_of_the_file_meets_the_same_lock() {
    let (folder, file) = folder();
    let _first = open(&file).await.unwrap();
    let other = folder.path().join("other.db");
    std::os::unix::fs::symlink(&file, &other).unwrap();
    check_refused(&other, &["another Aether server"]).await;
    let around = folder.path().join("../").join(folder.path().file_name().unwrap());
    check_refused(&around.join("aether.db"), &["another Aether server"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_lets_the_file_go() {
    let (_folder, file) = folder();
    drop(open(&file).await.unwrap());
    open(&file).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_leaves_one_whole_file_and_later_calls_find_the_store_unavailable() {
    let (folder, file) = folder();
    let stores = open(&file).await.unwrap();
    for _again in 0..2 {
        stores.close().await;
    }
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["aether.db", "aether.db.lock"]);
    let answer = stores.character(super::samples::character_id(1)).await;
    assert!(answer.unwrap_err().to_string().contains("unavailable"));
}

/// The disk as a crash leaves it: the file and its log, with no close. A second server
/// over a copy of them finds everything that was acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_a_crash() {
    let (folder, file) = folder();
    let family = Sqlite::over(folder).await;
    let stores = family.stores();
    let id = given_character(stores).await;
    for number in 2..40 {
        given_account(stores, number).await;
    }
    let (_copy, crashed) = self::folder();
    for suffix in ["", "-wal"] {
        let part = |file: &Path| PathBuf::from(format!("{}{suffix}", file.display()));
        fs::copy(part(&file), part(&crashed)).unwrap();
    }
    let again = open(&crashed).await.unwrap();
    assert_eq!(again.character(id).await.unwrap(), stores.characters.character(id).await.unwrap());
    for number in 1..40 {
        let username = format!("player{number}");
        let found = edge_server::stores::AccountStore::account_by_username(&again, &username);
        let Account { id, .. } = found.await.unwrap().unwrap().account;
        assert_eq!(id, account(number, &username).id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_database_is_refused() {
    let (_folder, file) = folder();
    fs::write(&file, "dear diary, ".repeat(1_000)).unwrap();
    let error = check_refused(&file, &["damaged or no SQLite database", "backup"]).await;
    assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
}

/// Wherever the damage is, also where nothing would be read before a player comes.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_with_any_page_damaged_is_refused() {
    const PAGE: usize = 4096;
    let (_folder, file) = folder();
    open(&file).await.unwrap().close().await;
    let whole = fs::read(&file).unwrap();
    let pages = whole.len() / PAGE;
    assert!(pages > 10, "{pages} pages");
    // The first page holds the head, whose damage makes the file no database.
    for page in 1..pages {
        let mut bytes = whole.clone();
        bytes[page * PAGE..(page + 1) * PAGE].fill(0xff);
        fs::write(&file, &bytes).unwrap();
        let error = check_refused(&file, &["damaged", "backup"]).await;
        assert!(matches!(error, OpenError::Damaged { .. }), "page {page}: {error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_truncated_database_is_refused() {
    let (_folder, file) = folder();
    open(&file).await.unwrap().close().await;
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let error = check_refused(&file, &["damaged"]).await;
    assert!(matches!(error, OpenError::Damaged { .. }), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_another_program_is_refused() {
    let (_folder, file) = folder();
    fs::write(&file, "").unwrap();
    change(&file, "CREATE TABLE recipes (cake TEXT)").await;
    let error = check_refused(&file, &["another program", "EDGE_DATABASE_URL"]).await;
    assert!(matches!(error, OpenError::Foreign { .. }), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_from_before_commands_were_counted_is_brought_up_to_date() {
    let (folder, file) = folder();
    let family = Sqlite::over(folder).await;
    let id = given_character(family.stores()).await;
    family.close().await;
    change(
        &file,
        "UPDATE characters SET gathered = 3;
         ALTER TABLE characters DROP COLUMN command_sequence;
         DELETE FROM _sqlx_migrations WHERE version = 2;",
    )
    .await;
    let family = family.restart().await;
    let character = family.stores().characters.character(id).await.unwrap().unwrap();
    assert_eq!((character.gathered, character.last_command), (3, CommandSequence::NONE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_newer_than_the_build_is_refused() {
    let (_folder, file) = folder();
    open(&file).await.unwrap().close().await;
    change(
        &file,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'of the future', TRUE, x'00', 0)",
    )
    .await;
    let error = check_refused(&file, &["schema 9999", "newer build"]).await;
    assert!(matches!(error, OpenError::NewerSchema(newer) if newer.found == 9999));
}

/// Holds for every user, root included: a file stands where the folder should be.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_made_is_named() {
    let (folder, _) = folder();
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, "").unwrap();
    let file = blocked.join("data/aether.db");
    let name = blocked.join("data").display().to_string();
    let error = check_refused(&file, &["cannot write", &name, "EDGE_DATABASE_URL"]).await;
    assert!(matches!(error, OpenError::Unwritable { .. }), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_in_the_place_of_the_file_is_named() {
    let (_folder, file) = folder();
    fs::create_dir(&file).unwrap();
    let error = check_refused(&file, &["cannot write", &file.display().to_string()]).await;
    assert!(matches!(error, OpenError::Unwritable { .. }), "{error:?}");
}

/// What reconciliation needs to rebuild a record is in the legacy row.
#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_row_carries_epoch_version_scope_and_end() {
    let (folder, file) = folder();
    let family = Sqlite::over(folder).await;
    let record = handoff(1, on_instance("edge-a"));
    family.stores().legacy_handoffs.put_handoff_row(&record).await.unwrap();
    let row = sqlx::query("SELECT * FROM handoff_tokens WHERE token_hash = ?")
        .bind(token(1).as_str())
        .fetch_one(&mut side_door(&file).await)
        .await
        .unwrap();
    assert_eq!(row.get::<i64, _>("expected_epoch"), 3);
    assert_eq!(row.get::<i64, _>("payload_version"), 1);
    assert_eq!(row.get::<i64, _>("expires_at"), record.expires_at.0.cast_signed());
    assert_eq!(row.get::<String, _>("target_placement"), "dawn/harbor");
    let scope = serde_json::from_str(row.get("scope")).unwrap();
    assert_eq!(record.scope, scope);
    assert!(record.expires_at > NOW);
}
