//! `edge-server world check`: everything that is wrong with a world folder, at once.

use std::collections::VecDeque;
use std::path::Path;

use shared::ids::ZoneId;
use shared::world::Tile;
use shared::world::map::ZoneMap;

use super::world_file::WorldFile;
use super::{WORLD_FILE, read_world_file, tiled_map};

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldReport {
    /// What has to be put right; a world with any of it does not pass.
    pub problems: Vec<String>,
    /// What may be meant so.
    pub notes: Vec<String>,
}

impl WorldReport {
    /// Whether the world passes, in one line: a world that does not is an error.
    ///
    /// # Errors
    /// How many problems it has.
    pub fn verdict(&self, dir: &Path) -> Result<String, String> {
        match self.problems.len() {
            0 => Ok(format!("{} is sound", dir.display())),
            1 => Err(format!("1 problem in {}", dir.display())),
            n => Err(format!("{n} problems in {}", dir.display())),
        }
    }
}

/// Checks the world file, that an instance carries each zone, every map, and that each spawn, exit and flower
/// can be walked to, past every hazard, from where new characters begin.
#[must_use]
pub fn check(dir: &Path) -> WorldReport {
    let mut report = WorldReport::default();
    let file = match read_world_file(dir) {
        Ok(file) => file,
        Err(error) => {
            report.problems.push(error.to_string());
            return report;
        }
    };
    report.problems.extend(uncarried(&dir.join(WORLD_FILE), &file));
    for zone in &file.zones {
        let path = dir.join(&zone.map);
        match tiled_map::bake(&path, zone, &file) {
            Ok(map) => {
                let lost = unreachable(&map);
                report.problems.extend(lost.iter().map(|what| {
                    format!("{}: {what} cannot be walked to safely from the start", path.display())
                }));
                let notes = tiled_map::notes(&path, zone, &file);
                report.notes.extend(notes.iter().map(|note| format!("{}: {note}", path.display())));
            }
            Err(faults) => {
                let texts = faults.iter().map(|fault| format!("{}: {fault}", path.display()));
                report.problems.extend(texts);
            }
        }
    }
    report
}

/// The zones that nobody can enter, in words.
fn uncarried(path: &Path, file: &WorldFile) -> Vec<String> {
    let in_words = |zone: &ZoneId| {
        let start = if *zone == file.start_zone { " (the start_zone)" } else { "" };
        let path = path.display();
        format!(
            "{path}: no [[instance]] carries zone \"{zone}\"{start}: add it to the zones of one"
        )
    };
    file.uncarried().map(in_words).collect()
}

/// The spawns, exits and flowers that no walk from the start reaches alive, in words.
fn unreachable(map: &ZoneMap) -> Vec<String> {
    let reached = flood(map);
    let parts = map.parts();
    let is_reached =
        |tile: Tile| reached[usize::from(tile.y) * usize::from(parts.width) + usize::from(tile.x)];
    let mut lost = Vec::new();
    for spawn in parts.spawns.iter().filter(|spawn| !is_reached(spawn.tile)) {
        lost.push(format!("spawn {:?} at {}", spawn.name, spawn.tile));
    }
    for exit in &parts.exits {
        let rows = exit.from_tile.y..=exit.to_tile.y;
        let mut tiles =
            rows.flat_map(|y| (exit.from_tile.x..=exit.to_tile.x).map(move |x| Tile { x, y }));
        if !tiles.any(is_reached) {
            lost.push(format!("the exit to {} at {}", exit.to, exit.from_tile));
        }
    }
    for flower in parts.flowers.iter().filter(|flower| !is_reached(**flower)) {
        lost.push(format!("the flower at {flower}"));
    }
    lost
}

/// Row by row: whether a walk from the start comes there without a hazard on its way. A body is narrower than a tile,
/// so it passes wherever two free tiles share a side.
fn flood(map: &ZoneMap) -> Vec<bool> {
    let (width, height) = (usize::from(map.parts().width), usize::from(map.parts().height));
    let mut reached = vec![false; width * height];
    let mut open = VecDeque::from([map.start()]);
    reached[usize::from(map.start().y) * width + usize::from(map.start().x)] = true;
    while let Some(tile) = open.pop_front() {
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let (x, y) = (i32::from(tile.x) + dx, i32::from(tile.y) + dy);
            if map.is_solid(x, y) {
                continue;
            }
            let (Ok(x), Ok(y)) = (u16::try_from(x), u16::try_from(y)) else { continue };
            if map.is_hazard(Tile { x, y }) {
                continue;
            }
            let seen = &mut reached[usize::from(y) * width + usize::from(x)];
            if !std::mem::replace(seen, true) {
                open.push_back(Tile { x, y });
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use shared::world::map::test_map::draw;
    use shared::world::map::{Exit, Spawn};

    use super::super::world_file::tests::SMALL;
    use super::*;

    #[test]
    fn what_cannot_be_walked_to_is_told() {
        let map = draw(&["#######", "#@.#..#", "#..#..#", "#######"]);
        let mut parts = map.parts().clone();
        let tile = |x, y| Tile { x, y };
        parts.spawns.push(Spawn { name: "island".to_owned(), tile: tile(4, 1) });
        let exit = |x| Exit {
            to: "moon".parse().unwrap(),
            from_tile: tile(x, 1),
            to_tile: tile(x + 1, 2),
        };
        parts.exits = vec![exit(2), exit(4)];
        parts.flowers = vec![tile(1, 2), tile(5, 2)];
        let lost = unreachable(&ZoneMap::new(parts).unwrap());
        assert_eq!(
            lost,
            ["spawn \"island\" at 4,1", "the exit to moon at 4,1", "the flower at 5,2"]
        );
    }

    #[test]
    fn what_can_be_walked_to_only_over_a_hazard_is_told() {
        let map = draw(&["######", "#@!.*#", "#!.*.#", "######"]);
        assert_eq!(unreachable(&map), ["the flower at 4,1", "the flower at 3,2"]);
        // A hazard may be walked around, and corners of two are no passage.
        assert_eq!(unreachable(&draw(&["@!*", "..."])), Vec::<String>::new());
        let mut parts = draw(&["@!."]).parts().clone();
        let tile = |x| Tile { x, y: 0 };
        let to = "moon".parse().unwrap();
        parts.exits = vec![Exit { to, from_tile: tile(1), to_tile: tile(1) }];
        parts.flowers = vec![tile(1)];
        let lost = unreachable(&ZoneMap::new(parts).unwrap());
        assert_eq!(lost, ["the exit to moon at 1,0", "the flower at 1,0"]);
    }

    #[test]
    fn a_folder_without_a_world_is_one_problem_that_says_what_to_do() {
        let report = check(Path::new("no such folder"));
        assert_eq!(report.problems.len(), 1);
        assert!(report.problems[0].contains("EDGE_WORLD_DIR"), "{report:?}");
    }

    #[test]
    fn a_zone_that_no_instance_carries_is_told() {
        let told = |text: &str| uncarried(Path::new("w.toml"), &WorldFile::parse(text).unwrap());
        assert_eq!(told(SMALL), Vec::<String>::new());
        let more =
            "[[zone]]\nid = \"moor\"\nname = \"Moor\"\nmap = \"m.tmx\"\ncapacity = 1\n[[instance]]";
        let with_moor = SMALL.replace("[[instance]]", more);
        let moor = "w.toml: no [[instance]] carries zone \"moor\": add it to the zones of one";
        assert_eq!(told(&with_moor), [moor]);
        let elsewhere = with_moor.replace("zones = [\"harbor\"]", "zones = [\"moor\"]");
        let start = "w.toml: no [[instance]] carries zone \"harbor\" (the start_zone): add it to the zones of one";
        assert_eq!(told(&elsewhere), [start]);
        let nobody = with_moor.replace("zones = [\"harbor\"]", "zones = []");
        assert_eq!(told(&nobody), [start, moor]);
    }

    #[test]
    fn problems_are_counted_in_words() {
        let verdict = |problems: &[&str]| {
            let problems = problems.iter().map(|&each| each.to_owned()).collect();
            WorldReport { problems, notes: Vec::new() }.verdict(Path::new("w"))
        };
        assert_eq!(verdict(&[]), Ok("w is sound".to_owned()));
        assert_eq!(verdict(&["a"]), Err("1 problem in w".to_owned()));
        assert_eq!(verdict(&["a", "b"]), Err("2 problems in w".to_owned()));
    }

    #[test]
    fn the_shipped_world_has_no_problem() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/world");
        assert_eq!(check(&dir).problems, Vec::<String>::new());
    }
}
