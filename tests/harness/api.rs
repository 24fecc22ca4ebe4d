//! The server's HTTP as a client sees it: typed calls that speak the wire contract, and
//! raw ones that break it.

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Method, RequestBuilder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::account::{
    Account, AccountCreated, ChangePassword, CreateCharacter, Credentials, GameEndpoint,
    LoginResponse, Realm, RealmList, ResumeRequest, ResumeResponse, Roster, SelectCharacter,
    SelectResponse,
};
use shared::gameplay::{
    GameHello, HandshakeRequest, HandshakeResponse, QUIC, RealtimeSessionActivation, Rejection,
};
use shared::ids::{AttemptId, CharacterId, RealmId, Try};
use shared::problem::{PROBLEM_MEDIA_TYPE, Problem, ProblemCode};
use shared::secret::{AccessToken, HandoffToken, ResumeToken, SessionTicket};
use shared::version::PROTOCOL_VERSION;
use shared::world::map::ZoneMap;

use crate::patience::{HTTP_ANSWER, within};

/// A client of one server.
#[derive(Clone, Debug)]
pub struct Api {
    http: reqwest::Client,
    origin: String,
}

/// An answer, read to its end.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

/// An answer that was a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The problem.
    pub problem: Problem,
    /// Seconds after which to come back, where the server said so.
    pub retry_after: Option<u64>,
}

impl Refused {
    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ProblemCode {
        self.problem.code
    }
}

/// What an accepted handshake gives.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The secret of the first claim.
    pub ticket: SessionTicket,
    /// What was admitted.
    pub activation: RealtimeSessionActivation,
}

impl Answer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header as text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The answer as a problem of RFC 9457.
    ///
    /// # Panics
    /// If it is none, or breaks its form.
    #[must_use]
    pub fn problem(&self) -> Refused {
        let media_type = self.header(CONTENT_TYPE.as_str());
        assert_eq!(media_type, Some(PROBLEM_MEDIA_TYPE), "{} {}", self.status, self.text());
        let problem: Problem = serde_json::from_slice(&self.body).expect("a problem is JSON");
        assert_eq!(problem.status, self.status, "the status is repeated: {problem:?}");
        assert!(!problem.detail.is_empty(), "a problem says what to do: {problem:?}");
        let retry_after = self
            .header(RETRY_AFTER.as_str())
            .map(|seconds| seconds.parse().expect("Retry-After is a number of seconds"));
        Refused { problem, retry_after }
    }

    /// The answer as what was asked for, or as a problem.
    ///
    /// # Errors
    /// Any status but `expected`.
    ///
    /// # Panics
    /// If the body is neither.
    pub fn json<T: DeserializeOwned>(&self, expected: u16) -> Result<T, Refused> {
        if self.status != expected {
            return Err(self.problem());
        }
        match serde_json::from_slice(&self.body) {
            Ok(value) => Ok(value),
            Err(error) => panic!("{error} in {}", self.text()),
        }
    }
}

impl Api {
    /// A client of the server at an origin.
    #[must_use]
    pub fn new(origin: &str) -> Self {
        Self { http: reqwest::Client::new(), origin: origin.to_owned() }
    }

    /// The page's origin.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Sends a request that the caller shapes. A path without scheme is the login role's.
    ///
    /// # Panics
    /// If no answer comes.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        shape: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Answer {
        match self.try_send(method.clone(), path, shape).await {
            Ok(answer) => answer,
            Err(error) => panic!("{method} {path}: {error:?}"),
        }
    }

    /// The same where the server may be gone.
    ///
    /// # Errors
    /// The connection was refused or has ended.
    ///
    /// # Panics
    /// If the server falls silent.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        shape: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Answer, reqwest::Error> {
        let url =
            if path.contains("://") { path.to_owned() } else { format!("{}{path}", self.origin) };
        let request = shape(self.http.request(method, &url));
        let answer = async {
            let response = request.send().await?;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Ok(Answer { status, headers, body: response.bytes().await?.into() })
        };
        within("the server answers", HTTP_ANSWER, answer).await
    }

    /// Sends a body as it is, declared as `content_type`.
    pub async fn post_raw(&self, path: &str, content_type: &str, body: &str) -> Answer {
        let shape = |r: RequestBuilder| r.header(CONTENT_TYPE, content_type).body(body.to_owned());
        self.send(Method::POST, path, shape).await
    }

    /// Sends JSON, whatever it says.
    pub async fn post(&self, path: &str, body: &impl Serialize) -> Answer {
        self.send(Method::POST, path, |r| r.json(body)).await
    }

    /// Registers an account.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn register(&self, username: &str, password: &str) -> Result<Account, Refused> {
        let created: AccountCreated =
            self.post("/v1/accounts", &credentials(username, password)).await.json(201)?;
        Ok(created.account)
    }

    /// Logs in.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn login(&self, username: &str, password: &str) -> Result<LoginResponse, Refused> {
        self.post("/v1/sessions", &credentials(username, password)).await.json(200)
    }

    /// Ends a login.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn logout(&self, login: &AccessToken) -> Result<(), Refused> {
        let answer = self
            .send(Method::DELETE, "/v1/sessions/current", |r| r.bearer_auth(login.expose()))
            .await;
        if answer.status == 204 { Ok(()) } else { Err(answer.problem()) }
    }

    /// Changes the password of a login's account.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn change_password(
        &self,
        login: &AccessToken,
        current: &str,
        new: &str,
    ) -> Result<(), Refused> {
        let wish = ChangePassword { current: current.to_owned(), new: new.to_owned() };
        let shape = |r: RequestBuilder| r.bearer_auth(login.expose()).json(&wish);
        let answer = self.send(Method::PUT, "/v1/accounts/current/password", shape).await;
        if answer.status == 204 { Ok(()) } else { Err(answer.problem()) }
    }

    /// Lists the realms.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn realms(&self, login: &AccessToken) -> Result<Vec<Realm>, Refused> {
        let answer = self.send(Method::GET, "/v1/realms", |r| r.bearer_auth(login.expose())).await;
        Ok(answer.json::<RealmList>(200)?.realms)
    }

    /// Lists the characters of the account in a realm.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn roster(&self, login: &AccessToken, realm: &str) -> Result<Roster, Refused> {
        let path = format!("/v1/realms/{realm}/characters");
        self.send(Method::GET, &path, |r| r.bearer_auth(login.expose())).await.json(200)
    }

    /// Creates a character; gives the replacement roster.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn create_character(
        &self,
        login: &AccessToken,
        realm: &str,
        name: &str,
    ) -> Result<Roster, Refused> {
        let path = format!("/v1/realms/{realm}/characters");
        let wish = CreateCharacter { name: name.to_owned(), appearance: Default::default() };
        let shape = |r: RequestBuilder| r.bearer_auth(login.expose()).json(&wish);
        self.send(Method::POST, &path, shape).await.json(201)
    }

    /// Deletes a character; gives the replacement roster.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn delete_character(
        &self,
        login: &AccessToken,
        realm: &str,
        id: CharacterId,
    ) -> Result<Roster, Refused> {
        let path = format!("/v1/realms/{realm}/characters/{id}");
        self.send(Method::DELETE, &path, |r| r.bearer_auth(login.expose())).await.json(200)
    }

    /// Selects a character.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn select(
        &self,
        login: &AccessToken,
        realm_id: &RealmId,
        character_id: CharacterId,
    ) -> Result<SelectResponse, Refused> {
        let wish = SelectCharacter { realm_id: realm_id.clone(), character_id };
        let shape = |r: RequestBuilder| r.bearer_auth(login.expose()).json(&wish);
        self.send(Method::POST, "/v1/select-character", shape).await.json(200)
    }

    /// Asks where the session of a resume token is.
    ///
    /// # Errors
    /// What the server refuses.
    pub async fn resume(&self, token: &ResumeToken) -> Result<ResumeResponse, Refused> {
        let question = ResumeRequest { resume_token: token.clone() };
        self.post("/v1/resume", &question).await.json(200)
    }

    /// Sends a handshake to a game server.
    ///
    /// # Errors
    /// What the server refuses without an answer of the protocol.
    pub async fn handshake(
        &self,
        http_url: &str,
        hello: GameHello,
        token: &HandoffToken,
    ) -> Result<HandshakeResponse, Refused> {
        let request = HandshakeRequest { hello, token: token.clone() };
        self.post(&format!("{http_url}/v1/handshake"), &request).await.json(200)
    }

    /// Downloads a map and checks its bounds, as the page does.
    ///
    /// # Panics
    /// If the map is not there or not sound.
    pub async fn map(&self, activation: &RealtimeSessionActivation) -> ZoneMap {
        let answer = self.send(Method::GET, &activation.map.path(), |r| r).await;
        assert_eq!(answer.status, 200, "the map of {} is served", activation.zone);
        ZoneMap::from_bytes(&answer.body).expect("a served map is sound")
    }
}

/// A body of registration and login.
#[must_use]
pub fn credentials(username: &str, password: &str) -> Credentials {
    Credentials { username: username.to_owned(), password: password.to_owned() }
}

/// An honest hello.
#[must_use]
pub fn hello(attempt_id: AttemptId, r#try: Try) -> GameHello {
    GameHello {
        protocol_version: PROTOCOL_VERSION,
        client_build: "aether-tests".to_owned(),
        transports: vec![QUIC.to_owned()],
        attempt_id,
        r#try,
    }
}

/// What an accepted handshake has to carry.
///
/// # Panics
/// If the handshake was not accepted, or is incomplete.
#[must_use]
pub fn accepted(answer: HandshakeResponse) -> Admission {
    match answer {
        HandshakeResponse {
            accepted: true,
            session_ticket: Some(ticket),
            activation: Some(activation),
            redirect: None,
            rejection: None,
        } => Admission { ticket, activation },
        other => panic!("not accepted: {other:?}"),
    }
}

/// Where a handshake was sent on.
///
/// # Panics
/// If it was not.
#[must_use]
pub fn redirected(answer: HandshakeResponse) -> GameEndpoint {
    match answer {
        HandshakeResponse {
            accepted: false,
            session_ticket: None,
            activation: None,
            redirect: Some(to),
            rejection: None,
        } => to,
        other => panic!("not redirected: {other:?}"),
    }
}

/// Why a handshake was rejected.
///
/// # Panics
/// If it was not.
#[must_use]
pub fn rejected(answer: HandshakeResponse) -> Rejection {
    match answer {
        HandshakeResponse {
            accepted: false,
            session_ticket: None,
            activation: None,
            redirect: None,
            rejection: Some(rejection),
        } => rejection,
        other => panic!("not rejected: {other:?}"),
    }
}
