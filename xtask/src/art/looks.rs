//! The eight appearances: their colours, clothes and heads.

use super::palette::*;
use super::{heads_back as back, heads_front as front, heads_side as side};

/// What an appearance wears on its body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dress {
    /// Shirt and trousers with a belt.
    Tunic,
    /// Broad stripes and trousers.
    Stripes,
    /// Shirt under a bib in the accent colour.
    Bib,
    /// A gown down to the feet.
    Robe,
}

/// One appearance.
pub(crate) struct Look {
    /// The name that accounts store.
    pub(crate) name: &'static str,
    /// Skin: base, shade.
    pub(crate) skin: [u8; 2],
    /// Hair: middle, dark, light.
    pub(crate) hair: [u8; 3],
    /// Hat: middle, dark, light.
    pub(crate) hat: [u8; 3],
    /// Clothes: middle, dark, light.
    pub(crate) cloth: [u8; 3],
    pub(crate) accent: [u8; 2],
    pub(crate) legs: [u8; 2],
    pub(crate) boots: u8,
    pub(crate) dress: Dress,
    /// A cloak hanging from the shoulders: middle, dark.
    pub(crate) cloak: Option<[u8; 2]>,
    pub(crate) bare_arms: bool,
    pub(crate) staff: bool,
    pub(crate) glasses: bool,
    /// Something on the back, in these colours: a lute or a quiver.
    pub(crate) pack: Option<[u8; 2]>,
    /// Background of the portrait: top, bottom.
    pub(crate) backdrop: [u8; 2],
    /// Heads seen from the front, from the side (facing left) and from behind.
    pub(crate) heads: [&'static [&'static str]; 3],
}

/// Appearances in the order of the sheets; the page and the accounts share this order.
pub(crate) const LOOKS: [Look; 8] = [
    Look {
        name: "wanderer",
        skin: [PEACH, TAWNY],
        hair: [WOOD, BARK, TAN],
        hat: [WOOD, BARK, TAN],
        cloth: [DUNE, TAN, SAND],
        accent: [ROSE, BRICK],
        legs: [BARK, UMBER],
        boots: UMBER,
        dress: Dress::Tunic,
        cloak: Some([TEAL, ABYSS]),
        bare_arms: false,
        staff: false,
        glasses: false,
        pack: None,
        backdrop: [TIDE, TEAL],
        heads: [front::WANDERER, side::WANDERER, back::WANDERER],
    },
    Look {
        name: "sailor",
        skin: [TAWNY, WOOD],
        hair: [UMBER, INK, BARK],
        hat: [CREAM, CHALK, CREAM],
        cloth: [CREAM, CHALK, CREAM],
        accent: [AZURE, DUSK],
        legs: [DUSK, NIGHT],
        boots: UMBER,
        dress: Dress::Stripes,
        cloak: None,
        bare_arms: false,
        staff: false,
        glasses: false,
        pack: None,
        backdrop: [MIST, AZURE],
        heads: [front::SAILOR, side::SAILOR, back::SAILOR],
    },
    Look {
        name: "gardener",
        skin: [PEACH, TAWNY],
        hair: [EMBER, BRICK, CORAL],
        hat: [GOLD, OCHRE, SHELL],
        cloth: [CREAM, CHALK, CREAM],
        accent: [LEAF, MOSS],
        legs: [LEAF, MOSS],
        boots: BARK,
        dress: Dress::Bib,
        cloak: None,
        bare_arms: false,
        staff: false,
        glasses: false,
        pack: None,
        backdrop: [STRAW, MEADOW],
        heads: [front::GARDENER, side::GARDENER, back::GARDENER],
    },
    Look {
        name: "smith",
        skin: [WOOD, BARK],
        hair: [UMBER, INK, BARK],
        hat: [EMBER, BRICK, CORAL],
        cloth: [CHALK, PEBBLE, CREAM],
        accent: [FLINT, INK],
        legs: [DUSK, NIGHT],
        boots: UMBER,
        dress: Dress::Bib,
        cloak: None,
        bare_arms: true,
        staff: false,
        glasses: false,
        pack: None,
        backdrop: [OCHRE, BRICK],
        heads: [front::SMITH, side::SMITH, back::SMITH],
    },
    Look {
        name: "scholar",
        skin: [PEACH, TAWNY],
        hair: [STONE, FLINT, PEBBLE],
        hat: [DUSK, NIGHT, SLATE],
        cloth: [VIOLET, PLUM, LILAC],
        accent: [GOLD, OCHRE],
        legs: [PLUM, INK],
        boots: UMBER,
        dress: Dress::Robe,
        cloak: None,
        bare_arms: false,
        staff: false,
        glasses: true,
        pack: None,
        backdrop: [LILAC, VIOLET],
        heads: [front::SCHOLAR, side::SCHOLAR, back::SCHOLAR],
    },
    Look {
        name: "minstrel",
        skin: [PEACH, TAWNY],
        hair: [GOLD, OCHRE, SHELL],
        hat: [ROSE, BRICK, CORAL],
        cloth: [ROSE, BRICK, CORAL],
        accent: [GOLD, OCHRE],
        legs: [VIOLET, PLUM],
        boots: BARK,
        dress: Dress::Tunic,
        cloak: None,
        bare_arms: false,
        staff: false,
        glasses: false,
        pack: Some([OCHRE, BARK]),
        backdrop: [PEACH, CORAL],
        heads: [front::MINSTREL, side::MINSTREL, back::MINSTREL],
    },
    Look {
        name: "ranger",
        skin: [TAWNY, WOOD],
        hair: [UMBER, INK, BARK],
        hat: [FERN, MOSS, LEAF],
        cloth: [MOSS, PINE, FERN],
        accent: [TAN, WOOD],
        legs: [BARK, UMBER],
        boots: UMBER,
        dress: Dress::Tunic,
        cloak: Some([FERN, MOSS]),
        bare_arms: false,
        staff: false,
        glasses: false,
        pack: Some([WOOD, CREAM]),
        backdrop: [MEADOW, MOSS],
        heads: [front::RANGER, side::RANGER, back::RANGER],
    },
    Look {
        name: "hermit",
        skin: [PEACH, TAWNY],
        hair: [FOAM, MIST, CREAM],
        hat: [STONE, FLINT, PEBBLE],
        cloth: [STONE, FLINT, PEBBLE],
        accent: [OCHRE, WOOD],
        legs: [FLINT, INK],
        boots: BARK,
        dress: Dress::Robe,
        cloak: None,
        bare_arms: false,
        staff: true,
        glasses: false,
        pack: None,
        backdrop: [CHALK, SLATE],
        heads: [front::HERMIT, side::HERMIT, back::HERMIT],
    },
];
