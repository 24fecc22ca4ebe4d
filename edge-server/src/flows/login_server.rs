//! What the flows of the login role share.

use std::sync::Arc;

use shared::account::{Account, GameEndpoint, Realm, RealmStatus};
use shared::coordination::PresenceRecord;
use shared::ids::{CharacterId, Placement, RealmId};
use shared::problem::ProblemCode;
use shared::secret::AccessToken;

use super::Refusal;
use super::passwords::Passwords;
use crate::clock::{Clock, hash_token};
use crate::config::PublicUrl;
use crate::peers::control_plane::{ControlPlane, ControlPlaneError};
use crate::stores::{AccountStore, CharacterStore, LoginStore, ResumeLedgerStore};
use crate::world::World;

/// The login server: accounts, logins, rosters, select.
pub struct LoginServer {
    /// Accounts.
    pub accounts: Arc<dyn AccountStore>,
    /// Logins.
    pub logins: Arc<dyn LoginStore>,
    /// Characters.
    pub characters: Arc<dyn CharacterStore>,
    /// The resume ledger, which game servers write: it is only read here.
    pub ledger: Arc<dyn ResumeLedgerStore>,
    /// Everything that roles do together.
    pub control_plane: Arc<dyn ControlPlane>,
    /// Realms and zones.
    pub world: Arc<World>,
    /// Where players are sent while allocation does not answer, if anywhere.
    pub default_game: Option<DefaultGame>,
    /// Hashing.
    pub passwords: Passwords,
    /// The clock.
    pub clock: Clock,
}

/// The game server that takes players while allocation does not answer: known by its
/// address alone, so handoffs to it stand under the legacy scope of its HTTP port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultGame {
    /// Its name towards clients, [`DEFAULT_GAME_INSTANCE`], and its HTTP origin.
    pub endpoint: GameEndpoint,
    /// Its HTTP port.
    pub port: u16,
}

/// What the default game server is called where its own name is not known.
pub const DEFAULT_GAME_INSTANCE: &str = "default";

impl DefaultGame {
    /// The game server at a URL.
    #[must_use]
    pub fn of_url(url: &PublicUrl) -> Self {
        let instance_id = DEFAULT_GAME_INSTANCE.parse().expect("the constant is a slug");
        let endpoint = GameEndpoint { instance_id, http_url: url.origin() };
        Self { endpoint, port: url.effective_port() }
    }
}

/// Where a character is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Not in the world.
    Away,
    /// In the world, as its record says.
    At(Box<PresenceRecord>),
    /// In the world, at an instance that this build cannot tell.
    Somewhere,
}

impl LoginServer {
    /// Who the bearer of a token is.
    ///
    /// # Errors
    /// 401 for a token that is unknown, expired or logged out.
    pub async fn authenticate(&self, token: &AccessToken) -> Result<Account, Refusal> {
        let hash = hash_token(token.expose());
        self.logins.account_of_login(&hash, self.clock.now()).await?.ok_or_else(|| {
            Refusal::new(ProblemCode::Unauthenticated, "the login has ended: log in again")
        })
    }

    /// The realms with how full they are.
    ///
    /// # Errors
    /// 503 when the registry does not answer.
    pub async fn realms(&self) -> Result<Vec<Realm>, Refusal> {
        let instances = self.control_plane.instances().await?;
        let loads: Vec<_> = instances.iter().flat_map(|instance| &instance.zones).collect();
        let file = &self.world.file;
        let realm = |settings: &crate::world::world_file::RealmSettings| {
            let own = loads.iter().filter(|load| load.placement.realm == settings.id);
            let start = Placement::zone(settings.id.clone(), file.start_zone.clone());
            let online = own.clone().any(|load| load.placement == start);
            Realm {
                id: settings.id.clone(),
                name: settings.name.clone(),
                status: if online { RealmStatus::Online } else { RealmStatus::Offline },
                population: own.clone().map(|load| load.occupied).sum(),
                capacity: own.map(|load| load.capacity).sum(),
            }
        };
        Ok(file.realms.iter().map(realm).collect())
    }

    /// Where a character is in the world. A record that this build cannot read is of a newer
    /// server: the character is in the world, at an instance that is not known here.
    ///
    /// # Errors
    /// 503 when the control plane does not answer.
    pub async fn presence(&self, id: CharacterId) -> Result<Presence, Refusal> {
        match self.control_plane.presence_of_character(id).await {
            Ok(Some(record)) => Ok(Presence::At(Box::new(record))),
            Ok(None) => Ok(Presence::Away),
            Err(ControlPlaneError::Unreadable(reason)) => {
                tracing::warn!(reason, "presence is of another version");
                Ok(Presence::Somewhere)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses a realm that the world does not have.
    ///
    /// # Errors
    /// 404 for an unknown realm.
    pub fn known_realm(&self, realm: &RealmId) -> Result<(), Refusal> {
        if self.world.file.realms.iter().any(|settings| settings.id == *realm) {
            Ok(())
        } else {
            let detail = format!("there is no realm {realm}: pick one from the list of realms");
            Err(Refusal::new(ProblemCode::UnknownRealm, detail))
        }
    }
}
