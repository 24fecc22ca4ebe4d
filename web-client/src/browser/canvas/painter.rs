//! Paints one frame of a zone, layer by layer.

use std::collections::BTreeSet;
use std::rc::Rc;

use shared::world::Tile;
use shared::world::map::ZoneMap;

use super::actors::{self, Actor, Flower};
use super::ambience::Ambience;
use super::art::{Art, Picture};
use super::bubble::{SIGN_BUBBLE, SpeechBubbles, draw_feeling};
use super::camera::{Camera, View};
use super::canopy::Canopy;
use super::nameplate::{NameOf, Nameplates};
use super::palette::{CREAM, INK};
use super::surface::{Surface, TILE, ViewSize};
use super::tilemap::Tilemap;
use crate::presentation::bubbles::Saying;

/// What a frame shows, beside the map.
#[derive(Debug)]
pub struct Frame<'a> {
    /// The moment, in milliseconds of the page's monotonic clock.
    pub now: f64,
    /// Milliseconds since the last frame.
    pub elapsed: f64,
    /// Where the camera looks, in tiles.
    pub focus: (f32, f32),
    /// Characters in view.
    pub actors: &'a [Actor],
    /// Flowers that have been picked, by their index in the map.
    pub picked: &'a BTreeSet<u16>,
    /// Where the player is walking to, and since when it is marked.
    pub marker: Option<(Tile, f64)>,
}

/// Room that a name takes, in CSS pixels.
const PLATE_HEIGHT: f64 = 24.0;

/// Paints the frames of one zone.
#[derive(Debug)]
pub struct Painter {
    map: Rc<ZoneMap>,
    art: Rc<Art>,
    tilemap: Tilemap,
    ambience: Ambience,
    canopy: Canopy,
    camera: Camera,
    nameplates: Nameplates,
    speech: SpeechBubbles,
    still: bool,
}

impl Painter {
    /// Prepares a zone. `None` where the browser gives no canvas for it.
    #[must_use]
    pub fn new(map: Rc<ZoneMap>, tileset: Picture, art: Rc<Art>, still: bool) -> Option<Self> {
        Some(Self {
            ambience: Ambience::new(&map.parts().zone, still),
            tilemap: Tilemap::new(Rc::clone(&map), tileset)?,
            map,
            art,
            canopy: Canopy::new(),
            camera: Camera::default(),
            nameplates: Nameplates::default(),
            speech: SpeechBubbles::default(),
            still,
        })
    }

    /// Paints a frame and tells the view that it shows.
    pub fn paint(&mut self, surface: &Surface, frame: &Frame<'_>) -> View {
        let size = ViewSize::fit(surface);
        let context = &surface.context;
        let map = self.tilemap.size();
        let focus = (f64::from(frame.focus.0) * TILE, f64::from(frame.focus.1) * TILE);
        let view = self.camera.follow(focus, frame.elapsed, map, size);
        let flowers: Vec<Flower> = (0u16..)
            .zip(&self.map.parts().flowers)
            .map(|(index, tile)| Flower { tile: *tile, glows: !frame.picked.contains(&index) })
            .collect();
        let cells = self.tilemap.visible_cells(&view);
        let part = view.visible(map);
        let (left, top) = view.origin();

        device_space(surface);
        context.set_fill_style_str(INK);
        context.fill_rect(0.0, 0.0, size.width, size.height);

        map_space(surface, size.scale, left, top);
        self.tilemap.animate(frame.now, cells);
        self.tilemap.draw_below(context, part);
        self.ambience.draw_ground(context, &self.tilemap, cells, &flowers, frame.now);
        if let Some((tile, since)) = frame.marker {
            draw_marker(surface, tile, frame.now - since);
        }
        actors::draw(context, &self.art, &view, frame.actors, &flowers, frame.now);
        self.canopy.draw(context, &self.tilemap, part, focus, frame.elapsed);
        self.ambience.draw_sky(context, &view, map, frame.now);

        device_space(surface);
        let player = view.to_device(focus.0, focus.1);
        self.ambience.draw_shade(context, &view, player);
        self.draw_names(surface, &view, frame.actors);
        self.draw_sayings(surface, &view, frame.actors);
        view
    }

    /// Others first, so that the player's own name is never covered.
    fn draw_names(&mut self, surface: &Surface, view: &View, actors: &[Actor]) {
        let (others, own): (Vec<_>, Vec<_>) = actors.iter().partition(|actor| !actor.own);
        for actor in others.into_iter().chain(own) {
            let Some(name) = &actor.name else { continue };
            let (x, y) = actor.crown();
            let (x, y) = view.to_device(x, y);
            let of = match (actor.dead, actor.own) {
                (true, _) => NameOf::Dead,
                (false, true) => NameOf::Own,
                (false, false) => NameOf::Other,
            };
            let plate = self.nameplates.plate(name, of, view.size.density);
            let Some(plate) = plate else { continue };
            let (width, height) =
                (f64::from(plate.canvas.width()), f64::from(plate.canvas.height()));
            let corner = (x - width / 2.0, y - height);
            let (left, top) = if is_in_view(view, actor) {
                view.size.keep_within(corner, (width, height))
            } else {
                corner
            };
            plate.stamp(&surface.context, left.round(), top.round());
        }
    }
}

impl Painter {
    /// Over the names, whoever stands further back first.
    fn draw_sayings(&mut self, surface: &Surface, view: &View, actors: &[Actor]) {
        let mut saying: Vec<_> = actors.iter().filter(|actor| actor.saying.is_some()).collect();
        saying.sort_by(|a, b| a.y.total_cmp(&b.y));
        let size = view.size;
        let above_name = PLATE_HEIGHT * size.density;
        for actor in saying {
            let Some((what, age)) = &actor.saying else { continue };
            let (x, y) = actor.crown();
            match what {
                Saying::Feeling(emote) => {
                    let (left, top) = view.origin();
                    map_space(surface, size.scale, left, top);
                    let at = (x, y - above_name / size.scale);
                    let at = if is_in_view(view, actor) { sign_within(view, at) } else { at };
                    draw_feeling(&surface.context, &self.art, *emote, at, *age, self.still);
                    device_space(surface);
                }
                Saying::Words(text) => {
                    let (x, y) = view.to_device(x, y);
                    let bubble = self.speech.bubble(text.as_str(), size.density);
                    let Some(bubble) = bubble else { continue };
                    let (width, height) =
                        (f64::from(bubble.canvas.width()), f64::from(bubble.canvas.height()));
                    // Words stay on the canvas, even of somebody at its edge.
                    let corner = (x - width / 2.0, y - above_name - height);
                    let left = size.keep_within(corner, (width, height)).0;
                    let top = corner.1.max(0.0);
                    bubble.stamp(&surface.context, left.round(), top.round());
                }
            }
        }
    }
}

/// Whether the canvas shows some of a body. Who is not in view has no name at its edge.
fn is_in_view(view: &View, actor: &Actor) -> bool {
    let ((x, top), (_, bottom)) = (actor.crown(), actor.feet());
    let ((x, top), (_, bottom)) = (view.to_device(x, top), view.to_device(x, bottom));
    (0.0..=view.size.width).contains(&x) && bottom >= 0.0 && top <= view.size.height
}

/// The tip of a sign's bubble, so that all of it lies on the canvas.
fn sign_within(view: &View, (x, y): (f64, f64)) -> (f64, f64) {
    let (half, height) = (SIGN_BUBBLE.width / 2.0, SIGN_BUBBLE.height);
    let (across, _) = view.size.in_art_pixels();
    let right = (view.left + across - half).max(view.left + half);
    (x.clamp(view.left + half, right), y.max(view.top + height))
}

fn device_space(surface: &Surface) {
    drop(surface.context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0));
}

fn map_space(surface: &Surface, scale: f64, left: f64, top: f64) {
    drop(surface.context.set_transform(scale, 0.0, 0.0, scale, left, top));
}

/// Four corners around a tile that close in once and then breathe.
fn draw_marker(surface: &Surface, tile: Tile, age: f64) {
    let context = &surface.context;
    let arrival = 5.0 * (1.0 - (age / 180.0).min(1.0));
    let breath = if ((age / 420.0) as u32).is_multiple_of(2) { 0.0 } else { 1.0 };
    let out = (arrival + breath).round();
    let (left, top) = (f64::from(tile.x) * TILE - out, f64::from(tile.y) * TILE - out);
    let side = TILE + 2.0 * out;
    for (color, rim) in [(INK, 1.0), (CREAM, 0.0)] {
        context.set_fill_style_str(color);
        for (x, dx) in [(left, 1.0), (left + side, -1.0)] {
            for (y, dy) in [(top, 1.0), (top + side, -1.0)] {
                let (x, y) = (x - rim * dx, y - rim * dy);
                let (long, wide) = (5.0 + 2.0 * rim, 1.0 + 2.0 * rim);
                bar(context, x, y, long * dx, wide * dy);
                bar(context, x, y, wide * dx, long * dy);
            }
        }
    }
}

/// A filled rectangle whose sides may point left or up.
fn bar(context: &web_sys::CanvasRenderingContext2d, x: f64, y: f64, width: f64, height: f64) {
    context.fill_rect(x.min(x + width), y.min(y + height), width.abs(), height.abs());
}
