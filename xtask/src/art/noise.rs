//! Deterministic noise from integer hashes: the art's only source of variety.

/// A well-mixed hash of a lattice point.
pub(crate) fn hash(x: i32, y: i32, seed: u32) -> u32 {
    let mut h = (x as u32).wrapping_mul(0x9e37_79b1)
        ^ (y as u32).wrapping_mul(0x85eb_ca77)
        ^ seed.wrapping_mul(0xc2b2_ae3d);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2c1b_3c6d);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297a_2d39);
    h ^ (h >> 15)
}

/// The hash as a number in `0.0..1.0`.
pub(crate) fn unit(x: i32, y: i32, seed: u32) -> f32 {
    (hash(x, y, seed) >> 8) as f32 / (1u32 << 24) as f32
}

/// A number in `0..n` from the hash.
pub(crate) fn pick(x: i32, y: i32, seed: u32, n: u32) -> u32 {
    hash(x, y, seed) % n.max(1)
}

/// Smooth value noise in `0.0..1.0`; repeats every `period` cells when `period > 0`.
pub(crate) fn value(x: f32, y: f32, period: i32, seed: u32) -> f32 {
    let (x0, y0) = (x.floor(), y.floor());
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let (fx, fy) = (smooth(x - x0), smooth(y - y0));
    let wrap = |v: i32| if period > 0 { v.rem_euclid(period) } else { v };
    let at = |dx: i32, dy: i32| unit(wrap(x0 as i32 + dx), wrap(y0 as i32 + dy), seed);
    let top = at(0, 0) + (at(1, 0) - at(0, 0)) * fx;
    let bottom = at(0, 1) + (at(1, 1) - at(0, 1)) * fx;
    top + (bottom - top) * fy
}

/// Ordered dithering: the 4×4 Bayer threshold of a pixel, in `0.0..1.0`.
pub(crate) fn bayer(x: i32, y: i32) -> f32 {
    const M: [[u8; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
    (f32::from(M[y.rem_euclid(4) as usize][x.rem_euclid(4) as usize]) + 0.5) / 16.0
}

/// The colour of a ramp at `t` (0 dark, 1 light), dithered by `amount` of a step.
pub(crate) fn ramp(colours: &[u8], t: f32, x: i32, y: i32, amount: f32) -> u8 {
    let last = colours.len() - 1;
    let position = t.clamp(0.0, 1.0) * last as f32 + (bayer(x, y) - 0.5) * amount;
    colours[(position.round().max(0.0) as usize).min(last)]
}
