//! The coordination records of a session, made from the session in one place, so that
//! presence and ledger never tell different stories.

use shared::coordination::{
    LedgerPhase, PresenceRecord, ResumeLedgerRecord, TokenHash, TransferActivated,
};
use shared::gameplay::RuntimeProfile;
use shared::ids::{InstanceId, UnixMillis};
use shared::limits::{PENDING_SESSION_LIFE, SESSION_RECORD_LIFE, TRANSFER_MARKER_LIFE};
use shared::version::PayloadVersion;

use crate::domain::session_directory::PendingRealtimeSession;
use crate::game::InstanceIdentity;

/// Presence of a session at a process of an instance, good from `now` for [`SESSION_RECORD_LIFE`].
#[must_use]
pub fn presence(
    session: &PendingRealtimeSession,
    instance: &InstanceIdentity,
    now: UnixMillis,
) -> PresenceRecord {
    PresenceRecord {
        payload_version: PayloadVersion::CURRENT,
        account_id: session.account_id,
        character_id: session.character.id,
        session_token: session.session_token.clone(),
        epoch: session.character.epoch,
        entry: session.character.entry,
        instance: instance.id.clone(),
        incarnation: instance.lease.incarnation(),
        placement: session.placement.clone(),
        profile: RuntimeProfile::quic_standard().name,
        expires_at: now.plus(SESSION_RECORD_LIFE),
    }
}

/// The ledger record of a session: good from `now` for as long as it waits for its claim,
/// and for [`SESSION_RECORD_LIFE`] once it has been claimed.
#[must_use]
pub fn ledger(
    session: &PendingRealtimeSession,
    instance: &InstanceIdentity,
    phase: LedgerPhase,
    now: UnixMillis,
) -> ResumeLedgerRecord {
    ResumeLedgerRecord {
        payload_version: PayloadVersion::CURRENT,
        session_token: session.session_token.clone(),
        ticket: session.ticket.clone(),
        handoff: session.handoff.clone(),
        account_id: session.account_id,
        claims: session.claims.clone(),
        login: session.login.clone(),
        character_id: session.character.id,
        character_name: session.character.name.clone(),
        epoch: session.character.epoch,
        attempt_id: session.attempt_id,
        r#try: session.r#try,
        instance: instance.id.clone(),
        incarnation: instance.lease.incarnation(),
        placement: session.placement.clone(),
        tile: session.character.tile,
        expires_at: now.plus(match phase {
            LedgerPhase::Pending => PENDING_SESSION_LIFE,
            LedgerPhase::Active(_) | LedgerPhase::Left(_) => SESSION_RECORD_LIFE,
        }),
        phase,
    }
}

/// How far a session has come that waits for its claim in this process.
#[must_use]
pub fn waiting_phase(session: &PendingRealtimeSession) -> LedgerPhase {
    session.claimed_before.clone().map_or(LedgerPhase::Pending, LedgerPhase::Active)
}

/// The marker that a session has activated the transfer of a handoff token.
#[must_use]
pub fn transfer_activated(
    session: &PendingRealtimeSession,
    token: TokenHash,
    instance: &InstanceId,
    now: UnixMillis,
) -> TransferActivated {
    TransferActivated {
        payload_version: PayloadVersion::CURRENT,
        token,
        character_id: session.character.id,
        session_token: session.session_token.clone(),
        epoch: session.character.epoch,
        instance: instance.clone(),
        expires_at: now.plus(TRANSFER_MARKER_LIFE),
    }
}
