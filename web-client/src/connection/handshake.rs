//! What to do after a handshake's answer.

use shared::account::GameEndpoint;
use shared::gameplay::{HandshakeResponse, RealtimeSessionActivation, Rejection};
use shared::limits::MAX_HANDSHAKE_REDIRECTS;
use shared::secret::SessionTicket;

/// What next after an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandshakeStep {
    /// Claim the session.
    Accept {
        /// The right to it.
        ticket: SessionTicket,
        /// What was admitted.
        activation: Box<RealtimeSessionActivation>,
    },
    /// Present the same token there.
    Follow(GameEndpoint),
    /// Tell the player why not.
    Reject(Rejection),
    /// The servers break the contract; no further try of this attempt can help.
    Error(HandshakeError),
}

/// How servers break the contract of the handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// Accepted, but there is nothing to claim the session with.
    #[error("the server accepted the handshake without a session ticket: enter the world again")]
    NoTicket,
    /// Accepted, but not said what.
    #[error("the server accepted the handshake without an activation: enter the world again")]
    NoActivation,
    /// Accepted, but nowhere to go.
    #[error("no healthy realtime endpoint was offered: enter the world again in a moment")]
    NoHealthyEndpoint,
    /// Sent on and on.
    #[error(
        "the servers redirected more than {MAX_HANDSHAKE_REDIRECTS} times: enter the world again in a moment"
    )]
    TooManyRedirects,
    /// Neither accepted, nor redirected, nor rejected.
    #[error("the server answered the handshake with nothing: enter the world again")]
    Empty,
}

/// Decides what follows an answer after `redirects_followed` redirects.
#[must_use]
pub fn handshake_step(response: &HandshakeResponse, redirects_followed: u32) -> HandshakeStep {
    if response.accepted {
        return match (&response.session_ticket, &response.activation) {
            (None, _) => HandshakeStep::Error(HandshakeError::NoTicket),
            (_, None) => HandshakeStep::Error(HandshakeError::NoActivation),
            (Some(ticket), Some(activation)) => HandshakeStep::Accept {
                ticket: ticket.clone(),
                activation: Box::new(activation.clone()),
            },
        };
    }
    match (&response.rejection, &response.redirect) {
        (Some(rejection), _) => HandshakeStep::Reject(rejection.clone()),
        (None, Some(_)) if redirects_followed >= MAX_HANDSHAKE_REDIRECTS => {
            HandshakeStep::Error(HandshakeError::TooManyRedirects)
        }
        (None, Some(endpoint)) => HandshakeStep::Follow(endpoint.clone()),
        (None, None) => HandshakeStep::Error(HandshakeError::Empty),
    }
}
