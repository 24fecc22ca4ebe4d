//! Promises of the presence store: both keys in one step, and stale cleanup never
//! touches a newer session (I12).

use edge_server::stores::{EpochWrite, keys};
use shared::control_plane::HeldSession;
use shared::coordination::PresenceRecord;
use shared::ids::{AccountEntry, SessionEpoch};

use super::family::{Family, race};
use super::samples::{NOW, account_id, character_id, just_before, later, presence, session};

async fn presence_is_found_by_account_and_by_character_until_it_expires(family: impl Family) {
    let store = &family.stores().presence;
    let record = presence(1, 1, "a", 1);
    assert_eq!(store.put_presence(&record, NOW).await.unwrap(), EpochWrite::Written);
    let end = record.expires_at;
    for (now, expected) in [(NOW, Some(&record)), (just_before(end), Some(&record)), (end, None)] {
        let by_character = store.presence_of_character(character_id(1), now).await.unwrap();
        let by_account = store.presence_of_account(account_id(1), now).await.unwrap();
        assert_eq!(by_character.as_ref(), expected);
        assert_eq!(by_account.as_ref(), expected);
    }
    assert_eq!(store.presence_of_character(character_id(2), NOW).await.unwrap(), None);
    assert_eq!(store.presence_of_account(account_id(2), NOW).await.unwrap(), None);
}

async fn a_session_writes_its_presence_again_and_again(family: impl Family) {
    let store = &family.stores().presence;
    store.put_presence(&presence(1, 1, "a", 1), NOW).await.unwrap();
    let mut moved = presence(1, 1, "a", 1);
    moved.placement = "dawn/meadow".parse().unwrap();
    moved.expires_at = later(200);
    assert_eq!(store.put_presence(&moved, NOW).await.unwrap(), EpochWrite::Written);
    let found = store.presence_of_account(account_id(1), later(199)).await.unwrap();
    assert_eq!(found, Some(moved));
}

async fn a_lower_epoch_never_overwrites_a_higher_one(family: impl Family) {
    let store = &family.stores().presence;
    store.put_presence(&presence(1, 1, "b", 2), NOW).await.unwrap();
    let before = family.coordination().await;
    let stale = presence(1, 1, "a", 1);
    assert_eq!(store.put_presence(&stale, NOW).await.unwrap(), EpochWrite::Superseded);
    assert_eq!(family.coordination().await, before);
}

async fn an_expired_record_of_a_higher_epoch_stands_in_nobodys_way(family: impl Family) {
    let store = &family.stores().presence;
    let gone = presence(1, 1, "b", 2);
    store.put_presence(&gone, NOW).await.unwrap();
    let mut late = presence(1, 1, "a", 1);
    late.expires_at = later(300);
    for (now, write) in [
        (just_before(gone.expires_at), EpochWrite::Superseded),
        (gone.expires_at, EpochWrite::Written),
    ] {
        assert_eq!(store.put_presence(&late, now).await.unwrap(), write, "at {now:?}");
    }
}

async fn of_many_writers_at_once_the_highest_epoch_stands_under_both_keys(family: impl Family) {
    race(40, |number| {
        let store = family.stores().presence.clone();
        // 7 is prime to 40: every epoch once, in no order.
        let epoch = (number as u64 * 7) % 40;
        let record = presence(1, 1, &epoch.to_string(), epoch);
        async move { store.put_presence(&record, NOW).await.unwrap() }
    })
    .await;
    let store = &family.stores().presence;
    let expected = Some(presence(1, 1, "39", 39));
    assert_eq!(store.presence_of_character(character_id(1), NOW).await.unwrap(), expected);
    assert_eq!(store.presence_of_account(account_id(1), NOW).await.unwrap(), expected);
}

async fn a_session_removes_its_own_presence_under_both_keys_once(family: impl Family) {
    let store = &family.stores().presence;
    store.put_presence(&presence(1, 1, "a", 1), NOW).await.unwrap();
    store.put_presence(&presence(2, 2, "b", 1), NOW).await.unwrap();
    for removed in [true, false] {
        let answer = store
            .remove_presence(account_id(1), character_id(1), &session("a"), SessionEpoch(1))
            .await
            .unwrap();
        assert_eq!(answer, removed);
    }
    assert_eq!(store.presence_of_character(character_id(1), NOW).await.unwrap(), None);
    assert_eq!(store.presence_of_account(account_id(1), NOW).await.unwrap(), None);
    assert!(store.presence_of_account(account_id(2), NOW).await.unwrap().is_some());
}

/// Case 30: the cleanup of connection 1 runs after connection 2 took over.
async fn cleanup_of_another_session_or_epoch_removes_nothing(family: impl Family) {
    let store = &family.stores().presence;
    store.put_presence(&presence(1, 1, "b", 2), NOW).await.unwrap();
    let before = family.coordination().await;
    for (name, epoch) in [("a", 1), ("a", 2), ("b", 1), ("b", 3)] {
        let removed = store
            .remove_presence(account_id(1), character_id(1), &session(name), SessionEpoch(epoch))
            .await
            .unwrap();
        assert!(!removed, "session {name}, epoch {epoch}");
    }
    assert_eq!(family.coordination().await, before);
}

/// One account has at most one character in the world: entering with another takes the
/// account's key over, and the first one's cleanup leaves it alone.
async fn the_account_key_follows_the_character_that_entered_last(family: impl Family) {
    let store = &family.stores().presence;
    let first = PresenceRecord { entry: AccountEntry(4), ..presence(1, 1, "a", 9) };
    let second = PresenceRecord { entry: AccountEntry(5), ..presence(1, 2, "b", 1) };
    store.put_presence(&first, NOW).await.unwrap();
    assert_eq!(
        store.put_presence(&second, NOW).await.unwrap(),
        EpochWrite::Written,
        "epochs of two characters do not compare"
    );
    let of_account = store.presence_of_account(account_id(1), NOW).await.unwrap();
    assert_eq!(of_account.as_ref(), Some(&second));
    let of_first = store.presence_of_character(character_id(1), NOW).await.unwrap();
    assert_eq!(of_first.as_ref(), Some(&first));

    let removed = store
        .remove_presence(account_id(1), character_id(1), &session("a"), SessionEpoch(9))
        .await
        .unwrap();
    assert!(removed);
    assert_eq!(store.presence_of_character(character_id(1), NOW).await.unwrap(), None);
    let of_account = store.presence_of_account(account_id(1), NOW).await.unwrap();
    assert_eq!(of_account.as_ref(), Some(&second));
}

/// The entry that lost writes late: it takes neither key, and its undo finds nothing of its
/// own to remove.
async fn an_earlier_entry_of_the_account_never_overwrites_a_later_one(family: impl Family) {
    let store = &family.stores().presence;
    let late = PresenceRecord { entry: AccountEntry(4), ..presence(1, 1, "a", 9) };
    let standing = PresenceRecord { entry: AccountEntry(5), ..presence(1, 2, "b", 1) };
    store.put_presence(&standing, NOW).await.unwrap();
    let before = family.coordination().await;
    assert_eq!(store.put_presence(&late, NOW).await.unwrap(), EpochWrite::Superseded);
    let removed =
        store.remove_presence(account_id(1), character_id(1), &session("a"), SessionEpoch(9)).await;
    assert!(!removed.unwrap());
    assert_eq!(family.coordination().await, before);
    let end = standing.expires_at;
    assert_eq!(store.put_presence(&late, end).await.unwrap(), EpochWrite::Written, "it has ended");
}

/// The session of a presence as its game server holds it.
fn held(record: &PresenceRecord) -> HeldSession {
    HeldSession {
        account_id: record.account_id,
        character_id: record.character_id,
        session_token: record.session_token.clone(),
        epoch: record.epoch,
        entry: record.entry,
    }
}

async fn sessions_are_outranked_by_their_character_s_epoch_and_their_account_s_entry(
    family: impl Family,
) {
    let store = &family.stores().presence;
    let taken_over = presence(1, 1, "a", 1);
    let made_way = PresenceRecord { entry: AccountEntry(4), ..presence(2, 2, "b", 9) };
    let (alone, unwritten) = (presence(3, 4, "c", 1), presence(4, 5, "d", 1));
    for record in [&taken_over, &made_way, &alone] {
        store.put_presence(record, NOW).await.unwrap();
    }
    let all = [&taken_over, &made_way, &alone, &unwritten].map(held);
    let outranked = async |sessions: &[HeldSession], now| {
        store.held_presence(sessions, 1, now).await.unwrap().outranked
    };
    assert_eq!(outranked(&all, NOW).await, []);
    assert_eq!(outranked(&[], NOW).await, []);

    store.put_presence(&presence(1, 1, "e", 2), NOW).await.unwrap();
    let other = PresenceRecord { entry: AccountEntry(5), ..presence(2, 3, "f", 1) };
    store.put_presence(&other, NOW).await.unwrap();
    assert_eq!(outranked(&all, NOW).await, [session("a"), session("b")]);
    let end = other.expires_at;
    assert_eq!(outranked(&all, end).await, [], "what has ended outranks nobody");

    // More than one look takes, and a record of the future among them.
    store.put_presence(&presence(9, 9, "g", 1), NOW).await.unwrap();
    family.write_from_the_future(&keys::presence_character(character_id(9))).await;
    let mut many: Vec<HeldSession> =
        (10..700).map(|number| held(&presence(number, number, "n", 1))).collect();
    many.extend(all);
    many.push(held(&presence(9, 9, "g", 0)));
    let named = outranked(&many, NOW).await;
    assert_eq!(named, [session("a"), session("b"), session("g")], "the account's key is read");
}

async fn sessions_whose_presence_is_lost_or_of_an_earlier_process_are_named(family: impl Family) {
    let store = &family.stores().presence;
    let all: Vec<HeldSession> = ["a", "b", "c", "d"]
        .iter()
        .zip(1..)
        .map(|(name, number)| held(&presence(number, number, name, 1)))
        .collect();
    let absent =
        async |incarnation, now| store.held_presence(&all, incarnation, now).await.unwrap().absent;
    assert_eq!(absent(1, NOW).await.len(), 4, "nothing has been written");
    for (name, number) in ["a", "b", "c"].iter().zip(1..) {
        store.put_presence(&presence(number, number, name, 1), NOW).await.unwrap();
    }
    assert_eq!(absent(1, NOW).await, [session("d")]);
    assert_eq!(absent(2, NOW).await.len(), 4, "an earlier process has written it");
    let end = presence(1, 1, "a", 1).expires_at;
    assert_eq!(absent(1, end).await.len(), 4, "it has ended");

    // Only what may be written again: nobody writes over what cannot be read, or ranks higher.
    family.write_from_the_future(&keys::presence_character(character_id(2))).await;
    store.put_presence(&presence(3, 3, "e", 2), NOW).await.unwrap();
    assert_eq!(absent(1, NOW).await, [session("d")]);
}

over_every_family!(
    sessions_whose_presence_is_lost_or_of_an_earlier_process_are_named,
    sessions_are_outranked_by_their_character_s_epoch_and_their_account_s_entry,
    an_earlier_entry_of_the_account_never_overwrites_a_later_one,
    presence_is_found_by_account_and_by_character_until_it_expires,
    a_session_writes_its_presence_again_and_again,
    a_lower_epoch_never_overwrites_a_higher_one,
    an_expired_record_of_a_higher_epoch_stands_in_nobodys_way,
    of_many_writers_at_once_the_highest_epoch_stands_under_both_keys,
    a_session_removes_its_own_presence_under_both_keys_once,
    cleanup_of_another_session_or_epoch_removes_nothing,
    the_account_key_follows_the_character_that_entered_last,
);
