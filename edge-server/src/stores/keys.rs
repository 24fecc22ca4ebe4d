//! Names of coordination records: the Redis keys of a deployment, and the row keys of the
//! embedded store, which keeps the same names.

use shared::coordination::{HandoffScope, TokenHash};
use shared::ids::{AccountId, CharacterId, InstanceId};
use shared::secret::SessionToken;

/// A prepared handoff under its scope.
#[must_use]
pub fn handoff(scope: &HandoffScope, token: &TokenHash) -> String {
    match scope {
        HandoffScope::Instance(instance) => format!("login:handoff:instance:{instance}:{token}"),
        HandoffScope::Placement(placement) => {
            format!("login:handoff:placement:{placement}:{token}")
        }
        HandoffScope::Port(port) => format!("login:handoff:port:{port}:{token}"),
    }
}

/// What every prepared handoff begins with, whatever its scope.
pub const HANDOFF_PREFIX: &str = "login:handoff:";
/// What presence by character begins with.
pub const PRESENCE_CHARACTER_PREFIX: &str = "presence:character:";
/// What every record of the resume ledger begins with.
pub const RESUME_LEDGER_PREFIX: &str = "realtime:resume:";

/// The marker that a handoff was consumed.
#[must_use]
pub fn handoff_consumed(token: &TokenHash) -> String {
    format!("login:handoff-consumed:{token}")
}

/// Where a handoff has been redirected.
#[must_use]
pub fn handoff_redirect(token: &TokenHash) -> String {
    format!("login:handoff-redirect:{token}")
}

/// What every promise of a seat begins with.
pub const HOLD_PREFIX: &str = "assign:hold:";
/// What every key with [`HOLD_PREFIX`] sorts before.
pub const HOLD_PREFIX_END: &str = "assign:hold;";

/// The promise of a seat to a handoff.
#[must_use]
pub fn hold(token: &TokenHash) -> String {
    format!("{HOLD_PREFIX}{token}")
}

/// The marker that a transfer was activated.
#[must_use]
pub fn transfer_activated(token: &TokenHash) -> String {
    format!("transfer:activated:{token}")
}

/// Presence of an account.
#[must_use]
pub fn presence_account(id: AccountId) -> String {
    format!("presence:account:{id}")
}

/// Presence of a character.
#[must_use]
pub fn presence_character(id: CharacterId) -> String {
    format!("{PRESENCE_CHARACTER_PREFIX}{id}")
}

/// The resume ledger of a session.
#[must_use]
pub fn resume_ledger(session: &SessionToken) -> String {
    format!("{RESUME_LEDGER_PREFIX}{}", session.expose())
}

/// A registered instance.
#[must_use]
pub fn instance(id: &InstanceId) -> String {
    format!("registry:instance:{id}")
}

/// What every entry of the lifecycle journal that waits begins with in the embedded store; in
/// Redis one hash holds them all.
pub const LIFECYCLE_QUEUE: &str = "session:lifecycle:queue";
/// Dead letters of the lifecycle journal, as those that wait.
pub const LIFECYCLE_DEAD: &str = "session:lifecycle:dead";

/// Entries of the lifecycle journal that an instance works on, as those that wait.
#[must_use]
pub fn lifecycle_processing(instance: &InstanceId) -> String {
    format!("session:lifecycle:processing:{instance}")
}
