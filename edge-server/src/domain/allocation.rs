//! Which instance takes a player: the one where its character has a seat already, else the
//! fullest layer of the placement that has room, so that players meet each other and empty
//! layers can be shut down. One that drains takes nobody.

use std::cmp::Reverse;

use shared::account::GameEndpoint;
use shared::coordination::{AssignRequest, InstanceRecord};

/// An instance that may take the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Which, and where players reach it.
    pub endpoint: GameEndpoint,
    /// Seats that may be promised beside those taken; `None` where the character has its
    /// seat already.
    pub room: Option<u32>,
}

/// What the registry says about a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Candidates {
    /// These carry the placement and have room, best first. Perhaps none has.
    Carried(Vec<Candidate>),
    /// No living instance carries the placement.
    NotCarried,
}

/// Orders the instances whose lease is known to be alive. Equal layers are told apart by
/// id, so the same question gets the same answer.
#[must_use]
pub fn candidates(request: &AssignRequest, living: &[InstanceRecord]) -> Candidates {
    let mut carried = false;
    let mut own = None;
    let mut layers = Vec::new();
    for instance in living {
        let Some(load) = instance.zones.iter().find(|z| z.placement == request.placement) else {
            continue;
        };
        carried = true;
        if instance.draining || request.excluding.contains(&instance.id) {
            continue;
        }
        let endpoint =
            GameEndpoint { instance_id: instance.id.clone(), http_url: instance.http_url.clone() };
        if request.seated_at.as_ref() == Some(&instance.id) {
            own = Some(Candidate { endpoint, room: None });
        } else if load.occupied < load.capacity {
            let room = Some(load.capacity - load.occupied);
            layers.push((Reverse(load.occupied), Candidate { endpoint, room }));
        }
    }
    if !carried {
        return Candidates::NotCarried;
    }
    layers.sort_by(|(a, x), (b, y)| {
        a.cmp(b).then_with(|| x.endpoint.instance_id.cmp(&y.endpoint.instance_id))
    });
    let layers = layers.into_iter().map(|(_, candidate)| candidate);
    Candidates::Carried(own.into_iter().chain(layers).collect())
}

#[cfg(test)]
mod tests {
    use shared::coordination::ZoneLoad;
    use shared::ids::{AccountId, UnixMillis};
    use shared::version::PayloadVersion;

    use super::*;

    fn instance(id: &str, zone: &str, occupied: u32, draining: bool) -> InstanceRecord {
        InstanceRecord {
            payload_version: PayloadVersion::CURRENT,
            id: id.parse().unwrap(),
            incarnation: 1,
            http_url: format!("http://{id}"),
            internal_url: format!("http://{id}"),
            http_port: 8081,
            endpoints: vec![],
            zones: vec![ZoneLoad { placement: zone.parse().unwrap(), occupied, capacity: 10 }],
            draining,
            expires_at: UnixMillis(1),
        }
    }

    fn request() -> AssignRequest {
        AssignRequest {
            placement: "dawn/harbor".parse().unwrap(),
            account_id: AccountId::new(uuid::Uuid::from_u128(1)),
            hold_for: "a".repeat(64).parse().unwrap(),
            excluding: vec![],
            seated_at: None,
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
            excluding: excluding.into_iter().map(|id| id.parse().unwrap()).collect(),
            seated_at: seated_at.map(|id| id.parse().unwrap()),
            ..request()
        };
        let best = match candidates(&request, living) {
            Candidates::Carried(ordered) => ordered.into_iter().next(),
            Candidates::NotCarried => None,
        };
        let got = best.map(|candidate| candidate.endpoint.instance_id.to_string());
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
    fn every_layer_with_room_stands_in_line_with_its_room() {
        let living = [
            instance("edge-a", "dawn/harbor", 3, false),
            instance("edge-b", "dawn/harbor", 7, false),
            instance("edge-c", "dawn/harbor", 10, false),
        ];
        let seated = AssignRequest { seated_at: Some("edge-c".parse().unwrap()), ..request() };
        let Candidates::Carried(line) = candidates(&seated, &living) else { panic!() };
        let line: Vec<_> = line.iter().map(|c| (c.endpoint.instance_id.as_str(), c.room)).collect();
        assert_eq!(line, [("edge-c", None), ("edge-b", Some(3)), ("edge-a", Some(7))]);
    }

    #[test]
    fn full_and_not_carried_are_told_apart() {
        let full = [instance("edge-a", "dawn/harbor", 10, false)];
        assert_eq!(candidates(&request(), &full), Candidates::Carried(vec![]));
        let elsewhere = [instance("edge-a", "dusk/harbor", 0, false)];
        assert_eq!(candidates(&request(), &elsewhere), Candidates::NotCarried);
    }
}
