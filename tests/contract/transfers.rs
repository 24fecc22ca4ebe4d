//! Promises of the markers of activated transfers.

use edge_server::stores::{EpochWrite, keys};
use shared::coordination::TransferActivated;
use shared::ids::SessionEpoch;
use shared::version::PayloadVersion;

use super::family::Family;
use super::samples::{NOW, character_id, later, session, token};

fn activated(epoch: u64) -> TransferActivated {
    TransferActivated {
        payload_version: PayloadVersion::CURRENT,
        token: token(1),
        character_id: character_id(1),
        session_token: session(&format!("of-epoch-{epoch}")),
        epoch: SessionEpoch(epoch),
        instance: "edge-b".parse().unwrap(),
        expires_at: later(120),
    }
}

async fn a_marker_is_there_until_its_end(family: impl Family) {
    let transfers = &family.stores().transfers;
    assert_eq!(transfers.activated(&token(1), NOW).await.unwrap(), None);
    let marker = activated(4);
    assert_eq!(transfers.put_activated(&marker, NOW).await.unwrap(), EpochWrite::Written);
    assert_eq!(transfers.activated(&token(1), NOW).await.unwrap(), Some(marker.clone()));
    assert_eq!(transfers.activated(&token(2), NOW).await.unwrap(), None);
    assert_eq!(transfers.activated(&token(1), marker.expires_at).await.unwrap(), None);
}

async fn a_marker_of_a_higher_epoch_is_left_alone(family: impl Family) {
    let transfers = &family.stores().transfers;
    transfers.put_activated(&activated(4), NOW).await.unwrap();
    assert_eq!(transfers.put_activated(&activated(3), NOW).await.unwrap(), EpochWrite::Superseded);
    assert_eq!(transfers.activated(&token(1), NOW).await.unwrap(), Some(activated(4)));
    assert_eq!(transfers.put_activated(&activated(5), NOW).await.unwrap(), EpochWrite::Written);
    assert_eq!(transfers.activated(&token(1), NOW).await.unwrap(), Some(activated(5)));
}

async fn a_marker_of_the_future_is_refused_and_left_as_it_is(family: impl Family) {
    let transfers = &family.stores().transfers;
    transfers.put_activated(&activated(4), NOW).await.unwrap();
    family.write_from_the_future(&keys::transfer_activated(&token(1))).await;
    let before = family.coordination().await;
    assert!(transfers.activated(&token(1), NOW).await.is_err());
    assert!(transfers.put_activated(&activated(9), NOW).await.is_err());
    assert_eq!(family.coordination().await, before);
}

over_every_family!(
    a_marker_is_there_until_its_end,
    a_marker_of_a_higher_epoch_is_left_alone,
    a_marker_of_the_future_is_refused_and_left_as_it_is,
);
