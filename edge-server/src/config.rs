//! Configuration: every flag has an environment variable, `--help` explains each, and a
//! bad value stops the start with one line that names it.

mod plan;
mod public_url;
mod refusals;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use ipnet::IpNet;
use shared::ids::{InstanceId, Placement};

pub use plan::{DatabaseFamily, Part, Peers, Plan, StoreUrls};
pub use public_url::PublicUrl;
pub use refusals::{ConfigError, bad_value};

use public_url::{parse_http_url, parse_origin, parse_peer_url, parse_realtime_url};

use crate::peers::service_token::{AdminToken, ServiceToken};
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
    /// Everything in one process
    All,
    /// Accounts, rosters, select, and the page
    Login,
    /// Allocation, handoffs, registry, presence
    ControlPlane,
    /// Zones and realtime sessions
    Game,
}

impl Role {
    /// As `--role` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Login => "login",
            Self::ControlPlane => "control-plane",
            Self::Game => "game",
        }
    }
}

/// Where the data is.
#[derive(Clone, Debug, Args)]
pub struct DatabaseArgs {
    /// The embedded store: sqlite://FILE, whose folder is made if it is missing. Or the
    /// durable half of a deployment: postgres://USER:PASSWORD@HOST/DATABASE
    #[arg(
        long,
        env = "EDGE_DATABASE_URL",
        hide_env_values = true,
        default_value = "sqlite://data/aether.sqlite"
    )]
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
    /// Where HTTP listens, of whatever role. The instances of role all take the ports after it; port 0 lets
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
    /// How other parts of the backend reach HTTP of a game server, such as
    /// http://10.0.0.8:8081. By default EDGE_PUBLIC_HTTP_URL where that begins with http://, or
    /// else the address that HTTP listens on
    #[arg(long, env = "EDGE_INTERNAL_HTTP_URL", value_parser = parse_peer_url)]
    pub internal_http_url: Option<PublicUrl>,
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
    /// The coordination half of a deployment, beside Postgres: redis://HOST:PORT. Refused
    /// beside SQLite, which keeps coordination data itself
    #[arg(long, env = "EDGE_REDIS_URL", hide_env_values = true)]
    pub redis_url: Option<String>,
    /// Where roles login and game reach the control planes, separated by commas, such as
    /// http://10.0.0.5:8080,http://10.0.0.6:8080. Any of them will do
    #[arg(
        long,
        env = "EDGE_CONTROL_PLANE_URLS",
        value_delimiter = ',',
        value_parser = parse_peer_url
    )]
    pub control_plane_urls: Vec<PublicUrl>,
    /// Name of a game server in the registry, such as game-1. No two that run may share one
    #[arg(long, env = "EDGE_INSTANCE_ID")]
    pub instance_id: Option<InstanceId>,
    /// What a game server carries: zones of realms separated by commas, such as
    /// dawn/harbor,dawn/meadow. Several game servers may carry the same
    #[arg(long, env = "EDGE_ZONES", value_delimiter = ',', value_parser = parse_zone)]
    pub zones: Vec<Placement>,
    /// Secret of at least 32 characters by which the parts of a backend know each other.
    /// With it they answer each other under /internal/v1/: keep that path from players.
    /// Role all can do without, and then the path answers 404. Rather set the variable than
    /// the flag, which other users of the machine can see
    #[arg(long, env = "EDGE_SERVICE_TOKEN", hide_env_values = true)]
    pub service_token: Option<ServiceToken>,
    /// Secret of at least 32 characters for those who run the deployment. With it roles
    /// control-plane and all answer under /admin/v1/: dead letters, sessions, what is wrong with
    /// a character. Without it that path answers 404. Keep it from players, and rather set
    /// the variable than the flag
    #[arg(long, env = "EDGE_ADMIN_TOKEN", hide_env_values = true)]
    pub admin_token: Option<AdminToken>,
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

fn parse_range(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let address = || text.parse::<std::net::IpAddr>().map(IpNet::from);
    text.parse::<IpNet>()
        .or_else(|_| address())
        .map(|range| range.trunc())
        .map_err(|_| "write an address or a range, such as 127.0.0.1 or 10.0.0.0/8".to_owned())
}

fn parse_zone(text: &str) -> Result<Placement, String> {
    let expected = || "write REALM/ZONE, such as dawn/harbor".to_owned();
    let placement: Placement = text.trim().parse().map_err(|_| expected())?;
    if placement.run.is_some() { Err(expected()) } else { Ok(placement) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &[&str], expected: &str) {
        let all = ["edge-server", "serve"].iter().chain(arguments);
        let line = match Cli::try_parse_from(all) {
            Err(error) => bad_value(&error).expect("a bad value").to_string(),
            Ok(Cli { command: Command::Serve(serve) }) => serve.plan().unwrap_err().to_string(),
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
        check(&["--admin-token", short], "\"…\" for --admin-token (EDGE_ADMIN_TOKEN)");
        check(&["--trusted-proxies", ""], "write an address or a range");
        check(&["--role", "game"], "role game cannot run on SQLite");
        check(&["--redis-url", "redis://127.0.0.1"], "EDGE_REDIS_URL does not go with SQLite");
        let [pg, redis] = ["--database-url=postgres://db/a", "--redis-url=redis://127.0.0.1"];
        check(&[pg], "set EDGE_REDIS_URL");
        check(&[pg, redis, "--role", "control-plane"], "control-plane needs EDGE_SERVICE_TOKEN");
        check(&[pg, redis, "--role", "login"], "login needs EDGE_CONTROL_PLANE_URLS");
        let peers = ["--control-plane-urls=http://a:1, http://b:2"];
        let game = [&[pg, redis, "--role", "game"], &peers[..]].concat();
        check(&game, "game needs EDGE_SERVICE_TOKEN");
        let token = "--service-token=0123456789abcdef0123456789abcdef";
        let game = [&game[..], &[token]].concat();
        check(&game, "game needs EDGE_INSTANCE_ID");
        let game = [&game[..], &["--instance-id=game-1"]].concat();
        check(&game, "game needs EDGE_ZONES");
        let zones = ["--zones=dawn/harbor", "--public-http-url=https://a", "--http-addr=0.0.0.0:1"];
        check(&[&game[..], &zones].concat(), "game needs EDGE_INTERNAL_HTTP_URL");
        check(&["--zones", "dawn"], "\"dawn\" for --zones (EDGE_ZONES): write REALM/ZONE");
        check(&["--zones", "dawn/crypt#7"], "(EDGE_ZONES): write REALM/ZONE");
        check(&["--instance-id", "Game 1"], "for --instance-id (EDGE_INSTANCE_ID)");
        check(&["--control-plane-urls", "https://a"], "(EDGE_CONTROL_PLANE_URLS): write http://");
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
}
