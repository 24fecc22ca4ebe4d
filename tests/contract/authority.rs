//! Promises of the character store about who holds a character (one
//! arbiter). The rule itself is tested in `domain::authority`; here, that it is applied
//! in one atomic step.

use edge_server::domain::authority::{Character, EpochRaise, EpochRaised, Place, RaiseGround};
use edge_server::stores::SaveOutcome;
use shared::ids::{AccountEntry, SessionEpoch};
use shared::world::Tile;

use super::family::{Family, Stores, race};
use super::samples::{
    LOGIN_SECONDS, NOW, PHC, character_id, given_account, given_character, just_before, later,
    login, new_character, raise, raise_on, raised_by, save,
};

/// Character 1 as it is stored.
async fn stored(stores: &Stores) -> Character {
    stores.characters.character(character_id(1)).await.unwrap().unwrap()
}

async fn a_raise_names_who_asked_and_returns_the_row_as_it_stands(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let before = stored(stores).await;
    let by = raised_by(1, 1, "a");
    let raised = stores.characters.raise_epoch(&raise(0, by.clone()), NOW).await.unwrap();
    let (epoch, entry) = (SessionEpoch(1), AccountEntry(1));
    let expected = Character { epoch, entry, raised_by: Some(by), ..before };
    assert_eq!(raised, EpochRaised::Raised(expected.clone()));
    assert_eq!(stored(stores).await, expected);
}

async fn a_raise_that_expects_another_epoch_changes_nothing(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    stores.characters.raise_epoch(&raise(0, raised_by(1, 1, "a")), NOW).await.unwrap();
    let before = stored(stores).await;
    for expected in [0, 2, 3, u64::MAX] {
        let raise = raise(expected, raised_by(2, 9, "b"));
        let raised = stores.characters.raise_epoch(&raise, NOW).await.unwrap();
        assert_eq!(raised, EpochRaised::Superseded, "expected {expected}");
    }
    assert_eq!(stored(stores).await, before);
}

async fn nobody_raises_a_character_that_never_was(family: impl Family) {
    let stores = family.stores();
    let account = given_account(stores, 1).await;
    stores.logins.create_login(&login(), account, PHC, later(60)).await.unwrap();
    let raise = raise(0, raised_by(1, 1, "a"));
    let raised = family.stores().characters.raise_epoch(&raise, NOW).await.unwrap();
    assert_eq!(raised, EpochRaised::Gone);
}

async fn of_a_hundred_raisers_at_once_one_gets_the_character(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let raises = race(100, |number| {
        let characters = family.stores().characters.clone();
        let raise = raise(0, raised_by(number as u128, 1, &number.to_string()));
        async move { characters.raise_epoch(&raise, NOW).await.unwrap() }
    })
    .await;
    let winners: Vec<_> = (0..100).filter(|&n| raises[n] != EpochRaised::Superseded).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    let row = stored(stores).await;
    assert_eq!(row.epoch, SessionEpoch(1));
    assert_eq!(raises[winners[0]], EpochRaised::Raised(row));
}

/// No two sessions ever share an epoch: everybody tries again with what they then read.
async fn raisers_who_insist_all_get_epochs_of_their_own(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let mut epochs = race(12, |number| {
        let stores = family.stores().clone();
        async move {
            loop {
                let expected = stored(&stores).await.epoch;
                let raise = raise(expected.0, raised_by(number as u128, 1, &number.to_string()));
                match stores.characters.raise_epoch(&raise, NOW).await.unwrap() {
                    EpochRaised::Raised(row) => return row.epoch.0,
                    EpochRaised::Superseded => {}
                    EpochRaised::Gone | EpochRaised::LoginEnded => panic!("nobody ends here"),
                }
            }
        }
    })
    .await;
    epochs.sort_unstable();
    assert_eq!(epochs, (1..=12).collect::<Vec<_>>());
}

async fn a_higher_try_of_the_attempt_raises_again_and_a_lower_one_loses(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let characters = &stores.characters;
    for (r#try, name, epoch) in [(1, "a", Some(1)), (3, "c", Some(2)), (2, "b", None)] {
        // All of them expect what the handoff was made for.
        let raise = raise(0, raised_by(1, r#try, name));
        let raised = characters.raise_epoch(&raise, NOW).await.unwrap();
        let got = match raised {
            EpochRaised::Raised(row) => Some(row.epoch.0),
            _ => None,
        };
        assert_eq!(got, epoch, "try {try}");
    }
    let rival = raise(2, raised_by(1, 3, "d"));
    assert_eq!(
        characters.raise_epoch(&rival, NOW).await.unwrap(),
        EpochRaised::Superseded,
        "one try makes one session"
    );
    let row = stored(stores).await;
    assert_eq!((row.epoch, row.raised_by), (SessionEpoch(2), Some(raised_by(1, 3, "c"))));
}

async fn an_attempt_whose_session_was_claimed_raises_no_more(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let characters = &stores.characters;
    let first = raise(0, raised_by(1, 1, "a"));
    characters.raise_epoch(&first, NOW).await.unwrap();
    let (id, epoch) = (character_id(1), SessionEpoch(1));
    assert_eq!(characters.mark_claimed(id, SessionEpoch(0)).await.unwrap(), SaveOutcome::Stale);
    assert_eq!(characters.mark_claimed(id, epoch).await.unwrap(), SaveOutcome::Saved);
    let retry = raise(0, raised_by(1, 2, "b"));
    assert_eq!(characters.raise_epoch(&retry, NOW).await.unwrap(), EpochRaised::Superseded);
    assert_eq!(stored(stores).await.epoch, epoch, "a token makes one session");
    let anew = raise(1, raised_by(2, 1, "c"));
    let raised = characters.raise_epoch(&anew, NOW).await.unwrap();
    assert!(matches!(raised, EpochRaised::Raised(_)), "{raised:?}");
    assert!(!stored(stores).await.claimed, "the new session is not claimed yet");
}

async fn the_session_of_the_row_gets_its_lost_answer_again(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let ask = raise(0, raised_by(1, 1, "a"));
    let first = stores.characters.raise_epoch(&ask, NOW).await.unwrap();
    let again = stores.characters.raise_epoch(&ask, NOW).await.unwrap();
    assert!(matches!(first, EpochRaised::Raised(_)));
    assert_eq!(again, first);
    assert_eq!(stored(stores).await.epoch, SessionEpoch(1), "asking again raises nothing");
}

/// Case 21: A saves, B raises, and B starts from what A saved.
async fn a_session_starts_from_what_was_saved_before_its_raise(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let characters = &stores.characters;
    characters.raise_epoch(&raise(0, raised_by(1, 1, "a")), NOW).await.unwrap();
    let saves = [save(1, "meadow", 40, 41)];
    assert_eq!(characters.save_locations(&saves).await.unwrap(), [SaveOutcome::Saved]);
    // Made for the harbor, which the character has left since (case 6).
    let stale = raise(1, raised_by(2, 1, "b"));
    assert_eq!(characters.raise_epoch(&stale, NOW).await.unwrap(), EpochRaised::Superseded);
    let zone = "meadow".parse().unwrap();
    let ground = RaiseGround::Admission { login: login(), zone, place: None };
    let current = raise_on(ground, 1, raised_by(3, 1, "c"));
    let raised = characters.raise_epoch(&current, NOW).await.unwrap();
    let EpochRaised::Raised(row) = raised else { panic!("{raised:?}") };
    assert_eq!((row.zone.as_str(), row.tile), ("meadow", Tile { x: 40, y: 41 }));
}

/// Case 21, the other half: A, raised over, writes nothing any more.
async fn a_session_that_was_raised_over_saves_nothing(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let characters = &stores.characters;
    characters.raise_epoch(&raise(0, raised_by(1, 1, "a")), NOW).await.unwrap();
    characters.raise_epoch(&raise(1, raised_by(2, 1, "b")), NOW).await.unwrap();
    let before = stored(stores).await;
    for stale in [0, 1, 3, u64::MAX] {
        let saves = [save(stale, "crypt", 1, 1)];
        assert_eq!(characters.save_locations(&saves).await.unwrap(), [SaveOutcome::Stale]);
    }
    assert_eq!(stored(stores).await, before);
    let saves = [save(2, "ruins", 2, 2)];
    assert_eq!(characters.save_locations(&saves).await.unwrap(), [SaveOutcome::Saved]);
}

/// Case 21 under load: a holder saves without pause while another raises. Whatever was
/// acknowledged to the holder is in what the raiser starts from, and stays there.
async fn nothing_acknowledged_is_lost_to_a_raise_in_the_middle_of_saves(family: impl Family) {
    for round in 0..10_u64 {
        let stores = family.stores();
        if round == 0 {
            given_character(stores).await;
            stores.characters.raise_epoch(&raise(0, raised_by(0, 1, "0")), NOW).await.unwrap();
        }
        let epoch = round + 1;
        let start = stored(stores).await.tile.x;
        let results = race(2, |number| {
            let characters = family.stores().characters.clone();
            async move {
                let mut reached = start;
                if number == 1 {
                    tokio::task::yield_now().await;
                    let by = raised_by(u128::from(epoch), 1, &epoch.to_string());
                    match characters.raise_epoch(&raise(epoch, by), NOW).await.unwrap() {
                        EpochRaised::Raised(row) => return row.tile.x,
                        other => panic!("{other:?}"),
                    }
                }
                loop {
                    let saves = [save(epoch, "harbor", reached + 1, 1)];
                    match characters.save_locations(&saves).await.unwrap()[..] {
                        [SaveOutcome::Saved] => reached += 1,
                        _ => return reached,
                    }
                }
            }
        })
        .await;
        assert_eq!(results[0], results[1], "round {round}: last acknowledged, and started from");
        assert_eq!(stored(stores).await.tile.x, results[1]);
    }
}

/// Of two sessions of an account, wherever they were admitted, one is played.
async fn a_session_that_another_character_entered_after_cannot_be_claimed(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let other = new_character(2, 1, "Orin");
    stores.characters.create_character(&other, NOW).await.unwrap();
    let first = raise(0, raised_by(1, 1, "a"));
    stores.characters.raise_epoch(&first, NOW).await.unwrap();
    let second = EpochRaise { character_id: other.id, ..raise(0, raised_by(2, 1, "b")) };
    stores.characters.raise_epoch(&second, NOW).await.unwrap();
    let epoch = SessionEpoch(1);
    let claim = async |id| stores.characters.mark_claimed(id, epoch).await.unwrap();
    assert_eq!(claim(character_id(1)).await, SaveOutcome::Stale);
    assert_eq!(claim(other.id).await, SaveOutcome::Saved);
    // Whoever makes way saves what it has first.
    let saved = stores.characters.save_locations(&[save(1, "harbor", 3, 3)]).await.unwrap();
    assert_eq!(saved, [SaveOutcome::Saved]);
}

/// The characters of an account share one count, so that the later entry is known whatever
/// their epochs are.
async fn every_raise_is_the_next_entry_of_its_account(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let other = new_character(2, 1, "Orin");
    stores.characters.create_character(&other, NOW).await.unwrap();
    let mut entries = race(20, |number| {
        let characters = stores.characters.clone();
        let character_id = character_id(1 + number as u128 % 2);
        async move {
            loop {
                let expected = characters.character(character_id).await.unwrap().unwrap().epoch;
                let by = raised_by(number as u128, 1, &number.to_string());
                let raise = EpochRaise { character_id, ..raise(expected.0, by) };
                match characters.raise_epoch(&raise, NOW).await.unwrap() {
                    EpochRaised::Raised(row) => return row.entry.0,
                    EpochRaised::Superseded => {}
                    other => panic!("{other:?}"),
                }
            }
        }
    })
    .await;
    entries.sort_unstable();
    assert_eq!(entries, (1..=20).collect::<Vec<_>>());
}

async fn a_login_that_has_ended_or_expired_raises_nothing(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let before = stored(stores).await;
    let ask = raise(0, raised_by(1, 1, "a"));
    let end = later(LOGIN_SECONDS);
    let expired = stores.characters.raise_epoch(&ask, end).await.unwrap();
    assert_eq!(expired, EpochRaised::LoginEnded);
    stores.logins.delete_login(&login()).await.unwrap();
    let logged_out = stores.characters.raise_epoch(&ask, NOW).await.unwrap();
    assert_eq!(logged_out, EpochRaised::LoginEnded);
    assert_eq!(stored(stores).await, before);
}

async fn a_login_raises_until_its_last_moment(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let ask = raise(0, raised_by(1, 1, "a"));
    let last = just_before(later(LOGIN_SECONDS));
    let raised = stores.characters.raise_epoch(&ask, last).await.unwrap();
    assert!(matches!(raised, EpochRaised::Raised(_)), "{raised:?}");
}

/// Either the raise comes first, or it finds the login gone: never a raise after the logout.
async fn a_raise_and_a_logout_at_once_have_an_order(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let results = race(20, |number| {
        let stores = family.stores().clone();
        async move {
            if number == 10 {
                stores.logins.delete_login(&login()).await.unwrap();
                let ask = raise(0, raised_by(99, 1, "late"));
                return Some(stores.characters.raise_epoch(&ask, NOW).await.unwrap());
            }
            let ask = raise(0, raised_by(number as u128, 1, &number.to_string()));
            stores.characters.raise_epoch(&ask, NOW).await.unwrap();
            None
        }
    })
    .await;
    assert_eq!(results[10], Some(EpochRaised::LoginEnded));
}

async fn a_transfer_writes_its_place_with_the_raise_and_needs_no_login(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    stores.logins.delete_login(&login()).await.unwrap();
    let place = Place { zone: "meadow".parse().unwrap(), tile: Tile { x: 30, y: 31 } };
    let ground = RaiseGround::Transfer { place: place.clone() };
    let ask = raise_on(ground.clone(), 0, raised_by(1, 1, "a"));
    let raised = stores.characters.raise_epoch(&ask, NOW).await.unwrap();
    let row = stored(stores).await;
    assert_eq!(raised, EpochRaised::Raised(row.clone()));
    assert_eq!((row.zone, row.tile, row.epoch), (place.zone, place.tile, SessionEpoch(1)));

    let stale = RaiseGround::Transfer {
        place: Place { zone: "ruins".parse().unwrap(), tile: Tile { x: 1, y: 1 } },
    };
    let ask = raise_on(stale, 0, raised_by(2, 1, "b"));
    assert_eq!(stores.characters.raise_epoch(&ask, NOW).await.unwrap(), EpochRaised::Superseded);
    assert_eq!(stored(stores).await.tile, Tile { x: 30, y: 31 });
}

async fn a_recovery_raises_an_unclaimed_session_once_and_keeps_its_name(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let by = raised_by(1, 1, "a");
    stores.characters.raise_epoch(&raise(0, by.clone()), NOW).await.unwrap();
    let recovery = raise_on(RaiseGround::Recovery { claimed: false }, 1, by.clone());
    let raised = stores.characters.raise_epoch(&recovery, NOW).await.unwrap();
    let EpochRaised::Raised(row) = raised else { panic!("{raised:?}") };
    assert_eq!((row.epoch, row.raised_by), (SessionEpoch(2), Some(by)));
    let again = stores.characters.raise_epoch(&recovery, NOW).await.unwrap();
    assert_eq!(again, EpochRaised::Superseded, "one process brings it back");
    let old = stores.characters.save_locations(&[save(1, "harbor", 1, 1)]).await.unwrap();
    assert_eq!(old, [SaveOutcome::Stale], "the process before it is fenced");
}

async fn a_recovery_of_a_claimed_session_leaves_its_attempt_over(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    let by = raised_by(1, 1, "a");
    stores.characters.raise_epoch(&raise(0, by.clone()), NOW).await.unwrap();
    let claimed = stores.characters.mark_claimed(id, SessionEpoch(1)).await.unwrap();
    assert_eq!(claimed, SaveOutcome::Saved);
    let recovery = raise_on(RaiseGround::Recovery { claimed: true }, 1, by.clone());
    let raised = stores.characters.raise_epoch(&recovery, NOW).await.unwrap();
    let EpochRaised::Raised(row) = raised else { panic!("{raised:?}") };
    assert_eq!((row.epoch, row.claimed), (SessionEpoch(2), true));
    let again = stores.characters.raise_epoch(&raise(0, raised_by(1, 2, "b")), NOW).await.unwrap();
    assert_eq!(again, EpochRaised::Superseded, "no further try of its attempt");
    let next = stores.characters.raise_epoch(&raise(2, raised_by(2, 1, "c")), NOW).await.unwrap();
    let EpochRaised::Raised(row) = next else { panic!("{next:?}") };
    assert!(!row.claimed, "a new entry is still to be claimed");
}

async fn a_recovery_makes_no_way_over_a_character_that_entered_since(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    let other = new_character(2, 1, "Orin");
    stores.characters.create_character(&other, NOW).await.unwrap();
    let by = raised_by(1, 1, "a");
    stores.characters.raise_epoch(&raise(0, by.clone()), NOW).await.unwrap();
    let entered = EpochRaise { character_id: other.id, ..raise(0, raised_by(2, 1, "b")) };
    let entered = stores.characters.raise_epoch(&entered, NOW).await.unwrap();
    assert!(matches!(entered, EpochRaised::Raised(_)), "{entered:?}");
    let before = stored(stores).await;
    for claimed in [true, false] {
        let recovery = raise_on(RaiseGround::Recovery { claimed }, 1, by.clone());
        let refused = stores.characters.raise_epoch(&recovery, NOW).await.unwrap();
        assert_eq!(refused, EpochRaised::Superseded);
    }
    assert_eq!(stored(stores).await, before);
}

over_every_family!(
    a_raise_names_who_asked_and_returns_the_row_as_it_stands,
    a_raise_that_expects_another_epoch_changes_nothing,
    nobody_raises_a_character_that_never_was,
    of_a_hundred_raisers_at_once_one_gets_the_character,
    raisers_who_insist_all_get_epochs_of_their_own,
    a_higher_try_of_the_attempt_raises_again_and_a_lower_one_loses,
    an_attempt_whose_session_was_claimed_raises_no_more,
    the_session_of_the_row_gets_its_lost_answer_again,
    a_session_starts_from_what_was_saved_before_its_raise,
    a_session_that_was_raised_over_saves_nothing,
    nothing_acknowledged_is_lost_to_a_raise_in_the_middle_of_saves,
    a_login_that_has_ended_or_expired_raises_nothing,
    a_login_raises_until_its_last_moment,
    a_raise_and_a_logout_at_once_have_an_order,
    a_transfer_writes_its_place_with_the_raise_and_needs_no_login,
    a_recovery_raises_an_unclaimed_session_once_and_keeps_its_name,
    a_recovery_of_a_claimed_session_leaves_its_attempt_over,
    a_recovery_makes_no_way_over_a_character_that_entered_since,
    every_raise_is_the_next_entry_of_its_account,
    a_session_that_another_character_entered_after_cannot_be_claimed,
);
