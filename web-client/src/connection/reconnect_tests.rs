//! The session as the connection owns it while its connection is lost and comes back, and
//! over a reload of the page.

use shared::account::{RealtimePlace, ResumeResponse, Roster};
use shared::gameplay::RealtimeEndpoint;
use shared::limits::RESUME_GRACE;
use shared::problem::ProblemCode;
use shared::realtime::command::{
    ChatText, Command, CommandAnswer, CommandOutcome, CommandRefused, CommandSequence, Emote,
    SequencedCommand,
};
use shared::realtime::message::{Bye, ByeCode, Claim, EntityId, Seen, Welcome};

use super::event::{ConnectionEvent, Effect, RuntimeProblem};
use super::fixtures::*;
use super::notice::{NotDone, Notice};
use super::reducer::reduce;
use super::saved_session::SavedSession;
use super::start::*;
use super::state::MultiplayerConnectionState;
use super::status::ConnectionStatus;
use crate::realtime::reconnect::Located;
use crate::realtime::transport::{TransportAction, TransportEvent, TransportState};

const BREAK: fn() -> TransportEvent = || TransportEvent::ConnectionLost { reason: "net".into() };

fn second_welcome() -> Welcome {
    Welcome { resume_token: "resume-token-number-2".parse().unwrap(), ..welcome() }
}

/// Lost, dialled again, and waiting for the Welcome.
fn dialled_again() -> MultiplayerConnectionState {
    let mut state = state_in_world();
    realtime(&mut state, BREAK());
    realtime(&mut state, TransportEvent::RedialDue { attempt: 1 });
    realtime(&mut state, TransportEvent::DialStarted);
    realtime(&mut state, TransportEvent::Opened);
    state
}

fn command(state: &mut MultiplayerConnectionState, command: Command) -> Vec<Effect> {
    reduce(state, ConnectionEvent::Command(command))
}

fn say(text: &str) -> Command {
    Command::Say(text.parse().unwrap())
}

fn sent(effects: &[Effect]) -> Vec<SequencedCommand> {
    let of = |effect: &Effect| match effect {
        Effect::Transport { action: TransportAction::SendCommand(command), .. } => {
            Some(command.clone())
        }
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

fn shown(effects: &[Effect]) -> Vec<Notice> {
    let of = |effect: &Effect| match effect {
        Effect::Show(notice) => Some(notice.clone()),
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

fn kept(effects: &[Effect]) -> Option<SavedSession> {
    effects.iter().find_map(|effect| match effect {
        Effect::KeepSession(session) => Some((**session).clone()),
        _ => None,
    })
}

#[test]
fn a_lost_connection_keeps_everything_and_dials_again_under_a_new_generation() {
    let mut state = state_in_world();
    let first = generation(&state);
    realtime(&mut state, BREAK());
    assert!(keeps_the_roster(&state) && state.handshake.is_some() && !state.world_entry_ready());
    assert_eq!(state.status, ConnectionStatus::Reconnecting { attempt: 1 });
    assert_eq!(state.status.to_string(), "Connection lost. Reconnecting, attempt 1...");
    assert!(state.realtime.as_ref().unwrap().world.local_player().is_some(), "the last view stays");

    let effects = realtime(&mut state, TransportEvent::RedialDue { attempt: 1 });
    let second = generation(&state);
    assert_ne!(second, first);
    assert!(
        matches!(&effects[..], [Effect::StartRealtime { generation, .. }] if *generation == second)
    );
    // Whatever the first connection still says is about nothing any more.
    for late in [BREAK(), TransportEvent::Welcome(welcome())] {
        let event = ConnectionEvent::Realtime { generation: first, at: 1_000.0, event: late };
        assert!(reduce(&mut state, event).is_empty());
    }
    assert_eq!(state.transport_state(), Some(TransportState::Reconnecting));
}

#[test]
fn a_session_that_is_claimed_again_is_in_the_world_as_before() {
    let mut state = dialled_again();
    realtime(&mut state, TransportEvent::Welcome(second_welcome()));
    realtime(&mut state, TransportEvent::Snapshot(snapshot_with(300, &[OWN])));
    assert!(state.world_entry_ready());
    assert_eq!(state.status, ConnectionStatus::InWorld);
}

#[test]
fn a_reconnect_that_is_exhausted_is_an_unexpected_loss() {
    let mut state = dialled_again();
    let over = 1_000.0 + RESUME_GRACE.as_secs_f64() * 1_000.0;
    let generation = generation(&state);
    let event = TransportEvent::DialTimedOut;
    let effects = reduce(&mut state, ConnectionEvent::Realtime { generation, at: over, event });
    assert!(shuts_down(&effects) && is_empty(&state));
    assert_eq!(
        state.status.to_string(),
        "Error: you were disconnected: the connection could not be restored. \
         Log in or continue to play on"
    );
}

#[test]
fn a_reconnect_that_is_refused_for_good_is_an_unexpected_loss() {
    let mut state = dialled_again();
    let bye = TransportEvent::ByeReceived(Bye::of(ByeCode::Superseded));
    let effects = realtime(&mut state, bye);
    assert!(shuts_down(&effects) && is_empty(&state));
    let status = state.status.to_string();
    assert!(status.contains("your account has entered the world elsewhere"), "{status}");
}

#[test]
fn a_failed_dial_is_followed_by_the_question_where_the_session_is() {
    let mut state = dialled_again();
    realtime(&mut state, TransportEvent::DialTimedOut);
    let effects = realtime(&mut state, TransportEvent::RedialDue { attempt: 2 });
    let [Effect::LocateSession { generation: whose, call }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!((*whose, call.url.as_str()), (generation(&state), "http://login.test/v1/resume"));
    let ended = Located::Ended("the session has ended: enter the world again".into());
    let effects = realtime(&mut state, TransportEvent::Located(ended));
    assert!(shuts_down(&effects) && is_empty(&state));
    assert_eq!(
        state.status.to_string(),
        "Error: you were disconnected: the session has ended. Log in or continue to play on"
    );
}

#[test]
fn a_logout_while_reconnecting_skips_the_wait() {
    let mut state = state_in_world();
    realtime(&mut state, BREAK());
    let effects = reduce(&mut state, ConnectionEvent::LogoutRequested);
    assert!(is_empty(&state) && shuts_down(&effects));
    assert!(matches!(effects.last(), Some(Effect::EndLogin(_))), "which ends the session there");
}

#[test]
fn leaving_while_reconnecting_asks_who_is_in_the_world() {
    let mut state = state_in_world();
    realtime(&mut state, BREAK());
    let effects = reduce(&mut state, ConnectionEvent::LeaveWorld);
    assert!(shuts_down(&effects) && has_no_world(&state) && keeps_the_roster(&state));
    let mut server = Server::default();
    run(&mut state, effects, &mut server);
    assert_eq!(server.calls, ["GET http://login.test/v1/realms/dawn/characters"]);
}

#[test]
fn what_may_be_repeated_waits_for_the_connection_and_the_rest_is_told() {
    let mut state = state_in_world();
    command(&mut state, say("before"));
    command(&mut state, Command::Emote(Emote::Wave));
    let wave = Command::Emote(Emote::Wave);
    let lost = Notice::NotDone { command: wave.clone(), reason: NotDone::Lost };
    assert_eq!(shown(&realtime(&mut state, BREAK())), [lost]);

    assert!(command(&mut state, Command::Gather).is_empty(), "it waits");
    let refused = Notice::NotDone { command: wave.clone(), reason: NotDone::NoConnection };
    assert_eq!(shown(&command(&mut state, wave)), [refused]);

    realtime(&mut state, TransportEvent::RedialDue { attempt: 1 });
    realtime(&mut state, TransportEvent::Opened);
    let effects = realtime(&mut state, TransportEvent::Welcome(second_welcome()));
    let again: Vec<_> = sent(&effects).into_iter().map(|c| (c.sequence.0, c.command)).collect();
    assert_eq!(again, [(1, say("before")), (3, Command::Gather)]);
}

#[test]
fn answers_tell_the_player_what_became_of_a_wish_once() {
    let mut state = state_in_world();
    let one = sent(&command(&mut state, Command::Gather));
    assert_eq!(one, [SequencedCommand { sequence: CommandSequence(1), command: Command::Gather }]);
    let gathered = |total| {
        TransportEvent::Answered(CommandAnswer {
            sequence: CommandSequence(1),
            outcome: CommandOutcome::Gathered { total },
        })
    };
    let effects = realtime(&mut state, gathered(5));
    assert_eq!(shown(&effects), [Notice::Gathered { total: 5 }]);
    assert_eq!(state.realtime.as_ref().unwrap().world.gathered(), 5);
    let saved = kept(&effects).unwrap().handshake.activation.unwrap();
    assert_eq!(saved.character.gathered, 5, "a reload shows it as well");
    assert!(shown(&realtime(&mut state, gathered(5))).is_empty());

    command(&mut state, Command::Gather);
    let reason = CommandRefused::NoFlower;
    let refused = TransportEvent::Answered(CommandAnswer {
        sequence: CommandSequence(2),
        outcome: CommandOutcome::Refused(reason),
    });
    let told = Notice::Refused { command: Command::Gather, reason };
    assert_eq!(shown(&realtime(&mut state, refused)), [told]);
}

#[test]
fn outside_the_world_a_wish_is_not_done_and_says_so() {
    let mut state = authenticated_state();
    let not_done = Notice::NotDone { command: say("hi"), reason: NotDone::NotInWorld };
    assert_eq!(shown(&command(&mut state, say("hi"))), std::slice::from_ref(&not_done));
    let effects = start_character_connect(&mut state, attempt());
    run(&mut state, effects, &mut Server::default());
    assert_eq!(shown(&command(&mut state, say("hi"))), [not_done]);
}

#[test]
fn what_is_said_and_shown_comes_with_a_name() {
    let mut state = state_in_world();
    let other = EntityId(8);
    let seen =
        Seen { entity: other, name: "Bert".into(), appearance: Default::default(), dead: true };
    realtime(&mut state, TransportEvent::Seen(seen));
    let world = |state: &MultiplayerConnectionState| state.realtime.as_ref().unwrap().world.clone();
    assert!(world(&state).is_dead(other) && !world(&state).own_is_dead());
    let text = "hello".parse().unwrap();
    let effects = realtime(&mut state, TransportEvent::Said { entity: other, text });
    let [Notice::Said { name, own: false, .. }] = &shown(&effects)[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(name, "Bert");
    let emoted = TransportEvent::Emoted { entity: OWN, emote: Emote::Heart };
    assert_eq!(
        shown(&realtime(&mut state, emoted)),
        [Notice::Emoted { entity: OWN, emote: Emote::Heart }]
    );
    realtime(&mut state, TransportEvent::Died(OWN));
    assert!(world(&state).own_is_dead());
    realtime(&mut state, TransportEvent::Revived(OWN));
    realtime(&mut state, TransportEvent::PickedFlowers(vec![2, 5]));
    assert!(!world(&state).own_is_dead());
    assert_eq!(world(&state).picked_flowers().iter().copied().collect::<Vec<_>>(), [2, 5]);
}

/// The tab's session as the last Welcome left it.
fn saved() -> SavedSession {
    SavedSession { handshake: accepted(), resume_token: welcome().resume_token }
}

fn reloaded(session: Option<SavedSession>) -> (MultiplayerConnectionState, Vec<Effect>) {
    let mut state = new_state();
    let session = session.map(Box::new);
    let method = LoginMethod::Continue { login: login(), realm: None, session };
    let effects = start_login_flow(&mut state, method);
    (state, effects)
}

fn roster_in_world(in_world: bool) -> Roster {
    let mut characters = roster(3);
    assert_eq!(characters[0].id, accepted().activation.unwrap().character.id);
    characters[0].in_world = in_world;
    characters.swap(0, 1);
    Roster { characters }
}

#[test]
fn every_welcome_is_kept_for_a_reload_and_forgotten_with_the_world() {
    let mut state = authenticated_state();
    let effects = start_character_connect(&mut state, attempt());
    run(&mut state, effects, &mut Server::default());
    realtime(&mut state, TransportEvent::Opened);
    let effects = realtime(&mut state, TransportEvent::Welcome(welcome()));
    assert_eq!(kept(&effects), Some(saved()));
    let effects = reduce(&mut state, ConnectionEvent::Reset);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::ForgetSession)));
}

#[test]
fn a_reload_in_the_world_goes_back_into_it_by_the_resume_token() {
    let (mut state, effects) = reloaded(Some(saved()));
    let mut server = Server::instead([("/characters", ok(&roster_in_world(true)))]);
    let effects = run(&mut state, effects, &mut server);
    assert_eq!(server.calls.len(), 2, "no handoff, no handshake: {:?}", server.calls);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::StartRealtime { .. })));
    assert_eq!(state.selected_character, Some(1), "whose session it is");
    assert!(!state.world_entry_ready());
    let effects = realtime(&mut state, TransportEvent::Opened);
    let [Effect::Transport { action: TransportAction::SendHello(hello), .. }] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(hello.claim, Claim::Resume(saved().resume_token));
    let last_command = CommandSequence(9);
    realtime(&mut state, TransportEvent::Welcome(Welcome { last_command, ..second_welcome() }));
    realtime(&mut state, TransportEvent::Snapshot(snapshot_with(300, &[OWN])));
    assert!(state.world_entry_ready());
    let next = sent(&command(&mut state, Command::Gather));
    assert_eq!(next[0].sequence, CommandSequence(10), "no number comes twice in one session");
}

#[test]
fn flowers_that_were_gathered_around_a_reload_are_counted_by_the_welcome() {
    let (mut state, effects) = reloaded(Some(saved()));
    let mut server = Server::instead([("/characters", ok(&roster_in_world(true)))]);
    run(&mut state, effects, &mut server);
    realtime(&mut state, TransportEvent::Opened);
    let welcome = Welcome { gathered: 7, ..second_welcome() };
    let effects = realtime(&mut state, TransportEvent::Welcome(welcome));
    assert_eq!(state.realtime.as_ref().unwrap().world.gathered(), 7);
    let kept = kept(&effects).unwrap().handshake.activation.unwrap();
    assert_eq!(kept.character.gathered, 7, "the next reload begins with it");
}

#[test]
fn own_words_are_heard_once_whichever_part_of_their_answer_a_loss_takes() {
    let said = |effects: &[Effect]| {
        shown(effects).iter().filter(|n| matches!(n, Notice::Said { own: true, .. })).count()
    };
    let text: ChatText = "still here".parse().unwrap();
    for is_heard_before_the_loss in [true, false] {
        let mut state = state_in_world();
        let sequence = sent(&command(&mut state, Command::Say(text.clone())))[0].sequence;
        let mut times = 0;
        if is_heard_before_the_loss {
            let heard = TransportEvent::Said { entity: OWN, text: text.clone() };
            times += said(&realtime(&mut state, heard));
        }
        realtime(&mut state, BREAK());
        realtime(&mut state, TransportEvent::RedialDue { attempt: 1 });
        realtime(&mut state, TransportEvent::DialStarted);
        realtime(&mut state, TransportEvent::Opened);
        realtime(&mut state, TransportEvent::Welcome(second_welcome()));
        let answer = CommandAnswer { sequence, outcome: CommandOutcome::Done };
        times += said(&realtime(&mut state, TransportEvent::Answered(answer)));
        assert_eq!(times, 1, "heard before the loss: {is_heard_before_the_loss}");
    }
}

#[test]
fn a_reload_after_the_session_has_ended_shows_the_roster_and_forgets_it() {
    for (session, in_world) in [(Some(saved()), false), (None, true)] {
        let (mut state, effects) = reloaded(session);
        let ended = problem(ProblemCode::SessionEnded, "the session is over");
        let mut server = Server::instead([
            ("/characters", ok(&roster_in_world(in_world))),
            ("/v1/resume", ended),
        ]);
        let effects = run(&mut state, effects, &mut server);
        assert!(effects.iter().any(|effect| matches!(effect, Effect::ForgetSession)));
        assert!(has_no_world(&state) && state.login_response.is_some());
        assert_eq!(state.status, ConnectionStatus::Authenticated);
    }
}

#[test]
fn a_reload_after_the_game_server_has_died_goes_back_wherever_the_session_can_be_brought_back() {
    let endpoints =
        vec![RealtimeEndpoint { url: "https://new".into(), cert_hashes: vec![], healthy: true }];
    let answer = ResumeResponse {
        endpoint: endpoint(2),
        realtime: RealtimePlace { endpoints: endpoints.clone() },
    };
    let later = problem(ProblemCode::Unavailable, "ask again");
    for (answer, moved) in [(ok(&answer), true), (later, false)] {
        let (mut state, effects) = reloaded(Some(saved()));
        let mut server =
            Server::instead([("/characters", ok(&roster_in_world(false))), ("/v1/resume", answer)]);
        let effects = run(&mut state, effects, &mut server);
        let dialled = effects.iter().find_map(|effect| match effect {
            Effect::StartRealtime { endpoint, .. } => Some(endpoint),
            _ => None,
        });
        assert_eq!(dialled.map(|dialled| *dialled == endpoints[0]), Some(moved));
        assert_eq!(state.selected_character, Some(1), "whose session it is");
        realtime(&mut state, TransportEvent::Opened);
        realtime(&mut state, TransportEvent::Welcome(second_welcome()));
        let instance = state.realtime.as_ref().unwrap().world.instance().as_str().to_owned();
        assert_eq!(instance, if moved { "edge-2" } else { "edge-1" });
    }
}

#[test]
fn a_session_that_cannot_be_gone_back_to_leaves_the_roster() {
    let (mut state, effects) = reloaded(Some(saved()));
    let mut server = Server::instead([("/characters", ok(&roster_in_world(true)))]);
    run(&mut state, effects, &mut server);
    realtime(&mut state, TransportEvent::Opened);
    let bye = TransportEvent::ByeReceived(Bye::of(ByeCode::UnknownSession));
    let effects = realtime(&mut state, bye);
    assert!(shuts_down(&effects) && has_no_world(&state));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::ForgetSession)));
    assert_eq!((state.characters.len(), state.selected_character), (3, Some(1)));
    assert!(state.status.to_string().starts_with("Error: the world could not be entered"));
}

#[test]
fn a_session_that_was_kept_without_a_healthy_endpoint_is_forgotten() {
    let mut useless = saved();
    useless.handshake.activation.as_mut().unwrap().endpoints.clear();
    let (mut state, effects) = reloaded(Some(useless));
    let mut server = Server::instead([("/characters", ok(&roster_in_world(true)))]);
    let effects = run(&mut state, effects, &mut server);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::ForgetSession)), "{effects:?}");
    assert!(state.status.is_error() && has_no_world(&state));
}

/// Whose page was loaded anew and whose first claim has failed, with the game server away.
fn reloaded_and_not_let_in() -> MultiplayerConnectionState {
    let (mut state, effects) = reloaded(Some(saved()));
    let mut server = Server::instead([("/characters", ok(&roster_in_world(true)))]);
    run(&mut state, effects, &mut server);
    realtime(&mut state, TransportEvent::DialStarted);
    let effects = realtime(&mut state, BREAK());
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::ForgetSession)), "{effects:?}");
    assert_eq!(state.status, ConnectionStatus::Reconnecting { attempt: 2 });
    state
}

#[test]
fn a_reload_whose_first_claim_fails_asks_where_the_session_is_and_goes_back_into_the_world() {
    let mut state = reloaded_and_not_let_in();
    let not_done = Notice::NotDone { command: Command::Gather, reason: NotDone::NotInWorld };
    assert_eq!(shown(&command(&mut state, Command::Gather)), [not_done], "it has no number yet");
    let effects = realtime(&mut state, TransportEvent::RedialDue { attempt: 2 });
    assert!(matches!(&effects[..], [Effect::LocateSession { .. }]), "{effects:?}");
    let moved = RealtimeEndpoint { url: "https://new".into(), cert_hashes: vec![], healthy: true };
    let at = TransportEvent::Located(Located::At {
        instance: endpoint(2).instance_id,
        endpoints: vec![moved.clone()],
    });
    let effects = realtime(&mut state, at);
    assert!(
        matches!(&effects[..], [Effect::StartRealtime { endpoint, .. }] if *endpoint == moved),
        "{effects:?}"
    );
    realtime(&mut state, TransportEvent::Opened);
    realtime(&mut state, TransportEvent::Welcome(second_welcome()));
    realtime(&mut state, TransportEvent::Snapshot(snapshot_with(300, &[OWN])));
    assert!(state.world_entry_ready());
    assert_eq!(state.status, ConnectionStatus::InWorld);
    let handle = state.realtime.as_ref().unwrap();
    assert_eq!(*handle.world.instance(), endpoint(2).instance_id, "it goes on there");
}

#[test]
fn a_reload_whose_session_turns_out_to_be_over_leads_to_the_roster() {
    let ended = Located::Ended("the session has ended: enter the world again".into());
    for (dials, end) in [
        (false, TransportEvent::Located(ended)),
        (true, TransportEvent::ByeReceived(Bye::of(ByeCode::UnknownSession))),
    ] {
        let mut state = reloaded_and_not_let_in();
        realtime(&mut state, TransportEvent::RedialDue { attempt: 2 });
        if dials {
            realtime(&mut state, TransportEvent::Located(Located::Unknown));
        }
        let effects = realtime(&mut state, end);
        assert!(shuts_down(&effects) && has_no_world(&state));
        assert!(effects.iter().any(|effect| matches!(effect, Effect::ForgetSession)));
        assert!(state.login_response.is_some(), "it was not in the world on this page");
        assert_eq!((state.characters.len(), state.selected_character), (3, Some(1)));
        let status = state.status.to_string();
        assert!(status.contains("could not be entered: the session has ended"), "{status}");
    }
}

#[test]
fn a_reload_into_the_world_needs_a_runtime_for_it_and_a_reload_to_the_roster_does_not() {
    for (session, needs) in [(Some(saved()), true), (None, false)] {
        let (mut state, effects) = reloaded(session);
        let [Effect::SpawnJob(job)] = &effects[..] else { panic!("{effects:?}") };
        assert_eq!(job.may_start_realtime(), needs);
        let problem = RuntimeProblem::NoWebTransport;
        let event = ConnectionEvent::RuntimeUnavailable { job: job.pending().id, problem };
        let effects = reduce(&mut state, event);
        assert!(state.status.to_string().starts_with("Error: this browser has no WebTransport"));
        assert!(effects.iter().any(|effect| matches!(effect, Effect::ForgetSession)));
    }
}
