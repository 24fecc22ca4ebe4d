//! Promises of a redirect: the record and the promise of a seat move in one step, the token
//! is not burnt, and an answer that was lost is given again.

use edge_server::stores::keys;
use shared::account::GameEndpoint;
use shared::coordination::{AssignHold, HandoffCacheRecord, HandoffLookup, Redirection};
use shared::ids::SessionEpoch;

use super::family::{Family, race};
use super::samples::{NOW, claimant, handoff, hold, on_instance, session, token};

fn endpoint(id: &str) -> GameEndpoint {
    GameEndpoint { instance_id: id.parse().unwrap(), http_url: format!("http://{id}") }
}

fn moved(id: &str) -> Redirection {
    Redirection::Moved { to: endpoint(id) }
}

/// The record of [`handoff`] as it stands at `edge-b` after a redirect.
fn at_edge_b() -> HandoffCacheRecord {
    HandoffCacheRecord {
        scope: on_instance("edge-b"),
        target_instance: "edge-b".parse().unwrap(),
        redirected_from: vec!["edge-a".parse().unwrap()],
        ..handoff(1, on_instance("edge-a"))
    }
}

async fn a_redirect_moves_record_and_promise_and_keeps_their_end(family: impl Family) {
    let stores = family.stores();
    stores.handoffs.put_handoff(&handoff(1, on_instance("edge-a"))).await.unwrap();
    stores.holds.hold(&hold(1, 1, "edge-a"), Some(1), NOW).await.unwrap();
    let (at_a, at_b) = (claimant(1, "edge-a"), claimant(1, "edge-b"));
    let answer = stores.handoffs.redirect(&token(1), &at_a, &endpoint("edge-b"), NOW).await;
    assert_eq!(answer.unwrap(), moved("edge-b"));

    let found = HandoffLookup::Found { record: Box::new(at_edge_b()) };
    assert_eq!(stores.handoffs.preflight(&token(1), &at_b, NOW).await.unwrap(), found);
    let records = family.coordination().await;
    let promise: AssignHold =
        serde_json::from_str(records[&keys::hold(&token(1))].split_once(": ").unwrap().1).unwrap();
    assert_eq!(promise, hold(1, 1, "edge-b"));
    assert_eq!(stores.handoffs.consume(&token(1), &at_b, NOW).await.unwrap(), found);
    let left = family.coordination().await;
    assert!(!left.contains_key(&keys::hold(&token(1))), "a consume uses its promise up");
}

async fn the_old_place_sends_on_whoever_asks_again(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    handoffs.put_handoff(&handoff(1, on_instance("edge-a"))).await.unwrap();
    let at_a = claimant(1, "edge-a");
    handoffs.redirect(&token(1), &at_a, &endpoint("edge-b"), NOW).await.unwrap();
    let before = family.coordination().await;
    let sent_on = HandoffLookup::Redirected { to: endpoint("edge-b") };
    assert_eq!(handoffs.preflight(&token(1), &at_a, NOW).await.unwrap(), sent_on);
    assert_eq!(handoffs.consume(&token(1), &at_a, NOW).await.unwrap(), sent_on);
    // The answer to the redirect was lost, and allocation has another idea by now.
    let again = handoffs.redirect(&token(1), &at_a, &endpoint("edge-c"), NOW).await.unwrap();
    assert_eq!(again, moved("edge-b"));
    assert_eq!(family.coordination().await, before);
}

async fn what_cannot_be_moved_is_told_apart_and_left_alone(family: impl Family) {
    let handoffs = &family.stores().handoffs;
    let to = endpoint("edge-b");
    let at_a = claimant(1, "edge-a");
    let missing = handoffs.redirect(&token(1), &at_a, &to, NOW).await.unwrap();
    assert_eq!(missing, Redirection::Missing);

    let record = handoff(1, on_instance("edge-a"));
    handoffs.put_handoff(&record).await.unwrap();
    let before = family.coordination().await;
    let expired = handoffs.redirect(&token(1), &at_a, &to, record.expires_at).await.unwrap();
    assert_eq!(expired, Redirection::Missing);
    let stranger = claimant(1, "edge-c");
    let foreign = handoffs.redirect(&token(1), &stranger, &to, NOW).await.unwrap();
    assert_eq!(foreign, Redirection::Missing, "only who holds it may send it on");
    assert_eq!(family.coordination().await, before);

    handoffs.consume(&token(1), &at_a, NOW).await.unwrap();
    for (attempt, answer) in [(1, Redirection::ConsumedBySelf), (2, Redirection::AlreadyConsumed)] {
        let asker = claimant(attempt, "edge-a");
        assert_eq!(handoffs.redirect(&token(1), &asker, &to, NOW).await.unwrap(), answer);
    }
}

async fn a_consume_and_a_redirect_at_once_have_one_winner(family: impl Family) {
    family.stores().handoffs.put_handoff(&handoff(1, on_instance("edge-a"))).await.unwrap();
    let won = race(40, |number| {
        let handoffs = family.stores().handoffs.clone();
        let asker = claimant(number as u128, "edge-a");
        async move {
            if number % 2 == 0 {
                let lookup = handoffs.consume(&token(1), &asker, NOW).await.unwrap();
                matches!(lookup, HandoffLookup::Found { .. })
            } else {
                let to = endpoint(&format!("edge-{number}"));
                let answer = handoffs.redirect(&token(1), &asker, &to, NOW).await.unwrap();
                answer == Redirection::Moved { to }
            }
        }
    })
    .await;
    assert_eq!(won.iter().filter(|won| **won).count(), 1);
}

/// Whichever comes first, what was put last is what is found, at the one end or the other.
async fn a_redirect_undoes_no_record_that_is_put_beside_it(family: impl Family) {
    for round in 0..30_u128 {
        let handoffs = family.stores().handoffs.clone();
        let first = handoff(round, on_instance("edge-a"));
        let newer = HandoffCacheRecord { expected_epoch: SessionEpoch(9), ..first.clone() };
        handoffs.put_handoff(&first).await.unwrap();
        race(2, |number| {
            let (handoffs, newer) = (handoffs.clone(), newer.clone());
            async move {
                if number == 0 {
                    let at_a = claimant(1, "edge-a");
                    handoffs
                        .redirect(&token(round), &at_a, &endpoint("edge-b"), NOW)
                        .await
                        .unwrap();
                } else {
                    tokio::task::yield_now().await;
                    handoffs.put_handoff(&newer).await.unwrap();
                }
            }
        })
        .await;
        let mut found = Vec::new();
        for end in ["edge-a", "edge-b"] {
            let lookup = handoffs.preflight(&token(round), &claimant(1, end), NOW).await.unwrap();
            if let HandoffLookup::Found { record } = lookup {
                found.push(record.expected_epoch);
            }
        }
        assert_eq!(found, [newer.expected_epoch], "round {round}");
    }
}

async fn a_redirect_touches_no_other_token(family: impl Family) {
    let stores = family.stores();
    for number in [1, 2] {
        stores.handoffs.put_handoff(&handoff(number, on_instance("edge-a"))).await.unwrap();
        let promise = hold(number, number, "edge-a");
        stores.holds.hold(&promise, Some(2), NOW).await.unwrap();
    }
    let before = family.coordination().await;
    let at_a = claimant(1, "edge-a");
    stores.handoffs.redirect(&token(1), &at_a, &endpoint("edge-b"), NOW).await.unwrap();
    let after = family.coordination().await;
    let of_two = |records: &std::collections::BTreeMap<String, String>| {
        let mut own = records.clone();
        own.retain(|key, _| key.ends_with(token(2).as_str()));
        own
    };
    assert_eq!(of_two(&after), of_two(&before));
    assert_eq!(of_two(&after).len(), 2, "{after:?}");
    // Names of sessions are no business of a redirect.
    let ledger = stores.ledger.ledger(&session("a"), NOW).await.unwrap();
    assert_eq!(ledger, None);
}

over_every_family!(
    a_redirect_moves_record_and_promise_and_keeps_their_end,
    the_old_place_sends_on_whoever_asks_again,
    what_cannot_be_moved_is_told_apart_and_left_alone,
    a_consume_and_a_redirect_at_once_have_one_winner,
    a_redirect_undoes_no_record_that_is_put_beside_it,
    a_redirect_touches_no_other_token,
);
