//! A control plane over stores of its own, and the ways to reach it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use edge_server::clock::Clock;
use edge_server::domain::client_address::TrustedProxies;
use edge_server::http::{self, internal_routes, listener};
use edge_server::peers::control_plane::ControlPlane;
use edge_server::peers::http_control_plane::HttpControlPlane;
use edge_server::peers::in_process::InProcessControlPlane;
use edge_server::peers::service_token::ServiceToken;
use edge_server::peers::session_holders::{LocalHolders, SessionHolder};
use shared::control_plane::{HeldSession, InstanceDrain};
use shared::coordination::{
    HandoffCacheRecord, HandoffScope, InstanceRecord, PresenceRecord, ReleaseRequest,
    TransferActivated,
};
use shared::ids::{SessionEpoch, UnixMillis};
use shared::version::PayloadVersion;
use tests::clock::now;
use tests::patience::{SERVER_STOPPED, within};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::contract::family::{Family as _, Sqlite, Stores};
use crate::contract::family_redis::Deployed;
use crate::contract::samples;

/// The token of every control plane that is served here.
pub(crate) const SERVICE_TOKEN: &str = "the-service-token-of-these-tests";

pub(crate) fn service_token() -> ServiceToken {
    SERVICE_TOKEN.parse().unwrap()
}

/// See the module.
pub(crate) struct Rig {
    /// What is tested.
    pub(crate) control_plane: Arc<dyn ControlPlane>,
    /// The same without a way in between.
    pub(crate) direct: Arc<dyn ControlPlane>,
    /// Where everything is kept.
    pub(crate) family: Kept,
    /// The game server `edge-a`, as one who holds sessions.
    pub(crate) holder: Arc<Holder>,
    /// The server in between, if there is one.
    pub(crate) served: Option<Served>,
}

/// The stores of a control plane.
pub(crate) enum Kept {
    Embedded(Box<Sqlite>),
    Deployed(Box<Deployed>),
}

impl Kept {
    pub(crate) fn stores(&self) -> &Stores {
        match self {
            Self::Embedded(family) => family.stores(),
            Self::Deployed(family) => family.stores(),
        }
    }

    pub(crate) async fn coordination(&self) -> BTreeMap<String, String> {
        match self {
            Self::Embedded(family) => family.coordination().await,
            Self::Deployed(family) => family.coordination().await,
        }
    }

    pub(crate) async fn write_from_the_future(&self, key: &str) {
        match self {
            Self::Embedded(family) => family.write_from_the_future(key).await,
            Self::Deployed(family) => family.write_from_the_future(key).await,
        }
    }

    /// Takes them away from whoever still asks for them.
    pub(crate) async fn close(&mut self) {
        match self {
            Self::Embedded(family) => family.close().await,
            Self::Deployed(family) => family.close().await,
        }
    }
}

/// Writes down what it is asked to let go, and whether to admit nobody new.
#[derive(Default)]
pub(crate) struct Holder {
    releases: Mutex<Vec<ReleaseRequest>>,
    drains: Mutex<Vec<InstanceDrain>>,
}

impl Holder {
    pub(crate) fn asked(&self) -> Vec<ReleaseRequest> {
        self.releases.lock().unwrap().clone()
    }

    pub(crate) fn drained(&self) -> Vec<InstanceDrain> {
        self.drains.lock().unwrap().clone()
    }
}

#[async_trait]
impl SessionHolder for Holder {
    async fn release(&self, request: &ReleaseRequest) {
        self.releases.lock().unwrap().push(request.clone());
    }

    fn drain(&self, request: &InstanceDrain) {
        self.drains.lock().unwrap().push(request.clone());
    }
}

impl Rig {
    /// Asked as a part of the same process asks it.
    pub(crate) async fn in_process() -> Self {
        Self::over(Kept::Embedded(Box::new(Sqlite::fresh().await)))
    }

    fn over(family: Kept) -> Self {
        let stores = family.stores().clone();
        let (holders, holder) = (Arc::new(LocalHolders::default()), Arc::new(Holder::default()));
        holders.enter("edge-a".parse().unwrap(), &holder);
        let direct: Arc<dyn ControlPlane> = Arc::new(InProcessControlPlane {
            handoffs: stores.handoffs,
            holds: stores.holds,
            legacy_handoffs: stores.legacy_handoffs,
            transfers: stores.transfers,
            presence: stores.presence,
            registry: stores.registry,
            holders,
            clock: Clock,
        });
        Self { control_plane: direct.clone(), direct, family, holder, served: None }
    }

    /// Asked as another process asks it.
    pub(crate) async fn over_http() -> Self {
        Self::in_process().await.behind_http().await
    }

    /// The same over Postgres and Redis, as in a deployment.
    pub(crate) async fn deployed() -> Self {
        Self::over(Kept::Deployed(Box::new(Deployed::fresh().await))).behind_http().await
    }

    async fn behind_http(self) -> Self {
        let served = Served::start(self.direct.clone()).await;
        Self { control_plane: served.client(), served: Some(served), ..self }
    }

    /// Its address.
    pub(crate) fn address(&self) -> String {
        self.served.as_ref().expect("it is served").address.clone()
    }
}

/// The routes of a control plane on a port of this machine, as the server serves them.
pub(crate) struct Served {
    /// Such as `http://127.0.0.1:40001`.
    pub(crate) address: String,
    stopping: CancellationToken,
    serving: JoinHandle<()>,
}

impl Served {
    pub(crate) async fn start(control_plane: Arc<dyn ControlPlane>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let router = internal_routes::router(control_plane, service_token());
        let router = http::finish(router, TrustedProxies::new(&[]));
        let stopping = CancellationToken::new();
        let serving = tokio::spawn(listener::serve(
            listener,
            router,
            TrustedProxies::default(),
            stopping.clone(),
        ));
        Self { address, stopping, serving }
    }

    /// Who asks it.
    pub(crate) fn client(&self) -> Arc<dyn ControlPlane> {
        Arc::new(HttpControlPlane::new(std::slice::from_ref(&self.address), service_token()))
    }

    /// Ends it, so that nobody listens any more.
    pub(crate) async fn stop(mut self) {
        self.stopping.cancel();
        within("the control plane has stopped", SERVER_STOPPED, &mut self.serving).await.unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}

/// A while from now, by the clock that the control plane reads.
pub(crate) fn soon() -> UnixMillis {
    now().plus(Duration::from_secs(60))
}

/// A moment that has passed by the clock that the control plane reads.
pub(crate) fn past() -> UnixMillis {
    UnixMillis(now().0 - 1)
}

/// A handoff of character 1 to the harbor on `edge-a`.
pub(crate) fn handoff(number: u128) -> HandoffCacheRecord {
    let scope = HandoffScope::Instance("edge-a".parse().unwrap());
    HandoffCacheRecord { expires_at: soon(), ..samples::handoff(number, scope) }
}

/// Presence of character and account of this number at `edge-a`.
pub(crate) fn presence(number: u128, session: &str, epoch: u64) -> PresenceRecord {
    PresenceRecord { expires_at: soon(), ..samples::presence(number, number, session, epoch) }
}

/// That session as its game server holds it.
pub(crate) fn held(number: u128, session: &str, epoch: u64) -> HeldSession {
    let record = presence(number, session, epoch);
    HeldSession {
        account_id: record.account_id,
        character_id: record.character_id,
        session_token: record.session_token,
        epoch: record.epoch,
        entry: record.entry,
    }
}

/// A registered instance that carries the harbor.
pub(crate) fn instance(id: &str, incarnation: u64) -> InstanceRecord {
    InstanceRecord { expires_at: soon(), ..samples::instance(id, incarnation) }
}

/// A marker that the transfer with token 1 has been activated at `edge-b`.
pub(crate) fn activated(epoch: u64) -> TransferActivated {
    TransferActivated {
        payload_version: PayloadVersion::CURRENT,
        token: samples::token(1),
        character_id: samples::character_id(1),
        session_token: samples::session("at-the-target"),
        epoch: SessionEpoch(epoch),
        instance: "edge-b".parse().unwrap(),
        expires_at: soon(),
    }
}
