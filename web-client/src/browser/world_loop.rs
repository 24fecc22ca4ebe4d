//! The world while it is played: ticks at 20 Hz, frames as the screen gives them.
//!
//! Each frame reads the realtime session where it lies; nothing is copied into the page's
//! state, and no frame makes the page render anew.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use shared::ids::ZoneId;
use shared::realtime::message::{EntityId, InputPacket};
use shared::world::Facing;
use shared::world::movement::MoveInput;
use web_sys::HtmlCanvasElement;

use super::canvas::actors::Actor;
use super::canvas::art::appearance_index;
use super::canvas::camera::View;
use super::canvas::surface::{Surface, TILE};
use super::canvas::{Frame, Painter};
use super::clock;
use super::frames::FrameLoop;
use super::input::Controls;
use super::scene::Scene;
use crate::presentation::{Action, Bubbles};
use crate::realtime::handle::{RealtimeGeneration, RealtimeSessionHandle};
use crate::realtime::prediction::Prediction;
use crate::realtime::transport::TransportState;

/// Longest time that a frame may claim, in milliseconds: beyond it the tab was hidden.
const MAX_FRAME_MS: f64 = 250.0;

/// The page's side of the loop: the session to look at, and a way to send.
pub trait WorldLink: 'static {
    /// Looks at the present realtime session, if there is one.
    fn look(&self, see: &mut dyn FnMut(&RealtimeSessionHandle));
    /// Sends a datagram on the connection of a generation.
    fn send(&self, generation: RealtimeGeneration, packet: &InputPacket);
    /// Looks at what is over the heads.
    fn bubbles(&self, see: &mut dyn FnMut(&Bubbles));
    /// Is told how each frame went.
    fn measured(&self, frame: Measured);
}

/// How a frame went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The moment, in milliseconds of the page's monotonic clock.
    pub now: f64,
    /// Milliseconds since the last one.
    pub elapsed: f64,
    /// Tick of the newest snapshot.
    pub tick: Option<u32>,
    /// Whether the own body stands in the lower half of the canvas.
    pub own_is_low: bool,
}

/// A world that is being played; dropping it ends the loop.
#[derive(Debug)]
pub struct WorldLoop {
    stage: Rc<RefCell<Stage>>,
    _frames: FrameLoop,
}

impl WorldLoop {
    /// Starts to play a scene on a canvas. `still` asks for no decoration that moves.
    /// `None` where the browser gives no canvas for it.
    #[must_use]
    pub fn start(
        canvas: HtmlCanvasElement,
        scene: &Scene,
        link: impl WorldLink,
        still: bool,
    ) -> Option<Self> {
        let painter = Painter::new(
            Rc::clone(&scene.map),
            scene.tileset.clone(),
            Rc::clone(&scene.art),
            still,
        )?;
        let stage = Rc::new(RefCell::new(Stage {
            surface: Surface::of(canvas)?,
            scene: scene.clone(),
            painter,
            controls: Controls::default(),
            local: None,
            gaits: BTreeMap::new(),
            view: None,
            last_frame: clock::now(),
        }));
        let painted = Rc::clone(&stage);
        let frames = FrameLoop::start(move |now| painted.borrow_mut().frame(&link, now));
        Some(Self { stage, _frames: frames })
    }

    /// Does something between two frames. Firefox ends the scripts of a page that is being
    /// left, wherever they stand: an event that still comes then finds a frame that will
    /// never be over, and nothing to do.
    fn between_frames<T: Default>(&self, act: impl FnOnce(&mut Stage) -> T) -> T {
        self.stage.try_borrow_mut().map(|mut stage| act(&mut stage)).unwrap_or_default()
    }

    /// The key of an action went down or up; says whether that walks.
    pub fn key(&self, action: Action, held: bool) -> bool {
        self.between_frames(|stage| stage.controls.key(action, held))
    }

    /// The pointer went down, at CSS pixels of the canvas.
    pub fn press(&self, css: (f64, f64)) {
        self.between_frames(|stage| {
            if let (Some(local), Some(view)) = (&stage.local, &stage.view) {
                let at = local.prediction.body().position;
                stage.controls.press(&stage.scene.map, at, view, css, clock::now());
            }
        });
    }

    /// The pointer moved while it was down.
    pub fn drag(&self, css: (f64, f64)) {
        self.between_frames(|stage| stage.controls.drag(css));
    }

    /// The pointer went up.
    pub fn lift(&self) {
        self.between_frames(|stage| stage.controls.lift());
    }

    /// The page has lost the keyboard.
    pub fn release_all(&self) {
        self.between_frames(|stage| stage.controls.release_all());
    }

    /// Stands still: a menu has opened.
    pub fn stop(&self) {
        self.between_frames(|stage| stage.controls.stop());
    }

    /// Walks to an exit by ordinary input; says whether there is a way.
    pub fn walk_to_exit(&self, zone: &ZoneId) -> bool {
        self.between_frames(|stage| {
            let Some(local) = &stage.local else { return false };
            let at = local.prediction.body().position;
            stage.controls.walk_to_exit(&stage.scene.map, at, zone, clock::now())
        })
    }
}

/// The player's own body in one session.
#[derive(Debug)]
struct Local {
    generation: RealtimeGeneration,
    entity: EntityId,
    prediction: Prediction,
    /// The newest snapshot that the prediction has seen.
    seen_tick: Option<u32>,
}

/// How far a body has walked, for its feet.
#[derive(Clone, Copy, Debug, Default)]
struct Gait {
    at: (f32, f32),
    walked: f32,
}

#[derive(Debug)]
struct Stage {
    surface: Surface,
    scene: Scene,
    painter: Painter,
    controls: Controls,
    local: Option<Local>,
    gaits: BTreeMap<EntityId, Gait>,
    view: Option<View>,
    last_frame: f64,
}

impl Stage {
    fn frame(&mut self, link: &impl WorldLink, now: f64) {
        let elapsed = (now - self.last_frame).clamp(0.0, MAX_FRAME_MS);
        self.last_frame = now;
        let mut packets = Vec::new();
        let mut actors = Vec::new();
        let mut picked = BTreeSet::new();
        let mut tick = None;
        link.look(&mut |handle| {
            self.follow(handle);
            packets = self.tick(handle, elapsed, now);
            actors = self.actors(handle, link, now);
            picked = handle.world.picked_flowers().clone();
            tick = handle.world.acked_tick();
        });
        for (generation, packet) in &packets {
            link.send(*generation, packet);
        }
        // Without a body there is nothing to look at; the last frame stays.
        let Some(focus) = actors.iter().find(|actor| actor.own).map(|own| (own.x, own.y)) else {
            return;
        };
        let marker = self.controls.marker();
        let frame = Frame { now, elapsed, focus, actors: &actors, picked: &picked, marker };
        let view = self.painter.paint(&self.surface, &frame);
        let (_, y) = view.to_device(f64::from(focus.0) * TILE, f64::from(focus.1) * TILE);
        let own_is_low = y > view.size.height / 2.0;
        link.measured(Measured { now, elapsed, tick, own_is_low });
        self.view = Some(view);
    }

    /// Takes what the server has said of the player's own body since the last frame.
    fn follow(&mut self, handle: &RealtimeSessionHandle) {
        let Some(player) = handle.world.local_player() else { return };
        let tick = handle.world.acked_tick();
        match &mut self.local {
            Some(local)
                if local.generation == handle.generation && local.entity == player.entity =>
            {
                if local.seen_tick != tick {
                    local.prediction.reconcile(&self.scene.map, player.body, player.acked_input);
                    local.seen_tick = tick;
                }
            }
            _ => {
                self.local = Some(Local {
                    generation: handle.generation,
                    entity: player.entity,
                    prediction: Prediction::new(player.body),
                    seen_tick: tick,
                });
                self.gaits.clear();
            }
        }
    }

    /// Runs the ticks that are due and gives their datagrams.
    fn tick(
        &mut self,
        handle: &RealtimeSessionHandle,
        elapsed: f64,
        now: f64,
    ) -> Vec<(RealtimeGeneration, InputPacket)> {
        let Some(local) = &mut self.local else { return Vec::new() };
        let is_live = handle.transport.state() == TransportState::Live;
        // The dead do not walk, and do not begin to when they live again.
        let is_dead = handle.world.own_is_dead();
        if is_dead {
            self.controls.stop();
        }
        let mut packets = Vec::new();
        for _ in 0..local.prediction.advance(elapsed) {
            if !is_live {
                continue;
            }
            let at = local.prediction.body().position;
            let input = if is_dead {
                MoveInput::STILL
            } else {
                self.controls.input(at, self.view.as_ref(), now)
            };
            local.prediction.tick(&self.scene.map, input);
            packets.push((local.generation, local.prediction.packet(handle.world.acked_tick())));
        }
        packets
    }

    fn actors(
        &mut self,
        handle: &RealtimeSessionHandle,
        link: &impl WorldLink,
        now: f64,
    ) -> Vec<Actor> {
        let others = handle.world.render(now);
        let mut actors = Vec::with_capacity(others.len() + 1);
        let mut gaits = BTreeMap::new();
        let mut add =
            |entity: EntityId, x: f32, y: f32, facing: Facing, walking: bool, own: bool| {
                let mut gait =
                    self.gaits.get(&entity).copied().unwrap_or(Gait { at: (x, y), walked: 0.0 });
                gait.walked += (x - gait.at.0).hypot(y - gait.at.1);
                gait.at = (x, y);
                if !walking {
                    gait.walked = 0.0;
                }
                gaits.insert(entity, gait);
                let person = handle.world.person(entity);
                let character = &handle.activation.character;
                let (name, appearance) = match person {
                    Some(person) => (Some(person.name.clone()), &person.appearance),
                    // One's own name is known before the server says it to everybody.
                    None if own => (Some(character.name.clone()), &character.appearance),
                    None => (None, &character.appearance),
                };
                // A body whose looks are not known yet is drawn in the first ones, not in ours.
                let appearance = if name.is_some() { appearance_index(appearance) } else { 0 };
                let walked = gait.walked;
                let dead = handle.world.is_dead(entity);
                let mut saying = None;
                link.bubbles(&mut |bubbles| {
                    let bubble = bubbles.over(entity, now);
                    saying = bubble.map(|bubble| (bubble.saying.clone(), now - bubble.since));
                });
                actors.push(Actor {
                    x,
                    y,
                    facing,
                    walking,
                    walked,
                    appearance,
                    name,
                    own,
                    dead,
                    saying,
                });
            };
        for body in &others {
            add(body.entity, body.x, body.y, body.facing, body.walking, false);
        }
        if let Some(local) = &self.local {
            let body = local.prediction.render();
            add(local.entity, body.x, body.y, body.facing, body.walking, true);
        }
        self.gaits = gaits;
        actors
    }
}
