//! A map under construction: corner terrain, layers of tile stacks, objects.

use std::collections::{BTreeMap, BTreeSet};

use super::kit::{Kit, Piece};
use super::paths::Paving;
use super::terrain::Level;
use super::tileset::{Id, Tileset};
use super::tmx::Finished;

/// The tile layers in drawing order; those from [`Layer::Over`] on lie above characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Layer {
    Ground,
    Detail,
    Structures,
    Over,
}

pub(crate) const LAYERS: [(Layer, &str); 4] = [
    (Layer::Ground, "ground"),
    (Layer::Detail, "detail"),
    (Layer::Structures, "structures"),
    (Layer::Over, "over"),
];

/// An object of an object layer, in tiles; without a size it is a point in the tile's middle.
pub(crate) struct Object {
    pub(crate) layer: &'static str,
    pub(crate) name: String,
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) size: Option<(i32, i32)>,
    pub(crate) properties: Vec<(&'static str, String)>,
}

/// Object layers in file order.
pub(crate) const OBJECT_LAYERS: [&str; 4] = ["spawns", "exits", "flowers", "signs"];

/// The map.
pub(crate) struct Map {
    pub(crate) w: i32,
    pub(crate) h: i32,
    levels: Vec<Level>,
    paving: BTreeMap<(i32, i32), Paving>,
    stacks: BTreeMap<(Layer, i32, i32), Vec<Id>>,
    fences: BTreeSet<(i32, i32)>,
    dock: BTreeSet<(i32, i32)>,
    /// Cells where something stands or that must stay open.
    taken: BTreeSet<(i32, i32)>,
    pub(crate) objects: Vec<Object>,
}

impl Map {
    /// A map whose corner terrain comes from a function; steps are made gentle.
    pub(crate) fn new(w: i32, h: i32, level: impl Fn(i32, i32) -> Level) -> Self {
        let mut levels: Vec<Level> =
            (0..=h).flat_map(|y| (0..=w).map(move |x| (x, y))).map(|(x, y)| level(x, y)).collect();
        const STEPS: [Level; 5] =
            [Level::Deep, Level::Shallow, Level::Sand, Level::Grass, Level::Lush];
        let stride = w + 1;
        for _ in 0..8 {
            let before = levels.clone();
            for y in 0..=h {
                for x in 0..=w {
                    let mut cap = Level::Lush as usize;
                    for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
                        let (nx, ny) = ((x + dx).clamp(0, w), (y + dy).clamp(0, h));
                        cap = cap.min(before[(ny * stride + nx) as usize] as usize + 1);
                    }
                    let here = &mut levels[(y * stride + x) as usize];
                    *here = STEPS[(*here as usize).min(cap)];
                }
            }
        }
        Self {
            w,
            h,
            levels,
            paving: BTreeMap::new(),
            stacks: BTreeMap::new(),
            fences: BTreeSet::new(),
            dock: BTreeSet::new(),
            taken: BTreeSet::new(),
            objects: Vec::new(),
        }
    }

    fn corner(&self, x: i32, y: i32) -> Level {
        self.levels[(y.clamp(0, self.h) * (self.w + 1) + x.clamp(0, self.w)) as usize]
    }

    fn corners(&self, x: i32, y: i32) -> [Level; 4] {
        [self.corner(x, y), self.corner(x + 1, y), self.corner(x + 1, y + 1), self.corner(x, y + 1)]
    }

    /// The cell's terrain if all its corners agree on at least this level.
    pub(crate) fn at_least(&self, x: i32, y: i32, level: Level) -> bool {
        self.corners(x, y).iter().all(|corner| *corner >= level)
    }

    pub(crate) fn at_most(&self, x: i32, y: i32, level: Level) -> bool {
        self.corners(x, y).iter().all(|corner| *corner <= level)
    }

    /// Lays paving over the cells of a rectangle; its edge runs half a tile outwards.
    pub(crate) fn pave(&mut self, paving: Paving, x: i32, y: i32, w: i32, h: i32) {
        for vy in y..=y + h {
            for vx in x..=x + w {
                if paving == Paving::Cobble || !self.paving.contains_key(&(vx, vy)) {
                    self.paving.insert((vx, vy), paving);
                }
            }
        }
    }

    /// Any paving at the cell, its ragged edge included.
    pub(crate) fn is_paved(&self, x: i32, y: i32) -> bool {
        [(0, 0), (1, 0), (1, 1), (0, 1)]
            .iter()
            .any(|(dx, dy)| self.paving.contains_key(&(x + dx, y + dy)))
    }

    pub(crate) fn put(&mut self, layer: Layer, x: i32, y: i32, id: Id) {
        if (0..self.w).contains(&x) && (0..self.h).contains(&y) {
            self.stacks.entry((layer, x, y)).or_default().push(id);
        }
    }

    /// Puts a tile down and keeps others off it.
    pub(crate) fn plant(&mut self, layer: Layer, x: i32, y: i32, id: Id) {
        self.put(layer, x, y, id);
        self.taken.insert((x, y));
    }

    /// Places a piece by its upper left cell.
    pub(crate) fn place(&mut self, piece: &Piece, x: i32, y: i32) {
        for dy in 0..piece.stamp.h {
            for dx in 0..piece.stamp.w {
                if let Some(id) = piece.stamp.at(dx, dy) {
                    let layer = if dy < piece.over_rows { Layer::Over } else { Layer::Structures };
                    self.put(layer, x + dx, y + dy, id);
                }
                if dy >= piece.over_rows {
                    self.taken.insert((x + dx, y + dy));
                }
            }
        }
    }

    /// Places a piece so that its foot row stands at `y`, its middle column at `x`.
    pub(crate) fn stand(&mut self, piece: &Piece, x: i32, y: i32) {
        self.place(piece, x - (piece.stamp.w - 1) / 2, y - piece.stamp.h + 1);
    }

    pub(crate) fn is_taken(&self, x: i32, y: i32) -> bool {
        self.taken.contains(&(x, y))
    }

    /// What is taken so far; woods may grow over each other but not over this.
    pub(crate) fn taken(&self) -> BTreeSet<(i32, i32)> {
        self.taken.clone()
    }

    /// Lays a piece flat on the ground, under everything that stands.
    pub(crate) fn inlay(&mut self, piece: &Piece, x: i32, y: i32) {
        for dy in 0..piece.stamp.h {
            for dx in 0..piece.stamp.w {
                if let Some(id) = piece.stamp.at(dx, dy) {
                    self.put(Layer::Detail, x + dx, y + dy, id);
                }
            }
        }
    }

    pub(crate) fn reserve(&mut self, x: i32, y: i32, w: i32, h: i32) {
        for cy in y..y + h {
            for cx in x..x + w {
                self.taken.insert((cx, cy));
            }
        }
    }

    /// A straight run of fence.
    pub(crate) fn fence(&mut self, x: i32, y: i32, w: i32, h: i32) {
        for cy in y..y + h {
            for cx in x..x + w {
                self.fences.insert((cx, cy));
                self.taken.insert((cx, cy));
            }
        }
    }

    /// Opens a gate in a fence.
    pub(crate) fn gate(&mut self, x: i32, y: i32) {
        self.fences.remove(&(x, y));
    }

    pub(crate) fn dock(&mut self, x: i32, y: i32, w: i32, h: i32) {
        for cy in y..y + h {
            for cx in x..x + w {
                self.dock.insert((cx, cy));
            }
        }
    }

    pub(crate) fn object(
        &mut self,
        layer: &'static str,
        name: &str,
        x: i32,
        y: i32,
    ) -> &mut Object {
        self.objects.push(Object {
            layer,
            name: name.to_owned(),
            x,
            y,
            size: None,
            properties: Vec::new(),
        });
        let last = self.objects.len() - 1;
        &mut self.objects[last]
    }

    /// Resolves terrain, paving, fences and docks, and flattens stacks into single tiles.
    pub(crate) fn finish(mut self, kit: &Kit, set: &mut Tileset) -> Finished {
        let (w, h) = (self.w, self.h);
        let mut cells: BTreeMap<Layer, Vec<Option<Id>>> =
            LAYERS.iter().map(|(layer, _)| (*layer, vec![None; (w * h) as usize])).collect();
        let mut laid: BTreeMap<(Layer, i32, i32), Vec<Id>> = BTreeMap::new();
        for (x, y) in (0..h).flat_map(|y| (0..w).map(move |x| (x, y))) {
            let docked = self.dock.contains(&(x, y));
            laid.entry((Layer::Ground, x, y)).or_default().push(if docked {
                kit.terrain.under_dock
            } else {
                kit.terrain.tile(self.corners(x, y), x, y)
            });
            if docked {
                let open = |dx, dy| !self.dock.contains(&(x + dx, y + dy));
                let wet = |dx, dy| open(dx, dy) && !self.at_least(x + dx, y + dy, Level::Sand);
                let bits = usize::from(wet(0, -1))
                    | usize::from(wet(1, 0)) << 1
                    | usize::from(wet(0, 1)) << 2
                    | usize::from(wet(-1, 0)) << 3;
                laid.entry((Layer::Detail, x, y))
                    .or_default()
                    .push(kit.dock[bits][((x + y * 2) % 2) as usize]);
                if wet(0, 1) {
                    let end = |dx: i32| !self.dock.contains(&(x + dx, y));
                    let pillar = if end(-1) {
                        0
                    } else if end(1) {
                        2
                    } else {
                        1
                    };
                    if pillar != 1 || x % 3 == 0 {
                        laid.entry((Layer::Detail, x, y + 1))
                            .or_default()
                            .push(kit.pillars[pillar]);
                    }
                }
                continue;
            }
            for paving in [Paving::Earth, Paving::Cobble] {
                // Earth runs on below cobbles, so that the two meet without a gap.
                let has = |vx: i32, vy: i32| {
                    self.paving.get(&(vx, vy)).is_some_and(|p| {
                        *p == paving || (paving == Paving::Earth && self.near_earth(vx, vy))
                    })
                };
                let mask = u8::from(has(x, y))
                    | u8::from(has(x + 1, y)) << 1
                    | u8::from(has(x + 1, y + 1)) << 2
                    | u8::from(has(x, y + 1)) << 3;
                let cobble_covers = paving == Paving::Earth
                    && [(0, 0), (1, 0), (1, 1), (0, 1)].iter().all(|(dx, dy)| {
                        self.paving.get(&(x + dx, y + dy)) == Some(&Paving::Cobble)
                    });
                if mask != 0 && !cobble_covers {
                    laid.entry((Layer::Detail, x, y))
                        .or_default()
                        .push(kit.paths.tile(paving, mask, x, y));
                }
            }
            if self.fences.contains(&(x, y)) {
                let link = |dx, dy| self.fences.contains(&(x + dx, y + dy));
                let bits = usize::from(link(0, -1))
                    | usize::from(link(1, 0)) << 1
                    | usize::from(link(0, 1)) << 2
                    | usize::from(link(-1, 0)) << 3;
                laid.entry((Layer::Structures, x, y)).or_default().push(kit.fences[bits]);
            }
        }
        for (key, ids) in std::mem::take(&mut self.stacks) {
            laid.entry(key).or_default().extend(ids);
        }
        for ((layer, x, y), ids) in laid {
            let id = if ids.len() == 1 { ids[0] } else { set.composite(&ids) };
            if let Some(layer) = cells.get_mut(&layer) {
                layer[(y * w + x) as usize] = Some(id);
            }
        }
        Finished { w, h, cells, objects: self.objects }
    }

    fn near_earth(&self, x: i32, y: i32) -> bool {
        [(-1, 0), (1, 0), (0, -1), (0, 1)]
            .iter()
            .any(|(dx, dy)| self.paving.get(&(x + dx, y + dy)) == Some(&Paving::Earth))
    }
}
