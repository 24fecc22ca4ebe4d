//! Promises of what reconciliation rests on: a handoff that was lost comes back once, one that
//! was used never does, and listings show what lives.

use std::collections::BTreeSet;

use edge_server::stores::{LISTING_PAGE, Page, PageMark, StoreResult, keys};
use shared::account::GameEndpoint;
use shared::coordination::{
    AssignHold, HandoffCacheRecord, HandoffLookup, HandoffScope, TransferActivation,
};
use shared::ids::InstanceId;
use shared::version::PayloadVersion;
use shared::world::Tile;

use super::family::{Family, race};
use super::samples::{
    NOW, account_id, character_id, claimant, given_account, handoff, harbor, hold, just_before,
    later, ledger, on_instance, presence, session, token,
};

fn edge(id: &str) -> GameEndpoint {
    GameEndpoint { instance_id: id.parse().unwrap(), http_url: format!("http://{id}") }
}

async fn a_handoff_that_was_lost_comes_back_once_and_is_good(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    for restored in [true, false] {
        assert_eq!(handoffs.restore_handoff(&record, NOW).await.unwrap(), restored);
    }
    let elsewhere = handoff(1, HandoffScope::Placement(harbor()));
    assert!(!handoffs.restore_handoff(&elsewhere, NOW).await.unwrap(), "under whatever scope");
    let found = HandoffLookup::Found { record: Box::new(record.clone()) };
    let asker = claimant(1, "edge-a");
    assert_eq!(handoffs.consume(&token(1), &asker, NOW).await.unwrap(), found);
    assert!(!handoffs.restore_handoff(&record, NOW).await.unwrap());
    let stranger = handoffs.consume(&token(1), &claimant(2, "edge-a"), NOW).await.unwrap();
    assert_eq!(stranger, HandoffLookup::AlreadyConsumed);
}

async fn a_handoff_that_has_expired_or_moved_on_does_not_come_back(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    assert!(!handoffs.restore_handoff(&record, record.expires_at).await.unwrap());
    assert!(family.coordination().await.is_empty());

    handoffs.put_handoff(&record).await.unwrap();
    handoffs.redirect(&token(1), &claimant(1, "edge-a"), &edge("edge-b"), NOW).await.unwrap();
    let before = family.coordination().await;
    assert!(!handoffs.restore_handoff(&record, NOW).await.unwrap());
    assert_eq!(family.coordination().await, before);
}

async fn what_cannot_be_read_is_not_forgotten_and_not_written_over(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    handoffs.put_handoff(&record).await.unwrap();
    handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap();
    handoffs.put_handoff(&handoff(2, on_instance("edge-a"))).await.unwrap();
    family.write_from_the_future(&keys::handoff_consumed(&token(1))).await;
    family.write_from_the_future(&keys::handoff(&on_instance("edge-a"), &token(2))).await;
    let before = family.coordination().await;
    let all = [token(1), token(2), token(3)];
    assert_eq!(handoffs.forgotten_handoffs(&all, NOW).await.unwrap(), [token(3)]);
    for number in [1, 2] {
        let record = handoff(number, on_instance("edge-a"));
        assert!(!handoffs.restore_handoff(&record, NOW).await.unwrap());
    }
    assert_eq!(family.coordination().await, before);
}

async fn forgotten_are_those_that_nothing_alive_names(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let at_a = claimant(1, "edge-a");
    for number in 1..=3 {
        handoffs.put_handoff(&handoff(number, on_instance("edge-a"))).await.unwrap();
    }
    handoffs.consume(&token(2), &at_a, NOW).await.unwrap();
    handoffs.redirect(&token(3), &at_a, &edge("edge-b"), NOW).await.unwrap();
    // More than one look takes.
    let many: Vec<_> = (1..=2 * LISTING_PAGE as u128 + 5).map(token).collect();
    let forgotten = handoffs.forgotten_handoffs(&many, NOW).await.unwrap();
    assert_eq!(forgotten, many[3..]);
    let end = handoff(1, on_instance("edge-a")).expires_at;
    let forgotten = handoffs.forgotten_handoffs(&many[..3], end).await.unwrap();
    assert_eq!(forgotten, [token(1), token(3)], "the marker outlives what it guards");
}

async fn a_handoff_that_has_ended_unused_goes_with_its_promise(family: impl Family) {
    let stores = family.stores();
    let handoffs = &stores.handoffs;
    for number in 1..=3 {
        handoffs.put_handoff(&handoff(number, on_instance("edge-a"))).await.unwrap();
        let promise = AssignHold { expires_at: later(600), ..hold(number, number, "edge-a") };
        assert!(stores.holds.hold(&promise, None, NOW).await.unwrap());
    }
    handoffs.consume(&token(2), &claimant(1, "edge-a"), NOW).await.unwrap();
    let end = handoff(1, on_instance("edge-a")).expires_at;
    let before = family.coordination().await;
    for (number, now) in [(1, just_before(end)), (2, end), (9, end)] {
        assert!(!handoffs.end_handoff(&token(number), now).await.unwrap(), "{number}");
    }
    assert_eq!(family.coordination().await, before);
    for ended in [true, false] {
        assert_eq!(handoffs.end_handoff(&token(1), end).await.unwrap(), ended);
    }
    let mut expected = before;
    expected.remove(&keys::handoff(&on_instance("edge-a"), &token(1)));
    expected.remove(&keys::hold(&token(1)));
    assert_eq!(family.coordination().await, expected);
}

/// Whichever comes first: who consumes it has it, and nobody after that.
async fn a_restoration_and_many_consumers_at_once_make_one_session(family: impl Family) {
    for round in 0..20_u128 {
        let record = handoff(round, on_instance("edge-a"));
        if round % 2 == 0 {
            family.stores().handoffs.put_handoff(&record).await.unwrap();
        }
        let found = race(24, |number| {
            let (handoffs, record) = (family.stores().handoffs.clone(), record.clone());
            async move {
                if number % 3 == 0 {
                    handoffs.restore_handoff(&record, NOW).await.unwrap();
                    return false;
                }
                let asker = claimant(number as u128, "edge-a");
                let lookup = handoffs.consume(&token(round), &asker, NOW).await.unwrap();
                matches!(lookup, HandoffLookup::Found { .. })
            }
        })
        .await;
        let mut winners = found.iter().filter(|found| **found).count();
        let handoffs = &family.stores().handoffs;
        assert!(winners <= 1, "round {round}");
        handoffs.restore_handoff(&record, NOW).await.unwrap();
        let last = handoffs.consume(&token(round), &claimant(99, "edge-a"), NOW).await.unwrap();
        winners += usize::from(matches!(last, HandoffLookup::Found { .. }));
        assert_eq!(winners, 1, "round {round}: it was consumed, and came back");
    }
}

async fn rows_tell_of_a_handoff_what_was_prepared(family: impl Family) {
    given_account(family.stores(), 1).await;
    let rows = &family.stores().legacy_handoffs;
    let plain = handoff(1, on_instance("edge-a"));
    let full = HandoffCacheRecord {
        dungeon_run_id: Some("6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap()),
        start_tile: Some(Tile { x: 3, y: 4 }),
        transfer: Some(TransferActivation {
            payload_version: PayloadVersion::CURRENT,
            source_instance: "edge-b".parse().unwrap(),
            source_session: session("a"),
            source_zone: "meadow".parse().unwrap(),
            target_zone: "harbor".parse().unwrap(),
            target_tile: Tile { x: 5, y: 6 },
        }),
        ..handoff(2, HandoffScope::Placement(harbor()))
    };
    for record in [&plain, &full] {
        rows.put_handoff_row(record).await.unwrap();
    }
    let nobodys =
        HandoffCacheRecord { account_id: account_id(9), ..handoff(3, on_instance("edge-a")) };
    rows.put_handoff_row(&nobodys).await.unwrap();
    let page = rows.handoff_rows(None, NOW).await.unwrap();
    assert_eq!(page.records, [plain.clone(), full.clone()], "nobody has the third one's account");
    assert_eq!((page.unreadable, page.next), (0, None));
    let page = rows.handoff_rows(None, just_before(plain.expires_at)).await.unwrap();
    assert_eq!(page.records.len(), 2);
    assert_eq!(rows.handoff_rows(None, plain.expires_at).await.unwrap().records, []);

    let to: InstanceId = "edge-b".parse().unwrap();
    rows.move_handoff_row(&token(1), &to).await.unwrap();
    rows.move_handoff_row(&token(7), &to).await.unwrap();
    let page = rows.handoff_rows(None, NOW).await.unwrap();
    let moved = HandoffCacheRecord { target_instance: to, scope: on_instance("edge-b"), ..plain };
    assert_eq!(page.records, [moved, full]);
}

async fn rows_are_told_page_by_page(family: impl Family) {
    given_account(family.stores(), 1).await;
    let rows = &family.stores().legacy_handoffs;
    let count = LISTING_PAGE as u128 + 3;
    for number in 0..count {
        rows.put_handoff_row(&handoff(number, on_instance("edge-a"))).await.unwrap();
    }
    let first = rows.handoff_rows(None, NOW).await.unwrap();
    assert_eq!(first.records.len(), LISTING_PAGE);
    let second = rows.handoff_rows(first.next.as_ref(), NOW).await.unwrap();
    assert_eq!((second.records.len(), second.next), (3, None));
}

/// Reads a listing to its end.
async fn all<T>(read: impl AsyncFn(Option<PageMark>) -> StoreResult<Page<T>>) -> (Vec<T>, usize) {
    let (mut records, mut unreadable, mut after) = (Vec::new(), 0, None);
    loop {
        let page = read(after).await.unwrap();
        assert!(page.records.len() <= LISTING_PAGE);
        records.extend(page.records);
        unreadable += page.unreadable;
        after = page.next;
        if after.is_none() {
            return (records, unreadable);
        }
    }
}

async fn listings_show_each_living_record_once_and_count_what_they_cannot_read(
    family: impl Family,
) {
    let (stores, listing) = (family.stores(), family.stores().listing.clone());
    let count = 2 * LISTING_PAGE as u128 + 1;
    for number in 0..count {
        let name = number.to_string();
        stores.handoffs.put_handoff(&handoff(number, on_instance("edge-a"))).await.unwrap();
        stores.presence.put_presence(&presence(number, number, &name, 1), NOW).await.unwrap();
        stores.ledger.put_ledger(&ledger(&name, 1), NOW).await.unwrap();
    }
    // What is not listed stands beside it.
    stores.handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap();
    for key in [
        keys::handoff(&on_instance("edge-a"), &token(0)),
        keys::presence_character(character_id(0)),
        keys::resume_ledger(&session("0")),
    ] {
        family.write_from_the_future(&key).await;
    }
    let count = usize::try_from(count).unwrap();

    let (handoffs, unreadable) =
        all(async |after| listing.list_handoffs(after.as_ref(), NOW).await).await;
    let tokens: BTreeSet<_> = handoffs.iter().map(|one| &one.token).collect();
    assert_eq!((handoffs.len(), tokens.len(), unreadable), (count - 2, count - 2, 1));
    let (there, unreadable) =
        all(async |after| listing.list_presence(after.as_ref(), NOW).await).await;
    let characters: BTreeSet<_> = there.iter().map(|one| one.character_id).collect();
    assert_eq!((there.len(), characters.len(), unreadable), (count - 1, count - 1, 1));
    let (kept, unreadable) =
        all(async |after| listing.list_ledger(after.as_ref(), NOW).await).await;
    let sessions: BTreeSet<_> = kept.iter().map(|one| &one.session_token).collect();
    assert_eq!((kept.len(), sessions.len(), unreadable), (count - 1, count - 1, 1));

    let end = presence(1, 1, "1", 1).expires_at;
    let (there, unreadable) =
        all(async |after| listing.list_presence(after.as_ref(), end).await).await;
    assert_eq!((there.len(), unreadable), (0, 0), "what has ended is not shown");
    stores.garbage.prune_coordination(end).await.unwrap();
    family.coordination().await;
}

over_every_family!(
    a_handoff_that_has_ended_unused_goes_with_its_promise,
    a_handoff_that_was_lost_comes_back_once_and_is_good,
    a_handoff_that_has_expired_or_moved_on_does_not_come_back,
    what_cannot_be_read_is_not_forgotten_and_not_written_over,
    forgotten_are_those_that_nothing_alive_names,
    a_restoration_and_many_consumers_at_once_make_one_session,
    rows_tell_of_a_handoff_what_was_prepared,
    rows_are_told_page_by_page,
    listings_show_each_living_record_once_and_count_what_they_cannot_read,
);
