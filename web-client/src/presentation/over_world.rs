//! What lies over the picture of the world, and what is said of a connection that is away.

use crate::realtime::transport::TransportState;

/// What lies over the world: one thing at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The world can be seen and played.
    Nothing,
    /// The pause menu.
    Menu,
    /// The connection is away.
    Away,
    /// The character is dead.
    Death,
}

/// What lies over the world. The menu is reachable from everywhere; a world without its
/// connection cannot tell who is dead.
#[must_use]
pub fn over_the_world(paused: bool, away: bool, dead: bool) -> Over {
    match (paused, away, dead) {
        (true, ..) => Over::Menu,
        (false, true, _) => Over::Away,
        (false, false, true) => Over::Death,
        (false, false, false) => Over::Nothing,
    }
}

/// Whether the world on the screen is only its last picture. One that is being left is not
/// away: the player knows. `transport` is none without a session.
#[must_use]
pub fn is_away(ready: bool, transport: Option<TransportState>) -> bool {
    !ready && transport.is_some_and(|state| state != TransportState::ClosedByUser)
}

/// Why the world is only its last picture: a title, and what can be expected.
#[must_use]
pub fn away_words(transport: Option<TransportState>) -> (&'static str, &'static str) {
    match transport {
        Some(TransportState::Transferring) => {
            ("On the way", "You are being taken to the next place.")
        }
        Some(TransportState::Live) => ("Connected again", "Looking for you in the world."),
        _ => (
            "The connection is away",
            "Your character stays where it is, and you go on from there once the server \
             answers again. Check your network if this lasts.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_menu_comes_before_a_lost_connection_and_that_before_death() {
        assert_eq!(over_the_world(true, true, true), Over::Menu);
        assert_eq!(over_the_world(false, true, true), Over::Away);
        assert_eq!(over_the_world(false, false, true), Over::Death);
        assert_eq!(over_the_world(false, false, false), Over::Nothing);
    }

    #[test]
    fn a_world_is_away_while_it_is_not_ready_and_is_not_being_left() {
        let away = |ready, state| is_away(ready, Some(state));
        assert!(away(false, TransportState::Reconnecting));
        assert!(away(false, TransportState::Live), "its bodies have not come yet");
        assert!(!away(true, TransportState::Live));
        assert!(!away(false, TransportState::ClosedByUser));
        assert!(!is_away(false, None), "there is no session");
    }

    #[test]
    fn who_waits_is_told_for_what() {
        let titles =
            [TransportState::Reconnecting, TransportState::Live, TransportState::Transferring]
                .map(|state| away_words(Some(state)).0);
        assert_eq!(titles, ["The connection is away", "Connected again", "On the way"]);
    }
}
