//! Starting a flow: what it needs is checked before anything of the state is touched, so
//! that a mistake of the player never costs a usable session. While a job is pending or a
//! logout drains, every start returns without doing anything.

use shared::account::{
    CreateCharacter, Credentials, LoginResponse, RuleBroken, check_character_name, check_password,
    check_username,
};
use shared::ids::{AttemptId, CharacterId, RealmId};
use shared::secret::AccessToken;

use super::event::{ConnectionEvent, Effect};
use super::job::{JobRequest, JobWork};
use super::reducer::reduce;
use super::saved_session::SavedSession;
use super::state::MultiplayerConnectionState;
use super::status::Credential;

/// How to come by a login.
#[derive(Clone, Debug)]
pub enum LoginMethod {
    /// With username and password.
    Password(Credentials),
    /// The same, after making the account.
    Register(Credentials),
    /// With a login of before that is still valid: the tab was loaded anew, or the
    /// connection was lost.
    Continue {
        /// The login.
        login: LoginResponse,
        /// Whose roster to show, where that realm still exists; else the first one's.
        realm: Option<RealmId>,
        /// The session in the world to go back to, while it is there. Its realm goes first.
        session: Option<Box<SavedSession>>,
    },
}

impl LoginMethod {
    fn check(&self) -> Result<(), ValidationError> {
        match self {
            Self::Password(given) => match (given.username.is_empty(), given.password.is_empty()) {
                (false, false) => Ok(()),
                (true, true) => Err(ValidationError::NoCredentials),
                (true, false) => Err(ValidationError::NoUsername),
                (false, true) => Err(ValidationError::NoPassword),
            },
            Self::Continue { .. } => Ok(()),
            Self::Register(given) => {
                check_username(&given.username)?;
                check_password(&given.password)?;
                Ok(())
            }
        }
    }
}

/// Why a flow cannot start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValidationError {
    /// The login form is empty.
    #[error("enter a username and a password")]
    NoCredentials,
    /// The login form has no username.
    #[error("enter a username")]
    NoUsername,
    /// The login form has no password.
    #[error("enter a password")]
    NoPassword,
    /// A wish to enter the world needs an id, and the browser has no source of chance.
    #[error("this browser gives no random numbers: reload the page, or use another browser")]
    NoAttemptId,
    /// The flow belongs to an account, and nobody is logged in.
    #[error("no authenticated account is available")]
    NoAccount,
    /// There is no such realm in the list.
    #[error("no realm is selected: choose a realm")]
    NoRealm,
    /// There is no such character in the roster.
    #[error("no character is selected: choose or create a character")]
    NoCharacter,
    /// A name or password breaks its rule.
    #[error(transparent)]
    Rule(#[from] RuleBroken),
}

impl ValidationError {
    /// Whether only a page that is loaded anew can do better.
    #[must_use]
    pub fn wants_reload(&self) -> bool {
        matches!(self, Self::NoAttemptId)
    }

    /// The part of the login form that it is about.
    #[must_use]
    pub fn about(&self) -> Option<Credential> {
        match self {
            Self::NoCredentials => Some(Credential::Both),
            Self::NoUsername
            | Self::Rule(
                RuleBroken::UsernameLength
                | RuleBroken::UsernameAlphabet
                | RuleBroken::UsernameReserved,
            ) => Some(Credential::Username),
            Self::NoPassword
            | Self::Rule(RuleBroken::PasswordTooShort | RuleBroken::PasswordTooLong) => {
                Some(Credential::Password)
            }
            _ => None,
        }
    }
}

/// Logs in only: registers where asked to, authenticates, fetches realms and the
/// characters of the first one. No handoff, no realtime session.
pub fn start_login_flow(
    state: &mut MultiplayerConnectionState,
    method: LoginMethod,
) -> Vec<Effect> {
    start(state, |_| {
        method.check()?;
        Ok(JobWork::Authenticate { method })
    })
}

/// Logs in and enters the world with the first character of the first realm, in one job.
pub fn start_quick_connect(
    state: &mut MultiplayerConnectionState,
    method: LoginMethod,
    attempt: AttemptId,
) -> Vec<Effect> {
    start(state, |_| {
        method.check()?;
        Ok(JobWork::QuickConnect { method, attempt })
    })
}

/// Enters the world with the selected character. A new wish needs a new `attempt`.
pub fn start_character_connect(
    state: &mut MultiplayerConnectionState,
    attempt: AttemptId,
) -> Vec<Effect> {
    start(state, |state| {
        let (access_token, realm) = account_and_realm(state)?;
        let character = state.character().ok_or(ValidationError::NoCharacter)?.id;
        Ok(JobWork::ConnectCharacter { access_token, realm, character, attempt })
    })
}

/// Creates a character in the selected realm.
pub fn start_create_character(
    state: &mut MultiplayerConnectionState,
    character: CreateCharacter,
) -> Vec<Effect> {
    start(state, |state| {
        let (access_token, realm) = account_and_realm(state)?;
        check_character_name(&character.name)?;
        Ok(JobWork::CreateCharacter { access_token, realm, character })
    })
}

/// Deletes a character of the roster.
pub fn start_delete_character(
    state: &mut MultiplayerConnectionState,
    character: CharacterId,
) -> Vec<Effect> {
    start(state, |state| {
        let (access_token, realm) = account_and_realm(state)?;
        if state.characters.iter().all(|known| known.id != character) {
            return Err(ValidationError::NoCharacter);
        }
        Ok(JobWork::DeleteCharacter { access_token, realm, character })
    })
}

/// Fetches the characters of the realm at `index` of the list and, once they are there,
/// selects it. The index of the selected realm refreshes its roster.
pub fn start_realm_switch(state: &mut MultiplayerConnectionState, index: usize) -> Vec<Effect> {
    start(state, |state| {
        let access_token = account(state)?;
        let realm = state.realms.get(index).ok_or(ValidationError::NoRealm)?.id.clone();
        // A roster that is fetched anew keeps its selection, wherever that stands in it now.
        let is_selected = state.selected_realm == Some(index);
        let character = state.character().filter(|_| is_selected).map(|known| known.id);
        Ok(JobWork::SwitchRealm { access_token, realm, index, character })
    })
}

fn start(
    state: &mut MultiplayerConnectionState,
    check: impl FnOnce(&MultiplayerConnectionState) -> Result<JobWork, ValidationError>,
) -> Vec<Effect> {
    if state.is_busy() {
        return Vec::new();
    }
    let event = match check(state) {
        Ok(work) => ConnectionEvent::Started {
            request: Box::new(JobRequest {
                login_endpoint: state.login_endpoint.clone(),
                compatibility: state.compatibility.clone(),
                work,
            }),
        },
        Err(error) => ConnectionEvent::ValidationFailed(error),
    };
    reduce(state, event)
}

fn account(state: &MultiplayerConnectionState) -> Result<AccessToken, ValidationError> {
    state.access_token().cloned().ok_or(ValidationError::NoAccount)
}

fn account_and_realm(
    state: &MultiplayerConnectionState,
) -> Result<(AccessToken, RealmId), ValidationError> {
    let access_token = account(state)?;
    let realm = state.realm().ok_or(ValidationError::NoRealm)?;
    Ok((access_token, realm.id.clone()))
}
