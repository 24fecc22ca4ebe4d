//! The game-server handshake as a pure state machine: one effect at a time goes out, its
//! result comes back as the next event, and every step that holds something stands beside
//! its undo. Source: the spec's "Game-Server Handshake".
//!
//! Order matters. The token is consumed and the epoch compared before anybody is asked to
//! leave; other characters of the account are ended only once the epoch has been raised;
//! nothing is told to the client before presence is written and still belongs to it.
//! Once the epoch has been raised there is only forward: a failure after that undoes what
//! this instance holds, the row stays raised, and the same attempt may try again.

use shared::coordination::{HandoffCacheRecord, HandoffLookup, TokenHash};
use shared::gameplay::{GameHello, QUIC, RejectionCode};
use shared::ids::{CharacterId, InstanceId, Placement, SessionEpoch};
use shared::secret::SessionToken;
use shared::version::PROTOCOL_VERSION;

use super::authority::{Character, EpochRaise, EpochRaised, RaiseJudgement, RaisedBy, judge_raise};
use super::session_directory::{AdmissionRefused, PendingRealtimeSession, Reservation};

/// What the decision needs to know, ids and secrets included.
#[derive(Clone, Debug)]
pub struct HandshakeInput {
    /// What the client says of itself.
    pub hello: GameHello,
    /// Hash of the handoff token.
    pub token: TokenHash,
    /// The instance that decides.
    pub instance: InstanceId,
    /// The placements that it carries.
    pub carried: Vec<Placement>,
    /// A fresh name for the session.
    pub session_token: SessionToken,
    /// Hash of a fresh ticket.
    pub ticket: TokenHash,
}

/// A step for the flow to take.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Ask the control plane what the token is good for.
    Preflight,
    /// Hold a seat.
    Reserve {
        /// Where.
        placement: Placement,
        /// For whom.
        character: CharacterId,
    },
    /// Consume the token.
    Consume,
    /// Read the character, to learn whether the handoff is still current before anybody
    /// is asked to leave.
    ReadCharacter(CharacterId),
    /// Ask whoever plays the character to save and leave, and wait for it. A session that
    /// has a higher epoch than the one read here came later, and stays.
    ReleaseHolder {
        /// Which character.
        character: CharacterId,
        /// Its epoch as it was read.
        read: SessionEpoch,
    },
    /// Raise the character's epoch.
    RaiseEpoch(EpochRaise),
    /// Turn the reservation into a pending session, and end the account's other ones.
    Register(Reservation, PendingRealtimeSession),
    /// Write the pending session to the resume ledger.
    PersistLedger(PendingRealtimeSession),
    /// Write presence.
    WritePresence(PendingRealtimeSession),
    /// Ask whether the session still waits for its claim. Another entry of the account may
    /// have pushed it out, and removed its records before they were written.
    CheckStanding(PendingRealtimeSession),
    /// Undo of `Reserve`.
    ReleaseReservation(Reservation),
    /// Undo of `Register`.
    RemovePending(PendingRealtimeSession),
    /// Undo of `PersistLedger`, also of one whose outcome is unknown.
    RemoveLedger(PendingRealtimeSession),
    /// Undo of `WritePresence`, also of one whose outcome is unknown.
    RemovePresence(PendingRealtimeSession),
    /// The handshake is over.
    Finish(Outcome),
}

/// What came of an effect.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "one at a time, taken apart at once")]
pub enum Event {
    /// Of `Preflight` and `Consume`.
    Looked(HandoffLookup),
    /// The record is there and its payload version is unknown.
    PayloadUnreadable,
    /// Of `Reserve`.
    Reserved(Reservation),
    /// Of `Reserve`.
    Refused(AdmissionRefused),
    /// Of `ReadCharacter`; `None` where it does not exist.
    Read(Option<Box<Character>>),
    /// Of `ReleaseHolder`.
    Released,
    /// Of `RaiseEpoch`.
    Raised(EpochRaised),
    /// Of `Register`.
    Registered,
    /// Of `Register`: the seat was no longer held.
    ReservationEnded,
    /// Of `PersistLedger` and `WritePresence`.
    Written,
    /// Of `CheckStanding`.
    Stands,
    /// Of `Register`, `PersistLedger` and `WritePresence`: somebody with a higher epoch was
    /// there. Of `CheckStanding`: somebody entered meanwhile.
    Outranked,
    /// Of every undo, whether it worked or not: what is left ends by its expiry.
    Undone,
    /// The part that the effect needs does not answer.
    Unavailable,
}

/// How a handshake ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The client may claim this session.
    Accepted(Box<PendingRealtimeSession>),
    /// No, and trying the same again is no use.
    Rejected(RejectionCode),
    /// A part does not answer; the same attempt may try again.
    Unavailable,
}

/// Where a handshake stands. Data sits in the state that makes it valid.
#[derive(Debug)]
pub enum State {
    /// `Preflight` is out.
    Preflighting,
    /// `Reserve` is out.
    Reserving(Box<HandoffCacheRecord>),
    /// `Consume` is out.
    Consuming(Reservation),
    /// `ReadCharacter` is out.
    Reading(Reservation, Box<HandoffCacheRecord>),
    /// `ReleaseHolder` is out.
    Releasing(Reservation, Box<HandoffCacheRecord>),
    /// `RaiseEpoch` is out.
    Raising(Reservation, Box<HandoffCacheRecord>),
    /// `Register` is out.
    Registering(Box<PendingRealtimeSession>),
    /// `PersistLedger` is out.
    PersistingLedger(Box<PendingRealtimeSession>),
    /// `WritePresence` is out.
    WritingPresence(Box<PendingRealtimeSession>),
    /// `CheckStanding` is out.
    CheckingStanding(Box<PendingRealtimeSession>),
    /// An undo is out; these follow, last one first.
    Undoing(Vec<Effect>, Outcome),
    /// Over.
    Finished,
}

/// An event that the state does not wait for: a bug of the flow.
#[derive(Debug, thiserror::Error)]
#[error("handshake in state {state} cannot take {event}")]
pub struct IllegalEvent {
    state: String,
    event: String,
}

/// Checks the hello and gives the first step.
#[must_use]
pub fn begin(input: &HandshakeInput) -> (State, Effect) {
    if input.hello.protocol_version != PROTOCOL_VERSION {
        return finish(Outcome::Rejected(RejectionCode::ProtocolVersionUnsupported));
    }
    if !input.hello.transports.iter().any(|transport| transport == QUIC) {
        return finish(Outcome::Rejected(RejectionCode::TransportUnsupported));
    }
    (State::Preflighting, Effect::Preflight)
}

/// Takes the result of the effect that is out and gives the next one.
///
/// # Errors
/// [`IllegalEvent`] for an event that the state does not wait for.
pub fn step(
    input: &HandshakeInput,
    state: State,
    event: Event,
) -> Result<(State, Effect), IllegalEvent> {
    use RejectionCode as Code;
    Ok(match (state, event) {
        (State::Preflighting, Event::Looked(HandoffLookup::Found { record })) => {
            reserve(input, record)
        }
        (State::Preflighting, Event::Looked(lookup)) => finish(refusal(&lookup)),
        (State::Preflighting, Event::PayloadUnreadable) => {
            finish(Outcome::Rejected(Code::PayloadVersionUnsupported))
        }
        (State::Preflighting, Event::Unavailable) => finish(Outcome::Unavailable),

        (State::Reserving(_), Event::Reserved(seat)) => (State::Consuming(seat), Effect::Consume),
        (State::Reserving(_), Event::Refused(refused)) => {
            finish(Outcome::Rejected(match refused {
                AdmissionRefused::NotCarried => Code::WrongZone,
                AdmissionRefused::Full | AdmissionRefused::Draining => Code::ZoneFull,
            }))
        }

        (State::Consuming(seat), Event::Looked(HandoffLookup::Found { record })) => {
            let effect = Effect::ReadCharacter(record.character_id);
            (State::Reading(seat, record), effect)
        }
        (State::Consuming(seat), Event::Looked(lookup)) => release(seat, refusal(&lookup)),
        (State::Consuming(seat), Event::PayloadUnreadable) => {
            release(seat, Outcome::Rejected(Code::PayloadVersionUnsupported))
        }
        (State::Consuming(seat), Event::Unavailable) => release(seat, Outcome::Unavailable),

        (State::Reading(seat, record), Event::Read(Some(row))) => {
            match judge_raise(&row, record.expected_epoch, &raised_by(input)) {
                RaiseJudgement::Raise | RaiseJudgement::AlreadyOwn => {
                    let effect = Effect::ReleaseHolder { character: row.id, read: row.epoch };
                    (State::Releasing(seat, record), effect)
                }
                RaiseJudgement::Superseded => release(seat, Outcome::Rejected(Code::Superseded)),
            }
        }
        (State::Reading(seat, _), Event::Read(None)) => {
            release(seat, Outcome::Rejected(Code::Superseded))
        }
        (State::Reading(seat, _), Event::Unavailable) => release(seat, Outcome::Unavailable),

        (State::Releasing(seat, record), Event::Released) => {
            let raise = EpochRaise {
                character_id: record.character_id,
                expected: record.expected_epoch,
                by: raised_by(input),
            };
            (State::Raising(seat, record), Effect::RaiseEpoch(raise))
        }

        (State::Raising(seat, record), Event::Raised(EpochRaised::Raised(character))) => {
            let session = pending_session(input, &record, character);
            (State::Registering(Box::new(session.clone())), Effect::Register(seat, session))
        }
        (State::Raising(seat, _), Event::Raised(EpochRaised::Superseded | EpochRaised::Gone)) => {
            release(seat, Outcome::Rejected(Code::Superseded))
        }
        (State::Raising(seat, _), Event::Unavailable) => release(seat, Outcome::Unavailable),

        (State::Registering(session), Event::Registered) => {
            let effect = Effect::PersistLedger(*session.clone());
            (State::PersistingLedger(session), effect)
        }
        (State::Registering(_), Event::ReservationEnded) => finish(Outcome::Unavailable),
        (State::Registering(_), Event::Outranked) => finish(Outcome::Rejected(Code::Superseded)),

        (State::PersistingLedger(session), Event::Written) => {
            let effect = Effect::WritePresence(*session.clone());
            (State::WritingPresence(session), effect)
        }
        (State::PersistingLedger(session), Event::Outranked) => {
            undo(vec![remove_pending(&session)], Outcome::Rejected(Code::Superseded))
        }
        (State::PersistingLedger(session), Event::Unavailable) => {
            undo(vec![remove_pending(&session), remove_ledger(&session)], Outcome::Unavailable)
        }

        (State::WritingPresence(session), Event::Written) => {
            let effect = Effect::CheckStanding(*session.clone());
            (State::CheckingStanding(session), effect)
        }
        (State::WritingPresence(session), Event::Outranked) => undo(
            vec![remove_pending(&session), remove_ledger(&session)],
            Outcome::Rejected(Code::Superseded),
        ),
        (State::WritingPresence(session), Event::Unavailable) => undo(
            vec![remove_pending(&session), remove_ledger(&session), remove_presence(&session)],
            Outcome::Unavailable,
        ),

        (State::CheckingStanding(session), Event::Stands) => finish(Outcome::Accepted(session)),
        (State::CheckingStanding(session), Event::Outranked) => undo(
            vec![remove_ledger(&session), remove_presence(&session)],
            Outcome::Rejected(Code::Superseded),
        ),

        (State::Undoing(rest, outcome), Event::Undone) => undo(rest, outcome),
        (state, event) => {
            return Err(IllegalEvent { state: format!("{state:?}"), event: format!("{event:?}") });
        }
    })
}

fn reserve(input: &HandshakeInput, record: Box<HandoffCacheRecord>) -> (State, Effect) {
    let placement = &record.target_placement;
    let consistent = placement.zone == record.target_zone && placement.realm == record.realm_id;
    if !consistent || !input.carried.contains(placement) {
        return finish(Outcome::Rejected(RejectionCode::WrongZone));
    }
    let effect = Effect::Reserve { placement: placement.clone(), character: record.character_id };
    (State::Reserving(record), effect)
}

fn raised_by(input: &HandshakeInput) -> RaisedBy {
    RaisedBy {
        attempt_id: input.hello.attempt_id,
        r#try: input.hello.r#try,
        session_token: input.session_token.clone(),
        instance: input.instance.clone(),
    }
}

fn pending_session(
    input: &HandshakeInput,
    record: &HandoffCacheRecord,
    character: Character,
) -> PendingRealtimeSession {
    PendingRealtimeSession {
        session_token: input.session_token.clone(),
        ticket: input.ticket.clone(),
        account_id: record.account_id,
        claims: record.claims.clone(),
        character,
        placement: record.target_placement.clone(),
        attempt_id: input.hello.attempt_id,
        r#try: input.hello.r#try,
    }
}

fn refusal(lookup: &HandoffLookup) -> Outcome {
    Outcome::Rejected(match lookup {
        HandoffLookup::AlreadyConsumed => RejectionCode::HandoffAlreadyConsumed,
        HandoffLookup::Missing | HandoffLookup::Found { .. } => RejectionCode::HandoffMissing,
    })
}

fn finish(outcome: Outcome) -> (State, Effect) {
    (State::Finished, Effect::Finish(outcome))
}

fn release(seat: Reservation, outcome: Outcome) -> (State, Effect) {
    undo(vec![Effect::ReleaseReservation(seat)], outcome)
}

/// Takes the undos from the last one back to the first.
fn undo(mut rest: Vec<Effect>, outcome: Outcome) -> (State, Effect) {
    match rest.pop() {
        Some(effect) => (State::Undoing(rest, outcome), effect),
        None => finish(outcome),
    }
}

fn remove_pending(session: &PendingRealtimeSession) -> Effect {
    Effect::RemovePending(session.clone())
}

fn remove_presence(session: &PendingRealtimeSession) -> Effect {
    Effect::RemovePresence(session.clone())
}

fn remove_ledger(session: &PendingRealtimeSession) -> Effect {
    Effect::RemoveLedger(session.clone())
}

#[cfg(test)]
#[path = "handshake_tests.rs"]
mod tests;
