//! A baked zone map: what the server makes of a Tiled file and the page draws and walks.
//!
//! Bytes come from outside, so [`ZoneMap::from_bytes`] checks every bound before the
//! value exists; after that, looking up a tile cannot fail.

use serde::{Deserialize, Serialize};

use super::{Position, Tile};
use crate::ids::ZoneId;
use crate::limits::{MAX_MAP_LAYERS, MAX_MAP_OBJECTS, MAX_MAP_SIDE};
use crate::version::MAP_VERSION;

/// The parts of a map, before they are checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneMapParts {
    /// Must equal [`MAP_VERSION`].
    pub version: u32,
    /// Which zone.
    pub zone: ZoneId,
    /// Its name for people.
    pub name: String,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// How its tiles are drawn.
    pub tileset: Tileset,
    /// From the ground up.
    pub layers: Vec<TileLayer>,
    /// Row by row: whether a body is kept out.
    pub solid: Vec<bool>,
    /// Row by row: whether a tile kills who walks on it.
    pub hazard: Vec<bool>,
    /// Where characters may appear; the first is where new ones do.
    pub spawns: Vec<Spawn>,
    /// Ways out of the zone.
    pub exits: Vec<Exit>,
    /// Where flowers grow.
    pub flowers: Vec<Tile>,
}

/// A zone map that keeps its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneMap(ZoneMapParts);

/// The picture that tiles are cut from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tileset {
    /// File name of the picture among the page's assets.
    pub image: String,
    /// Pixels along one side of a tile.
    pub tile_pixels: u16,
    /// Tiles in one row of the picture.
    pub columns: u16,
    /// Tiles in the picture.
    pub tiles: u16,
    /// Tiles that move.
    pub animations: Vec<Animation>,
}

/// A tile whose picture changes over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Animation {
    /// The tile, as it stands in a layer (from 1).
    pub tile: u16,
    /// Its pictures in turn (tiles from 1) with how long each shows, in milliseconds.
    pub frames: Vec<(u16, u16)>,
}

/// One layer of tiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileLayer {
    /// Its name in the editor.
    pub name: String,
    /// Whether it is drawn over characters.
    pub above: bool,
    /// Row by row: 0 is nothing, `n` is the tileset's tile `n - 1`.
    pub tiles: Vec<u16>,
}

/// A place where characters may appear.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spawn {
    /// Its name in the editor.
    pub name: String,
    /// Where.
    pub tile: Tile,
}

/// A way out of the zone: a rectangle of tiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The zone that it leads to.
    pub to: ZoneId,
    /// Its top-left tile.
    pub from_tile: Tile,
    /// Its bottom-right tile.
    pub to_tile: Tile,
}

/// Why map bytes were refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// The bytes are no map at all.
    #[error("not a baked map: {0}")]
    Malformed(String),
    /// Baked by another build.
    #[error("map version {found} is unknown; this build reads version {MAP_VERSION}")]
    UnknownVersion {
        /// The version found.
        found: u32,
    },
    /// A part is missing, too large, or points outside.
    #[error("map of {zone}: {what}")]
    Inconsistent {
        /// Which zone.
        zone: ZoneId,
        /// Which rule is broken.
        what: String,
    },
}

impl ZoneMap {
    /// Checks the bounds of a map.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn new(parts: ZoneMapParts) -> Result<Self, MapError> {
        if parts.version != MAP_VERSION {
            return Err(MapError::UnknownVersion { found: parts.version });
        }
        match first_broken_rule(&parts) {
            None => Ok(Self(parts)),
            Some(what) => Err(MapError::Inconsistent { zone: parts.zone.clone(), what }),
        }
    }

    /// Reads baked bytes.
    ///
    /// # Errors
    /// Bytes that are malformed, of another version, or break a bound.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MapError> {
        let parts: ZoneMapParts =
            postcard::from_bytes(bytes).map_err(|error| MapError::Malformed(error.to_string()))?;
        Self::new(parts)
    }

    /// The map as baked bytes; equal maps give equal bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.0).expect("a map of plain values serialises into memory")
    }

    /// The checked parts.
    #[must_use]
    pub fn parts(&self) -> &ZoneMapParts {
        &self.0
    }

    /// Whether a body is kept out of the tile at column `x`, row `y`. Outside is solid.
    #[must_use]
    pub fn is_solid(&self, x: i32, y: i32) -> bool {
        self.index(x, y).is_none_or(|i| self.0.solid[i])
    }

    /// Whether the tile kills who walks on it.
    #[must_use]
    pub fn is_hazard(&self, tile: Tile) -> bool {
        self.index(tile.x.into(), tile.y.into()).is_some_and(|i| self.0.hazard[i])
    }

    /// Where a character stands that was committed at `tile`: there, or at the first spawn
    /// where the map has changed under it.
    #[must_use]
    pub fn standing_place(&self, tile: Tile) -> Position {
        if self.is_solid(tile.x.into(), tile.y.into()) {
            self.start().center()
        } else {
            tile.center()
        }
    }

    /// The spawn of new characters.
    #[must_use]
    pub fn start(&self) -> Tile {
        self.0.spawns[0].tile
    }

    fn index(&self, x: i32, y: i32) -> Option<usize> {
        let (x, y) = (u16::try_from(x).ok()?, u16::try_from(y).ok()?);
        (x < self.0.width && y < self.0.height)
            .then(|| usize::from(y) * usize::from(self.0.width) + usize::from(x))
    }
}

fn first_broken_rule(parts: &ZoneMapParts) -> Option<String> {
    let (width, height) = (parts.width, parts.height);
    if !(1..=MAX_MAP_SIDE).contains(&width) || !(1..=MAX_MAP_SIDE).contains(&height) {
        return Some(format!("{width}×{height} tiles; a side has 1 to {MAX_MAP_SIDE}"));
    }
    let tiles = usize::from(width) * usize::from(height);
    if parts.solid.len() != tiles || parts.hazard.len() != tiles {
        return Some("the solid or hazard grid has not the size of the map".to_owned());
    }
    if parts.layers.is_empty() || parts.layers.len() > MAX_MAP_LAYERS {
        return Some(format!("{} layers; a map has 1 to {MAX_MAP_LAYERS}", parts.layers.len()));
    }
    let tileset = &parts.tileset;
    if tileset.columns == 0 || tileset.tile_pixels == 0 {
        return Some("the tileset has no columns or no pixels".to_owned());
    }
    for layer in &parts.layers {
        if layer.tiles.len() != tiles {
            return Some(format!("layer {:?} has not the size of the map", layer.name));
        }
        if let Some(tile) = layer.tiles.iter().find(|tile| **tile > tileset.tiles) {
            return Some(format!("layer {:?} uses tile {tile} of {}", layer.name, tileset.tiles));
        }
    }
    for animation in &tileset.animations {
        let known = |tile: u16| (1..=tileset.tiles).contains(&tile);
        let sound = |(tile, millis): &(u16, u16)| known(*tile) && *millis > 0;
        if !known(animation.tile)
            || animation.frames.is_empty()
            || !animation.frames.iter().all(sound)
        {
            return Some(format!("the animation of tile {} is broken", animation.tile));
        }
    }
    for (kind, count) in [
        ("spawns", parts.spawns.len()),
        ("exits", parts.exits.len()),
        ("flowers", parts.flowers.len()),
    ] {
        if count > MAX_MAP_OBJECTS {
            return Some(format!("{count} {kind}; at most {MAX_MAP_OBJECTS}"));
        }
    }
    if parts.spawns.is_empty() {
        return Some("no spawn; add a point to the layer \"spawns\"".to_owned());
    }
    let outside = |tile: Tile| tile.x >= width || tile.y >= height;
    let index = |tile: Tile| usize::from(tile.y) * usize::from(width) + usize::from(tile.x);
    let solid = |tile: Tile| parts.solid[index(tile)];
    let kills = |tile: Tile| parts.hazard[index(tile)];
    for spawn in &parts.spawns {
        if outside(spawn.tile) || solid(spawn.tile) {
            return Some(format!("spawn {:?} at {} is not on free ground", spawn.name, spawn.tile));
        }
        if kills(spawn.tile) {
            return Some(format!("spawn {:?} at {} is on a hazard", spawn.name, spawn.tile));
        }
    }
    for exit in &parts.exits {
        let ordered = exit.from_tile.x <= exit.to_tile.x && exit.from_tile.y <= exit.to_tile.y;
        if !ordered || outside(exit.to_tile) {
            return Some(format!("the exit to {} lies outside the map", exit.to));
        }
    }
    if let Some(tile) = parts.flowers.iter().find(|tile| outside(**tile) || solid(**tile)) {
        return Some(format!("the flower at {tile} is not on free ground"));
    }
    None
}

/// Small maps for tests, drawn as text: `#` is solid, `.` is free, `!` kills, `@` is the
/// spawn, `*` a flower.
#[doc(hidden)]
pub mod test_map {
    use super::{MAP_VERSION, Spawn, Tile, TileLayer, Tileset, ZoneMap, ZoneMapParts};

    /// Builds a map from rows of equal length.
    ///
    /// # Panics
    /// If the drawing breaks a rule of maps.
    #[must_use]
    pub fn draw(rows: &[&str]) -> ZoneMap {
        let (width, height) = (rows[0].len(), rows.len());
        let cells: Vec<u8> = rows.iter().flat_map(|row| row.bytes()).collect();
        let at = |i: usize| Tile { x: (i % width) as u16, y: (i / width) as u16 };
        let spawn = cells.iter().position(|c| *c == b'@').expect("the drawing has an @");
        ZoneMap::new(ZoneMapParts {
            version: MAP_VERSION,
            zone: "test".parse().expect("a slug"),
            name: "Test".to_owned(),
            width: width as u16,
            height: height as u16,
            tileset: Tileset {
                image: "tileset.png".to_owned(),
                tile_pixels: 16,
                columns: 1,
                tiles: 1,
                animations: Vec::new(),
            },
            layers: vec![TileLayer {
                name: "ground".to_owned(),
                above: false,
                tiles: vec![1; cells.len()],
            }],
            solid: cells.iter().map(|c| *c == b'#').collect(),
            hazard: cells.iter().map(|c| *c == b'!').collect(),
            spawns: vec![Spawn { name: "start".to_owned(), tile: at(spawn) }],
            exits: Vec::new(),
            flowers: (0..cells.len()).filter(|i| cells[*i] == b'*').map(at).collect(),
        })
        .expect("the drawing keeps the rules of maps")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(broken: impl FnOnce(&mut ZoneMapParts), expected: &str) {
        let mut parts = test_map::draw(&["###", "#@#", "###"]).0;
        broken(&mut parts);
        let bytes = postcard::to_stdvec(&parts).unwrap();
        let error = ZoneMap::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn maps_survive_their_bytes() {
        let map = test_map::draw(&["####", "#@.#", "####"]);
        assert_eq!(ZoneMap::from_bytes(&map.to_bytes()).unwrap(), map);
    }

    #[test]
    fn broken_maps_are_refused_before_they_exist() {
        check(|m| m.version = 99, "version 99 is unknown");
        check(|m| m.width = 4, "not the size");
        check(|m| m.height = MAX_MAP_SIDE + 1, "a side has");
        check(|m| m.layers[0].tiles[2] = 2, "uses tile 2 of 1");
        check(|m| m.spawns.clear(), "no spawn");
        check(|m| m.spawns[0].tile = Tile { x: 0, y: 0 }, "not on free ground");
        check(|m| m.spawns[0].tile = Tile { x: 9, y: 1 }, "not on free ground");
        check(|m| m.hazard[4] = true, "spawn \"start\" at 1,1 is on a hazard");
        check(|m| m.flowers.push(Tile { x: 0, y: 0 }), "flower");
        check(|m| m.tileset.animations.push(Animation { tile: 1, frames: vec![] }), "animation");
        assert!(matches!(ZoneMap::from_bytes(&[1, 2]), Err(MapError::Malformed(_))));
    }

    #[test]
    fn a_character_inside_a_new_wall_stands_at_the_spawn() {
        let map = test_map::draw(&["####", "#@.#", "####"]);
        assert_eq!(map.standing_place(Tile { x: 2, y: 1 }), Tile { x: 2, y: 1 }.center());
        assert_eq!(map.standing_place(Tile { x: 0, y: 0 }), map.start().center());
        assert_eq!(map.standing_place(Tile { x: 90, y: 0 }), map.start().center());
    }
}
