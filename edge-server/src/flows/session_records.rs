//! The coordination records of a session, made from the session in one place, so that
//! presence and ledger never tell different stories.

use shared::coordination::{LedgerPhase, PresenceRecord, ResumeLedgerRecord};
use shared::gameplay::RuntimeProfile;
use shared::ids::{InstanceId, UnixMillis};
use shared::limits::SESSION_RECORD_LIFE;
use shared::version::PayloadVersion;

use crate::domain::session_directory::PendingRealtimeSession;

/// Presence of a session at an instance, good from `now` for [`SESSION_RECORD_LIFE`].
#[must_use]
pub fn presence(
    session: &PendingRealtimeSession,
    instance: &InstanceId,
    now: UnixMillis,
) -> PresenceRecord {
    PresenceRecord {
        payload_version: PayloadVersion::CURRENT,
        account_id: session.account_id,
        character_id: session.character.id,
        session_token: session.session_token.clone(),
        epoch: session.character.epoch,
        instance: instance.clone(),
        placement: session.placement.clone(),
        profile: RuntimeProfile::quic_standard().name,
        expires_at: now.plus(SESSION_RECORD_LIFE),
    }
}

/// The ledger record of a session, good from `now` for [`SESSION_RECORD_LIFE`].
#[must_use]
pub fn ledger(
    session: &PendingRealtimeSession,
    instance: &InstanceId,
    phase: LedgerPhase,
    now: UnixMillis,
) -> ResumeLedgerRecord {
    ResumeLedgerRecord {
        payload_version: PayloadVersion::CURRENT,
        session_token: session.session_token.clone(),
        ticket: session.ticket.clone(),
        account_id: session.account_id,
        claims: session.claims.clone(),
        character_id: session.character.id,
        character_name: session.character.name.clone(),
        epoch: session.character.epoch,
        attempt_id: session.attempt_id,
        r#try: session.r#try,
        instance: instance.clone(),
        placement: session.placement.clone(),
        tile: session.character.tile,
        phase,
        expires_at: now.plus(SESSION_RECORD_LIFE),
    }
}
