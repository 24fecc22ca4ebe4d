//! The session lifecycle journal: an entry is in one place at a time, and no step loses it.

use std::collections::BTreeSet;

use edge_server::stores::{LifecycleCounts, LifecycleJournal, UNREADABLE_PAUSE};
use shared::ids::{InstanceId, LifecycleId, SessionEpoch, UnixMillis};
use shared::lifecycle::{LifecycleEntry, LifecycleStep};
use shared::version::PayloadVersion;
use shared::world::Tile;
use uuid::Uuid;

use super::family::{Family, race};
use super::samples::{NOW, account_id, character_id, later, session};

fn worker(name: &str) -> InstanceId {
    name.parse().unwrap()
}

fn id(number: u128) -> LifecycleId {
    LifecycleId::new(Uuid::from_u128(0x11fe_0000 + number))
}

fn entry(number: u128, not_before: UnixMillis) -> LifecycleEntry {
    LifecycleEntry {
        payload_version: PayloadVersion::CURRENT,
        id: id(number),
        account_id: account_id(number),
        character_id: character_id(number),
        character_name: "Mara".to_owned(),
        session_token: session("a"),
        epoch: SessionEpoch(3),
        instance: worker("edge-a"),
        steps: vec![
            LifecycleStep::SavePlace { zone: "harbor".parse().unwrap(), tile: Tile { x: 3, y: 4 } },
            LifecycleStep::RemovePresence,
            LifecycleStep::RemoveLedger,
        ],
        attempts: 2,
        not_before,
        created_at: NOW,
        last_error: Some("it was away".to_owned()),
    }
}

/// Puts an entry into the queue.
async fn given(journal: &dyn LifecycleJournal, entry: &LifecycleEntry) {
    journal.begin_work(&worker("edge-a"), entry).await.unwrap();
    assert!(journal.defer_work(&worker("edge-a"), entry).await.unwrap());
}

async fn counts(journal: &dyn LifecycleJournal) -> (u64, u64) {
    let LifecycleCounts { waiting, dead } = journal.lifecycle_counts().await.unwrap();
    (waiting, dead)
}

async fn work_that_is_begun_is_seen_until_it_is_finished(family: impl Family) {
    let journal = &family.stores().journal;
    let here = worker("edge-a");
    assert_eq!(journal.workers().await.unwrap(), []);
    for _twice in 0..2 {
        journal.begin_work(&here, &entry(1, NOW)).await.unwrap();
    }
    journal.begin_work(&worker("edge-b"), &entry(2, NOW)).await.unwrap();
    assert_eq!(journal.workers().await.unwrap(), [here.clone(), worker("edge-b")]);
    assert_eq!(journal.take_work(&here, later(60)).await.unwrap(), None, "it is in hand");
    assert!(!journal.finish_work(&worker("edge-b"), id(1)).await.unwrap(), "it is another's");
    for was_there in [true, false] {
        assert_eq!(journal.finish_work(&here, id(1)).await.unwrap(), was_there);
    }
    assert_eq!(journal.workers().await.unwrap(), [worker("edge-b")]);
    assert_eq!(counts(&**journal).await, (0, 0));
}

async fn what_is_due_first_is_taken_first_and_nothing_before_its_time(family: impl Family) {
    let journal = &family.stores().journal;
    let here = worker("edge-b");
    for (number, due) in [(1, later(30)), (2, later(10)), (3, later(20))] {
        given(&**journal, &entry(number, due)).await;
    }
    assert_eq!(journal.take_work(&here, later(9)).await.unwrap(), None);
    let mut order = Vec::new();
    while let Some(taken) = journal.take_work(&here, later(25)).await.unwrap() {
        order.push(taken);
    }
    assert_eq!(order, [entry(2, later(10)), entry(3, later(20))], "whole, and in order");
    assert_eq!(counts(&**journal).await, (1, 0));
    assert!(journal.finish_work(&here, id(2)).await.unwrap());
    assert!(!journal.finish_work(&worker("edge-a"), id(3)).await.unwrap());
}

async fn of_a_hundred_workers_for_ten_entries_each_gets_another(family: impl Family) {
    let journal = family.stores().journal.clone();
    for number in 0..10 {
        given(&*journal, &entry(number, NOW)).await;
    }
    let taken = race(100, |number| {
        let journal = journal.clone();
        async move { journal.take_work(&worker(&format!("edge-{number}")), NOW).await.unwrap() }
    })
    .await;
    let ids: Vec<_> = taken.iter().flatten().map(|entry| entry.id).collect();
    assert_eq!(ids.len(), 10);
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 10);
    assert_eq!(journal.workers().await.unwrap().len(), 10);
    assert_eq!(counts(&*journal).await, (0, 0));
}

async fn who_has_lost_an_entry_moves_it_no_more(family: impl Family) {
    let journal = &family.stores().journal;
    let (dead, heir) = (worker("edge-a"), worker("edge-b"));
    for number in [1, 2] {
        journal.begin_work(&dead, &entry(number, NOW)).await.unwrap();
    }
    journal.begin_work(&heir, &entry(3, NOW)).await.unwrap();
    assert_eq!(journal.recover_work(&dead, later(5)).await.unwrap(), 2);
    assert_eq!(journal.recover_work(&dead, later(5)).await.unwrap(), 0);
    assert_eq!(
        journal.workers().await.unwrap(),
        std::slice::from_ref(&heir),
        "another's work is its own"
    );
    assert_eq!(journal.take_work(&heir, later(4)).await.unwrap(), None);
    let mut taken = BTreeSet::new();
    while let Some(entry) = journal.take_work(&heir, later(5)).await.unwrap() {
        taken.insert(entry.id);
    }
    assert_eq!(taken, BTreeSet::from([id(1), id(2)]));
    // It was only slow, and comes to its end now.
    assert!(!journal.finish_work(&dead, id(1)).await.unwrap());
    assert!(!journal.defer_work(&dead, &entry(1, NOW)).await.unwrap());
    assert!(!journal.bury_work(&dead, &entry(2, NOW)).await.unwrap());
    assert_eq!(counts(&**journal).await, (0, 0));
    assert!(journal.finish_work(&heir, id(1)).await.unwrap());
}

async fn a_dead_letter_waits_for_a_person(family: impl Family) {
    let journal = &family.stores().journal;
    let here = worker("edge-a");
    for number in [3, 1, 2] {
        journal.begin_work(&here, &entry(number, NOW)).await.unwrap();
        assert!(journal.bury_work(&here, &entry(number, NOW)).await.unwrap());
    }
    assert_eq!(counts(&**journal).await, (0, 3));
    assert_eq!(journal.take_work(&here, later(3_600)).await.unwrap(), None);
    let page = journal.dead_letters(None).await.unwrap();
    let listed: Vec<_> = page.records.iter().map(|entry| entry.id).collect();
    assert_eq!((listed, page.next, page.unreadable), (vec![id(1), id(2), id(3)], None, 0));
    let revived = race(20, |_| {
        let journal = journal.clone();
        async move { journal.requeue(id(2), later(60)).await.unwrap() }
    })
    .await;
    assert_eq!(revived.iter().filter(|was_there| **was_there).count(), 1);
    assert!(!journal.requeue(id(9), later(60)).await.unwrap());
    assert_eq!(counts(&**journal).await, (1, 2));
    assert_eq!(journal.take_work(&here, later(59)).await.unwrap(), None);
    let again = journal.take_work(&here, later(60)).await.unwrap().unwrap();
    let begun_anew = LifecycleEntry { attempts: 0, ..entry(2, later(60)) };
    assert_eq!(again, begun_anew);
}

async fn what_cannot_be_read_stays_and_holds_nobody_up(family: impl Family) {
    let journal = &family.stores().journal;
    let here = worker("edge-a");
    given(&**journal, &entry(1, NOW)).await;
    family.entry_from_the_future(id(1)).await;
    given(&**journal, &entry(2, later(1))).await;
    let taken = journal.take_work(&here, later(1)).await.unwrap();
    let taken = match taken {
        Some(taken) => taken,
        None => journal.take_work(&here, later(1)).await.unwrap().unwrap(),
    };
    assert_eq!(taken.id, id(2));
    let much_later = later(1).plus(UNREADABLE_PAUSE);
    assert_eq!(journal.take_work(&here, much_later).await.unwrap(), None);
    assert_eq!(counts(&**journal).await, (1, 0));
}

async fn entries_outlive_a_restart(family: impl Family) {
    let here = worker("edge-a");
    {
        let journal = &family.stores().journal;
        given(&**journal, &entry(1, NOW)).await;
        journal.begin_work(&here, &entry(2, NOW)).await.unwrap();
    }
    family.stores().garbage.prune_coordination(later(365 * 24 * 3_600)).await.unwrap();
    let family = family.restart().await;
    let journal = &family.stores().journal;
    assert_eq!(counts(&**journal).await, (1, 0));
    assert_eq!(journal.recover_work(&here, NOW).await.unwrap(), 1);
    assert_eq!(counts(&**journal).await, (2, 0));
}

over_every_family!(
    work_that_is_begun_is_seen_until_it_is_finished,
    what_is_due_first_is_taken_first_and_nothing_before_its_time,
    of_a_hundred_workers_for_ten_entries_each_gets_another,
    who_has_lost_an_entry_moves_it_no_more,
    a_dead_letter_waits_for_a_person,
    what_cannot_be_read_stays_and_holds_nobody_up,
    entries_outlive_a_restart,
);
