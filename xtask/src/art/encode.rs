//! PNG files from canvases: indexed colour, only the entries in use, best compression.

use anyhow::Context as _;

use super::canvas::Canvas;
use super::palette::COLOURS;

/// Encodes a canvas as an indexed PNG with transparency.
pub(crate) fn png(canvas: &Canvas) -> anyhow::Result<Vec<u8>> {
    let mut used: Vec<u8> = canvas.px.clone();
    used.sort_unstable();
    used.dedup();
    let depth = match used.len() {
        0..=2 => 1,
        3..=4 => 2,
        5..=16 => 4,
        _ => 8,
    };
    let mut colours = Vec::new();
    let mut alphas = Vec::new();
    for index in &used {
        let [r, g, b, a] = COLOURS[usize::from(*index)].rgba;
        colours.extend([r, g, b]);
        alphas.push(a);
    }
    let mut data = Vec::new();
    for row in canvas.px.chunks(canvas.w as usize) {
        for pixels in row.chunks(8 / depth) {
            let mut byte = 0u8;
            for (i, px) in pixels.iter().enumerate() {
                let entry = used.binary_search(px).unwrap_or(0) as u8;
                byte |= entry << (8 - depth * (i + 1));
            }
            data.push(byte);
        }
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, canvas.w as u32, canvas.h as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(match depth {
        1 => png::BitDepth::One,
        2 => png::BitDepth::Two,
        4 => png::BitDepth::Four,
        _ => png::BitDepth::Eight,
    });
    encoder.set_palette(colours);
    encoder.set_trns(alphas);
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().context("PNG header")?;
    writer.write_image_data(&data).context("PNG data")?;
    writer.finish().context("PNG end")?;
    Ok(out)
}
