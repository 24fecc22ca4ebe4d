//! Every reusable tile and stamp, cut once in a fixed order so that tile ids stay put.

use super::boats;
use super::buildings::{BLUE_TILES, Cottage, GOLD_THATCH, GREEN_TILES, PLUM_TILES, RED_TILES};
use super::landmarks::{self, GLOW_MILLIS};
use super::lively;
use super::nature;
use super::palette::*;
use super::paths::{self, DockSides, Paths};
use super::props;
use super::terrain::{Terrain, WATER_FRAMES, WATER_MILLIS};
use super::tileset::{FREE, HAZARD, Id, Props, SOLID, Stamp, Tileset};
use super::trees::{self, Tree};

/// A stamp and how many of its upper rows are drawn over characters.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) stamp: Stamp,
    pub(crate) over_rows: i32,
}

/// The village's parts.
pub(crate) struct Kit {
    pub(crate) terrain: Terrain,
    pub(crate) paths: Paths,
    pub(crate) dock: Vec<Vec<Id>>,
    pub(crate) pillars: Vec<Id>,
    pub(crate) fences: Vec<Id>,
    pub(crate) growth: Vec<Id>,
    pub(crate) blooms: Vec<Id>,
    pub(crate) beds: Vec<Id>,
    pub(crate) vegetables: Vec<Id>,
    pub(crate) flotsam: Vec<Id>,
    pub(crate) brambles: Vec<Id>,
    pub(crate) sea_rocks: Vec<Piece>,
    pub(crate) reeds: Vec<Id>,
    pub(crate) lilies: Id,
    pub(crate) oaks: Vec<Piece>,
    pub(crate) lindens: Vec<Piece>,
    pub(crate) apples: Vec<Piece>,
    pub(crate) blossom: Piece,
    pub(crate) small_blossom: Piece,
    pub(crate) maple: Piece,
    pub(crate) saplings: Vec<Piece>,
    pub(crate) pines: Vec<Piece>,
    pub(crate) bushes: Vec<Piece>,
    pub(crate) boulders: Vec<Piece>,
    pub(crate) cottages: Vec<Piece>,
    pub(crate) lighthouse: Piece,
    pub(crate) mosaic: Piece,
    pub(crate) fountain: Piece,
    pub(crate) well: Piece,
    pub(crate) stalls: Vec<Piece>,
    pub(crate) boats: Vec<Piece>,
    pub(crate) sailboat: Piece,
    pub(crate) lantern: Piece,
    pub(crate) bench: Piece,
    pub(crate) signs: Vec<Piece>,
    pub(crate) barrels: Vec<Piece>,
    pub(crate) krate: Piece,
    pub(crate) pots: Vec<Piece>,
    pub(crate) woodpile: Piece,
    pub(crate) nets: Piece,
    pub(crate) laundry: Piece,
    pub(crate) gull: Piece,
    /// Smoke over each cottage, in the order of [`Kit::cottages`].
    pub(crate) smoke: Vec<Piece>,
    /// Stands beside what kills.
    pub(crate) warning: Piece,
}

/// The cottages of the harbor, in the order of [`Kit::cottages`].
pub(crate) const COTTAGES: [Cottage; 7] = [
    Cottage {
        width: 5,
        roof: RED_TILES,
        door: 2,
        trim: TEAL,
        gable: None,
        chimney: 60,
        stone: false,
    },
    Cottage {
        width: 6,
        roof: BLUE_TILES,
        door: 1,
        trim: ROSE,
        gable: Some(3),
        chimney: 12,
        stone: false,
    },
    Cottage {
        width: 6,
        roof: GOLD_THATCH,
        door: 4,
        trim: FERN,
        gable: Some(1),
        chimney: 72,
        stone: true,
    },
    Cottage {
        width: 4,
        roof: GREEN_TILES,
        door: 1,
        trim: CLAY,
        gable: None,
        chimney: 42,
        stone: false,
    },
    Cottage {
        width: 5,
        roof: PLUM_TILES,
        door: 2,
        trim: AZURE,
        gable: None,
        chimney: 14,
        stone: true,
    },
    Cottage {
        width: 5,
        roof: RED_TILES,
        door: 3,
        trim: AZURE,
        gable: Some(0),
        chimney: 64,
        stone: true,
    },
    Cottage {
        width: 5,
        roof: BLUE_TILES,
        door: 1,
        trim: OCHRE,
        gable: None,
        chimney: 60,
        stone: false,
    },
];

impl Kit {
    pub(crate) fn new(set: &mut Tileset) -> Self {
        let terrain = Terrain::new(set);
        let paths = Paths::new(set);
        let dock = (0..16u32)
            .map(|bits| {
                let sides = DockSides {
                    top: bits & 1 != 0,
                    right: bits & 2 != 0,
                    bottom: bits & 4 != 0,
                    left: bits & 8 != 0,
                };
                (0..2).map(|v| set.add(paths::dock(sides, v), FREE)).collect()
            })
            .collect();
        let pillars = [(true, false), (false, false), (false, true)]
            .map(|(l, r)| set.add(paths::dock_pillars(l, r), SOLID))
            .to_vec();
        let fences = (0..16).map(|links| set.add(props::fence(links), SOLID)).collect();
        let growth = (0..4).map(|kind| set.add(nature::growth(kind), FREE)).collect();
        let blooms = [
            (CREAM, GOLD),
            (ROSE, GOLD),
            (LILAC, CREAM),
            (GOLD, CLAY),
            (AZURE, CREAM),
            (BLUSH, ROSE),
        ]
        .into_iter()
        .enumerate()
        .flat_map(|(i, (colour, heart))| {
            (0..3).map(move |v| nature::flowers(colour, heart, i as u32 * 5 + v))
        })
        .map(|art| set.add(art, FREE))
        .collect();
        let beds = [[ROSE, BLUSH, CREAM], [GOLD, CORAL, CREAM], [LILAC, VIOLET, AZURE]]
            .into_iter()
            .enumerate()
            .map(|(i, colours)| set.add(nature::flower_bed(colours, i as u32), SOLID))
            .collect();
        let vegetables = (0..2).map(|v| set.add(nature::vegetables(v), SOLID)).collect();
        let flotsam = (0..4).map(|kind| set.add(props::flotsam(kind), FREE)).collect();
        let frames = |f: &dyn Fn(usize) -> super::canvas::Canvas| {
            (0..WATER_FRAMES).map(f).collect::<Vec<_>>()
        };
        let brambles = (0..3)
            .map(|v| set.add_animated(frames(&|t| nature::brambles(t, v)), GLOW_MILLIS, HAZARD))
            .collect();
        let sea_rocks = [(16, 16), (32, 32), (16, 16)]
            .into_iter()
            .enumerate()
            .map(|(i, (w, h))| Piece {
                stamp: set.stamp_animated(
                    &frames(&|t| nature::crag_in_sea(w, h, t, 30 + i as u32)),
                    WATER_MILLIS,
                    |_, _| SOLID,
                ),
                over_rows: 0,
            })
            .collect();
        let reeds = (0..2).map(|v| set.add(nature::reeds(v), SOLID)).collect();
        let lilies = set.add(props::lilies(), SOLID);

        // A tree's foot is its lowest row; only the trunk's column blocks.
        let foot = |w: i32, h: i32| {
            move |x: i32, y: i32| if y == h - 1 && (w < 3 || x == 1) { SOLID } else { FREE }
        };
        let tree = |set: &mut Tileset, kind, v| {
            let art = trees::tree(kind, v);
            let (w, h) = (art.w / 16, art.h / 16);
            Piece { stamp: set.stamp(&art, foot(w, h)), over_rows: h - 1 }
        };
        let oaks = (0..2).map(|v| tree(set, Tree::Oak, v)).collect();
        let lindens = (0..2).map(|v| tree(set, Tree::Linden, v)).collect();
        let apples = (0..2).map(|v| tree(set, Tree::Apple, v)).collect();
        let blossom = tree(set, Tree::Blossom, 0);
        let small_blossom = tree(set, Tree::Blossom, 1);
        let maple = tree(set, Tree::Maple, 0);
        let saplings = (0..2).map(|v| tree(set, Tree::Sapling, v)).collect();
        let pines = (0..2)
            .map(|v| Piece { stamp: set.stamp(&trees::pine(v), foot(2, 4)), over_rows: 3 })
            .collect();
        let all = |props: Props| move |_: i32, _: i32| props;
        let bushes = [None, Some(ROSE), Some(LILAC)]
            .into_iter()
            .enumerate()
            .map(|(i, blossom)| Piece {
                stamp: set.stamp(&nature::bush(blossom, i as u32), all(SOLID)),
                over_rows: 0,
            })
            .collect();
        let boulders = vec![
            Piece { stamp: set.stamp(&nature::crag(16, 16, true, 3), all(SOLID)), over_rows: 0 },
            Piece {
                stamp: set.stamp(
                    &nature::crag(32, 32, true, 8),
                    |_, y| if y == 1 { SOLID } else { FREE },
                ),
                over_rows: 1,
            },
        ];
        let cottages = COTTAGES
            .iter()
            .map(|plan| {
                let width = plan.width;
                // The ridge row can be walked behind; the shadow's column is free.
                let stamp = set.stamp(
                    &plan.paint(),
                    move |x, y| if y > 0 && x < width { SOLID } else { FREE },
                );
                Piece { stamp, over_rows: 1 }
            })
            .collect();
        let lighthouse = Piece {
            stamp: set.stamp_animated(&frames(&landmarks::lighthouse), GLOW_MILLIS * 2, |x, y| {
                if y > 7 && x < 4 { SOLID } else { FREE }
            }),
            over_rows: 8,
        };
        let mosaic = Piece { stamp: set.stamp(&landmarks::mosaic(), |_, _| FREE), over_rows: 0 };
        let fountain = Piece {
            stamp: set.stamp_animated(&frames(&landmarks::fountain), GLOW_MILLIS, |_, y| {
                if y > 0 { SOLID } else { FREE }
            }),
            over_rows: 1,
        };
        let well = Piece {
            stamp: set.stamp(&landmarks::well(), |_, y| if y == 2 { SOLID } else { FREE }),
            over_rows: 2,
        };
        let stalls = [(ROSE, 0), (SEA, 1)]
            .map(|(stripe, goods)| Piece {
                stamp: set.stamp(&landmarks::stall(stripe, goods), |_, y| {
                    if y > 0 { SOLID } else { FREE }
                }),
                over_rows: 1,
            })
            .to_vec();
        let boats = [TEAL, CLAY]
            .map(|hull| Piece {
                stamp: set.stamp_animated(
                    &frames(&|t| boats::boat(hull, t)),
                    WATER_MILLIS * 2,
                    all(SOLID),
                ),
                over_rows: 0,
            })
            .to_vec();
        let sailboat = Piece {
            stamp: set.stamp_animated(&frames(&boats::sailboat), WATER_MILLIS * 2, |_, y| {
                if y > 2 { SOLID } else { FREE }
            }),
            over_rows: 3,
        };
        let lantern = Piece {
            stamp: set.stamp_animated(&frames(&props::lantern), GLOW_MILLIS, |_, y| {
                if y == 1 { SOLID } else { FREE }
            }),
            over_rows: 1,
        };
        let mut single =
            |art: super::canvas::Canvas| Piece { stamp: set.stamp(&art, all(SOLID)), over_rows: 0 };
        let bench = single(props::bench());
        let signs = vec![single(props::sign(false)), single(props::sign(true))];
        let barrels = vec![single(props::barrel(false)), single(props::barrel(true))];
        let krate = single(props::krate());
        let pots =
            vec![single(props::pot(ROSE)), single(props::pot(GOLD)), single(props::pot(LILAC))];
        let woodpile = single(props::woodpile());
        let nets = Piece {
            stamp: set.stamp(&props::nets(), |_, y| if y == 1 { SOLID } else { FREE }),
            over_rows: 1,
        };
        let laundry = Piece {
            stamp: set.stamp_animated(&frames(&lively::laundry), GLOW_MILLIS * 2, |_, y| {
                if y == 1 { SOLID } else { FREE }
            }),
            over_rows: 1,
        };
        let gull = Piece {
            stamp: set.stamp_animated(&frames(&lively::gull), GLOW_MILLIS * 4, all(SOLID)),
            over_rows: 0,
        };
        let smoke = COTTAGES
            .iter()
            .map(|plan| {
                let x = (plan.chimney + 5) % 16;
                let art = frames(&|t| lively::smoke(x, t));
                Piece { stamp: set.stamp_animated(&art, GLOW_MILLIS, all(FREE)), over_rows: 2 }
            })
            .collect();
        let warning = Piece { stamp: set.stamp(&props::warning(), all(SOLID)), over_rows: 0 };
        Self {
            terrain,
            paths,
            dock,
            pillars,
            fences,
            growth,
            blooms,
            beds,
            vegetables,
            flotsam,
            brambles,
            sea_rocks,
            reeds,
            lilies,
            oaks,
            lindens,
            apples,
            blossom,
            small_blossom,
            maple,
            saplings,
            pines,
            bushes,
            boulders,
            cottages,
            lighthouse,
            mosaic,
            fountain,
            well,
            stalls,
            boats,
            sailboat,
            lantern,
            bench,
            signs,
            barrels,
            krate,
            pots,
            woodpile,
            nets,
            laundry,
            gull,
            smoke,
            warning,
        }
    }
}
