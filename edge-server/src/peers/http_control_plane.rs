//! The control plane over HTTP, for roles that are processes of their own.
//!
//! Nothing is tried twice here: a call whose outcome is unknown is told as such, and the
//! flow decides. The next address is asked only if the one before it was not reached at
//! all. Answers are judged before they are believed: what this build cannot read is an
//! error, never half an answer.

use std::fmt::Write as _;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Method, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::account::GameEndpoint;
use shared::control_plane::{
    CharacterPresence, HandoffQuestion, HandoffRedirect, InstanceList, PresenceRemoval,
    RecordWrite, TransferQuestion, TransferStatus,
};
use shared::coordination::{
    AssignRequest, Assignment, HandoffCacheRecord, HandoffClaimant, HandoffLookup, InstanceRecord,
    PresenceRecord, Redirection, ReleaseRequest, TokenHash, TransferActivated,
};
use shared::ids::{AccountId, CharacterId, SessionEpoch};
use shared::problem::{Problem, ProblemCode};
use shared::secret::SessionToken;

use super::control_plane::{ControlPlane, ControlPlaneError, ControlPlaneResult};
use super::service_token::ServiceToken;
use crate::flows::release_sessions::RELEASE_TIMEOUT;
use crate::http::listener::HTTP_HEAD_TIMEOUT;
use crate::stores::EpochWrite;

/// From a call to the end of its answer, over all addresses.
pub const CALL_TIMEOUT: Duration = Duration::from_secs(3);
/// The same for `sessions/release`, which waits for sessions to save and leave.
pub const RELEASE_CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// To reach one address; after that the next one is tried.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an idle connection is kept. Servers close theirs after [`HTTP_HEAD_TIMEOUT`];
/// a call must not meet one that is closing.
pub const IDLE_CONNECTION_LIFE: Duration = Duration::from_secs(5);
/// Bytes of an answer: a registry of some thousand zones, and more.
pub const MAX_ANSWER_BYTES: usize = 1024 * 1024;

const _: () = assert!(
    RELEASE_CALL_TIMEOUT.as_millis()
        >= RELEASE_TIMEOUT.as_millis() + CONNECT_TIMEOUT.as_millis() + 1_000
);
const _: () = assert!(IDLE_CONNECTION_LIFE.as_millis() < HTTP_HEAD_TIMEOUT.as_millis());

/// See the module.
pub struct HttpControlPlane {
    http: reqwest::Client,
    addresses: Vec<String>,
    token: ServiceToken,
}

/// What a call does, and so what it means if its answer cannot be understood.
#[derive(Clone, Copy)]
enum Effect {
    /// Nothing: a record that cannot be read has been left alone.
    Reads,
    /// A change, which has happened.
    Writes,
}

/// One call, before it is sent.
struct Call {
    method: Method,
    path: String,
    body: Option<String>,
    limit: Duration,
}

impl Call {
    fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, limit: CALL_TIMEOUT }
    }

    fn with(method: Method, path: &str, body: &impl Serialize) -> Self {
        let body = serde_json::to_string(body).expect("bodies are plain data");
        Self { method, path: path.to_owned(), body: Some(body), limit: CALL_TIMEOUT }
    }

    fn post(path: &str, body: &impl Serialize) -> Self {
        Self::with(Method::POST, path, body)
    }

    fn put(path: &str, body: &impl Serialize) -> Self {
        Self::with(Method::PUT, path, body)
    }
}

impl HttpControlPlane {
    /// The control plane at these addresses, such as `http://10.0.0.5:8080`, asked in this
    /// order.
    #[must_use]
    pub fn new(addresses: &[String], token: ServiceToken) -> Self {
        let http = reqwest::Client::builder()
            // The bearer goes to these addresses and nowhere else.
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_CONNECTION_LIFE)
            .build()
            .expect("a client without TLS and proxies has nothing that could fail");
        let addresses = addresses.iter().map(|one| one.trim_end_matches('/').to_owned());
        Self { http, addresses: addresses.collect(), token }
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

    /// Makes a call within its time; gives the body of a success.
    async fn carry_out(&self, call: Call) -> ControlPlaneResult<Vec<u8>> {
        let answered = async {
            let response = self.send(&call).await?;
            let success = response.status().is_success();
            let body = read(response).await?;
            if success { Ok(body) } else { Err(refused(&body)) }
        };
        match tokio::time::timeout(call.limit, answered).await {
            Ok(done) => done,
            Err(_) => Err(ControlPlaneError::Unavailable(format!(
                "{} is not answered within {:?}",
                call.path, call.limit
            ))),
        }
    }

    /// Sends a call to the first address that can be reached.
    async fn send(&self, call: &Call) -> ControlPlaneResult<Response> {
        let mut unreached = "no address can be reached".to_owned();
        for address in &self.addresses {
            let url = format!("{address}{}", call.path);
            let mut request =
                self.http.request(call.method.clone(), url).bearer_auth(self.token.expose());
            if let Some(body) = &call.body {
                let json = (reqwest::header::CONTENT_TYPE, "application/json");
                request = request.header(json.0, json.1).body(body.clone());
            }
            match request.send().await {
                Ok(response) => return Ok(response),
                Err(error) if error.is_connect() => {
                    unreached = format!("{unreached}; {}", in_full(&error));
                }
                Err(error) => return Err(ControlPlaneError::Unavailable(in_full(&error))),
            }
        }
        Err(ControlPlaneError::Unavailable(unreached))
    }
}

/// The body of an answer, as far as it is of a sound size.
async fn read(mut response: Response) -> ControlPlaneResult<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_ANSWER_BYTES => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => {
                let reason = format!("the answer has more than {MAX_ANSWER_BYTES} bytes");
                return Err(ControlPlaneError::Unavailable(reason));
            }
            Ok(None) => return Ok(body),
            Err(error) => return Err(ControlPlaneError::Unavailable(in_full(&error))),
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

/// An error with what it comes from; reqwest's own text stops at the first of them.
fn in_full(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        write!(text, ": {error}").expect("writing into a string succeeds");
        cause = error.source();
    }
    text
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
        self.tell(Call { limit: RELEASE_CALL_TIMEOUT, ..call }).await
    }

    async fn heartbeat(&self, record: &InstanceRecord) -> ControlPlaneResult<EpochWrite> {
        let call = Call::put("/internal/v1/instances", record);
        self.ask::<RecordWrite>(Effect::Writes, call).await.map(EpochWrite::from)
    }

    async fn deregister(&self, record: &InstanceRecord) -> ControlPlaneResult<()> {
        self.tell(Call::post("/internal/v1/instances/remove", record)).await
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
        assert!(error.contains("not answered within 3s"), "{error}");
    }
}
