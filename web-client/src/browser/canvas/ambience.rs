//! The air of a zone: drifting cloud shadows, motes, glints on water, the glow of flowers,
//! and darkness where there is no sky. Decoration only, and still where the player's
//! system asks for reduced motion.

use shared::ids::ZoneId;
use wasm_bindgen::Clamped;
use web_sys::{CanvasRenderingContext2d, ImageData};

use super::actors::Flower;
use super::camera::View;
use super::palette::{BLUSH, CREAM, FOAM, GOLD, INK, LILAC, NIGHT_RGB, PLUM, SHELL_RGB, faded};
use super::surface::{Rect, Surface, TILE, ViewSize, ignore};
use super::tilemap::{CellRange, Tilemap};

/// Side of the cloud picture in art pixels; it repeats.
const CLOUD_SIDE: u32 = 384;
/// Art pixels that clouds drift in a second.
const CLOUD_DRIFT: (f64, f64) = (7.0, 2.5);
/// Side of the glow under a flower, in art pixels.
const GLOW_SIDE: u32 = 40;
/// Motes in view.
const MOTES: u32 = 26;
/// One in this many water cells glints at a time.
const GLINT_RARITY: u32 = 13;
/// How long a glint lasts, in milliseconds.
const GLINT_MS: f64 = 900.0;

/// Whether a zone lies under the sky.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sky {
    Open,
    /// Ruins at dusk: clouds, and a violet tint.
    Dusk,
    /// Below the ground: dark but for a circle of light around the player.
    None,
}

impl Sky {
    fn over(zone: &ZoneId) -> Self {
        match zone.as_str() {
            "crypt" => Self::None,
            "ruins" => Self::Dusk,
            _ => Self::Open,
        }
    }
}

/// The air of one zone.
#[derive(Debug)]
pub struct Ambience {
    sky: Sky,
    still: bool,
    clouds: Option<Surface>,
    glow: Option<Surface>,
    shade: Option<(ViewSize, Surface)>,
}

impl Ambience {
    /// Prepares the pictures; `still` asks for no motion.
    #[must_use]
    pub fn new(zone: &ZoneId, still: bool) -> Self {
        let sky = Sky::over(zone);
        Self {
            sky,
            still,
            clouds: (sky != Sky::None).then(clouds).flatten(),
            glow: glow(),
            shade: None,
        }
    }

    fn moment(&self, now: f64) -> f64 {
        if self.still { 0.0 } else { now }
    }

    /// Light on the ground, below the characters.
    pub fn draw_ground(
        &self,
        context: &CanvasRenderingContext2d,
        tilemap: &Tilemap,
        cells: CellRange,
        flowers: &[Flower],
        now: f64,
    ) {
        if !self.still {
            draw_glints(context, tilemap, cells, now);
        }
        let Some(glow) = &self.glow else { return };
        let moment = self.moment(now);
        for Flower { tile, .. } in flowers.iter().filter(|flower| flower.glows) {
            let seen = (cells.left..cells.right).contains(&tile.x)
                && (cells.top..cells.bottom).contains(&tile.y);
            if !seen {
                continue;
            }
            let phase = moment / 900.0 + f64::from(tile.x) * 1.7 + f64::from(tile.y) * 2.3;
            context.set_global_alpha(0.55 + 0.25 * phase.sin());
            let half = f64::from(GLOW_SIDE) / 2.0;
            let (x, y) = (f64::from(tile.x) + 0.5, f64::from(tile.y) + 0.5);
            glow.stamp(context, x * TILE - half, y * TILE - half);
        }
        context.set_global_alpha(1.0);
    }

    /// What passes over everything, in the map's space.
    pub fn draw_sky(
        &self,
        context: &CanvasRenderingContext2d,
        view: &View,
        map: (f64, f64),
        now: f64,
    ) {
        let part = view.visible(map);
        let moment = self.moment(now);
        if let Some(clouds) = &self.clouds {
            draw_clouds(context, clouds, view, part, moment);
        }
        if !self.still {
            let color = match self.sky {
                Sky::Open => CREAM,
                Sky::Dusk => BLUSH,
                Sky::None => LILAC,
            };
            draw_motes(context, part, color, now);
        }
    }

    /// The shade at the edges of the canvas, in device pixels.
    pub fn draw_shade(
        &mut self,
        context: &CanvasRenderingContext2d,
        view: &View,
        player: (f64, f64),
    ) {
        let size = view.size;
        match self.sky {
            Sky::None => draw_darkness(context, size, player),
            Sky::Open | Sky::Dusk => {
                if self.shade.as_ref().is_none_or(|(made_for, _)| *made_for != size) {
                    self.shade = vignette(size, self.sky).map(|surface| (size, surface));
                }
                if let Some((_, shade)) = &self.shade {
                    shade.stamp(context, 0.0, 0.0);
                }
            }
        }
    }
}

/// A number that looks like chance and is always the same for the same place.
fn hash(x: u32, y: u32) -> u32 {
    let mut n = x.wrapping_mul(0x9E37_79B1) ^ y.wrapping_mul(0x85EB_CA77);
    n = (n ^ (n >> 15)).wrapping_mul(0x2C1B_3C6D);
    n = (n ^ (n >> 12)).wrapping_mul(0x297A_2D39);
    n ^ (n >> 15)
}

fn unit(n: u32) -> f64 {
    f64::from(n & 0xFFFF) / 65_536.0
}

/// Smooth noise that repeats after `period` cells, 0 to 1.
fn noise(x: f64, y: f64, period: u32, seed: u32) -> f64 {
    let corner = |cx: f64, cy: f64| {
        let wrap = |n: f64| n.rem_euclid(f64::from(period)) as u32;
        unit(hash(wrap(cx) + seed, wrap(cy) + seed * 31))
    };
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let (fx, fy) = (x.floor(), y.floor());
    let (tx, ty) = (ease(x - fx), ease(y - fy));
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    mix(
        mix(corner(fx, fy), corner(fx + 1.0, fy), tx),
        mix(corner(fx, fy + 1.0), corner(fx + 1.0, fy + 1.0), tx),
        ty,
    )
}

/// Soft shadows in three steps, as pixel art has them.
fn clouds() -> Option<Surface> {
    let side = CLOUD_SIDE;
    let mut pixels = Vec::with_capacity((side * side * 4) as usize);
    for y in 0..side {
        for x in 0..side {
            let at = |cells: u32, seed: u32| {
                let scale = f64::from(cells) / f64::from(side);
                noise(f64::from(x) * scale, f64::from(y) * scale, cells, seed)
            };
            let height = at(4, 11) * 0.62 + at(9, 23) * 0.28 + at(24, 37) * 0.10;
            // A checkerboard of two pixels softens the steps.
            let dither = if (x / 2 + y / 2) % 2 == 0 { 0.012 } else { -0.012 };
            let alpha = match height + dither {
                h if h > 0.66 => 52,
                h if h > 0.60 => 40,
                h if h > 0.55 => 24,
                _ => 0,
            };
            pixels.extend_from_slice(&NIGHT_RGB);
            pixels.push(alpha);
        }
    }
    picture(side, &mut pixels)
}

/// A round glow.
fn glow() -> Option<Surface> {
    rings(GLOW_SIDE, SHELL_RGB, &[(0.34, 84), (0.62, 52), (0.92, 24)])
}

/// A round spot in dithered rings. Each ring reaches up to a share of the radius, and has
/// an opacity of 255.
pub(super) fn rings(side: u32, rgb: [u8; 3], rings: &[(f64, u8)]) -> Option<Surface> {
    let middle = f64::from(side) / 2.0 - 0.5;
    let mut pixels = Vec::with_capacity((side * side * 4) as usize);
    for y in 0..side {
        for x in 0..side {
            let away = (f64::from(x) - middle).hypot(f64::from(y) - middle) / (middle + 0.5);
            let dither = if (x + y) % 2 == 0 { 0.06 } else { -0.06 };
            let ring = rings.iter().find(|(reach, _)| away + dither < *reach);
            pixels.extend_from_slice(&rgb);
            pixels.push(ring.map_or(0, |(_, alpha)| *alpha));
        }
    }
    picture(side, &mut pixels)
}

fn picture(side: u32, pixels: &mut [u8]) -> Option<Surface> {
    let surface = Surface::in_memory(side, side)?;
    let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(pixels), side, side).ok()?;
    surface.context.put_image_data(&data, 0, 0).ok()?;
    Some(surface)
}

fn draw_clouds(
    context: &CanvasRenderingContext2d,
    clouds: &Surface,
    view: &View,
    part: Rect,
    now: f64,
) {
    let side = f64::from(CLOUD_SIDE);
    let snap = |n: f64| (n * view.size.scale).round() / view.size.scale;
    let drift = (snap(now / 1_000.0 * CLOUD_DRIFT.0), snap(now / 1_000.0 * CLOUD_DRIFT.1));
    context.save();
    context.begin_path();
    context.rect(part.x, part.y, part.width, part.height);
    context.clip();
    let first = |edge: f64, drift: f64| ((edge - drift) / side).floor() * side + drift;
    let mut y = first(part.y, drift.1);
    while y < part.y + part.height {
        let mut x = first(part.x, drift.0);
        while x < part.x + part.width {
            clouds.stamp(context, x, y);
            x += side;
        }
        y += side;
    }
    context.restore();
}

fn draw_glints(context: &CanvasRenderingContext2d, tilemap: &Tilemap, cells: CellRange, now: f64) {
    context.set_fill_style_str(FOAM);
    for (x, y) in cells.cells() {
        if !tilemap.is_water(x, y) {
            continue;
        }
        let place = hash(x.into(), y.into());
        let time = now / GLINT_MS + unit(place);
        let turn = hash(place, time as u32);
        if !turn.is_multiple_of(GLINT_RARITY) {
            continue;
        }
        let strength = (time.fract() * std::f64::consts::PI).sin();
        context.set_global_alpha(strength * 0.8);
        let (left, top) = (f64::from(x) * TILE, f64::from(y) * TILE);
        let at = (left + 1.0 + f64::from(turn >> 8 & 7), top + 2.0 + f64::from(turn >> 12 & 7));
        context.fill_rect(at.0, at.1, 5.0, 1.0);
        context.fill_rect(at.0 + 2.0, at.1 - 1.0, 1.0, 3.0);
    }
    context.set_global_alpha(1.0);
}

fn draw_motes(context: &CanvasRenderingContext2d, part: Rect, color: &str, now: f64) {
    context.set_fill_style_str(color);
    let seconds = now / 1_000.0;
    for i in 0..MOTES {
        let (a, b) = (hash(i, 7), hash(i, 19));
        let speed = 3.0 + unit(a >> 8) * 5.0;
        let sway = (seconds * (0.4 + unit(b >> 4)) + f64::from(i)).sin() * 5.0;
        // Motes belong to the map, so that walking passes them by.
        let along = |start: f64, drift: f64, edge: f64, length: f64| {
            edge + (start * 977.0 + drift - edge).rem_euclid(length.max(1.0))
        };
        let x = along(unit(a), seconds * speed + sway, part.x, part.width);
        let y = along(unit(b), -seconds * speed * 0.4 + sway * 0.6, part.y, part.height);
        let blink = (seconds * (0.7 + unit(a >> 3)) + unit(b) * 7.0).sin();
        context.set_global_alpha((0.25 + 0.35 * blink).max(0.0));
        context.fill_rect(x.floor(), y.floor(), 1.0, 1.0);
    }
    context.set_global_alpha(1.0);
}

fn vignette(size: ViewSize, sky: Sky) -> Option<Surface> {
    let surface = Surface::in_memory(size.width as u32, size.height as u32)?;
    let context = &surface.context;
    if sky == Sky::Dusk {
        context.set_fill_style_str(&faded(PLUM, 0.2));
        context.fill_rect(0.0, 0.0, size.width, size.height);
    }
    let (x, y) = (size.width / 2.0, size.height / 2.0);
    let far = x.hypot(y);
    let gradient = context.create_radial_gradient(x, y, far * 0.55, x, y, far).ok()?;
    gradient.add_color_stop(0.0, &faded(INK, 0.0)).ok()?;
    gradient.add_color_stop(1.0, &faded(INK, 0.42)).ok()?;
    context.set_fill_style_canvas_gradient(&gradient);
    context.fill_rect(0.0, 0.0, size.width, size.height);
    Some(surface)
}

fn draw_darkness(context: &CanvasRenderingContext2d, size: ViewSize, player: (f64, f64)) {
    let reach = size.scale * TILE;
    let (x, y) = player;
    let gradient = context.create_radial_gradient(x, y, reach * 1.6, x, y, reach * 9.0);
    let Ok(gradient) = gradient else { return };
    let stops = [
        (0.0, faded(GOLD, 0.05)),
        (0.25, faded(INK, 0.28)),
        (0.7, faded(INK, 0.72)),
        (1.0, faded(INK, 0.86)),
    ];
    for (at, color) in stops {
        ignore(gradient.add_color_stop(at, &color));
    }
    context.set_fill_style_canvas_gradient(&gradient);
    context.fill_rect(0.0, 0.0, size.width, size.height);
}
