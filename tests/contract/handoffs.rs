//! Promises of the handoff store: a token makes at most one session (I1), and whoever
//! lost an answer may ask again (case 3).

use edge_server::stores::keys;
use shared::coordination::{HandoffCacheRecord, HandoffLookup, HandoffScope};
use shared::limits::CONSUMED_MARKER_LIFE;

use super::family::{Family, race};
use super::samples::{NOW, claimant, handoff, harbor, just_before, later, on_instance, token};

fn found(record: &HandoffCacheRecord) -> HandoffLookup {
    HandoffLookup::Found { record: Box::new(record.clone()) }
}

async fn preflight_reads_what_consume_takes_and_takes_nothing(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    handoffs.put_handoff(&record).await.unwrap();
    let before = family.coordination().await;
    let asker = claimant(1, "edge-a");
    for _again in 0..3 {
        let lookup = handoffs.preflight(&token(1), &asker, NOW).await.unwrap();
        assert_eq!(lookup, found(&record));
    }
    assert_eq!(family.coordination().await, before);
    assert_eq!(handoffs.consume(&token(1), &asker, NOW).await.unwrap(), found(&record));
    let lookup = handoffs.preflight(&token(1), &claimant(2, "edge-a"), NOW).await.unwrap();
    assert_eq!(lookup, HandoffLookup::AlreadyConsumed);
}

async fn an_unknown_token_is_missing_and_leaves_no_marker(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let asker = claimant(1, "edge-a");
    assert_eq!(handoffs.preflight(&token(1), &asker, NOW).await.unwrap(), HandoffLookup::Missing);
    assert_eq!(handoffs.consume(&token(1), &asker, NOW).await.unwrap(), HandoffLookup::Missing);
    assert!(family.coordination().await.is_empty());
}

async fn of_a_hundred_consumers_at_once_one_gets_the_record(family: impl Family) {
    let record = handoff(1, on_instance("edge-a"));
    family.stores().handoffs.put_handoff(&record).await.unwrap();
    let lookups = race(100, |number| {
        let handoffs = family.stores().handoffs.clone();
        let asker = claimant(number as u128, "edge-a");
        async move { handoffs.consume(&token(1), &asker, NOW).await.unwrap() }
    })
    .await;
    let got = |lookup: &&_| **lookup == found(&record);
    let refused = |lookup: &&_| **lookup == HandoffLookup::AlreadyConsumed;
    assert_eq!(lookups.iter().filter(got).count(), 1);
    assert_eq!(lookups.iter().filter(refused).count(), 99);
}

async fn one_attempt_that_asks_many_times_at_once_gets_the_record_each_time(family: impl Family) {
    let record = handoff(1, on_instance("edge-a"));
    family.stores().handoffs.put_handoff(&record).await.unwrap();
    let lookups = race(20, |_| {
        let handoffs = family.stores().handoffs.clone();
        async move { handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap() }
    })
    .await;
    assert!(lookups.iter().all(|lookup| *lookup == found(&record)), "{lookups:?}");
}

async fn the_attempt_may_ask_again_for_as_long_as_its_marker_lives(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    handoffs.put_handoff(&record).await.unwrap();
    let asker = claimant(1, "edge-a");
    handoffs.consume(&token(1), &asker, NOW).await.unwrap();
    let end = record.expires_at.plus(CONSUMED_MARKER_LIFE);
    for (now, lookup) in [
        (NOW, found(&record)),
        (record.expires_at, found(&record)),
        (just_before(end), found(&record)),
        (end, HandoffLookup::Missing),
    ] {
        assert_eq!(handoffs.preflight(&token(1), &asker, now).await.unwrap(), lookup);
        assert_eq!(handoffs.consume(&token(1), &asker, now).await.unwrap(), lookup, "at {now:?}");
    }
}

async fn asking_again_does_not_lengthen_the_marker(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    handoffs.put_handoff(&handoff(1, on_instance("edge-a"))).await.unwrap();
    let asker = claimant(1, "edge-a");
    handoffs.consume(&token(1), &asker, NOW).await.unwrap();
    let before = family.coordination().await;
    handoffs.consume(&token(1), &asker, later(300)).await.unwrap();
    assert_eq!(family.coordination().await, before);
}

async fn anybody_else_gets_already_consumed(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, HandoffScope::Placement(harbor()));
    handoffs.put_handoff(&record).await.unwrap();
    handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap();
    // Another layer of the same placement: it would have found the record, too.
    let mut same_attempt_elsewhere = claimant(1, "edge-b");
    same_attempt_elsewhere.placements = vec![harbor()];
    for other in [claimant(2, "edge-a"), same_attempt_elsewhere, claimant(2, "edge-b")] {
        for now in [NOW, record.expires_at] {
            for lookup in [
                handoffs.preflight(&token(1), &other, now).await.unwrap(),
                handoffs.consume(&token(1), &other, now).await.unwrap(),
            ] {
                assert_eq!(lookup, HandoffLookup::AlreadyConsumed, "{other:?}");
            }
        }
    }
}

async fn a_record_is_found_under_its_scope_by_whom_the_scope_means(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    for (number, scope) in
        [on_instance("edge-a"), HandoffScope::Placement(harbor()), HandoffScope::Port(8081)]
            .into_iter()
            .enumerate()
    {
        let number = number as u128;
        let record = handoff(number, scope.clone());
        handoffs.put_handoff(&record).await.unwrap();
        // edge-b differs from edge-a in instance, placement and port.
        let stranger = claimant(1, "edge-b");
        for lookup in [
            handoffs.preflight(&token(number), &stranger, NOW).await.unwrap(),
            handoffs.consume(&token(number), &stranger, NOW).await.unwrap(),
        ] {
            assert_eq!(lookup, HandoffLookup::Missing, "{scope:?}");
        }
        let mut matching = claimant(2, "edge-b");
        match scope {
            HandoffScope::Instance(instance) => matching.instance = instance,
            HandoffScope::Placement(placement) => matching.placements.push(placement),
            HandoffScope::Port(port) => matching.port = port,
        }
        assert_eq!(
            handoffs.consume(&token(number), &matching, NOW).await.unwrap(),
            found(&record),
            "a stranger's question leaves the record to whom it is meant for"
        );
    }
}

async fn a_run_of_a_dungeon_is_another_placement_than_its_zone(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let run = "dawn/crypt#6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap();
    handoffs.put_handoff(&handoff(1, HandoffScope::Placement(run))).await.unwrap();
    for (placement, is_found) in [
        ("dawn/crypt", false),
        ("dawn/crypt#6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a002", false),
        ("dawn/crypt#6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001", true),
    ] {
        let mut asker = claimant(1, "edge-b");
        asker.placements = vec![placement.parse().unwrap()];
        let lookup = handoffs.preflight(&token(1), &asker, NOW).await.unwrap();
        assert_eq!(lookup != HandoffLookup::Missing, is_found, "{placement}");
    }
}

async fn a_record_is_missing_from_the_moment_it_expires(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    handoffs.put_handoff(&record).await.unwrap();
    let asker = claimant(1, "edge-a");
    for lookup in [
        handoffs.preflight(&token(1), &asker, record.expires_at).await.unwrap(),
        handoffs.consume(&token(1), &asker, record.expires_at).await.unwrap(),
    ] {
        assert_eq!(lookup, HandoffLookup::Missing);
    }
    let last = just_before(record.expires_at);
    assert_eq!(handoffs.preflight(&token(1), &asker, last).await.unwrap(), found(&record));
    assert_eq!(
        handoffs.consume(&token(1), &asker, last).await.unwrap(),
        found(&record),
        "a question that came too late by its own clock spent nothing"
    );
}

async fn one_token_stands_under_one_scope(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let scopes = [
        on_instance("edge-a"),
        HandoffScope::Placement(harbor()),
        HandoffScope::Port(8082),
        on_instance("edge-b"),
    ];
    handoffs.put_handoff(&handoff(2, on_instance("edge-a"))).await.unwrap();
    for scope in scopes {
        let record = handoff(1, scope);
        handoffs.put_handoff(&record).await.unwrap();
        let stored = family.coordination().await;
        let mut expected = [
            keys::handoff(&on_instance("edge-a"), &token(2)),
            keys::handoff(&record.scope, &token(1)),
        ];
        expected.sort();
        assert_eq!(stored.into_keys().collect::<Vec<_>>(), expected);
    }
    let elsewhere = handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap();
    assert_eq!(elsewhere, HandoffLookup::Missing, "the old scope is gone");
}

async fn the_same_scope_again_replaces_the_record(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    handoffs.put_handoff(&handoff(1, on_instance("edge-a"))).await.unwrap();
    let mut newer = handoff(1, on_instance("edge-a"));
    newer.target_zone = "meadow".parse().unwrap();
    newer.expires_at = later(5);
    handoffs.put_handoff(&newer).await.unwrap();
    let asker = claimant(1, "edge-a");
    assert_eq!(handoffs.preflight(&token(1), &asker, NOW).await.unwrap(), found(&newer));
    assert_eq!(
        handoffs.preflight(&token(1), &asker, later(5)).await.unwrap(),
        HandoffLookup::Missing,
        "the end is replaced as well"
    );
}

/// A redirect that loses its race against the consume revives nothing.
async fn a_record_put_again_after_its_consume_is_still_spent(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    handoffs.put_handoff(&record).await.unwrap();
    handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap();
    handoffs.put_handoff(&handoff(1, on_instance("edge-b"))).await.unwrap();
    let lookup = handoffs.consume(&token(1), &claimant(2, "edge-b"), NOW).await.unwrap();
    assert_eq!(lookup, HandoffLookup::AlreadyConsumed);
    let own = handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap();
    assert_eq!(own, found(&record), "what was consumed, not what was put later");
}

/// However a redirect and the consumers of both ends interleave, one of them enters.
async fn a_redirect_in_the_middle_of_consumes_makes_no_second_session(family: impl Family) {
    for round in 0..15_u128 {
        let handoffs = family.stores().handoffs.clone();
        handoffs.put_handoff(&handoff(round, on_instance("edge-a"))).await.unwrap();
        let entered = race(9, |number| {
            let handoffs = family.stores().handoffs.clone();
            async move {
                if number == 4 {
                    let moved = handoff(round, on_instance("edge-b"));
                    handoffs.put_handoff(&moved).await.unwrap();
                    return false;
                }
                let end = if number % 2 == 0 { "edge-a" } else { "edge-b" };
                let asker = claimant(number as u128, end);
                let lookup = handoffs.consume(&token(round), &asker, NOW).await.unwrap();
                matches!(lookup, HandoffLookup::Found { .. })
            }
        })
        .await;
        let sessions = entered.iter().filter(|entered| **entered).count();
        assert!(sessions <= 1, "round {round}: {entered:?}");
    }
}

async fn pruning_takes_expired_records_and_markers_and_no_other(family: impl Family) {
    let stores = family.stores();
    let short = handoff(1, on_instance("edge-a"));
    let mut long = handoff(2, on_instance("edge-a"));
    long.expires_at = later(1_000);
    stores.handoffs.put_handoff(&short).await.unwrap();
    stores.handoffs.put_handoff(&long).await.unwrap();
    let asker = claimant(1, "edge-a");
    let prune = |now| stores.garbage.prune_coordination(now);

    assert_eq!(prune(just_before(short.expires_at)).await.unwrap(), 0);
    stores.handoffs.consume(&token(1), &asker, NOW).await.unwrap();
    let end = short.expires_at.plus(CONSUMED_MARKER_LIFE);
    assert_eq!(prune(just_before(end)).await.unwrap(), 0, "the marker outlives its record");
    assert_eq!(prune(end).await.unwrap(), 1);
    assert_eq!(stores.handoffs.consume(&token(2), &asker, NOW).await.unwrap(), found(&long));
}

over_every_family!(
    preflight_reads_what_consume_takes_and_takes_nothing,
    an_unknown_token_is_missing_and_leaves_no_marker,
    of_a_hundred_consumers_at_once_one_gets_the_record,
    one_attempt_that_asks_many_times_at_once_gets_the_record_each_time,
    the_attempt_may_ask_again_for_as_long_as_its_marker_lives,
    asking_again_does_not_lengthen_the_marker,
    anybody_else_gets_already_consumed,
    a_record_is_found_under_its_scope_by_whom_the_scope_means,
    a_run_of_a_dungeon_is_another_placement_than_its_zone,
    a_record_is_missing_from_the_moment_it_expires,
    one_token_stands_under_one_scope,
    the_same_scope_again_replaces_the_record,
    a_record_put_again_after_its_consume_is_still_spent,
    a_redirect_in_the_middle_of_consumes_makes_no_second_session,
    pruning_takes_expired_records_and_markers_and_no_other,
);
