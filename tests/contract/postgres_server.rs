//! What the deployed store promises about its server: connections that are lost, locks that
//! stay, steps in each other's way, and refusals that an operator understands.

use std::collections::BTreeSet;
use std::time::Duration;

use edge_server::domain::authority::{EpochRaise, EpochRaised};
use edge_server::stores::postgres::{OpenError, PostgresStores, STEP_TRIES};
use edge_server::stores::{
    CharacterDeletion, CharacterStore as _, LoginCreation, PasswordChange, SaveOutcome, StoreError,
    StoreResult,
};
use shared::ids::{AccountEntry, SessionEpoch};
use shared::realtime::command::CommandSequence;
use sqlx::migrate::Migrate as _;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use tests::patience::{HAPPENED, eventually, within};
use tests::postgres::Database;
use tests::silent_line::SilentLine;

use super::family::{Family, Stores, race};
use super::postgres::Postgres;
use super::samples::{
    NOW, PHC, account_id, character_id, dawn, given_account, given_character, handoff, later,
    login, name, new_character, on_instance, raise, raised_by, save, token,
};

/// One raise of character 1 that is the first to come.
async fn first_raise(stores: &Stores) -> StoreResult<EpochRaised> {
    let ask = raise(0, raised_by(1, 1, "a"));
    within("the raise ends", HAPPENED, stores.characters.raise_epoch(&ask, NOW)).await
}

/// Holds a lock on the row of character 1 for as long as the connection's transaction lasts.
async fn hold_character(door: &mut PgConnection) {
    door.execute("BEGIN").await.unwrap();
    door.execute("SELECT 1 FROM characters FOR UPDATE").await.unwrap();
}

async fn until_somebody_waits_for_a_lock(database: &Database) {
    until_as_many_wait_for_locks(database, 1).await;
}

async fn until_as_many_wait_for_locks(database: &Database, wanted: i64) {
    let mut door = database.side_door().await;
    eventually("steps wait for locks", HAPPENED, async || {
        let waiting: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .fetch_one(&mut door)
        .await
        .unwrap();
        (waiting >= wanted).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_lost_between_steps_fail_none() {
    let family = Postgres::fresh().await;
    let id = given_character(family.stores()).await;
    let read = |_| {
        let characters = family.stores().characters.clone();
        async move { characters.character(id).await.unwrap() }
    };
    race(50, read).await;
    let lost = family.database().cut_connections().await;
    assert!(lost > 1, "{lost} connections were there to lose");
    within("every step ends", HAPPENED, race(50, read)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_lost_in_a_step_makes_it_unavailable_and_the_next_one_works() {
    let family = Postgres::fresh().await;
    given_character(family.stores()).await;
    let mut door = family.database().side_door().await;
    hold_character(&mut door).await;
    let stores = family.stores().clone();
    let raising = tokio::spawn(async move { first_raise(&stores).await });
    until_somebody_waits_for_a_lock(family.database()).await;
    // The lock stays until they are gone: with it gone first, the step would end well.
    assert_eq!(family.database().cut_waiting_connections().await, 1);
    let error = raising.await.unwrap().unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    door.execute("ROLLBACK").await.unwrap();
    let raised = first_raise(family.stores()).await.unwrap();
    assert!(matches!(raised, EpochRaised::Raised(row) if row.epoch == SessionEpoch(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_another_program_keeps_makes_a_step_unavailable_and_not_endless() {
    let family = Postgres::fresh().await;
    given_character(family.stores()).await;
    let mut door = family.database().side_door().await;
    hold_character(&mut door).await;
    let error = first_raise(family.stores()).await.unwrap_err();
    assert!(matches!(&error, StoreError::Unavailable(reason) if reason.contains("timeout")));
    door.execute("ROLLBACK").await.unwrap();
    let raised = first_raise(family.stores()).await.unwrap();
    assert!(matches!(raised, EpochRaised::Raised(row) if row.epoch == SessionEpoch(1)));
}

/// Once a logout is acknowledged, no raise that had seen its login comes to be.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_login_waits_for_a_raise_that_has_seen_it() {
    let family = Postgres::fresh().await;
    given_character(family.stores()).await;
    let mut door = family.database().side_door().await;
    hold_character(&mut door).await;
    let stores = family.stores().clone();
    let raising = tokio::spawn(async move { first_raise(&stores).await });
    until_somebody_waits_for_a_lock(family.database()).await;
    let logins = family.stores().logins.clone();
    let ending = tokio::spawn(async move { logins.delete_login(&login()).await });
    until_as_many_wait_for_locks(family.database(), 2).await;
    door.execute("ROLLBACK").await.unwrap();
    let raised = raising.await.unwrap().unwrap();
    assert!(matches!(raised, EpochRaised::Raised(_)), "{raised:?}");
    ending.await.unwrap().unwrap();
    let late = raise(1, raised_by(2, 1, "b"));
    let late = family.stores().characters.raise_epoch(&late, NOW).await.unwrap();
    assert_eq!(late, EpochRaised::LoginEnded);
}

/// What compares with an account waits for whoever is changing it, and judges what is then.
#[tokio::test(flavor = "multi_thread")]
async fn a_login_and_a_claim_beside_a_change_of_their_account_see_the_change() {
    let family = Postgres::fresh().await;
    let id = given_character(family.stores()).await;
    first_raise(family.stores()).await.unwrap();
    let mut door = family.database().side_door().await;
    door.execute("BEGIN").await.unwrap();
    door.execute("UPDATE accounts SET password_hash = 'another', entries = entries + 1")
        .await
        .unwrap();
    let Stores { logins, characters, .. } = family.stores().clone();
    let login = tokio::spawn(async move {
        logins.create_login(&token(7), account_id(1), PHC, later(60)).await.unwrap()
    });
    let claim =
        tokio::spawn(async move { characters.mark_claimed(id, SessionEpoch(1)).await.unwrap() });
    until_as_many_wait_for_locks(family.database(), 2).await;
    door.execute("COMMIT").await.unwrap();
    assert_eq!(login.await.unwrap(), LoginCreation::NotVerified);
    assert_eq!(claim.await.unwrap(), SaveOutcome::Stale);
}

/// Whether there is anything to write or not, a step gives its connection back.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_changes_nothing_costs_no_connection() {
    let family = Postgres::fresh().await;
    let characters = &family.stores().characters;
    let id = given_character(family.stores()).await;
    let mut door = family.database().side_door().await;
    let mut connections = async || -> BTreeSet<i32> {
        let others = "SELECT pid FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let pids: Vec<i32> = sqlx::query_scalar(others).fetch_all(&mut door).await.unwrap();
        pids.into_iter().collect()
    };
    first_raise(family.stores()).await.unwrap();
    let before = connections().await;
    assert!(!before.is_empty());
    for _again in 0..5 {
        let own = first_raise(family.stores()).await.unwrap();
        assert!(matches!(own, EpochRaised::Raised(_)), "{own:?}");
        let late = characters.raise_epoch(&raise(0, raised_by(2, 1, "b")), NOW).await.unwrap();
        assert_eq!(late, EpochRaised::Superseded);
        let delete = async |account, epoch| {
            characters.delete_character(account_id(account), id, SessionEpoch(epoch), NOW).await
        };
        assert_eq!(delete(2, 1).await.unwrap(), CharacterDeletion::NotFound);
        assert_eq!(delete(1, 0).await.unwrap(), CharacterDeletion::Superseded);
    }
    let after = connections().await;
    assert!(before.is_subset(&after), "{before:?} became {after:?}");
}

/// Time is stopped while the line is silent, so the bound of the step comes at once.
#[tokio::test]
async fn a_network_that_falls_silent_in_a_step_makes_it_unavailable_and_costs_no_connection() {
    let database = Database::create().await;
    let line = SilentLine::to(database.options());
    let url = database.url_at(&line.host());
    let stores = std::sync::Arc::new(PostgresStores::open(&url).await.unwrap());
    for _each_connection_of_a_pool_and_more in 0..12 {
        line.fall_silent_at("COMMIT");
        let asking = tokio::spawn({
            let stores = stores.clone();
            async move { stores.mark_claimed(character_id(1), SessionEpoch(1)).await }
        });
        within("the line falls silent", HAPPENED, line.until_silent()).await;
        tokio::time::pause();
        let error = asking.await.unwrap().unwrap_err();
        tokio::time::resume();
        assert!(matches!(&error, StoreError::Unavailable(why) if why.contains("no answer")));
        line.heal();
    }
    let found = within("a new connection works", HAPPENED, stores.character(character_id(1)));
    assert_eq!(found.await.unwrap(), None);
}

/// Makes a statement on the accounts fail as often as the server is told to.
async fn given_clashes(door: &mut PgConnection, sql_state: &str, times: i64) {
    let clash = format!(
        "CREATE SEQUENCE IF NOT EXISTS clashes;
         CREATE OR REPLACE FUNCTION clash() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF nextval('clashes') <= {times} THEN
                 RAISE EXCEPTION 'in the way' USING ERRCODE = '{sql_state}';
             END IF;
             RETURN NEW;
         END $$;
         CREATE OR REPLACE TRIGGER clash BEFORE UPDATE ON accounts
             FOR EACH ROW EXECUTE FUNCTION clash();
         SELECT setval('clashes', 1, FALSE)"
    );
    door.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(clash))).await.unwrap();
}

async fn tries(door: &mut PgConnection) -> i64 {
    let count = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM clashes";
    sqlx::query_scalar(count).fetch_one(door).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_in_the_way_of_others_is_tried_again_a_bounded_number_of_times() {
    const SERIALIZATION_FAILURE: &str = "40001";
    const DEADLOCK: &str = "40P01";
    const CHECK_VIOLATION: &str = "23514";
    let family = Postgres::fresh().await;
    given_character(family.stores()).await;
    let bound = i64::from(STEP_TRIES);
    let mut door = family.database().side_door().await;

    given_clashes(&mut door, DEADLOCK, 1_000).await;
    let error = first_raise(family.stores()).await.unwrap_err();
    assert!(matches!(&error, StoreError::Unavailable(why) if why.contains("in the way")));
    assert_eq!(tries(&mut door).await, bound);

    given_clashes(&mut door, CHECK_VIOLATION, 1_000).await;
    let error = first_raise(family.stores()).await.unwrap_err();
    assert!(matches!(error, StoreError::Refused(_)), "{error}");
    assert_eq!(tries(&mut door).await, 1, "what is a bug is not tried again");

    given_clashes(&mut door, SERIALIZATION_FAILURE, bound - 1).await;
    let raised = first_raise(family.stores()).await.unwrap();
    let EpochRaised::Raised(row) = raised else { panic!("{raised:?}") };
    assert_eq!((row.epoch, row.entry), (SessionEpoch(1), AccountEntry(1)), "applied once");
    assert_eq!(tries(&mut door).await, bound);
}

/// Everything that locks more than one row, at once over the same rows.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn steps_never_wait_for_each_other_in_a_ring() {
    let family = Postgres::fresh().await;
    let stores = family.stores();
    given_character(stores).await;
    stores.characters.create_character(&new_character(2, 1, "Orin"), NOW).await.unwrap();
    race(160, |number| {
        let stores = family.stores().clone();
        async move {
            let n = number as u128;
            let id = character_id(1 + n % 2);
            let row = stores.characters.character(id).await.unwrap().unwrap();
            let ask = EpochRaise {
                character_id: id,
                ..raise(row.epoch.0, raised_by(n, 1, &number.to_string()))
            };
            match number % 8 {
                0..=2 => drop(stores.characters.raise_epoch(&ask, NOW).await.unwrap()),
                3 => {
                    let mut saves = [1, 2].map(|x| save(row.epoch.0, "harbor", x, x));
                    saves[number / 8 % 2].character_id = character_id(2);
                    stores.characters.save_locations(&saves).await.unwrap();
                }
                4 => drop(stores.characters.mark_claimed(id, row.epoch).await.unwrap()),
                5 => {
                    let other = new_character(100 + n, 1, &name(n));
                    stores.characters.create_character(&other, NOW).await.unwrap();
                }
                6 => {
                    let changed = stores.accounts.change_password(account_id(1), PHC, PHC);
                    assert_eq!(changed.await.unwrap(), PasswordChange::Changed);
                    stores.logins.delete_login(&login()).await.unwrap();
                }
                _ => {
                    let (account, end) = (account_id(1), later(60));
                    stores.logins.create_login(&token(n), account, PHC, end).await.unwrap();
                    // One of the race brings the common login back.
                    stores.logins.create_login(&login(), account, PHC, end).await.ok();
                    stores.logins.prune_logins(later(61)).await.unwrap();
                }
            }
        }
    })
    .await;
    // A connection tells what it has counted at its end at the latest.
    family.open().close().await;
    let mut door = family.database().side_door().await;
    let rings: i64 = sqlx::query_scalar(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    )
    .fetch_one(&mut door)
    .await
    .unwrap();
    assert_eq!(rings, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_database_does_not_take_is_a_bug_and_no_outage() {
    let family = Postgres::fresh().await;
    let homeless = new_character(1, 404, "Mara");
    let refused = family.stores().characters.create_character(&homeless, NOW).await;
    assert!(matches!(refused, Err(StoreError::Refused(_))), "{refused:?}");
    given_account(family.stores(), 1).await;
}

/// A newer build migrates while older processes still run.
#[tokio::test(flavor = "multi_thread")]
async fn a_column_that_a_newer_build_adds_disturbs_nobody() {
    let family = Postgres::fresh().await;
    let stores = family.stores();
    let id = given_character(stores).await;
    let ask = |number: u64| {
        let ask = raise(number - 1, raised_by(number.into(), 1, &number.to_string()));
        async move { stores.characters.raise_epoch(&ask, NOW).await.unwrap() }
    };
    let read = async || {
        stores.characters.character(id).await.unwrap();
        stores.characters.roster(account_id(1), &dawn()).await.unwrap();
        stores.accounts.account_by_username("player1").await.unwrap();
    };
    read().await;
    assert!(matches!(ask(1).await, EpochRaised::Raised(_)));
    let mut door = family.database().side_door().await;
    for table in ["accounts", "logins", "characters", "handoff_tokens"] {
        let added = format!("ALTER TABLE {table} ADD COLUMN news TEXT NOT NULL DEFAULT 'none'");
        door.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(added))).await.unwrap();
    }
    read().await;
    assert!(matches!(ask(2).await, EpochRaised::Raised(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_twice_is_harmless_and_later_calls_find_the_store_unavailable() {
    let family = Postgres::fresh().await;
    for _again in 0..2 {
        family.open().close().await;
    }
    let answer = family.stores().characters.character(character_id(1)).await;
    assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{answer:?}");
}

/// What reconciliation needs to rebuild a record is in the legacy row.
#[tokio::test(flavor = "multi_thread")]
async fn a_legacy_row_in_postgres_carries_epoch_version_scope_and_end() {
    let family = Postgres::fresh().await;
    let record = handoff(1, on_instance("edge-a"));
    family.stores().legacy_handoffs.put_handoff_row(&record).await.unwrap();
    let row = sqlx::query("SELECT *, scope::text AS scope_text FROM handoff_tokens")
        .fetch_one(&mut family.database().side_door().await)
        .await
        .unwrap();
    assert_eq!(row.get::<i64, _>("expected_epoch"), 3);
    assert_eq!(row.get::<i64, _>("payload_version"), 1);
    assert_eq!(row.get::<i64, _>("expires_at"), record.expires_at.0.cast_signed());
    assert_eq!(row.get::<String, _>("target_placement"), "dawn/harbor");
    let scope = serde_json::from_str(row.get("scope_text")).unwrap();
    assert_eq!(record.scope, scope);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_servers_that_start_at_once_one_migrates_and_all_open() {
    let database = Database::create().await;
    let opened = race(6, |_| {
        let url = database.url();
        async move { PostgresStores::open(&url).await.map(drop) }
    })
    .await;
    for open in opened {
        open.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_of_another_process_is_waited_for_and_not_for_ever() {
    let database = Database::create().await;
    let mut other = database.side_door().await;
    other.lock().await.unwrap();
    let url = database.url();
    let open = PostgresStores::open_within(&url, Duration::from_millis(100));
    let error = within("opening gives up", HAPPENED, open).await.unwrap_err();
    assert!(matches!(error, OpenError::MigrationBusy { .. }), "{error:?}");
    check_line(&error, &["being migrated by another process", database.name()]);

    let waiting = tokio::spawn(async move { PostgresStores::open(&url).await.map(drop) });
    until_somebody_waits_for_a_lock(&database).await;
    other.close().await.unwrap();
    within("opening goes on", HAPPENED, waiting).await.unwrap().unwrap();
}

/// The error is one line that contains each of `hints`.
#[track_caller]
fn check_line(error: &OpenError, hints: &[&str]) {
    let line = error.to_string();
    for hint in hints {
        assert!(line.contains(hint), "{line:?} lacks {hint:?}");
    }
    assert!(!line.contains('\n'), "{line:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_from_before_commands_were_counted_is_brought_up_to_date() {
    let family = Postgres::fresh().await;
    let id = given_character(family.stores()).await;
    let mut door = family.database().side_door().await;
    door.execute(
        "UPDATE characters SET gathered = 3;
         ALTER TABLE characters DROP COLUMN command_sequence;
         DELETE FROM _sqlx_migrations WHERE version = 2;",
    )
    .await
    .unwrap();
    let family = family.restart().await;
    let character = family.stores().characters.character(id).await.unwrap().unwrap();
    assert_eq!((character.gathered, character.last_command), (3, CommandSequence::NONE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_in_postgres_newer_than_the_build_is_refused() {
    let database = Database::create().await;
    PostgresStores::open(&database.url()).await.unwrap().close().await;
    let mut door = database.side_door().await;
    door.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (8000, 'of the future', TRUE, '', 0), (9999, 'of the future', TRUE, '', 0)",
    )
    .await
    .unwrap();
    let error = PostgresStores::open(&database.url()).await.unwrap_err();
    assert!(matches!(&error, OpenError::NewerSchema(newer) if newer.found == 9999), "{error:?}");
    check_line(&error, &["schema 9999", "newer build", database.name()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_postgres_of_another_program_is_refused_and_left_alone() {
    let database = Database::create().await;
    let mut door = database.side_door().await;
    door.execute("CREATE TABLE recipes (cake TEXT)").await.unwrap();
    let error = PostgresStores::open(&database.url()).await.unwrap_err();
    assert!(matches!(error, OpenError::Foreign { .. }), "{error:?}");
    check_line(&error, &["another program", database.name(), "EDGE_DATABASE_URL"]);
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
            .fetch_one(&mut door)
            .await
            .unwrap();
    assert_eq!(tables, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_or_database_that_is_not_there_is_named() {
    let database = Database::create().await;
    let missing = database.url().replace(database.name(), "nowhere");
    let error = PostgresStores::open(&missing).await.unwrap_err();
    assert!(matches!(error, OpenError::NotAdmitted { .. }), "{error:?}");
    check_line(&error, &["database nowhere", "create user and database", "EDGE_DATABASE_URL"]);

    let folder = tempfile::tempdir().unwrap();
    let error = PostgresStores::open(&database.url_at(folder.path())).await.unwrap_err();
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error:?}");
    check_line(&error, &[&folder.path().display().to_string(), "EDGE_DATABASE_URL"]);
}
