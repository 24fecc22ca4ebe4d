//! What a finished job brings home.

use shared::account::{LoginResponse, Realm, RosterCharacter, SelectResponse};
use shared::gameplay::HandshakeResponse;
use shared::secret::ResumeToken;

use super::state::{MultiplayerConnectionState, clamp_selection};

/// Exactly the state that a job has updated: what is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkSnapshot {
    /// A new login.
    pub login_response: Option<LoginResponse>,
    /// A new realm list.
    pub realms: Option<Vec<Realm>>,
    /// Which realm to select.
    pub selected_realm: Option<usize>,
    /// A new roster.
    pub characters: Option<Vec<RosterCharacter>>,
    /// Which character to select.
    pub selected_character: Option<usize>,
    /// A handoff.
    pub handoff: Option<SelectResponse>,
    /// A handshake, accepted or rejected.
    pub handshake: Option<HandshakeResponse>,
    /// What claims the session of the handshake, where that is one of before: its ticket has
    /// been used.
    pub resume_token: Option<ResumeToken>,
}

impl NetworkSnapshot {
    /// Writes the populated fields into the state and clamps both selections.
    pub(super) fn merge_into(self, state: &mut MultiplayerConnectionState) {
        if let Some(login) = self.login_response {
            state.login_response = Some(login);
        }
        if let Some(realms) = self.realms {
            state.realms = realms;
        }
        if let Some(index) = self.selected_realm {
            state.selected_realm = Some(index);
        }
        if let Some(characters) = self.characters {
            state.characters = characters;
        }
        if let Some(index) = self.selected_character {
            state.selected_character = Some(index);
        }
        if let Some(handoff) = self.handoff {
            state.handoff = Some(handoff);
        }
        if let Some(handshake) = self.handshake {
            state.handshake = Some(handshake);
        }
        state.selected_realm = clamp_selection(state.selected_realm, state.realms.len());
        state.selected_character =
            clamp_selection(state.selected_character, state.characters.len());
    }
}
