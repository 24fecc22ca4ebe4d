//! The page's side of the world loop: the session and the bubbles to look at, and where
//! inputs and measurements go.

use leptos::prelude::*;
use shared::realtime::message::InputPacket;

use super::connection::Connection;
use super::ui_state::MultiplayerUiState;
use crate::browser::world_loop::{Measured, WorldLink};
use crate::presentation::Bubbles;
use crate::realtime::handle::{RealtimeGeneration, RealtimeSessionHandle};

/// What a world loop holds of the page.
#[derive(Clone, Copy, Debug)]
pub struct PageLink {
    /// The session.
    pub connection: Connection,
    /// What is shown beside it.
    pub ui: MultiplayerUiState,
}

impl WorldLink for PageLink {
    fn look(&self, see: &mut dyn FnMut(&RealtimeSessionHandle)) {
        self.connection.peek(|state| state.realtime.as_ref().map(see));
    }

    fn send(&self, generation: RealtimeGeneration, packet: &InputPacket) {
        self.connection.send_input(generation, packet);
    }

    fn bubbles(&self, see: &mut dyn FnMut(&Bubbles)) {
        self.ui.bubbles.with_value(see);
    }

    fn measured(&self, frame: Measured) {
        let Measured { now, elapsed, tick, own_is_low } = frame;
        let mut is_new = false;
        self.ui.telemetry.update_untracked(|telemetry| {
            is_new = telemetry.frame(now, elapsed, tick);
        });
        // Frames come sixty times a second; only a whole sample makes the page render.
        if is_new && self.ui.shows_telemetry.get_untracked() {
            self.ui.telemetry.notify();
        }
        if self.ui.own_is_low.get_untracked() != own_is_low {
            self.ui.own_is_low.set(own_is_low);
        }
    }
}
