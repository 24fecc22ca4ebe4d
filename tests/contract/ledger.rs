//! Promises of the resume ledger.

use edge_server::stores::EpochWrite;
use shared::coordination::{LedgerClaims, LedgerPhase};
use shared::ids::SessionEpoch;

use super::family::Family;
use super::samples::{NOW, just_before, later, ledger, session, token};

async fn a_session_is_found_until_it_expires(family: impl Family) {
    let store = &family.stores().ledger;
    let record = ledger("a", 1);
    assert_eq!(store.put_ledger(&record, NOW).await.unwrap(), EpochWrite::Written);
    let end = record.expires_at;
    for (now, expected) in [(NOW, Some(&record)), (just_before(end), Some(&record)), (end, None)] {
        assert_eq!(store.ledger(&session("a"), now).await.unwrap().as_ref(), expected);
    }
    assert_eq!(store.ledger(&session("b"), NOW).await.unwrap(), None);
}

async fn the_same_epoch_and_a_higher_one_overwrite(family: impl Family) {
    let store = &family.stores().ledger;
    store.put_ledger(&ledger("a", 1), NOW).await.unwrap();
    for epoch in [1, 2] {
        let mut record = ledger("a", epoch);
        record.phase = LedgerPhase::Active(LedgerClaims {
            generation: epoch,
            newest: token(31),
            previous: (epoch == 1).then(|| token(30)),
        });
        record.expires_at = later(200);
        assert_eq!(store.put_ledger(&record, NOW).await.unwrap(), EpochWrite::Written);
        assert_eq!(store.ledger(&session("a"), later(199)).await.unwrap(), Some(record));
    }
}

async fn a_lower_epoch_never_overwrites_a_higher_one(family: impl Family) {
    let store = &family.stores().ledger;
    let standing = ledger("a", 2);
    store.put_ledger(&standing, NOW).await.unwrap();
    let before = family.coordination().await;
    let mut stale = ledger("a", 1);
    stale.expires_at = later(500);
    assert_eq!(store.put_ledger(&stale, NOW).await.unwrap(), EpochWrite::Superseded);
    assert_eq!(family.coordination().await, before);
    assert_eq!(
        store.put_ledger(&stale, standing.expires_at).await.unwrap(),
        EpochWrite::Written,
        "an expired record stands in nobody's way"
    );
}

async fn removal_compares_the_epoch(family: impl Family) {
    let store = &family.stores().ledger;
    store.put_ledger(&ledger("a", 2), NOW).await.unwrap();
    store.put_ledger(&ledger("b", 2), NOW).await.unwrap();
    let before = family.coordination().await;
    for epoch in [1, 3] {
        assert!(!store.remove_ledger(&session("a"), SessionEpoch(epoch)).await.unwrap());
    }
    assert_eq!(family.coordination().await, before);
    for removed in [true, false] {
        let answer = store.remove_ledger(&session("a"), SessionEpoch(2)).await.unwrap();
        assert_eq!(answer, removed);
    }
    assert_eq!(store.ledger(&session("a"), NOW).await.unwrap(), None);
    assert!(store.ledger(&session("b"), NOW).await.unwrap().is_some());
}

over_every_family!(
    a_session_is_found_until_it_expires,
    the_same_epoch_and_a_higher_one_overwrite,
    a_lower_epoch_never_overwrites_a_higher_one,
    removal_compares_the_epoch,
);
