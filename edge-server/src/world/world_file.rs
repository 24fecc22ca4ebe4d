//! `world.toml`: realms, zones, and which instance of role `all` carries which zone.
//!
//! Unknown keys are refused, so that a misspelt one never passes for an absent one.

use std::collections::BTreeSet;

use serde::Deserialize;
use shared::ids::{InstanceId, Placement, RealmId, ZoneId};

/// Players that one copy of a zone may seat: what one zone task simulates within a tick.
pub const MAX_ZONE_CAPACITY: u32 = 500;

/// The world file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldFile {
    /// Where new characters begin.
    pub start_zone: ZoneId,
    /// The realms, in the order in which the page shows them.
    #[serde(rename = "realm")]
    pub realms: Vec<RealmSettings>,
    /// The zones; every realm has each of them.
    #[serde(rename = "zone")]
    pub zones: Vec<ZoneSettings>,
    /// The instances of role `all`.
    #[serde(rename = "instance", default)]
    pub instances: Vec<InstanceSettings>,
}

/// A realm.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RealmSettings {
    /// Its id.
    pub id: RealmId,
    /// Its name for people.
    pub name: String,
}

/// A zone.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneSettings {
    /// Its id.
    pub id: ZoneId,
    /// Its name for people.
    pub name: String,
    /// File name of its Tiled map, beside the world file.
    pub map: String,
    /// Players that one copy of it seats, 1 to [`MAX_ZONE_CAPACITY`].
    pub capacity: u32,
}

/// An instance of role `all`. Several may carry one zone: each has a copy (a layer), and
/// players of different layers do not see each other.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceSettings {
    /// Its id.
    pub id: InstanceId,
    /// The zones that it carries, in every realm.
    pub zones: Vec<ZoneId>,
}

/// Why a world file was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorldFileError {
    /// It is no TOML, or has a key or a value that does not belong.
    #[error("{0}")]
    Malformed(String),
    /// A list that must not be empty is.
    #[error("no [[{0}]]: write at least one")]
    Empty(&'static str),
    /// Two entries have one id.
    #[error("two [[{kind}]] with id {id:?}: give each its own")]
    Twice {
        /// The list.
        kind: &'static str,
        /// The id.
        id: String,
    },
    /// A zone is named that is not there.
    #[error("{by} names zone \"{zone}\", which has no [[zone]]: add one or correct the name")]
    NoSuchZone {
        /// Who names it.
        by: String,
        /// The zone.
        zone: ZoneId,
    },
    /// A capacity out of bounds.
    #[error("zone {zone}: capacity {capacity}; write 1 to {MAX_ZONE_CAPACITY}")]
    Capacity {
        /// The zone.
        zone: ZoneId,
        /// What it asks for.
        capacity: u32,
    },
    /// A map that is not a plain file name.
    #[error("zone {zone}: map {map:?}; write the name of a .tmx file beside world.toml")]
    MapName {
        /// The zone.
        zone: ZoneId,
        /// What it names.
        map: String,
    },
}

impl WorldFile {
    /// Reads a world file.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn parse(text: &str) -> Result<Self, WorldFileError> {
        let file: Self = toml::from_str(text)
            .map_err(|error| WorldFileError::Malformed(error.to_string().trim().to_owned()))?;
        file.check()?;
        Ok(file)
    }

    /// A zone by its id.
    #[must_use]
    pub fn zone(&self, id: &ZoneId) -> Option<&ZoneSettings> {
        self.zones.iter().find(|zone| zone.id == *id)
    }

    /// A realm by its id.
    #[must_use]
    pub fn realm(&self, id: &RealmId) -> Option<&RealmSettings> {
        self.realms.iter().find(|realm| realm.id == *id)
    }

    /// What an instance of role `all` carries: its zones in every realm.
    #[must_use]
    pub fn placements(&self, instance: &InstanceSettings) -> Vec<Placement> {
        let in_realm = |realm: &RealmSettings| {
            let realm = realm.id.clone();
            instance.zones.iter().map(move |zone| Placement::zone(realm.clone(), zone.clone()))
        };
        self.realms.iter().flat_map(in_realm).collect()
    }

    /// The zones that no instance carries, so that nobody can enter them.
    pub fn uncarried(&self) -> impl Iterator<Item = &ZoneId> {
        let carried = |zone: &ZoneId| self.instances.iter().any(|each| each.zones.contains(zone));
        self.zones.iter().map(|zone| &zone.id).filter(move |zone| !carried(zone))
    }

    fn check(&self) -> Result<(), WorldFileError> {
        no_twins("realm", self.realms.iter().map(|realm| realm.id.as_str()))?;
        no_twins("zone", self.zones.iter().map(|zone| zone.id.as_str()))?;
        no_twins("instance", self.instances.iter().map(|instance| instance.id.as_str()))?;
        for (kind, empty) in [("realm", self.realms.is_empty()), ("zone", self.zones.is_empty())] {
            if empty {
                return Err(WorldFileError::Empty(kind));
            }
        }
        self.known("start_zone".to_owned(), &self.start_zone)?;
        for zone in &self.zones {
            let (id, capacity) = (zone.id.clone(), zone.capacity);
            if !(1..=MAX_ZONE_CAPACITY).contains(&capacity) {
                return Err(WorldFileError::Capacity { zone: id, capacity });
            }
            if !zone.map.ends_with(".tmx") || zone.map.contains(['/', '\\']) {
                return Err(WorldFileError::MapName { zone: id, map: zone.map.clone() });
            }
        }
        for instance in &self.instances {
            for zone in &instance.zones {
                self.known(format!("instance {}", instance.id), zone)?;
            }
            let zones = instance.zones.iter().map(ZoneId::as_str);
            no_twins("zones of an instance", zones)?;
        }
        Ok(())
    }

    fn known(&self, by: String, zone: &ZoneId) -> Result<(), WorldFileError> {
        match self.zone(zone) {
            Some(_) => Ok(()),
            None => Err(WorldFileError::NoSuchZone { by, zone: zone.clone() }),
        }
    }
}

fn no_twins<'a>(
    kind: &'static str,
    ids: impl Iterator<Item = &'a str>,
) -> Result<(), WorldFileError> {
    let mut seen = BTreeSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(WorldFileError::Twice { kind, id: id.to_owned() });
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::world) const SMALL: &str = r#"
        start_zone = "harbor"
        [[realm]]
        id = "dawn"
        name = "Dawn"
        [[realm]]
        id = "dusk"
        name = "Dusk"
        [[zone]]
        id = "harbor"
        name = "Harbor of First Light"
        map = "harbor.tmx"
        capacity = 64
        [[instance]]
        id = "edge-a"
        zones = ["harbor"]
    "#;

    #[track_caller]
    fn check(from: &str, to: &str, expected: &str) {
        assert!(SMALL.contains(from), "nothing to replace: {from}");
        let error = WorldFile::parse(&SMALL.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn an_instance_carries_its_zones_in_every_realm() {
        let file = WorldFile::parse(SMALL).unwrap();
        let placements: Vec<String> =
            file.placements(&file.instances[0]).iter().map(ToString::to_string).collect();
        assert_eq!(placements, ["dawn/harbor", "dusk/harbor"]);
    }

    #[test]
    fn a_broken_world_file_says_what_to_do() {
        check("capacity = 64", "capacity = 64\ncolour = 1", "unknown field `colour`");
        check("capacity = 64", "capacity = 0", "write 1 to 500");
        check("capacity = 64", "capacity = 501", "write 1 to 500");
        check("\"harbor.tmx\"", "\"../harbor.tmx\"", ".tmx file beside world.toml");
        check("\"harbor.tmx\"", "\"harbor.png\"", ".tmx file beside world.toml");
        check("id = \"dusk\"", "id = \"dawn\"", "two [[realm]]");
        check("id = \"dusk\"", "id = \"Dusk\"", "no realm id");
        check("[\"harbor\"]", "[\"habor\"]", "instance edge-a names zone \"habor\", which has no");
        let moon = "start_zone names zone \"moon\", which has no [[zone]]: add one";
        check("start_zone = \"harbor\"", "start_zone = \"moon\"", moon);
        check("start_zone = \"harbor\"", "", "missing field `start_zone`");
        check("[\"harbor\"]", "[\"harbor\", \"harbor\"]", "two [[zones of an instance]]");
        let empty = "start_zone = \"a\"\nrealm = []\nzone = []";
        assert_eq!(WorldFile::parse(empty), Err(WorldFileError::Empty("realm")));
    }
}
