//! What happens at `POST /v1/select-character`: checks, placement, allocation, and a
//! prepared handoff. Source: the spec's "Login Handoff".

use shared::account::{Account, GameEndpoint, Handoff, SelectCharacter, SelectResponse};
use shared::coordination::{
    AccountClaims, AssignRequest, Assignment, HandoffCacheRecord, HandoffScope, TokenHash,
};
use shared::ids::Placement;
use shared::limits::HANDOFF_TOKEN_LIFE;
use shared::problem::ProblemCode;
use shared::secret::AccessToken;
use shared::version::PayloadVersion;
use shared::world::Tile;

use super::Refusal;
use super::login_server::{LoginServer, Presence};
use super::roster::unknown_character;
use crate::clock::{hash_token, new_handoff_token};
use crate::domain::authority::Character;
use crate::peers::control_plane::ControlPlaneError;

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
    login: &AccessToken,
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
    let entry = resolve(server, character);
    let token = new_handoff_token();
    let hash = hash_token(token.expose());
    let (endpoint, scope) = allocate(server, &entry, &hash).await?;
    let expires_at = server.clock.now().plus(HANDOFF_TOKEN_LIFE);
    let record = HandoffCacheRecord {
        payload_version: PayloadVersion::CURRENT,
        token: hash,
        account_id: account.id,
        claims: AccountClaims { username: account.username.clone() },
        login: hash_token(login.expose()),
        character_id: entry.character.id,
        realm_id: entry.character.realm,
        target_zone: entry.placement.zone.clone(),
        target_placement: entry.placement,
        target_instance: endpoint.instance_id.clone(),
        dungeon_run_id: None,
        start_tile: entry.start_tile,
        transfer: None,
        redirected_from: Vec::new(),
        expected_epoch: entry.character.epoch,
        scope,
        expires_at,
    };
    server.control_plane.prepare(&record).await?;
    Ok(SelectResponse { handoff: Handoff { token, expires_at }, endpoint })
}

/// A selected character and where it shall enter.
struct Resolved {
    character: Character,
    placement: Placement,
    /// Where to begin, if not where the character was last.
    start_tile: Option<Tile>,
}

/// A character enters where it was last; at the start of the world, if the zone where it
/// was last is no part of the world any more.
fn resolve(server: &LoginServer, character: Character) -> Resolved {
    let (zone, start_tile) = if server.world.zones.contains_key(&character.zone) {
        (character.zone.clone(), None)
    } else {
        let (zone, tile) = server.world.start();
        tracing::warn!(gone = %character.zone, character = %character.name, "back to the start");
        (zone, Some(tile))
    };
    Resolved { placement: Placement::zone(character.realm.clone(), zone), character, start_tile }
}

/// Asks for an instance. Only where allocation does not answer does the default game server
/// take the player: a no is a no.
async fn allocate(
    server: &LoginServer,
    entry: &Resolved,
    token: &TokenHash,
) -> Result<(GameEndpoint, HandoffScope), Refusal> {
    let seated_at = match server.presence(entry.character.id).await {
        Ok(Presence::At(there)) if there.placement == entry.placement => Some(there.instance),
        Ok(Presence::At(_) | Presence::Away | Presence::Somewhere) => None,
        // It only helps allocation to find a seat that the character has already.
        Err(_) => None,
    };
    let request = AssignRequest {
        placement: entry.placement.clone(),
        account_id: entry.character.account_id,
        hold_for: token.clone(),
        excluding: Vec::new(),
        seated_at,
    };
    match (server.control_plane.assign(&request).await, &server.default_game) {
        (Ok(Assignment::Assigned { endpoint }), _) => {
            let scope = HandoffScope::Instance(endpoint.instance_id.clone());
            Ok((endpoint, scope))
        }
        (Ok(Assignment::Full), _) => {
            let detail = "the zone is full: try again in a moment";
            Err(Refusal::later(ProblemCode::ZoneFull, detail, RETRY_FULL_AFTER))
        }
        (Ok(Assignment::NotCarried), _) => {
            let detail = "no server carries the zone right now: try again in a moment";
            Err(Refusal::later(ProblemCode::RealmUnavailable, detail, RETRY_FULL_AFTER))
        }
        (Err(error @ ControlPlaneError::Unavailable(_)), Some(default)) => {
            tracing::warn!(%error, to = %default.endpoint.http_url, "allocation does not answer");
            Ok((default.endpoint.clone(), HandoffScope::Port(default.port)))
        }
        (Err(error), _) => Err(error.into()),
    }
}
