//! What the player is told of the connection: short sentences that say what can be done.

use std::fmt;

use super::flow::PendingJobStage;

/// The player-facing status; its `Display` is the text for the page's live region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionStatus {
    /// Not logged in, nothing under way.
    Idle,
    /// A job is under way.
    Pending(PendingJobStage),
    /// Logged in, with characters to choose from.
    Authenticated,
    /// Logged in, but the roster of the realm is empty.
    AuthenticatedWithoutCharacters,
    /// Logged in, but there is no realm.
    AuthenticatedWithoutRealms,
    /// The handshake was accepted and the realtime session is being claimed.
    Connected,
    /// The character is in the world.
    InWorld,
    /// The connection to the world is lost, and the session is being claimed again.
    Reconnecting {
        /// Which dial this is, from one.
        attempt: u32,
    },
    /// A clean logout waits for the realtime session to end.
    Disconnecting,
    /// Something did not work; the text goes on after `Error: `.
    Error(String),
    /// The same, and only a page that is loaded anew can do better.
    NeedsReload(String),
    /// What the player wrote into the login form is refused; reads like an error.
    Refused {
        /// What has to be written differently.
        about: Credential,
        /// Why.
        reason: String,
    },
}

/// The parts of the login form that a refusal may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// The username.
    Username,
    /// The password.
    Password,
    /// Either: servers do not say which of the two is wrong.
    Both,
}

impl ConnectionStatus {
    /// An error status of anything that can say what went wrong.
    #[must_use]
    pub fn error(reason: impl fmt::Display) -> Self {
        Self::Error(reason.to_string())
    }

    /// An error status of what only a new page can mend, or else of anything.
    #[must_use]
    pub fn error_mended_by_reload(wants_reload: bool, reason: impl fmt::Display) -> Self {
        if wants_reload { Self::NeedsReload(reason.to_string()) } else { Self::error(reason) }
    }

    /// Whether only a page that is loaded anew can do better.
    #[must_use]
    pub fn wants_reload(&self) -> bool {
        matches!(self, Self::NeedsReload(_))
    }

    /// An error status that is about a part of the login form, where there is one.
    #[must_use]
    pub fn error_about(about: Option<Credential>, reason: impl fmt::Display) -> Self {
        match about {
            Some(about) => Self::Refused { about, reason: reason.to_string() },
            None => Self::error(reason),
        }
    }

    /// Whether the player is told of an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.reason().is_some()
    }

    /// What went wrong, where something did.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Error(reason) | Self::NeedsReload(reason) | Self::Refused { reason, .. } => {
                Some(reason)
            }
            _ => None,
        }
    }

    /// Whether that part of the login form has to be written differently.
    #[must_use]
    pub fn refuses(&self, part: Credential) -> bool {
        matches!(self, Self::Refused { about, .. } if *about == part || *about == Credential::Both)
    }
}

impl fmt::Display for ConnectionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => f.write_str("Log in to play."),
            Self::Pending(stage) => stage.fmt(f),
            Self::Authenticated => f.write_str("Logged in. Choose a character."),
            Self::AuthenticatedWithoutCharacters => {
                f.write_str("Logged in. Create a character to play.")
            }
            Self::AuthenticatedWithoutRealms => {
                f.write_str("Logged in, but no realm is open. Try again later.")
            }
            Self::Connected => f.write_str("Handshake accepted. Connecting to the world..."),
            Self::InWorld => f.write_str("You are in the world."),
            Self::Reconnecting { attempt } => {
                write!(f, "Connection lost. Reconnecting, attempt {attempt}...")
            }
            Self::Disconnecting => f.write_str("Disconnecting from realtime session..."),
            Self::Error(reason) | Self::NeedsReload(reason) | Self::Refused { reason, .. } => {
                write!(f, "Error: {reason}")
            }
        }
    }
}

impl fmt::Display for PendingJobStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registering => f.write_str("Registering the account..."),
            Self::Authenticating => f.write_str("Logging in..."),
            Self::FetchingRealms => f.write_str("Fetching realms..."),
            Self::FetchingCharacters => f.write_str("Fetching characters..."),
            Self::CreatingCharacter => f.write_str("Creating the character..."),
            Self::DeletingCharacter => f.write_str("Deleting the character..."),
            Self::RequestingHandoff => f.write_str("Requesting a way into the world..."),
            Self::Handshaking { redirects: 0 } => f.write_str("Entering the world..."),
            Self::Handshaking { redirects } => {
                write!(f, "Entering the world, redirect {redirects}...")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cleanup::CleanupScope;
    use super::super::flow::{JobId, MultiplayerConnectionFlow, PendingJob};
    use super::*;

    const STAGES: [PendingJobStage; 9] = [
        PendingJobStage::Registering,
        PendingJobStage::Authenticating,
        PendingJobStage::FetchingRealms,
        PendingJobStage::FetchingCharacters,
        PendingJobStage::CreatingCharacter,
        PendingJobStage::DeletingCharacter,
        PendingJobStage::RequestingHandoff,
        PendingJobStage::Handshaking { redirects: 0 },
        PendingJobStage::Handshaking { redirects: 2 },
    ];

    #[test]
    fn status_helpers_format_errors_and_cleanup_failed_job_stages() {
        assert_eq!(ConnectionStatus::error("it broke").to_string(), "Error: it broke");
        assert!(ConnectionStatus::error("it broke").is_error());
        assert!(!ConnectionStatus::Idle.is_error());
        for flow in MultiplayerConnectionFlow::ALL {
            let expected = match flow {
                MultiplayerConnectionFlow::Authenticate
                | MultiplayerConnectionFlow::QuickConnect => CleanupScope::AuthenticatedSession,
                _ => CleanupScope::WorldEntry,
            };
            for stage in STAGES {
                let job = PendingJob { id: JobId(1), flow, stage };
                assert_eq!(job.failure_scope(), expected, "{job:?}");
            }
        }
    }

    #[test]
    fn every_pending_stage_says_that_it_goes_on() {
        let mut texts = std::collections::BTreeSet::new();
        for stage in STAGES {
            let text = ConnectionStatus::Pending(stage).to_string();
            assert!(text.ends_with("..."), "{text}");
            assert!(texts.insert(text), "two stages with one text: {stage:?}");
        }
    }

    #[test]
    fn the_texts_that_others_rely_on_stay_as_they_are() {
        assert_eq!(
            ConnectionStatus::Disconnecting.to_string(),
            "Disconnecting from realtime session..."
        );
        assert_eq!(
            ConnectionStatus::error(super::super::start::ValidationError::NoAccount).to_string(),
            "Error: no authenticated account is available"
        );
    }
}
