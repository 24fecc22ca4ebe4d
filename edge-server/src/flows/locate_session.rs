//! What happens at `POST /v1/resume`: where is the session whose connection was lost? It is a
//! look: nothing is claimed, used up or changed, so it may be asked again at any time.
//!
//! A resume token names its session, and that name is all that is looked at: its secret is
//! known to the process that has the session, which judges it when the session is claimed.
//! Whoever knows a session's name can learn where it is played. That is no secret: names
//! grant nothing, and every player is told the addresses of the game servers.

use shared::account::{GameEndpoint, RealtimePlace, ResumeResponse};
use shared::coordination::ResumeLedgerRecord;
use shared::problem::ProblemCode;
use shared::secret::ResumeToken;

use super::login_server::LoginServer;
use super::{RETRY_UNAVAILABLE_AFTER, Refusal};
use crate::clock::session_of;

/// Finds the game server that has the session of `token`.
///
/// # Errors
/// 410 where the session is over, which is final. 503 with Retry-After where a part does not
/// answer, or the game server has no lease right now: it may come back for as long as the
/// ledger knows the session.
pub async fn run(server: &LoginServer, token: &ResumeToken) -> Result<ResumeResponse, Refusal> {
    let Some(session) = session_of(token) else { return Err(ended()) };
    let now = server.clock.now();
    let Some(record) = server.ledger.ledger(&session, now).await? else { return Err(ended()) };
    if server.logins.account_of_login(&record.login, now).await?.is_none() {
        return Err(ended());
    }
    if !holds_its_character(server, &record).await? {
        return Err(ended());
    }
    let living = server.control_plane.instances().await?;
    let Some(instance) = living.into_iter().find(|instance| instance.id == record.instance) else {
        let detail = "the game server of the session does not answer: ask again in a moment";
        return Err(Refusal::later(ProblemCode::Unavailable, detail, RETRY_UNAVAILABLE_AFTER));
    };
    Ok(ResumeResponse {
        endpoint: GameEndpoint { instance_id: instance.id, http_url: instance.http_url },
        realtime: RealtimePlace { endpoints: instance.endpoints },
    })
}

/// Whether nobody else has entered with the character since. Names are compared and not
/// epochs: a recovery raises under the same name before it writes the ledger.
async fn holds_its_character(
    server: &LoginServer,
    record: &ResumeLedgerRecord,
) -> Result<bool, Refusal> {
    let row = server.characters.character(record.character_id).await?;
    let raised_by = row.and_then(|row| row.raised_by);
    Ok(raised_by.is_some_and(|by| by.session_token == record.session_token))
}

fn ended() -> Refusal {
    Refusal::new(ProblemCode::SessionEnded, "the session is over: enter the world again")
}
