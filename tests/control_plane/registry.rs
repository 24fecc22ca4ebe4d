//! The registry, and allocation over what it knows.

use edge_server::peers::control_plane::HeartbeatAnswer;
use edge_server::stores::{EpochWrite, keys};
use shared::account::GameEndpoint;
use shared::coordination::{AssignRequest, Assignment, InstanceRecord};

use super::rig::{Rig, held, instance, past, presence};
use crate::contract::samples::{account_id, character_id, harbor, session, token};

/// A seat in the harbor for the account and the handoff of this number.
fn seat(number: u128) -> AssignRequest {
    AssignRequest {
        placement: harbor(),
        account_id: account_id(number),
        hold_for: token(number),
        excluding: vec![],
        seated_at: None,
    }
}

async fn instances_are_told_while_their_lease_lives(rig: Rig) {
    let control_plane = &rig.control_plane;
    assert_eq!(control_plane.instances().await.unwrap(), []);
    let (a, b) = (instance("edge-a", 2), instance("edge-b", 1));
    let over = InstanceRecord { expires_at: past(), ..instance("edge-c", 1) };
    for record in [&b, &over, &a] {
        assert_eq!(
            control_plane.heartbeat(record, &[]).await.unwrap().outcome,
            EpochWrite::Written
        );
    }
    let earlier = control_plane.heartbeat(&instance("edge-a", 1), &[]).await.unwrap();
    assert_eq!(earlier.outcome, EpochWrite::Superseded);
    assert_eq!(control_plane.instances().await.unwrap(), [a.clone(), b.clone()]);

    control_plane.deregister(&instance("edge-a", 1)).await.unwrap();
    assert_eq!(control_plane.instances().await.unwrap(), [a.clone(), b.clone()]);
    for _ in 0..2 {
        control_plane.deregister(&a).await.unwrap();
        assert_eq!(control_plane.instances().await.unwrap(), std::slice::from_ref(&b));
    }
}

async fn a_seat_is_assigned_and_promised_once(rig: Rig) {
    let control_plane = &rig.control_plane;
    assert_eq!(control_plane.assign(&seat(1)).await.unwrap(), Assignment::NotCarried);
    let mut record = instance("edge-a", 1);
    record.zones[0].capacity = record.zones[0].occupied + 1;
    control_plane.heartbeat(&record, &[]).await.unwrap();

    let endpoint =
        GameEndpoint { instance_id: record.id.clone(), http_url: record.http_url.clone() };
    let assigned = Assignment::Assigned { endpoint };
    assert_eq!(control_plane.assign(&seat(1)).await.unwrap(), assigned);
    let promises = rig.family.coordination().await;
    let key = edge_server::stores::keys::hold(&token(1));
    assert!(promises.contains_key(&key), "{promises:?}");
    assert_eq!(control_plane.assign(&seat(2)).await.unwrap(), Assignment::Full);
    let seated = AssignRequest { seated_at: Some(record.id.clone()), ..seat(3) };
    assert_eq!(control_plane.assign(&seated).await.unwrap(), assigned);
    let elsewhere = AssignRequest { placement: "dawn/meadow".parse().unwrap(), ..seat(4) };
    assert_eq!(control_plane.assign(&elsewhere).await.unwrap(), Assignment::NotCarried);
}

async fn a_heartbeat_tells_which_sessions_are_no_longer_their_character_s(rig: Rig) {
    let control_plane = &rig.control_plane;
    let here = instance("edge-a", 1);
    for record in [presence(1, "a", 1), presence(2, "b", 1)] {
        control_plane.put_presence(&record).await.unwrap();
    }
    let sessions = [held(1, "a", 1), held(2, "b", 1)];
    let beaten = control_plane.heartbeat(&here, &sessions).await.unwrap();
    assert_eq!(
        beaten,
        HeartbeatAnswer { outcome: EpochWrite::Written, superseded: vec![], absent: vec![] }
    );
    control_plane.put_presence(&presence(2, "c", 2)).await.unwrap();
    let beaten = control_plane.heartbeat(&here, &sessions).await.unwrap();
    assert_eq!(beaten.superseded, [session("b")]);
    let earlier = control_plane.heartbeat(&instance("edge-a", 0), &sessions).await.unwrap();
    assert_eq!((earlier.outcome, earlier.superseded), (EpochWrite::Superseded, vec![session("b")]));
    // The same process under its next incarnation: what it wrote before says nothing any more.
    let anew = control_plane.heartbeat(&instance("edge-a", 2), &sessions).await.unwrap();
    assert_eq!((anew.superseded, anew.absent), (vec![session("b")], vec![session("a")]));
}

async fn presence_that_cannot_be_read_costs_no_lease(rig: Rig) {
    let control_plane = &rig.control_plane;
    control_plane.put_presence(&presence(1, "a", 2)).await.unwrap();
    for key in [keys::presence_character(character_id(1)), keys::presence_account(account_id(1))] {
        rig.family.write_from_the_future(&key).await;
    }
    let here = instance("edge-a", 1);
    let beaten = control_plane.heartbeat(&here, &[held(1, "a", 1)]).await.unwrap();
    assert_eq!(
        beaten,
        HeartbeatAnswer { outcome: EpochWrite::Written, superseded: vec![], absent: vec![] }
    );
    assert_eq!(control_plane.instances().await.unwrap(), [here]);
}

over_every_way!(
    instances_are_told_while_their_lease_lives,
    a_seat_is_assigned_and_promised_once,
    a_heartbeat_tells_which_sessions_are_no_longer_their_character_s,
    presence_that_cannot_be_read_costs_no_lease,
);
