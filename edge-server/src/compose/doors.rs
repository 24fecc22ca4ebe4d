//! The ports of a process: all of them are taken before a store is opened, so that a second
//! start changes nothing.

use std::net::SocketAddr;

use anyhow::Context as _;
use shared::gameplay::RealtimeEndpoint;
use shared::ids::{InstanceId, Placement};
use shared::realtime::REALTIME_PATH;
use tokio::net::TcpListener;

use crate::clock::Clock;
use crate::config::{PublicUrl, ServeArgs};
use crate::realtime::{RealtimeConfig, RealtimeServer};
use crate::world::World;

/// A port for HTTP, taken and not yet served.
pub(super) struct Door {
    pub(super) listener: TcpListener,
    /// How browsers reach it.
    pub(super) public: PublicUrl,
    /// How other parts of the backend do.
    pub(super) internal: PublicUrl,
}

/// The ports of a game server.
pub(super) struct GameDoors {
    pub(super) id: InstanceId,
    pub(super) placements: Vec<Placement>,
    pub(super) http: Door,
    pub(super) realtime: RealtimeServer,
    pub(super) endpoint: RealtimeEndpoint,
    /// Origins of pages that may talk to it.
    pub(super) origins: Vec<String>,
}

impl Door {
    /// Takes the port for HTTP that the flags name.
    pub(super) async fn open(args: &ServeArgs) -> anyhow::Result<Self> {
        Self::further(args, 0).await
    }

    /// Takes the port so many further.
    async fn further(args: &ServeArgs, offset: u16) -> anyhow::Result<Self> {
        let listener = listen(port_after(args.http_addr, offset)?).await?;
        let address = listener.local_addr()?;
        let public = match &args.public_http_url {
            Some(url) if offset == 0 => url.clone(),
            Some(url) => url.further(offset, address.port()),
            None => PublicUrl::of_listener("http", address),
        };
        let internal = args.internal_url(offset, address, &public);
        Ok(Self { listener, public, internal })
    }
}

impl GameDoors {
    /// Takes the ports of a game server that is a process of its own.
    pub(super) async fn open(
        args: &ServeArgs,
        id: InstanceId,
        placements: Vec<Placement>,
    ) -> anyhow::Result<Self> {
        let http = Door::open(args).await?;
        Self::beside(args, id, placements, http, 0, args.allowed_origins.clone())
    }

    /// Takes the ports of every instance of role `all`, after those of its page.
    pub(super) async fn of_every_instance(
        args: &ServeArgs,
        world: &World,
        page: &Door,
    ) -> anyhow::Result<Vec<Self>> {
        let origins = origins_with(args, page)?;
        let mut all = Vec::new();
        for (index, settings) in (0u16..).zip(&world.file.instances) {
            let (id, placements) = (settings.id.clone(), world.file.placements(settings));
            let http = Door::further(args, 1 + index).await?;
            all.push(Self::beside(args, id, placements, http, index, origins.clone())?);
        }
        Ok(all)
    }

    fn beside(
        args: &ServeArgs,
        id: InstanceId,
        placements: Vec<Placement>,
        http: Door,
        index: u16,
        origins: Vec<String>,
    ) -> anyhow::Result<Self> {
        let addr = port_after(args.realtime_addr, index)?;
        let public = args
            .public_realtime_url
            .clone()
            .unwrap_or(PublicUrl { port: None, ..PublicUrl::of_listener("https", addr) });
        let (realtime, local, cert_hashes) = RealtimeServer::bind(RealtimeConfig {
            addr,
            public_url: public.origin(),
            allowed_origins: origins.clone(),
            now: Clock.now(),
        })?;
        let url = format!("{}{REALTIME_PATH}", public.further(index, local.port()).origin());
        let endpoint = RealtimeEndpoint { url, cert_hashes, healthy: true };
        Ok(Self { id, placements, http, realtime, endpoint, origins })
    }
}

/// The pages that may talk to game servers: those configured, and the one served here
/// under the names that a browser on this machine uses for it.
fn origins_with(args: &ServeArgs, page: &Door) -> anyhow::Result<Vec<String>> {
    let mut origins = args.allowed_origins.clone();
    origins.push(page.public.origin());
    let address = page.listener.local_addr()?;
    if address.ip().is_loopback() || address.ip().is_unspecified() {
        origins.push(format!("http://127.0.0.1:{}", address.port()));
        origins.push(format!("http://localhost:{}", address.port()));
    }
    origins.sort();
    origins.dedup();
    Ok(origins)
}

/// The address `offset` ports further; port 0 stays the system's choice.
fn port_after(base: SocketAddr, offset: u16) -> anyhow::Result<SocketAddr> {
    let port = match base.port() {
        0 => 0,
        port => port.checked_add(offset).with_context(|| {
            format!("there is no port {offset} after {base}: choose a lower port")
        })?,
    };
    Ok(SocketAddr::new(base.ip(), port))
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| {
        format!(
            "cannot listen on {address} (EDGE_HTTP_ADDR): stop what uses the port, or choose \
             another"
        )
    })
}
