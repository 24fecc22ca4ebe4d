//! What the tests of the connection share: answers of the servers, and an executor that
//! carries out jobs against a scripted server and counts what it did.

use std::time::Duration;

use serde::Serialize;
use shared::account::{
    Account, AccountCreated, Credentials, GameEndpoint, Handoff, LoginResponse, Realm, RealmList,
    RealmStatus, Roster, RosterCharacter, SelectResponse,
};
use shared::gameplay::{
    ActivatedCharacter, HandshakeResponse, MapRef, RealtimeEndpoint, RealtimeSessionActivation,
    Rejection, RejectionCode, RuntimeProfile,
};
use shared::ids::{AttemptId, UnixMillis};
use shared::problem::{Problem, ProblemCode};
use shared::realtime::command::CommandSequence;
use shared::realtime::message::{EntityId, Welcome};
use shared::realtime::snapshot::Snapshot;
use shared::world::Tile;
use shared::world::movement::Body;

use super::event::{ConnectionEvent, Effect};
use super::http::{HttpCall, HttpOutcome};
use super::job::JobStep;
use super::reducer::reduce;
use super::snapshot::NetworkSnapshot;
use super::start::LoginMethod;
use super::state::{ClientCompatibility, MultiplayerConnectionState};
use crate::realtime::handle::RealtimeGeneration;
use crate::realtime::transport::TransportEvent;

pub(crate) const OWN: EntityId = EntityId(7);

pub(crate) fn uuid_text(n: u8) -> String {
    format!("6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a0{n:02x}")
}

pub(crate) fn attempt() -> AttemptId {
    uuid_text(1).parse().unwrap()
}

pub(crate) fn new_state() -> MultiplayerConnectionState {
    MultiplayerConnectionState::new("http://login.test/", ClientCompatibility::quic("test"))
}

pub(crate) fn credentials() -> Credentials {
    Credentials { username: "mara".to_owned(), password: "long enough".to_owned() }
}

pub(crate) fn password() -> LoginMethod {
    LoginMethod::Password(credentials())
}

pub(crate) fn login() -> LoginResponse {
    LoginResponse {
        access_token: "access-0123456789abcdef".parse().unwrap(),
        expires_at: UnixMillis(9_000_000),
        account: account(),
    }
}

fn account() -> Account {
    Account { id: uuid_text(2).parse().unwrap(), username: "mara".to_owned() }
}

pub(crate) fn realms(count: usize) -> Vec<Realm> {
    ["dawn", "dusk", "noon", "moon"][..count]
        .iter()
        .map(|id| Realm {
            id: id.parse().unwrap(),
            name: (*id).to_owned(),
            status: RealmStatus::Online,
            population: 0,
            capacity: 100,
        })
        .collect()
}

pub(crate) fn roster(count: usize) -> Vec<RosterCharacter> {
    ["Anna", "Bert", "Cleo", "Dora"][..count]
        .iter()
        .zip(10..)
        .map(|(name, n)| RosterCharacter {
            id: uuid_text(n).parse().unwrap(),
            name: (*name).to_owned(),
            appearance: Default::default(),
            zone: "harbor".parse().unwrap(),
            in_world: false,
        })
        .collect()
}

pub(crate) fn endpoint(n: u8) -> GameEndpoint {
    GameEndpoint {
        instance_id: format!("edge-{n}").parse().unwrap(),
        http_url: format!("http://game-{n}.test"),
    }
}

pub(crate) fn select() -> SelectResponse {
    SelectResponse {
        handoff: Handoff {
            token: format!("handoff-{}", uuid_text(3)).parse().unwrap(),
            expires_at: UnixMillis(60_000),
        },
        endpoint: endpoint(1),
    }
}

pub(crate) fn activation() -> RealtimeSessionActivation {
    RealtimeSessionActivation {
        session_token: "session-0123456789abcdef".parse().unwrap(),
        instance_id: "edge-1".parse().unwrap(),
        placement: "dawn/harbor".parse().unwrap(),
        zone: "harbor".parse().unwrap(),
        tile: Tile { x: 3, y: 4 },
        character: ActivatedCharacter {
            id: uuid_text(10).parse().unwrap(),
            name: "Anna".to_owned(),
            appearance: Default::default(),
            gathered: 0,
        },
        profile: RuntimeProfile::quic_standard(),
        endpoints: vec![
            RealtimeEndpoint { url: "https://sick".into(), cert_hashes: vec![], healthy: false },
            RealtimeEndpoint { url: "https://well".into(), cert_hashes: vec![], healthy: true },
        ],
        map: MapRef { zone: "harbor".parse().unwrap(), sha256: "0".repeat(64) },
    }
}

pub(crate) fn accepted() -> HandshakeResponse {
    HandshakeResponse::accept("ticket-0123456789abcdef".parse().unwrap(), activation())
}

pub(crate) fn rejected() -> HandshakeResponse {
    HandshakeResponse::reject(Rejection::of(RejectionCode::ZoneFull))
}

pub(crate) fn welcome() -> Welcome {
    Welcome {
        session_token: activation().session_token,
        entity: OWN,
        placement: activation().placement,
        position: activation().tile.center(),
        tick: 100,
        profile: RuntimeProfile::quic_standard(),
        resume_token: "resume-token-number-1".parse().unwrap(),
        last_command: CommandSequence::NONE,
        gathered: 0,
    }
}

pub(crate) fn snapshot_with(tick: u32, bodies: &[EntityId]) -> Snapshot {
    let body = Body::standing(activation().tile.center());
    Snapshot {
        tick,
        baseline: None,
        acked_input: 0,
        changed: bodies.iter().map(|entity| (*entity, body)).collect(),
        removed: Vec::new(),
    }
}

/// A snapshot of a login with two realms and three characters.
pub(crate) fn logged_in() -> NetworkSnapshot {
    NetworkSnapshot {
        login_response: Some(login()),
        realms: Some(realms(2)),
        characters: Some(roster(3)),
        ..NetworkSnapshot::default()
    }
}

/// A state with a login, two realms and three characters, the second one selected.
pub(crate) fn authenticated_state() -> MultiplayerConnectionState {
    let mut state = new_state();
    let effects = super::start::start_login_flow(&mut state, password());
    run(&mut state, effects, &mut Server::default());
    state.select_character(1);
    state
}

/// A state whose character is in the world.
pub(crate) fn state_in_world() -> MultiplayerConnectionState {
    let mut state = authenticated_state();
    let effects = super::start::start_character_connect(&mut state, attempt());
    run(&mut state, effects, &mut Server::default());
    for event in [
        TransportEvent::DialStarted,
        TransportEvent::Opened,
        TransportEvent::Welcome(welcome()),
        TransportEvent::Snapshot(snapshot_with(101, &[OWN])),
    ] {
        realtime(&mut state, event);
    }
    assert!(state.world_entry_ready());
    state
}

pub(crate) fn generation(state: &MultiplayerConnectionState) -> RealtimeGeneration {
    state.realtime.as_ref().map_or(RealtimeGeneration(0), |handle| handle.generation)
}

/// Reports an event of the present realtime handle.
pub(crate) fn realtime(
    state: &mut MultiplayerConnectionState,
    event: TransportEvent,
) -> Vec<Effect> {
    let generation = generation(state);
    reduce(state, ConnectionEvent::Realtime { generation, at: 1_000.0, event })
}

/// A server whose answers a test may replace by path.
#[derive(Default)]
pub(crate) struct Server {
    /// What was called, as `METHOD url`.
    pub(crate) calls: Vec<String>,
    /// Bodies of the calls.
    pub(crate) bodies: Vec<String>,
    /// Answers that come before the usual ones: the end of a URL, and the outcome once.
    pub(crate) instead: Vec<(&'static str, HttpOutcome)>,
    /// From which call on nobody answers any more.
    pub(crate) silent_from: Option<usize>,
    /// How long each answer takes that comes at all; the others take all the time that they
    /// are given.
    pub(crate) takes: Duration,
    /// How long the jobs have waited, in pauses and for answers.
    pub(crate) waited: Duration,
}

impl Server {
    pub(crate) fn instead(answers: impl IntoIterator<Item = (&'static str, HttpOutcome)>) -> Self {
        Self { instead: answers.into_iter().collect(), ..Self::default() }
    }

    /// The answer, and how long it takes.
    pub(crate) fn answer(&mut self, call: HttpCall) -> (HttpOutcome, Duration) {
        let timeout = call.timeout;
        let outcome = match self.outcome(call) {
            HttpOutcome::Answered { .. } if self.takes >= timeout => HttpOutcome::TimedOut,
            outcome => outcome,
        };
        let took = if outcome == HttpOutcome::TimedOut { timeout } else { self.takes };
        self.waited += took;
        (outcome, took)
    }

    fn outcome(&mut self, call: HttpCall) -> HttpOutcome {
        self.calls.push(format!("{} {}", call.method.as_str(), call.url));
        self.bodies.push(call.body.unwrap_or_default());
        if self.silent_from.is_some_and(|first| self.calls.len() > first) {
            return HttpOutcome::TimedOut;
        }
        if let Some(i) = self.instead.iter().position(|(end, _)| call.url.ends_with(end)) {
            return self.instead.remove(i).1;
        }
        let path = call.url.split(".test").nth(1).unwrap_or_default();
        match (call.method.as_str(), path) {
            ("POST", "/v1/accounts") => ok(&AccountCreated { account: account() }),
            ("POST", "/v1/sessions") => ok(&login()),
            ("GET", "/v1/realms") => ok(&RealmList { realms: realms(2) }),
            ("GET", "/v1/realms/dusk/characters") => ok(&Roster { characters: roster(1) }),
            ("GET", _) => ok(&Roster { characters: roster(3) }),
            ("POST", "/v1/select-character") => ok(&select()),
            ("POST", "/v1/handshake") => ok(&accepted()),
            ("POST", _) => ok(&Roster { characters: roster(4) }),
            _ => ok(&Roster { characters: roster(1) }),
        }
    }
}

pub(crate) fn ok(body: &impl Serialize) -> HttpOutcome {
    HttpOutcome::Answered {
        status: 200,
        body: serde_json::to_vec(body).unwrap(),
        retry_after: None,
    }
}

pub(crate) fn problem(code: ProblemCode, detail: &str) -> HttpOutcome {
    let problem = Problem::new(code, detail);
    HttpOutcome::Answered {
        status: problem.status,
        body: serde_json::to_vec(&problem).unwrap(),
        retry_after: Some(2),
    }
}

/// Carries out every job among the effects, as the page's executor does, and gives the
/// effects that are left.
pub(crate) fn run(
    state: &mut MultiplayerConnectionState,
    effects: Vec<Effect>,
    server: &mut Server,
) -> Vec<Effect> {
    let mut left = Vec::new();
    for effect in effects {
        let Effect::SpawnJob(mut job) = effect else {
            left.push(effect);
            continue;
        };
        let id = job.pending().id;
        let mut step = job.begin();
        loop {
            match step {
                JobStep::Call { progress, after, call } => {
                    if !state.is_pending(id) {
                        break;
                    }
                    left.extend(reduce(state, progress));
                    server.waited += after;
                    let (outcome, took) = server.answer(call);
                    step = job.answer(outcome, took);
                }
                JobStep::Done(completion) => {
                    left.extend(reduce(state, completion));
                    break;
                }
            }
        }
    }
    left
}

pub(crate) fn shuts_down(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::RequestRealtimeShutdown { .. }))
}

pub(crate) fn keeps_the_roster(state: &MultiplayerConnectionState) -> bool {
    state.login_response.is_some()
        && state.realms.len() == 2
        && state.characters.len() == 3
        && state.selected_realm == Some(0)
        && state.selected_character == Some(1)
}

pub(crate) fn is_empty(state: &MultiplayerConnectionState) -> bool {
    state.login_response.is_none()
        && state.realms.is_empty()
        && state.characters.is_empty()
        && state.selected_realm.is_none()
        && state.selected_character.is_none()
        && has_no_world(state)
}

pub(crate) fn has_no_world(state: &MultiplayerConnectionState) -> bool {
    state.handoff.is_none() && state.handshake.is_none() && state.realtime.is_none()
}
