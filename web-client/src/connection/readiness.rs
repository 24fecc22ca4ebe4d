//! What counts as being in the world. A ticket, a handle, an accepted handshake alone or a
//! live transport without a local player is not enough.

use super::state::MultiplayerConnectionState;
use crate::realtime::transport::TransportState;

impl MultiplayerConnectionState {
    /// Whether the world may be shown: the handshake was accepted, the transport is live,
    /// and the world contains the authoritative local player.
    #[must_use]
    pub fn world_entry_ready(&self) -> bool {
        self.handshake.as_ref().is_some_and(|handshake| handshake.accepted)
            && self.has_realtime_session()
    }

    /// Whether there is a fully established realtime session that a logout has to drain: a
    /// live transport with an authoritative local player.
    #[must_use]
    pub fn has_realtime_session(&self) -> bool {
        self.realtime.as_ref().is_some_and(|handle| handle.has_live_player())
    }

    /// Whether a requested disconnect is complete: the transport is ClosedByUser and its
    /// last message is no longer "disconnect requested".
    #[must_use]
    pub fn realtime_disconnect_finished(&self) -> bool {
        self.realtime.as_ref().is_some_and(|handle| handle.transport.is_disconnect_finished())
    }

    /// The health of the realtime transport, where there is one.
    #[must_use]
    pub fn transport_state(&self) -> Option<TransportState> {
        self.realtime.as_ref().map(|handle| handle.transport.state())
    }
}

#[cfg(test)]
mod tests {
    use shared::gameplay::HandshakeResponse;
    use shared::realtime::message::{Bye, ByeCode, EntityId};

    use super::super::event::ConnectionEvent;
    use super::super::fixtures::*;
    use super::super::reducer::reduce;
    use super::super::start::start_character_connect;
    use super::*;
    use crate::realtime::transport::{DISCONNECT_REQUESTED, TransportEvent};

    fn connecting_state() -> MultiplayerConnectionState {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        run(&mut state, effects, &mut Server::default());
        state
    }

    #[test]
    fn has_realtime_session_requires_authoritative_local_player() {
        let mut state = authenticated_state();
        assert!(!state.has_realtime_session(), "no handle");
        state = connecting_state();
        assert!(!state.has_realtime_session(), "a ticket and a handle");
        realtime(&mut state, TransportEvent::Snapshot(snapshot_with(90, &[OWN])));
        assert!(!state.has_realtime_session(), "a snapshot before the Welcome counts for nothing");
        realtime(&mut state, TransportEvent::Opened);
        realtime(&mut state, TransportEvent::Welcome(welcome()));
        assert_eq!(state.transport_state(), Some(TransportState::Live));
        assert!(!state.has_realtime_session(), "live without a local player");
        realtime(&mut state, TransportEvent::Snapshot(snapshot_with(100, &[EntityId(1)])));
        assert!(!state.has_realtime_session(), "only somebody else in view");
        realtime(&mut state, TransportEvent::Snapshot(snapshot_with(101, &[EntityId(1), OWN])));
        assert!(state.has_realtime_session());
    }

    #[test]
    fn world_entry_ready_requires_an_accepted_handshake() {
        let mut state = state_in_world();
        state.handshake = None;
        assert!(state.has_realtime_session() && !state.world_entry_ready());
        state.handshake = Some(rejected());
        assert!(!state.world_entry_ready());
        state.handshake = Some(HandshakeResponse { accepted: false, ..accepted() });
        assert!(!state.world_entry_ready());
        state.handshake = Some(accepted());
        assert!(state.world_entry_ready());
    }

    #[test]
    fn world_entry_ready_requires_live_authoritative_realtime_player() {
        let mut state = connecting_state();
        assert!(state.handshake.as_ref().is_some_and(|handshake| handshake.accepted));
        assert!(!state.world_entry_ready(), "an accepted handshake alone");
        realtime(&mut state, TransportEvent::Welcome(welcome()));
        assert!(!state.world_entry_ready(), "live without a local player");
        realtime(&mut state, TransportEvent::Snapshot(snapshot_with(100, &[OWN])));
        assert!(state.world_entry_ready());
        reduce(&mut state, ConnectionEvent::LogoutRequested);
        assert_eq!(state.transport_state(), Some(TransportState::ClosedByUser));
        assert!(!state.world_entry_ready(), "a local player without a live transport");
    }

    #[test]
    fn realtime_disconnect_finished_requires_disconnect_request_to_complete() {
        let mut state = new_state();
        assert!(!state.realtime_disconnect_finished(), "nothing to disconnect");
        state = state_in_world();
        assert!(!state.realtime_disconnect_finished(), "nothing was requested");
        reduce(&mut state, ConnectionEvent::LogoutRequested);
        let handle = state.realtime.as_mut().unwrap();
        assert_eq!(handle.transport.last_message(), DISCONNECT_REQUESTED);
        assert!(!state.realtime_disconnect_finished(), "requested, not yet answered");
        let handle = state.realtime.as_mut().unwrap();
        // Past the reducer, which resets at once: the moment between answer and reset.
        handle.apply(&TransportEvent::ByeReceived(Bye::of(ByeCode::LoggedOut)), 2_000.0);
        assert_eq!(handle.transport.state(), TransportState::ClosedByUser);
        assert!(state.realtime_disconnect_finished());
    }
}
