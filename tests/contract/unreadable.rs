//! Records of a newer build (I5): each step that meets one says so and changes nothing,
//! the rest of the same step included.

use std::fmt::Debug;

use edge_server::stores::{StoreError, StoreResult, keys};
use shared::account::GameEndpoint;
use shared::coordination::HandoffScope;
use shared::ids::SessionEpoch;
use shared::limits::CONSUMED_MARKER_LIFE;

use super::family::Family;
use super::samples::{
    NOW, account_id, character_id, claimant, handoff, harbor, hold, instance, ledger, on_instance,
    presence, session, token,
};

/// The step was refused for the record under `key`.
#[track_caller]
fn assert_unreadable<T: Debug>(step: &str, key: &str, answer: StoreResult<T>) {
    match answer {
        Err(StoreError::Unreadable { key: named, reason }) => {
            assert_eq!(named, key, "{step}");
            assert!(reason.contains("version 2"), "{step}: {reason}");
        }
        other => panic!("{step}: {other:?}"),
    }
}

async fn a_prepared_handoff_of_the_future_is_refused_and_stays(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    handoffs.put_handoff(&record).await.unwrap();
    let key = keys::handoff(&record.scope, &record.token);
    family.write_from_the_future(&key).await;
    let before = family.coordination().await;

    let asker = claimant(1, "edge-a");
    assert_unreadable("preflight", &key, handoffs.preflight(&token(1), &asker, NOW).await);
    assert_unreadable("consume", &key, handoffs.consume(&token(1), &asker, NOW).await);
    let moved = handoff(1, HandoffScope::Placement(harbor()));
    assert_unreadable("put_handoff", &key, handoffs.put_handoff(&moved).await);
    assert_eq!(family.coordination().await, before);
}

async fn a_consumed_marker_of_the_future_is_refused_and_stays(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let record = handoff(1, on_instance("edge-a"));
    handoffs.put_handoff(&record).await.unwrap();
    let asker = claimant(1, "edge-a");
    handoffs.consume(&token(1), &asker, NOW).await.unwrap();
    // A record that came back must not pass by a marker that nobody can read.
    handoffs.put_handoff(&record).await.unwrap();
    let key = keys::handoff_consumed(&token(1));
    family.write_from_the_future(&key).await;
    let before = family.coordination().await;

    for asker in [asker, claimant(2, "edge-a")] {
        assert_unreadable("preflight", &key, handoffs.preflight(&token(1), &asker, NOW).await);
        assert_unreadable("consume", &key, handoffs.consume(&token(1), &asker, NOW).await);
    }
    assert_eq!(family.coordination().await, before);
}

async fn presence_of_the_future_is_refused_and_stays(family: impl Family) {
    let store = &family.stores().presence;
    for key in [keys::presence_character(character_id(1)), keys::presence_account(account_id(1))] {
        let end = presence(1, 1, "a", 1).expires_at;
        family.stores().garbage.prune_coordination(end).await.unwrap();
        store.put_presence(&presence(1, 1, "a", 1), NOW).await.unwrap();
        family.write_from_the_future(&key).await;
        let before = family.coordination().await;

        let put = store.put_presence(&presence(1, 1, "b", 2), NOW).await;
        assert_unreadable("put_presence", &key, put);
        let removal = store
            .remove_presence(account_id(1), character_id(1), &session("a"), SessionEpoch(1))
            .await;
        assert_unreadable("remove_presence", &key, removal);
        if key == keys::presence_account(account_id(1)) {
            let read = store.presence_of_account(account_id(1), NOW).await;
            assert_unreadable("presence_of_account", &key, read);
        } else {
            let read = store.presence_of_character(character_id(1), NOW).await;
            assert_unreadable("presence_of_character", &key, read);
        }
        assert_eq!(family.coordination().await, before, "{key}");
    }
}

async fn a_ledger_record_of_the_future_is_refused_and_stays(family: impl Family) {
    let store = &family.stores().ledger;
    store.put_ledger(&ledger("a", 1), NOW).await.unwrap();
    let key = keys::resume_ledger(&session("a"));
    family.write_from_the_future(&key).await;
    let before = family.coordination().await;

    assert_unreadable("put_ledger", &key, store.put_ledger(&ledger("a", 2), NOW).await);
    assert_unreadable("ledger", &key, store.ledger(&session("a"), NOW).await);
    let removal = store.remove_ledger(&session("a"), SessionEpoch(1)).await;
    assert_unreadable("remove_ledger", &key, removal);
    assert_eq!(family.coordination().await, before);
}

async fn an_instance_of_the_future_is_neither_overwritten_nor_removed(family: impl Family) {
    let registry = &family.stores().registry;
    registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    let id = "edge-a".parse().unwrap();
    let key = keys::instance(&id);
    family.write_from_the_future(&key).await;
    let before = family.coordination().await;

    let put = registry.put_instance(&instance("edge-a", 9)).await;
    assert_unreadable("put_instance", &key, put);
    assert_unreadable("remove_instance", &key, registry.remove_instance(&id, 1).await);
    assert_eq!(family.coordination().await, before);
}

async fn a_promise_of_the_future_is_counted_by_nobody_and_stays(family: impl Family) {
    let holds = &family.stores().holds;
    assert!(holds.hold(&hold(1, 1, "edge-a"), Some(1), NOW).await.unwrap());
    let key = keys::hold(&token(1));
    family.write_from_the_future(&key).await;
    let before = family.coordination().await[&key].clone();

    assert!(holds.hold(&hold(2, 2, "edge-a"), Some(1), NOW).await.unwrap());
    holds.give_up(account_id(1)).await.unwrap();
    assert_eq!(family.coordination().await[&key], before);
}

async fn a_redirect_that_meets_a_promise_of_the_future_moves_nothing(family: impl Family) {
    let stores = family.stores();
    stores.handoffs.put_handoff(&handoff(1, on_instance("edge-a"))).await.unwrap();
    stores.holds.hold(&hold(1, 1, "edge-a"), Some(1), NOW).await.unwrap();
    let key = keys::hold(&token(1));
    family.write_from_the_future(&key).await;
    let before = family.coordination().await;

    let asker = claimant(1, "edge-a");
    let to = GameEndpoint {
        instance_id: "edge-b".parse().unwrap(),
        http_url: "http://edge-b".to_owned(),
    };
    let answer = stores.handoffs.redirect(&token(1), &asker, &to, NOW).await;
    assert_unreadable("redirect", &key, answer);
    assert_eq!(family.coordination().await, before);
    // It is used up all the same by whoever consumes the handoff that it was made for.
    stores.handoffs.consume(&token(1), &asker, NOW).await.unwrap();
    assert!(!family.coordination().await.contains_key(&key));
}

async fn a_redirect_of_the_future_is_refused_and_stays(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    handoffs.put_handoff(&handoff(1, on_instance("edge-a"))).await.unwrap();
    let asker = claimant(1, "edge-a");
    let to = GameEndpoint {
        instance_id: "edge-b".parse().unwrap(),
        http_url: "http://edge-b".to_owned(),
    };
    handoffs.redirect(&token(1), &asker, &to, NOW).await.unwrap();
    let key = keys::handoff_redirect(&token(1));
    family.write_from_the_future(&key).await;
    let before = family.coordination().await;

    assert_unreadable("preflight", &key, handoffs.preflight(&token(1), &asker, NOW).await);
    assert_unreadable("consume", &key, handoffs.consume(&token(1), &asker, NOW).await);
    assert_unreadable("redirect", &key, handoffs.redirect(&token(1), &asker, &to, NOW).await);
    assert_eq!(family.coordination().await, before);
}

/// Expiry needs no understanding of the payload: garbage goes, whoever wrote it, and what
/// it stood for is over.
async fn what_has_expired_is_gone_whatever_its_version(family: impl Family) {
    let stores = family.stores();
    let record = presence(1, 1, "a", 7);
    stores.presence.put_presence(&record, NOW).await.unwrap();
    let key = keys::presence_character(character_id(1));
    family.write_from_the_future(&key).await;
    let end = record.expires_at;
    let found = stores.presence.presence_of_character(character_id(1), end).await.unwrap();
    assert_eq!(found, None);

    let prepared = handoff(1, on_instance("edge-a"));
    stores.handoffs.put_handoff(&prepared).await.unwrap();
    family.write_from_the_future(&keys::handoff(&prepared.scope, &prepared.token)).await;
    let after = end.plus(CONSUMED_MARKER_LIFE);
    assert_eq!(stores.garbage.prune_coordination(after).await.unwrap(), 3);
    assert!(family.coordination().await.is_empty());
}

over_every_family!(
    a_prepared_handoff_of_the_future_is_refused_and_stays,
    a_consumed_marker_of_the_future_is_refused_and_stays,
    presence_of_the_future_is_refused_and_stays,
    a_ledger_record_of_the_future_is_refused_and_stays,
    an_instance_of_the_future_is_neither_overwritten_nor_removed,
    a_promise_of_the_future_is_counted_by_nobody_and_stays,
    a_redirect_that_meets_a_promise_of_the_future_moves_nothing,
    a_redirect_of_the_future_is_refused_and_stays,
    what_has_expired_is_gone_whatever_its_version,
);
