//! A zone's tiles, drawn once into two canvases: what lies below the characters and what
//! stands above them. Cells with moving tiles are drawn again when their picture changes,
//! and only while they are in view.

use std::rc::Rc;

use shared::world::map::ZoneMap;
use web_sys::CanvasRenderingContext2d;

use super::art::Picture;
use super::camera::View;
use super::surface::{Rect, Surface};

/// Heights of a body over its feet, in art pixels, at which it may be hidden: legs, head.
const BODY_HEIGHTS: [f64; 2] = [2.0, 12.0];

/// A zone's tiles, ready to be drawn.
#[derive(Debug)]
pub struct Tilemap {
    map: Rc<ZoneMap>,
    picture: Picture,
    below: Surface,
    above: Surface,
    /// By tile number: whether its picture changes over time.
    is_moving: Vec<bool>,
    /// Row by row: whether the cell has a moving tile, and if so what it shows.
    moving: Vec<Option<u32>>,
    /// By tile number: the tile to draw now.
    current: Vec<u16>,
}

/// Columns and rows of cells, the end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRange {
    /// First column.
    pub left: u16,
    /// First row.
    pub top: u16,
    /// Column after the last.
    pub right: u16,
    /// Row after the last.
    pub bottom: u16,
}

impl CellRange {
    /// Every cell, row by row.
    pub fn cells(self) -> impl Iterator<Item = (u16, u16)> {
        (self.top..self.bottom).flat_map(move |y| (self.left..self.right).map(move |x| (x, y)))
    }
}

impl Tilemap {
    /// Draws the whole map. `None` where the browser gives no canvas that large.
    #[must_use]
    pub fn new(map: Rc<ZoneMap>, picture: Picture) -> Option<Self> {
        let parts = map.parts();
        let side = u32::from(parts.tileset.tile_pixels);
        let canvas =
            || Surface::in_memory(u32::from(parts.width) * side, u32::from(parts.height) * side);
        let (below, above) = (canvas()?, canvas()?);
        let mut is_moving = vec![false; usize::from(parts.tileset.tiles) + 1];
        for animation in &parts.tileset.animations {
            is_moving[usize::from(animation.tile)] = true;
        }
        let cells = usize::from(parts.width) * usize::from(parts.height);
        let moving = (0..cells)
            .map(|i| {
                let moves = |tile: u16| is_moving[usize::from(tile)];
                parts.layers.iter().any(|layer| moves(layer.tiles[i])).then_some(0)
            })
            .collect();
        let current = (0..=parts.tileset.tiles).collect();
        let (right, bottom) = (parts.width, parts.height);
        let tilemap =
            Self { map: Rc::clone(&map), picture, below, above, is_moving, moving, current };
        for (x, y) in (CellRange { left: 0, top: 0, right, bottom }).cells() {
            tilemap.draw_cell(x, y);
        }
        Some(tilemap)
    }

    /// The size of the map in art pixels.
    #[must_use]
    pub fn size(&self) -> (f64, f64) {
        let parts = self.map.parts();
        let side = f64::from(parts.tileset.tile_pixels);
        (f64::from(parts.width) * side, f64::from(parts.height) * side)
    }

    /// The cells that a view shows.
    #[must_use]
    pub fn visible_cells(&self, view: &View) -> CellRange {
        let visible = view.visible(self.size());
        let side = f64::from(self.map.parts().tileset.tile_pixels);
        CellRange {
            left: (visible.x / side).floor() as u16,
            top: (visible.y / side).floor() as u16,
            right: ((visible.x + visible.width) / side).ceil() as u16,
            bottom: ((visible.y + visible.height) / side).ceil() as u16,
        }
    }

    /// Whether the ground of a cell moves by itself, as water does.
    #[must_use]
    pub fn is_water(&self, x: u16, y: u16) -> bool {
        let parts = self.map.parts();
        let i = self.index(x, y);
        let ground = parts.layers.first().and_then(|layer| layer.tiles.get(i));
        ground.is_some_and(|tile| self.is_moving[usize::from(*tile)])
    }

    /// Whether what stands above the characters hides a body with its feet at that point of
    /// the map, in art pixels.
    #[must_use]
    pub fn hides_body(&self, feet: (f64, f64)) -> bool {
        BODY_HEIGHTS.into_iter().any(|up| self.is_covered(feet.0, feet.1 - up))
    }

    fn is_covered(&self, x: f64, y: f64) -> bool {
        let parts = self.map.parts();
        let side = f64::from(parts.tileset.tile_pixels);
        let (x, y) = ((x / side).floor(), (y / side).floor());
        if !(0.0..f64::from(parts.width)).contains(&x)
            || !(0.0..f64::from(parts.height)).contains(&y)
        {
            return false;
        }
        let i = self.index(x as u16, y as u16);
        parts.layers.iter().any(|layer| layer.above && layer.tiles[i] != 0)
    }

    /// Brings the moving tiles in view to the moment `now`, in milliseconds.
    pub fn animate(&mut self, now: f64, cells: CellRange) {
        let Self { map, current, .. } = self;
        for animation in &map.parts().tileset.animations {
            current[usize::from(animation.tile)] = tile_at(&animation.frames, now);
        }
        for (x, y) in cells.cells() {
            let i = self.index(x, y);
            let Some(shown) = self.moving[i] else { continue };
            let wanted = self.signature(i);
            if shown != wanted {
                self.moving[i] = Some(wanted);
                self.draw_cell(x, y);
            }
        }
    }

    /// Draws the part below the characters.
    pub fn draw_below(&self, to: &CanvasRenderingContext2d, part: Rect) {
        self.below.blit(to, part, part.x, part.y);
    }

    /// Draws the part above the characters.
    pub fn draw_above(&self, to: &CanvasRenderingContext2d, part: Rect) {
        self.above.blit(to, part, part.x, part.y);
    }

    fn index(&self, x: u16, y: u16) -> usize {
        usize::from(y) * usize::from(self.map.parts().width) + usize::from(x)
    }

    /// Tells the pictures of a cell apart: never 0, which stands for "not yet drawn".
    fn signature(&self, i: usize) -> u32 {
        let layers = &self.map.parts().layers;
        layers.iter().fold(1, |all, layer| {
            let tile = self.current[usize::from(layer.tiles[i])];
            (all ^ u32::from(tile)).wrapping_mul(16_777_619) | 1
        })
    }

    fn draw_cell(&self, x: u16, y: u16) {
        let parts = self.map.parts();
        let side = f64::from(parts.tileset.tile_pixels);
        let (left, top) = (f64::from(x) * side, f64::from(y) * side);
        for surface in [&self.below, &self.above] {
            surface.context.clear_rect(left, top, side, side);
        }
        for layer in &parts.layers {
            let tile = self.current[usize::from(layer.tiles[self.index(x, y)])];
            let Some(picture) = tile.checked_sub(1) else { continue };
            let columns = parts.tileset.columns;
            let from = Rect {
                x: f64::from(picture % columns) * side,
                y: f64::from(picture / columns) * side,
                width: side,
                height: side,
            };
            let surface = if layer.above { &self.above } else { &self.below };
            self.picture.draw(&surface.context, from, left, top);
        }
    }
}

/// Which tile of an animation shows at a moment.
fn tile_at(frames: &[(u16, u16)], now: f64) -> u16 {
    let cycle: f64 = frames.iter().map(|(_, millis)| f64::from(*millis)).sum();
    let mut left = now.rem_euclid(cycle);
    for (tile, millis) in frames {
        left -= f64::from(*millis);
        if left < 0.0 {
            return *tile;
        }
    }
    frames.last().map_or(0, |(tile, _)| *tile)
}
