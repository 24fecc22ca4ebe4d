//! What was acknowledged is there after the server has been started again.

use edge_server::domain::authority::EpochRaised;
use edge_server::stores::SaveOutcome;
use shared::coordination::HandoffLookup;

use super::family::Family;
use super::samples::{
    NOW, PHC, account, account_id, character_id, claimant, given_character, handoff, instance,
    just_before, later, ledger, on_instance, presence, raise, raised_by, save, session, token,
};

async fn durable_data_survives_a_restart(family: impl Family) {
    let stores = family.stores();
    let id = given_character(stores).await;
    stores.logins.create_login(&token(1), account_id(1), PHC, later(60)).await.unwrap();
    let ask = raise(0, raised_by(1, 1, "a"));
    stores.characters.raise_epoch(&ask, NOW).await.unwrap();
    stores.characters.save_locations(&[save(1, "meadow", 3, 4)]).await.unwrap();
    let before = stores.characters.character(id).await.unwrap();

    let family = family.restart().await;
    let stores = family.stores();
    assert_eq!(stores.characters.character(id).await.unwrap(), before);
    let login = stores.logins.account_of_login(&token(1), NOW).await.unwrap();
    assert_eq!(login, Some(account(1, "player1")));
    // A holder that lost its answer to the restart still gets it, and still writes.
    assert!(matches!(
        stores.characters.raise_epoch(&ask, NOW).await.unwrap(),
        EpochRaised::Raised(row) if Some(&row) == before.as_ref()
    ));
    let saves = [save(1, "ruins", 5, 6)];
    assert_eq!(stores.characters.save_locations(&saves).await.unwrap(), [SaveOutcome::Saved]);
}

async fn coordination_data_survives_a_restart(family: impl Family) {
    let stores = family.stores();
    let record = handoff(1, on_instance("edge-a"));
    stores.handoffs.put_handoff(&record).await.unwrap();
    stores.handoffs.put_handoff(&handoff(2, on_instance("edge-a"))).await.unwrap();
    stores.handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap();
    stores.presence.put_presence(&presence(1, 1, "a", 1), NOW).await.unwrap();
    stores.ledger.put_ledger(&ledger("a", 1), NOW).await.unwrap();
    stores.registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    let before = family.coordination().await;

    let family = family.restart().await;
    let stores = family.stores();
    assert_eq!(family.coordination().await, before);
    let replay = stores.handoffs.consume(&token(1), &claimant(2, "edge-a"), NOW).await.unwrap();
    assert_eq!(replay, HandoffLookup::AlreadyConsumed, "a restart forgets no marker");
    let own = stores.handoffs.consume(&token(1), &claimant(1, "edge-a"), NOW).await.unwrap();
    assert_eq!(own, HandoffLookup::Found { record: Box::new(record.clone()) });
    let last = just_before(record.expires_at);
    let fresh = stores.handoffs.consume(&token(2), &claimant(2, "edge-a"), last).await.unwrap();
    assert!(matches!(fresh, HandoffLookup::Found { .. }), "{fresh:?}");
    let at = stores.presence.presence_of_character(character_id(1), NOW).await.unwrap();
    assert_eq!(at, Some(presence(1, 1, "a", 1)));
    let resumable = stores.ledger.ledger(&session("a"), NOW).await.unwrap();
    assert_eq!(resumable, Some(ledger("a", 1)));
    assert_eq!(stores.registry.instances(NOW).await.unwrap(), [instance("edge-a", 1)]);
}

over_every_family!(durable_data_survives_a_restart, coordination_data_survives_a_restart);
