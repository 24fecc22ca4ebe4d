//! A finished map: what can be walked on it, and Tiled's map file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::map::{LAYERS, Layer, OBJECT_LAYERS, Object};
use super::tileset::{Id, TILE, Tileset};

/// A map with one tile a cell and layer.
pub(crate) struct Finished {
    pub(crate) w: i32,
    pub(crate) h: i32,
    pub(crate) cells: BTreeMap<Layer, Vec<Option<Id>>>,
    pub(crate) objects: Vec<Object>,
}

impl Finished {
    /// Whether any layer blocks the cell.
    pub(crate) fn solid(&self, set: &Tileset, x: i32, y: i32) -> bool {
        !(0..self.w).contains(&x)
            || !(0..self.h).contains(&y)
            || self
                .cells
                .values()
                .any(|layer| layer[(y * self.w + x) as usize].is_some_and(|id| set.props(id).solid))
    }

    /// Everything that can be reached on foot from a cell without being hurt.
    pub(crate) fn reachable(&self, set: &Tileset, from: (i32, i32)) -> BTreeSet<(i32, i32)> {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some((x, y)) = open.pop() {
            for next in [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)] {
                if !self.solid(set, next.0, next.1)
                    && !self.hazard(set, next.0, next.1)
                    && seen.insert(next)
                {
                    open.push(next);
                }
            }
        }
        seen
    }

    /// What is wrong with the map: places that players need and can't reach, broken tiles.
    pub(crate) fn faults(&self, set: &Tileset) -> Vec<String> {
        let mut faults = Vec::new();
        let Some(start) = self.objects.iter().find(|object| object.name == "start") else {
            return vec!["there is no spawn named start".to_owned()];
        };
        let seen = self.reachable(set, (start.x, start.y));
        for object in self.objects.iter().filter(|object| object.layer != "signs") {
            let (w, h) = object.size.unwrap_or((1, 1));
            for (x, y) in (0..h).flat_map(|dy| (0..w).map(move |dx| (object.x + dx, object.y + dy)))
            {
                if self.solid(set, x, y) || !seen.contains(&(x, y)) {
                    faults.push(format!("{} at {x},{y} can't be reached", object.name));
                }
                if self.hazard(set, x, y) {
                    faults.push(format!("{} at {x},{y} hurts", object.name));
                }
            }
        }
        let free = (0..self.h)
            .flat_map(|y| (0..self.w).map(move |x| (x, y)))
            .filter(|(x, y)| !self.solid(set, *x, *y))
            .count();
        if seen.len() * 100 < free * 90 {
            faults.push(format!("only {} of {free} free tiles are connected", seen.len()));
        }
        faults
    }

    /// Whether any layer hurts at the cell.
    pub(crate) fn hazard(&self, set: &Tileset, x: i32, y: i32) -> bool {
        self.cells.values().any(|layer| {
            layer
                .get((y * self.w + x) as usize)
                .copied()
                .flatten()
                .is_some_and(|id| set.props(id).hazard)
        })
    }

    /// Tiled's map file; `first` is the tileset's first global id.
    pub(crate) fn tmx(&self) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        let (w, h) = (self.w, self.h);
        let next_layer = LAYERS.len() + OBJECT_LAYERS.len() + 1;
        let _ = writeln!(
            out,
            "<map version=\"1.10\" tiledversion=\"1.10.2\" orientation=\"orthogonal\" renderorder=\"right-down\" width=\"{w}\" height=\"{h}\" tilewidth=\"{TILE}\" tileheight=\"{TILE}\" infinite=\"0\" nextlayerid=\"{next_layer}\" nextobjectid=\"{}\">",
            self.objects.len() + 1
        );
        out.push_str(" <tileset firstgid=\"1\" source=\"tileset.tsx\"/>\n");
        for (n, (layer, name)) in LAYERS.iter().enumerate() {
            let _ = writeln!(
                out,
                " <layer id=\"{}\" name=\"{name}\" width=\"{w}\" height=\"{h}\">",
                n + 1
            );
            if *layer >= Layer::Over {
                out.push_str("  <properties>\n   <property name=\"above\" type=\"bool\" value=\"true\"/>\n  </properties>\n");
            }
            out.push_str("  <data encoding=\"csv\">\n");
            let rows: Vec<String> = self.cells[layer]
                .chunks(w as usize)
                .map(|row| {
                    row.iter()
                        .map(|id| id.map_or(0, |id| id + 1).to_string())
                        .collect::<Vec<_>>()
                        .join(",")
                })
                .collect();
            out.push_str(&rows.join(",\n"));
            out.push_str("\n</data>\n </layer>\n");
        }
        let mut id = 0;
        for (n, name) in OBJECT_LAYERS.iter().enumerate() {
            let _ = writeln!(out, " <objectgroup id=\"{}\" name=\"{name}\">", LAYERS.len() + n + 1);
            for object in self.objects.iter().filter(|object| object.layer == *name) {
                id += 1;
                let (x, y) = (object.x * TILE, object.y * TILE);
                match object.size {
                    Some((ow, oh)) => {
                        let _ = writeln!(
                            out,
                            "  <object id=\"{id}\" name=\"{}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\">",
                            object.name,
                            ow * TILE,
                            oh * TILE
                        );
                    }
                    None => {
                        let _ = writeln!(
                            out,
                            "  <object id=\"{id}\" name=\"{}\" x=\"{}\" y=\"{}\">",
                            object.name,
                            x + TILE / 2,
                            y + TILE / 2
                        );
                    }
                }
                if !object.properties.is_empty() {
                    out.push_str("   <properties>\n");
                    for (key, value) in &object.properties {
                        let _ = writeln!(out, "    <property name=\"{key}\" value=\"{value}\"/>");
                    }
                    out.push_str("   </properties>\n");
                }
                if object.size.is_none() {
                    out.push_str("   <point/>\n");
                }
                out.push_str("  </object>\n");
            }
            out.push_str(" </objectgroup>\n");
        }
        out.push_str("</map>\n");
        out
    }
}
