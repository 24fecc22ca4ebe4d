//! What the Redis half promises about its server: an outage is told in time and passes
//! without a restart, no clock of Redis decides anything, and scripts are sent again where
//! they are missing.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use edge_server::domain::authority::EpochRaised;
use edge_server::stores::redis::{LONGEST_CALL, OpenError, RedisStores};
use edge_server::stores::{RegistryStore as _, StoreError, StoreResult};
use shared::coordination::{HandoffLookup, ResumeLedgerRecord};
use shared::ids::{SessionEpoch, UnixMillis};
use shared::limits::{CONSUMED_MARKER_LIFE, HANDOFF_TOKEN_LIFE};
use tests::patience::within;
use tests::redis::Redis;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::watch;

use super::family::{Family, Stores, race};
use super::family_redis::BesideFile;
use super::samples::{
    NOW, account_id, character_id, claimant, given_character, handoff, hold, instance, just_before,
    ledger, on_instance, presence, raise, raised_by, session, token,
};

/// How long a test lets one call take: its own bound, and what a busy machine adds.
const IN_TIME: Duration = LONGEST_CALL.saturating_add(Duration::from_secs(5));

#[track_caller]
fn assert_unavailable<T: std::fmt::Debug>(port: &str, answer: StoreResult<T>) {
    assert!(matches!(answer, Err(StoreError::Unavailable(_))), "{port}: {answer:?}");
}

/// Asks every port once; none may take longer than its bound.
async fn check_every_port_is_unavailable(stores: &Stores) {
    let asker = claimant(1, "edge-a");
    let record = handoff(1, on_instance("edge-a"));
    let asking = async {
        assert_unavailable("handoffs", stores.handoffs.put_handoff(&record).await);
        assert_unavailable("consume", stores.handoffs.consume(&token(1), &asker, NOW).await);
        assert_unavailable("holds", stores.holds.hold(&hold(1, 1, "edge-a"), None, NOW).await);
        assert_unavailable("transfers", stores.transfers.activated(&token(1), NOW).await);
        let written = stores.presence.put_presence(&presence(1, 1, "a", 1), NOW).await;
        assert_unavailable("presence", written);
        assert_unavailable("ledger", stores.ledger.ledger(&session("a"), NOW).await);
        assert_unavailable("registry", stores.registry.instances(NOW).await);
        assert_unavailable("garbage", stores.garbage.prune_coordination(NOW).await);
    };
    within("every port says that Redis is gone", IN_TIME, asking).await;
}

async fn check_a_handoff_is_consumed_once(stores: &Stores, number: u128) {
    let record = handoff(number, on_instance("edge-a"));
    stores.handoffs.put_handoff(&record).await.unwrap();
    for (attempt, expected) in [
        (1, HandoffLookup::Found { record: Box::new(record) }),
        (2, HandoffLookup::AlreadyConsumed),
    ] {
        let asker = claimant(attempt, "edge-a");
        let lookup = stores.handoffs.consume(&token(number), &asker, NOW).await.unwrap();
        assert_eq!(lookup, expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_redis_that_was_killed_is_an_outage_in_time_and_serves_again_once_it_is_back() {
    let mut family = BesideFile::fresh().await;
    let stores = family.stores().clone();
    check_a_handoff_is_consumed_once(&stores, 1).await;
    stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    for round in 0..3 {
        family.redis().kill9().await;
        check_every_port_is_unavailable(&stores).await;
        family.redis().start_again().await;
        // It came back empty and has never seen a script.
        assert_eq!(stores.registry.instances(NOW).await.unwrap(), [], "round {round}");
        check_a_handoff_is_consumed_once(&stores, 1).await;
        stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
        assert_eq!(family.coordination().await.len(), 2, "a marker and an instance");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_that_are_under_way_when_redis_dies_end_in_time() {
    let mut family = BesideFile::fresh().await;
    let stores = family.stores().clone();
    let dying = family.redis();
    let calls = race(100, |number| {
        let stores = stores.clone();
        async move {
            let asking = async {
                // Until the server is gone.
                let record = ledger(&number.to_string(), 1);
                while stores.ledger.put_ledger(&record, NOW).await.is_ok() {}
            };
            within("the call ends", IN_TIME, asking).await;
        }
    });
    tokio::join!(calls, dying.kill9());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_redis_that_does_not_answer_is_an_outage_in_time_for_every_caller() {
    let mut family = BesideFile::fresh().await;
    let stores = family.stores().clone();
    check_a_handoff_is_consumed_once(&stores, 1).await;
    family.redis().pause().await;
    race(100, |_| {
        let stores = stores.clone();
        async move {
            let asking = stores.presence.presence_of_account(account_id(1), NOW);
            let answer = within("the caller is told", IN_TIME, asking).await;
            assert_unavailable("presence", answer);
        }
    })
    .await;
    family.redis().go_on().await;
    let replay = stores.handoffs.consume(&token(1), &claimant(2, "edge-a"), NOW).await.unwrap();
    assert_eq!(replay, HandoffLookup::AlreadyConsumed, "it has forgotten nothing");
}

/// A connection that was lost while nobody used it is noticed by itself. Of several times
/// one will do: how soon a hang-up is heard is up to the system.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_restart_while_nobody_asks_costs_no_call() {
    let mut family = BesideFile::fresh().await;
    let stores = family.stores().clone();
    let mut unharmed = 0;
    for _restart in 0..5 {
        stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
        family.redis().kill9().await;
        family.redis().start_again().await;
        unharmed += usize::from(stores.registry.instances(NOW).await.is_ok());
    }
    assert!(unharmed > 0);
}

/// Passes bytes between Redis and whoever dials, until it is told to cut: what is connected
/// then stays so, and nothing comes through any more.
async fn lossy_way_to(redis: PathBuf, cut: watch::Receiver<usize>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut dialled, _)) = listener.accept().await {
            let mut server = UnixStream::connect(&redis).await.unwrap();
            let mut cut = cut.clone();
            cut.mark_unchanged();
            tokio::spawn(async move {
                tokio::select! {
                    _ = copy_bidirectional(&mut dialled, &mut server) => {}
                    _ = cut.changed() => std::future::pending().await,
                }
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_connection_that_goes_dead_without_a_word_is_replaced_by_another() {
    let redis = Redis::start().await;
    let (cut, watching) = watch::channel(0);
    let address = lossy_way_to(redis.socket(), watching).await;
    let stores = RedisStores::open(&format!("redis://{address}")).await.unwrap();
    for round in 1..3 {
        stores.put_instance(&instance("edge-a", round)).await.unwrap();
        cut.send(1).unwrap();
        let asking = stores.instances(NOW);
        let answer = within("the caller is told", IN_TIME, asking).await;
        assert_unavailable("registry", answer);
        assert_eq!(stores.instances(NOW).await.unwrap(), [instance("edge-a", round)]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_never_answers_ends_the_start_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let url = format!("redis://{address}");
    let opening = RedisStores::open(&url);
    let error = within("the start is refused", IN_TIME, opening).await.unwrap_err();
    assert!(matches!(error, OpenError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cluster_is_refused_at_the_start() {
    let cluster = Redis::start_with(&["--cluster-enabled", "yes"]).await;
    let error = RedisStores::open(&cluster.url()).await.unwrap_err();
    assert!(matches!(error, OpenError::Cluster { .. }), "{error}");
}

/// I2 without any marker: the durable row arbitrates.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_token_that_comes_back_after_redis_lost_everything_gets_no_second_session() {
    let mut family = BesideFile::fresh().await;
    let stores = family.stores().clone();
    given_character(&stores).await;
    let mut record = handoff(1, on_instance("edge-a"));
    record.expected_epoch = SessionEpoch(0);
    let enter = async |attempt: u128| {
        stores.handoffs.put_handoff(&record).await.unwrap();
        let asker = claimant(attempt, "edge-a");
        let lookup = stores.handoffs.consume(&token(1), &asker, NOW).await.unwrap();
        let HandoffLookup::Found { record } = lookup else { panic!("{lookup:?}") };
        let ask = raise(record.expected_epoch.0, raised_by(attempt, 1, &attempt.to_string()));
        stores.characters.raise_epoch(&ask, NOW).await.unwrap()
    };
    assert!(matches!(enter(1).await, EpochRaised::Raised(_)));
    family.redis().kill9().await;
    family.redis().start_again().await;
    assert_eq!(enter(2).await, EpochRaised::Superseded);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn scripts_that_redis_is_told_to_forget_at_any_moment_lose_no_step() {
    let mut family = BesideFile::fresh().await;
    let stores = family.stores().clone();
    let redis = &*family.redis();
    for round in 0..10_u128 {
        stores.handoffs.put_handoff(&handoff(round, on_instance("edge-a"))).await.unwrap();
        let consumers = race(40, |number| {
            let handoffs = stores.handoffs.clone();
            let asker = claimant(number as u128, "edge-a");
            async move { handoffs.consume(&token(round), &asker, NOW).await.unwrap() }
        });
        let flushes = async {
            for _flush in 0..20 {
                redis.ask::<()>(&["SCRIPT", "FLUSH"]).await;
            }
        };
        let (lookups, ()) = tokio::join!(consumers, flushes);
        let found = |lookup: &&_| matches!(lookup, HandoffLookup::Found { .. });
        assert_eq!(lookups.iter().filter(found).count(), 1, "round {round}");
    }
}

/// Redis' clock shows today. To callers it may be 1970, or long after.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn how_far_redis_own_clock_is_off_changes_nothing() {
    let mut family = BesideFile::fresh().await;
    let stores = family.stores().clone();
    for (round, now) in [1_000, NOW.0, 250 * NOW.0].into_iter().map(UnixMillis).enumerate() {
        let number = round as u128;
        let end = now.plus(HANDOFF_TOKEN_LIFE);
        let record = {
            let mut record = handoff(number, on_instance("edge-a"));
            record.expires_at = end;
            record
        };
        let promise = {
            let mut promise = hold(number, number, "edge-a");
            promise.expires_at = end;
            promise
        };
        let name = number.to_string();
        let session_record = ResumeLedgerRecord { expires_at: end, ..ledger(&name, 1) };
        let mut present = presence(number, number, &name, 1);
        present.expires_at = end;
        let mut server = instance("edge-a", now.0);
        server.expires_at = end;
        let asker = claimant(1, "edge-a");
        let missing = HandoffLookup::Missing;
        let found = HandoffLookup::Found { record: Box::new(record.clone()) };

        stores.handoffs.put_handoff(&record).await.unwrap();
        assert!(stores.holds.hold(&promise, Some(1), now).await.unwrap(), "at {now:?}");
        stores.ledger.put_ledger(&session_record, now).await.unwrap();
        stores.presence.put_presence(&present, now).await.unwrap();
        stores.registry.put_instance(&server).await.unwrap();
        for (at, lives) in [(now, true), (just_before(end), true), (end, false)] {
            let lookup = stores.handoffs.preflight(&token(number), &asker, at).await.unwrap();
            assert_eq!(lookup, if lives { found.clone() } else { missing.clone() }, "at {at:?}");
            let resumable = stores.ledger.ledger(&session(&name), at).await.unwrap();
            assert_eq!(resumable.is_some(), lives, "at {at:?}");
            let there = stores.presence.presence_of_character(character_id(number), at).await;
            assert_eq!(there.unwrap().is_some(), lives, "at {at:?}");
            assert_eq!(stores.registry.instances(at).await.unwrap().len(), usize::from(lives));
            let other = hold(100 + number, 100 + number, "edge-a");
            let room = stores.holds.hold(&other, Some(0), at).await.unwrap();
            assert!(!room, "no room is no room");
        }
        let last = just_before(end);
        assert_eq!(stores.handoffs.consume(&token(number), &asker, last).await.unwrap(), found);
        let forgotten = end.plus(CONSUMED_MARKER_LIFE);
        for (at, lookup) in [(just_before(forgotten), found), (forgotten, missing)] {
            let again = stores.handoffs.consume(&token(number), &asker, at).await.unwrap();
            assert_eq!(again, lookup, "at {at:?}");
        }
        // Garbage is collected by how long it is useless, not by when.
        family.coordination().await;
        stores.garbage.prune_coordination(forgotten).await.unwrap();
        assert!(family.coordination().await.is_empty());
    }
    assert!(family.redis().texts().await.is_empty(), "the index goes with its records");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn garbage_is_taken_out_in_pieces_until_none_is_left() {
    let family = BesideFile::fresh().await;
    let stores = family.stores();
    for number in 0..450 {
        stores.ledger.put_ledger(&ledger(&number.to_string(), 1), NOW).await.unwrap();
    }
    let mut alive = ledger("alive", 1);
    let end = alive.expires_at;
    alive.expires_at = UnixMillis(end.0 + 1);
    stores.ledger.put_ledger(&alive, NOW).await.unwrap();
    assert_eq!(stores.garbage.prune_coordination(just_before(end)).await.unwrap(), 0);
    assert_eq!(stores.garbage.prune_coordination(end).await.unwrap(), 450);
    assert_eq!(stores.ledger.ledger(&session("alive"), end).await.unwrap(), Some(alive));
}

/// What Redis has collected by itself, or evicted, is in nobody's way.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_index_that_has_lost_its_records_or_lags_behind_them_misleads_nobody() {
    let mut family = BesideFile::fresh().await;
    let stores = family.stores().clone();
    let record = handoff(1, on_instance("edge-a"));
    let asker = claimant(1, "edge-a");
    stores.handoffs.put_handoff(&record).await.unwrap();
    stores.holds.hold(&hold(1, 1, "edge-a"), Some(1), NOW).await.unwrap();
    stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    let keys: Vec<String> = family.coordination().await.into_keys().collect();
    for key in &keys {
        family.redis().ask::<()>(&["DEL", key]).await;
    }
    let lookup = stores.handoffs.consume(&token(1), &asker, NOW).await.unwrap();
    assert_eq!(lookup, HandoffLookup::Missing);
    assert!(stores.holds.hold(&hold(2, 2, "edge-a"), Some(1), NOW).await.unwrap());
    assert_eq!(stores.registry.instances(NOW).await.unwrap(), []);
    stores.holds.give_up(account_id(1)).await.unwrap();

    family.redis().ask::<()>(&["FLUSHALL"]).await;
    stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    family.redis().ask::<()>(&["DEL", "index:instances", "index:expiry"]).await;
    stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    assert_eq!(stores.registry.instances(NOW).await.unwrap().len(), 1, "a heartbeat mends it");
}
