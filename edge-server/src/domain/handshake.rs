//! The game-server handshake as a pure state machine: one effect at a time goes out, its
//! result comes back as the next event, and every step that holds something stands beside
//! its undo. Source: the spec's "Game-Server Handshake".
//!
//! Order matters. An instance that cannot admit the player sends it on before the token is
//! touched. The token is consumed and the epoch compared before anybody is asked to
//! leave; other characters of the account are ended only once the epoch has been raised;
//! nothing is told to the client before presence is written and still belongs to it.
//! Once the epoch has been raised there is only forward: a failure after that undoes what
//! this instance holds, the row stays raised, and the same attempt may try again.
//!
//! A claim whose session went with an earlier process, here or at another instance, enters
//! in the middle ([`recover`]): what the ledger says takes the place of the handoff. What
//! fails there for a while leaves the ledger's record, so that the claim may be repeated.

use shared::account::GameEndpoint;
use shared::coordination::{
    AssignRequest, Assignment, HandoffCacheRecord, HandoffLookup, InstanceRecord, Redirection,
    ReleaseRequest, TokenHash,
};
use shared::gameplay::{GameHello, QUIC, RejectionCode};
use shared::ids::{CharacterId, InstanceId, Placement, SessionEpoch};
use shared::limits::MAX_HANDSHAKE_REDIRECTS;
use shared::secret::SessionToken;
use shared::version::PROTOCOL_VERSION;

use super::admission::{Entry, entry_of_handoff, may_still_play, pending_session};
use super::authority::{
    Character, EpochRaise, EpochRaised, RaiseGround, RaiseJudgement, is_raised_by, judge_raise,
    standing_session,
};
use super::session_directory::{AdmissionRefused, PendingRealtimeSession, Reservation};

mod recovery;

pub use recovery::recover;

use self::recovery::for_a_while;

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
    /// Hash of the ticket of that session.
    pub ticket: TokenHash,
}

/// A step for the flow to take.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Ask the control plane what the token is good for.
    Preflight,
    /// Ask the registry who lives.
    ListInstances,
    /// Hold a seat.
    Reserve {
        /// Where.
        placement: Placement,
        /// For whom.
        character: CharacterId,
    },
    /// Ask the control plane for another instance.
    Assign(AssignRequest),
    /// Move the record and its promise of a seat there.
    Redirect(GameEndpoint),
    /// Consume the token.
    Consume,
    /// Look the login of the handoff up, if it needs one, and read the character: whether
    /// the handoff is still current is known before anybody is asked to leave.
    ReadCharacter(CharacterId, Option<TokenHash>),
    /// Look for the session that an earlier or equal try of this attempt has made.
    FindPending {
        /// Its name.
        token: SessionToken,
        /// Its epoch.
        epoch: SessionEpoch,
    },
    /// Ask whoever plays the character to save and leave, and wait for it; or, once the
    /// epoch has been raised, those of the account's other characters.
    Release(ReleaseRequest),
    /// Raise the character's epoch.
    RaiseEpoch(EpochRaise),
    /// Turn the reservation into a pending session, and end the account's other ones here.
    Register(Reservation, PendingRealtimeSession),
    /// Write the pending session to the resume ledger.
    PersistLedger(PendingRealtimeSession),
    /// Write presence.
    WritePresence(PendingRealtimeSession),
    /// Tell the control plane that the transfer is activated.
    ConfirmTransfer(PendingRealtimeSession, TokenHash),
    /// Ask whether the session still waits for its claim, its login lives, and the character
    /// is still its own. Another entry of the account may have pushed it out, and removed
    /// its records before they were written; so may a logout, or a deletion.
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
    /// The record is there and its payload version is unknown; of `Release`: presence is.
    PayloadUnreadable,
    /// Of `ListInstances`.
    Living(Vec<InstanceRecord>),
    /// Of `Reserve`.
    Reserved(Reservation),
    /// Of `Reserve`.
    Refused(AdmissionRefused),
    /// Of `Assign`.
    Assigned(Assignment),
    /// Of `Redirect`.
    Redirected(Redirection),
    /// Of `ReadCharacter`; `None` where it does not exist.
    Read(Option<Box<Character>>),
    /// Of `FindPending`: it waits for its claim, and everything of it is written.
    Found(Box<PendingRealtimeSession>),
    /// Of `FindPending`: it is not here any more.
    NotFound,
    /// Of `Release`, whether everybody has left or not: the raised epoch fences the rest.
    Released,
    /// Of `RaiseEpoch`.
    Raised(EpochRaised),
    /// Of `Register`.
    Registered,
    /// Of `Register`: the seat was no longer held.
    ReservationEnded,
    /// Of `PersistLedger`, `WritePresence` and `ConfirmTransfer`.
    Written,
    /// Of `CheckStanding`.
    Stands,
    /// Of `ReadCharacter` and `CheckStanding`: the login has ended.
    LoginEnded,
    /// Of `CheckStanding`: the character was deleted or raised over meanwhile.
    Gone,
    /// Of `Register`, `PersistLedger`, `WritePresence` and `ConfirmTransfer`: somebody with
    /// a higher epoch was there. Of `CheckStanding`: somebody entered meanwhile.
    Outranked,
    /// Of every undo, whether it worked or not: what is left ends by its expiry.
    Undone,
    /// The part that the effect needs does not answer; of `FindPending`: the handshake that
    /// makes the session is still under way.
    Unavailable,
}

/// How a handshake ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The client may claim this session.
    Accepted(Box<PendingRealtimeSession>),
    /// The client shall present the same token there.
    Redirected(GameEndpoint),
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
    /// `Assign` is out; what the client is told where nobody has room.
    Assigning(RejectionCode),
    /// `Redirect` is out; what the client is told where the token cannot leave.
    Redirecting(RejectionCode),
    /// `Consume` is out.
    Consuming(Reservation),
    /// `ReadCharacter` is out.
    Reading(Reservation, Box<Entry>),
    /// `FindPending` is out.
    FindingPending(Reservation),
    /// `Release` of the character is out.
    ReleasingHolder(Reservation, Box<Entry>),
    /// `ListInstances` is out for a session that this process of another instance had.
    FindingProcess(Box<Entry>, InstanceId, u64),
    /// `Reserve` is out for a session of the ledger.
    ReservingAgain(Box<Entry>),
    /// `RaiseEpoch` is out.
    Raising(Reservation, Box<Entry>),
    /// `ReadCharacter` is out: who was it that raised before a recovery?
    ReadingRival(Reservation, Box<Entry>),
    /// `Register` is out.
    Registering(Box<PendingRealtimeSession>),
    /// `Release` of the account's other characters is out.
    ReleasingEarlier(Box<PendingRealtimeSession>),
    /// `PersistLedger` is out.
    PersistingLedger(Box<PendingRealtimeSession>),
    /// `WritePresence` is out.
    WritingPresence(Box<PendingRealtimeSession>),
    /// `ConfirmTransfer` is out.
    ConfirmingTransfer(Box<PendingRealtimeSession>),
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

/// Takes the result of the effect that is out and gives the next one. `input` is that of
/// [`begin`]; a recovery reads nothing of it.
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
        (State::Preflighting, Event::Looked(lookup)) => finish(not_found(lookup)),
        (State::Preflighting, Event::PayloadUnreadable) => {
            finish(Outcome::Rejected(Code::PayloadVersionUnsupported))
        }
        (State::Preflighting, Event::Unavailable) => finish(Outcome::Unavailable),

        (State::Reserving(_), Event::Reserved(seat)) => (State::Consuming(seat), Effect::Consume),
        (State::Reserving(record), Event::Refused(refused)) => send_on(input, *record, refused),

        (State::Assigning(otherwise), Event::Assigned(Assignment::Assigned { endpoint })) => {
            (State::Redirecting(otherwise), Effect::Redirect(endpoint))
        }
        (State::Assigning(otherwise), Event::Assigned(_)) => finish(Outcome::Rejected(otherwise)),
        (State::Assigning(_), Event::Unavailable) => finish(Outcome::Unavailable),

        (State::Redirecting(_), Event::Redirected(Redirection::Moved { to })) => {
            finish(Outcome::Redirected(to))
        }
        (State::Redirecting(_), Event::Redirected(Redirection::Missing)) => {
            finish(Outcome::Rejected(Code::HandoffMissing))
        }
        (State::Redirecting(_), Event::Redirected(Redirection::AlreadyConsumed)) => {
            finish(Outcome::Rejected(Code::HandoffAlreadyConsumed))
        }
        // An earlier try of this attempt consumed it and gave its seat back.
        (State::Redirecting(otherwise), Event::Redirected(Redirection::ConsumedBySelf)) => {
            finish(Outcome::Rejected(otherwise))
        }
        (State::Redirecting(_), Event::PayloadUnreadable) => {
            finish(Outcome::Rejected(Code::PayloadVersionUnsupported))
        }
        (State::Redirecting(_), Event::Unavailable) => finish(Outcome::Unavailable),

        (State::Consuming(seat), Event::Looked(HandoffLookup::Found { record })) => {
            let entry = entry_of_handoff(input, *record);
            let effect = Effect::ReadCharacter(entry.character_id, entry.needed_login());
            (State::Reading(seat, Box::new(entry)), effect)
        }
        (State::Consuming(seat), Event::Looked(lookup)) => release(seat, not_found(lookup)),
        (State::Consuming(seat), Event::PayloadUnreadable) => {
            release(seat, Outcome::Rejected(Code::PayloadVersionUnsupported))
        }
        (State::Consuming(seat), Event::Unavailable) => release(seat, Outcome::Unavailable),

        (State::Reading(seat, entry), Event::Read(Some(row))) => judge(seat, entry, &row),
        (State::Reading(seat, _), Event::Read(None)) => {
            release(seat, Outcome::Rejected(Code::Superseded))
        }
        (State::Reading(seat, _), Event::LoginEnded) => {
            release(seat, Outcome::Rejected(Code::LoginEnded))
        }
        (State::Reading(seat, _), Event::Unavailable) => release(seat, Outcome::Unavailable),

        (State::FindingPending(seat), Event::Found(session)) => {
            release(seat, Outcome::Accepted(session))
        }
        (State::FindingPending(seat), Event::NotFound) => {
            release(seat, Outcome::Rejected(Code::Superseded))
        }
        (State::FindingPending(seat), Event::Unavailable) => release(seat, Outcome::Unavailable),

        (State::ReleasingHolder(seat, entry), Event::Released) => raise(seat, entry),
        // A server of another version plays the account: it cannot be asked, and is not
        // thrown out unasked.
        (State::ReleasingHolder(seat, _), Event::PayloadUnreadable) => {
            release(seat, Outcome::Rejected(Code::PayloadVersionUnsupported))
        }

        (State::FindingProcess(entry, instance, incarnation), Event::Living(living)) => {
            recovery::go_on(entry, may_still_play(&living, &instance, incarnation))
        }
        (State::FindingProcess(..), Event::Unavailable) => finish(Outcome::Unavailable),

        (State::ReservingAgain(entry), Event::Reserved(seat)) => {
            let effect = Effect::ReadCharacter(entry.character_id, entry.needed_login());
            (State::Reading(seat, entry), effect)
        }
        (State::ReservingAgain(_), Event::Refused(AdmissionRefused::NotCarried)) => {
            finish(Outcome::Rejected(Code::WrongZone))
        }
        // Somebody may leave, and another instance may have room.
        (State::ReservingAgain(_), Event::Refused(_)) => finish(Outcome::Unavailable),

        (State::Raising(seat, entry), Event::Raised(EpochRaised::Raised(character))) => {
            let session = pending_session(*entry, character);
            (State::Registering(Box::new(session.clone())), Effect::Register(seat, session))
        }
        (State::Raising(seat, entry), Event::Raised(EpochRaised::Superseded))
            if matches!(entry.ground, RaiseGround::Recovery { .. }) =>
        {
            let effect = Effect::ReadCharacter(entry.character_id, None);
            (State::ReadingRival(seat, entry), effect)
        }
        (State::Raising(seat, _), Event::Raised(EpochRaised::Superseded | EpochRaised::Gone)) => {
            release(seat, Outcome::Rejected(Code::Superseded))
        }
        (State::Raising(seat, _), Event::Raised(EpochRaised::LoginEnded)) => {
            release(seat, Outcome::Rejected(Code::LoginEnded))
        }
        (State::Raising(seat, _), Event::Unavailable) => release(seat, Outcome::Unavailable),

        // The same session is being brought back by another claim: it will be there in a moment.
        (State::ReadingRival(seat, entry), Event::Read(Some(row)))
            if is_raised_by(&row, &entry.by.session_token) && row.epoch > entry.expected =>
        {
            release(seat, Outcome::Unavailable)
        }
        (State::ReadingRival(seat, _), Event::Read(_)) => {
            release(seat, Outcome::Rejected(Code::Superseded))
        }
        (State::ReadingRival(seat, _), Event::Unavailable) => release(seat, Outcome::Unavailable),

        (State::Registering(session), Event::Registered) => match &session.transfer {
            // The source waits frozen for the confirmation, and its client for the Welcome.
            Some(_) => persist_ledger(session),
            None => {
                let release = ReleaseRequest::EarlierEntries {
                    account_id: session.account_id,
                    before: session.character.entry,
                };
                (State::ReleasingEarlier(session), Effect::Release(release))
            }
        },
        (State::Registering(_), Event::ReservationEnded) => finish(Outcome::Unavailable),
        (State::Registering(_), Event::Outranked) => finish(Outcome::Rejected(Code::Superseded)),

        (State::ReleasingEarlier(session), Event::Released) => persist_ledger(session),
        (State::ReleasingEarlier(session), Event::PayloadUnreadable) => {
            undo(vec![remove_pending(&session)], Outcome::Rejected(Code::PayloadVersionUnsupported))
        }

        (State::PersistingLedger(session), Event::Written) => {
            let effect = Effect::WritePresence(*session.clone());
            (State::WritingPresence(session), effect)
        }
        (State::PersistingLedger(session), Event::Outranked) => {
            undo(vec![remove_pending(&session)], Outcome::Rejected(Code::Superseded))
        }
        (State::PersistingLedger(session), Event::Unavailable) => {
            let written = vec![remove_pending(&session), remove_ledger(&session)];
            undo(for_a_while(&session, written), Outcome::Unavailable)
        }

        (State::WritingPresence(session), Event::Written) => match session.transfer.clone() {
            Some(token) => {
                let effect = Effect::ConfirmTransfer(*session.clone(), token);
                (State::ConfirmingTransfer(session), effect)
            }
            None => check_standing(session),
        },
        (State::WritingPresence(session), Event::Outranked) => undo(
            vec![remove_pending(&session), remove_ledger(&session)],
            Outcome::Rejected(Code::Superseded),
        ),
        (State::WritingPresence(session), Event::Unavailable) => {
            undo(for_a_while(&session, everything(&session)), Outcome::Unavailable)
        }

        (State::ConfirmingTransfer(session), Event::Written) => check_standing(session),
        (State::ConfirmingTransfer(session), Event::Outranked) => {
            undo(everything(&session), Outcome::Rejected(Code::Superseded))
        }
        (State::ConfirmingTransfer(session), Event::Unavailable) => {
            undo(for_a_while(&session, everything(&session)), Outcome::Unavailable)
        }

        (State::CheckingStanding(session), Event::Stands) => finish(Outcome::Accepted(session)),
        (State::CheckingStanding(session), Event::Outranked) => undo(
            vec![remove_ledger(&session), remove_presence(&session)],
            Outcome::Rejected(Code::Superseded),
        ),
        (State::CheckingStanding(session), Event::LoginEnded) => {
            undo(everything(&session), Outcome::Rejected(Code::LoginEnded))
        }
        (State::CheckingStanding(session), Event::Gone) => {
            undo(everything(&session), Outcome::Rejected(Code::Superseded))
        }
        (State::CheckingStanding(session), Event::Unavailable) => {
            undo(for_a_while(&session, everything(&session)), Outcome::Unavailable)
        }

        (State::Undoing(rest, outcome), Event::Undone) => undo(rest, outcome),
        (state, event) => {
            return Err(IllegalEvent { state: format!("{state:?}"), event: format!("{event:?}") });
        }
    })
}

fn reserve(input: &HandshakeInput, record: Box<HandoffCacheRecord>) -> (State, Effect) {
    let placement = &record.target_placement;
    let mut consistent = placement.zone == record.target_zone
        && placement.realm == record.realm_id
        && placement.run == record.dungeon_run_id;
    if let Some(transfer) = &record.transfer {
        consistent &= transfer.target_zone == record.target_zone;
    }
    if !consistent {
        return finish(Outcome::Rejected(RejectionCode::WrongZone));
    }
    if !input.carried.contains(placement) {
        return send_on(input, *record, AdmissionRefused::NotCarried);
    }
    let effect = Effect::Reserve { placement: placement.clone(), character: record.character_id };
    (State::Reserving(record), effect)
}

/// Looks for another instance that has not been asked yet, a bounded number of times.
fn send_on(
    input: &HandshakeInput,
    record: HandoffCacheRecord,
    refused: AdmissionRefused,
) -> (State, Effect) {
    let otherwise = match refused {
        AdmissionRefused::NotCarried => RejectionCode::WrongZone,
        AdmissionRefused::Full | AdmissionRefused::Draining => RejectionCode::ZoneFull,
    };
    let mut excluding = record.redirected_from;
    if excluding.len() >= MAX_HANDSHAKE_REDIRECTS as usize {
        return finish(Outcome::Rejected(otherwise));
    }
    excluding.push(input.instance.clone());
    let request = AssignRequest {
        placement: record.target_placement,
        account_id: record.account_id,
        hold_for: record.token,
        excluding,
        seated_at: None,
    };
    (State::Assigning(otherwise), Effect::Assign(request))
}

fn judge(seat: Reservation, mut entry: Box<Entry>, row: &Character) -> (State, Effect) {
    recovery::expect_own_raise(&mut entry, row);
    match judge_raise(row, &entry.raise()) {
        RaiseJudgement::Raise | RaiseJudgement::AlreadyOwn => match entry.ground {
            // The source is frozen and has flushed; the raise is what ends it. Whoever had the
            // session that comes back is gone, or fenced by the raise.
            RaiseGround::Transfer { .. } | RaiseGround::Recovery { .. } => raise(seat, entry),
            RaiseGround::Admission { .. } => {
                let release = ReleaseRequest::Character {
                    account_id: row.account_id,
                    character_id: row.id,
                    up_to: row.epoch,
                };
                (State::ReleasingHolder(seat, entry), Effect::Release(release))
            }
        },
        RaiseJudgement::Superseded => match standing_session(row, &entry.by) {
            Some(token) if !matches!(entry.ground, RaiseGround::Recovery { .. }) => {
                let effect = Effect::FindPending { token: token.clone(), epoch: row.epoch };
                (State::FindingPending(seat), effect)
            }
            _ => release(seat, Outcome::Rejected(RejectionCode::Superseded)),
        },
    }
}

fn raise(seat: Reservation, entry: Box<Entry>) -> (State, Effect) {
    let effect = Effect::RaiseEpoch(entry.raise());
    (State::Raising(seat, entry), effect)
}

fn persist_ledger(session: Box<PendingRealtimeSession>) -> (State, Effect) {
    let effect = Effect::PersistLedger(*session.clone());
    (State::PersistingLedger(session), effect)
}

fn check_standing(session: Box<PendingRealtimeSession>) -> (State, Effect) {
    let effect = Effect::CheckStanding(*session.clone());
    (State::CheckingStanding(session), effect)
}

/// What a lookup that did not find the record means to the client.
fn not_found(lookup: HandoffLookup) -> Outcome {
    match lookup {
        HandoffLookup::AlreadyConsumed => Outcome::Rejected(RejectionCode::HandoffAlreadyConsumed),
        HandoffLookup::Redirected { to } => Outcome::Redirected(to),
        HandoffLookup::Missing | HandoffLookup::Found { .. } => {
            Outcome::Rejected(RejectionCode::HandoffMissing)
        }
    }
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

/// The undos of everything that a registered session holds.
fn everything(session: &PendingRealtimeSession) -> Vec<Effect> {
    vec![remove_pending(session), remove_ledger(session), remove_presence(session)]
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
#[path = "handshake_model.rs"]
mod model;
#[cfg(test)]
#[path = "handshake/recovery_tests.rs"]
mod recovery_tests;
#[cfg(test)]
#[path = "handshake_tests.rs"]
mod tests;
