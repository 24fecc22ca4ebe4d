//! The player's wish to enter the world, from whichever screen it comes.

use leptos::prelude::*;
use shared::ids::AttemptId;

use super::connection::Connection;
use super::ui_state::MultiplayerUiState;
use crate::browser::clock::new_attempt_id;
use crate::connection::start::{ValidationError, start_character_connect};
use crate::connection::{ConnectionEvent, Effect, MultiplayerConnectionState};

/// Enters the world with the selected character, and ends its other session, if any.
pub(super) fn enter_world(connection: Connection, ui: MultiplayerUiState) {
    begin_entry(connection, ui, start_character_connect);
}

/// Leaves the world, or the way into it, for the characters.
pub(super) fn leave_world(connection: Connection, ui: MultiplayerUiState) {
    ui.return_to_characters();
    connection.dispatch(ConnectionEvent::LeaveWorld);
}

/// Begins a way into the world. One that could not begin stays on the screen that it was
/// wished on, which shows why; only one that has begun can fail on the recovery screen.
pub(super) fn begin_entry(
    connection: Connection,
    ui: MultiplayerUiState,
    begin: impl FnOnce(&mut MultiplayerConnectionState, AttemptId) -> Vec<Effect>,
) {
    match new_attempt_id() {
        Some(attempt) => connection.start(|state| begin(state, attempt)),
        None => {
            connection.dispatch(ConnectionEvent::ValidationFailed(ValidationError::NoAttemptId))
        }
    }
    ui.entering.set(connection.peek(MultiplayerConnectionState::is_entering_the_world));
}
