//! A job: the requests of one flow, one after the other, without doing any of them.
//!
//! The executor carries out the call of each [`JobStep`] and hands its outcome back, until
//! the job is done. Before each call it asks
//! [`is_pending`](super::MultiplayerConnectionState::is_pending) and drops a job that is
//! not: a job of a flow that was given up must not go on to take a seat in the world.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::account::{
    AccountCreated, Credentials, GameEndpoint, RealmList, Roster, RosterCharacter, SelectCharacter,
    SelectResponse,
};
use shared::gameplay::{HandshakeRequest, HandshakeResponse};
use shared::ids::{AttemptId, CharacterId, InstanceId, RealmId, Try};
use shared::limits::{CLIENT_HANDSHAKE_LIMIT, CLIENT_HANDSHAKE_TIMEOUT, CLIENT_HTTP_TIMEOUT};
use shared::secret::{AccessToken, HandoffToken};

use super::event::ConnectionEvent;
use super::flow::{HandshakeFound, JobFound, JobId, PendingJob, PendingJobStage};
use super::handshake::{HandshakeStep, handshake_step};
use super::http::{HttpCall, HttpMethod, HttpOutcome};
pub use super::job_request::{JobError, JobRequest, JobWork};
use super::locate::{locate_call, located};
use super::saved_session::SavedSession;
use super::snapshot::NetworkSnapshot;
use super::start::LoginMethod;
use crate::realtime::reconnect::Located;

/// Times that the handshake is sent before it fails, redirects not counted. An answer that
/// was lost is asked for again under the same attempt, which the servers know how to repeat.
pub const MAX_HANDSHAKE_TRIES: u32 = 3;
/// Pause before the handshake is sent again, where the server names none.
const HANDSHAKE_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause, whatever the server names: the whole handshake has its limit.
const MAX_HANDSHAKE_PAUSE: Duration = Duration::from_secs(5);

/// What the executor has to do next for a job.
#[derive(Debug)]
pub enum JobStep {
    /// Reduce the progress, wait, carry out the call, and hand its outcome to
    /// [`Job::answer`].
    Call {
        /// [`ConnectionEvent::Pending`] with the stage of the call.
        progress: ConnectionEvent,
        /// How long to wait before the call; mostly not at all.
        after: Duration,
        /// The call.
        call: HttpCall,
    },
    /// Reduce the completion; the job is over.
    Done(ConnectionEvent),
}

/// A job under way.
#[derive(Clone, Debug)]
pub struct Job {
    id: JobId,
    request: JobRequest,
    stage: PendingJobStage,
    found: NetworkSnapshot,
    /// Where the handshake goes; known from the select on.
    game_endpoint: Option<GameEndpoint>,
    handshake_try: u32,
    /// What is left of [`CLIENT_HANDSHAKE_LIMIT`].
    handshake_left: Duration,
    /// Whither the last redirect leads that was followed.
    redirect: Option<InstanceId>,
    /// What was in the last answer to the handshake.
    last_answer: Option<HandshakeFound>,
    /// The session that the job asks for: it may have to be brought back.
    asks_for: Option<SavedSession>,
}

impl Job {
    /// A job that has not sent anything yet.
    #[must_use]
    pub fn new(id: JobId, request: JobRequest) -> Self {
        let mut found = NetworkSnapshot::default();
        let stage = match &request.work {
            JobWork::Authenticate { method } | JobWork::QuickConnect { method, .. } => match method
            {
                LoginMethod::Register(_) => PendingJobStage::Registering,
                LoginMethod::Password(_) => PendingJobStage::Authenticating,
                LoginMethod::Continue { login, .. } => {
                    found.login_response = Some(login.clone());
                    PendingJobStage::FetchingRealms
                }
            },
            JobWork::ConnectCharacter { .. } => PendingJobStage::RequestingHandoff,
            JobWork::CreateCharacter { .. } => PendingJobStage::CreatingCharacter,
            JobWork::DeleteCharacter { .. } => PendingJobStage::DeletingCharacter,
            JobWork::SwitchRealm { .. } => PendingJobStage::FetchingCharacters,
        };
        Self {
            id,
            request,
            stage,
            found,
            game_endpoint: None,
            handshake_try: Try::FIRST.0,
            handshake_left: CLIENT_HANDSHAKE_LIMIT,
            redirect: None,
            last_answer: None,
            asks_for: None,
        }
    }

    /// The job as the connection state keeps it.
    #[must_use]
    pub fn pending(&self) -> PendingJob {
        PendingJob { id: self.id, flow: self.request.flow(), stage: self.stage }
    }

    /// What it has found so far.
    #[must_use]
    pub fn found(&self) -> JobFound {
        JobFound {
            login: self.found.login_response.is_some(),
            realms: self.found.realms.as_ref().map(Vec::len),
            characters: self.found.characters.as_ref().map(Vec::len),
            handoff: self.found.handoff.as_ref().map(|found| found.endpoint.instance_id.clone()),
            redirect: self.redirect.clone(),
            handshake: self.last_answer,
        }
    }

    /// Whether the job may end in a realtime session, so that the executor has to look for
    /// WebTransport first and reports
    /// [`RuntimeUnavailable`](ConnectionEvent::RuntimeUnavailable) where it is missing.
    #[must_use]
    pub fn may_start_realtime(&self) -> bool {
        self.request.may_start_realtime()
    }

    /// The first step.
    #[must_use]
    pub fn begin(&self) -> JobStep {
        self.call_after(Duration::ZERO)
    }

    /// Takes the outcome of the last call, which took so long, its pause not counted.
    pub fn answer(&mut self, outcome: HttpOutcome, took: Duration) -> JobStep {
        if let PendingJobStage::Handshaking { .. } = self.stage {
            self.handshake_left = self.handshake_left.saturating_sub(took);
        }
        match self.advance(outcome) {
            Ok(Next::Call { after }) => self.call_after(after),
            Ok(Next::Done) => JobStep::Done(ConnectionEvent::Succeeded {
                job: self.id,
                snapshot: Box::new(std::mem::take(&mut self.found)),
            }),
            Err(error) => self.fail(error),
        }
    }

    fn fail(&self, error: JobError) -> JobStep {
        let (job, stage, found) = (self.id, self.stage, self.found());
        JobStep::Done(ConnectionEvent::Failed { job, stage, found, error })
    }

    fn call_after(&self, after: Duration) -> JobStep {
        match self.call() {
            Some(call) => JobStep::Call {
                progress: ConnectionEvent::Pending {
                    job: self.id,
                    stage: self.stage,
                    found: self.found(),
                },
                after,
                call,
            },
            // A stage is entered only with what its call needs; a job that breaks this
            // rule fails rather than hangs.
            None => self.fail(JobError::LostItsWay),
        }
    }

    fn advance(&mut self, outcome: HttpOutcome) -> Result<Next, JobError> {
        match self.stage {
            PendingJobStage::Registering => {
                let _: AccountCreated = read(outcome)?;
                Ok(self.go(PendingJobStage::Authenticating))
            }
            PendingJobStage::Authenticating => {
                self.found.login_response = Some(read(outcome)?);
                Ok(self.go(PendingJobStage::FetchingRealms))
            }
            PendingJobStage::FetchingRealms => {
                let RealmList { realms } = read(outcome)?;
                let is_empty = realms.is_empty();
                let wanted = self.wanted_realm();
                let index = realms.iter().position(|realm| Some(&realm.id) == wanted);
                self.found.selected_realm = Some(index.unwrap_or(0));
                self.found.realms = Some(realms);
                if !is_empty {
                    Ok(self.go(PendingJobStage::FetchingCharacters))
                } else if self.request.flow().enters_the_world() {
                    Err(JobError::NoRealms)
                } else {
                    self.found.characters = Some(Vec::new());
                    Ok(Next::Done)
                }
            }
            PendingJobStage::FetchingCharacters if self.asks_for.is_some() => {
                self.asked(located(&outcome));
                Ok(Next::Done)
            }
            PendingJobStage::FetchingCharacters => {
                let Roster { characters } = read(outcome)?;
                let is_empty = characters.is_empty();
                let mut selected = None;
                if let JobWork::SwitchRealm { index, character, .. } = self.request.work {
                    self.found.selected_realm = Some(index);
                    selected = characters.iter().position(|known| Some(known.id) == character);
                }
                if let Some(session) = self.session_among(&characters).cloned() {
                    let whose = session.character().map(|(_, character)| character);
                    selected = characters.iter().position(|known| Some(known.id) == whose);
                    if characters.iter().any(|known| Some(known.id) == whose && known.in_world) {
                        self.go_back_to(session);
                    } else {
                        self.asks_for = Some(session);
                    }
                }
                self.found.selected_character = Some(selected.unwrap_or(0));
                self.found.characters = Some(characters);
                match (self.request.flow().enters_the_world(), is_empty) {
                    (false, _) if self.asks_for.is_some() => {
                        Ok(Next::Call { after: Duration::ZERO })
                    }
                    (false, _) => Ok(Next::Done),
                    (true, true) => Err(JobError::NoCharacters),
                    (true, false) => Ok(self.go(PendingJobStage::RequestingHandoff)),
                }
            }
            PendingJobStage::CreatingCharacter => {
                let Roster { characters } = read(outcome)?;
                if let JobWork::CreateCharacter { character, .. } = &self.request.work {
                    self.found.selected_character =
                        characters.iter().position(|known| known.name == character.name);
                }
                self.found.characters = Some(characters);
                Ok(Next::Done)
            }
            PendingJobStage::DeletingCharacter => {
                let Roster { characters } = read(outcome)?;
                self.found.characters = Some(characters);
                Ok(Next::Done)
            }
            PendingJobStage::RequestingHandoff => {
                let answer: SelectResponse = read(outcome)?;
                self.game_endpoint = Some(answer.endpoint.clone());
                self.found.handoff = Some(answer);
                Ok(self.go(PendingJobStage::Handshaking { redirects: 0 }))
            }
            PendingJobStage::Handshaking { redirects } => self.handshaken(redirects, outcome),
        }
    }

    fn go_back_to(&mut self, session: SavedSession) {
        self.found.handshake = Some(session.handshake);
        self.found.resume_token = Some(session.resume_token);
    }

    /// Nobody has the character in the world. Its game server may have died, and then the
    /// session can be brought back; or the session is over.
    fn asked(&mut self, located: Located) {
        let Some(mut session) = self.asks_for.take() else { return };
        match located {
            Located::Ended(_) => {}
            // The first dial fails if it is nowhere, and asks again.
            Located::Unknown => self.go_back_to(session),
            Located::At { instance, endpoints } => {
                if let Some(activation) = &mut session.handshake.activation {
                    (activation.instance_id, activation.endpoints) = (instance, endpoints);
                }
                self.go_back_to(session);
            }
        }
    }

    fn handshaken(&mut self, redirects: u32, outcome: HttpOutcome) -> Result<Next, JobError> {
        let pause = pause_before_another_try(&outcome, self.handshake_try);
        if let Some(after) = pause.filter(|pause| *pause < self.handshake_left) {
            self.handshake_left -= after;
            self.handshake_try += 1;
            return Ok(Next::Call { after });
        }
        let response: HandshakeResponse = read(outcome)?;
        self.last_answer = Some(HandshakeFound::of(&response));
        match handshake_step(&response, redirects) {
            HandshakeStep::Accept { .. } | HandshakeStep::Reject(_) => {
                self.found.handshake = Some(response);
                Ok(Next::Done)
            }
            HandshakeStep::Follow(_) if self.handshake_left.is_zero() => Err(JobError::TimedOut),
            HandshakeStep::Follow(endpoint) => {
                self.redirect = Some(endpoint.instance_id.clone());
                self.game_endpoint = Some(endpoint);
                Ok(self.go(PendingJobStage::Handshaking { redirects: redirects + 1 }))
            }
            HandshakeStep::Error(error) => Err(error.into()),
        }
    }

    fn go(&mut self, stage: PendingJobStage) -> Next {
        self.stage = stage;
        Next::Call { after: Duration::ZERO }
    }

    /// The call of the present stage; `None` where the job lacks what it needs.
    fn call(&self) -> Option<HttpCall> {
        let login = |path: String| format!("{}{path}", self.request.login_endpoint);
        Some(match self.stage {
            PendingJobStage::Registering => {
                post(login("/v1/accounts".to_owned()), None, self.credentials()?)
            }
            PendingJobStage::Authenticating => {
                post(login("/v1/sessions".to_owned()), None, self.credentials()?)
            }
            PendingJobStage::FetchingRealms => {
                get(login("/v1/realms".to_owned()), self.access_token()?)
            }
            PendingJobStage::FetchingCharacters => match &self.asks_for {
                Some(session) => {
                    locate_call(&self.request.login_endpoint, session.resume_token.clone())
                }
                None => get(login(characters_path(self.realm()?)), self.access_token()?),
            },
            PendingJobStage::CreatingCharacter => {
                let JobWork::CreateCharacter { character, .. } = &self.request.work else {
                    return None;
                };
                let url = login(characters_path(self.realm()?));
                post(url, Some(self.access_token()?), character)
            }
            PendingJobStage::DeletingCharacter => HttpCall {
                method: HttpMethod::Delete,
                url: login(format!("{}/{}", characters_path(self.realm()?), self.character()?)),
                bearer: Some(self.access_token()?),
                body: None,
                timeout: CLIENT_HTTP_TIMEOUT,
            },
            PendingJobStage::RequestingHandoff => {
                let select = SelectCharacter {
                    realm_id: self.realm()?.clone(),
                    character_id: self.character()?,
                };
                let url = login("/v1/select-character".to_owned());
                post(url, Some(self.access_token()?), &select)
            }
            PendingJobStage::Handshaking { .. } => {
                let request = HandshakeRequest {
                    hello: self
                        .request
                        .compatibility
                        .hello(self.attempt()?, Try(self.handshake_try)),
                    token: self.handoff_token()?.clone(),
                };
                let origin = self.game_endpoint.as_ref()?.http_url.trim_end_matches('/');
                HttpCall {
                    timeout: CLIENT_HANDSHAKE_TIMEOUT.min(self.handshake_left),
                    ..post(format!("{origin}/v1/handshake"), None, &request)
                }
            }
        })
    }

    fn credentials(&self) -> Option<&Credentials> {
        match &self.request.work {
            JobWork::Authenticate { method } | JobWork::QuickConnect { method, .. } => match method
            {
                LoginMethod::Password(given) | LoginMethod::Register(given) => Some(given),
                LoginMethod::Continue { .. } => None,
            },
            _ => None,
        }
    }

    fn access_token(&self) -> Option<AccessToken> {
        match &self.request.work {
            JobWork::Authenticate { .. } | JobWork::QuickConnect { .. } => {
                self.found.login_response.as_ref().map(|login| login.access_token.clone())
            }
            JobWork::ConnectCharacter { access_token, .. }
            | JobWork::CreateCharacter { access_token, .. }
            | JobWork::DeleteCharacter { access_token, .. }
            | JobWork::SwitchRealm { access_token, .. } => Some(access_token.clone()),
        }
    }

    /// The realm that a continued login returns to.
    fn wanted_realm(&self) -> Option<&RealmId> {
        match &self.request.work {
            JobWork::Authenticate { method: LoginMethod::Continue { realm, session, .. } } => {
                let of_session = session.as_ref().and_then(|session| session.character());
                of_session.map(|(realm, _)| realm).or(realm.as_ref())
            }
            _ => None,
        }
    }

    /// The session to go back to, where its character is in this roster.
    fn session_among(&self, roster: &[RosterCharacter]) -> Option<&SavedSession> {
        let JobWork::Authenticate { method: LoginMethod::Continue { session, .. } } =
            &self.request.work
        else {
            return None;
        };
        let session = session.as_deref()?;
        let (realm, whose) = session.character()?;
        let is_there = roster.iter().any(|known| known.id == whose);
        (self.realm() == Some(realm) && is_there).then_some(session)
    }

    fn realm(&self) -> Option<&RealmId> {
        match &self.request.work {
            JobWork::Authenticate { .. } | JobWork::QuickConnect { .. } => {
                Some(&self.found.realms.as_ref()?.get(self.found.selected_realm?)?.id)
            }
            JobWork::ConnectCharacter { realm, .. }
            | JobWork::CreateCharacter { realm, .. }
            | JobWork::DeleteCharacter { realm, .. }
            | JobWork::SwitchRealm { realm, .. } => Some(realm),
        }
    }

    fn character(&self) -> Option<CharacterId> {
        match &self.request.work {
            JobWork::QuickConnect { .. } => Some(self.found.characters.as_ref()?.first()?.id),
            JobWork::ConnectCharacter { character, .. }
            | JobWork::DeleteCharacter { character, .. } => Some(*character),
            _ => None,
        }
    }

    fn attempt(&self) -> Option<AttemptId> {
        match self.request.work {
            JobWork::QuickConnect { attempt, .. } | JobWork::ConnectCharacter { attempt, .. } => {
                Some(attempt)
            }
            _ => None,
        }
    }

    fn handoff_token(&self) -> Option<&HandoffToken> {
        self.found.handoff.as_ref().map(|answer| &answer.handoff.token)
    }
}

enum Next {
    Call { after: Duration },
    Done,
}

/// The call that ends a login.
#[must_use]
pub fn end_login_call(login_endpoint: &str, access_token: AccessToken) -> HttpCall {
    HttpCall {
        method: HttpMethod::Delete,
        url: format!("{login_endpoint}/v1/sessions/current"),
        bearer: Some(access_token),
        body: None,
        timeout: CLIENT_HTTP_TIMEOUT,
    }
}

fn characters_path(realm: &RealmId) -> String {
    format!("/v1/realms/{realm}/characters")
}

fn get(url: String, bearer: AccessToken) -> HttpCall {
    let (method, timeout) = (HttpMethod::Get, CLIENT_HTTP_TIMEOUT);
    HttpCall { method, url, bearer: Some(bearer), body: None, timeout }
}

fn post(url: String, bearer: Option<AccessToken>, body: &impl Serialize) -> HttpCall {
    let body = serde_json::to_string(body).expect("bodies of plain values serialise into memory");
    let (method, timeout) = (HttpMethod::Post, CLIENT_HTTP_TIMEOUT);
    HttpCall { method, url, bearer, body: Some(body), timeout }
}

fn pause_before_another_try(outcome: &HttpOutcome, tried: u32) -> Option<Duration> {
    if tried >= MAX_HANDSHAKE_TRIES {
        return None;
    }
    match outcome {
        HttpOutcome::Unreachable | HttpOutcome::TimedOut => Some(HANDSHAKE_PAUSE),
        HttpOutcome::Answered { status: 503, retry_after, .. } => Some(
            retry_after
                .map_or(HANDSHAKE_PAUSE, |seconds| Duration::from_secs(seconds.into()))
                .min(MAX_HANDSHAKE_PAUSE),
        ),
        HttpOutcome::Answered { .. } => None,
    }
}

fn read<T: DeserializeOwned>(outcome: HttpOutcome) -> Result<T, JobError> {
    match outcome {
        HttpOutcome::Unreachable => Err(JobError::Unreachable),
        HttpOutcome::TimedOut => Err(JobError::TimedOut),
        HttpOutcome::Answered { status, body, retry_after } => {
            let not_understood = JobError::NotUnderstood { status };
            if (200..300).contains(&status) {
                serde_json::from_slice(&body).map_err(|_| not_understood)
            } else {
                let refused = |problem| JobError::of_problem(problem, retry_after);
                Err(serde_json::from_slice(&body).map_or(not_understood, refused))
            }
        }
    }
}
