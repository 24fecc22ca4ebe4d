//! The control plane over HTTP, for roles that are processes of their own.
//!
//! Any of the control planes will do: they share their stores. A call goes to the one that
//! answered last, and where that one cannot be reached, falls silent or says that it cannot
//! do it now (503), to the next; each is asked at most once. That is failover and no retry:
//! when all of them have failed the caller is told, and whether to try again is the flow's.
//!
//! A call whose answer was lost may so be carried out twice. Every call may: records are
//! written over by themselves or lose to a higher epoch, a consume gives the same claimant
//! the same again, a redirect tells where the record has gone. The one exception is
//! `sessions/release`, which is asked again only where nobody has heard it: it is about
//! whoever plays at that moment, it takes its time, and the raise that follows fences those
//! that it does not reach.
//!
//! Answers are judged before they are believed: what this build cannot read is an error,
//! never half an answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Method, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::account::GameEndpoint;
use shared::control_plane::{
    CharacterPresence, HandoffQuestion, HandoffRedirect, Heartbeat, HeartbeatWrite, HeldSession,
    InstanceDrain, InstanceDrained, InstanceList, PresenceRemoval, RecordWrite, TransferQuestion,
    TransferStatus,
};
use shared::coordination::{
    AssignRequest, Assignment, HandoffCacheRecord, HandoffClaimant, HandoffLookup, InstanceRecord,
    PresenceRecord, Redirection, ReleaseRequest, TokenHash, TransferActivated,
};
use shared::ids::{AccountId, CharacterId, SessionEpoch};
use shared::problem::{Problem, ProblemCode};
use shared::secret::SessionToken;

use super::backend_http::{CONNECT_TIMEOUT, client, in_full, read};
use super::control_plane::{ControlPlane, ControlPlaneError, ControlPlaneResult, HeartbeatAnswer};
use super::service_token::ServiceToken;
use crate::flows::release_sessions::RELEASE_TIMEOUT;
use crate::stores::EpochWrite;

/// From sending a call to one control plane to the end of its answer.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(2);
/// The same for `sessions/release`, which waits for sessions to save and leave.
pub const RELEASE_CALL_TIMEOUT: Duration = Duration::from_secs(4);
/// Control planes that one call is sent to, however many there are: a call takes at most so
/// many times its timeout.
pub const MAX_ADDRESSES_ASKED: usize = 3;

const _: () = assert!(
    RELEASE_CALL_TIMEOUT.as_millis()
        >= RELEASE_TIMEOUT.as_millis() + CONNECT_TIMEOUT.as_millis() + 1_000
);

/// See the module.
pub struct HttpControlPlane {
    http: reqwest::Client,
    addresses: Vec<String>,
    token: ServiceToken,
    /// Which of them answered last.
    answering: AtomicUsize,
}

/// What a call does, and so what it means if its answer cannot be understood.
#[derive(Clone, Copy)]
enum Effect {
    /// Nothing: a record that cannot be read has been left alone.
    Reads,
    /// A change, which has happened.
    Writes,
}

/// When a call goes on to the next control plane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Failover {
    /// Whenever the one before it has not done it, as far as anybody knows.
    Unanswered,
    /// Only if nobody was reached.
    Unsent,
}

/// One call, before it is sent.
struct Call {
    method: Method,
    path: String,
    body: Option<String>,
    limit: Duration,
    failover: Failover,
}

/// Why one control plane has not done a call.
enum Failed {
    /// It was not reached: it has done nothing.
    Unreached(String),
    /// It did not answer, or could not do it now; what it has done is unknown.
    Unanswered(String),
    /// It has answered, and so would the others.
    Refused(ControlPlaneError),
}

impl Call {
    fn get(path: impl Into<String>) -> Self {
        Self::of(Method::GET, path.into(), None)
    }

    fn of(method: Method, path: String, body: Option<String>) -> Self {
        Self { method, path, body, limit: CALL_TIMEOUT, failover: Failover::Unanswered }
    }

    fn with(method: Method, path: &str, body: &impl Serialize) -> Self {
        let body = serde_json::to_string(body).expect("bodies are plain data");
        Self::of(method, path.to_owned(), Some(body))
    }

    fn post(path: &str, body: &impl Serialize) -> Self {
        Self::with(Method::POST, path, body)
    }

    fn put(path: &str, body: &impl Serialize) -> Self {
        Self::with(Method::PUT, path, body)
    }
}

impl HttpControlPlane {
    /// The control planes at these addresses, such as `http://10.0.0.5:8080`; the first one
    /// is asked first.
    #[must_use]
    pub fn new(addresses: &[String], token: ServiceToken) -> Self {
        let addresses = addresses.iter().map(|one| one.trim_end_matches('/').to_owned());
        let (addresses, answering) = (addresses.collect(), AtomicUsize::new(0));
        Self { http: client(), addresses, token, answering }
    }

    /// The answer that a call brings.
    async fn ask<A: DeserializeOwned>(&self, effect: Effect, call: Call) -> ControlPlaneResult<A> {
        let answer = self.carry_out(call).await?;
        serde_json::from_slice(&answer).map_err(|error| match effect {
            // JSON of another form than this build knows: of a newer one.
            Effect::Reads if error.is_data() => ControlPlaneError::Unreadable(error.to_string()),
            _ => ControlPlaneError::Unavailable(format!("the answer is not understood: {error}")),
        })
    }

    /// Makes a call that brings nothing back.
    async fn tell(&self, call: Call) -> ControlPlaneResult<()> {
        self.carry_out(call).await.map(drop)
    }

    /// Has one control plane after the other make a call, from the one that answered last on;
    /// gives the body of a success.
    async fn carry_out(&self, call: Call) -> ControlPlaneResult<Vec<u8>> {
        let known = self.addresses.len();
        let first = self.answering.load(Ordering::Relaxed);
        let mut failures = Vec::new();
        for number in (first..first + known).take(MAX_ADDRESSES_ASKED) {
            let index = number % known;
            let failed = match self.asked(&self.addresses[index], &call).await {
                Ok(body) => {
                    self.answering.store(index, Ordering::Relaxed);
                    return Ok(body);
                }
                Err(failed) => failed,
            };
            match failed {
                Failed::Refused(error) => {
                    self.answering.store(index, Ordering::Relaxed);
                    return Err(error);
                }
                Failed::Unreached(why) => failures.push(why),
                Failed::Unanswered(why) => {
                    failures.push(why);
                    if call.failover == Failover::Unsent {
                        break;
                    }
                }
            }
        }
        Err(ControlPlaneError::Unavailable(format!("{}: {}", call.path, failures.join("; "))))
    }

    /// Has one control plane make a call within its time.
    async fn asked(&self, address: &str, call: &Call) -> Result<Vec<u8>, Failed> {
        match tokio::time::timeout(call.limit, self.send(address, call)).await {
            Ok(done) => done,
            Err(_) => {
                let why = format!("{address} has not answered within {:?}", call.limit);
                Err(Failed::Unanswered(why))
            }
        }
    }

    async fn send(&self, address: &str, call: &Call) -> Result<Vec<u8>, Failed> {
        let url = format!("{address}{}", call.path);
        let mut request =
            self.http.request(call.method.clone(), url).bearer_auth(self.token.expose());
        if let Some(body) = &call.body {
            let json = (reqwest::header::CONTENT_TYPE, "application/json");
            request = request.header(json.0, json.1).body(body.clone());
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return Err(Failed::Unreached(in_full(&error))),
            Err(error) => return Err(Failed::Unanswered(in_full(&error))),
        };
        let status = response.status();
        let body = read(response).await.map_err(Failed::Unanswered)?;
        if status.is_success() {
            return Ok(body);
        }
        match refused(&body) {
            ControlPlaneError::Unavailable(why) if status == StatusCode::SERVICE_UNAVAILABLE => {
                Err(Failed::Unanswered(why))
            }
            error => Err(Failed::Refused(error)),
        }
    }
}

/// What a problem means to the caller.
fn refused(body: &[u8]) -> ControlPlaneError {
    match serde_json::from_slice::<Problem>(body) {
        Ok(problem) if problem.code == ProblemCode::UnreadableRecord => {
            ControlPlaneError::Unreadable(problem.detail)
        }
        Ok(Problem { status, code, detail, .. }) => {
            ControlPlaneError::Unavailable(format!("{status} {}: {detail}", code.as_str()))
        }
        Err(_) => ControlPlaneError::Unavailable("an answer of something else".to_owned()),
    }
}

#[async_trait]
impl ControlPlane for HttpControlPlane {
    async fn assign(&self, request: &AssignRequest) -> ControlPlaneResult<Assignment> {
        self.ask(Effect::Writes, Call::post("/internal/v1/assign/game", request)).await
    }

    async fn prepare(&self, record: &HandoffCacheRecord) -> ControlPlaneResult<()> {
        self.tell(Call::post("/internal/v1/handoffs/prepare", record)).await
    }

    async fn preflight(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup> {
        let question = HandoffQuestion { token: token.clone(), claimant: claimant.clone() };
        self.ask(Effect::Reads, Call::post("/internal/v1/handoffs/preflight", &question)).await
    }

    async fn consume(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
    ) -> ControlPlaneResult<HandoffLookup> {
        let question = HandoffQuestion { token: token.clone(), claimant: claimant.clone() };
        self.ask(Effect::Writes, Call::post("/internal/v1/handoffs/consume", &question)).await
    }

    async fn redirect(
        &self,
        token: &TokenHash,
        claimant: &HandoffClaimant,
        to: &GameEndpoint,
    ) -> ControlPlaneResult<Redirection> {
        let (token, claimant, to) = (token.clone(), claimant.clone(), to.clone());
        let redirect = HandoffRedirect { token, claimant, to };
        self.ask(Effect::Writes, Call::post("/internal/v1/handoffs/redirect", &redirect)).await
    }

    async fn confirm_transfer(&self, record: &TransferActivated) -> ControlPlaneResult<EpochWrite> {
        let call = Call::post("/internal/v1/transfers/confirm", record);
        self.ask::<RecordWrite>(Effect::Writes, call).await.map(EpochWrite::from)
    }

    async fn transfer_status(
        &self,
        token: &TokenHash,
    ) -> ControlPlaneResult<Option<TransferActivated>> {
        let question = TransferQuestion { token: token.clone() };
        let call = Call::post("/internal/v1/transfers/status", &question);
        let status: TransferStatus = self.ask(Effect::Reads, call).await?;
        Ok(status.activated)
    }

    async fn release(&self, request: &ReleaseRequest) -> ControlPlaneResult<()> {
        let call = Call::post("/internal/v1/sessions/release", request);
        let (limit, failover) = (RELEASE_CALL_TIMEOUT, Failover::Unsent);
        self.tell(Call { limit, failover, ..call }).await
    }

    async fn heartbeat(
        &self,
        record: &InstanceRecord,
        sessions: &[HeldSession],
    ) -> ControlPlaneResult<HeartbeatAnswer> {
        let beat = Heartbeat { instance: record.clone(), sessions: sessions.to_vec() };
        let call = Call::put("/internal/v1/instances", &beat);
        self.ask::<HeartbeatWrite>(Effect::Writes, call).await.map(HeartbeatAnswer::from)
    }

    async fn deregister(&self, record: &InstanceRecord) -> ControlPlaneResult<()> {
        self.tell(Call::post("/internal/v1/instances/remove", record)).await
    }

    async fn drain(&self, request: &InstanceDrain) -> ControlPlaneResult<bool> {
        let call = Call::post("/internal/v1/instances/drain", request);
        let answer = Call { limit: RELEASE_CALL_TIMEOUT, ..call };
        self.ask::<InstanceDrained>(Effect::Writes, answer).await.map(|drained| drained.known)
    }

    async fn instances(&self) -> ControlPlaneResult<Vec<InstanceRecord>> {
        let list: InstanceList =
            self.ask(Effect::Reads, Call::get("/internal/v1/instances")).await?;
        Ok(list.instances)
    }

    async fn put_presence(&self, record: &PresenceRecord) -> ControlPlaneResult<EpochWrite> {
        let call = Call::put("/internal/v1/presence", record);
        self.ask::<RecordWrite>(Effect::Writes, call).await.map(EpochWrite::from)
    }

    async fn presence_of_character(
        &self,
        id: CharacterId,
    ) -> ControlPlaneResult<Option<PresenceRecord>> {
        let call = Call::get(format!("/internal/v1/presence/characters/{id}"));
        let found: CharacterPresence = self.ask(Effect::Reads, call).await?;
        Ok(found.presence)
    }

    async fn remove_presence(
        &self,
        account: AccountId,
        character: CharacterId,
        session: &SessionToken,
        epoch: SessionEpoch,
    ) -> ControlPlaneResult<()> {
        let removal = PresenceRemoval {
            account_id: account,
            character_id: character,
            session_token: session.clone(),
            epoch,
        };
        self.tell(Call::post("/internal/v1/presence/remove", &removal)).await
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::client_address::TrustedProxies;
    use axum::Router;
    use axum::http::StatusCode;
    use axum::routing::any;
    use tokio::net::TcpListener;
    use tokio_util::sync::{CancellationToken, DropGuard};

    use super::*;
    use crate::http::listener;
    use crate::peers::backend_http::MAX_ANSWER_BYTES;

    fn client(address: String) -> HttpControlPlane {
        HttpControlPlane::new(&[address], "0123456789abcdef0123456789abcdef".parse().unwrap())
    }

    /// A control plane that answers this, whatever it is asked.
    async fn answering(status: StatusCode, body: String) -> (HttpControlPlane, DropGuard) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answer = move || std::future::ready((status, body.clone()));
        let router = Router::new().fallback(any(answer));
        let stopping = CancellationToken::new();
        tokio::spawn(listener::serve(
            listener,
            router,
            TrustedProxies::default(),
            stopping.clone(),
        ));
        (client(address), stopping.drop_guard())
    }

    async fn read_and_written(
        status: StatusCode,
        body: &str,
    ) -> [Result<(), ControlPlaneError>; 2] {
        let (control_plane, _stopping) = answering(status, body.to_owned()).await;
        let token: TokenHash = "ab".repeat(32).parse().unwrap();
        let claimant = HandoffClaimant {
            attempt_id: "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap(),
            instance: "edge-a".parse().unwrap(),
            placements: vec![],
            port: 8081,
        };
        let read = control_plane.preflight(&token, &claimant).await.map(drop);
        [read, control_plane.consume(&token, &claimant).await.map(drop)]
    }

    /// What a newer control plane reads is not this build's to read; what it has taken is
    /// taken.
    #[tokio::test]
    async fn an_answer_of_a_newer_build_is_unreadable_and_a_write_of_unknown_outcome() {
        for body in [r#"{"outcome":"postponed"}"#, r#"{"outcome":"found","record":{}}"#] {
            let [read, write] = read_and_written(StatusCode::OK, body).await;
            assert!(matches!(read, Err(ControlPlaneError::Unreadable(_))), "{read:?}");
            assert!(matches!(write, Err(ControlPlaneError::Unavailable(_))), "{write:?}");
        }
    }

    #[tokio::test]
    async fn what_is_no_answer_of_a_control_plane_is_unavailable() {
        let problem = serde_json::to_string(&Problem::new(ProblemCode::Internal, "x")).unwrap();
        let large = format!(r#"{{"outcome":"missing"{}}}"#, " ".repeat(MAX_ANSWER_BYTES));
        for (status, body) in [
            (StatusCode::OK, "<html>"),
            (StatusCode::OK, ""),
            (StatusCode::OK, &large),
            (StatusCode::FOUND, r#"{"outcome":"missing"}"#),
            (StatusCode::CONFLICT, "<html>"),
            (StatusCode::INTERNAL_SERVER_ERROR, &problem),
        ] {
            for done in read_and_written(status, body).await {
                assert!(matches!(done, Err(ControlPlaneError::Unavailable(_))), "{done:?}");
            }
        }
    }

    #[tokio::test]
    async fn answers_are_taken_as_they_are() {
        for done in read_and_written(StatusCode::OK, r#"{"outcome":"missing"}"#).await {
            assert!(done.is_ok(), "{done:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_never_answered_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let control_plane = client(format!("http://{}", listener.local_addr().unwrap()));
        let (asked, _silence) = tokio::join!(control_plane.instances(), listener.accept());
        let error = asked.unwrap_err().to_string();
        assert!(error.contains("not answered within 2s"), "{error}");
    }
}
