//! HTTP bodies of the game role: the handshake and what it activates.
//! Source: the spec's "Game-Server Handshake" and "Selected character entry".

use serde::{Deserialize, Serialize};

use crate::account::GameEndpoint;
use crate::ids::{Appearance, AttemptId, CharacterId, InstanceId, Placement, Try, ZoneId};
use crate::secret::{HandoffToken, SessionTicket, SessionToken};
use crate::world::Tile;

/// The transport that the spec requires.
pub const QUIC: &str = "quic";

/// What a client says of itself before it is let in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameHello {
    /// Must equal [`crate::version::PROTOCOL_VERSION`].
    pub protocol_version: u32,
    /// The client's build, for logs; at most [`crate::limits::MAX_CLIENT_BUILD_LEN`] bytes.
    pub client_build: String,
    /// Transports that the client can use, best first; must contain [`QUIC`].
    pub transports: Vec<String>,
    /// The wish to enter, the same over retries.
    pub attempt_id: AttemptId,
    /// Counts the retries of the attempt, from 1.
    pub r#try: Try,
}

/// `POST /v1/handshake`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandshakeRequest {
    /// The client.
    pub hello: GameHello,
    /// The token from select.
    pub token: HandoffToken,
}

/// 200 of `POST /v1/handshake`: accepted, redirected or rejected. The fields are optional
/// because a client has to survive a server that breaks the rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandshakeResponse {
    /// Whether the client may claim its session.
    pub accepted: bool,
    /// The secret of the first realtime claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_ticket: Option<SessionTicket>,
    /// What was admitted and where it is served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activation: Option<RealtimeSessionActivation>,
    /// Another game server to try with the same token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<GameEndpoint>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Rejection>,
}

impl HandshakeResponse {
    /// An accepted handshake.
    #[must_use]
    pub fn accept(ticket: SessionTicket, activation: RealtimeSessionActivation) -> Self {
        Self {
            accepted: true,
            session_ticket: Some(ticket),
            activation: Some(activation),
            redirect: None,
            rejection: None,
        }
    }

    /// A handshake that belongs to another game server; the token is still good there.
    #[must_use]
    pub fn redirect(to: GameEndpoint) -> Self {
        Self {
            accepted: false,
            session_ticket: None,
            activation: None,
            redirect: Some(to),
            rejection: None,
        }
    }

    /// A refused handshake.
    #[must_use]
    pub fn reject(rejection: Rejection) -> Self {
        Self {
            accepted: false,
            session_ticket: None,
            activation: None,
            redirect: None,
            rejection: Some(rejection),
        }
    }
}

/// Why a handshake was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// For programs.
    pub code: RejectionCode,
    /// For people: what happened and what to do.
    pub detail: String,
    /// Whether entering again from the roster can help.
    pub retryable: bool,
}

/// The stable codes of rejections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectionCode {
    /// Client and server speak different protocol versions.
    ProtocolVersionUnsupported,
    /// The client does not offer QUIC.
    TransportUnsupported,
    /// The handoff token is unknown, expired or meant for another server.
    HandoffMissing,
    /// The handoff token has made its session already.
    HandoffAlreadyConsumed,
    /// The handoff record has a payload version that this server does not know.
    PayloadVersionUnsupported,
    /// The handoff names a zone that this instance does not carry.
    WrongZone,
    /// No instance of the zone has room.
    ZoneFull,
    /// The character was entered, moved or deleted since the token was made.
    Superseded,
    /// The login that the token was made for has ended.
    LoginEnded,
    /// A code of a newer server.
    #[serde(other)]
    Unknown,
}

impl Rejection {
    /// A rejection with the detail and the advice that go with its code.
    #[must_use]
    pub fn of(code: RejectionCode) -> Self {
        let (detail, retryable) = match code {
            RejectionCode::ProtocolVersionUnsupported => {
                ("this page is of another version than the server: reload the page", false)
            }
            RejectionCode::TransportUnsupported => {
                ("the server needs QUIC: use a browser with WebTransport", false)
            }
            RejectionCode::HandoffMissing => {
                ("the pass into the world has expired: enter the world again", true)
            }
            RejectionCode::HandoffAlreadyConsumed => {
                ("the pass into the world has been used: enter the world again", true)
            }
            RejectionCode::PayloadVersionUnsupported => {
                ("the servers are being updated: enter the world again in a moment", true)
            }
            RejectionCode::WrongZone => {
                ("this server does not carry the zone: enter the world again", true)
            }
            RejectionCode::ZoneFull => ("the zone is full: try again in a moment", true),
            RejectionCode::Superseded => {
                ("the character was entered or changed elsewhere: enter the world again", true)
            }
            RejectionCode::LoginEnded => ("the login has ended: log in again", false),
            RejectionCode::Unknown => ("the server refused: try again", true),
        };
        Self { code, detail: detail.to_owned(), retryable }
    }
}

/// What a realtime endpoint promises about its pace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuntimeProfile {
    /// Name of the profile; `quic-standard` is the only one so far.
    pub name: String,
    /// Simulation steps a second.
    pub tick_hz: u32,
    /// Snapshots a second.
    pub snapshot_hz: u32,
}

impl RuntimeProfile {
    /// The profile of QUIC at the standard pace.
    #[must_use]
    pub fn quic_standard() -> Self {
        let hz = crate::limits::TICK_HZ;
        Self { name: "quic-standard".to_owned(), tick_hz: hz, snapshot_hz: hz }
    }
}

/// One place where a session can be claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealtimeEndpoint {
    /// A WebTransport URL, `https://host:port/realtime`.
    pub url: String,
    /// SHA-256 of the certificates that the endpoint may show, lower-case hex; empty where
    /// the certificate is one that browsers trust.
    pub cert_hashes: Vec<String>,
    /// Whether the server believes that it answers.
    pub healthy: bool,
}

/// Which map the zone is drawn and walked on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapRef {
    /// The zone that the map is of.
    pub zone: ZoneId,
    /// SHA-256 of the map's bytes, lower-case hex.
    pub sha256: String,
}

impl MapRef {
    /// Path of the map's bytes on any HTTP role: never changes for the same content.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/world/{}/{}", self.zone, self.sha256)
    }
}

/// What an accepted handshake activates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealtimeSessionActivation {
    /// Names the session; the Welcome has to echo it.
    pub session_token: SessionToken,
    /// The instance that admitted it.
    pub instance_id: InstanceId,
    /// The placement that the character is in.
    pub placement: Placement,
    /// The zone of that placement.
    pub zone: ZoneId,
    /// Where the character stands.
    pub tile: Tile,
    /// Who enters.
    pub character: ActivatedCharacter,
    /// The pace of the realtime session.
    pub profile: RuntimeProfile,
    /// Where to claim it, best first.
    pub endpoints: Vec<RealtimeEndpoint>,
    /// The map of the zone.
    pub map: MapRef,
}

/// The character that an activation lets in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivatedCharacter {
    /// Its id.
    pub id: CharacterId,
    /// Its name.
    pub name: String,
    /// How it looks.
    pub appearance: Appearance,
    /// Flowers gathered so far.
    pub gathered: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_with_an_unknown_field_is_refused() {
        let json = r#"{"hello":{"protocol_version":1,"client_build":"x","transports":["quic"],
            "attempt_id":"6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001","try":1,"admin":true},
            "token":"handoff-6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001"}"#;
        assert!(serde_json::from_str::<HandshakeRequest>(json).is_err());
        let honest = json.replace(r#","admin":true"#, "");
        assert_eq!(
            serde_json::from_str::<HandshakeRequest>(&honest).unwrap().hello.r#try,
            Try::FIRST
        );
    }

    #[test]
    fn a_rejection_code_of_a_newer_server_is_still_a_rejection() {
        let json =
            r#"{"accepted":false,"rejection":{"code":"moon_phase","detail":"","retryable":true}}"#;
        let answer: HandshakeResponse = serde_json::from_str(json).unwrap();
        assert_eq!(answer.rejection.unwrap().code, RejectionCode::Unknown);
    }
}
