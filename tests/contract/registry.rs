//! Promises of the registry of game servers.

use edge_server::stores::{EpochWrite, keys};

use super::family::Family;
use super::samples::{NOW, instance, just_before, later, presence};

async fn living_instances_are_listed_by_id(family: impl Family) {
    let stores = family.stores();
    let registry = &stores.registry;
    assert_eq!(registry.instances(NOW).await.unwrap(), []);
    for id in ["edge-b", "edge-a", "edge-10"] {
        let written = registry.put_instance(&instance(id, 1)).await.unwrap();
        assert_eq!(written, EpochWrite::Written);
    }
    // Neighbours among the keys are no instances.
    stores.presence.put_presence(&presence(1, 1, "a", 1), NOW).await.unwrap();
    let listed = registry.instances(NOW).await.unwrap();
    assert_eq!(listed, ["edge-10", "edge-a", "edge-b"].map(|id| instance(id, 1)));
}

async fn an_instance_is_listed_until_its_lease_ends_and_again_after_a_heartbeat(
    family: impl Family,
) {
    let registry = &family.stores().registry;
    let mut record = instance("edge-a", 1);
    registry.put_instance(&record).await.unwrap();
    let end = record.expires_at;
    for (now, listed) in [(NOW, 1), (just_before(end), 1), (end, 0)] {
        assert_eq!(registry.instances(now).await.unwrap().len(), listed, "at {now:?}");
    }
    record.expires_at = later(100);
    record.draining = true;
    assert_eq!(registry.put_instance(&record).await.unwrap(), EpochWrite::Written);
    assert_eq!(registry.instances(end).await.unwrap(), [record]);
}

/// Case 22: a stopped process wakes up. Its lease has lapsed, and that of its successor
/// may have; it is the older one all the same.
async fn an_older_incarnation_never_overwrites_a_newer_one(family: impl Family) {
    let registry = &family.stores().registry;
    registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    assert_eq!(registry.put_instance(&instance("edge-a", 2)).await.unwrap(), EpochWrite::Written);
    let before = family.coordination().await;
    let mut woken = instance("edge-a", 1);
    woken.expires_at = later(1_000);
    assert_eq!(registry.put_instance(&woken).await.unwrap(), EpochWrite::Superseded);
    assert_eq!(family.coordination().await, before);
}

async fn removal_compares_the_incarnation(family: impl Family) {
    let registry = &family.stores().registry;
    registry.put_instance(&instance("edge-a", 2)).await.unwrap();
    registry.put_instance(&instance("edge-b", 2)).await.unwrap();
    let id = "edge-a".parse().unwrap();
    for incarnation in [1, 3] {
        assert!(!registry.remove_instance(&id, incarnation).await.unwrap());
    }
    assert_eq!(registry.instances(NOW).await.unwrap().len(), 2);
    for removed in [true, false] {
        assert_eq!(registry.remove_instance(&id, 2).await.unwrap(), removed);
    }
    assert_eq!(registry.instances(NOW).await.unwrap(), [instance("edge-b", 2)]);
}

/// During a rollout, one newer instance must not take the others out of allocation.
async fn an_instance_of_the_future_is_left_out_of_the_list_and_left_alone(family: impl Family) {
    let registry = &family.stores().registry;
    registry.put_instance(&instance("edge-a", 1)).await.unwrap();
    registry.put_instance(&instance("edge-b", 1)).await.unwrap();
    family.write_from_the_future(&keys::instance(&"edge-a".parse().unwrap())).await;
    let before = family.coordination().await;
    assert_eq!(registry.instances(NOW).await.unwrap(), [instance("edge-b", 1)]);
    assert_eq!(family.coordination().await, before);
}

over_every_family!(
    living_instances_are_listed_by_id,
    an_instance_is_listed_until_its_lease_ends_and_again_after_a_heartbeat,
    an_older_incarnation_never_overwrites_a_newer_one,
    removal_compares_the_incarnation,
    an_instance_of_the_future_is_left_out_of_the_list_and_left_alone,
);
