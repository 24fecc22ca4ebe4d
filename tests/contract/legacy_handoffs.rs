//! Promises of the legacy handoff rows.

use shared::coordination::HandoffScope;

use super::family::Family;
use super::samples::{handoff, just_before, on_instance};

async fn a_row_of_the_same_token_is_replaced(family: impl Family) {
    let rows = &family.stores().legacy_handoffs;
    let record = handoff(1, on_instance("edge-a"));
    rows.put_handoff_row(&record).await.unwrap();
    let mut moved = handoff(1, HandoffScope::Port(8082));
    moved.dungeon_run_id = Some("6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap());
    rows.put_handoff_row(&moved).await.unwrap();
    rows.put_handoff_row(&handoff(2, on_instance("edge-a"))).await.unwrap();
    assert_eq!(rows.prune_handoff_rows(record.expires_at).await.unwrap(), 2, "one for a token");
}

async fn rows_are_pruned_from_the_moment_they_expire(family: impl Family) {
    let rows = &family.stores().legacy_handoffs;
    let record = handoff(1, on_instance("edge-a"));
    rows.put_handoff_row(&record).await.unwrap();
    for (now, pruned) in
        [(just_before(record.expires_at), 0), (record.expires_at, 1), (record.expires_at, 0)]
    {
        assert_eq!(rows.prune_handoff_rows(now).await.unwrap(), pruned, "at {now:?}");
    }
}

over_every_family!(
    a_row_of_the_same_token_is_replaced,
    rows_are_pruned_from_the_moment_they_expire,
);
