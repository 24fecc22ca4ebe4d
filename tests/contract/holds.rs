//! Promises of seats: never more than there is room, one to an account, each with an end
//! (case 3).

use shared::coordination::AssignHold;

use super::family::{Family, race};
use super::samples::{NOW, hold};

async fn a_burst_is_promised_no_more_seats_than_there_are(family: impl Family) {
    let promised = race(100, |number| {
        let holds = family.stores().holds.clone();
        let hold = hold(number as u128, number as u128, "edge-a");
        async move { holds.hold(&hold, Some(10), NOW).await.unwrap() }
    })
    .await;
    assert_eq!(promised.iter().filter(|promised| **promised).count(), 10);
}

async fn an_account_has_one_promise_wherever_it_asks(family: impl Family) {
    let holds = &family.stores().holds;
    for number in 0..20 {
        assert!(holds.hold(&hold(number, 1, "edge-a"), Some(1), NOW).await.unwrap());
    }
    assert!(holds.hold(&hold(20, 1, "edge-b"), Some(1), NOW).await.unwrap());
    assert!(holds.hold(&hold(21, 2, "edge-a"), Some(1), NOW).await.unwrap(), "it moved away");
    assert_eq!(family.coordination().await.len(), 2);
}

async fn a_promise_that_is_refused_gives_nothing_up(family: impl Family) {
    let holds = &family.stores().holds;
    assert!(holds.hold(&hold(1, 1, "edge-a"), Some(1), NOW).await.unwrap());
    assert!(holds.hold(&hold(2, 2, "edge-b"), Some(1), NOW).await.unwrap());
    let before = family.coordination().await;
    assert!(!holds.hold(&hold(3, 2, "edge-a"), Some(1), NOW).await.unwrap());
    assert_eq!(family.coordination().await, before);
}

async fn promises_of_other_places_take_no_room(family: impl Family) {
    let holds = &family.stores().holds;
    let elsewhere =
        AssignHold { placement: "dusk/harbor".parse().unwrap(), ..hold(1, 1, "edge-a") };
    assert!(holds.hold(&elsewhere, Some(1), NOW).await.unwrap());
    assert!(holds.hold(&hold(2, 2, "edge-b"), Some(1), NOW).await.unwrap());
    assert!(holds.hold(&hold(3, 3, "edge-a"), Some(1), NOW).await.unwrap());
    assert!(!holds.hold(&hold(4, 4, "edge-a"), Some(1), NOW).await.unwrap());
}

async fn a_seat_that_is_held_already_needs_no_room(family: impl Family) {
    let holds = &family.stores().holds;
    assert!(holds.hold(&hold(1, 1, "edge-a"), Some(1), NOW).await.unwrap());
    assert!(holds.hold(&hold(2, 2, "edge-a"), None, NOW).await.unwrap());
}

async fn a_promise_ends_at_its_own_moment(family: impl Family) {
    let holds = &family.stores().holds;
    let first = hold(1, 1, "edge-a");
    assert!(holds.hold(&first, Some(1), NOW).await.unwrap());
    let last = super::samples::just_before(first.expires_at);
    assert!(!holds.hold(&hold(2, 2, "edge-a"), Some(1), last).await.unwrap());
    assert!(holds.hold(&hold(2, 2, "edge-a"), Some(1), first.expires_at).await.unwrap());
}

async fn what_is_given_up_is_room_for_others(family: impl Family) {
    let holds = &family.stores().holds;
    assert!(holds.hold(&hold(1, 1, "edge-a"), Some(2), NOW).await.unwrap());
    assert!(holds.hold(&hold(2, 2, "edge-a"), Some(2), NOW).await.unwrap());
    holds.give_up(super::samples::account_id(1)).await.unwrap();
    holds.give_up(super::samples::account_id(7)).await.unwrap();
    assert!(holds.hold(&hold(3, 3, "edge-a"), Some(2), NOW).await.unwrap());
    assert!(!holds.hold(&hold(4, 4, "edge-a"), Some(2), NOW).await.unwrap(), "2 keeps its own");
}

over_every_family!(
    a_burst_is_promised_no_more_seats_than_there_are,
    an_account_has_one_promise_wherever_it_asks,
    what_is_given_up_is_room_for_others,
    a_promise_that_is_refused_gives_nothing_up,
    promises_of_other_places_take_no_room,
    a_seat_that_is_held_already_needs_no_room,
    a_promise_ends_at_its_own_moment,
);
