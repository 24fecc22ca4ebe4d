//! Promises of the character store about commands with a durable effect: each has it once.

use edge_server::domain::authority::{Character, EpochRaised, Place, RaiseGround};
use edge_server::stores::{CharacterStore, GatherOutcome};
use shared::ids::SessionEpoch;
use shared::realtime::command::CommandSequence;
use shared::world::Tile;

use super::family::{Family, Stores, race};
use super::samples::{
    NOW, account_id, character_id, given_character, new_character, raise, raise_on, raised_by,
};

async fn gather(stores: &Stores, epoch: u64, sequence: u32) -> GatherOutcome {
    gather_with(&*stores.characters, epoch, sequence).await
}

async fn gather_with(characters: &dyn CharacterStore, epoch: u64, sequence: u32) -> GatherOutcome {
    let (epoch, sequence) = (SessionEpoch(epoch), CommandSequence(sequence));
    characters.gather(character_id(1), epoch, sequence).await.unwrap()
}

async fn stored(stores: &Stores) -> Character {
    stores.characters.character(character_id(1)).await.unwrap().unwrap()
}

/// Character 1 with a session of epoch 1.
async fn given_session(stores: &Stores) {
    given_character(stores).await;
    stores.characters.raise_epoch(&raise(0, raised_by(1, 1, "a")), NOW).await.unwrap();
}

async fn a_gathering_is_counted_and_its_number_noted(family: impl Family) {
    let stores = family.stores();
    given_session(stores).await;
    let before = stored(stores).await;
    assert_eq!((before.gathered, before.last_command), (0, CommandSequence::NONE));
    // Numbers may have gaps: most commands have no durable effect.
    for (sequence, total) in [(1, 1), (2, 2), (90, 3), (u32::MAX, 4)] {
        assert_eq!(gather(stores, 1, sequence).await, GatherOutcome::Gathered { total });
        let expected = Character {
            gathered: total,
            last_command: CommandSequence(sequence),
            ..before.clone()
        };
        assert_eq!(stored(stores).await, expected, "and nothing else changes");
    }
}

/// Case 26: an effect was committed and the replay applied it again.
async fn a_number_that_comes_again_and_a_lower_one_have_no_effect(family: impl Family) {
    let stores = family.stores();
    given_session(stores).await;
    assert_eq!(gather(stores, 1, 5).await, GatherOutcome::Gathered { total: 1 });
    let before = stored(stores).await;
    for sequence in [5, 4, 1, 0] {
        assert_eq!(gather(stores, 1, sequence).await, GatherOutcome::Already { total: 1 });
    }
    assert_eq!(stored(stores).await, before);
    let family = family.restart().await;
    assert_eq!(gather(family.stores(), 1, 5).await, GatherOutcome::Already { total: 1 });
    assert_eq!(gather(family.stores(), 1, 6).await, GatherOutcome::Gathered { total: 2 });
}

async fn of_many_tries_of_one_number_at_once_one_counts(family: impl Family) {
    given_session(family.stores()).await;
    let outcomes = race(20, |_| {
        let characters = family.stores().characters.clone();
        async move { gather_with(&*characters, 1, 7).await }
    })
    .await;
    let count = |wanted| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    assert_eq!(count(GatherOutcome::Gathered { total: 1 }), 1, "{outcomes:?}");
    assert_eq!(count(GatherOutcome::Already { total: 1 }), 19, "{outcomes:?}");
    assert_eq!(stored(family.stores()).await.gathered, 1);
}

async fn a_session_that_has_lost_the_character_gathers_nothing(family: impl Family) {
    let stores = family.stores();
    given_session(stores).await;
    stores.characters.create_character(&new_character(2, 1, "Nora"), NOW).await.unwrap();
    stores.characters.raise_epoch(&raise(1, raised_by(2, 1, "b")), NOW).await.unwrap();
    let before = stored(stores).await;
    for epoch in [0, 1, 3, u64::MAX] {
        assert_eq!(gather(stores, epoch, 9).await, GatherOutcome::Stale, "epoch {epoch}");
    }
    assert_eq!(stored(stores).await, before);
    let other = stores.characters.character(character_id(2)).await.unwrap().unwrap();
    assert_eq!(other.gathered, 0);
    assert_eq!(gather(stores, 2, 1).await, GatherOutcome::Gathered { total: 1 });
    let other = stores.characters.character(character_id(2)).await.unwrap().unwrap();
    assert_eq!(other.gathered, 0, "only the one that gathers");

    let (account, epoch) = (account_id(1), SessionEpoch(2));
    stores.characters.delete_character(account, character_id(1), epoch, NOW).await.unwrap();
    for epoch in 0..4 {
        assert_eq!(gather(stores, epoch, 50).await, GatherOutcome::Stale, "epoch {epoch}");
    }
    let (nobody, first) = (character_id(77), CommandSequence(1));
    let outcome = stores.characters.gather(nobody, SessionEpoch(0), first).await.unwrap();
    assert_eq!(outcome, GatherOutcome::Stale);
}

async fn an_admission_begins_a_new_count_of_commands_and_keeps_the_flowers(family: impl Family) {
    let stores = family.stores();
    given_session(stores).await;
    gather(stores, 1, 30).await;
    let raised = stores.characters.raise_epoch(&raise(1, raised_by(2, 1, "b")), NOW).await.unwrap();
    let EpochRaised::Raised(row) = raised else { panic!("{raised:?}") };
    assert_eq!((row.gathered, row.last_command), (1, CommandSequence::NONE));
    assert_eq!(gather(stores, 2, 1).await, GatherOutcome::Gathered { total: 2 });
    // Its own answer, asked for again, is no new session.
    let again = stores.characters.raise_epoch(&raise(1, raised_by(2, 1, "b")), NOW).await.unwrap();
    let EpochRaised::Raised(row) = again else { panic!("{again:?}") };
    assert_eq!(row.last_command, CommandSequence(1));
}

async fn a_recovery_and_a_transfer_go_on_counting(family: impl Family) {
    let stores = family.stores();
    given_session(stores).await;
    gather(stores, 1, 30).await;
    let recovery = raise_on(RaiseGround::Recovery { claimed: false }, 1, raised_by(1, 1, "a"));
    let raised = stores.characters.raise_epoch(&recovery, NOW).await.unwrap();
    let EpochRaised::Raised(row) = raised else { panic!("{raised:?}") };
    assert_eq!((row.epoch, row.last_command), (SessionEpoch(2), CommandSequence(30)));
    assert_eq!(gather(stores, 2, 30).await, GatherOutcome::Already { total: 1 });

    let place = Place { zone: "meadow".parse().unwrap(), tile: Tile { x: 1, y: 1 } };
    let transfer = raise_on(RaiseGround::Transfer { place }, 2, raised_by(2, 1, "b"));
    let raised = stores.characters.raise_epoch(&transfer, NOW).await.unwrap();
    let EpochRaised::Raised(row) = raised else { panic!("{raised:?}") };
    assert_eq!(row.last_command, CommandSequence(30));
    assert_eq!(gather(stores, 3, 30).await, GatherOutcome::Already { total: 1 });
    assert_eq!(gather(stores, 3, 31).await, GatherOutcome::Gathered { total: 2 });
}

over_every_family!(
    a_gathering_is_counted_and_its_number_noted,
    a_number_that_comes_again_and_a_lower_one_have_no_effect,
    of_many_tries_of_one_number_at_once_one_counts,
    a_session_that_has_lost_the_character_gathers_nothing,
    an_admission_begins_a_new_count_of_commands_and_keeps_the_flowers,
    a_recovery_and_a_transfer_go_on_counting,
);
