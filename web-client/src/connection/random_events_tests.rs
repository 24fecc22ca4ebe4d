//! Whatever happens in whatever order, the rules of the connection hold.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shared::account::CreateCharacter;
use shared::gameplay::HandshakeResponse;
use shared::realtime::command::{Command, CommandAnswer, CommandOutcome, CommandSequence, Emote};
use shared::realtime::message::{Bye, ByeCode, EntityId, Welcome};

use super::event::{ConnectionEvent, Effect, RuntimeProblem};
use super::fixtures::*;
use super::flow::{JobFound, JobId, MultiplayerConnectionFlow as Flow, PendingJobStage};
use super::job::JobError;
use super::reducer::reduce;
use super::snapshot::NetworkSnapshot;
use super::start::*;
use super::state::MultiplayerConnectionState;
use crate::realtime::handle::RealtimeGeneration;
use crate::realtime::reconnect::Located;
use crate::realtime::transport::{TransportAction, TransportEvent, TransportState};

/// Something that may happen, with small numbers that choose which job or handle it is of.
#[derive(Clone, Debug)]
enum Happening {
    Start(u8, usize),
    Select(usize),
    Pending(u64, u32),
    Succeeded(u64, Box<NetworkSnapshot>),
    Failed(u64),
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
    )
        .prop_map(
            |(login_response, realms, selected_realm, characters, selected, handshake)| {
                NetworkSnapshot {
                    login_response,
                    realms,
                    selected_realm,
                    characters,
                    selected_character: selected,
                    handoff: handshake.is_some().then(select),
                    handshake,
                    resume_token: None,
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
        1 => Just(TransportEvent::Gone(EntityId(8))),
        1 => Just(TransportEvent::ByeReceived(Bye::of(ByeCode::ShuttingDown))),
        1 => Just(TransportEvent::StreamClosed),
        1 => Just(TransportEvent::ConnectionLost { reason: String::new() }),
        1 => Just(TransportEvent::Unreadable),
        1 => Just(TransportEvent::UserDisconnect),
        1 => Just(TransportEvent::DialTimedOut),
        1 => Just(TransportEvent::ByeTimedOut),
        1 => Just(TransportEvent::ByeReceived(Bye::of(ByeCode::TimedOut))),
        4 => (1u32..4).prop_map(|attempt| TransportEvent::RedialDue { attempt }),
        1 => Just(TransportEvent::SilenceCheck),
        1 => Just(TransportEvent::Located(Located::Unknown)),
        1 => Just(TransportEvent::Located(Located::Ended("over".into()))),
        2 => (1u32..4).prop_map(|number| TransportEvent::ProbeTimedOut { number }),
        1 => Just(TransportEvent::Died(OWN)),
        1 => (1u32..6).prop_map(|number| TransportEvent::Answered(CommandAnswer {
            sequence: CommandSequence(number),
            outcome: CommandOutcome::Gathered { total: number },
        })),
    ]
}

/// How old the job or handle is that an event is of: mostly the present one.
fn ages() -> impl Strategy<Value = u64> {
    prop_oneof![6 => Just(0u64), 1 => 1u64..4]
}

fn happenings() -> impl Strategy<Value = Happening> {
    prop_oneof![
        8 => (0u8..6, 0usize..4).prop_map(|(flow, n)| Happening::Start(flow, n)),
        1 => (0usize..6).prop_map(Happening::Select),
        2 => (ages(), 0u32..4).prop_map(|(age, n)| Happening::Pending(age, n)),
        8 => (ages(), snapshots()).prop_map(|(age, s)| Happening::Succeeded(age, Box::new(s))),
        2 => ages().prop_map(Happening::Failed),
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

fn happen(state: &mut MultiplayerConnectionState, what: Happening) -> Vec<Effect> {
    let job = |age: u64| JobId(state.pending_job.map_or(0, |job| job.id.0).saturating_sub(age));
    let handle = |age: u64| RealtimeGeneration(generation(state).0.saturating_sub(age));
    let stage = PendingJobStage::Handshaking { redirects: 0 };
    let event = match what {
        Happening::Start(flow, n) => {
            let character = roster(n.max(1)).last().map(|c| c.id).unwrap();
            return match Flow::ALL[usize::from(flow)] {
                Flow::Authenticate => start_login_flow(state, password()),
                Flow::QuickConnect => start_quick_connect(state, password(), attempt()),
                Flow::ConnectCharacter => start_character_connect(state, attempt()),
                Flow::CreateCharacter => start_create_character(
                    state,
                    CreateCharacter { name: "Dora".into(), appearance: Default::default() },
                ),
                Flow::DeleteCharacter => start_delete_character(state, character),
                Flow::SwitchRealm => start_realm_switch(state, n),
            };
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
        Happening::Failed(age) => ConnectionEvent::Failed {
            job: job(age),
            stage,
            found: JobFound::default(),
            error: JobError::TimedOut,
        },
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
        },
        Happening::Command(command) => ConnectionEvent::Command(command),
        Happening::Woken => ConnectionEvent::Woken { at: 1.0 },
        Happening::Realtime(age, event) => {
            ConnectionEvent::Realtime { generation: handle(age), at: 1.0, event }
        }
    };
    reduce(state, event)
}

/// Whether the happening can only fail a world entry, and is of the present job or handle
/// before the world was entered.
fn fails_a_world_entry(state: &MultiplayerConnectionState, what: &Happening) -> bool {
    let world_entry = state.pending_job.is_some_and(|job| job.flow == Flow::ConnectCharacter);
    match what {
        Happening::Failed(_) | Happening::RuntimeUnavailable(_) => world_entry,
        Happening::TransferFailed(_) => true,
        Happening::Realtime(_, event) => {
            !state.realtime.as_ref().is_some_and(|handle| handle.was_in_world())
                && !state.is_draining()
                && !matches!(event, TransportEvent::UserDisconnect)
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_rules_hold_after_any_sequence_of_events(
        sequence in prop::collection::vec(happenings(), 1..80)
    ) {
        let mut state = new_state();
        let mut spawned = 0;
        let mut open = BTreeSet::new();
        for what in sequence {
            let before = (
                state.login_response.clone(),
                state.realms.clone(),
                state.characters.clone(),
                state.selected_realm,
                state.selected_character,
            );
            let keeps_login = fails_a_world_entry(&state, &what);
            let (had_job, old) = (state.pending_job, state.realtime.as_ref().map(|h| h.generation));
            let effects = happen(&mut state, what);

            // I9: a job is spawned only where none was pending, and one at a time.
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
            }

            // I8: ready means accepted, live, and the local player present.
            let accepted = state.handshake.as_ref().is_some_and(|h| h.accepted);
            let live = state.transport_state() == Some(TransportState::Live);
            let local =
                state.realtime.as_ref().is_some_and(|h| h.world.local_player().is_some());
            prop_assert_eq!(state.world_entry_ready(), accepted && live && local);

            // I7: a failed world entry keeps login, realms, roster and selection.
            if keeps_login {
                let after = (
                    state.login_response.clone(),
                    state.realms.clone(),
                    state.characters.clone(),
                    state.selected_realm,
                    state.selected_character,
                );
                prop_assert_eq!(after, before);
            }

            // Selections are in range, and absent only from empty lists.
            for (selected, len) in [
                (state.selected_realm, state.realms.len()),
                (state.selected_character, state.characters.len()),
            ] {
                prop_assert_eq!(selected.is_none(), len == 0);
                prop_assert!(selected.is_none_or(|index| index < len));
            }

            // A handle is never dropped without its shutdown, and never made without an
            // accepted handshake.
            let new = state.realtime.as_ref().map(|h| h.generation);
            let dials_again = effects.iter().any(|e| matches!(
                e, Effect::StartRealtime { generation, .. } if Some(*generation) == new
            ));
            if let Some(old) = old.filter(|old| Some(*old) != new) {
                let asked = effects.iter().any(|e| matches!(
                    e, Effect::RequestRealtimeShutdown { generation } if *generation == old
                ));
                prop_assert!(asked || dials_again, "{effects:?}");
            }
            prop_assert!(new.is_none() || accepted);

            // At most one connection is open, and none without a handle that owns it.
            for effect in &effects {
                match effect {
                    Effect::StartRealtime { generation, .. } => {
                        prop_assert!(open.is_empty(), "a second dial beside {open:?}");
                        open.insert(*generation);
                    }
                    Effect::RequestRealtimeShutdown { generation }
                    | Effect::Transport { generation, action: TransportAction::Close } => {
                        open.remove(generation);
                    }
                    _ => {}
                }
            }
            prop_assert!(open.iter().all(|generation| Some(*generation) == new));

            // A session is kept for a reload only while there is one.
            let keeps = effects.iter().any(|e| matches!(e, Effect::KeepSession(_)));
            prop_assert!(!keeps || live);
            let had_session = old.is_some() && new.is_none();
            let forgets = effects.iter().any(|e| matches!(e, Effect::ForgetSession));
            prop_assert!(!had_session || forgets);

            // No job and no draining session: the player can act.
            prop_assert_eq!(state.is_busy(), state.pending_job.is_some() || state.is_draining());
        }
    }
}
