//! Which process is killed at which step of which flow, and how it is held there.

use tests::fault_report::Row;
use tests::hold_line::Moment;

/// What goes on when the process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Select,
    Handshake,
    Claim,
    Disconnect,
}

/// Which process it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Login,
    Game,
    /// The one of the two that has the call in hand.
    ControlPlane,
}

/// A step of a flow as the line of a role tells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) flow: Flow,
    pub(super) name: &'static str,
    pub(super) role: Role,
    /// What the one that takes the step says then.
    pub(super) word: &'static str,
    /// For a control plane: what is said to its stores in the call.
    pub(super) inner: &'static str,
}

const fn step(flow: Flow, name: &'static str, role: Role, word: &'static str) -> Step {
    Step { flow, name, role, word, inner: "" }
}

const fn called(flow: Flow, name: &'static str, word: &'static str, inner: &'static str) -> Step {
    Step { flow, name, role: Role::ControlPlane, word, inner }
}

const CHARACTER_READ: &str = "FROM characters WHERE id = $1 AND deleted_at IS NULL";
const ASSIGN: &str = "/internal/v1/assign/game";
const PREPARE: &str = "/internal/v1/handoffs/prepare";
const PREFLIGHT: &str = "/internal/v1/handoffs/preflight";
const CONSUME: &str = "/internal/v1/handoffs/consume";
const PRESENCE: &str = "PUT /internal/v1/presence ";
const LEDGER: &str = "realtime:resume:";

/// Every step at which a process is killed, before it and after it.
pub(super) const STEPS: [Step; 21] = [
    step(Flow::Select, "login lookup", Role::Login, "SELECT accounts.id, accounts.username"),
    step(Flow::Select, "character read", Role::Login, CHARACTER_READ),
    step(Flow::Select, "assign", Role::Login, ASSIGN),
    step(Flow::Select, "prepare", Role::Login, PREPARE),
    called(Flow::Select, "assign", ASSIGN, "assign:hold:"),
    called(Flow::Select, "prepare", PREPARE, "login:handoff:"),
    step(Flow::Handshake, "preflight", Role::Game, PREFLIGHT),
    step(Flow::Handshake, "consume", Role::Game, CONSUME),
    step(Flow::Handshake, "read character", Role::Game, CHARACTER_READ),
    step(Flow::Handshake, "raise", Role::Game, "UPDATE characters SET session_epoch = $2"),
    step(Flow::Handshake, "ledger", Role::Game, LEDGER),
    step(Flow::Handshake, "presence", Role::Game, PRESENCE),
    called(Flow::Handshake, "preflight", PREFLIGHT, "login:handoff"),
    called(Flow::Handshake, "consume", CONSUME, "login:handoff"),
    called(Flow::Handshake, "presence", PRESENCE, "presence:character:"),
    step(Flow::Claim, "ledger", Role::Game, LEDGER),
    step(Flow::Claim, "mark claimed", Role::Game, "UPDATE characters SET claimed = TRUE"),
    step(Flow::Disconnect, "journal begin", Role::Game, r#""step":"save_place""#),
    step(Flow::Disconnect, "save place", Role::Game, "SET zone = place.zone"),
    step(Flow::Disconnect, "remove presence", Role::Game, "/internal/v1/presence/remove"),
    step(Flow::Disconnect, "remove ledger", Role::Game, LEDGER),
];

impl Step {
    /// The row of the report.
    pub(super) fn row(&self, moment: Moment, test: &str) -> Row {
        let flow = match self.flow {
            Flow::Select => "select",
            Flow::Handshake => "handshake",
            Flow::Claim => "claim",
            Flow::Disconnect => "disconnect",
        };
        let fault = match self.role {
            Role::Login => "login",
            Role::Game => "game",
            Role::ControlPlane => "control-plane",
        };
        Row::of_processes([flow, self.name, &moment.to_string(), fault], test)
    }
}
