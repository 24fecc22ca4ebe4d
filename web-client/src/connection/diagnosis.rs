//! The fields by which a stuck flow is diagnosed, in the order of the spec's "Diagnose a
//! stuck flow". Secrets are told as present or absent, never as such.

use std::fmt;

use super::state::MultiplayerConnectionState;
use crate::realtime::handle::RealtimeSessionHandle;

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, in the spec's words.
    pub name: &'static str,
    /// What it is now.
    pub value: String,
}

/// One step of the diagnosis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What the step is about.
    pub title: &'static str,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// All steps, in order. Its `Display` is a text to be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis(pub Vec<Step>);

impl Diagnosis {
    /// The diagnosis of a state at `now`, in milliseconds of the page's monotonic clock.
    #[must_use]
    pub fn of(state: &MultiplayerConnectionState, now: f64) -> Self {
        let handle = state.realtime.as_ref();
        Self(vec![
            job(state),
            bootstrap(state),
            handshake(state),
            session(state),
            transport(handle, now),
            world(state, handle),
        ])
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in (1..).zip(&self.0) {
            writeln!(f, "{number}. {}", step.title)?;
            for Field { name, value } in &step.fields {
                writeln!(f, "   {name}: {value}")?;
            }
        }
        Ok(())
    }
}

fn field(name: &'static str, value: impl fmt::Display) -> Field {
    Field { name, value: value.to_string() }
}

fn field_or(name: &'static str, value: Option<impl fmt::Display>) -> Field {
    Field { name, value: value.map_or_else(|| "none".to_owned(), |value| value.to_string()) }
}

fn presence(is_there: bool) -> &'static str {
    if is_there { "present" } else { "absent" }
}

fn selection(count: usize, selected: Option<usize>) -> String {
    match selected {
        Some(index) => format!("{count}, number {} selected", index + 1),
        None => format!("{count}, none selected"),
    }
}

fn job(state: &MultiplayerConnectionState) -> Step {
    let job = state.pending_job;
    Step {
        title: "Job and status",
        fields: vec![
            field_or("pending_job.flow", job.map(|job| format!("{:?}", job.flow))),
            field_or("pending_job.stage", job.map(|job| format!("{:?}", job.stage))),
            field("status", &state.status),
        ],
    }
}

/// Whether something is there: in the state, or with the job that is on its way to bring it.
/// What a failed job has found is told as such: it never got into the state.
fn presence_of(
    state: &MultiplayerConnectionState,
    is_there: bool,
    was_found: bool,
) -> &'static str {
    match (was_found && !is_there, state.pending_job.is_some()) {
        (false, _) => presence(is_there),
        (true, true) => "present",
        (true, false) => "absent; the job that failed had found it",
    }
}

fn bootstrap(state: &MultiplayerConnectionState) -> Step {
    let login = state.login_response.as_ref();
    let found = &state.job_found;
    let counted = |count: usize, selected, found: Option<usize>| match found {
        Some(found) => format!("{}; the job has found {found}", selection(count, selected)),
        None => selection(count, selected),
    };
    Step {
        title: "Login, realms and characters",
        fields: vec![
            field("login_response", presence_of(state, login.is_some(), found.login)),
            field_or("account", login.map(|login| &login.account.username)),
            field("realms", counted(state.realms.len(), state.selected_realm, found.realms)),
            field(
                "characters",
                counted(state.characters.len(), state.selected_character, found.characters),
            ),
        ],
    }
}

fn handshake(state: &MultiplayerConnectionState) -> Step {
    let found = &state.job_found;
    let handoff = state.handoff.as_ref().map(|handoff| &handoff.endpoint.instance_id);
    let handshake = state.handshake.as_ref();
    let accepted = handshake
        .map(|handshake| handshake.accepted)
        .or(found.handshake.map(|handshake| handshake.accepted));
    let rejection = handshake.and_then(|handshake| handshake.rejection.as_ref());
    Step {
        title: "Handoff and handshake",
        fields: vec![
            field("handoff", presence_of(state, handoff.is_some(), found.handoff.is_some())),
            field_or("handoff.instance", handoff.or(found.handoff.as_ref())),
            field_or("handshake.accepted", accepted),
            field_or("handshake.redirect", found.redirect.as_ref()),
            field_or(
                "handshake.rejection",
                rejection.map(|why| format!("{:?}: {}", why.code, why.detail)),
            ),
        ],
    }
}

fn session(state: &MultiplayerConnectionState) -> Step {
    let handshake = state.handshake.as_ref();
    let found = state.job_found.handshake;
    let has_ticket = handshake.is_some_and(|handshake| handshake.session_ticket.is_some());
    let activation = handshake.and_then(|handshake| handshake.activation.as_ref());
    let (found_ticket, found_activation) =
        found.map_or((false, false), |found| (found.has_ticket, found.has_activation));
    Step {
        title: "Session and activation",
        fields: vec![
            field("handshake.session_ticket", presence_of(state, has_ticket, found_ticket)),
            field(
                "handshake.activation",
                presence_of(state, activation.is_some(), found_activation),
            ),
            field_or("activation.instance", activation.map(|a| &a.instance_id)),
            field_or("activation.placement", activation.map(|a| &a.placement)),
            field_or("activation.tile", activation.map(|a| a.tile)),
        ],
    }
}

fn transport(handle: Option<&RealtimeSessionHandle>, now: f64) -> Step {
    let transport = handle.map(|handle| &handle.transport);
    let age = transport.and_then(|transport| transport.last_packet_at()).map(|at| now - at);
    Step {
        title: "Realtime transport",
        fields: vec![
            field_or("transport.health", transport.map(|t| t.state().as_str())),
            field_or("transport.endpoint", transport.map(|t| &t.endpoint().url)),
            field_or("transport.reconnect_attempt", transport.map(|t| t.reconnect_attempt())),
            field_or(
                "transport.last_packet",
                age.map(|age| format!("{:.1} s ago", age.max(0.0) / 1_000.0)),
            ),
            field_or("transport.last_message", transport.map(|t| t.last_message())),
            field_or("generation", handle.map(|handle| handle.generation.0)),
        ],
    }
}

fn world(state: &MultiplayerConnectionState, handle: Option<&RealtimeSessionHandle>) -> Step {
    let world = handle.map(|handle| &handle.world);
    let player = world.and_then(|world| world.local_player());
    Step {
        title: "World projection",
        fields: vec![
            field("world.local_player", presence(player.is_some())),
            field_or("world.local_player.tile", player.map(|p| p.body.position.tile())),
            field_or("world.players_in_view", world.map(|world| world.players_in_view())),
            field_or("world.acked_tick", world.and_then(|world| world.acked_tick())),
            field("world_entry_ready", state.world_entry_ready()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use shared::gameplay::HandshakeResponse;

    use super::super::event::{ConnectionEvent, Effect};
    use super::super::fixtures::*;
    use super::super::job::JobStep;
    use super::super::reducer::reduce;
    use super::super::start::{start_character_connect, start_quick_connect};
    use super::*;

    fn value(diagnosis: &Diagnosis, name: &str) -> String {
        let mut fields = diagnosis.0.iter().flat_map(|step| &step.fields);
        fields.find(|field| field.name == name).expect("there is such a field").value.clone()
    }

    #[test]
    fn the_steps_come_in_the_order_of_the_spec() {
        let diagnosis = Diagnosis::of(&new_state(), 0.0);
        let firsts: Vec<&str> = diagnosis.0.iter().map(|step| step.fields[0].name).collect();
        assert_eq!(
            firsts,
            [
                "pending_job.flow",
                "login_response",
                "handoff",
                "handshake.session_ticket",
                "transport.health",
                "world.local_player"
            ]
        );
        let text = diagnosis.to_string();
        let places: Vec<_> =
            ["1. Job", "2. Login", "3. Handoff", "4. Session", "5. Realtime", "6. World"]
                .map(|step| text.find(step))
                .to_vec();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
    }

    #[test]
    fn no_secret_is_in_its_text() {
        let state = state_in_world();
        let text = Diagnosis::of(&state, 2_000.0).to_string();
        let login = state.login_response.as_ref().unwrap();
        let handshake = state.handshake.as_ref().unwrap();
        let secrets = [
            login.access_token.expose().to_owned(),
            state.handoff.as_ref().unwrap().handoff.token.expose().to_owned(),
            handshake.session_ticket.as_ref().unwrap().expose().to_owned(),
            handshake.activation.as_ref().unwrap().session_token.expose().to_owned(),
            welcome().resume_token.expose().to_owned(),
        ];
        for secret in secrets {
            assert!(!text.contains(&secret), "{secret} in {text}");
        }
        assert_eq!(value(&Diagnosis::of(&state, 0.0), "login_response"), "present");
    }

    #[test]
    fn it_shows_how_far_an_entry_has_come() {
        let mut state = authenticated_state();
        let at_rest = Diagnosis::of(&state, 0.0);
        assert_eq!(value(&at_rest, "pending_job.stage"), "none");
        assert_eq!(value(&at_rest, "characters"), "3, number 2 selected");
        start_character_connect(&mut state, attempt());
        assert_eq!(value(&Diagnosis::of(&state, 0.0), "pending_job.stage"), "RequestingHandoff");
        let in_world = Diagnosis::of(&state_in_world(), 3_500.0);
        assert_eq!(value(&in_world, "handshake.accepted"), "true");
        assert_eq!(value(&in_world, "transport.health"), "Live");
        assert_eq!(value(&in_world, "world.local_player"), "present");
        assert_eq!(value(&in_world, "world_entry_ready"), "true");
    }

    /// Reduces a job's progress until it asks for a call of that URL, which never comes back.
    fn stuck_at(state: &mut MultiplayerConnectionState, effects: Vec<Effect>, url: &str) {
        let mut server = Server::instead([(
            "game-1.test/v1/handshake",
            ok(&HandshakeResponse::redirect(endpoint(2))),
        )]);
        let [.., Effect::SpawnJob(job)] = &effects[..] else { panic!("{effects:?}") };
        let mut job = job.clone();
        let mut step = job.begin();
        while let JobStep::Call { progress, call, .. } = step {
            reduce(state, progress);
            if call.url == url {
                return;
            }
            let (outcome, took) = server.answer(call);
            step = job.answer(outcome, took);
        }
        panic!("it is over: {step:?}");
    }

    #[test]
    fn a_job_stuck_at_the_handshake_shows_its_handoff_and_the_redirect_it_has_followed() {
        let mut state = new_state();
        let effects = start_quick_connect(&mut state, password(), attempt());
        stuck_at(&mut state, effects, "http://game-2.test/v1/handshake");
        let stuck = Diagnosis::of(&state, 0.0);
        assert_eq!(value(&stuck, "pending_job.stage"), "Handshaking { redirects: 1 }");
        assert_eq!(value(&stuck, "login_response"), "present");
        assert_eq!(value(&stuck, "realms"), "0, none selected; the job has found 2");
        assert_eq!(value(&stuck, "characters"), "0, none selected; the job has found 3");
        assert_eq!(value(&stuck, "handoff"), "present");
        assert_eq!(value(&stuck, "handoff.instance"), "edge-1");
        assert_eq!(value(&stuck, "handshake.redirect"), "edge-2");
        assert_eq!(value(&stuck, "handshake.accepted"), "false");
        assert_eq!(value(&stuck, "handshake.session_ticket"), "absent");
        reduce(&mut state, ConnectionEvent::Reset);
        assert_eq!(value(&Diagnosis::of(&state, 0.0), "handoff"), "absent");
    }

    #[test]
    fn an_accepted_handshake_that_lacks_its_parts_stays_visible_after_the_job_has_failed() {
        let had_it = "absent; the job that failed had found it";
        for (response, ticket, activation) in [
            (HandshakeResponse { session_ticket: None, ..accepted() }, "absent", had_it),
            (HandshakeResponse { activation: None, ..accepted() }, had_it, "absent"),
        ] {
            let mut state = authenticated_state();
            let effects = start_character_connect(&mut state, attempt());
            let mut server = Server::instead([("/v1/handshake", ok(&response))]);
            run(&mut state, effects, &mut server);
            let failed = Diagnosis::of(&state, 0.0);
            assert!(has_no_world(&state));
            assert_eq!(value(&failed, "handoff"), had_it);
            assert_eq!(value(&failed, "handshake.accepted"), "true");
            assert_eq!(value(&failed, "handshake.session_ticket"), ticket);
            assert_eq!(value(&failed, "handshake.activation"), activation);
            let _ = start_character_connect(&mut state, attempt());
            let anew = Diagnosis::of(&state, 0.0);
            assert_eq!(value(&anew, "handshake.accepted"), "none");
        }
    }

    #[test]
    fn a_rejection_is_told_with_its_reason() {
        let mut state = authenticated_state();
        state.handshake = Some(rejected());
        let why = value(&Diagnosis::of(&state, 0.0), "handshake.rejection");
        assert!(why.starts_with("ZoneFull: "), "{why}");
    }
}
