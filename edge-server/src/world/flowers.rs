//! Which flowers of a zone glow. A picked one glows again after a fixed number of ticks.

use std::collections::BTreeMap;

use shared::limits::{FLOWER_REGROWS_AFTER, GATHER_REACH_TILES, TICK};
use shared::world::Position;
use shared::world::map::ZoneMap;

/// Ticks for which a picked flower does not glow.
pub const FLOWER_REGROW_TICKS: u32 = (FLOWER_REGROWS_AFTER.as_millis() / TICK.as_millis()) as u32;

/// A flower that was picked, so that it can be given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickedFlower {
    index: u16,
    /// The tick in which it glows again; it also tells this picking from a later one.
    glows_at: u32,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Flowers {
    /// Those that do not glow, with the tick in which they do again.
    picked: BTreeMap<u16, u32>,
    version: u64,
}

impl Flowers {
    /// All of them glow.
    pub(super) fn new() -> Self {
        Self { picked: BTreeMap::new(), version: 1 }
    }

    /// Picks the glowing flower nearest to a place; of equally near ones the first of the
    /// map. `None` where none is within reach.
    pub(super) fn pick(&mut self, map: &ZoneMap, at: Position, tick: u32) -> Option<PickedFlower> {
        let tile = at.tile();
        let nearest = (0u16..)
            .zip(&map.parts().flowers)
            .filter(|(index, flower)| {
                !self.picked.contains_key(index)
                    && flower.x.abs_diff(tile.x) <= GATHER_REACH_TILES
                    && flower.y.abs_diff(tile.y) <= GATHER_REACH_TILES
            })
            .min_by_key(|(_, flower)| {
                let center = flower.center();
                let (dx, dy) = (center.x - at.x, center.y - at.y);
                dx * dx + dy * dy
            });
        let (index, _) = nearest?;
        let glows_at = tick.saturating_add(FLOWER_REGROW_TICKS);
        self.picked.insert(index, glows_at);
        self.version += 1;
        Some(PickedFlower { index, glows_at })
    }

    /// Makes a picked flower glow again at once. One that has regrown meanwhile is left alone,
    /// whoever has picked it since.
    pub(super) fn give_back(&mut self, picked: PickedFlower) {
        if self.picked.get(&picked.index) == Some(&picked.glows_at) {
            self.picked.remove(&picked.index);
            self.version += 1;
        }
    }

    /// Makes those glow whose time has come.
    pub(super) fn regrow(&mut self, tick: u32) {
        let before = self.picked.len();
        self.picked.retain(|_, glows_at| *glows_at > tick);
        if self.picked.len() != before {
            self.version += 1;
        }
    }

    /// Those that do not glow, ascending.
    pub(super) fn picked(&self) -> Vec<u16> {
        self.picked.keys().copied().collect()
    }

    /// Changes whenever a flower does; never 0.
    pub(super) fn version(&self) -> u64 {
        self.version
    }
}
