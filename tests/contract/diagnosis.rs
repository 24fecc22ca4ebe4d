//! What those who run a deployment are told about a character, and what a cleanup removes:
//! what counts for nothing any more, and nothing that anybody has.

use edge_server::flows::diagnose_character::{self, Diagnosis};
use edge_server::stores::EpochWrite;
use shared::admin::FindingCode::{self, *};
use shared::coordination::{PresenceRecord, ResumeLedgerRecord};
use shared::ids::SessionEpoch;
use shared::problem::ProblemCode;

use super::family::{Family, Stores};
use super::samples::{
    NOW, character_id, first_claim, given_character, instance, later, ledger, presence, raise,
    raised_by, session,
};

fn over(stores: &Stores) -> Diagnosis {
    Diagnosis {
        characters: stores.characters.clone(),
        presence: stores.presence.clone(),
        ledger: stores.ledger.clone(),
        registry: stores.registry.clone(),
    }
}

async fn found(stores: &Stores) -> Vec<FindingCode> {
    let diagnosis = diagnose_character::run(&over(stores), character_id(1), NOW).await.unwrap();
    diagnosis.findings.into_iter().map(|finding| finding.code).collect()
}

async fn removed(stores: &Stores) -> Vec<FindingCode> {
    diagnose_character::clean_up(&over(stores), character_id(1), NOW).await.unwrap().removed
}

/// Raises character 1 from this epoch for a session of this name.
async fn raised(stores: &Stores, from: u64, name: &str) {
    let by = raised_by(u128::from(from), 1, name);
    stores.characters.raise_epoch(&raise(from, by), NOW).await.unwrap();
    let row = stores.characters.character(character_id(1)).await.unwrap().unwrap();
    assert_eq!(row.epoch, SessionEpoch(from + 1));
}

async fn put(
    stores: &Stores,
    presence: Option<PresenceRecord>,
    ledger: Option<ResumeLedgerRecord>,
) {
    if let Some(presence) = presence {
        let written = stores.presence.put_presence(&presence, NOW).await.unwrap();
        assert_eq!(written, EpochWrite::Written);
    }
    if let Some(ledger) = ledger {
        let written = stores.ledger.put_ledger(&ledger, NOW).await.unwrap();
        assert_eq!(written, EpochWrite::Written);
    }
}

fn active(name: &str, epoch: u64) -> ResumeLedgerRecord {
    ResumeLedgerRecord { phase: first_claim(), ..ledger(name, epoch) }
}

async fn a_character_is_told_from_its_first_day_to_its_last(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    assert_eq!(found(stores).await, [NeverEntered]);
    stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();

    raised(stores, 0, "a").await;
    put(stores, Some(presence(1, 1, "a", 1)), Some(ledger("a", 1))).await;
    assert_eq!(found(stores).await, [WaitsForItsClaim]);
    put(stores, None, Some(active("a", 1))).await;
    assert_eq!(found(stores).await, [InTheWorld]);
    let diagnosis = diagnose_character::run(&over(stores), id, NOW).await.unwrap();
    assert_eq!(diagnosis.instance, Some(instance("edge-a", 1)));
    assert_eq!(diagnosis.ledger.unwrap().session_token, session("a"));
    assert_eq!(diagnosis.character.session_token, Some(session("a")));

    stores.registry.remove_instance(&"edge-a".parse().unwrap(), 1).await.unwrap();
    assert_eq!(found(stores).await, [MayBeResumed, PresenceOfDeadInstance]);
    stores.ledger.remove_ledger(&session("a"), SessionEpoch(1)).await.unwrap();
    assert_eq!(found(stores).await, [Away, PresenceOfDeadInstance]);
    assert_eq!(removed(stores).await, [PresenceOfDeadInstance]);
    assert_eq!(found(stores).await, [Away]);

    let characters = &stores.characters;
    let account = diagnosis.character.account_id;
    characters.delete_character(account, id, SessionEpoch(1), NOW).await.unwrap();
    let refusal = diagnose_character::run(&over(stores), id, NOW).await.unwrap_err();
    assert_eq!(refusal.problem.code, ProblemCode::NotFound);
}

async fn what_a_lost_session_has_left_is_removed_and_nothing_of_who_plays(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    raised(stores, 0, "a").await;
    put(stores, Some(presence(1, 1, "a", 1)), Some(active("a", 1))).await;
    // Somebody has entered since, and has come as far as the raise.
    raised(stores, 1, "b").await;
    assert_eq!(found(stores).await, [Away, PresenceOutranked, LedgerOutranked]);
    assert_eq!(removed(stores).await, [PresenceOutranked, LedgerOutranked]);
    assert_eq!(found(stores).await, [Away]);

    put(stores, Some(presence(1, 1, "b", 2)), Some(active("b", 2))).await;
    let before = family.coordination().await;
    assert_eq!(found(stores).await, [InTheWorld]);
    assert!(removed(stores).await.is_empty());
    assert_eq!(family.coordination().await, before);
}

async fn what_nobody_repairs_by_a_cleanup_is_told_and_left_alone(family: impl Family) {
    let stores = family.stores();
    given_character(stores).await;
    stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    raised(stores, 0, "a").await;
    put(stores, None, Some(active("a", 1))).await;
    assert_eq!(found(stores).await, [InTheWorld, PresenceMissing]);
    // The account plays another character of its own.
    put(stores, Some(presence(1, 2, "c", 7)), None).await;
    assert_eq!(found(stores).await, [InTheWorld, PresenceMissing, AccountPlaysAnother]);
    // A backup was restored: what was played since has a higher epoch than the row.
    put(stores, Some(presence(1, 1, "z", 9)), None).await;
    assert_eq!(found(stores).await, [InTheWorld, RowBehind]);
    let before = family.coordination().await;
    assert!(removed(stores).await.is_empty());
    assert_eq!(family.coordination().await, before);
}

async fn what_has_expired_is_not_found(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    raised(stores, 0, "a").await;
    let (presence, ledger) = (presence(1, 1, "a", 1), active("a", 1));
    let end = presence.expires_at;
    assert_eq!((end, ledger.expires_at), (later(120), later(120)));
    put(stores, Some(presence), Some(ledger)).await;
    assert_eq!(found(stores).await, [MayBeResumed, PresenceOfDeadInstance]);
    let diagnosis = diagnose_character::run(&over(stores), id, end).await.unwrap();
    let codes: Vec<_> = diagnosis.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Away]);
    assert!(diagnosis.findings.iter().all(|finding| !finding.says.is_empty()));
}

over_every_family!(
    a_character_is_told_from_its_first_day_to_its_last,
    what_a_lost_session_has_left_is_removed_and_nothing_of_who_plays,
    what_nobody_repairs_by_a_cleanup_is_told_and_left_alone,
    what_has_expired_is_not_found,
);
