//! Configuration: every flag has an environment variable, `--help` explains each, and a
//! bad value stops the start with one line that names it.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ipnet::IpNet;

use crate::peers::service_token::ServiceToken;
use crate::world::world_file::MAX_ZONE_CAPACITY;

/// The backend of Aether: login server, control plane and game server in one binary.
#[derive(Debug, Parser)]
#[command(name = "edge-server", version, about)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the binary can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve players
    Serve(Box<ServeArgs>),
    /// Bring the database to this build's schema, then end
    Migrate(DatabaseArgs),
    /// Print the OpenAPI document of every route
    Openapi,
    /// Work with the world's files
    World {
        /// What to do with them.
        #[command(subcommand)]
        command: WorldCommand,
    },
}

/// What can be done with the world's files.
#[derive(Debug, Subcommand)]
pub enum WorldCommand {
    /// Check every map; each problem names file, layer and object
    Check(WorldArgs),
}

/// Which part of the backend a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Everything in one process, on the embedded store
    All,
    /// Accounts, rosters, select, and the page
    Login,
    /// Allocation, handoffs, registry, presence
    ControlPlane,
    /// Zones and realtime sessions
    Game,
}

/// Where the data is.
#[derive(Clone, Debug, Args)]
pub struct DatabaseArgs {
    /// The embedded store: sqlite://FILE. The folder is made if it is missing
    #[arg(long, env = "EDGE_DATABASE_URL", default_value = "sqlite://data/aether.sqlite")]
    pub database_url: String,
}

/// Where the world is.
#[derive(Clone, Debug, Args)]
pub struct WorldArgs {
    /// Folder with world.toml and the Tiled maps that it names
    #[arg(long, env = "EDGE_WORLD_DIR", default_value = "shared/world")]
    pub world_dir: PathBuf,
}

/// Flags of `serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// Which part of the backend this process is
    #[arg(long, env = "EDGE_ROLE", value_enum, default_value_t = Role::All)]
    pub role: Role,
    /// Where HTTP listens. The instances of role all take the ports after it; port 0 lets
    /// the system choose all of them
    #[arg(long, env = "EDGE_HTTP_ADDR", default_value = "127.0.0.1:8080")]
    pub http_addr: SocketAddr,
    /// Where realtime (UDP) listens. Further instances of role all take the ports after it
    #[arg(long, env = "EDGE_REALTIME_ADDR", default_value = "127.0.0.1:4433")]
    pub realtime_addr: SocketAddr,
    /// How browsers reach HTTP, such as https://play.example. By default the address that
    /// HTTP listens on. With a port, instances of role all have the ports after it
    #[arg(long, env = "EDGE_PUBLIC_HTTP_URL", value_parser = parse_http_url)]
    pub public_http_url: Option<PublicUrl>,
    /// How browsers reach realtime, such as https://play.example. By default the address
    /// that realtime listens on
    #[arg(long, env = "EDGE_PUBLIC_REALTIME_URL", value_parser = parse_realtime_url)]
    pub public_realtime_url: Option<PublicUrl>,
    /// The game server that takes players while allocation does not answer, such as
    /// http://10.0.0.7:8081. Without it they are asked to try again
    #[arg(long, env = "EDGE_DEFAULT_GAME_URL", value_parser = parse_http_url)]
    pub default_game_url: Option<PublicUrl>,
    /// Seats of every zone, instead of those in world.toml
    #[arg(long, env = "EDGE_ZONE_CAPACITY", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_ZONE_CAPACITY)))]
    pub zone_capacity: Option<u32>,
    /// Origins whose pages may talk to game servers, separated by commas. The page that
    /// this process serves is always allowed
    #[arg(
        long,
        env = "EDGE_ALLOWED_ORIGINS",
        value_delimiter = ',',
        value_parser = parse_origin,
        default_value = "http://127.0.0.1:8080,http://localhost:8080,http://127.0.0.1:8090,http://localhost:8090"
    )]
    pub allowed_origins: Vec<String>,
    /// Reverse proxies whose X-Forwarded-For says where a request comes from, as addresses
    /// or ranges separated by commas, such as 10.0.0.0/8. By default none: limits count the
    /// address that has connected
    #[arg(long, env = "EDGE_TRUSTED_PROXIES", value_delimiter = ',', value_parser = parse_range)]
    pub trusted_proxies: Vec<IpNet>,
    /// Folder with the built page
    #[arg(long, env = "EDGE_STATIC_DIR", default_value = "dist")]
    pub static_dir: PathBuf,
    /// Redis of a deployment. Refused beside SQLite, which keeps coordination data itself
    #[arg(long, env = "EDGE_REDIS_URL")]
    pub redis_url: Option<String>,
    /// Secret of at least 32 characters by which the parts of a backend know each other.
    /// With it the control plane answers under /internal/v1/ where the page is served: keep
    /// that path from players. Without it the path answers 404. Rather set the variable than
    /// the flag, which other users of the machine can see
    #[arg(long, env = "EDGE_SERVICE_TOKEN", hide_env_values = true)]
    pub service_token: Option<ServiceToken>,
    /// What is logged to standard error: error, warn, info, debug, or target=level pairs
    #[arg(long, env = "EDGE_LOG", default_value = "info")]
    pub log: String,
    /// Where the data is.
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// Where the world is.
    #[command(flatten)]
    pub world: WorldArgs,
}

/// Scheme and host under which browsers reach the process; ports may be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    /// `http` or `https`.
    pub scheme: String,
    /// Host, with brackets where it is an IPv6 address.
    pub host: String,
    /// Port, where it is not the scheme's own.
    pub port: Option<u16>,
}

impl PublicUrl {
    /// The URL without a path and without the port that its scheme has anyway: the form in
    /// which browsers write an Origin.
    #[must_use]
    pub fn origin(&self) -> String {
        match self.port.filter(|port| *port != self.scheme_port()) {
            Some(port) => format!("{}://{}:{port}", self.scheme, self.host),
            None => format!("{}://{}", self.scheme, self.host),
        }
    }

    /// The port, given or the scheme's own.
    #[must_use]
    pub fn effective_port(&self) -> u16 {
        self.port.unwrap_or_else(|| self.scheme_port())
    }

    fn scheme_port(&self) -> u16 {
        if self.scheme == "https" { 443 } else { 80 }
    }

    /// The same host at another port.
    #[must_use]
    pub fn at_port(&self, port: u16) -> Self {
        Self { port: Some(port), ..self.clone() }
    }

    /// The URL of the listener `offset` ports further: at a port that was given, counting
    /// on from it; else at the port that listens.
    #[must_use]
    pub fn further(&self, offset: u16, listening: u16) -> Self {
        self.at_port(self.port.map_or(listening, |port| port.saturating_add(offset)))
    }

    /// The URL of something that listens on `address`; an unspecified address is reached
    /// at loopback.
    #[must_use]
    pub fn of_listener(scheme: &str, address: SocketAddr) -> Self {
        let host = match address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        Self { scheme: scheme.to_owned(), host, port: Some(address.port()) }
    }
}

fn parse_public_url(text: &str, schemes: &[&str]) -> Result<PublicUrl, String> {
    let expected = || format!("write {}://HOST or {0}://HOST:PORT, without a path", schemes[0]);
    let uri: axum::http::Uri = text.parse().map_err(|_| expected())?;
    let scheme = uri.scheme_str().filter(|scheme| schemes.contains(scheme)).ok_or_else(expected)?;
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(expected)?;
    if uri.path() != "/" || uri.query().is_some() {
        return Err(expected());
    }
    Ok(PublicUrl { scheme: scheme.to_owned(), host: host.to_owned(), port: uri.port_u16() })
}

fn parse_http_url(text: &str) -> Result<PublicUrl, String> {
    parse_public_url(text, &["http", "https"])
}

fn parse_realtime_url(text: &str) -> Result<PublicUrl, String> {
    parse_public_url(text, &["https"])
}

fn parse_origin(text: &str) -> Result<String, String> {
    parse_http_url(text.trim()).map(|url| url.origin())
}

fn parse_range(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let address = || text.parse::<std::net::IpAddr>().map(IpNet::from);
    text.parse::<IpNet>()
        .or_else(|_| address())
        .map(|range| range.trunc())
        .map_err(|_| "write an address or a range, such as 127.0.0.1 or 10.0.0.0/8".to_owned())
}

/// A combination of values that cannot work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A value that clap refused.
    #[error("bad value {value:?} for {flag}: {reason}")]
    BadValue {
        /// The value.
        value: String,
        /// The flag, and its variable.
        flag: String,
        /// What clap says of it.
        reason: String,
    },
    /// SQLite serves one process.
    #[error(
        "role {role} cannot run on SQLite (EDGE_DATABASE_URL): the embedded store serves one \
         process, so use --role all"
    )]
    RoleNeedsDeployedStores {
        /// The role asked for.
        role: &'static str,
    },
    /// Coordination data would be in two places.
    #[error(
        "EDGE_REDIS_URL does not go with SQLite (EDGE_DATABASE_URL): the embedded store keeps \
         coordination data itself, so unset EDGE_REDIS_URL"
    )]
    RedisBesideSqlite,
    /// A database that this build cannot speak to.
    #[error("EDGE_DATABASE_URL {url:?} is not supported: write sqlite://FILE")]
    UnsupportedDatabase {
        /// The URL, without what could be a password.
        url: String,
    },
    /// A log filter that does not parse.
    #[error("bad value {value:?} for --log (EDGE_LOG): {reason}")]
    BadLogFilter {
        /// The filter.
        value: String,
        /// Why.
        reason: String,
    },
}

impl ServeArgs {
    /// Checks what no single flag can.
    ///
    /// # Errors
    /// The first combination that cannot work.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.database.validate()?;
        if self.redis_url.is_some() {
            return Err(ConfigError::RedisBesideSqlite);
        }
        let role = match self.role {
            Role::All => return Ok(()),
            Role::Login => "login",
            Role::ControlPlane => "control-plane",
            Role::Game => "game",
        };
        Err(ConfigError::RoleNeedsDeployedStores { role })
    }
}

impl DatabaseArgs {
    /// Checks that the URL is of a known family.
    ///
    /// # Errors
    /// [`ConfigError::UnsupportedDatabase`].
    pub fn validate(&self) -> Result<(), ConfigError> {
        if self.database_url.starts_with("sqlite://") {
            return Ok(());
        }
        let scheme = self.database_url.split("://").next().unwrap_or_default();
        Err(ConfigError::UnsupportedDatabase { url: format!("{scheme}://…") })
    }
}

/// Flags with a secret, which is not repeated when it is refused.
const SECRET_FLAGS: [&str; 1] = ["--service-token"];

/// Puts clap's refusal of a value into one line that names value, flag and variable.
/// Gives `None` for everything else that clap has to say (help, usage).
#[must_use]
pub fn bad_value(error: &clap::Error) -> Option<ConfigError> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if !matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue) {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let argument = text(ContextKind::InvalidArg);
    let flag = argument.split_whitespace().next().unwrap_or_default().to_owned();
    let variable =
        format!("EDGE_{}", flag.trim_start_matches('-').replace('-', "_").to_uppercase());
    let choices = text(ContextKind::ValidValue);
    let reason = std::error::Error::source(error).map_or_else(
        || {
            if choices.is_empty() {
                "not allowed".to_owned()
            } else {
                format!("use one of {choices}")
            }
        },
        ToString::to_string,
    );
    let value = if SECRET_FLAGS.contains(&flag.as_str()) {
        "…".to_owned()
    } else {
        text(ContextKind::InvalidValue)
    };
    Some(ConfigError::BadValue { value, flag: format!("{flag} ({variable})"), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &[&str], expected: &str) {
        let all = ["edge-server", "serve"].iter().chain(arguments);
        let line = match Cli::try_parse_from(all) {
            Err(error) => bad_value(&error).expect("a bad value").to_string(),
            Ok(Cli { command: Command::Serve(serve) }) => serve.validate().unwrap_err().to_string(),
            Ok(other) => panic!("{other:?}"),
        };
        assert!(line.contains(expected), "{line}");
        assert!(!line.contains('\n'), "{line}");
    }

    #[test]
    fn a_bad_value_is_one_line_that_names_it() {
        check(&["--http-addr", "eighty"], "\"eighty\" for --http-addr (EDGE_HTTP_ADDR)");
        check(&["--zone-capacity", "0"], "\"0\" for --zone-capacity (EDGE_ZONE_CAPACITY)");
        check(&["--default-game-url", "edge:81"], "(EDGE_DEFAULT_GAME_URL): write http://HOST");
        check(&["--role", "king"], "use one of all, login, control-plane, game");
        check(&["--public-realtime-url", "http://x"], "write https://HOST");
        check(&["--allowed-origins", "nowhere"], "write http://HOST");
        let proxies = "127.0.0.1, 10.0.0.0/33";
        check(&["--trusted-proxies", proxies], "for --trusted-proxies (EDGE_TRUSTED_PROXIES)");
        check(&["--trusted-proxies", "nginx"], "\"nginx\" for --trusted-proxies");
        let short = "0123456789abcdef0123456789abcde";
        check(&["--service-token", short], "\"…\" for --service-token (EDGE_SERVICE_TOKEN)");
        check(&["--trusted-proxies", ""], "write an address or a range");
        check(&["--role", "game"], "role game cannot run on SQLite");
        check(&["--redis-url", "redis://127.0.0.1"], "EDGE_REDIS_URL does not go with SQLite");
        check(&["--database-url", "mysql://u:secret@h/d"], "\"mysql://…\" is not supported");
    }

    #[test]
    fn trusted_proxies_are_addresses_and_ranges() {
        let proxies = "127.0.0.1, 10.1.2.3/8,2001:db8::/32,::1";
        let all = ["edge-server", "serve", "--trusted-proxies", proxies];
        let Command::Serve(serve) = Cli::try_parse_from(all).unwrap().command else {
            panic!("serve")
        };
        let shown: Vec<_> = serve.trusted_proxies.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["127.0.0.1/32", "10.0.0.0/8", "2001:db8::/32", "::1/128"]);
    }

    #[test]
    fn public_urls_keep_their_host_at_another_port() {
        let url = parse_http_url("https://play.example").unwrap();
        assert_eq!(url.origin(), "https://play.example");
        assert_eq!(url.at_port(8081).origin(), "https://play.example:8081");
        assert_eq!(url.at_port(443).origin(), "https://play.example");
        assert_eq!(url.further(1, 8081).origin(), "https://play.example:8081");
        let given = parse_http_url("https://play.example:9000").unwrap();
        assert_eq!(given.further(1, 8081).origin(), "https://play.example:9001");
        let any = PublicUrl::of_listener("http", "0.0.0.0:8080".parse().unwrap());
        assert_eq!(any.origin(), "http://127.0.0.1:8080");
    }
}
