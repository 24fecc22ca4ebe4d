//! A claim whose session went with an earlier process, of this instance or another one: what
//! the ledger says takes the place of the handoff, and the handshake begins in its middle.

use shared::coordination::{LedgerPhase, ResumeLedgerRecord, TokenHash};
use shared::gameplay::{GameHello, QUIC, RejectionCode};
use shared::ids::{InstanceId, Placement};
use shared::version::PROTOCOL_VERSION;

use super::super::admission::{Entry, entry_of_ledger};
use super::super::authority::{Character, RaiseGround, is_raised_by};
use super::super::session_claims::opens;
use super::super::session_directory::PendingRealtimeSession;
use super::{Effect, HandshakeInput, Outcome, State, finish};

impl HandshakeInput {
    /// The input of a [`recover`]: what the session's own handshake had.
    #[must_use]
    pub fn of_ledger(
        record: &ResumeLedgerRecord,
        instance: InstanceId,
        carried: Vec<Placement>,
    ) -> Self {
        Self {
            hello: GameHello {
                protocol_version: PROTOCOL_VERSION,
                client_build: String::new(),
                transports: vec![QUIC.to_owned()],
                attempt_id: record.attempt_id,
                r#try: record.r#try,
            },
            // Nothing is looked up by it: the ledger stands for the handoff.
            token: record.ticket.clone(),
            instance,
            carried,
            session_token: record.session_token.clone(),
            ticket: record.ticket.clone(),
        }
    }
}

/// Brings back a session that an earlier process had, as the ledger has it: gives the first
/// step. `incarnation` is this process's, `secret` the hash of what the claim presents. It
/// is asked only for what this process does not have (any more).
#[must_use]
pub fn recover(
    input: &HandshakeInput,
    incarnation: u64,
    secret: &TokenHash,
    record: ResumeLedgerRecord,
) -> (State, Effect) {
    let opened = match &record.phase {
        LedgerPhase::Pending => record.ticket == *secret,
        LedgerPhase::Active(claims) | LedgerPhase::Left(claims) => opens(claims, secret),
    };
    if !opened {
        return finish(Outcome::Rejected(RejectionCode::Superseded));
    }
    let (instance, of) = (record.instance.clone(), record.incarnation);
    let was_left = matches!(record.phase, LedgerPhase::Left(_));
    let entry = Box::new(entry_of_ledger(&input.instance, record));
    if was_left {
        return reserve_again(entry);
    }
    if instance != input.instance {
        return (State::FindingProcess(entry, instance, of), Effect::ListInstances);
    }
    if of > incarnation {
        // A later process has this instance's name, and the session with it.
        return finish(Outcome::Unavailable);
    }
    reserve_again(entry)
}

/// Once it is known whether the process that had the session may still have it. Safety rests
/// on the raise; this spares a session that only one way of reaching it is broken.
pub(super) fn go_on(entry: Box<Entry>, may_still_play: bool) -> (State, Effect) {
    if may_still_play { finish(Outcome::Unavailable) } else { reserve_again(entry) }
}

fn reserve_again(entry: Box<Entry>) -> (State, Effect) {
    let effect =
        Effect::Reserve { placement: entry.placement.clone(), character: entry.character_id };
    (State::ReservingAgain(entry), effect)
}

/// A recovery raises from the epoch that is read, if the row is still the session's: an
/// earlier recovery may have raised, and died before it wrote the ledger.
pub(super) fn expect_own_raise(entry: &mut Entry, row: &Character) {
    if matches!(entry.ground, RaiseGround::Recovery { .. })
        && is_raised_by(row, &entry.by.session_token)
        && row.epoch >= entry.expected
    {
        entry.expected = row.epoch;
    }
}

/// The undos after a failure that may pass: a session that was played before keeps its record
/// in the ledger, for its claim to be repeated. Everything else is undone.
pub(super) fn for_a_while(session: &PendingRealtimeSession, undos: Vec<Effect>) -> Vec<Effect> {
    let kept = session.claimed_before.is_some();
    let stays = |undo: &Effect| kept && matches!(undo, Effect::RemoveLedger(_));
    undos.into_iter().filter(|undo| !stays(undo)).collect()
}
