//! What happens at `POST /v1/select-character`: checks, placement, allocation, and a
//! prepared handoff. Source: the spec's "Login Handoff".

use shared::account::{Account, GameEndpoint, Handoff, SelectCharacter, SelectResponse};
use shared::coordination::{
    AccountClaims, AssignRequest, Assignment, HandoffCacheRecord, HandoffScope,
};
use shared::ids::Placement;
use shared::limits::HANDOFF_TOKEN_LIFE;
use shared::problem::ProblemCode;
use shared::version::PayloadVersion;

use super::Refusal;
use super::login_server::{LoginServer, Presence};
use super::roster::unknown_character;
use crate::clock::{hash_token, new_handoff_token};

/// When a client should ask again for a seat in a full zone.
pub const RETRY_FULL_AFTER: std::time::Duration = std::time::Duration::from_secs(5);

/// Selects a character and prepares its way into the world.
///
/// # Errors
/// 404 for an unknown realm or character, 409 for a character of another realm, 503 with
/// Retry-After when no instance takes the player.
pub async fn run(
    server: &LoginServer,
    account: &Account,
    wish: &SelectCharacter,
) -> Result<SelectResponse, Refusal> {
    server.known_realm(&wish.realm_id)?;
    let own = server.characters.character(wish.character_id).await?;
    let own = own.filter(|character| character.account_id == account.id);
    let Some(character) = own else { return Err(unknown_character()) };
    if character.realm != wish.realm_id {
        let detail =
            format!("{} lives in the realm {}: pick that realm", character.name, character.realm);
        return Err(Refusal::new(ProblemCode::RealmMismatch, detail));
    }
    let placement = Placement::zone(character.realm.clone(), character.zone.clone());
    let seated_at = match server.presence(character.id).await? {
        Presence::At(there) if there.placement == placement => Some(there.instance),
        Presence::At(_) | Presence::Away | Presence::Somewhere => None,
    };
    let request = AssignRequest { placement: placement.clone(), excluding: None, seated_at };
    let (instance, http_url) = match server.control_plane.assign(&request).await? {
        Assignment::Assigned { instance, http_url } => (instance, http_url),
        Assignment::Full => {
            let detail = "the zone is full: try again in a moment";
            return Err(Refusal::later(ProblemCode::ZoneFull, detail, RETRY_FULL_AFTER));
        }
        Assignment::NotCarried => {
            let detail = "no server carries the zone right now: try again in a moment";
            return Err(Refusal::later(ProblemCode::RealmUnavailable, detail, RETRY_FULL_AFTER));
        }
    };
    let token = new_handoff_token();
    let expires_at = server.clock.now().plus(HANDOFF_TOKEN_LIFE);
    let record = HandoffCacheRecord {
        payload_version: PayloadVersion::CURRENT,
        token: hash_token(token.expose()),
        account_id: account.id,
        claims: AccountClaims { username: account.username.clone() },
        character_id: character.id,
        realm_id: character.realm,
        target_zone: character.zone,
        target_placement: placement,
        target_instance: instance.clone(),
        dungeon_run_id: None,
        expected_epoch: character.epoch,
        scope: HandoffScope::Instance(instance.clone()),
        expires_at,
    };
    server.control_plane.prepare(&record).await?;
    Ok(SelectResponse {
        handoff: Handoff { token, expires_at },
        endpoint: GameEndpoint { instance_id: instance, http_url },
    })
}
