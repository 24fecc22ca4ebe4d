//! Bakes a map of the Tiled editor into a [`ZoneMap`].
//!
//! Drawn as the editor draws it: tile layers from the ground up, those with the bool
//! property `above` over the characters; in the tileset the bool properties `solid` and
//! `hazard` and the animations; object layers `spawns` (points, one of them named
//! `start`), `exits` (rectangles with the string property `zone`) and `flowers` (points).
//! Other object layers are the editor's notes (see [`super::object_layers`]). A cell is solid or a hazard where a tile of
//! any layer is.
//!
//! Every fault is found, not only the first, and each names its layer and object.

use std::collections::BTreeMap;
use std::io::{Cursor, ErrorKind};
use std::path::{Path, PathBuf};

use shared::ids::ZoneId;
use shared::limits::{MAX_MAP_LAYERS, MAX_MAP_OBJECTS, MAX_MAP_SIDE};
use shared::version::MAP_VERSION;
use shared::world::Tile;
use shared::world::map::{
    Animation, Exit, MapError, Spawn, TileLayer, Tileset, ZoneMap, ZoneMapParts,
};
use tiled::{LayerType, ObjectShape, Orientation, Properties, PropertyValue};

use super::object_layers::{self, EXITS, FLOWERS, SPAWNS};
use super::tiled_file::{count_cells, read_bounded};
use super::world_file::{WorldFile, ZoneSettings};

/// Name of the spawn of new characters.
pub const START_SPAWN: &str = "start";
/// How far an edge may miss a tile's edge, in tiles, for an object drawn without snapping.
const EDGE_TOLERANCE: f32 = 0.01;

/// What is wrong with a map.
#[derive(Debug, thiserror::Error)]
pub enum MapFault {
    /// There is no such file.
    #[error("no such file: correct `map` in world.toml")]
    Absent,
    /// A file that the map names is not there.
    #[error("it names {}, which is no file: correct its tileset in Tiled", .0.display())]
    TilesetAbsent(PathBuf),
    /// The file, or one that it names, cannot be read as a Tiled file.
    #[error("not a Tiled map: {0}")]
    Unreadable(String),
    /// The map is of a kind that is not walked here.
    #[error("{0}")]
    Kind(&'static str),
    /// The map is too large.
    #[error("{width}×{height} tiles: a side has 1 to {MAX_MAP_SIDE}")]
    Size {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// A list is too long.
    #[error("{count} {what}: at most {limit}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The tileset breaks a rule.
    #[error("tileset {tileset:?}: {what}")]
    Tileset {
        /// Its name.
        tileset: String,
        /// Which rule.
        what: String,
    },
    /// A layer breaks a rule.
    #[error("layer {layer:?}: {what}")]
    Layer {
        /// Its name.
        layer: String,
        /// Which rule.
        what: String,
    },
    /// An object breaks a rule.
    #[error("layer {layer:?}, object {object}: {what}")]
    Object {
        /// The layer.
        layer: String,
        /// The object's name and number.
        object: String,
        /// Which rule.
        what: String,
    },
    /// All parts are there and do not make a map.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// Bakes the map of a zone. Exits to zones that `world` does not have are left out.
///
/// # Errors
/// Every fault of the map; at least one.
pub fn bake(path: &Path, zone: &ZoneSettings, world: &WorldFile) -> Result<ZoneMap, Vec<MapFault>> {
    let (mut parts, _) = read(path, zone)?;
    parts.exits.retain(|exit| world.zone(&exit.to).is_some());
    ZoneMap::new(parts).map_err(|error| vec![error.into()])
}

/// What a map has that does nothing, and may be meant so; none of a map with a fault.
#[must_use]
pub fn notes(path: &Path, zone: &ZoneSettings, world: &WorldFile) -> Vec<String> {
    let Ok((parts, unread)) = read(path, zone) else { return Vec::new() };
    let known = object_layers::all_in_words();
    let layer =
        |name| format!("layer {name:?} is taken as notes: the object layers read are {known}");
    // Zones are not changed yet, whether the other one is there or not.
    let exit = |exit: Exit| match world.zone(&exit.to) {
        Some(_) => format!("the exit to {} leads nowhere yet: zones cannot be changed", exit.to),
        None => format!("the exit to {} is left out of the map: no such [[zone]]", exit.to),
    };
    unread.into_iter().map(layer).chain(parts.exits.into_iter().map(exit)).collect()
}

/// The parts of a map, and the names of the object layers that are taken as notes.
fn read(path: &Path, zone: &ZoneSettings) -> Result<(ZoneMapParts, Vec<String>), Vec<MapFault>> {
    let text = read_bounded(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => vec![MapFault::Absent],
        _ => vec![unreadable(error)],
    })?;
    let cells = count_cells(&String::from_utf8_lossy(&text)).map_err(|fault| vec![fault])?;
    let map = tiled::Loader::with_reader(|path: &Path| read_bounded(path).map(Cursor::new))
        .load_tmx_map(path)
        .map_err(|error| vec![not_loaded(error)])?;
    let (width, height) = size_of(&map)?;
    let mut baker = Baker {
        faults: Vec::new(),
        width,
        height,
        tile_pixels: map.tile_width as f32,
        kinds: BTreeMap::new(),
        unread: Vec::new(),
        parts: ZoneMapParts {
            version: MAP_VERSION,
            zone: zone.id.clone(),
            name: zone.name.clone(),
            width,
            height,
            tileset: Tileset {
                image: String::new(),
                tile_pixels: 0,
                columns: 0,
                tiles: 0,
                animations: Vec::new(),
            },
            layers: Vec::new(),
            solid: vec![false; usize::from(width) * usize::from(height)],
            hazard: vec![false; usize::from(width) * usize::from(height)],
            spawns: Vec::new(),
            exits: Vec::new(),
            flowers: Vec::new(),
        },
    };
    baker.tilesets(&map);
    // Every cell exists only where each layer has as many as the map; asking for another
    // would fail inside the reader.
    let whole = cells.iter().all(|count| *count == baker.parts.solid.len());
    if !whole {
        let what = format!("{cells:?} cells in the tile layers of a map of {width}×{height}");
        baker.faults.push(MapFault::Unreadable(what));
    } else if baker.faults.is_empty() {
        for layer in map.layers() {
            baker.layer(&layer);
        }
        baker.sort_spawns();
    }
    if baker.faults.is_empty() { Ok((baker.parts, baker.unread)) } else { Err(baker.faults) }
}

fn not_loaded(error: tiled::Error) -> MapFault {
    match error {
        tiled::Error::ResourceLoadingError { path, err }
            if err.downcast_ref().map(std::io::Error::kind) == Some(ErrorKind::NotFound) =>
        {
            MapFault::TilesetAbsent(path)
        }
        other => unreadable(other),
    }
}

fn unreadable(error: impl std::fmt::Display) -> MapFault {
    MapFault::Unreadable(error.to_string())
}

fn size_of(map: &tiled::Map) -> Result<(u16, u16), Vec<MapFault>> {
    if map.infinite() {
        return Err(vec![MapFault::Kind("the map is infinite: in Tiled, untick Infinite")]);
    }
    if map.orientation != Orientation::Orthogonal {
        return Err(vec![MapFault::Kind("the map is not orthogonal: draw it on a square grid")]);
    }
    let side = |n: u32| u16::try_from(n).ok().filter(|n| (1..=MAX_MAP_SIDE).contains(n));
    match (side(map.width), side(map.height)) {
        (Some(width), Some(height)) => Ok((width, height)),
        _ => Err(vec![MapFault::Size { width: map.width, height: map.height }]),
    }
}

/// What a tile does to a body.
#[derive(Clone, Copy, Default)]
struct TileKind {
    solid: bool,
    hazard: bool,
}

struct Baker {
    faults: Vec<MapFault>,
    width: u16,
    height: u16,
    tile_pixels: f32,
    /// Tiles of the tileset, from 0, that do anything.
    kinds: BTreeMap<u32, TileKind>,
    /// Object layers that are taken as notes.
    unread: Vec<String>,
    parts: ZoneMapParts,
}

impl Baker {
    fn tilesets(&mut self, map: &tiled::Map) {
        let [tileset] = map.tilesets() else {
            let what = "the map needs exactly one tileset: move its tiles into tileset.tsx";
            return self.faults.push(MapFault::Kind(what));
        };
        let fault =
            |what: &str| MapFault::Tileset { tileset: tileset.name.clone(), what: what.to_owned() };
        let image = tileset.image.as_ref().and_then(|image| image.source.file_name());
        match image.and_then(|name| name.to_str()) {
            Some(name) => self.parts.tileset.image = name.to_owned(),
            None => self.faults.push(fault("it has no single picture: base it on one image")),
        }
        let square = tileset.tile_width == tileset.tile_height;
        if !square || tileset.tile_width != map.tile_width || map.tile_width != map.tile_height {
            self.faults.push(fault("its tiles are not square, or not of the map's tile size"));
        }
        if tileset.spacing != 0 || tileset.margin != 0 {
            self.faults.push(fault("its picture has a margin or spacing: remove it"));
        }
        let sizes = [tileset.tile_width, tileset.columns, tileset.tilecount].map(u16::try_from);
        if let [Ok(tile_pixels), Ok(columns), Ok(tiles)] = sizes {
            self.parts.tileset.tile_pixels = tile_pixels;
            self.parts.tileset.columns = columns;
            self.parts.tileset.tiles = tiles;
        } else {
            self.faults.push(fault("it has too many tiles"));
        }
        for (id, tile) in tileset.tiles() {
            let mut flag = |name: &str| match bool_property(&tile.properties, name) {
                Ok(flag) => flag,
                Err(what) => {
                    self.faults.push(fault(&format!("tile {id}: {what}")));
                    false
                }
            };
            let kind = TileKind { solid: flag("solid"), hazard: flag("hazard") };
            if kind.solid || kind.hazard {
                self.kinds.insert(id, kind);
            }
            let Some(frames) = &tile.animation else { continue };
            match animation(id, frames) {
                Some(animation) => self.parts.tileset.animations.push(animation),
                None => self.faults.push(fault(&format!("tile {id}: its animation is too long"))),
            }
        }
        // The tileset's own order is that of a hash map; the map's bytes must not be.
        self.parts.tileset.animations.sort_by_key(|animation| animation.tile);
    }

    fn layer(&mut self, layer: &tiled::Layer<'_>) {
        match layer.layer_type() {
            LayerType::Tiles(tiles) => self.tile_layer(layer, tiles),
            LayerType::Objects(objects) => match layer.name.as_str() {
                SPAWNS => self.spawns(&objects),
                EXITS => self.exits(&objects),
                FLOWERS => self.flowers(&objects),
                name => match object_layers::meant_by(name) {
                    Some(meant) => self.layer_fault(
                        layer,
                        &format!("not read: name it {meant:?}, or less like it if it is notes"),
                    ),
                    None => self.unread.push(name.to_owned()),
                },
            },
            LayerType::Image(_) | LayerType::Group(_) => {
                self.layer_fault(layer, "neither tiles nor objects: move its content to a layer");
            }
        }
    }

    fn tile_layer(&mut self, layer: &tiled::Layer<'_>, tiles: tiled::TileLayer<'_>) {
        if self.parts.layers.len() >= MAX_MAP_LAYERS {
            return self.layer_fault(layer, &format!("over {MAX_MAP_LAYERS} tile layers"));
        }
        let (width, height) = (u32::from(self.width), u32::from(self.height));
        if tiles.width() != Some(width) || tiles.height() != Some(height) {
            return self.layer_fault(layer, "it has not the size of the map");
        }
        let above = match bool_property(&layer.properties, "above") {
            Ok(above) => above,
            Err(what) => return self.layer_fault(layer, &what),
        };
        let mut cells = Vec::with_capacity(self.parts.solid.len());
        for y in 0..self.height {
            for x in 0..self.width {
                let cell = tiles.get_tile(x.into(), y.into());
                let tile = match cell.map(|cell| (cell.id(), is_turned(&cell))) {
                    None => 0,
                    Some((id, false)) => {
                        let kind = self.kinds.get(&id).copied().unwrap_or_default();
                        self.parts.solid[cells.len()] |= kind.solid;
                        self.parts.hazard[cells.len()] |= kind.hazard;
                        // One past the largest tile is refused by the map's own check.
                        u16::try_from(id + 1).unwrap_or(u16::MAX)
                    }
                    Some((_, true)) => {
                        let what = format!("the tile at {x},{y} is flipped or rotated: undo it");
                        return self.layer_fault(layer, &what);
                    }
                };
                cells.push(tile);
            }
        }
        self.parts.layers.push(TileLayer { name: layer.name.clone(), above, tiles: cells });
    }

    fn spawns(&mut self, layer: &tiled::ObjectLayer<'_>) {
        for object in self.bounded(SPAWNS, layer) {
            if let Some(tile) = self.point(SPAWNS, &object) {
                self.parts.spawns.push(Spawn { name: object.name.clone(), tile });
            }
        }
    }

    fn flowers(&mut self, layer: &tiled::ObjectLayer<'_>) {
        for object in self.bounded(FLOWERS, layer) {
            if let Some(tile) = self.point(FLOWERS, &object) {
                self.parts.flowers.push(tile);
            }
        }
    }

    fn exits(&mut self, layer: &tiled::ObjectLayer<'_>) {
        for object in self.bounded(EXITS, layer) {
            let to = match object.properties.get("zone") {
                Some(PropertyValue::StringValue(zone)) => zone.parse::<ZoneId>(),
                _ => {
                    self.object_fault(EXITS, &object, "add the string property zone");
                    continue;
                }
            };
            match (to, self.rectangle(&object)) {
                (Ok(to), Some((from_tile, to_tile))) => {
                    self.parts.exits.push(Exit { to, from_tile, to_tile });
                }
                (Err(error), _) => self.object_fault(EXITS, &object, &error.to_string()),
                (Ok(_), None) => {
                    self.object_fault(EXITS, &object, "draw a rectangle inside the map");
                }
            }
        }
    }

    /// The spawn of new characters goes first.
    fn sort_spawns(&mut self) {
        self.parts.spawns.sort_by_key(|spawn| spawn.name != START_SPAWN);
        if self.parts.spawns.first().is_none_or(|spawn| spawn.name != START_SPAWN) {
            let what = format!("no point named {START_SPAWN:?}: new characters begin there");
            self.faults.push(MapFault::Layer { layer: SPAWNS.to_owned(), what });
        }
    }

    fn bounded<'map>(
        &mut self,
        what: &'static str,
        layer: &tiled::ObjectLayer<'map>,
    ) -> Vec<tiled::Object<'map>> {
        let count = layer.objects().len();
        if count > MAX_MAP_OBJECTS {
            self.faults.push(MapFault::TooMany { what, count, limit: MAX_MAP_OBJECTS });
        }
        layer.objects().take(MAX_MAP_OBJECTS).collect()
    }

    fn point(&mut self, layer: &str, object: &tiled::Object<'_>) -> Option<Tile> {
        let tile = match object.shape {
            ObjectShape::Point(..) => self.tile_at(object.x, object.y),
            _ => None,
        };
        if tile.is_none() {
            self.object_fault(layer, object, "draw a point inside the map");
        }
        tile
    }

    fn tile_at(&self, x: f32, y: f32) -> Option<Tile> {
        let index = |pixels: f32, side: u16| {
            let tiles = pixels / self.tile_pixels;
            // A float becomes the nearest whole number that fits, so the test comes first.
            (tiles >= 0.0 && tiles < f32::from(side)).then_some(tiles as u16)
        };
        Some(Tile { x: index(x, self.width)?, y: index(y, self.height)? })
    }

    /// The tiles that a rectangle covers: first, last.
    fn rectangle(&self, object: &tiled::Object<'_>) -> Option<(Tile, Tile)> {
        let ObjectShape::Rect { width, height } = object.shape else { return None };
        let inside = EDGE_TOLERANCE * self.tile_pixels;
        let first = self.tile_at(object.x + inside, object.y + inside)?;
        let last = self.tile_at(object.x + width - inside, object.y + height - inside)?;
        (first.x <= last.x && first.y <= last.y).then_some((first, last))
    }

    fn layer_fault(&mut self, layer: &tiled::Layer<'_>, what: &str) {
        self.faults.push(MapFault::Layer { layer: layer.name.clone(), what: what.to_owned() });
    }

    fn object_fault(&mut self, layer: &str, object: &tiled::Object<'_>, what: &str) {
        self.faults.push(MapFault::Object {
            layer: layer.to_owned(),
            object: format!("{:?} (id {})", object.name, object.id()),
            what: what.to_owned(),
        });
    }
}

fn bool_property(properties: &Properties, name: &str) -> Result<bool, String> {
    match properties.get(name) {
        None => Ok(false),
        Some(PropertyValue::BoolValue(flag)) => Ok(*flag),
        Some(_) => Err(format!("property {name:?} is not of type bool")),
    }
}

fn is_turned(cell: &tiled::LayerTile<'_>) -> bool {
    cell.flip_h || cell.flip_v || cell.flip_d
}

fn animation(id: u32, frames: &[tiled::Frame]) -> Option<Animation> {
    let number = |id: u32| u16::try_from(id + 1).ok();
    let frame =
        |frame: &tiled::Frame| Some((number(frame.tile_id)?, u16::try_from(frame.duration).ok()?));
    Some(Animation { tile: number(id)?, frames: frames.iter().map(frame).collect::<Option<_>>()? })
}

#[cfg(test)]
#[path = "tiled_map_tests.rs"]
mod tests;
