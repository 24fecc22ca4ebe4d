//! Presence as game servers write it and login servers read it.

use edge_server::stores::EpochWrite;
use shared::coordination::{InstanceRecord, PresenceRecord};
use shared::ids::SessionEpoch;
use tests::clock::now;

use super::rig::{Rig, instance, past, presence};
use crate::contract::samples::{account_id, character_id, session};

async fn presence_is_told_and_a_lower_epoch_changes_nothing(rig: Rig) {
    let control_plane = &rig.control_plane;
    control_plane.heartbeat(&instance("edge-a", 1), &[]).await.unwrap();
    let here = control_plane.presence_of_character(character_id(1)).await.unwrap();
    assert_eq!(here, None);
    let record = presence(1, "b", 2);
    for (record, written) in [
        (&record, EpochWrite::Written),
        (&presence(1, "a", 1), EpochWrite::Superseded),
        (&record, EpochWrite::Written),
    ] {
        assert_eq!(control_plane.put_presence(record).await.unwrap(), written);
    }
    let here = control_plane.presence_of_character(character_id(1)).await.unwrap();
    assert_eq!(here.as_ref(), Some(&record));
    let of_account = rig.family.stores().presence.presence_of_account(account_id(1), now()).await;
    assert_eq!(of_account.unwrap(), Some(record));
}

async fn a_session_removes_its_own_presence_alone(rig: Rig) {
    let control_plane = &rig.control_plane;
    control_plane.heartbeat(&instance("edge-a", 1), &[]).await.unwrap();
    let (own, other) = (presence(1, "a", 1), presence(2, "b", 1));
    control_plane.put_presence(&own).await.unwrap();
    control_plane.put_presence(&other).await.unwrap();
    let (account, character) = (account_id(1), character_id(1));
    for (name, epoch) in [("b", 1), ("a", 2)] {
        let (name, epoch) = (session(name), SessionEpoch(epoch));
        control_plane.remove_presence(account, character, &name, epoch).await.unwrap();
        let here = control_plane.presence_of_character(character).await.unwrap();
        assert_eq!(here.as_ref(), Some(&own), "{name:?} {epoch}");
    }
    for _ in 0..2 {
        let (name, epoch) = (session("a"), SessionEpoch(1));
        control_plane.remove_presence(account, character, &name, epoch).await.unwrap();
        assert_eq!(control_plane.presence_of_character(character).await.unwrap(), None);
    }
    let here = control_plane.presence_of_character(character_id(2)).await.unwrap();
    assert_eq!(here, Some(other));
}

async fn presence_ends_by_the_clock_of_the_control_plane(rig: Rig) {
    rig.control_plane.heartbeat(&instance("edge-a", 1), &[]).await.unwrap();
    let over = PresenceRecord { expires_at: past(), ..presence(1, "b", 2) };
    rig.control_plane.put_presence(&over).await.unwrap();
    let here = rig.control_plane.presence_of_character(character_id(1)).await.unwrap();
    assert_eq!(here, None);
    let written = rig.control_plane.put_presence(&presence(1, "a", 1)).await.unwrap();
    assert_eq!(written, EpochWrite::Written, "what is over stands in nobody's way");
}

async fn presence_at_an_instance_that_is_gone_is_none(rig: Rig) {
    let control_plane = &rig.control_plane;
    let record = presence(1, "a", 1);
    control_plane.put_presence(&record).await.unwrap();
    let here = async || control_plane.presence_of_character(character_id(1)).await.unwrap();
    assert_eq!(here().await, None, "nobody has registered it");
    control_plane.heartbeat(&instance("edge-a", 1), &[]).await.unwrap();
    assert_eq!(here().await, Some(record));
    control_plane.heartbeat(&instance("edge-a", 2), &[]).await.unwrap();
    assert_eq!(here().await, None, "an earlier process of it has written this");
    let own = PresenceRecord { incarnation: 2, ..presence(1, "a", 1) };
    control_plane.put_presence(&own).await.unwrap();
    assert_eq!(here().await, Some(own));
    let over = InstanceRecord { expires_at: past(), ..instance("edge-a", 2) };
    control_plane.heartbeat(&over, &[]).await.unwrap();
    assert_eq!(here().await, None, "its lease has lapsed");
}

over_every_way!(
    presence_at_an_instance_that_is_gone_is_none,
    presence_is_told_and_a_lower_epoch_changes_nothing,
    a_session_removes_its_own_presence_alone,
    presence_ends_by_the_clock_of_the_control_plane,
);
