//! What each flow asks of the servers, and what comes of the answers.

use std::time::Duration;

use shared::account::{CreateCharacter, Credentials, RealmList, Roster};
use shared::gameplay::{HandshakeResponse, RealtimeEndpoint};
use shared::limits::{CLIENT_DIAL_TIMEOUT, CLIENT_HANDSHAKE_LIMIT, MAX_HANDSHAKE_REDIRECTS};
use shared::problem::ProblemCode;

use super::event::{ConnectionEvent, Effect, RuntimeProblem};
use super::fixtures::*;
use super::flow::MultiplayerConnectionFlow as Flow;
use super::http::HttpOutcome;
use super::job::{JobError, MAX_HANDSHAKE_TRIES};
use super::reducer::reduce;
use super::start::*;
use super::state::MultiplayerConnectionState;
use super::status::{ConnectionStatus, Credential};
use crate::realtime::transport::{TransportAction, TransportEvent};

pub(super) fn start_of(flow: Flow, state: &mut MultiplayerConnectionState) -> Vec<Effect> {
    match flow {
        Flow::Authenticate => start_login_flow(state, password()),
        Flow::QuickConnect => start_quick_connect(state, password(), attempt()),
        Flow::ConnectCharacter => start_character_connect(state, attempt()),
        Flow::CreateCharacter => start_create_character(state, new_character()),
        Flow::DeleteCharacter => start_delete_character(state, roster(1)[0].id),
        Flow::SwitchRealm => start_realm_switch(state, 1),
    }
}

fn continued(realm: Option<&str>) -> LoginMethod {
    let realm = realm.map(|realm| realm.parse().unwrap());
    LoginMethod::Continue { login: login(), realm, session: None }
}

fn new_character() -> CreateCharacter {
    CreateCharacter { name: "Dora".to_owned(), appearance: Default::default() }
}

#[test]
fn login_fetches_realms_and_characters_and_nothing_more() {
    let mut state = new_state();
    let effects = start_login_flow(&mut state, password());
    assert_eq!(state.status.to_string(), "Logging in...");
    let mut server = Server::default();
    let left = run(&mut state, effects, &mut server);
    assert_eq!(
        server.calls,
        [
            "POST http://login.test/v1/sessions",
            "GET http://login.test/v1/realms",
            "GET http://login.test/v1/realms/dawn/characters",
        ]
    );
    assert!(matches!(left[..], [Effect::ForgetSession]), "no session of before is kept: {left:?}");
    assert_eq!(state.status, ConnectionStatus::Authenticated);
    assert_eq!((state.selected_realm, state.selected_character), (Some(0), Some(0)));
    assert!(has_no_world(&state) && state.pending_job.is_none());
}

#[test]
fn registering_makes_the_account_before_it_logs_in() {
    let mut state = new_state();
    let effects = start_login_flow(&mut state, LoginMethod::Register(credentials()));
    let mut server = Server::default();
    run(&mut state, effects, &mut server);
    assert_eq!(server.calls[0], "POST http://login.test/v1/accounts");
    assert_eq!(server.calls.len(), 4);
    assert_eq!(state.status, ConnectionStatus::Authenticated);
}

#[test]
fn a_login_that_is_still_valid_is_continued_without_a_password() {
    let mut state = new_state();
    let effects = start_login_flow(&mut state, continued(None));
    let mut server = Server::default();
    run(&mut state, effects, &mut server);
    assert_eq!(server.calls[0], "GET http://login.test/v1/realms");
    assert_eq!(state.login_response, Some(login()));
}

#[test]
fn a_continued_login_returns_to_its_realm_where_that_still_exists() {
    for (realm, index) in [("dusk", 1), ("dawn", 0), ("sunk", 0)] {
        let mut state = new_state();
        let effects = start_login_flow(&mut state, continued(Some(realm)));
        let mut server = Server::default();
        run(&mut state, effects, &mut server);
        let shown = &state.realms[index].id;
        assert_eq!(server.calls[1], format!("GET http://login.test/v1/realms/{shown}/characters"));
        assert_eq!(state.selected_realm, Some(index), "{realm}");
    }
}

#[test]
fn a_continue_that_fails_leaves_no_wish_behind() {
    let mut state = new_state();
    let effects = start_login_flow(&mut state, continued(Some("dusk")));
    run(&mut state, effects, &mut Server::instead([("/realms", HttpOutcome::Unreachable)]));
    assert!(is_empty(&state));
    let effects = start_login_flow(&mut state, password());
    run(&mut state, effects, &mut Server::default());
    assert_eq!(state.selected_realm, Some(0));
}

#[test]
fn only_a_flow_that_has_begun_is_on_its_way_into_the_world() {
    let mut state = new_state();
    let empty = Credentials { username: String::new(), password: String::new() };
    let _ = start_quick_connect(&mut state, LoginMethod::Password(empty), attempt());
    assert!(!state.is_entering_the_world());
    for flow in Flow::ALL {
        let mut state = authenticated_state();
        let _ = start_of(flow, &mut state);
        assert_eq!(state.is_entering_the_world(), flow.enters_the_world(), "{flow:?}");
        let job = state.pending_job.unwrap().id;
        let problem = RuntimeProblem::NoWebTransport;
        reduce(&mut state, ConnectionEvent::RuntimeUnavailable { job, problem });
        assert!(!state.is_entering_the_world(), "{flow:?}");
    }
}

#[test]
fn a_refusal_names_the_part_of_the_form_that_it_is_about() {
    use Credential::{Both, Password, Username};
    let check = |method: LoginMethod, answer: Option<ProblemCode>, about: Option<Credential>| {
        let mut state = new_state();
        let effects = start_login_flow(&mut state, method.clone());
        let instead = answer.map(|code| ("/v1/sessions", problem(code, "no")));
        run(&mut state, effects, &mut Server::instead(instead));
        assert!(state.status.is_error(), "{method:?}");
        for part in [Username, Password] {
            let expected = about.is_some_and(|about| about == part || about == Both);
            assert_eq!(state.status.refuses(part), expected, "{part:?} of {:?}", state.status);
        }
    };
    let given = |username: &str, password: &str| Credentials {
        username: username.to_owned(),
        password: password.to_owned(),
    };
    check(LoginMethod::Password(given("", "")), None, Some(Both));
    check(LoginMethod::Password(given("", "secret")), None, Some(Username));
    check(LoginMethod::Password(given("mara", "")), None, Some(Password));
    check(LoginMethod::Register(given("7", "long enough")), None, Some(Username));
    check(LoginMethod::Register(given("admin", "long enough")), None, Some(Username));
    check(LoginMethod::Register(given("mara", "short")), None, Some(Password));
    check(password(), Some(ProblemCode::InvalidCredentials), Some(Both));
    check(password(), Some(ProblemCode::UsernameTaken), Some(Username));
    check(password(), Some(ProblemCode::UsernameConfusable), Some(Username));
    check(password(), Some(ProblemCode::UsernameReserved), Some(Username));
    check(password(), Some(ProblemCode::Unavailable), None);
}

#[test]
fn a_login_without_realms_or_characters_says_what_to_do() {
    let mut state = new_state();
    let effects = start_login_flow(&mut state, password());
    let none = ok(&RealmList { realms: vec![] });
    run(&mut state, effects, &mut Server::instead([("/realms", none)]));
    assert_eq!(state.status, ConnectionStatus::AuthenticatedWithoutRealms);
    let effects = start_login_flow(&mut state, password());
    let none = ok(&Roster { characters: vec![] });
    run(&mut state, effects, &mut Server::instead([("/characters", none)]));
    assert_eq!(state.status.to_string(), "Logged in. Create a character to play.");
    assert_eq!(state.selected_character, None);
}

#[test]
fn selected_character_entry_ends_in_the_world() {
    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    let mut server = Server::default();
    let left = run(&mut state, effects, &mut server);
    assert_eq!(
        server.calls,
        ["POST http://login.test/v1/select-character", "POST http://game-1.test/v1/handshake"]
    );
    assert!(server.bodies[0].contains(&uuid_text(11)), "the second character is the selected one");
    let [Effect::StartRealtime { generation, endpoint }] = &left[..] else { panic!("{left:?}") };
    assert_eq!(
        (*generation, endpoint.url.as_str()),
        (super::fixtures::generation(&state), "https://well")
    );
    assert_eq!(state.status, ConnectionStatus::Connected);

    realtime(&mut state, TransportEvent::DialStarted);
    let hello = realtime(&mut state, TransportEvent::Opened);
    assert!(
        matches!(&hello[..], [Effect::Transport { action: TransportAction::SendHello(hello), .. }]
            if hello.session_token == activation().session_token)
    );
    realtime(&mut state, TransportEvent::Welcome(welcome()));
    assert!(!state.world_entry_ready(), "live without a local player is loading");
    realtime(&mut state, TransportEvent::Snapshot(snapshot_with(101, &[OWN])));
    assert!(state.world_entry_ready());
    assert_eq!(state.status, ConnectionStatus::InWorld);
    assert!(keeps_the_roster(&state));
}

#[test]
fn quick_connect_takes_the_first_character_of_the_first_realm() {
    let mut state = new_state();
    let effects = start_quick_connect(&mut state, password(), attempt());
    let mut server = Server::default();
    let left = run(&mut state, effects, &mut server);
    assert_eq!(server.calls.len(), 5);
    assert!(server.bodies[3].contains(&uuid_text(10)) && server.bodies[3].contains("dawn"));
    assert!(matches!(&left[..], [Effect::StartRealtime { .. }]), "{left:?}");
    assert!(state.login_response.is_some() && state.handoff.is_some());
}

#[test]
fn quick_connect_fails_on_empty_realms_or_characters() {
    for (end, answer, expected) in [
        ("/realms", ok(&RealmList { realms: vec![] }), JobError::NoRealms),
        ("/characters", ok(&Roster { characters: vec![] }), JobError::NoCharacters),
    ] {
        let mut state = new_state();
        let effects = start_quick_connect(&mut state, password(), attempt());
        let left = run(&mut state, effects, &mut Server::instead([(end, answer)]));
        assert!(left.is_empty());
        assert_eq!(state.status, ConnectionStatus::error(expected));
        assert!(is_empty(&state));
    }
}

#[test]
fn creating_replaces_the_roster_and_selects_the_new_character() {
    let mut state = authenticated_state();
    let effects = start_create_character(&mut state, new_character());
    let left = run(&mut state, effects, &mut Server::default());
    assert!(left.is_empty(), "no realtime session comes of it");
    assert_eq!((state.characters.len(), state.selected_character), (4, Some(3)));
    assert_eq!(state.status, ConnectionStatus::Authenticated);
}

#[test]
fn deleting_clamps_the_selection_to_what_is_left() {
    let mut state = authenticated_state();
    let effects = start_delete_character(&mut state, roster(3)[2].id);
    let mut server = Server::default();
    run(&mut state, effects, &mut server);
    let path = format!("DELETE http://login.test/v1/realms/dawn/characters/{}", uuid_text(12));
    assert_eq!(server.calls, [path]);
    assert_eq!((state.characters.len(), state.selected_character), (1, Some(0)));
}

#[test]
fn a_realm_is_selected_only_once_its_roster_is_there() {
    let mut state = authenticated_state();
    let effects = start_realm_switch(&mut state, 1);
    assert_eq!(state.selected_realm, Some(0));
    run(&mut state, effects, &mut Server::default());
    assert_eq!((state.selected_realm, state.characters.len()), (Some(1), 1));
    assert_eq!(state.selected_character, Some(0));
}

#[test]
fn a_roster_that_is_fetched_anew_keeps_its_selection_where_that_is_still_there() {
    for (answer, selected) in [(roster(3), 1), (roster(3)[1..].to_vec(), 0), (roster(1), 0)] {
        let mut state = authenticated_state();
        let effects = start_realm_switch(&mut state, 0);
        let answer = ok(&Roster { characters: answer });
        run(&mut state, effects, &mut Server::instead([("/characters", answer)]));
        assert_eq!(state.selected_character, Some(selected));
    }
}

#[test]
fn a_dropped_job_sends_nothing_further() {
    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    reduce(&mut state, ConnectionEvent::Reset);
    let mut server = Server::default();
    run(&mut state, effects, &mut server);
    assert!(server.calls.is_empty());
}

#[test]
fn validation_changes_the_status_and_nothing_else() {
    let mut state = state_in_world();
    let empty = LoginMethod::Password(shared::account::Credentials {
        username: String::new(),
        password: String::new(),
    });
    let effects = start_login_flow(&mut state, empty);
    assert!(effects.is_empty());
    assert_eq!(state.status.to_string(), "Error: enter a username and a password");
    assert!(keeps_the_roster(&state) && state.world_entry_ready());

    let mut state = new_state();
    for flow in
        [Flow::ConnectCharacter, Flow::CreateCharacter, Flow::DeleteCharacter, Flow::SwitchRealm]
    {
        state.status = ConnectionStatus::Idle;
        assert!(start_of(flow, &mut state).is_empty());
        assert_eq!(state.status.to_string(), "Error: no authenticated account is available");
    }
}

#[test]
fn names_that_break_a_rule_are_refused_before_the_network() {
    let mut state = authenticated_state();
    let character = CreateCharacter { name: "x".to_owned(), ..new_character() };
    assert!(start_create_character(&mut state, character).is_empty());
    assert!(state.status.to_string().starts_with("Error: use 3 to 16 characters"));
    let character = CreateCharacter { name: "Game Master".to_owned(), ..new_character() };
    assert!(start_create_character(&mut state, character).is_empty());
    assert!(state.status.to_string().starts_with("Error: choose another name"));
    state.characters.clear();
    state.selected_character = None;
    assert!(start_character_connect(&mut state, attempt()).is_empty());
    assert!(state.status.to_string().contains("choose or create a character"));
}

#[test]
fn starting_a_world_entry_shuts_the_old_session_down_first() {
    let mut state = state_in_world();
    let old = generation(&state);
    let effects = start_character_connect(&mut state, attempt());
    assert!(
        matches!(
            &effects[..],
            [
                Effect::RequestRealtimeShutdown { generation },
                Effect::ForgetSession,
                Effect::SpawnJob(_),
            ] if *generation == old
        ),
        "{effects:?}"
    );
    assert!(has_no_world(&state) && keeps_the_roster(&state));
}

#[test]
fn redirects_are_followed_up_to_their_bound() {
    let redirect = || ok(&HandshakeResponse::redirect(endpoint(2)));
    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    let mut server = Server::instead([("game-1.test/v1/handshake", redirect())]);
    let left = run(&mut state, effects, &mut server);
    assert_eq!(server.calls[2], "POST http://game-2.test/v1/handshake");
    assert!(matches!(&left[..], [Effect::StartRealtime { .. }]));

    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    let forever = (0..20).map(|_| ("/v1/handshake", redirect()));
    let mut server = Server::instead(forever);
    let left = run(&mut state, effects, &mut server);
    assert_eq!(server.calls.len(), 1 + 1 + MAX_HANDSHAKE_REDIRECTS as usize);
    assert!(left.is_empty());
    assert!(state.status.to_string().contains("redirected more than 3 times"), "{}", state.status);
    assert!(keeps_the_roster(&state) && has_no_world(&state));
}

#[test]
fn a_lost_answer_to_the_handshake_is_asked_for_again_with_a_higher_try() {
    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    let mut server = Server::instead([
        ("/v1/handshake", HttpOutcome::Unreachable),
        ("/v1/handshake", problem(ProblemCode::Unavailable, "a store is down")),
    ]);
    let left = run(&mut state, effects, &mut server);
    let tries: Vec<bool> =
        (1..=3).map(|n| server.bodies[n].contains(&format!("\"try\":{n}"))).collect();
    assert_eq!(tries, [true; 3]);
    assert!(server.bodies[1..].iter().all(|body| body.contains(&uuid_text(1))));
    assert!(matches!(&left[..], [Effect::StartRealtime { .. }]));

    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    let mut server = Server::instead((0..20).map(|_| ("/v1/handshake", HttpOutcome::TimedOut)));
    run(&mut state, effects, &mut server);
    assert_eq!(server.calls.len(), 1 + MAX_HANDSHAKE_TRIES as usize);
    assert!(keeps_the_roster(&state) && has_no_world(&state));
}

#[test]
fn a_game_server_that_hangs_at_the_handshake_is_given_up_within_its_limit() {
    let silent = || HttpOutcome::TimedOut;
    let redirect = || ok(&HandshakeResponse::redirect(endpoint(2)));
    let busy = || problem(ProblemCode::Unavailable, "a store is down: try again in a moment");
    let slow = Duration::from_millis(3_900);
    let check = |answers: Vec<HttpOutcome>, takes: Duration| {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        let select = "/v1/select-character";
        let mut server = Server::instead([(select, ok(&super::fixtures::select()))]);
        server.instead.extend(answers.into_iter().map(|answer| ("/v1/handshake", answer)));
        server.takes = takes;
        run(&mut state, effects, &mut server);
        let at_the_handshake = server.waited - takes;
        assert!(at_the_handshake <= CLIENT_HANDSHAKE_LIMIT, "{at_the_handshake:?}");
        assert!(state.status.is_error() && state.status.to_string().contains("try again"));
        assert!(keeps_the_roster(&state) && has_no_world(&state));
        server.calls.len() - 1
    };
    assert_eq!(check((0..9).map(|_| silent()).collect(), Duration::ZERO), 3);
    assert_eq!(check((0..9).map(|_| busy()).collect(), slow), 3);
    let mut redirected: Vec<_> = (0..3).map(|_| redirect()).collect();
    redirected.extend((0..9).map(|_| silent()));
    assert_eq!(check(redirected, slow), 4, "redirects take of the same time");
    assert!(CLIENT_HANDSHAKE_LIMIT < Duration::from_secs(15), "a player hears within 15 s");
    assert!(CLIENT_DIAL_TIMEOUT < Duration::from_secs(5), "and of a dial within 5 s");
}

#[test]
fn an_accepted_handshake_that_lacks_its_parts_is_a_hard_error() {
    let unhealthy = {
        let mut response = accepted();
        let sick = |e: &mut RealtimeEndpoint| e.healthy = false;
        response.activation.as_mut().unwrap().endpoints.iter_mut().for_each(sick);
        response
    };
    for (response, expected) in [
        (HandshakeResponse { session_ticket: None, ..accepted() }, "without a session ticket"),
        (HandshakeResponse { activation: None, ..accepted() }, "without an activation"),
        (unhealthy, "no healthy realtime endpoint"),
    ] {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        let left =
            run(&mut state, effects, &mut Server::instead([("/v1/handshake", ok(&response))]));
        assert!(left.is_empty());
        assert!(state.status.to_string().contains(expected), "{}", state.status);
        assert!(has_no_world(&state) && keeps_the_roster(&state));
    }
}

#[test]
fn a_problem_tells_the_player_the_servers_sentence() {
    let mut state = new_state();
    let effects = start_login_flow(&mut state, password());
    let answer = problem(ProblemCode::InvalidCredentials, "username or password is wrong");
    run(&mut state, effects, &mut Server::instead([("/sessions", answer)]));
    assert_eq!(state.status.to_string(), "Error: username or password is wrong");
    let effects = start_login_flow(&mut state, password());
    let html = HttpOutcome::Answered { status: 502, body: b"<html>".to_vec(), retry_after: None };
    run(&mut state, effects, &mut Server::instead([("/sessions", html)]));
    assert!(state.status.to_string().contains("status 502"), "{}", state.status);
}
