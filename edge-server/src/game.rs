//! A game-server instance: what its flows, its realtime endpoint and its HTTP routes
//! share. It owns reservations, pending and active sessions, and the zones they play in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, RwLock};

use shared::coordination::HandoffClaimant;
use shared::gameplay::RealtimeEndpoint;
use shared::ids::{AttemptId, InstanceId, Placement};

use crate::clock::{Clock, TicketPress};
use crate::domain::session_directory::SessionDirectory;
use crate::flows::session_lifecycle::Backlog;
use crate::lease::Lease;
use crate::peers::control_plane::ControlPlane;
use crate::session_handle::SessionHandle;
use crate::stores::{CharacterStore, LifecycleJournal, LoginStore, ResumeLedgerStore};
use crate::world::World;
use crate::world::zone::ZoneHandle;

/// What an instance is called and where it is reached.
#[derive(Clone, Debug)]
pub struct InstanceIdentity {
    /// Its id.
    pub id: InstanceId,
    /// Whether it may act, and under which number it is registered.
    pub lease: Arc<Lease>,
    /// Its HTTP origin for players.
    pub http_url: String,
    /// Where other parts of the backend reach it.
    pub internal_url: String,
    /// Its HTTP port as players reach it, for the legacy handoff scope.
    pub http_port: u16,
}

/// A running game-server instance.
pub struct GameServer {
    /// Its name and address.
    pub identity: InstanceIdentity,
    /// Characters: the durable arbiter.
    pub characters: Arc<dyn CharacterStore>,
    /// Logins: a session is let in for one that is alive.
    pub logins: Arc<dyn LoginStore>,
    /// The resume ledger, which game servers write themselves.
    pub ledger: Arc<dyn ResumeLedgerStore>,
    /// What is left to be done of sessions that have ended.
    pub journal: Arc<dyn LifecycleJournal>,
    /// What the journal could not be told.
    pub backlog: Backlog,
    /// Everything that roles do together.
    pub control_plane: Arc<dyn ControlPlane>,
    /// Maps and zones.
    pub world: Arc<World>,
    /// The zones that it carries.
    pub zones: BTreeMap<Placement, ZoneHandle>,
    /// The clock.
    pub clock: Clock,
    /// Makes the tickets of its sessions.
    pub tickets: TicketPress,
    /// Where sessions are claimed; certificates change over time.
    pub endpoints: RwLock<Vec<RealtimeEndpoint>>,
    /// Held while the ledger is written for a session that plays: a renewal that is slow must
    /// not overwrite the secrets of a claim that came after it.
    pub ledger_turn: tokio::sync::Mutex<()>,
    directory: Mutex<SessionDirectory<SessionHandle>>,
}

/// What an instance asks outside of itself.
pub struct GameServerPorts {
    /// Characters: the durable arbiter.
    pub characters: Arc<dyn CharacterStore>,
    /// Logins: a session is let in for one that is alive.
    pub logins: Arc<dyn LoginStore>,
    /// The resume ledger, which game servers write themselves.
    pub ledger: Arc<dyn ResumeLedgerStore>,
    /// What is left to be done of sessions that have ended.
    pub journal: Arc<dyn LifecycleJournal>,
    /// Everything that roles do together.
    pub control_plane: Arc<dyn ControlPlane>,
}

/// One placement that an instance carries.
pub struct CarriedZone {
    /// Its actor.
    pub zone: ZoneHandle,
    /// Its seats.
    pub capacity: u32,
}

impl GameServer {
    /// An instance with nobody in it.
    #[must_use]
    pub fn new(
        identity: InstanceIdentity,
        ports: GameServerPorts,
        world: Arc<World>,
        carried: BTreeMap<Placement, CarriedZone>,
        endpoints: Vec<RealtimeEndpoint>,
    ) -> Self {
        let capacities = carried.iter().map(|(at, zone)| (at.clone(), zone.capacity)).collect();
        Self {
            identity,
            characters: ports.characters,
            logins: ports.logins,
            ledger: ports.ledger,
            journal: ports.journal,
            backlog: Backlog::default(),
            control_plane: ports.control_plane,
            world,
            zones: carried.into_iter().map(|(at, carried)| (at, carried.zone)).collect(),
            clock: Clock,
            tickets: TicketPress::new(),
            endpoints: RwLock::new(endpoints),
            ledger_turn: tokio::sync::Mutex::new(()),
            directory: Mutex::new(SessionDirectory::new(capacities)),
        }
    }

    /// The sessions of the instance. The guard must not live across an await.
    pub fn directory(&self) -> MutexGuard<'_, SessionDirectory<SessionHandle>> {
        // A poisoned lock means that a decision panicked; its state was not half written,
        // because decisions change it only after their last check.
        self.directory.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whether it may act: its lease is held by its own clock.
    #[must_use]
    pub fn may_act(&self) -> bool {
        self.identity.lease.is_held(self.clock.moment())
    }

    /// Where its sessions are claimed now.
    #[must_use]
    pub fn endpoints(&self) -> Vec<RealtimeEndpoint> {
        self.endpoints.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// The instance as it asks the control plane for a handoff.
    #[must_use]
    pub fn claimant(&self, attempt_id: AttemptId) -> HandoffClaimant {
        HandoffClaimant {
            attempt_id,
            instance: self.identity.id.clone(),
            placements: self.zones.keys().cloned().collect(),
            port: self.identity.http_port,
        }
    }
}
