//! The tile sheet under construction: tiles by id, their properties, and Tiled's tileset file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::canvas::Canvas;
use super::palette::CLEAR;

/// Side of a tile in pixels.
pub(crate) const TILE: i32 = 16;
/// Tiles in a row of the sheet.
pub(crate) const COLUMNS: i32 = 16;
/// More tiles than this make the sheet too heavy for a first visit.
pub(crate) const MAX_TILES: usize = 1600;

/// A tile's index in the sheet, without Tiled's `firstgid`.
pub(crate) type Id = u32;

/// What code needs to know about a tile.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Props {
    pub(crate) solid: bool,
    pub(crate) hazard: bool,
}

pub(crate) const FREE: Props = Props { solid: false, hazard: false };
pub(crate) const SOLID: Props = Props { solid: true, hazard: false };
pub(crate) const HAZARD: Props = Props { solid: false, hazard: true };

/// A drawing cut into tiles; `None` where it is clear.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(crate) w: i32,
    pub(crate) h: i32,
    pub(crate) ids: Vec<Option<Id>>,
}

impl Stamp {
    pub(crate) fn at(&self, x: i32, y: i32) -> Option<Id> {
        self.ids.get((y * self.w + x) as usize).copied().flatten()
    }
}

#[derive(Clone, Debug)]
struct Tile {
    art: Canvas,
    props: Props,
    frames: Vec<(Id, u32)>,
}

/// All tiles so far. Equal static tiles with equal properties share one id.
#[derive(Default)]
pub(crate) struct Tileset {
    tiles: Vec<Tile>,
    known: BTreeMap<(Vec<u8>, Props), Id>,
}

impl Tileset {
    /// Adds a static tile, or finds the equal one.
    pub(crate) fn add(&mut self, art: Canvas, props: Props) -> Id {
        let key = (art.px.clone(), props);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.push(art, props);
        self.known.insert(key, id);
        id
    }

    /// Adds an animated tile; its first frame is the tile itself, the rest follow in the sheet.
    pub(crate) fn add_animated(&mut self, frames: Vec<Canvas>, millis: u32, props: Props) -> Id {
        let ids: Vec<Id> = frames.into_iter().map(|art| self.push(art, props)).collect();
        let first = ids[0];
        self.tiles[first as usize].frames = ids.into_iter().map(|id| (id, millis)).collect();
        first
    }

    fn push(&mut self, art: Canvas, props: Props) -> Id {
        assert!(art.w == TILE && art.h == TILE, "tiles are {TILE} pixels square");
        self.tiles.push(Tile { art, props, frames: Vec::new() });
        self.tiles.len() as Id - 1
    }

    /// Cuts a drawing into tiles; `props` gives each cell's properties.
    pub(crate) fn stamp(&mut self, art: &Canvas, props: impl Fn(i32, i32) -> Props) -> Stamp {
        self.stamp_animated(std::slice::from_ref(art), 0, props)
    }

    /// Cuts an animated drawing into tiles; cells that don't move become static tiles.
    pub(crate) fn stamp_animated(
        &mut self,
        frames: &[Canvas],
        millis: u32,
        props: impl Fn(i32, i32) -> Props,
    ) -> Stamp {
        let (w, h) = (frames[0].w / TILE, frames[0].h / TILE);
        let mut ids = Vec::new();
        for y in 0..h {
            for x in 0..w {
                let cells: Vec<Canvas> =
                    frames.iter().map(|f| f.crop(x * TILE, y * TILE, TILE, TILE)).collect();
                let moves = cells.iter().any(|cell| *cell != cells[0]);
                ids.push(if cells.iter().all(Canvas::is_clear) {
                    None
                } else if moves {
                    Some(self.add_animated(cells, millis, props(x, y)))
                } else {
                    Some(self.add(cells[0].clone(), props(x, y)))
                });
            }
        }
        Stamp { w, h, ids }
    }

    /// One tile that shows several on top of each other.
    pub(crate) fn composite(&mut self, stack: &[Id]) -> Id {
        let mut props = FREE;
        let mut art = Canvas::new(TILE, TILE);
        let mut moving = None;
        for id in stack {
            let tile = &self.tiles[*id as usize];
            props.solid |= tile.props.solid;
            props.hazard |= tile.props.hazard;
            if !tile.frames.is_empty() {
                moving = Some(tile.frames.clone());
            }
        }
        if let Some(frames) = moving {
            let arts = (0..frames.len()).map(|n| {
                let mut art = Canvas::new(TILE, TILE);
                for id in stack {
                    let tile = &self.tiles[*id as usize];
                    let frame = tile.frames.get(n).map_or(*id, |(frame, _)| *frame);
                    art.blit(&self.tiles[frame as usize].art, 0, 0);
                }
                art
            });
            let arts: Vec<Canvas> = arts.collect();
            return self.add_animated(arts, frames[0].1, props);
        }
        for id in stack {
            art.blit(&self.tiles[*id as usize].art, 0, 0);
        }
        self.add(art, props)
    }

    pub(crate) fn len(&self) -> usize {
        self.tiles.len()
    }

    pub(crate) fn props(&self, id: Id) -> Props {
        self.tiles[id as usize].props
    }

    /// The frames of an animated tile, with their durations in milliseconds.
    pub(crate) fn frames(&self, id: Id) -> &[(Id, u32)] {
        &self.tiles[id as usize].frames
    }

    /// The sheet: [`COLUMNS`] tiles a row, no spacing.
    pub(crate) fn sheet(&self) -> Canvas {
        let rows = (self.tiles.len() as i32 + COLUMNS - 1) / COLUMNS;
        let mut sheet = Canvas::new(COLUMNS * TILE, rows * TILE);
        for (i, tile) in self.tiles.iter().enumerate() {
            let (x, y) = (i as i32 % COLUMNS, i as i32 / COLUMNS);
            for dy in 0..TILE {
                for dx in 0..TILE {
                    sheet.set(x * TILE + dx, y * TILE + dy, tile.art.get(dx, dy));
                }
            }
        }
        debug_assert!(sheet.px.iter().any(|px| *px != CLEAR));
        sheet
    }

    /// Tiled's tileset file.
    pub(crate) fn tsx(&self) -> String {
        let sheet = self.sheet();
        let count = sheet.h / TILE * COLUMNS;
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let _ = writeln!(
            out,
            "<tileset version=\"1.10\" tiledversion=\"1.10.2\" name=\"tileset\" tilewidth=\"{TILE}\" tileheight=\"{TILE}\" tilecount=\"{count}\" columns=\"{COLUMNS}\">"
        );
        let _ = writeln!(
            out,
            " <image source=\"../../web-client/assets/tileset.png\" width=\"{}\" height=\"{}\"/>",
            sheet.w, sheet.h
        );
        for (id, tile) in self.tiles.iter().enumerate() {
            if tile.props == FREE && tile.frames.is_empty() {
                continue;
            }
            let _ = writeln!(out, " <tile id=\"{id}\">");
            if tile.props != FREE {
                out.push_str("  <properties>\n");
                for (name, on) in [("hazard", tile.props.hazard), ("solid", tile.props.solid)] {
                    if on {
                        let _ = writeln!(
                            out,
                            "   <property name=\"{name}\" type=\"bool\" value=\"true\"/>"
                        );
                    }
                }
                out.push_str("  </properties>\n");
            }
            if !tile.frames.is_empty() {
                out.push_str("  <animation>\n");
                for (frame, millis) in &tile.frames {
                    let _ = writeln!(out, "   <frame tileid=\"{frame}\" duration=\"{millis}\"/>");
                }
                out.push_str("  </animation>\n");
            }
            out.push_str(" </tile>\n");
        }
        out.push_str("</tileset>\n");
        out
    }
}
