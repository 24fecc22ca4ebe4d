//! The bytes of Tiled files: how many are read at most, and how many cells they hold.

use std::io::Read;
use std::path::Path;

use super::tiled_map::MapFault;

/// Bytes of one Tiled file: over twice what the largest map takes.
pub const MAX_TILED_FILE_BYTES: u64 = 8 * 1024 * 1024;

pub(super) fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MAX_TILED_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TILED_FILE_BYTES {
        let what = format!("{} has over {MAX_TILED_FILE_BYTES} bytes", path.display());
        return Err(std::io::Error::other(what));
    }
    Ok(bytes)
}

/// Counts the cells of every tile layer, before anything is allocated for them. Only CSV
/// can be counted so; the compressed formats could unpack into any amount.
pub(super) fn count_cells(text: &str) -> Result<Vec<usize>, MapFault> {
    const NOT_CSV: MapFault = MapFault::Kind(
        "a layer is not stored as CSV: in Tiled, set Map > Map Properties > Tile Layer Format to CSV",
    );
    let mut counts = Vec::new();
    for after in text.split("<data").skip(1) {
        let (attributes, rest) = after.split_once('>').ok_or(NOT_CSV)?;
        if !attributes.contains("encoding=\"csv\"") || attributes.contains("compression") {
            return Err(NOT_CSV);
        }
        let (data, _) = rest.split_once("</data").ok_or(NOT_CSV)?;
        if data.contains(['<', '&']) {
            return Err(MapFault::Kind("the map is infinite: in Tiled, untick Infinite"));
        }
        counts.push(data.split(',').count());
    }
    Ok(counts)
}
