//! Which screen shows a state of the connection.

use shared::secret::SessionToken;

use crate::connection::{MultiplayerConnectionFlow, MultiplayerConnectionState, PendingJobStage};
use crate::realtime::TransportState;

/// The screens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// Register and log in.
    Login,
    /// Choose a realm.
    Realms,
    /// Choose, create and delete characters.
    Characters,
    /// On the way into the world.
    Loading,
    /// In the world.
    World,
    /// The way into the world has failed.
    Recovery,
}

impl Screen {
    /// The screen's name, as its test id and the page's styles have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Realms => "realms",
            Self::Characters => "characters",
            Self::Loading => "loading",
            Self::World => "world",
            Self::Recovery => "recovery",
        }
    }
}

/// Which menu an account without a world sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Menu {
    /// The realms.
    #[default]
    Realms,
    /// The characters of the selected realm.
    Characters,
}

/// Which screen shows a state. `entering` says that a way into the world was begun and not
/// given up, `scene` whose pictures are loaded.
#[must_use]
pub fn screen_of(
    state: &MultiplayerConnectionState,
    menu: Menu,
    entering: bool,
    scene: Option<&SessionToken>,
) -> Screen {
    if let Some(handle) = &state.realtime {
        // Who was in the world keeps looking at it while the connection is away; nothing
        // but the picture comes of that.
        let is_away = handle.was_in_world()
            && matches!(
                handle.transport.state(),
                TransportState::Reconnecting | TransportState::Transferring
            );
        let is_shown = state.world_entry_ready() || state.is_draining() || is_away;
        return if is_shown && scene == Some(&handle.activation.session_token) {
            Screen::World
        } else {
            Screen::Loading
        };
    }
    if let Some(job) = &state.pending_job {
        let enters = matches!(
            job.stage,
            PendingJobStage::RequestingHandoff | PendingJobStage::Handshaking { .. }
        );
        if enters || job.flow == MultiplayerConnectionFlow::ConnectCharacter {
            return Screen::Loading;
        }
    }
    match (&state.login_response, menu) {
        (None, _) => Screen::Login,
        (Some(_), _) if entering => Screen::Recovery,
        (Some(_), Menu::Realms) => Screen::Realms,
        (Some(_), Menu::Characters) => Screen::Characters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::fixtures::*;
    use crate::connection::start::start_character_connect;
    use crate::connection::{ConnectionEvent, reduce};
    use crate::realtime::TransportEvent;

    fn screen(state: &MultiplayerConnectionState, entering: bool, has_scene: bool) -> Screen {
        let own = activation().session_token;
        screen_of(state, Menu::Characters, entering, has_scene.then_some(&own))
    }

    fn lost() -> TransportEvent {
        TransportEvent::ConnectionLost { reason: String::new() }
    }

    #[test]
    fn the_world_shows_once_it_is_ready_and_its_pictures_are_there() {
        assert_eq!(screen(&new_state(), false, false), Screen::Login);
        let mut state = authenticated_state();
        assert_eq!(screen(&state, false, false), Screen::Characters);
        assert_eq!(screen_of(&state, Menu::Realms, false, None), Screen::Realms);
        let effects = start_character_connect(&mut state, attempt());
        assert_eq!(screen(&state, true, false), Screen::Loading);
        run(&mut state, effects, &mut Server::default());
        assert_eq!(screen(&state, true, true), Screen::Loading, "accepted is not ready");
        let state = state_in_world();
        assert_eq!(screen(&state, true, false), Screen::Loading, "no pictures");
        assert_eq!(screen(&state, true, true), Screen::World);
        let other = "session-of-somebody-else".parse().unwrap();
        assert_eq!(screen_of(&state, Menu::Realms, true, Some(&other)), Screen::Loading);
    }

    #[test]
    fn who_was_in_the_world_keeps_looking_at_it_while_the_connection_is_away() {
        let mut state = state_in_world();
        realtime(&mut state, lost());
        assert!(!state.world_entry_ready());
        assert_eq!(screen(&state, true, true), Screen::World);
        realtime(&mut state, TransportEvent::RedialDue { attempt: 1 });
        assert_eq!(screen(&state, true, true), Screen::World, "over the dials as well");
    }

    #[test]
    fn a_goodbye_stays_in_the_world_until_it_is_answered() {
        let mut state = state_in_world();
        reduce(&mut state, ConnectionEvent::LogoutRequested);
        assert_eq!(screen(&state, true, true), Screen::World);
    }

    #[test]
    fn a_failed_entry_is_told_on_the_recovery_screen_until_it_is_given_up() {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        run(&mut state, effects, &mut Server::default());
        realtime(&mut state, TransportEvent::DialTimedOut);
        assert_eq!(screen(&state, true, false), Screen::Recovery);
        assert_eq!(screen(&state, false, false), Screen::Characters);
    }
}
