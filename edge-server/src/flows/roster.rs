//! The characters of an account in a realm: list, create, delete.

use shared::account::{
    Account, CreateCharacter, Roster, RosterCharacter, RuleBroken, check_character_name,
};
use shared::ids::{CharacterId, RealmId};
use shared::limits::MAX_CHARACTERS_PER_REALM;
use shared::problem::ProblemCode;

use super::Refusal;
use super::login_server::{LoginServer, Presence};
use crate::clock::new_uuid;
use crate::domain::names::looks_reserved;
use crate::stores::{CharacterCreation, CharacterDeletion, NewCharacter};

/// Lists the roster, oldest character first.
///
/// # Errors
/// 404 for an unknown realm.
pub async fn list(
    server: &LoginServer,
    account: &Account,
    realm: &RealmId,
) -> Result<Roster, Refusal> {
    server.known_realm(realm)?;
    let mut characters = Vec::new();
    for character in server.characters.roster(account.id, realm).await? {
        let presence = server.presence(character.id).await?;
        characters.push(RosterCharacter {
            id: character.id,
            name: character.name,
            appearance: character.appearance,
            zone: character.zone,
            in_world: presence != Presence::Away,
        });
    }
    Ok(Roster { characters })
}

/// Creates a character at the start of the world; gives the roster with it.
///
/// # Errors
/// 404 for an unknown realm, 422 for a name against the rules, 409 for a full roster or a
/// name that is taken or looks like a taken one.
pub async fn create(
    server: &LoginServer,
    account: &Account,
    realm: &RealmId,
    wish: CreateCharacter,
) -> Result<Roster, Refusal> {
    server.known_realm(realm)?;
    check_character_name(&wish.name).map_err(Refusal::rule)?;
    if looks_reserved(&wish.name) {
        return Err(Refusal::rule(RuleBroken::CharacterNameReserved));
    }
    let (zone, tile) = server.world.start();
    let character = NewCharacter {
        id: CharacterId::new(new_uuid()),
        account_id: account.id,
        realm: realm.clone(),
        name: wish.name,
        appearance: wish.appearance,
        zone,
        tile,
    };
    match server.characters.create_character(&character, server.clock.now()).await? {
        CharacterCreation::Created => list(server, account, realm).await,
        CharacterCreation::NameTaken => {
            let detail = format!("{} is taken in this realm: choose another name", character.name);
            Err(Refusal::new(ProblemCode::CharacterNameTaken, detail))
        }
        CharacterCreation::NameConfusable => {
            let detail = format!(
                "{} looks like the name of another character in this realm: choose another name",
                character.name
            );
            Err(Refusal::new(ProblemCode::CharacterNameConfusable, detail))
        }
        CharacterCreation::RosterFull => {
            let detail = format!(
                "you have {MAX_CHARACTERS_PER_REALM} characters in this realm, which is the most: \
                 delete one first"
            );
            Err(Refusal::new(ProblemCode::RosterFull, detail))
        }
    }
}

/// Deletes a character; gives the roster without it.
///
/// # Errors
/// 404 for an unknown realm or a character that is not the caller's, 409 for one that is
/// in the world.
pub async fn delete(
    server: &LoginServer,
    account: &Account,
    realm: &RealmId,
    id: CharacterId,
) -> Result<Roster, Refusal> {
    server.known_realm(realm)?;
    let own = server.characters.character(id).await?;
    let own = own.filter(|c| c.account_id == account.id && c.realm == *realm);
    let Some(character) = own else { return Err(unknown_character()) };
    if server.presence(id).await? != Presence::Away {
        return Err(in_world());
    }
    let now = server.clock.now();
    match server.characters.delete_character(account.id, id, character.epoch, now).await? {
        CharacterDeletion::Deleted => list(server, account, realm).await,
        CharacterDeletion::NotFound => Err(unknown_character()),
        CharacterDeletion::Superseded => Err(in_world()),
    }
}

/// The same words for a character that does not exist and for somebody else's.
#[must_use]
pub fn unknown_character() -> Refusal {
    let detail = "you have no such character in this realm: reload the roster";
    Refusal::new(ProblemCode::UnknownCharacter, detail)
}

fn in_world() -> Refusal {
    let detail = "the character is in the world: leave the world with it first";
    Refusal::new(ProblemCode::CharacterInWorld, detail)
}
