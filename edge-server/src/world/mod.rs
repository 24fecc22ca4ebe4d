//! The world that an instance carries: its file, its baked maps and its zone actors.
//!
//! [`World::load`] reads everything once, at the start; after that a map is a value that
//! cannot be broken. What a zone decides is [`simulation`], pure; what drives it with
//! time and channels is [`zone`].

pub mod check;
pub mod flowers;
pub mod input_queue;
pub mod interest;
mod object_layers;
pub mod simulation;
pub mod tiled_file;
pub mod tiled_map;
pub mod world_file;
pub mod zone;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};
use shared::gameplay::MapRef;
use shared::ids::ZoneId;
use shared::world::Tile;
use shared::world::map::ZoneMap;

use tiled_map::MapFault;
use world_file::{WorldFile, WorldFileError, ZoneSettings};

/// Name of the world file in a world folder.
pub const WORLD_FILE: &str = "world.toml";

/// Why a world folder cannot be used. Each text names the file, and inside it the layer
/// and the object, and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The world file cannot be read.
    #[error("{}: cannot be read ({source}): name the world's folder in EDGE_WORLD_DIR", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The world file breaks a rule.
    #[error("{}: {source}", file.display())]
    WorldFile {
        /// The file.
        file: PathBuf,
        /// Which rule.
        source: WorldFileError,
    },
    /// A map breaks a rule.
    #[error("{}: {}{}", file.display(), faults[0], and_more(faults.len()))]
    Map {
        /// The map file.
        file: PathBuf,
        /// Every rule that it breaks; at least one.
        faults: Vec<MapFault>,
    },
}

fn and_more(faults: usize) -> String {
    match faults {
        0 | 1 => String::new(),
        n => format!(" (and {} more: run edge-server world check)", n - 1),
    }
}

/// Realms, zones and maps.
#[derive(Clone, Debug)]
pub struct World {
    /// What `world.toml` says.
    pub file: WorldFile,
    /// Every zone with its map.
    pub zones: BTreeMap<ZoneId, BakedZone>,
}

/// A zone with its map.
#[derive(Clone, Debug)]
pub struct BakedZone {
    /// The map that bodies walk on.
    pub map: Arc<ZoneMap>,
    /// The same map as the page downloads it.
    pub bytes: Arc<[u8]>,
    /// Names the bytes by their content.
    pub map_ref: MapRef,
    /// What `world.toml` says of the zone.
    pub settings: ZoneSettings,
}

impl World {
    /// Reads `world.toml` and bakes every map that it names.
    ///
    /// # Errors
    /// The first file that cannot be used; see [`WorldError`]. Exits to zones that the
    /// world does not have are left out of the maps, so that a map can be drawn before
    /// its neighbours; [`check::check`] notes them.
    pub fn load(dir: &Path) -> Result<Self, WorldError> {
        let file = read_world_file(dir)?;
        let mut zones = BTreeMap::new();
        for settings in &file.zones {
            let path = dir.join(&settings.map);
            let map = tiled_map::bake(&path, settings, &file)
                .map_err(|faults| WorldError::Map { file: path, faults })?;
            zones.insert(settings.id.clone(), BakedZone::new(map, settings.clone()));
        }
        Ok(Self { file, zones })
    }

    /// Where new characters begin.
    ///
    /// # Panics
    /// Never: a world whose start zone is missing does not load.
    #[must_use]
    pub fn start(&self) -> (ZoneId, Tile) {
        let zone = &self.zones[&self.file.start_zone];
        (self.file.start_zone.clone(), zone.map.start())
    }
}

impl BakedZone {
    /// Bakes the bytes of a map.
    #[must_use]
    pub fn new(map: ZoneMap, settings: ZoneSettings) -> Self {
        let bytes = map.to_bytes();
        let sha256 = hex::encode(Sha256::digest(&bytes));
        let map_ref = MapRef { zone: settings.id.clone(), sha256 };
        Self { map: Arc::new(map), bytes: bytes.into(), map_ref, settings }
    }
}

fn read_world_file(dir: &Path) -> Result<WorldFile, WorldError> {
    let file = dir.join(WORLD_FILE);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(source) => return Err(WorldError::Read { file, source }),
    };
    WorldFile::parse(&text).map_err(|source| WorldError::WorldFile { file, source })
}
