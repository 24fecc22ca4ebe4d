//! What a process shall be, once its flags have been judged together: what a role cannot be
//! without stands in the variant of that role.

use std::net::SocketAddr;

use shared::ids::{InstanceId, Placement};

use super::public_url::PublicUrl;
use super::refusals::ConfigError;
use super::{DatabaseArgs, Role, ServeArgs};
use crate::peers::service_token::{AdminToken, ServiceToken};

/// What a process shall be.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where its data is.
    pub stores: StoreUrls,
    /// Which part of the backend it is.
    pub part: Part,
}

/// The two families of stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrls {
    /// One file, of which one process has the use.
    Embedded {
        /// `sqlite://FILE`.
        file: String,
    },
    /// What every process of a deployment shares.
    Deployed {
        /// `postgres://…`: durable data.
        database: String,
        /// `redis://…`: coordination data.
        redis: String,
    },
}

/// A part of the backend, with what it cannot be without.
#[derive(Clone, Debug)]
pub enum Part {
    /// Everything in one process. With a token its control plane also serves others.
    All {
        /// By which the parts of a backend know each other.
        token: Option<ServiceToken>,
        /// By which those who run it are known.
        admin: Option<AdminToken>,
    },
    /// Accounts, rosters, select, and the page.
    Login(Peers),
    /// Allocation, handoffs, registry, presence.
    ControlPlane {
        /// What the other parts show.
        token: ServiceToken,
        /// By which those who run it are known.
        admin: Option<AdminToken>,
    },
    /// Zones and realtime sessions.
    Game {
        /// Whom it asks, and who asks it.
        peers: Peers,
        /// Its name in the registry.
        instance: InstanceId,
        /// What it carries; not empty.
        zones: Vec<Placement>,
    },
}

/// The control planes of a deployment.
#[derive(Clone, Debug)]
pub struct Peers {
    /// Their addresses; not empty.
    pub control_planes: Vec<PublicUrl>,
    /// What is shown to them.
    pub token: ServiceToken,
}

impl ServeArgs {
    /// Checks what no single flag can, and gives what the process shall be.
    ///
    /// # Errors
    /// The first combination that cannot work.
    pub fn plan(&self) -> Result<Plan, ConfigError> {
        let stores = self.store_urls()?;
        let part = match self.role {
            Role::All => {
                Part::All { token: self.service_token.clone(), admin: self.admin_token.clone() }
            }
            Role::Login => Part::Login(self.peers()?),
            Role::ControlPlane => {
                Part::ControlPlane { token: self.token()?, admin: self.admin_token.clone() }
            }
            Role::Game => Part::Game {
                peers: self.peers()?,
                instance: self.instance_id.clone().ok_or_else(|| {
                    self.missing("EDGE_INSTANCE_ID", "a name of its own, such as game-1")
                })?,
                zones: self.zones_of_game()?,
            },
        };
        Ok(Plan { stores, part })
    }

    fn store_urls(&self) -> Result<StoreUrls, ConfigError> {
        match (self.database.family()?, &self.redis_url) {
            (DatabaseFamily::Sqlite, Some(_)) => Err(ConfigError::RedisBesideSqlite),
            (DatabaseFamily::Sqlite, None) if self.role != Role::All => {
                Err(ConfigError::RoleNeedsDeployedStores { role: self.role.name() })
            }
            (DatabaseFamily::Sqlite, None) => {
                Ok(StoreUrls::Embedded { file: self.database.database_url.clone() })
            }
            (DatabaseFamily::Postgres, None) => Err(ConfigError::PostgresWithoutRedis),
            (DatabaseFamily::Postgres, Some(redis)) => Ok(StoreUrls::Deployed {
                database: self.database.database_url.clone(),
                redis: redis.clone(),
            }),
        }
    }

    fn peers(&self) -> Result<Peers, ConfigError> {
        if self.control_plane_urls.is_empty() {
            let hint = "the addresses of the control planes, such as http://10.0.0.5:8080";
            return Err(self.missing("EDGE_CONTROL_PLANE_URLS", hint));
        }
        Ok(Peers { control_planes: self.control_plane_urls.clone(), token: self.token()? })
    }

    fn token(&self) -> Result<ServiceToken, ConfigError> {
        self.service_token.clone().ok_or_else(|| {
            let hint = "a secret of at least 32 characters, the same for all parts of the backend";
            self.missing("EDGE_SERVICE_TOKEN", hint)
        })
    }

    fn zones_of_game(&self) -> Result<Vec<Placement>, ConfigError> {
        let mut zones = self.zones.clone();
        zones.sort();
        zones.dedup();
        if zones.is_empty() {
            return Err(self.missing("EDGE_ZONES", "what it carries, such as dawn/harbor"));
        }
        if self.is_hidden() {
            let hint = "where control planes reach it in the clear, such as http://10.0.0.8:8081";
            return Err(self.missing("EDGE_INTERNAL_HTTP_URL", hint));
        }
        Ok(zones)
    }

    /// How other parts of the backend reach the listener `offset` ports further, which
    /// listens on `address` and which browsers reach at `public`.
    #[must_use]
    pub fn internal_url(&self, offset: u16, address: SocketAddr, public: &PublicUrl) -> PublicUrl {
        match &self.internal_http_url {
            Some(url) if offset == 0 => url.clone(),
            Some(url) => url.further(offset, address.port()),
            None if public.scheme == "http" => public.clone(),
            None => PublicUrl::of_listener("http", address),
        }
    }

    /// Whether nothing tells how a control plane would reach this game server.
    fn is_hidden(&self) -> bool {
        let public_tells = self.public_http_url.as_ref().is_none_or(|url| url.scheme == "http");
        self.internal_http_url.is_none() && !public_tells && self.http_addr.ip().is_unspecified()
    }

    fn missing(&self, variable: &'static str, hint: &'static str) -> ConfigError {
        ConfigError::Missing { role: self.role.name(), variable, hint }
    }
}

/// Which kind of database a URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseFamily {
    /// The embedded store.
    Sqlite,
    /// The durable half of a deployment.
    Postgres,
}

impl DatabaseArgs {
    /// The kind of database that the URL names.
    ///
    /// # Errors
    /// [`ConfigError::UnsupportedDatabase`].
    pub fn family(&self) -> Result<DatabaseFamily, ConfigError> {
        match self.database_url.split_once("://") {
            Some(("sqlite", _)) => Ok(DatabaseFamily::Sqlite),
            Some(("postgres" | "postgresql", _)) => Ok(DatabaseFamily::Postgres),
            _ => {
                let scheme = self.database_url.split("://").next().unwrap_or_default();
                Err(ConfigError::UnsupportedDatabase { url: format!("{scheme}://…") })
            }
        }
    }
}
