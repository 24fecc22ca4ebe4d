//! Which instance takes a player: the one where its character has a seat already, else the
//! fullest layer of the placement that has room, so that players meet each other and empty
//! layers can be shut down. One that drains takes nobody.

use shared::coordination::{AssignRequest, Assignment, InstanceRecord};

/// Chooses among instances whose lease is known to be alive. Equal layers are told apart
/// by id, so the same question gets the same answer.
#[must_use]
pub fn assign(request: &AssignRequest, living: &[InstanceRecord]) -> Assignment {
    let mut carried = false;
    let mut best: Option<(u32, &InstanceRecord)> = None;
    for instance in living {
        let Some(load) = instance.zones.iter().find(|z| z.placement == request.placement) else {
            continue;
        };
        carried = true;
        let refused = request.excluding.as_ref() == Some(&instance.id);
        if instance.draining || refused {
            continue;
        }
        if request.seated_at.as_ref() == Some(&instance.id) {
            best = Some((load.occupied, instance));
            break;
        }
        if load.occupied >= load.capacity {
            continue;
        }
        let fuller = best.is_none_or(|(occupied, other)| {
            (load.occupied, std::cmp::Reverse(&instance.id))
                > (occupied, std::cmp::Reverse(&other.id))
        });
        if fuller {
            best = Some((load.occupied, instance));
        }
    }
    match best {
        Some((_, instance)) => Assignment::Assigned {
            instance: instance.id.clone(),
            http_url: instance.http_url.clone(),
        },
        None if carried => Assignment::Full,
        None => Assignment::NotCarried,
    }
}

#[cfg(test)]
mod tests {
    use shared::coordination::ZoneLoad;
    use shared::ids::UnixMillis;
    use shared::version::PayloadVersion;

    use super::*;

    fn instance(id: &str, zone: &str, occupied: u32, draining: bool) -> InstanceRecord {
        InstanceRecord {
            payload_version: PayloadVersion::CURRENT,
            id: id.parse().unwrap(),
            incarnation: 1,
            http_url: format!("http://{id}"),
            http_port: 8081,
            endpoints: vec![],
            zones: vec![ZoneLoad { placement: zone.parse().unwrap(), occupied, capacity: 10 }],
            draining,
            expires_at: UnixMillis(1),
        }
    }

    fn check(living: &[InstanceRecord], excluding: Option<&str>, expected: Option<&str>) {
        check_seated(living, excluding, None, expected);
    }

    #[track_caller]
    fn check_seated(
        living: &[InstanceRecord],
        excluding: Option<&str>,
        seated_at: Option<&str>,
        expected: Option<&str>,
    ) {
        let request = AssignRequest {
            placement: "dawn/harbor".parse().unwrap(),
            excluding: excluding.map(|id| id.parse().unwrap()),
            seated_at: seated_at.map(|id| id.parse().unwrap()),
        };
        let got = match assign(&request, living) {
            Assignment::Assigned { instance, .. } => Some(instance.to_string()),
            Assignment::Full | Assignment::NotCarried => None,
        };
        assert_eq!(got.as_deref(), expected, "{living:?}");
    }

    #[test]
    fn the_fullest_layer_with_room_takes_the_player() {
        let living = [
            instance("edge-a", "dawn/harbor", 3, false),
            instance("edge-b", "dawn/harbor", 7, false),
            instance("edge-c", "dawn/harbor", 10, false),
            instance("edge-d", "dawn/harbor", 9, true),
            instance("edge-e", "dusk/harbor", 9, false),
        ];
        check(&living, None, Some("edge-b"));
        check(&living, Some("edge-b"), Some("edge-a"));
    }

    #[test]
    fn ones_own_body_never_keeps_oneself_out_of_a_full_zone() {
        let living = [
            instance("edge-a", "dawn/harbor", 10, false),
            instance("edge-b", "dawn/harbor", 7, false),
            instance("edge-c", "dawn/harbor", 3, true),
        ];
        check_seated(&living[..1], None, Some("edge-a"), Some("edge-a"));
        check_seated(&living, None, Some("edge-a"), Some("edge-a"));
        check_seated(&living, Some("edge-a"), Some("edge-a"), Some("edge-b"));
        check_seated(&living, None, Some("edge-c"), Some("edge-b"));
        check_seated(&living[..1], None, Some("edge-z"), None);
    }

    #[test]
    fn equal_layers_are_told_apart_by_id() {
        let mut living = [
            instance("edge-b", "dawn/harbor", 3, false),
            instance("edge-a", "dawn/harbor", 3, false),
        ];
        check(&living, None, Some("edge-a"));
        living.reverse();
        check(&living, None, Some("edge-a"));
    }

    #[test]
    fn full_and_not_carried_are_told_apart() {
        let request = AssignRequest {
            placement: "dawn/harbor".parse().unwrap(),
            excluding: None,
            seated_at: None,
        };
        let full = [instance("edge-a", "dawn/harbor", 10, false)];
        assert_eq!(assign(&request, &full), Assignment::Full);
        let elsewhere = [instance("edge-a", "dusk/harbor", 0, false)];
        assert_eq!(assign(&request, &elsewhere), Assignment::NotCarried);
    }
}
