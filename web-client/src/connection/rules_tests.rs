//! The event model row by row, and the rules of the connection one by one.

mod event_table {
    use super::super::cleanup::CleanupScope;
    use super::super::event::{ConnectionEvent, Effect, RuntimeProblem};
    use super::super::fixtures::*;
    use super::super::flow::{JobFound, MultiplayerConnectionFlow as Flow, PendingJobStage};
    use super::super::flow_tests::start_of;
    use super::super::job::JobError;
    use super::super::reducer::reduce;
    use super::super::snapshot::NetworkSnapshot;
    use super::super::start::*;
    use super::super::state::MultiplayerConnectionState;
    use super::super::status::ConnectionStatus;
    use crate::realtime::transport::TransportEvent;
    use shared::limits::CLIENT_ERROR_SHOWN;

    #[test]
    fn started_applies_the_cleanup_scope_stores_task_and_stage_and_sets_a_pending_status() {
        for flow in Flow::ALL {
            let mut state = state_in_world();
            let effects = start_of(flow, &mut state);
            assert!(shuts_down(&effects) && has_no_world(&state), "{flow:?}");
            let keeps = flow.cleanup_scope() == CleanupScope::WorldEntry;
            assert_eq!((keeps_the_roster(&state), is_empty(&state)), (keeps, !keeps), "{flow:?}");
            let job = state.pending_job.unwrap();
            assert_eq!(job.flow, flow);
            assert_eq!(state.status, ConnectionStatus::Pending(job.stage));
            assert!(matches!(effects.last(), Some(Effect::SpawnJob(spawned))
                if spawned.pending() == job));
        }
    }

    #[test]
    fn pending_keeps_the_job_and_refreshes_its_status() {
        let mut state = authenticated_state();
        let _ = start_character_connect(&mut state, attempt());
        let job = state.pending_job.unwrap().id;
        let stage = PendingJobStage::Handshaking { redirects: 2 };
        assert!(
            reduce(&mut state, ConnectionEvent::Pending { job, stage, found: JobFound::default() })
                .is_empty()
        );
        let pending = state.pending_job.unwrap();
        assert_eq!((pending.id, pending.stage), (job, stage));
        assert_eq!(state.status.to_string(), "Entering the world, redirect 2...");
        assert!(keeps_the_roster(&state));
    }

    #[test]
    fn succeeded_merges_only_populated_fields_and_derives_the_status() {
        let mut state = authenticated_state();
        let _ = start_realm_switch(&mut state, 0);
        let job = state.pending_job.unwrap().id;
        let only_characters =
            NetworkSnapshot { characters: Some(roster(2)), ..NetworkSnapshot::default() };
        let (login, realms) = (state.login_response.clone(), state.realms.clone());
        let event = ConnectionEvent::Succeeded { job, snapshot: Box::new(only_characters) };
        reduce(&mut state, event);
        assert_eq!((&state.login_response, &state.realms), (&login, &realms));
        assert_eq!((state.characters.len(), state.selected_realm), (2, Some(0)));
        assert_eq!(state.selected_character, Some(1));
        assert_eq!(state.status, ConnectionStatus::Authenticated);

        let effects = start_character_connect(&mut state, attempt());
        run(&mut state, effects, &mut Server::default());
        assert_eq!(state.status, ConnectionStatus::Connected);
        assert_eq!(state.characters.len(), 2);
    }

    #[test]
    fn failed_cleans_up_for_the_failed_stage_and_says_error() {
        let mut state = authenticated_state();
        let _ = start_character_connect(&mut state, attempt());
        let job = state.pending_job.unwrap().id;
        let stage = PendingJobStage::Handshaking { redirects: 0 };
        let (found, error) = (JobFound::default(), JobError::Unreachable);
        reduce(&mut state, ConnectionEvent::Failed { job, stage, found, error });
        assert!(state.pending_job.is_none() && has_no_world(&state) && keeps_the_roster(&state));
        assert_eq!(
            state.status.to_string(),
            "Error: the server cannot be reached: check the connection and try again"
        );
    }

    #[test]
    fn runtime_unavailable_applies_the_cleanup_scope_and_stores_the_runtime_error() {
        let mut state = authenticated_state();
        let _ = start_character_connect(&mut state, attempt());
        let job = state.pending_job.unwrap().id;
        let problem = RuntimeProblem::InsecureContext;
        let status = ConnectionStatus::error(&problem);
        reduce(&mut state, ConnectionEvent::RuntimeUnavailable { job, problem });
        assert!(state.pending_job.is_none() && has_no_world(&state) && keeps_the_roster(&state));
        assert_eq!(state.status, status);
    }

    #[test]
    fn validation_failed_changes_the_status_only_and_starts_nothing() {
        let mut state = state_in_world();
        let event = ConnectionEvent::ValidationFailed(ValidationError::NoCharacter);
        assert!(reduce(&mut state, event).is_empty());
        assert!(keeps_the_roster(&state) && state.world_entry_ready());
        assert!(state.pending_job.is_none());
        let status = "Error: no character is selected: choose or create a character";
        assert_eq!(state.status.to_string(), status);
    }

    #[test]
    fn an_error_beside_a_ready_world_is_told_for_a_while_and_not_for_good() {
        let mut state = state_in_world();
        let shown = CLIENT_ERROR_SHOWN.as_secs_f64() * 1_000.0;
        let mut tick = 200;
        let mut snapshot = |state: &mut MultiplayerConnectionState, at: f64| {
            tick += 1;
            let generation = generation(state);
            let event = TransportEvent::Snapshot(snapshot_with(tick, &[OWN]));
            reduce(state, ConnectionEvent::Realtime { generation, at, event });
        };
        for began in [5_000.0, 50_000.0] {
            let failed = ConnectionEvent::ValidationFailed(ValidationError::NoCharacter);
            reduce(&mut state, failed);
            for at in [began, began + shown - 1.0] {
                snapshot(&mut state, at);
                assert!(state.status.is_error() && state.world_entry_ready(), "at {at}");
            }
            snapshot(&mut state, began + shown);
            assert_eq!(state.status, ConnectionStatus::InWorld);
        }
    }

    #[test]
    fn reset_drops_the_job_clears_the_authenticated_session_and_returns_to_idle() {
        let mut state = state_in_world();
        let effects = reduce(&mut state, ConnectionEvent::Reset);
        assert!(shuts_down(&effects) && is_empty(&state));
        let mut state = authenticated_state();
        let _ = start_character_connect(&mut state, attempt());
        reduce(&mut state, ConnectionEvent::Reset);
        assert!(state.pending_job.is_none() && is_empty(&state));
        assert_eq!(state.status, ConnectionStatus::Idle);
    }
}

mod rules {
    use shared::gameplay::HandshakeResponse;
    use shared::realtime::command::Command;
    use shared::realtime::message::Welcome;

    use super::super::event::{ConnectionEvent, Effect};
    use super::super::fixtures::*;
    use super::super::flow::{
        JobId, MultiplayerConnectionFlow as Flow, PendingJob, PendingJobStage,
    };
    use super::super::flow_tests::start_of;
    use super::super::notice::{NotDone, Notice};
    use super::super::reducer::reduce;
    use super::super::snapshot::NetworkSnapshot;
    use super::super::start::*;
    use super::super::status::ConnectionStatus;
    use crate::realtime::transport::{TransportEvent, TransportState};

    #[test]
    fn at_most_one_job_is_pending() {
        for (first, second) in Flow::ALL.into_iter().flat_map(|a| Flow::ALL.map(|b| (a, b))) {
            let mut state = authenticated_state();
            let _ = start_of(first, &mut state);
            let job = state.pending_job;
            assert!(start_of(second, &mut state).is_empty(), "{second:?} beside {first:?}");
            assert_eq!(state.pending_job, job);
        }
    }

    #[test]
    fn selections_are_clamped_after_every_replacement_of_a_list() {
        let replaced = |realms_left: usize, characters_left: usize| {
            let mut state = authenticated_state();
            (state.selected_realm, state.selected_character) = (Some(1), Some(2));
            let _ = start_realm_switch(&mut state, 0);
            let job = state.pending_job.unwrap().id;
            let snapshot = Box::new(NetworkSnapshot {
                realms: Some(realms(realms_left)),
                characters: Some(roster(characters_left)),
                ..NetworkSnapshot::default()
            });
            reduce(&mut state, ConnectionEvent::Succeeded { job, snapshot });
            (state.selected_realm, state.selected_character)
        };
        assert_eq!(replaced(2, 3), (Some(1), Some(2)));
        assert_eq!(replaced(1, 2), (Some(0), Some(1)));
        assert_eq!(replaced(0, 0), (None, None));
    }

    #[test]
    fn a_handshake_publishes_ticket_and_activation_before_the_realtime_connect_starts() {
        for lacks in [
            HandshakeResponse { session_ticket: None, ..accepted() },
            HandshakeResponse { activation: None, ..accepted() },
        ] {
            let mut state = authenticated_state();
            let effects = start_character_connect(&mut state, attempt());
            let left = run(&mut state, effects, &mut Server::instead([("/handshake", ok(&lacks))]));
            assert!(left.is_empty() && has_no_world(&state), "{left:?}");
            assert!(state.status.is_error());
        }
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        let left = run(&mut state, effects, &mut Server::default());
        assert!(matches!(&left[..], [Effect::StartRealtime { .. }]));
        let handshake = state.handshake.as_ref().unwrap();
        assert!(handshake.session_ticket.is_some() && handshake.activation.is_some());
    }

    #[test]
    fn the_welcome_acknowledges_the_session_token_of_the_activation() {
        for (token, live) in [(activation().session_token.expose(), true), ("session-0000", false)]
        {
            let mut state = authenticated_state();
            let effects = start_character_connect(&mut state, attempt());
            run(&mut state, effects, &mut Server::default());
            let session_token = format!("{token:0<24}").parse().unwrap();
            realtime(&mut state, TransportEvent::Opened);
            let welcome = Welcome { session_token, ..welcome() };
            realtime(&mut state, TransportEvent::Welcome(welcome));
            assert_eq!(state.transport_state() == Some(TransportState::Live), live);
        }
    }

    #[test]
    fn readiness_requires_an_accepted_handshake_a_live_transport_and_the_local_player() {
        assert!(state_in_world().world_entry_ready());
        let mut state = state_in_world();
        state.handshake = Some(rejected());
        assert!(!state.world_entry_ready(), "not accepted");
        let mut state = state_in_world();
        realtime(&mut state, TransportEvent::ConnectionLost { reason: String::new() });
        assert!(!state.world_entry_ready(), "not live");
        let mut state = state_in_world();
        state.realtime.as_mut().unwrap().world =
            crate::realtime::WorldProjection::new(&activation());
        assert!(!state.world_entry_ready(), "no local player");
    }

    #[test]
    fn world_entry_cleanup_keeps_account_and_roster() {
        for flow in [Flow::ConnectCharacter, Flow::CreateCharacter, Flow::DeleteCharacter] {
            let mut state = state_in_world();
            start_of(flow, &mut state);
            assert!(has_no_world(&state) && keeps_the_roster(&state), "{flow:?}");
        }
    }

    #[test]
    fn authenticated_session_cleanup_requests_the_shutdown_before_it_drops_the_handle() {
        let mut state = state_in_world();
        let old = generation(&state);
        let effects = reduce(&mut state, ConnectionEvent::Reset);
        assert!(matches!(effects.first(), Some(Effect::RequestRealtimeShutdown { generation })
            if *generation == old));
        assert!(state.realtime.is_none());
    }

    #[test]
    fn a_session_that_starts_beside_another_ends_that_one_first() {
        let mut state = state_in_world();
        let old = generation(&state);
        // No flow gets here: each cleans up as it starts.
        let (id, stage) = (JobId(900), PendingJobStage::Handshaking { redirects: 0 });
        state.pending_job = Some(PendingJob { id, flow: Flow::ConnectCharacter, stage });
        let snapshot =
            NetworkSnapshot { handshake: Some(accepted()), ..NetworkSnapshot::default() };
        let event = ConnectionEvent::Succeeded { job: id, snapshot: Box::new(snapshot) };
        let effects = reduce(&mut state, event);
        assert!(
            matches!(
                &effects[..],
                [
                    Effect::RequestRealtimeShutdown { generation },
                    Effect::ForgetSession,
                    Effect::StartRealtime { .. },
                ] if *generation == old
            ),
            "{effects:?}"
        );
        assert_eq!(state.handshake, Some(accepted()));
    }

    #[test]
    fn ui_flow_state_is_not_evidence_of_network_authority() {
        let told = [
            ConnectionStatus::Connected,
            ConnectionStatus::InWorld,
            ConnectionStatus::Pending(PendingJobStage::Handshaking { redirects: 0 }),
            ConnectionStatus::Disconnecting,
        ];
        for (status, has_job) in told.iter().flat_map(|status| [(status, false), (status, true)]) {
            let mut state = authenticated_state();
            if has_job {
                let _ = start_character_connect(&mut state, attempt());
                let job = state.pending_job.as_mut().unwrap();
                job.stage = PendingJobStage::Handshaking { redirects: 1 };
            }
            state.status = status.clone();
            state.handoff = Some(select());
            state.handshake = Some(accepted());
            assert!(!state.world_entry_ready() && !state.has_realtime_session(), "{status:?}");
            assert!(!state.is_draining() && !state.realtime_disconnect_finished());
            let effects = reduce(&mut state, ConnectionEvent::Command(Command::Gather));
            let not_done =
                Notice::NotDone { command: Command::Gather, reason: NotDone::NotInWorld };
            assert!(matches!(&effects[..], [Effect::Show(told)] if *told == not_done));
            let effects = reduce(&mut state, ConnectionEvent::LogoutRequested);
            assert!(is_empty(&state), "there is nothing to say goodbye to: {status:?}");
            assert!(!shuts_down(&effects));
        }
        // Nor is the absence of it evidence of the contrary.
        let mut state = state_in_world();
        state.status = ConnectionStatus::Idle;
        assert!(state.world_entry_ready() && state.has_realtime_session());
    }

    #[test]
    fn a_rejected_handshake_is_kept_for_the_status_and_makes_no_handle() {
        let mut state = authenticated_state();
        let effects = start_character_connect(&mut state, attempt());
        let answer = ("/handshake", ok(&rejected()));
        let left = run(&mut state, effects, &mut Server::instead([answer]));
        assert!(left.is_empty() && state.realtime.is_none());
        assert!(!state.world_entry_ready() && keeps_the_roster(&state));
        assert_eq!(state.handshake, Some(rejected()));
        let reason = rejected().rejection.unwrap().detail;
        assert_eq!(state.status.to_string(), format!("Error: {reason}"));
    }
}
