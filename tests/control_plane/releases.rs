//! Asking whoever holds sessions to let them go.

use edge_server::peers::control_plane::ControlPlaneError;
use shared::control_plane::InstanceDrain;
use shared::coordination::{PresenceRecord, ReleaseRequest};
use shared::ids::{AccountEntry, SessionEpoch};

use super::rig::{Rig, instance, presence};
use crate::contract::samples::{account_id, character_id, login};

/// Every way to ask for sessions of account and character 1.
fn every_request() -> Vec<ReleaseRequest> {
    let (account_id, character_id) = (account_id(1), character_id(1));
    vec![
        ReleaseRequest::Character { account_id, character_id, up_to: SessionEpoch(3) },
        ReleaseRequest::EarlierEntries { account_id, before: AccountEntry(4) },
        ReleaseRequest::Login { account_id, login: login() },
        ReleaseRequest::Account { account_id },
    ]
}

async fn a_release_reaches_the_holder_as_it_was_asked(rig: Rig) {
    rig.control_plane.heartbeat(&instance("edge-a", 1), &[]).await.unwrap();
    rig.control_plane.put_presence(&presence(1, "a", 1)).await.unwrap();
    for request in every_request() {
        rig.control_plane.release(&request).await.unwrap();
    }
    assert_eq!(rig.holder.asked(), every_request());
}

async fn nobody_is_asked_where_presence_names_no_living_instance(rig: Rig) {
    rig.control_plane.put_presence(&presence(1, "a", 1)).await.unwrap();
    rig.control_plane.heartbeat(&instance("edge-b", 1), &[]).await.unwrap();
    for request in every_request() {
        rig.control_plane.release(&request).await.unwrap();
    }
    assert_eq!(rig.holder.asked(), []);
}

async fn a_holder_that_is_not_reached_is_told(rig: Rig) {
    rig.control_plane.heartbeat(&instance("edge-b", 1), &[]).await.unwrap();
    let there = PresenceRecord { instance: "edge-b".parse().unwrap(), ..presence(1, "a", 1) };
    rig.control_plane.put_presence(&there).await.unwrap();
    for request in every_request() {
        let error = rig.control_plane.release(&request).await.unwrap_err();
        assert!(matches!(error, ControlPlaneError::Unavailable(_)), "{error}");
    }
}

async fn a_drain_reaches_the_instance_that_is_named_and_nobody_where_it_is_dead(rig: Rig) {
    let asked = |draining| InstanceDrain { instance: "edge-a".parse().unwrap(), draining };
    assert!(!rig.control_plane.drain(&asked(true)).await.unwrap(), "it is not registered");
    rig.control_plane.heartbeat(&instance("edge-a", 1), &[]).await.unwrap();
    rig.control_plane.heartbeat(&instance("edge-b", 1), &[]).await.unwrap();
    for draining in [true, false] {
        assert!(rig.control_plane.drain(&asked(draining)).await.unwrap());
    }
    assert_eq!(rig.holder.drained(), [asked(true), asked(false)]);
    let unreached = InstanceDrain { instance: "edge-b".parse().unwrap(), draining: true };
    let error = rig.control_plane.drain(&unreached).await.unwrap_err();
    assert!(matches!(error, ControlPlaneError::Unavailable(_)), "{error}");
}

over_every_way!(
    a_release_reaches_the_holder_as_it_was_asked,
    nobody_is_asked_where_presence_names_no_living_instance,
    a_holder_that_is_not_reached_is_told,
    a_drain_reaches_the_instance_that_is_named_and_nobody_where_it_is_dead,
);
