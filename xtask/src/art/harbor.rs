//! The harbor: the first map. A square with a fountain, streets, docks, a lighthouse, an orchard.

use super::kit::{COTTAGES, Kit};
use super::map::{Layer, Map};
use super::noise::{pick, value};
use super::paths::Paving;
use super::terrain::Level;
use super::tileset::Tileset;
use super::tmx::Finished;

const W: i32 = 64;
const H: i32 = 48;

/// Height above the sea in tiles, negative below it.
fn height(x: i32, y: i32) -> f32 {
    let (fx, fy) = (x as f32, y as f32);
    let wobble = (value(fx / 5.0, fy / 5.0, 0, 700) - 0.5) * 2.6;
    let south = 36.2 + 1.3 * (fx * 0.22 + 0.6).sin() - fy + wobble;
    let west = fx - ((fy - 9.0) * 0.62 - 2.5).min(6.5) + wobble;
    let near = |cx: f32, cy: f32| ((fx - cx).powi(2) + (fy - cy).powi(2)).sqrt();
    let cape = 6.9 - near(11.5, 34.5) + wobble * 0.4;
    let island = 4.9 - near(55.0, 43.0) + wobble * 0.3;
    let pond = ((near(55.6, 27.2) - 2.6).min(near(57.6, 28.8) - 2.1)) * 2.0;
    south.min(west).max(cape).max(island).min(pond)
}

fn level(x: i32, y: i32) -> Level {
    match height(x, y) {
        h if h > 3.1 => {
            if value(x as f32 / 4.5, y as f32 / 4.0, 0, 710) > 0.60 {
                Level::Lush
            } else {
                Level::Grass
            }
        }
        h if h > 0.4 => Level::Sand,
        h if h > -2.2 => Level::Shallow,
        _ => Level::Deep,
    }
}

/// Lays out the whole map.
pub(crate) fn build(kit: &Kit, set: &mut Tileset) -> Finished {
    let mut map = Map::new(W, H, level);
    streets(&mut map);
    waterfront(&mut map, kit);
    houses(&mut map, kit);
    square(&mut map, kit);
    gardens(&mut map, kit);
    objects(&mut map);
    orchard(&mut map, kit);
    brambles(&mut map, kit);
    woods(&mut map, kit);
    undergrowth(&mut map, kit);
    map.finish(kit, set)
}

fn streets(map: &mut Map) {
    use Paving::{Cobble, Earth};
    map.pave(Cobble, 26, 17, 11, 7);
    map.pave(Cobble, 30, 14, 3, 20);
    map.pave(Cobble, 17, 14, 26, 1);
    map.pave(Earth, 36, 20, 28, 2);
    map.pave(Earth, 12, 22, 15, 1);
    map.pave(Earth, 11, 22, 1, 15);
    map.pave(Earth, 16, 30, 33, 1);
    map.pave(Earth, 11, 37, 2, 1);
    map.pave(Earth, 47, 30, 1, 5);
    map.pave(Earth, 56, 17, 1, 4);
}

fn waterfront(map: &mut Map, kit: &Kit) {
    map.dock(30, 34, 3, 8);
    map.dock(25, 41, 13, 3);
    map.dock(46, 35, 2, 7);
    map.place(&kit.sailboat, 39, 37);
    map.place(&kit.boats[0], 34, 38);
    map.place(&kit.boats[1], 43, 40);
    map.place(&kit.boats[0], 21, 41);
    for (x, y) in [(25, 41), (36, 41), (30, 36)] {
        map.place(&kit.lantern, x, y - 1);
    }
    for (x, y) in [(26, 41), (36, 43), (37, 43)] {
        map.place(&kit.krate, x, y);
    }
    for (x, y) in [(25, 43), (35, 43)] {
        map.place(&kit.barrels[0], x, y);
    }
    map.place(&kit.barrels[1], 33, 33);
    map.place(&kit.krate, 34, 33);
    map.place(&kit.krate, 28, 33);
    map.place(&kit.nets, 24, 32);
    map.place(&kit.nets, 36, 32);
    map.place(&kit.bench, 20, 32);
    map.place(&kit.bench, 40, 32);
    map.place(&kit.lighthouse, 9, 27);
    map.stand(&kit.maple, 54, 43);
    map.place(&kit.krate, 56, 43);
    for (i, (x, y)) in [
        (4, 37),
        (3, 38),
        (5, 39),
        (2, 29),
        (15, 43),
        (17, 42),
        (61, 44),
        (59, 44),
        (48, 45),
        (60, 43),
        (6, 42),
        (7, 44),
        (1, 20),
        (44, 43),
    ]
    .into_iter()
    .enumerate()
    {
        if map.at_most(x, y, Level::Shallow) {
            map.place(&kit.sea_rocks[i % 3], x, y);
        }
    }
}

fn houses(map: &mut Map, kit: &Kit) {
    let places = [(17, 8), (25, 8), (38, 8), (15, 16), (44, 14), (18, 24), (41, 24)];
    for (i, (x, y)) in places.into_iter().enumerate() {
        map.place(&kit.cottages[i], x, y);
        if i != 1 && i != 6 {
            map.place(&kit.smoke[i], x + (COTTAGES[i].chimney + 5) / 16, y - 2);
        }
        // A doorstep of the street's own making.
        let door = x + COTTAGES[i].door;
        let foot = y + 5;
        map.pave(if foot < 15 { Paving::Cobble } else { Paving::Earth }, door, foot, 1, 1);
        map.reserve(door - 1, foot, 3, 1);
    }
    for (x, y, n) in [
        (21, 13, 0),
        (17, 13, 1),
        (28, 13, 2),
        (30, 13, 0),
        (38, 13, 1),
        (43, 13, 2),
        (17, 21, 0),
        (15, 21, 2),
        (48, 19, 1),
        (22, 29, 0),
        (41, 29, 2),
        (44, 29, 1),
    ] {
        if !map.is_taken(x, y) {
            map.place(&kit.pots[n], x, y);
        }
    }
    map.place(&kit.woodpile, 22, 12);
    map.place(&kit.laundry, 32, 10);
    map.place(&kit.gull, 37, 41);
    map.place(&kit.gull, 46, 41);
    map.place(&kit.gull, 27, 43);
    map.place(&kit.barrels[1], 44, 13);
    map.place(&kit.barrels[0], 24, 12);
    map.place(&kit.woodpile, 40, 28);
    map.place(&kit.barrels[0], 43, 18);
    map.place(&kit.krate, 14, 20);
    for (x, y) in [
        (23, 15),
        (34, 15),
        (41, 18),
        (25, 22),
        (39, 23),
        (28, 29),
        (34, 29),
        (49, 19),
        (58, 19),
        (14, 28),
    ] {
        map.place(&kit.lantern, x, y - 1);
    }
}

fn square(map: &mut Map, kit: &Kit) {
    map.inlay(&kit.mosaic, 27, 16);
    map.place(&kit.fountain, 30, 19);
    map.place(&kit.stalls[0], 25, 16);
    map.place(&kit.stalls[1], 36, 16);
    map.place(&kit.bench, 27, 24);
    map.place(&kit.bench, 34, 24);
    for (x, y) in [(26, 24), (29, 24), (33, 24), (36, 24)] {
        map.place(&kit.bushes[1], x, y);
    }
    map.place(&kit.signs[0], 33, 16);
    map.place(&kit.signs[1], 39, 19);
    map.place(&kit.well, 22, 18);
    map.place(&kit.barrels[0], 28, 18);
    map.place(&kit.krate, 35, 18);
    map.stand(&kit.blossom, 24, 25);
    map.stand(&kit.lindens[0], 39, 27);
}

fn gardens(map: &mut Map, kit: &Kit) {
    // Kitchen garden west of the first street.
    map.fence(8, 9, 7, 1);
    map.fence(8, 13, 7, 1);
    map.fence(8, 9, 1, 5);
    map.fence(14, 9, 1, 5);
    map.gate(14, 11);
    for (row, y) in [10, 12].into_iter().enumerate() {
        for x in 9..13 {
            map.plant(Layer::Structures, x, y, kit.vegetables[row]);
        }
    }
    // Flower beds before the houses.
    for (x, y, n) in [(23, 25, 0), (23, 26, 1), (37, 25, 2), (37, 26, 0)] {
        map.plant(Layer::Structures, x, y, kit.beds[n]);
    }
    for x in 47..50 {
        map.plant(Layer::Structures, x, 26, kit.beds[(x % 3) as usize]);
    }
    map.fence(46, 25, 5, 1);
    map.fence(50, 25, 1, 4);
    for (x, y, n) in [
        (24, 13, 0),
        (35, 13, 1),
        (36, 13, 2),
        (33, 13, 2),
        (16, 29, 1),
        (17, 29, 0),
        (46, 28, 2),
        (13, 21, 1),
        (20, 20, 0),
    ] {
        if !map.is_taken(x, y) {
            map.place(&kit.bushes[n], x, y);
        }
    }
}

fn orchard(map: &mut Map, kit: &Kit) {
    map.fence(49, 4, 13, 1);
    map.fence(49, 17, 13, 1);
    map.fence(49, 4, 1, 14);
    map.fence(61, 4, 1, 14);
    map.gate(56, 17);
    map.gate(55, 17);
    map.reserve(55, 16, 2, 3);
    for (row, y) in [8, 12, 16].into_iter().enumerate() {
        for (column, x) in [51, 55, 59].into_iter().enumerate() {
            if (row, column) != (2, 1) {
                map.stand(&kit.apples[(row + column) % 2], x, y);
            }
        }
    }
    map.place(&kit.krate, 53, 16);
    map.place(&kit.barrels[1], 60, 10);
    map.place(&kit.krate, 57, 10);
}

fn brambles(map: &mut Map, kit: &Kit) {
    map.place(&kit.warning, 7, 4);
    for y in 1..7 {
        for x in 1..7 {
            if x + y < 10 && (x + y < 8 || pick(x, y, 720, 3) > 0) {
                map.plant(Layer::Detail, x, y, kit.brambles[pick(x, y, 721, 3) as usize]);
            }
        }
    }
}

/// Trees wherever the wood's density says so and nothing else stands.
fn woods(map: &mut Map, kit: &Kit) {
    let taken = map.taken();
    for y in 0..H + 3 {
        for x in 0..W {
            let edge = (7.5 - y as f32).max(0.0) / 5.0 + (x as f32 - 59.5).max(0.0) / 3.0;
            let grove = value(x as f32 / 6.0, y as f32 / 6.0, 0, 730) - 0.62;
            let dense = edge + grove.max(0.0) * 1.6;
            let lattice = (x + (y / 2) * 2) % 3 == 0 && y % 2 == 0;
            // The crown's whole reach stays off paths and off what was built.
            let clear = (-2..=2).all(|dx| (-3..=1).all(|dy| !map.is_paved(x + dx, y + dy)))
                && (-1..=1).all(|dx| (-3..=0).all(|dy| !taken.contains(&(x + dx, y + dy))))
                && (-1..=1).all(|dx| map.at_least(x + dx, y, Level::Grass))
                && !(x < 10 && y < 9);
            if lattice && clear && (pick(x, y, 731, 100) as f32) < dense * 100.0 {
                let piece = match pick(x, y, 732, 12) {
                    0..=2 => &kit.oaks[0],
                    3..=4 => &kit.oaks[1],
                    5 => &kit.lindens[1],
                    6 if y > 8 => &kit.maple,
                    7..=9 => &kit.pines[pick(x, y, 733, 2) as usize],
                    10 => &kit.lindens[0],
                    _ => &kit.saplings[0],
                };
                map.stand(piece, x, y);
            }
        }
    }
    for (x, y, n) in [(7, 30, 0), (16, 33, 0), (47, 23, 1), (13, 25, 0)] {
        if !map.is_taken(x, y) && !map.is_paved(x, y) {
            map.place(&kit.boulders[n], x, y - n as i32);
        }
    }
    map.stand(&kit.blossom, 52, 26);
    map.place(&kit.bench, 57, 23);
    map.stand(&kit.small_blossom, 34, 28);
    map.stand(&kit.saplings[1], 28, 28);
}

/// Small growth on whatever ground is left.
fn undergrowth(map: &mut Map, kit: &Kit) {
    for y in 0..H {
        for x in 0..W {
            if map.is_taken(x, y) || map.is_paved(x, y) {
                continue;
            }
            let roll = pick(x, y, 740, 100);
            let patch = value(x as f32 / 3.5, y as f32 / 3.5, 0, 741);
            if map.at_least(x, y, Level::Grass) {
                let bloom = (value(x as f32 / 7.0, y as f32 / 7.0, 0, 742) * 5.99) as usize * 3
                    + pick(x, y, 743, 3) as usize;
                if patch > 0.70 && roll < 55 {
                    map.put(Layer::Detail, x, y, kit.blooms[bloom]);
                } else if roll < 5 {
                    map.put(Layer::Detail, x, y, kit.growth[0]);
                } else if roll < 8 {
                    map.put(Layer::Detail, x, y, kit.growth[1]);
                } else if roll == 11 && y < 12 {
                    map.put(Layer::Detail, x, y, kit.growth[2]);
                } else if roll == 12 {
                    map.place(&kit.bushes[(x % 3) as usize], x, y);
                }
            } else if map.at_least(x, y, Level::Sand) && map.at_most(x, y, Level::Sand) {
                if roll < 7 {
                    map.put(Layer::Detail, x, y, kit.flotsam[(roll % 4) as usize]);
                }
            } else if (50..62).contains(&x)
                && (23..33).contains(&y)
                && map.at_most(x, y, Level::Shallow)
            {
                if roll < 16 {
                    map.put(Layer::Detail, x, y, kit.lilies);
                } else if roll < 30 {
                    map.put(Layer::Detail, x, y, kit.reeds[(x % 2) as usize]);
                }
            }
        }
    }
}

fn objects(map: &mut Map) {
    let spawns = [
        ("start", 31, 23),
        ("", 28, 20),
        ("", 34, 20),
        ("", 28, 22),
        ("", 34, 22),
        ("", 31, 17),
        ("", 31, 26),
        ("", 37, 21),
        ("", 27, 19),
    ];
    for (i, (name, x, y)) in spawns.into_iter().enumerate() {
        let fallback = format!("spawn-{i}");
        map.object("spawns", if name.is_empty() { &fallback } else { name }, x, y);
        map.reserve(x, y, 1, 1);
    }
    let exit = map.object("exits", "meadow", 63, 20);
    exit.size = Some((1, 2));
    exit.properties.push(("zone", "meadow".to_owned()));
    for (i, (x, y)) in [
        (20, 17),
        (40, 22),
        (12, 15),
        (33, 32),
        (47, 21),
        (52, 22),
        (53, 10),
        (57, 13),
        (16, 27),
        (25, 27),
        (14, 35),
        (35, 12),
    ]
    .into_iter()
    .enumerate()
    {
        map.object("flowers", &format!("flower-{}", i + 1), x, y);
        map.reserve(x, y, 1, 1);
    }
    for (name, x, y, text) in [
        ("square", 33, 16, "Harbor square. Fresh fish, warm bread, good company."),
        ("road", 39, 19, "East: the meadow."),
        ("lighthouse", 11, 36, "The lamp has not gone out in a hundred years."),
        ("brambles", 7, 4, "Stay out of the brambles: their thorns kill."),
    ] {
        map.object("signs", name, x, y).properties.push(("text", text.to_owned()));
    }
}
