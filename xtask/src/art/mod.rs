//! The art of Aether: every picture, the tile set and the maps, drawn by this code alone.
//!
//! Deterministic: the same code makes the same bytes, and `check` holds the committed files to it.
//! Maps are only begun here: one that exists belongs to whoever edits it in Tiled, and is neither
//! compared nor written over.

pub(crate) mod backdrop;
pub(crate) mod backdrop_shore;
pub(crate) mod boats;
pub(crate) mod buildings;
pub(crate) mod canvas;
pub(crate) mod characters;
pub(crate) mod encode;
pub(crate) mod harbor;
pub(crate) mod heads_back;
pub(crate) mod heads_front;
pub(crate) mod heads_side;
pub(crate) mod icons;
pub(crate) mod kit;
pub(crate) mod landmarks;
pub(crate) mod lively;
pub(crate) mod looks;
pub(crate) mod map;
pub(crate) mod nature;
pub(crate) mod noise;
pub(crate) mod palette;
pub(crate) mod paths;
pub(crate) mod portraits;
pub(crate) mod props;
pub(crate) mod signs;
pub(crate) mod terrain;
pub(crate) mod tileset;
pub(crate) mod tmx;
pub(crate) mod trees;
pub(crate) mod water;

use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use kit::Kit;
use tileset::{MAX_TILES, Tileset};
use tmx::Finished;

/// The tile set and the maps that use it.
pub(crate) struct World {
    pub(crate) set: Tileset,
    pub(crate) harbor: Finished,
}

impl World {
    pub(crate) fn new() -> Self {
        let mut set = Tileset::default();
        let kit = Kit::new(&mut set);
        let harbor = harbor::build(&kit, &mut set);
        Self { set, harbor }
    }
}

/// Every generated file: its path below the root, and its bytes.
pub(crate) fn files() -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let world = World::new();
    ensure!(world.set.len() <= MAX_TILES, "{} tiles, more than {MAX_TILES}", world.set.len());
    let count = world.set.len() as u32;
    ensure!(
        (0..count).all(|id| world.set.frames(id).iter().all(|(frame, _)| *frame < count)),
        "an animation frame lies outside the sheet"
    );
    let faults = world.harbor.faults(&world.set);
    ensure!(faults.is_empty(), "harbor: {}", faults.join("; "));
    Ok(vec![
        ("web-client/assets/palette.css", palette::css().into_bytes()),
        ("web-client/assets/tileset.png", encode::png(&world.set.sheet())?),
        ("web-client/assets/characters.png", encode::png(&characters::sheet())?),
        ("web-client/assets/portraits.png", encode::png(&portraits::portraits())?),
        ("web-client/assets/logo.png", encode::png(&icons::logo())?),
        ("web-client/assets/favicon.png", encode::png(&icons::favicon())?),
        ("web-client/assets/flower.png", encode::png(&icons::flower())?),
        ("web-client/assets/signs.png", encode::png(&signs::signs())?),
        ("web-client/assets/bubble.png", encode::png(&signs::bubble())?),
        ("web-client/assets/shadow.png", encode::png(&icons::shadow())?),
        ("web-client/assets/backdrop.png", encode::png(&backdrop::paint())?),
        ("shared/world/tileset.tsx", world.set.tsx().into_bytes()),
        ("shared/world/harbor.tmx", world.harbor.tmx().into_bytes()),
    ])
}

/// Whether a file is only begun here and then somebody's own.
fn is_only_begun(name: &str) -> bool {
    name.ends_with(".tmx")
}

/// Writes the art below `root`; with `check` it only compares, and names the first file that differs.
pub(crate) fn run(root: &Path, check: bool) -> anyhow::Result<()> {
    for (name, bytes) in files()? {
        let path = root.join(name);
        if is_only_begun(name) && path.exists() {
            continue;
        }
        if check {
            let found = std::fs::read(&path)
                .with_context(|| format!("{name} is missing; run `cargo xtask art`"))?;
            if found != bytes {
                bail!(
                    "{name} differs from what the art code draws; run `cargo xtask art` and commit the result"
                );
            }
        } else {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)
                    .with_context(|| format!("create {}", folder.display()))?;
            }
            std::fs::write(&path, bytes).with_context(|| format!("write {name}"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace")
    }

    #[test]
    fn drawing_twice_gives_the_same_bytes() {
        assert!(files().unwrap() == files().unwrap());
    }

    #[test]
    fn committed_files_are_what_the_code_draws() {
        run(root(), true).unwrap();
    }

    #[test]
    fn a_map_that_exists_is_neither_compared_nor_written_over() {
        let folder = std::env::temp_dir().join(format!("aether-art-{}", std::process::id()));
        run(&folder, false).unwrap();
        let map = folder.join("shared/world/harbor.tmx");
        std::fs::write(&map, "edited").unwrap();
        run(&folder, true).unwrap();
        run(&folder, false).unwrap();
        let kept = std::fs::read_to_string(&map).unwrap();
        let palette = folder.join("web-client/assets/palette.css");
        std::fs::write(&palette, "edited").unwrap();
        let refused = run(&folder, true).unwrap_err().to_string();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(kept, "edited");
        assert!(refused.contains("palette.css"), "{refused}");
    }

    #[test]
    fn every_frame_and_map_tile_is_within_the_sheet() {
        let world = World::new();
        let count = world.set.len() as u32;
        for id in 0..count {
            assert!(
                world.set.frames(id).iter().all(|(frame, millis)| *frame < count && *millis > 0),
                "tile {id}"
            );
        }
        for cells in world.harbor.cells.values() {
            assert!(cells.iter().flatten().all(|id| *id < count));
        }
    }

    #[test]
    fn every_spawn_flower_and_exit_is_reachable_from_the_start() {
        let world = World::new();
        assert_eq!(world.harbor.faults(&world.set), Vec::<String>::new());
        let count = |layer: &str| {
            world.harbor.objects.iter().filter(|object| object.layer == layer).count()
        };
        assert!(count("spawns") >= 7 && count("flowers") >= 8 && count("exits") >= 1);
    }

    #[test]
    fn a_walled_in_flower_is_a_fault() {
        let mut world = World::new();
        let flower =
            world.harbor.objects.iter_mut().find(|object| object.layer == "flowers").unwrap();
        (flower.x, flower.y) = (0, world.harbor.h - 1);
        assert!(!world.harbor.faults(&world.set).is_empty());
    }

    #[test]
    fn hazards_hurt_but_do_not_block() {
        let world = World::new();
        let map = &world.harbor;
        let hazards: Vec<_> = (0..map.h)
            .flat_map(|y| (0..map.w).map(move |x| (x, y)))
            .filter(|(x, y)| map.hazard(&world.set, *x, *y))
            .collect();
        assert!(hazards.len() >= 8);
        assert!(hazards.iter().all(|(x, y)| !map.solid(&world.set, *x, *y)));
    }
}
