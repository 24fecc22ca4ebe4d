//! Promises of the character store about rosters, names, deletion and places. Who may
//! hold a character is in `authority`.

use edge_server::domain::authority::{Character, EpochRaised};
use edge_server::stores::{CharacterCreation, CharacterDeletion, SaveOutcome};
use shared::ids::{AccountEntry, Appearance, SessionEpoch};
use shared::limits::MAX_CHARACTERS_PER_REALM;
use shared::realtime::command::CommandSequence;
use shared::world::Tile;

use super::family::{Family, race};
use super::samples::{
    NOW, account_id, character_id, dawn, given_account, given_character, later, name,
    new_character, raise, raised_by, save,
};

async fn a_new_character_stands_where_it_was_created_and_nobody_holds_it(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    let expected = Character {
        id,
        account_id: account_id(1),
        realm: dawn(),
        name: "Mara".to_owned(),
        appearance: Appearance::default(),
        zone: "harbor".parse().unwrap(),
        tile: Tile { x: 7, y: 9 },
        gathered: 0,
        epoch: SessionEpoch(0),
        entry: AccountEntry(0),
        raised_by: None,
        claimed: false,
        last_command: CommandSequence::NONE,
    };
    assert_eq!(stores.characters.character(id).await.unwrap(), Some(expected));
    assert_eq!(stores.characters.character(character_id(2)).await.unwrap(), None);
}

async fn a_roster_is_of_one_account_and_realm_and_oldest_first(family: impl Family) {
    let stores = family.stores();
    for number in [1, 2] {
        given_account(stores, number).await;
    }
    // The ids fall while the ages rise, so that an order by id shows.
    for (number, age) in [(9, 3), (8, 1), (7, 2), (6, 2)] {
        let character = new_character(number, 1, &name(number));
        stores.characters.create_character(&character, later(age)).await.unwrap();
    }
    stores.characters.create_character(&new_character(5, 2, "Other"), NOW).await.unwrap();
    let mut dusk = new_character(4, 1, "Dusky");
    dusk.realm = "dusk".parse().unwrap();
    stores.characters.create_character(&dusk, NOW).await.unwrap();

    let roster = stores.characters.roster(account_id(1), &dawn()).await.unwrap();
    let ids: Vec<_> = roster.iter().map(|character| character.id).collect();
    assert_eq!(ids, [8, 7, 6, 9].map(character_id));
    assert_eq!(stores.characters.roster(account_id(3), &dawn()).await.unwrap(), []);
}

async fn a_name_is_taken_in_its_realm_in_any_case(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    given_account(stores, 2).await;
    for (number, spelled) in [(2, "Mara"), (3, "MARA"), (4, "mara")] {
        assert_eq!(
            stores
                .characters
                .create_character(&new_character(number, 2, spelled), NOW)
                .await
                .unwrap(),
            CharacterCreation::NameTaken,
            "{spelled}"
        );
        assert_eq!(stores.characters.character(character_id(number)).await.unwrap(), None);
    }
    let mut elsewhere = new_character(5, 2, "Mara");
    elsewhere.realm = "dusk".parse().unwrap();
    assert_eq!(
        stores.characters.create_character(&elsewhere, NOW).await.unwrap(),
        CharacterCreation::Created
    );
}

async fn a_name_that_looks_like_a_living_one_is_told_apart_from_a_taken_one(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    given_account(stores, 2).await;
    let create = async |number: u128, name: &str, realm: &str| {
        let mut character = new_character(number, 2, name);
        character.realm = realm.parse().unwrap();
        stores.characters.create_character(&character, NOW).await.unwrap()
    };
    for (number, name) in [(2, "Rnara"), (3, "Ma-ra"), (4, "M'ARA")] {
        assert_eq!(create(number, name, "dawn").await, CharacterCreation::NameConfusable, "{name}");
        assert_eq!(stores.characters.character(character_id(number)).await.unwrap(), None);
    }
    assert_eq!(create(5, "Mora", "dawn").await, CharacterCreation::Created);
    assert_eq!(create(6, "Rnara", "dusk").await, CharacterCreation::Created, "another realm");
    let (account, epoch) = (account_id(1), SessionEpoch(0));
    stores.characters.delete_character(account, id, epoch, NOW).await.unwrap();
    assert_eq!(create(7, "Rnara", "dawn").await, CharacterCreation::Created, "Mara is gone");
    assert_eq!(create(8, "Mara", "dawn").await, CharacterCreation::NameConfusable);
    assert_eq!(create(9, "rnARA", "dawn").await, CharacterCreation::NameTaken);
}

async fn of_many_who_create_one_name_at_once_one_gets_it(family: impl Family) {
    for number in 0..20 {
        given_account(family.stores(), number).await;
    }
    let creations = race(20, |number| {
        let characters = family.stores().characters.clone();
        let character = new_character(number as u128, number as u128, "Mara");
        async move { characters.create_character(&character, NOW).await.unwrap() }
    })
    .await;
    let won = |creation: &&_| **creation == CharacterCreation::Created;
    assert_eq!(creations.iter().filter(won).count(), 1, "{creations:?}");
}

async fn many_creations_at_once_never_overfill_a_roster(family: impl Family) {
    let stores = family.stores();
    given_account(stores, 1).await;
    let creations = race(5 * MAX_CHARACTERS_PER_REALM, |number| {
        let characters = family.stores().characters.clone();
        let character = new_character(number as u128, 1, &name(number as u128));
        async move { characters.create_character(&character, NOW).await.unwrap() }
    })
    .await;
    let count = |wanted| creations.iter().filter(|creation| **creation == wanted).count();
    assert_eq!(count(CharacterCreation::Created), MAX_CHARACTERS_PER_REALM);
    assert_eq!(count(CharacterCreation::RosterFull), 4 * MAX_CHARACTERS_PER_REALM);
    let roster = stores.characters.roster(account_id(1), &dawn()).await.unwrap();
    assert_eq!(roster.len(), MAX_CHARACTERS_PER_REALM);
}

async fn a_full_roster_is_told_before_a_taken_name(family: impl Family) {
    let stores = family.stores();
    given_account(stores, 1).await;
    for number in 0..MAX_CHARACTERS_PER_REALM as u128 {
        let character = new_character(number, 1, &name(number));
        stores.characters.create_character(&character, NOW).await.unwrap();
    }
    let alike = new_character(51, 1, &name(0).replace("Ma", "Ma-"));
    let mut extra = new_character(50, 1, &name(0));
    for rival in [&extra, &alike] {
        assert_eq!(
            stores.characters.create_character(rival, NOW).await.unwrap(),
            CharacterCreation::RosterFull
        );
    }
    extra.realm = "dusk".parse().unwrap();
    assert_eq!(
        stores.characters.create_character(&extra, NOW).await.unwrap(),
        CharacterCreation::Created,
        "another realm has a roster of its own"
    );
}

async fn deletion_frees_the_name_and_the_place_in_the_roster(family: impl Family) {
    let stores = family.stores();
    given_account(stores, 1).await;
    for number in 0..MAX_CHARACTERS_PER_REALM as u128 {
        let character = new_character(number, 1, &name(number));
        stores.characters.create_character(&character, NOW).await.unwrap();
    }
    let deletion = stores
        .characters
        .delete_character(account_id(1), character_id(0), SessionEpoch(0), NOW)
        .await
        .unwrap();
    assert_eq!(deletion, CharacterDeletion::Deleted);
    assert_eq!(stores.characters.character(character_id(0)).await.unwrap(), None);
    let roster = stores.characters.roster(account_id(1), &dawn()).await.unwrap();
    assert!(roster.iter().all(|character| character.id != character_id(0)));
    assert_eq!(
        stores.characters.create_character(&new_character(50, 1, &name(0)), NOW).await.unwrap(),
        CharacterCreation::Created
    );
}

async fn only_the_owner_who_knows_the_epoch_deletes(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    let characters = &stores.characters;
    characters.raise_epoch(&raise(0, raised_by(1, 1, "a")), NOW).await.unwrap();
    let before = characters.character(id).await.unwrap();
    let zero = SessionEpoch(0);
    let one = SessionEpoch(1);
    for (account, character, epoch, deletion) in [
        (account_id(2), id, one, CharacterDeletion::NotFound),
        (account_id(1), character_id(2), one, CharacterDeletion::NotFound),
        (account_id(1), id, zero, CharacterDeletion::Superseded),
        (account_id(1), id, SessionEpoch(2), CharacterDeletion::Superseded),
    ] {
        assert_eq!(
            characters.delete_character(account, character, epoch, NOW).await.unwrap(),
            deletion
        );
        assert_eq!(characters.character(id).await.unwrap(), before);
    }
    for deletion in [CharacterDeletion::Deleted, CharacterDeletion::NotFound] {
        assert_eq!(
            characters.delete_character(account_id(1), id, one, NOW).await.unwrap(),
            deletion
        );
    }
}

/// Case 29: the character was deleted between select and handshake.
async fn nobody_enters_with_or_saves_a_deleted_character(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    let characters = &stores.characters;
    characters.raise_epoch(&raise(0, raised_by(1, 1, "a")), NOW).await.unwrap();
    characters.delete_character(account_id(1), id, SessionEpoch(1), NOW).await.unwrap();
    for epoch in 0..4 {
        let saves = [save(epoch, "meadow", 1, 1)];
        assert_eq!(characters.save_locations(&saves).await.unwrap(), [SaveOutcome::Stale]);
        // The holder's own retry included: it names the session of the row.
        for by in [raised_by(1, 1, "a"), raised_by(1, 2, "b"), raised_by(2, 1, "c")] {
            let raised = characters.raise_epoch(&raise(epoch, by), NOW).await.unwrap();
            assert_eq!(raised, EpochRaised::Gone);
        }
    }
}

async fn a_deletion_and_an_entry_at_once_have_one_winner(family: impl Family) {
    for round in 0..10 {
        let stores = family.stores();
        given_account(stores, round).await;
        let character = new_character(round, round, &name(round));
        stores.characters.create_character(&character, NOW).await.unwrap();
        let won = race(2, |number| {
            let characters = family.stores().characters.clone();
            let mut raise = raise(0, raised_by(round, 1, "a"));
            raise.character_id = character_id(round);
            async move {
                if number == 0 {
                    let raised = characters.raise_epoch(&raise, NOW).await.unwrap();
                    matches!(raised, EpochRaised::Raised(_))
                } else {
                    let deletion = characters
                        .delete_character(
                            account_id(round),
                            character_id(round),
                            SessionEpoch(0),
                            NOW,
                        )
                        .await
                        .unwrap();
                    deletion == CharacterDeletion::Deleted
                }
            }
        })
        .await;
        assert!(won[0] != won[1], "round {round}: {won:?}");
    }
}

async fn a_batch_of_places_has_one_outcome_for_each_in_order(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    let characters = &stores.characters;
    characters.create_character(&new_character(2, 1, "Nora"), NOW).await.unwrap();
    characters.raise_epoch(&raise(0, raised_by(1, 1, "a")), NOW).await.unwrap();
    let mut second = save(0, "ruins", 5, 6);
    second.character_id = character_id(2);
    let mut unknown = save(0, "ruins", 5, 6);
    unknown.character_id = character_id(3);
    let outcomes = characters
        .save_locations(&[save(0, "crypt", 1, 1), second, unknown, save(1, "meadow", 3, 4)])
        .await
        .unwrap();
    assert_eq!(
        outcomes,
        [SaveOutcome::Stale, SaveOutcome::Saved, SaveOutcome::Stale, SaveOutcome::Saved]
    );
    for (id, zone, tile) in
        [(id, "meadow", Tile { x: 3, y: 4 }), (character_id(2), "ruins", Tile { x: 5, y: 6 })]
    {
        let found = characters.character(id).await.unwrap().unwrap();
        assert_eq!((found.zone.as_str(), found.tile), (zone, tile));
    }
    assert_eq!(characters.save_locations(&[]).await.unwrap(), []);
}

/// Case 6: a new zone with the old zone's coordinates.
async fn no_reader_ever_sees_a_zone_with_another_zones_tile(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    stores.characters.save_locations(&[save(0, "harbor", 1, 1)]).await.unwrap();
    let seen = race(8, |number| {
        let characters = family.stores().characters.clone();
        async move {
            let mut seen = Vec::new();
            for round in 0..25 {
                if number == 0 {
                    let place = if round % 2 == 0 {
                        save(0, "meadow", 200, 200)
                    } else {
                        save(0, "harbor", 1, 1)
                    };
                    characters.save_locations(&[place]).await.unwrap();
                } else {
                    let found = characters.character(id).await.unwrap().unwrap();
                    seen.push((found.zone.as_str().to_owned(), found.tile.x, found.tile.y));
                }
            }
            seen
        }
    })
    .await;
    for (zone, x, y) in seen.into_iter().flatten() {
        assert!(matches!((zone.as_str(), x, y), ("harbor", 1, 1) | ("meadow", 200, 200)));
    }
}

over_every_family!(
    a_new_character_stands_where_it_was_created_and_nobody_holds_it,
    a_roster_is_of_one_account_and_realm_and_oldest_first,
    a_name_is_taken_in_its_realm_in_any_case,
    a_name_that_looks_like_a_living_one_is_told_apart_from_a_taken_one,
    of_many_who_create_one_name_at_once_one_gets_it,
    many_creations_at_once_never_overfill_a_roster,
    a_full_roster_is_told_before_a_taken_name,
    deletion_frees_the_name_and_the_place_in_the_roster,
    only_the_owner_who_knows_the_epoch_deletes,
    nobody_enters_with_or_saves_a_deleted_character,
    a_deletion_and_an_entry_at_once_have_one_winner,
    a_batch_of_places_has_one_outcome_for_each_in_order,
    no_reader_ever_sees_a_zone_with_another_zones_tile,
);
