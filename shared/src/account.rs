//! HTTP bodies of the login role: accounts, logins, realms, rosters, select.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::gameplay::RealtimeEndpoint;
use crate::ids::{AccountId, Appearance, CharacterId, InstanceId, RealmId, UnixMillis, ZoneId};
use crate::limits::{
    MAX_CHARACTER_NAME_LEN, MAX_PASSWORD_LEN, MAX_USERNAME_LEN, MIN_CHARACTER_NAME_LEN,
    MIN_PASSWORD_LEN, MIN_USERNAME_LEN,
};
use crate::problem::ProblemCode;
use crate::secret::{AccessToken, HandoffToken, ResumeToken};

/// `POST /v1/accounts` and `POST /v1/sessions`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// 3 to 24 letters, digits, `-`, `_` and `.`, starting with a letter.
    pub username: String,
    /// 8 characters to 128 bytes.
    #[cfg_attr(feature = "openapi", schema(format = Password))]
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("username", &self.username).finish_non_exhaustive()
    }
}

/// `PUT /v1/accounts/current/password`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ChangePassword {
    /// The password until now.
    pub current: String,
    /// The password from now on; see [`check_password`].
    pub new: String,
}

impl fmt::Debug for ChangePassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChangePassword").finish_non_exhaustive()
    }
}

/// An account as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Account {
    /// The account's id.
    pub id: AccountId,
    /// The name as it was registered.
    pub username: String,
}

/// 201 of `POST /v1/accounts`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AccountCreated {
    /// The new account.
    pub account: Account,
}

/// 200 of `POST /v1/sessions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoginResponse {
    /// Bearer of further requests.
    pub access_token: AccessToken,
    /// When the login ends by itself.
    pub expires_at: UnixMillis,
    /// Who logged in.
    pub account: Account,
}

/// Whether a realm takes players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum RealmStatus {
    /// Players may enter.
    Online,
    /// No living instance carries its start zone.
    Offline,
    /// A status of a newer server.
    #[serde(other)]
    Unknown,
}

/// A realm in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Realm {
    /// Its id.
    pub id: RealmId,
    /// Its name for people.
    pub name: String,
    /// Whether it takes players.
    pub status: RealmStatus,
    /// Characters in the world now.
    pub population: u32,
    /// Characters that fit into its living zones.
    pub capacity: u32,
}

/// 200 of `GET /v1/realms`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RealmList {
    /// In the order of the world's file.
    pub realms: Vec<Realm>,
}

/// A character in its account's roster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RosterCharacter {
    /// Its id.
    pub id: CharacterId,
    /// Its name, unique in the realm.
    pub name: String,
    /// How it looks.
    pub appearance: Appearance,
    /// The zone where it was last committed.
    pub zone: ZoneId,
    /// Whether a session holds it now.
    pub in_world: bool,
}

/// The characters of one account in one realm, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Roster {
    /// At most [`crate::limits::MAX_CHARACTERS_PER_REALM`].
    #[cfg_attr(feature = "openapi", schema(max_items = 6))]
    pub characters: Vec<RosterCharacter>,
}

/// `POST /v1/realms/{realm}/characters`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CreateCharacter {
    /// 3 to 16 letters, with single spaces, hyphens or apostrophes between letters.
    pub name: String,
    /// How it shall look; the default drawing where it is left out.
    #[serde(default)]
    pub appearance: Appearance,
}

/// `POST /v1/select-character`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SelectCharacter {
    /// The realm that the player picked.
    pub realm_id: RealmId,
    /// A character of that realm and of the caller's account.
    pub character_id: CharacterId,
}

/// A handoff token with its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Handoff {
    /// `handoff-{uuid}`, good for one entry.
    pub token: HandoffToken,
    /// When it stops being good.
    pub expires_at: UnixMillis,
}

/// A game server that a client shall go to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GameEndpoint {
    /// Which instance.
    pub instance_id: InstanceId,
    /// Its HTTP origin, where `/v1/handshake` is.
    pub http_url: String,
}

/// 200 of `POST /v1/select-character`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SelectResponse {
    /// The token for the handshake.
    pub handoff: Handoff,
    /// Where to present it.
    pub endpoint: GameEndpoint,
}

/// `POST /v1/resume`: where is the session now, whose connection was lost?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResumeRequest {
    /// What claims the session. Asking does not use it up.
    pub resume_token: ResumeToken,
}

/// 200 of `POST /v1/resume`. A problem with the code `session_ended` is final; any other
/// problem, and silence, mean to ask again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResumeResponse {
    /// The game server that has the session.
    pub endpoint: GameEndpoint,
    /// Where its realtime endpoint is claimed.
    pub realtime: RealtimePlace,
}

/// Where a session is claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RealtimePlace {
    /// The endpoints of its instance, best first.
    pub endpoints: Vec<RealtimeEndpoint>,
}

/// Why a name or a password is not allowed; its text says what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleBroken {
    /// Too few or too many characters in a username.
    #[error("use {MIN_USERNAME_LEN} to {MAX_USERNAME_LEN} characters for the username")]
    UsernameLength,
    /// A character outside the alphabet of usernames.
    #[error(
        "use only letters a-z, digits, '-', '_' and '.' in the username, starting with a letter"
    )]
    UsernameAlphabet,
    /// One of the [`RESERVED_WORDS`] in a username.
    #[error("choose another username: this one has a word that is kept for the game's own people")]
    UsernameReserved,
    /// Too short a password.
    #[error("use at least {MIN_PASSWORD_LEN} characters for the password")]
    PasswordTooShort,
    /// Too long a password.
    #[error("use at most {MAX_PASSWORD_LEN} bytes for the password")]
    PasswordTooLong,
    /// Too few or too many characters in a character's name.
    #[error("use {MIN_CHARACTER_NAME_LEN} to {MAX_CHARACTER_NAME_LEN} characters for the name")]
    CharacterNameLength,
    /// A character outside the alphabet of names.
    #[error(
        "use only letters A-Z and a-z in the name, with single spaces, hyphens or apostrophes between them"
    )]
    CharacterNameAlphabet,
    /// One of the [`RESERVED_WORDS`] in a character's name.
    #[error("choose another name: this one has a word that is kept for the game's own people")]
    CharacterNameReserved,
}

impl RuleBroken {
    /// The code under which a server refuses it.
    #[must_use]
    pub fn code(self) -> ProblemCode {
        match self {
            Self::UsernameLength | Self::UsernameAlphabet => ProblemCode::InvalidUsername,
            Self::UsernameReserved => ProblemCode::UsernameReserved,
            Self::PasswordTooShort | Self::PasswordTooLong => ProblemCode::InvalidPassword,
            Self::CharacterNameLength | Self::CharacterNameAlphabet => {
                ProblemCode::InvalidCharacterName
            }
            Self::CharacterNameReserved => ProblemCode::CharacterNameReserved,
        }
    }
}

/// Words that no player's name has, in whatever case: whoever read one would take the
/// player for the game's own people or for the game itself.
pub const RESERVED_WORDS: [&str; 18] = [
    "admin",
    "administrator",
    "aether",
    "announcement",
    "developer",
    "gamemaster",
    "gm",
    "helpdesk",
    "mod",
    "moderator",
    "official",
    "operator",
    "root",
    "server",
    "staff",
    "support",
    "sysadmin",
    "system",
];

/// What may stand between the words of a character's name.
pub const CHARACTER_NAME_JOINTS: [char; 3] = [' ', '-', '\''];
/// What may stand between the words of a username.
pub const USERNAME_JOINTS: [char; 3] = ['-', '_', '.'];

/// Whether a word of `name`, or all of them read as one, is among the [`RESERVED_WORDS`].
fn has_reserved_word(name: &str, joints: &[char]) -> bool {
    let is_reserved =
        |word: &str| RESERVED_WORDS.iter().any(|reserved| word.eq_ignore_ascii_case(reserved));
    name.split(joints).any(is_reserved) || is_reserved(&name.replace(joints, ""))
}

/// Checks a username: 3 to 24 of `a-z A-Z 0-9 - _ .`, starting with a letter, and none of
/// the [`RESERVED_WORDS`]. Two names that differ in case alone are the same name.
///
/// # Errors
/// The first rule that the name breaks.
pub fn check_username(name: &str) -> Result<(), RuleBroken> {
    if !(MIN_USERNAME_LEN..=MAX_USERNAME_LEN).contains(&name.chars().count()) {
        return Err(RuleBroken::UsernameLength);
    }
    let legal = |c: char| c.is_ascii_alphanumeric() || USERNAME_JOINTS.contains(&c);
    if !(name.chars().all(legal) && name.starts_with(|c: char| c.is_ascii_alphabetic())) {
        return Err(RuleBroken::UsernameAlphabet);
    }
    if has_reserved_word(name, &USERNAME_JOINTS) {
        return Err(RuleBroken::UsernameReserved);
    }
    Ok(())
}

/// Checks a password: 8 characters to 128 bytes, no further rules (NIST SP 800-63B).
///
/// # Errors
/// The first rule that the password breaks.
pub fn check_password(password: &str) -> Result<(), RuleBroken> {
    if password.chars().count() < MIN_PASSWORD_LEN {
        Err(RuleBroken::PasswordTooShort)
    } else if password.len() > MAX_PASSWORD_LEN {
        Err(RuleBroken::PasswordTooLong)
    } else {
        Ok(())
    }
}

/// Checks a character's name: 3 to 16 letters, with single spaces, hyphens or apostrophes
/// between letters, and none of the [`RESERVED_WORDS`].
///
/// # Errors
/// The first rule that the name breaks.
pub fn check_character_name(name: &str) -> Result<(), RuleBroken> {
    if !(MIN_CHARACTER_NAME_LEN..=MAX_CHARACTER_NAME_LEN).contains(&name.chars().count()) {
        return Err(RuleBroken::CharacterNameLength);
    }
    let mut letter_before = false;
    for c in name.chars() {
        let joint = CHARACTER_NAME_JOINTS.contains(&c);
        if !(c.is_ascii_alphabetic() || joint && letter_before) {
            return Err(RuleBroken::CharacterNameAlphabet);
        }
        letter_before = !joint;
    }
    if !letter_before {
        return Err(RuleBroken::CharacterNameAlphabet);
    }
    if has_reserved_word(name, &CHARACTER_NAME_JOINTS) {
        return Err(RuleBroken::CharacterNameReserved);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: fn(&str) -> Result<(), RuleBroken>, cases: &[(&str, Result<(), RuleBroken>)]) {
        for (text, expected) in cases {
            assert_eq!(rule(text), *expected, "{text:?}");
        }
    }

    #[test]
    fn usernames_follow_their_rules() {
        check(
            check_username,
            &[
                ("mara", Ok(())),
                ("Mara_7.x-y", Ok(())),
                ("ab", Err(RuleBroken::UsernameLength)),
                ("abcdefghijklmnopqrstuvwxy", Err(RuleBroken::UsernameLength)),
                ("7mara", Err(RuleBroken::UsernameAlphabet)),
                ("ma ra", Err(RuleBroken::UsernameAlphabet)),
                ("mára", Err(RuleBroken::UsernameAlphabet)),
                ("badminton", Ok(())),
                ("Admin", Err(RuleBroken::UsernameReserved)),
                ("mara.GM", Err(RuleBroken::UsernameReserved)),
                ("sup.port", Err(RuleBroken::UsernameReserved)),
            ],
        );
    }

    #[test]
    fn passwords_follow_their_rules() {
        let long = "x".repeat(MAX_PASSWORD_LEN + 1);
        check(
            check_password,
            &[
                ("correct horse", Ok(())),
                ("1234567", Err(RuleBroken::PasswordTooShort)),
                (&long, Err(RuleBroken::PasswordTooLong)),
            ],
        );
    }

    #[test]
    fn character_names_follow_their_rules() {
        check(
            check_character_name,
            &[
                ("Mara", Ok(())),
                ("Jean-Luc O'Hara", Ok(())),
                ("Al", Err(RuleBroken::CharacterNameLength)),
                ("Abcdefghijklmnopq", Err(RuleBroken::CharacterNameLength)),
                ("Mara ", Err(RuleBroken::CharacterNameAlphabet)),
                (" Mara", Err(RuleBroken::CharacterNameAlphabet)),
                ("Ma  ra", Err(RuleBroken::CharacterNameAlphabet)),
                ("Mara7", Err(RuleBroken::CharacterNameAlphabet)),
                ("Modesty", Ok(())),
                ("Systemic", Ok(())),
                ("System", Err(RuleBroken::CharacterNameReserved)),
                ("aDMIN", Err(RuleBroken::CharacterNameReserved)),
                ("Mara of Support", Err(RuleBroken::CharacterNameReserved)),
                ("Mara-GM", Err(RuleBroken::CharacterNameReserved)),
                ("Game Master", Err(RuleBroken::CharacterNameReserved)),
                ("G'M Mara", Ok(())),
                ("M-o-d", Err(RuleBroken::CharacterNameReserved)),
            ],
        );
    }

    #[test]
    fn credentials_do_not_print_the_password() {
        let it = Credentials { username: "mara".into(), password: "correct horse".into() };
        assert!(!format!("{it:?}").contains("horse"));
        let it = ChangePassword { current: "correct horse".into(), new: "other horse".into() };
        assert!(!format!("{it:?}").contains("horse"));
    }
}
