//! Where a session is whose connection was lost: `POST /v1/resume`, a look that uses nothing
//! up.

use serde_json::json;
use shared::account::ResumeResponse;
use shared::problem::ProblemCode;
use shared::realtime::message::{
    Bye, ByeCode, Claim, ClientMessage, RealtimeHello, ServerMessage, Welcome,
};
use shared::secret::{ResumeToken, SessionToken};
use shared::version::PROTOCOL_VERSION;
use tests::api::{Api, Refused};
use tests::hero::Hero;
use tests::line::{Dial, Heard, Line};
use tests::player::Player;
use tests::server::Server;

/// A hero in the world whose connection is lost, and what its page has kept.
struct LostConnection {
    hero: Hero,
    session: SessionToken,
    token: ResumeToken,
}

impl LostConnection {
    async fn of(server: &Server, name: &str) -> Self {
        let hero = server.hero(name).await;
        let player = hero.enter().await;
        let Player { welcome, .. } = &player;
        let (session, token) = (welcome.session_token.clone(), welcome.resume_token.clone());
        player.vanish().await;
        Self { hero, session, token }
    }

    async fn located(&self) -> ResumeResponse {
        self.hero.api.resume(&self.token).await.expect("the session waits")
    }

    /// Dials where the session is said to be, and claims it.
    async fn claimed_at(&self, place: &ResumeResponse, token: &ResumeToken) -> Resumed {
        let endpoint = &place.realtime.endpoints[0];
        let dial = Dial {
            url: endpoint.url.clone(),
            cert_hashes: endpoint.cert_hashes.clone(),
            origin: Some(self.hero.api.origin().to_owned()),
        };
        let mut line = dial.line().await.expect("the endpoint lets the page's origin in");
        line.say(&ClientMessage::Hello(RealtimeHello {
            protocol_version: PROTOCOL_VERSION,
            session_token: self.session.clone(),
            claim: Claim::Resume(token.clone()),
        }))
        .await;
        match line.hear().await {
            Heard::Message(ServerMessage::Welcome(welcome)) => Ok((line, welcome)),
            Heard::Message(ServerMessage::Bye(bye)) => Err(bye),
            other => panic!("the answer to a hello was {other:?}"),
        }
    }
}

/// The connection and its Welcome, or the server's Bye.
type Resumed = Result<(Line, Welcome), Bye>;

#[track_caller]
fn assert_is_over(answer: Result<ResumeResponse, Refused>) {
    let refused = answer.expect_err("the session is over");
    assert_eq!((refused.code(), refused.problem.status), (ProblemCode::SessionEnded, 410));
    assert_eq!(refused.retry_after, None, "it is final");
}

fn resume_token(text: String) -> ResumeToken {
    text.parse().expect("it has the characters of a token")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_is_told_where_its_session_is_and_claims_it_there() {
    let server = Server::start().await;
    let store = server.store().await;
    let lost = LostConnection::of(&server, "Mara").await;
    let epoch = store.character(lost.hero.id).await.session_epoch;
    let place = lost.located().await;
    assert_eq!(lost.located().await, place, "asking uses nothing up");
    let instance = store.instances().await.remove(0);
    assert_eq!(place.endpoint.instance_id, instance.id);
    assert_eq!(place.endpoint.http_url, instance.http_url);

    let (_line, welcome) = lost.claimed_at(&place, &lost.token).await.unwrap();
    assert_eq!(welcome.session_token, lost.session);
    assert_ne!(welcome.resume_token, lost.token);
    assert_eq!(store.character(lost.hero.id).await.session_epoch, epoch, "nobody entered anew");
    let again = lost.hero.api.resume(&welcome.resume_token).await.unwrap();
    assert_eq!(again, place, "the next token names the same session");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_logout_the_session_is_over() {
    let server = Server::start().await;
    let lost = LostConnection::of(&server, "Mara").await;
    lost.located().await;
    lost.hero.api.logout(lost.hero.token()).await.unwrap();
    assert_is_over(lost.hero.api.resume(&lost.token).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_record_has_run_out_is_over() {
    let server = Server::start().await;
    let store = server.store().await;
    let lost = LostConnection::of(&server, "Mara").await;
    lost.located().await;
    store.expire(&store.only_key("realtime:resume:").await).await;
    assert_is_over(lost.hero.api.resume(&lost.token).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_crash_of_the_server_the_session_is_where_it_was_and_at_its_new_address() {
    let mut server = Server::start().await;
    let lost = LostConnection::of(&server, "Mara").await;
    let before = lost.located().await;
    server.kill9().await;
    server.start_again().await;
    let place = server.api().resume(&lost.token).await.unwrap();
    assert_eq!(place.endpoint.instance_id, before.endpoint.instance_id);
    assert_ne!(place.realtime, before.realtime, "its certificate, at least, is new");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_names_no_session_is_over() {
    let server = Server::start().await;
    let api = server.api();
    let secret = "0".repeat(64);
    let nobody = "session-00000000-0000-0000-0000-000000000000";
    for text in [
        format!("resume-{nobody}-{secret}"),
        format!("resume-{secret}"),
        format!("resume-{nobody}"),
        nobody.to_owned(),
        "resume-of-a-session-that-nobody-has".to_owned(),
        "r".repeat(128),
    ] {
        assert_is_over(api.resume(&resume_token(text)).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_secret_learns_a_public_address_and_claims_nothing_there() {
    let server = Server::start().await;
    let lost = LostConnection::of(&server, "Mara").await;
    let wrong = resume_token(format!("resume-{}-{}", lost.session.expose(), "0".repeat(64)));
    let place = lost.hero.api.resume(&wrong).await.unwrap();
    assert_eq!(place, lost.located().await);
    let bye = lost.claimed_at(&place, &wrong).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession);
    lost.claimed_at(&place, &lost.token).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_with_more_or_less_in_it_is_malformed() {
    let server = Server::start().await;
    let api: Api = server.api();
    let token = format!("resume-{}", "0".repeat(64));
    for body in [
        json!({ "resume_token": token, "session_token": "session-of-somebody" }),
        json!({ "resume_token": "short" }),
        json!({ "resume_token": "r".repeat(129) }),
        json!({}),
    ] {
        let refused = api.post("/v1/resume", &body).await.problem();
        assert_eq!((refused.code(), refused.problem.status), (ProblemCode::MalformedBody, 400));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_of_a_name_that_no_server_gives_is_told_so() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    for name in ["session-of-somebody".to_owned(), "s".repeat(128)] {
        let dial = Dial::of(&admission.activation, hero.api.origin());
        let mut line = dial.line().await.unwrap();
        let bye = line.claim(&name.parse().unwrap(), &admission.ticket).await.unwrap_err();
        assert_eq!(bye.code, ByeCode::UnknownSession);
    }
    hero.claim(&admission).await;
}
