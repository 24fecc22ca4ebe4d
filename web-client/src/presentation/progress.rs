//! How far an entry into the world is, in steps and in words.

use crate::connection::{MultiplayerConnectionState, PendingJobStage};
use crate::realtime::transport::TransportState;

/// Steps from the wish to the world.
pub const STEPS: u32 = 5;

/// How far an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Steps that are done, of [`STEPS`].
    pub done: u32,
    /// What it waits for.
    pub words: &'static str,
}

/// How far the entry of a state is. `has_scene`: the picture of the world is there.
#[must_use]
pub fn progress(state: &MultiplayerConnectionState, has_scene: bool) -> Progress {
    let (done, words) = steps(state, has_scene);
    Progress { done, words }
}

fn steps(state: &MultiplayerConnectionState, has_scene: bool) -> (u32, &'static str) {
    if let Some(handle) = &state.realtime {
        return match handle.transport.state() {
            TransportState::Live if handle.has_live_player() && has_scene => (5, "Here we are."),
            TransportState::Live if handle.has_live_player() => (4, "Unrolling the map"),
            TransportState::Live => (4, "Looking for you in the world"),
            TransportState::ClosedByUser => (0, "Going back"),
            TransportState::Reconnecting => (2, "Finding the game server again"),
            _ if handle.transport.has_said_hello() => (3, "Saying hello"),
            _ => (2, "Crossing over to the game server"),
        };
    }
    match state.pending_job.map(|job| job.stage) {
        Some(PendingJobStage::Handshaking { .. }) => (1, "Knocking at the game server"),
        Some(PendingJobStage::RequestingHandoff) => (0, "Asking for a way into the world"),
        _ => (0, "Looking who you are"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::fixtures::*;
    use crate::connection::start::start_character_connect;
    use crate::realtime::TransportEvent;

    #[test]
    fn every_step_of_an_entry_is_further_and_says_what_it_waits_for() {
        let mut state = authenticated_state();
        let mut seen = Vec::new();
        let mut look = |state: &MultiplayerConnectionState, has_scene| {
            let Progress { done, words } = progress(state, has_scene);
            seen.push((done, words));
        };
        let effects = start_character_connect(&mut state, attempt());
        look(&state, false);
        run(&mut state, effects, &mut Server::default());
        look(&state, false);
        realtime(&mut state, TransportEvent::Opened);
        look(&state, false);
        realtime(&mut state, TransportEvent::Welcome(welcome()));
        look(&state, false);
        let state = state_in_world();
        look(&state, false);
        look(&state, true);
        assert_eq!(
            seen,
            [
                (0, "Asking for a way into the world"),
                (2, "Crossing over to the game server"),
                (3, "Saying hello"),
                (4, "Looking for you in the world"),
                (4, "Unrolling the map"),
                (STEPS, "Here we are."),
            ]
        );
    }

    #[test]
    fn a_session_that_has_to_be_found_again_is_said_to_be() {
        let mut state = state_in_world();
        realtime(&mut state, TransportEvent::ConnectionLost { reason: String::new() });
        assert_eq!(progress(&state, false).words, "Finding the game server again");
        assert_eq!(progress(&new_state(), false).words, "Looking who you are");
    }
}
