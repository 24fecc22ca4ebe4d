//! Cleanup scopes: what a start or a failure invalidates, and nothing beyond.

use super::event::Effect;
use super::state::MultiplayerConnectionState;

/// How much of the connection state has become invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanupScope {
    /// Handoff, handshake and realtime session. Used by connect, create-character,
    /// delete-character and realm switch, at start and failure, and by zone-transfer
    /// recovery: login, realms, roster and selections stay for another choice.
    WorldEntry,
    /// World entry, and realms, login, roster and selections. Used by authenticate and
    /// quick connect, at start and failure, and by full reset and logout.
    AuthenticatedSession,
}

/// Clears what lies in the scope. The shutdown of the realtime session is requested before
/// its handle is dropped, so that no connection is left without an owner.
pub(super) fn clean_up(
    state: &mut MultiplayerConnectionState,
    scope: CleanupScope,
    effects: &mut Vec<Effect>,
) {
    if let Some(handle) = &state.realtime {
        effects.push(Effect::RequestRealtimeShutdown { generation: handle.generation });
        effects.push(Effect::ForgetSession);
    }
    state.realtime = None;
    state.handoff = None;
    state.handshake = None;
    if scope == CleanupScope::AuthenticatedSession {
        state.login_response = None;
        state.realms.clear();
        state.selected_realm = None;
        state.characters.clear();
        state.selected_character = None;
    }
}
