//! How a player comes back after a fault, as the page does it by itself, and what has to hold
//! once it is there.

use reqwest::Method;
use serde::de::DeserializeOwned;
use shared::account::{SelectCharacter, SelectResponse};
use shared::coordination::PresenceRecord;
use shared::gameplay::{HandshakeRequest, HandshakeResponse};
use shared::ids::{AttemptId, Try};
use shared::problem::ProblemCode;
use shared::secret::HandoffToken;
use shared::world::Tile;
use tests::api::{Admission, accepted, hello};
use tests::clock::new_attempt;
use tests::cluster::Cluster;
use tests::hero::Hero;
use tests::patience::{BACK_IN, HAPPENED, eventually};
use tests::player::Player;

/// The answer to a question, if there was one that is more than "come again".
pub(super) type Heard<T> = Option<T>;

/// How far the player has come.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// It stands at the roster.
    Roster,
    /// It has a handoff, for which it has asked so often.
    Handoff(Pass, u32),
    /// It has been let in.
    Admitted(Box<Admission>),
}

/// A handoff in use.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub(super) url: String,
    pub(super) token: HandoffToken,
    pub(super) attempt: AttemptId,
}

impl Pass {
    pub(super) fn of(selected: SelectResponse) -> Self {
        let (url, token) = (selected.endpoint.http_url, selected.handoff.token);
        Self { url, token, attempt: new_attempt() }
    }
}

/// Handshakes of one attempt; then the page goes back to the roster.
const TRIES: u32 = 3;

/// What an answer that may never come says; a no that does not pass is the test's failure.
async fn heard<T: DeserializeOwned>(
    hero: &Hero,
    path: &str,
    body: &impl serde::Serialize,
    is_own: bool,
) -> Heard<T> {
    let shape = |request: reqwest::RequestBuilder| match is_own {
        true => request.bearer_auth(hero.token().expose()).json(body),
        false => request.json(body),
    };
    let answer = hero.api.try_send(Method::POST, path, shape).await.ok()?;
    match answer.json(200) {
        Ok(answer) => Some(answer),
        Err(refused) => {
            let passing = [
                ProblemCode::Unavailable,
                ProblemCode::RealmUnavailable,
                ProblemCode::ZoneFull,
                ProblemCode::RateLimited,
            ];
            assert!(passing.contains(&refused.code()), "{path}: {refused:?}");
            assert!(refused.retry_after.is_some(), "the player may come back: {refused:?}");
            None
        }
    }
}

pub(super) async fn selected(hero: &Hero) -> Heard<SelectResponse> {
    let wish = SelectCharacter { realm_id: hero.realm.clone(), character_id: hero.id };
    heard(hero, "/v1/select-character", &wish, true).await
}

pub(super) async fn shaken(hero: &Hero, pass: &Pass, tries: u32) -> Heard<HandshakeResponse> {
    let hello = hello(pass.attempt, Try(tries));
    let request = HandshakeRequest { hello, token: pass.token.clone() };
    heard(hero, &format!("{}/v1/handshake", pass.url), &request, false).await
}

/// Goes on from where the player is until it is in the world, as the page does: what got no
/// answer is asked again, and where that leads nowhere the player enters from the roster.
/// Gives the passes that it has used as well.
pub(super) async fn get_in(hero: &Hero, way: Way) -> (Player, Vec<Pass>) {
    let (mut way, mut used) = (way, Vec::new());
    let player = eventually("the player is back in the world", BACK_IN, async || {
        let here = std::mem::replace(&mut way, Way::Roster);
        way = match here {
            Way::Roster => match selected(hero).await {
                Some(selected) => Way::Handoff(Pass::of(selected), 1),
                None => Way::Roster,
            },
            Way::Handoff(pass, tries) => {
                used.push(pass.clone());
                match shaken(hero, &pass, tries).await {
                    Some(answer) if answer.accepted => Way::Admitted(Box::new(accepted(answer))),
                    Some(HandshakeResponse { redirect: Some(to), .. }) => {
                        Way::Handoff(Pass { url: to.http_url, ..pass }, tries)
                    }
                    Some(_) => Way::Roster,
                    None if tries < TRIES => Way::Handoff(pass, tries + 1),
                    None => Way::Roster,
                }
            }
            Way::Admitted(admission) => return Some(hero.claim(&admission).await),
        };
        None
    })
    .await;
    (player, used)
}

/// What has to hold of a player that is back: it alone plays, where it was committed, and
/// what it has used opens nothing.
pub(super) async fn plays_alone(
    cluster: &Cluster,
    hero: &Hero,
    player: &Player,
    used: &[Pass],
    committed: Tile,
) {
    assert_eq!(player.welcome.position.tile(), committed, "I4: where it was committed");
    let row = cluster.character(hero.id).await;
    let raised = row.raised_session_token.as_deref();
    assert_eq!(raised, Some(player.session().expose()), "I2: the row is the session's");
    for pass in used {
        let thief = Pass { attempt: new_attempt(), ..pass.clone() };
        for (pass, tries) in [(pass, TRIES + 1), (&thief, 1)] {
            let answer = shaken(hero, pass, tries).await;
            let opens = answer.as_ref().is_some_and(|answer| answer.accepted);
            assert!(!opens, "I1: a used token opens nothing: {answer:?}");
        }
    }
    eventually("presence is the session's", HAPPENED, async || {
        let texts = cluster.redis.texts().await;
        let text = texts.get(&format!("presence:character:{}", hero.id))?;
        let record: PresenceRecord = serde_json::from_str(text).expect("presence is JSON");
        (&record.session_token == player.session()).then_some(())
    })
    .await;
    assert!(hero.in_roster().await.in_world, "I12: nothing stale has taken presence");
    assert_eq!(cluster.character(hero.id).await.session_epoch, row.session_epoch);
    assert_eq!(player.sight().bye, None);
}
