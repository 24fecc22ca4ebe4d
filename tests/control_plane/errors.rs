//! Why there was no answer: whoever asks can tell a record that cannot be read from a
//! control plane that is away, whichever way it asks.

use std::pin::Pin;

use edge_server::peers::control_plane::{ControlPlane, ControlPlaneError, ControlPlaneResult};
use edge_server::stores::keys;
use shared::account::GameEndpoint;
use shared::control_plane::InstanceDrain;
use shared::coordination::{AssignRequest, ReleaseRequest};
use shared::ids::SessionEpoch;

use super::rig::{Rig, activated, handoff, held, instance, presence};
use crate::contract::samples::{account_id, character_id, claimant, harbor, session, token};

/// A call that has not been made yet.
pub(super) type Waiting<'a> = Pin<Box<dyn Future<Output = ControlPlaneResult<()>> + Send + 'a>>;

/// Every call by its name.
pub(super) fn calls(plane: &dyn ControlPlane) -> Vec<(&'static str, Waiting<'_>)> {
    let asker = || claimant(1, "edge-a");
    let to = || GameEndpoint {
        instance_id: "edge-b".parse().unwrap(),
        http_url: "http://127.0.0.1:8082".to_owned(),
    };
    let seat = AssignRequest {
        placement: harbor(),
        account_id: account_id(1),
        hold_for: token(1),
        excluding: vec![],
        seated_at: None,
    };
    let release = ReleaseRequest::Account { account_id: account_id(1) };
    let drain = InstanceDrain { instance: "edge-a".parse().unwrap(), draining: true };
    let here = || instance("edge-a", 1);
    macro_rules! call {
        ($name:literal, $call:expr) => {
            ($name, Box::pin(async move { $call.await.map(drop) }) as Waiting<'_>)
        };
    }
    vec![
        call!("assign", plane.assign(&seat)),
        call!("prepare", plane.prepare(&handoff(1))),
        call!("preflight", plane.preflight(&token(1), &asker())),
        call!("redirect", plane.redirect(&token(1), &asker(), &to())),
        call!("consume", plane.consume(&token(1), &asker())),
        call!("confirm_transfer", plane.confirm_transfer(&activated(4))),
        call!("transfer_status", plane.transfer_status(&token(1))),
        call!("release", plane.release(&release)),
        call!("drain", plane.drain(&drain)),
        call!("heartbeat", plane.heartbeat(&here(), &[held(1, "a", 1)])),
        call!("deregister", plane.deregister(&here())),
        call!("instances", plane.instances()),
        call!("put_presence", plane.put_presence(&presence(1, "a", 1))),
        call!("presence_of_character", plane.presence_of_character(character_id(1))),
        call!(
            "remove_presence",
            plane.remove_presence(account_id(1), character_id(1), &session("a"), SessionEpoch(1))
        ),
    ]
}

/// What every call comes to, by its name.
pub(super) async fn every_call(
    control_plane: &dyn ControlPlane,
) -> Vec<(&'static str, ControlPlaneResult<()>)> {
    let mut done = Vec::new();
    for (name, call) in calls(control_plane) {
        done.push((name, call.await));
    }
    done
}

async fn a_store_that_is_gone_is_unavailable_at_every_call(mut rig: Rig) {
    rig.family.close().await;
    for (call, done) in every_call(&*rig.control_plane).await {
        assert!(matches!(done, Err(ControlPlaneError::Unavailable(_))), "{call}: {done:?}");
    }
}

/// These calls meet a record that cannot be read; the others have nothing to do with it.
async fn assert_unreadable(rig: &Rig, key: &str, calls: &[&str]) {
    rig.family.write_from_the_future(key).await;
    let before = rig.family.coordination().await;
    for (call, done) in every_call(&*rig.control_plane).await {
        if calls.contains(&call) {
            let Err(ControlPlaneError::Unreadable(what)) = &done else {
                panic!("{call}: {done:?}")
            };
            assert!(what.contains(key) && what.contains("version 2"), "{call}: {what}");
        }
    }
    let after = rig.family.coordination().await;
    assert_eq!(after.get(key), before.get(key), "it stays as it was");
    // Word for word what a part of the same process hears.
    let (there, here) = (every_call(&*rig.control_plane).await, every_call(&*rig.direct).await);
    for ((call, there), (_, here)) in there.into_iter().zip(here) {
        let text = |done: ControlPlaneResult<()>| done.map_err(|error| error.to_string());
        assert_eq!(text(there), text(here), "{call}");
    }
}

async fn a_handoff_that_cannot_be_read_is_told_and_stays(rig: Rig) {
    let record = handoff(1);
    rig.control_plane.prepare(&record).await.unwrap();
    let key = keys::handoff(&record.scope, &record.token);
    assert_unreadable(&rig, &key, &["prepare", "preflight", "redirect", "consume"]).await;
}

async fn a_transfer_marker_that_cannot_be_read_is_told_and_stays(rig: Rig) {
    rig.control_plane.confirm_transfer(&activated(4)).await.unwrap();
    let key = keys::transfer_activated(&token(1));
    assert_unreadable(&rig, &key, &["confirm_transfer", "transfer_status"]).await;
}

async fn an_instance_that_cannot_be_read_is_told_and_stays(rig: Rig) {
    let record = instance("edge-a", 1);
    rig.control_plane.heartbeat(&record, &[]).await.unwrap();
    assert_unreadable(&rig, &keys::instance(&record.id), &["heartbeat", "deregister"]).await;
}

async fn presence_that_cannot_be_read_is_told_and_stays(rig: Rig) {
    rig.control_plane.put_presence(&presence(1, "a", 1)).await.unwrap();
    let key = keys::presence_character(character_id(1));
    let calls = ["put_presence", "presence_of_character", "remove_presence"];
    assert_unreadable(&rig, &key, &calls).await;
}

async fn presence_of_an_account_that_cannot_be_read_is_told_before_anybody_is_asked(rig: Rig) {
    rig.control_plane.put_presence(&presence(1, "a", 1)).await.unwrap();
    let key = keys::presence_account(account_id(1));
    assert_unreadable(&rig, &key, &["release", "put_presence", "remove_presence"]).await;
    assert_eq!(rig.holder.asked(), []);
}

over_every_way!(
    a_store_that_is_gone_is_unavailable_at_every_call,
    a_handoff_that_cannot_be_read_is_told_and_stays,
    a_transfer_marker_that_cannot_be_read_is_told_and_stays,
    an_instance_that_cannot_be_read_is_told_and_stays,
    presence_that_cannot_be_read_is_told_and_stays,
    presence_of_an_account_that_cannot_be_read_is_told_before_anybody_is_asked,
);
