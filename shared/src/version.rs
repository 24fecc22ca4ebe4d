//! Versions of what crosses a wire or outlives a process. An unknown one is refused
//! while it is parsed, before anything that it asks for can happen.

use serde::{Deserialize, Deserializer, Serialize};

/// The realtime and handshake protocol that this build speaks. Client and server must
/// be equal in it; a client with another one is told to reload the page.
pub const PROTOCOL_VERSION: u32 = 2;

/// The version of baked zone maps; part of their content hash and of their bytes.
pub const MAP_VERSION: u32 = 1;

/// Marks a coordination record (handoff, marker, presence, ledger) with the version of
/// its payload. Parsing any other version than [`PayloadVersion::CURRENT`] fails, so a
/// record of the future is never half understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PayloadVersion(u32);

impl PayloadVersion {
    /// The one version that this build writes and reads.
    pub const CURRENT: Self = Self(1);

    /// The plain number, for a database column.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

/// A payload version that this build does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown payload version {found}; this build reads version {known}", known = PayloadVersion::CURRENT.0)]
pub struct UnknownPayloadVersion {
    /// The number found in the payload.
    pub found: u32,
}

impl TryFrom<u32> for PayloadVersion {
    type Error = UnknownPayloadVersion;

    fn try_from(found: u32) -> Result<Self, Self::Error> {
        if found == Self::CURRENT.0 {
            Ok(Self(found))
        } else {
            Err(UnknownPayloadVersion { found })
        }
    }
}

impl<'de> Deserialize<'de> for PayloadVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(u32::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_payload_version_is_refused_while_parsing() {
        assert_eq!(serde_json::from_str::<PayloadVersion>("1").unwrap(), PayloadVersion::CURRENT);
        let error = serde_json::from_str::<PayloadVersion>("2").unwrap_err().to_string();
        assert!(error.contains("unknown payload version 2"), "{error}");
    }
}
