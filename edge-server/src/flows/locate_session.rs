//! What happens at `POST /v1/resume`: where is the session whose connection was lost, or where
//! can it be brought back? It is a look: nothing is claimed, used up or changed, so it may be
//! asked again at any time. At most a seat is promised, where the session's own game server
//! does not live any more, and the promise ends by itself.
//!
//! A resume token names its session, and while a process has that session the name is all
//! that is looked at: the process knows the secret, and judges it when the session is claimed.
//! Whoever knows a session's name can learn where it is played. That is no secret: names
//! grant nothing, and every player is told the addresses of the game servers.

use shared::account::{GameEndpoint, RealtimePlace, ResumeResponse};
use shared::coordination::{
    AssignRequest, Assignment, InstanceRecord, LedgerPhase, ResumeLedgerRecord,
};
use shared::problem::ProblemCode;
use shared::secret::ResumeToken;

use super::login_server::LoginServer;
use super::{RETRY_UNAVAILABLE_AFTER, Refusal};
use crate::clock::{hash_token, session_of};
use crate::domain::session_claims::opens;

/// Finds the game server that has the session of `token`, or one that can take it over.
///
/// # Errors
/// 410 where the session is over, which is final. 503 with Retry-After where a part does not
/// answer, or the game server has no lease right now and no other one has room: either may
/// change for as long as the ledger knows the session.
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
    let own = living.iter().find(|instance| has_or_takes_up(instance, &record));
    let instance = match own {
        Some(instance) => Some(instance),
        // No process is left that knows better than the ledger, and a stranger shall not
        // move the promises of an account.
        None if !opens_by_ledger(&record, token) => return Err(ended()),
        None => another(server, &record, &living).await?,
    };
    let Some(instance) = instance.cloned() else {
        let detail = "the game server of the session does not answer: ask again in a moment";
        return Err(Refusal::later(ProblemCode::Unavailable, detail, RETRY_UNAVAILABLE_AFTER));
    };
    Ok(ResumeResponse {
        endpoint: GameEndpoint { instance_id: instance.id, http_url: instance.http_url },
        realtime: RealtimePlace { endpoints: instance.endpoints },
    })
}

/// Whether an instance is the session's own, has it or can bring it back. One that has let its
/// sessions go to stop takes none up any more; its next process does.
fn has_or_takes_up(instance: &InstanceRecord, record: &ResumeLedgerRecord) -> bool {
    let was_left = matches!(record.phase, LedgerPhase::Left(_));
    instance.id == record.instance
        && instance.zones.iter().any(|zone| zone.placement == record.placement)
        && !(was_left && instance.incarnation <= record.incarnation)
}

/// Whether the token can be the one that the client of a claimed session holds.
fn opens_by_ledger(record: &ResumeLedgerRecord, token: &ResumeToken) -> bool {
    match &record.phase {
        LedgerPhase::Pending => false,
        LedgerPhase::Active(claims) | LedgerPhase::Left(claims) => {
            opens(claims, &hash_token(token.expose()))
        }
    }
}

/// An instance that can take the session over.
async fn another<'a>(
    server: &LoginServer,
    record: &ResumeLedgerRecord,
    living: &'a [InstanceRecord],
) -> Result<Option<&'a InstanceRecord>, Refusal> {
    let request = AssignRequest {
        placement: record.placement.clone(),
        account_id: record.account_id,
        // Whoever asks again for the same session has the same promise.
        hold_for: hash_token(record.session_token.expose()),
        excluding: vec![record.instance.clone()],
        seated_at: None,
    };
    Ok(match server.control_plane.assign(&request).await? {
        Assignment::Assigned { endpoint } => {
            living.iter().find(|instance| instance.id == endpoint.instance_id)
        }
        Assignment::Full | Assignment::NotCarried => None,
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
