//! What happens when somebody who runs the deployment asks what is wrong with a character, and
//! when they have its left-overs removed. Source: the spec's "Failure And Recovery".

use std::sync::Arc;

use shared::admin::{CharacterCleanup, CharacterDiagnosis, CharacterRow};
use shared::ids::{CharacterId, UnixMillis};
use shared::problem::ProblemCode;

use super::Refusal;
use crate::domain::authority::Character;
use crate::domain::diagnosis::{Evidence, Removal};
use crate::stores::{CharacterStore, PresenceStore, RegistryStore, ResumeLedgerStore};

/// The stores that have to be looked at together.
#[derive(Clone)]
pub struct Diagnosis {
    /// Durable characters.
    pub characters: Arc<dyn CharacterStore>,
    /// Presence, as it stands.
    pub presence: Arc<dyn PresenceStore>,
    /// The resume ledger.
    pub ledger: Arc<dyn ResumeLedgerStore>,
    /// The registry.
    pub registry: Arc<dyn RegistryStore>,
}

/// Looks at a character; changes nothing.
///
/// # Errors
/// 404 for a character that does not exist; 503 where a store does not answer.
pub async fn run(
    stores: &Diagnosis,
    id: CharacterId,
    now: UnixMillis,
) -> Result<CharacterDiagnosis, Refusal> {
    Ok(diagnosis(evidence(stores, id, now).await?))
}

/// Removes what counts for nothing any more; each removal compares session and epoch again.
///
/// # Errors
/// As [`run`]. What was removed before a store failed stays removed.
pub async fn clean_up(
    stores: &Diagnosis,
    id: CharacterId,
    now: UnixMillis,
) -> Result<CharacterCleanup, Refusal> {
    let mut removed = Vec::new();
    for (code, removal) in evidence(stores, id, now).await?.removals() {
        let is_gone = match &removal {
            Removal::Presence(record) => {
                let (account, character) = (record.account_id, record.character_id);
                let session = &record.session_token;
                stores.presence.remove_presence(account, character, session, record.epoch).await?
            }
            Removal::Ledger(record) => {
                stores.ledger.remove_ledger(&record.session_token, record.epoch).await?
            }
        };
        tracing::warn!(character = %id, ?code, is_gone, "a left-over was removed on demand");
        if is_gone {
            removed.push(code);
        }
    }
    Ok(CharacterCleanup { removed, diagnosis: run(stores, id, now).await? })
}

async fn evidence(
    stores: &Diagnosis,
    id: CharacterId,
    now: UnixMillis,
) -> Result<Evidence, Refusal> {
    let Some(character) = stores.characters.character(id).await? else {
        let detail = "no such character, or one that was deleted: check the id";
        return Err(Refusal::new(ProblemCode::NotFound, detail));
    };
    let presence = stores.presence.presence_of_character(id, now).await?;
    let account_presence = stores.presence.presence_of_account(character.account_id, now).await?;
    let mut sessions: Vec<_> = [
        character.raised_by.as_ref().map(|by| by.session_token.clone()),
        presence.as_ref().map(|record| record.session_token.clone()),
    ]
    .into_iter()
    .flatten()
    .collect();
    sessions.dedup();
    let mut ledgers = Vec::new();
    for session in &sessions {
        ledgers.extend(stores.ledger.ledger(session, now).await?);
    }
    let living = stores.registry.instances(now).await?;
    Ok(Evidence { character, presence, account_presence, ledgers, living })
}

fn diagnosis(evidence: Evidence) -> CharacterDiagnosis {
    let findings = evidence.findings();
    let instance = evidence.instance().cloned();
    let ledger = evidence.own_ledger().or(evidence.ledgers.first()).cloned();
    let Evidence { character, presence, account_presence, .. } = evidence;
    CharacterDiagnosis {
        character: row(character),
        presence,
        account_presence,
        ledger: ledger.map(Into::into),
        instance,
        findings,
    }
}

fn row(character: Character) -> CharacterRow {
    let (session_token, instance) =
        character.raised_by.map(|by| (by.session_token, by.instance)).unzip();
    CharacterRow {
        id: character.id,
        account_id: character.account_id,
        realm: character.realm,
        name: character.name,
        zone: character.zone,
        tile: character.tile,
        epoch: character.epoch,
        entry: character.entry,
        session_token,
        instance,
        claimed: character.claimed,
    }
}
