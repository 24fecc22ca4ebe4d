//! Whatever happens in whatever order, the rules of the connection hold.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shared::account::{LoginResponse, Realm, RosterCharacter};
use shared::gameplay::{HandshakeResponse, Rejection, RejectionCode};
use shared::problem::{Problem, ProblemCode};
use shared::realtime::command::{Command, CommandAnswer, CommandOutcome, CommandSequence, Emote};
use shared::realtime::message::{Bye, ByeCode, EntityId, Welcome};

use super::cleanup::CleanupScope;
use super::event::{ConnectionEvent, Effect, RuntimeProblem};
use super::fixtures::*;
use super::flow::{JobFound, JobId, MultiplayerConnectionFlow as Flow, PendingJobStage};
use super::flow_tests::start_of;
use super::job::JobError;
use super::reducer::reduce;
use super::saved_session::SavedSession;
use super::snapshot::NetworkSnapshot;
use super::start::*;
use super::state::MultiplayerConnectionState;
use crate::realtime::handle::RealtimeGeneration;
use crate::realtime::reconnect::Located;
use crate::realtime::transport::{TransportAction, TransportEvent};

/// Something that may happen, with small numbers that choose which job or handle it is of.
#[derive(Clone, Debug)]
enum Happening {
    Start(u8, usize),
    /// The page is loaded anew, with or without a session in the world to go back to.
    Continue(bool),
    Select(usize),
    Pending(u64, u32),
    Succeeded(u64, Box<NetworkSnapshot>),
    Rejected(u64, RejectionCode),
    Failed(u64, JobError),
    RuntimeUnavailable(u64),
    Reset,
    Logout,
    LeaveWorld,
    TransferFailed(u64),
    Command(Command),
    Woken,
    Realtime(u64, TransportEvent),
}

fn snapshots() -> impl Strategy<Value = NetworkSnapshot> {
    let handshakes = prop_oneof![
        4 => Just(accepted()),
        1 => Just(rejected()),
        1 => Just(HandshakeResponse { session_ticket: None, ..accepted() }),
        1 => Just(HandshakeResponse { activation: None, ..accepted() }),
    ];
    (
        prop::option::of(Just(login())),
        prop::option::of((0usize..4).prop_map(realms)),
        prop::option::of(0usize..6),
        prop::option::of((0usize..4).prop_map(roster)),
        prop::option::of(0usize..6),
        prop::option::of(handshakes),
        prop::option::of(Just(welcome().resume_token)),
    )
        .prop_map(
            |(login_response, realms, selected_realm, characters, selected, handshake, resume)| {
                NetworkSnapshot {
                    login_response,
                    realms,
                    selected_realm,
                    characters,
                    selected_character: selected,
                    handoff: handshake.is_some().then(select),
                    handshake,
                    resume_token: resume,
                }
            },
        )
}

fn transport_events() -> impl Strategy<Value = TransportEvent> {
    let other = Welcome { session_token: "session-of-another-one".parse().unwrap(), ..welcome() };
    prop_oneof![
        2 => Just(TransportEvent::DialStarted),
        2 => Just(TransportEvent::Opened),
        6 => Just(TransportEvent::Welcome(welcome())),
        1 => Just(TransportEvent::Welcome(other)),
        8 => (100u32..200, any::<bool>()).prop_map(|(tick, own)| {
            let entity = if own { OWN } else { EntityId(8) };
            TransportEvent::Snapshot(snapshot_with(tick, &[entity]))
        }),
        3 => prop_oneof![
            Just(ByeCode::ShuttingDown),
            Just(ByeCode::TimedOut),
            Just(ByeCode::Unavailable),
            Just(ByeCode::LoginEnded),
            Just(ByeCode::Superseded),
            Just(ByeCode::LoggedOut),
        ].prop_map(|code| TransportEvent::ByeReceived(Bye::of(code))),
        1 => Just(TransportEvent::Gone(EntityId(8))),
        1 => Just(TransportEvent::StreamClosed),
        1 => Just(TransportEvent::ConnectionLost { reason: String::new() }),
        1 => Just(TransportEvent::Unreadable),
        1 => Just(TransportEvent::DialTimedOut),
        1 => Just(TransportEvent::ByeTimedOut),
        4 => (1u32..4).prop_map(|attempt| TransportEvent::RedialDue { attempt }),
        1 => Just(TransportEvent::SilenceCheck),
        2 => Just(TransportEvent::Located(Located::Unknown)),
        2 => Just(TransportEvent::Located(Located::At {
            instance: endpoint(2).instance_id,
            endpoints: activation().endpoints,
        })),
        1 => Just(TransportEvent::Located(Located::Ended("over".into()))),
        2 => (1u32..4).prop_map(|number| TransportEvent::ProbeTimedOut { number }),
        1 => Just(TransportEvent::Died(OWN)),
        1 => (1u32..6).prop_map(|number| TransportEvent::Answered(CommandAnswer {
            sequence: CommandSequence(number),
            outcome: CommandOutcome::Gathered { total: number },
        })),
    ]
}

/// How much later something happens, in milliseconds: mostly soon.
fn pauses() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0..300.0, 2 => 1_000.0..10_000.0, 1 => 60_000.0..130_000.0]
}

fn errors() -> impl Strategy<Value = JobError> {
    let ended = Problem::new(ProblemCode::Unauthenticated, "log in again");
    prop_oneof![
        Just(JobError::TimedOut),
        Just(JobError::Unreachable),
        Just(JobError::Refused(ended)),
    ]
}

/// How old the job or handle is that an event is of: mostly the present one.
fn ages() -> impl Strategy<Value = u64> {
    prop_oneof![6 => Just(0u64), 1 => 1u64..4]
}

fn happenings() -> impl Strategy<Value = Happening> {
    prop_oneof![
        8 => (0u8..6, 0usize..4).prop_map(|(flow, n)| Happening::Start(flow, n)),
        1 => any::<bool>().prop_map(Happening::Continue),
        1 => (0usize..6).prop_map(Happening::Select),
        2 => (ages(), 0u32..4).prop_map(|(age, n)| Happening::Pending(age, n)),
        8 => (ages(), snapshots()).prop_map(|(age, s)| Happening::Succeeded(age, Box::new(s))),
        1 => (ages(), prop_oneof![
            3 => Just(RejectionCode::ZoneFull),
            1 => Just(RejectionCode::LoginEnded),
        ]).prop_map(|(age, code)| Happening::Rejected(age, code)),
        2 => (ages(), errors()).prop_map(|(age, error)| Happening::Failed(age, error)),
        1 => ages().prop_map(Happening::RuntimeUnavailable),
        1 => Just(Happening::Reset),
        1 => Just(Happening::Logout),
        1 => Just(Happening::LeaveWorld),
        1 => ages().prop_map(Happening::TransferFailed),
        2 => prop_oneof![
            Just(Command::Gather),
            Just(Command::Emote(Emote::Wave)),
            Just(Command::Respawn),
        ].prop_map(Happening::Command),
        2 => Just(Happening::Woken),
        16 => (ages(), transport_events()).prop_map(|(age, e)| Happening::Realtime(age, e)),
    ]
}

fn happen(state: &mut MultiplayerConnectionState, at: f64, what: Happening) -> Vec<Effect> {
    let job = |age: u64| JobId(state.pending_job.map_or(0, |job| job.id.0).saturating_sub(age));
    let handle = |age: u64| RealtimeGeneration(generation(state).0.saturating_sub(age));
    let stage = PendingJobStage::Handshaking { redirects: 0 };
    let event = match what {
        Happening::Start(flow, n) => {
            let character = roster(n.max(1)).last().map(|c| c.id).unwrap();
            return match Flow::ALL[usize::from(flow)] {
                Flow::DeleteCharacter => start_delete_character(state, character),
                Flow::SwitchRealm => start_realm_switch(state, n),
                flow => start_of(flow, state),
            };
        }
        Happening::Continue(has_session) => {
            let saved =
                SavedSession { handshake: accepted(), resume_token: welcome().resume_token };
            let session = has_session.then(|| Box::new(saved));
            let method = LoginMethod::Continue { login: login(), realm: None, session };
            return start_login_flow(state, method);
        }
        Happening::Select(index) => {
            state.select_character(index);
            return Vec::new();
        }
        Happening::Pending(age, redirects) => ConnectionEvent::Pending {
            job: job(age),
            stage: PendingJobStage::Handshaking { redirects },
            found: JobFound::default(),
        },
        Happening::Succeeded(age, snapshot) => {
            ConnectionEvent::Succeeded { job: job(age), snapshot }
        }
        Happening::Rejected(age, code) => {
            let handshake = Some(HandshakeResponse::reject(Rejection::of(code)));
            let handoff = Some(select());
            let snapshot = NetworkSnapshot { handoff, handshake, ..NetworkSnapshot::default() };
            ConnectionEvent::Succeeded { job: job(age), snapshot: Box::new(snapshot) }
        }
        Happening::Failed(age, error) => {
            ConnectionEvent::Failed { job: job(age), stage, found: JobFound::default(), error }
        }
        Happening::RuntimeUnavailable(age) => ConnectionEvent::RuntimeUnavailable {
            job: job(age),
            problem: RuntimeProblem::NoWebTransport,
        },
        Happening::Reset => ConnectionEvent::Reset,
        Happening::Logout => ConnectionEvent::LogoutRequested,
        Happening::LeaveWorld => ConnectionEvent::LeaveWorld,
        Happening::TransferFailed(age) => ConnectionEvent::TransferFailed {
            generation: handle(age),
            reason: "the way is closed".to_owned(),
            wants_reload: false,
        },
        Happening::Command(command) => ConnectionEvent::Command(command),
        Happening::Woken => ConnectionEvent::Woken { at },
        Happening::Realtime(age, event) => {
            ConnectionEvent::Realtime { generation: handle(age), at, event }
        }
    };
    reduce(state, event)
}

/// What of the account a failed world entry must not touch.
#[derive(Clone, Debug, PartialEq)]
struct Account {
    login: Option<LoginResponse>,
    realms: Vec<Realm>,
    characters: Vec<RosterCharacter>,
    selected: (Option<usize>, Option<usize>),
}

impl Account {
    fn of(state: &MultiplayerConnectionState) -> Self {
        Self {
            login: state.login_response.clone(),
            realms: state.realms.clone(),
            characters: state.characters.clone(),
            selected: (state.selected_realm, state.selected_character),
        }
    }
}

/// What the page knows by itself, from what has happened and what it was asked to do, without
/// a look into the state.
#[derive(Debug, Default)]
struct Oracle {
    /// Connections that were dialled and not closed.
    open: BTreeSet<RealtimeGeneration>,
    session: Option<Session>,
}

/// A realtime session, from its first dial to its shutdown.
#[derive(Debug)]
struct Session {
    /// Its last dial.
    dialled: RealtimeGeneration,
    /// Whether its last dial was answered by its Welcome and is not over.
    is_welcome: bool,
    /// The newest snapshot, and whether the own body is in it.
    newest: Option<(u32, bool)>,
    was_in_world: bool,
    /// Whether the player has said goodbye.
    is_left: bool,
}

impl Oracle {
    /// An event of the present handle, before it is known what comes of it.
    fn hear(&mut self, event: &TransportEvent) {
        let Some(session) = &mut self.session else { return };
        if session.is_left || !self.open.contains(&session.dialled) {
            return;
        }
        match event {
            TransportEvent::Welcome(heard) if heard.session_token == welcome().session_token => {
                session.is_welcome = true;
            }
            TransportEvent::Snapshot(shown)
                if session.is_welcome
                    && session.newest.is_none_or(|(newest, _)| shown.tick > newest) =>
            {
                let shows_own = shown.changed.iter().any(|(entity, _)| *entity == OWN);
                session.newest = Some((shown.tick, shows_own));
            }
            _ => {}
        }
    }

    /// What the page is asked to do.
    fn obey(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::StartRealtime { generation, .. } => {
                    assert!(self.open.is_empty(), "a second dial beside {:?}", self.open);
                    self.open.insert(*generation);
                    let session = self.session.get_or_insert(Session {
                        dialled: *generation,
                        is_welcome: false,
                        newest: None,
                        was_in_world: false,
                        is_left: false,
                    });
                    (session.dialled, session.is_welcome) = (*generation, false);
                }
                Effect::RequestRealtimeShutdown { generation } => {
                    self.open.remove(generation);
                    self.session = None;
                }
                Effect::Transport { generation, action: TransportAction::Close } => {
                    self.open.remove(generation);
                    if let Some(session) = &mut self.session {
                        session.is_welcome = false;
                    }
                }
                _ => {}
            }
        }
        let says_bye = effects
            .iter()
            .any(|e| matches!(e, Effect::Transport { action: TransportAction::SendBye, .. }));
        let closes = effects
            .iter()
            .any(|e| matches!(e, Effect::Transport { action: TransportAction::Close, .. }));
        if let Some(session) = &mut self.session {
            session.is_left |= says_bye && !closes;
            session.was_in_world |= session.is_in_world();
        }
    }

    fn is_in_world(&self) -> bool {
        self.session.as_ref().is_some_and(Session::is_in_world)
    }

    /// Whether what happens can at most fail a world entry, or a flow that leaves the account
    /// alone when it fails.
    fn spares_the_account(&self, flow: Option<Flow>, what: &Happening) -> bool {
        let spares = flow.is_none_or(|flow| flow.cleanup_scope() == CleanupScope::WorldEntry);
        match what {
            Happening::Failed(_, error) => spares && !error.says_that_the_login_has_ended(),
            Happening::RuntimeUnavailable(_) => spares,
            Happening::Rejected(_, code) => *code != RejectionCode::LoginEnded,
            Happening::TransferFailed(_) | Happening::Command(_) | Happening::Pending(..) => true,
            Happening::Realtime(_, TransportEvent::ByeReceived(bye))
                if bye.code == ByeCode::LoginEnded =>
            {
                false
            }
            Happening::Realtime(..) => {
                self.session.as_ref().is_none_or(|s| !s.was_in_world && !s.is_left)
            }
            _ => false,
        }
    }
}

impl Session {
    fn is_in_world(&self) -> bool {
        self.is_welcome && !self.is_left && self.newest.is_some_and(|(_, shows_own)| shows_own)
    }
}

/// Whether the world would be ready with another answer to the handshake.
fn ready_with(
    state: &mut MultiplayerConnectionState,
    handshake: Option<HandshakeResponse>,
) -> bool {
    let real = std::mem::replace(&mut state.handshake, handshake);
    let ready = state.world_entry_ready();
    state.handshake = real;
    ready
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_rules_hold_after_any_sequence_of_events(
        sequence in prop::collection::vec((pauses(), happenings()), 1..80)
    ) {
        let mut state = new_state();
        let (mut oracle, mut spawned, mut at) = (Oracle::default(), 0, 0.0);
        for (pause, what) in sequence {
            at += pause;
            let before = Account::of(&state);
            let had_job = state.pending_job;
            let spares = oracle.spares_the_account(had_job.map(|job| job.flow), &what);
            let fails_its_job = matches!(
                &what,
                Happening::Failed(0, _) | Happening::RuntimeUnavailable(0)
            ) && had_job.is_some();
            let drops_jobs = matches!(
                &what,
                Happening::Succeeded(0, _)
                    | Happening::Rejected(0, _)
                    | Happening::Reset
                    | Happening::Logout
                    | Happening::LeaveWorld
            );
            if let Happening::Realtime(0, event) = &what {
                oracle.hear(event);
            }
            let had_session = oracle.session.is_some();
            let effects = happen(&mut state, at, what);
            oracle.obey(&effects);

            // I9: a job is spawned only where none was pending, and one at a time; it stays
            // until it is done or given up.
            let jobs: Vec<_> = effects
                .iter()
                .filter_map(|e| match e { Effect::SpawnJob(job) => Some(job.pending()), _ => None })
                .collect();
            prop_assert!(jobs.is_empty() || had_job.is_none());
            prop_assert!(jobs.len() <= 1);
            if let Some(job) = jobs.first() {
                prop_assert!(job.id.0 > spawned, "job numbers never come twice");
                spawned = job.id.0;
                prop_assert_eq!(state.pending_job, Some(*job));
            } else if !fails_its_job && !drops_jobs {
                let (now, then) = (state.pending_job.map(|j| j.id), had_job.map(|j| j.id));
                prop_assert_eq!(now, then);
            }

            // I8: ready is what was dialled, welcomed, and has shown the own body since; and
            // none of it counts without an accepted handshake.
            prop_assert_eq!(state.world_entry_ready(), oracle.is_in_world());
            let not_accepted = HandshakeResponse { accepted: false, ..accepted() };
            for other in [None, Some(rejected()), Some(not_accepted)] {
                prop_assert!(!ready_with(&mut state, other));
            }
            prop_assert_eq!(ready_with(&mut state, Some(accepted())), oracle.is_in_world());

            // I7: what fails a world entry, a creation, a deletion or a look at another realm
            // keeps login, realms, roster and selection, and leaves nothing of the entry.
            if spares {
                prop_assert_eq!(Account::of(&state), before);
            }
            if fails_its_job {
                prop_assert!(has_no_world(&state) && state.pending_job.is_none());
                prop_assert!(spares || is_empty(&state));
            }

            // Selections are in range, and absent only from empty lists.
            for (selected, len) in [
                (state.selected_realm, state.realms.len()),
                (state.selected_character, state.characters.len()),
            ] {
                prop_assert_eq!(selected.is_none(), len == 0);
                prop_assert!(selected.is_none_or(|index| index < len));
            }

            // The state has a handle exactly while there is a session that was dialled and not
            // shut down; no connection is open without it.
            let handle = state.realtime.as_ref().map(|handle| handle.generation);
            prop_assert_eq!(handle, oracle.session.as_ref().map(|session| session.dialled));
            prop_assert!(oracle.open.iter().all(|generation| Some(*generation) == handle));
            prop_assert!(handle.is_none() || state.handshake.is_some());

            // A session is kept for a reload only while it has its Welcome.
            let keeps = effects.iter().any(|e| matches!(e, Effect::KeepSession(_)));
            let is_welcome = oracle.session.as_ref().is_some_and(|session| session.is_welcome);
            prop_assert!(!keeps || is_welcome);
            let forgets = effects.iter().any(|e| matches!(e, Effect::ForgetSession));
            prop_assert!(forgets || !(had_session && oracle.session.is_none()));
        }
    }
}
