//! Worlds other than the shipped one: the same maps, laid out as a test needs them.

use std::fs;

use tempfile::TempDir;

use crate::repository;

/// The world file within a world's folder.
const WORLD_FILE: &str = "world.toml";

/// A copy of the shipped world whose world file is changed.
///
/// # Panics
/// If the world cannot be copied.
#[must_use]
pub fn changed(change: impl FnOnce(&str) -> String) -> TempDir {
    let folder = tempfile::tempdir().expect("there is room for a world");
    for entry in fs::read_dir(repository::world_dir()).expect("the world is there") {
        let file = entry.expect("the world can be listed");
        let copy = folder.path().join(file.file_name());
        fs::copy(file.path(), copy).expect("a file of the world can be copied");
    }
    let world_file = folder.path().join(WORLD_FILE);
    let text = fs::read_to_string(&world_file).expect("the world file is text");
    fs::write(&world_file, change(&text)).expect("the copy can be written");
    folder
}

/// The shipped world with these further instances, each with a harbor of its own.
#[must_use]
pub fn with_layers(instances: &[&str]) -> TempDir {
    changed(|text| {
        let layers = instances
            .iter()
            .map(|id| format!("\n[[instance]]\nid = \"{id}\"\nzones = [\"harbor\"]\n"));
        layers.fold(text.to_owned(), |text, layer| text + layer.as_str())
    })
}
