//! What a tab keeps of a session in the world, so that a page that is loaded anew in it goes
//! back into the world while the server still holds the session.

use serde::{Deserialize, Serialize};
use shared::gameplay::HandshakeResponse;
use shared::ids::{CharacterId, RealmId};
use shared::secret::ResumeToken;

/// A session that may be claimed again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSession {
    /// The handshake that it came by: accepted, with its activation.
    pub handshake: HandshakeResponse,
    /// What claims it; another one with every claim.
    pub resume_token: ResumeToken,
}

impl SavedSession {
    /// Whose session it is, and in which realm; `None` for a handshake without activation,
    /// which is never saved.
    #[must_use]
    pub fn character(&self) -> Option<(&RealmId, CharacterId)> {
        let activation = self.handshake.activation.as_ref()?;
        Some((&activation.placement.realm, activation.character.id))
    }
}
