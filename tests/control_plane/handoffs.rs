//! Handoffs as login and game servers ask for them.

use std::time::Duration;

use shared::account::GameEndpoint;
use shared::coordination::{HandoffCacheRecord, HandoffLookup, HandoffScope, Redirection};

use tests::clock::now;

use super::rig::{Rig, handoff, past, soon};
use crate::contract::family::race;
use crate::contract::samples::{claimant, given_account, harbor, token};

fn found(record: &HandoffCacheRecord) -> HandoffLookup {
    HandoffLookup::Found { record: Box::new(record.clone()) }
}

async fn what_is_prepared_is_found_as_it_was_and_has_its_legacy_row(rig: Rig) {
    let mut records = vec![handoff(1), handoff(2)];
    records[0].redirected_from = vec!["edge-c".parse().unwrap()];
    records[0].start_tile = Some(shared::world::Tile { x: 3, y: 4 });
    records[1].scope = HandoffScope::Placement(harbor());
    let control_plane = &rig.control_plane;
    for record in &records {
        control_plane.prepare(record).await.unwrap();
        let asker = claimant(1, "edge-a");
        for _ in 0..2 {
            let answer = control_plane.preflight(&record.token, &asker).await.unwrap();
            assert_eq!(answer, found(record), "a preflight consumes nothing");
        }
        let elsewhere = control_plane.preflight(&record.token, &claimant(1, "edge-b")).await;
        assert_eq!(elsewhere.unwrap(), HandoffLookup::Missing);
    }
    let unknown = control_plane.preflight(&token(9), &claimant(1, "edge-a")).await.unwrap();
    assert_eq!(unknown, HandoffLookup::Missing);
    let rows = &rig.family.stores().legacy_handoffs;
    let later = soon().plus(Duration::from_secs(60));
    assert_eq!(rows.prune_handoff_rows(later).await.unwrap(), 2);
}

async fn a_consumed_handoff_is_the_claimants_alone(rig: Rig) {
    let (control_plane, record) = (&rig.control_plane, handoff(1));
    control_plane.prepare(&record).await.unwrap();
    for _ in 0..2 {
        let answer = control_plane.consume(&token(1), &claimant(1, "edge-a")).await.unwrap();
        assert_eq!(answer, found(&record), "the same claimant may ask again");
    }
    for other in [claimant(2, "edge-a"), claimant(1, "edge-b")] {
        let answer = control_plane.consume(&token(1), &other).await.unwrap();
        assert_eq!(answer, HandoffLookup::AlreadyConsumed);
        let answer = control_plane.preflight(&token(1), &other).await.unwrap();
        assert_eq!(answer, HandoffLookup::AlreadyConsumed);
    }
}

async fn of_a_hundred_consumes_at_once_one_wins(rig: Rig) {
    rig.control_plane.prepare(&handoff(1)).await.unwrap();
    let answers = race(100, |number| {
        let control_plane = rig.control_plane.clone();
        let asker = claimant(number as u128, "edge-a");
        async move { control_plane.consume(&token(1), &asker).await.unwrap() }
    })
    .await;
    let won = answers.iter().filter(|answer| matches!(answer, HandoffLookup::Found { .. })).count();
    let lost = answers.iter().filter(|answer| **answer == HandoffLookup::AlreadyConsumed).count();
    assert_eq!((won, lost), (1, 99));
}

async fn a_redirected_handoff_is_good_at_the_new_place_alone(rig: Rig) {
    given_account(rig.family.stores(), 1).await;
    let (control_plane, record) = (&rig.control_plane, handoff(1));
    control_plane.prepare(&record).await.unwrap();
    let to = GameEndpoint {
        instance_id: "edge-b".parse().unwrap(),
        http_url: "http://127.0.0.1:8082".to_owned(),
    };
    let (here, there) = (claimant(1, "edge-a"), claimant(1, "edge-b"));
    for _ in 0..2 {
        let moved = control_plane.redirect(&token(1), &here, &to).await.unwrap();
        assert_eq!(moved, Redirection::Moved { to: to.clone() });
    }
    let answer = control_plane.preflight(&token(1), &here).await.unwrap();
    assert_eq!(answer, HandoffLookup::Redirected { to: to.clone() });
    let HandoffLookup::Found { record: taken } =
        control_plane.consume(&token(1), &there).await.unwrap()
    else {
        panic!("not good at the new place")
    };
    assert_eq!(taken.expires_at, record.expires_at);
    assert_eq!(taken.redirected_from, ["edge-a".parse().unwrap()]);
    let rows = rig.family.stores().legacy_handoffs.handoff_rows(None, now()).await.unwrap();
    let [row] = rows.records.as_slice() else { panic!("{rows:?}") };
    assert_eq!((&row.target_instance, &row.scope), (&taken.target_instance, &taken.scope));

    let again = control_plane.redirect(&token(1), &there, &to).await.unwrap();
    assert_eq!(again, Redirection::ConsumedBySelf);
    let unknown = control_plane.redirect(&token(9), &here, &to).await.unwrap();
    assert_eq!(unknown, Redirection::Missing);
}

async fn a_handoff_ends_by_the_clock_of_the_control_plane(rig: Rig) {
    let over = HandoffCacheRecord { expires_at: past(), ..handoff(1) };
    // It is there, and would be found by a clock that is behind.
    rig.family.stores().handoffs.put_handoff(&over).await.unwrap();
    let asker = claimant(1, "edge-a");
    for _ in 0..2 {
        let answer = rig.control_plane.preflight(&token(1), &asker).await.unwrap();
        assert_eq!(answer, HandoffLookup::Missing);
        let answer = rig.control_plane.consume(&token(1), &asker).await.unwrap();
        assert_eq!(answer, HandoffLookup::Missing);
    }
}

over_every_way!(
    what_is_prepared_is_found_as_it_was_and_has_its_legacy_row,
    a_consumed_handoff_is_the_claimants_alone,
    of_a_hundred_consumes_at_once_one_wins,
    a_redirected_handoff_is_good_at_the_new_place_alone,
    a_handoff_ends_by_the_clock_of_the_control_plane,
);
