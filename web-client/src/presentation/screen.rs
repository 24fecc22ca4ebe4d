//! Which screen shows a state of the connection.

use crate::connection::{MultiplayerConnectionFlow, MultiplayerConnectionState, PendingJobStage};

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

/// What the page knows beside the connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The menu to return to.
    pub menu: Menu,
    /// Whether a way into the world was begun and the player has not gone back since.
    pub entering: bool,
    /// Whether the page has been loaded anew and goes on with its login of before.
    pub returning: bool,
    /// Whether there is a picture of a world to show.
    pub has_scene: bool,
}

/// Which screen shows a state. The world stays on the screen, dimmed, while its lost connection
/// is claimed again, and is not ready meanwhile.
#[must_use]
pub fn screen_of(state: &MultiplayerConnectionState, shown: Shown) -> Screen {
    if let Some(handle) = &state.realtime {
        let is_shown = state.world_entry_ready() || state.is_draining() || handle.was_in_world();
        return if is_shown && shown.has_scene { Screen::World } else { Screen::Loading };
    }
    if let Some(job) = &state.pending_job {
        let enters = matches!(
            job.stage,
            PendingJobStage::RequestingHandoff | PendingJobStage::Handshaking { .. }
        );
        if enters || shown.returning || job.flow == MultiplayerConnectionFlow::ConnectCharacter {
            return Screen::Loading;
        }
    }
    match (&state.login_response, shown.menu) {
        (None, _) => Screen::Login,
        (Some(_), _) if shown.entering && state.status.is_error() => Screen::Recovery,
        (Some(_), Menu::Realms) => Screen::Realms,
        (Some(_), Menu::Characters) => Screen::Characters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::fixtures::*;
    use crate::connection::start::{LoginMethod, start_character_connect, start_login_flow};
    use crate::connection::{ConnectionEvent, ConnectionStatus, reduce};
    use crate::realtime::TransportEvent;

    const MENU: Shown =
        Shown { menu: Menu::Characters, entering: false, returning: false, has_scene: false };
    const ENTERING: Shown = Shown { entering: true, ..MENU };
    const LOADED: Shown = Shown { has_scene: true, ..ENTERING };

    #[test]
    fn without_a_world_the_menu_decides() {
        assert_eq!(screen_of(&new_state(), MENU), Screen::Login);
        let state = authenticated_state();
        assert_eq!(screen_of(&state, Shown::default()), Screen::Realms);
        assert_eq!(screen_of(&state, MENU), Screen::Characters);
    }

    #[test]
    fn only_a_way_into_the_world_that_failed_is_closed() {
        let mut state = authenticated_state();
        assert_eq!(screen_of(&state, ENTERING), Screen::Characters, "there was no world to go to");
        state.status = ConnectionStatus::error("the zone is full");
        assert_eq!(screen_of(&state, ENTERING), Screen::Recovery);
        assert_eq!(screen_of(&state, MENU), Screen::Characters, "something else failed");
    }

    #[test]
    fn a_page_that_was_loaded_anew_shows_no_form_to_whoever_is_logged_in() {
        let mut state = new_state();
        let method = LoginMethod::Continue { login: login(), realm: None, session: None };
        let effects = start_login_flow(&mut state, method);
        let returning = Shown { returning: true, ..MENU };
        assert_eq!(screen_of(&state, returning), Screen::Loading);
        run(&mut state, effects, &mut Server::default());
        assert_eq!(screen_of(&state, returning), Screen::Characters);
        reduce(&mut state, ConnectionEvent::Reset);
        assert_eq!(screen_of(&state, returning), Screen::Login);
    }

    #[test]
    fn the_world_is_shown_once_it_is_ready_and_its_scene_is_there() {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        assert_eq!(screen_of(&state, ENTERING), Screen::Loading, "a job enters");
        run(&mut state, effects, &mut Server::default());
        assert_eq!(screen_of(&state, LOADED), Screen::Loading, "nothing is ready yet");
        let state = state_in_world();
        assert_eq!(screen_of(&state, ENTERING), Screen::Loading, "there is nothing to draw");
        assert_eq!(screen_of(&state, LOADED), Screen::World);
    }

    #[test]
    fn a_world_that_was_shown_stays_while_its_connection_is_away() {
        let mut state = state_in_world();
        let lost = TransportEvent::ConnectionLost { reason: String::new() };
        for event in [lost, TransportEvent::RedialDue { attempt: 1 }, TransportEvent::Opened] {
            realtime(&mut state, event);
            assert!(!state.world_entry_ready());
            assert_eq!(screen_of(&state, LOADED), Screen::World);
        }
        assert_eq!(screen_of(&state, ENTERING), Screen::Loading, "there is nothing to draw");
        reduce(&mut state, ConnectionEvent::Reset);
        assert_eq!(screen_of(&state, LOADED), Screen::Login);
    }

    #[test]
    fn what_is_shown_never_makes_a_world_ready() {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        run(&mut state, effects, &mut Server::default());
        assert_eq!(screen_of(&state, LOADED), Screen::Loading);
        assert!(!state.world_entry_ready(), "readiness reads the connection alone");
    }
}
