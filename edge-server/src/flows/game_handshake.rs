//! Drives a handshake: takes each effect of [`crate::domain::handshake`] to its port and
//! the result back. It decides nothing.

use shared::coordination::{ReleaseRequest, ResumeLedgerRecord, TokenHash};
use shared::gameplay::{
    ActivatedCharacter, HandshakeRequest, HandshakeResponse, RealtimeSessionActivation, Rejection,
    RuntimeProfile,
};
use shared::ids::{CharacterId, SessionEpoch};
use shared::realtime::message::ByeCode;
use shared::secret::SessionToken;

use super::release_sessions::{all_left, begin_release, end_displaced};
use super::{Refusal, disconnect, session_records};
use crate::clock::{hash_token, new_session_token};
use crate::domain::handshake::{
    Effect, Event, HandshakeInput, Outcome, State, begin, recover, step,
};
use crate::domain::session_directory::{PendingRealtimeSession, RegistrationRefused};
use crate::game::GameServer;
use crate::peers::control_plane::{ControlPlaneError, ControlPlaneResult};
use crate::stores::{EpochWrite, StoreResult};

/// Answers a handshake.
///
/// # Errors
/// 503 with Retry-After when a part does not answer; what the handshake held is given
/// back, and the same attempt may come again with a higher try.
pub async fn run(
    game: &GameServer,
    request: HandshakeRequest,
) -> Result<HandshakeResponse, Refusal> {
    if !game.may_act() {
        // It does not know who has its characters by now.
        count("unavailable");
        return Err(Refusal::unavailable());
    }
    let session_token = new_session_token();
    let input = HandshakeInput {
        token: hash_token(request.token.expose()),
        instance: game.identity.id.clone(),
        carried: game.zones.keys().cloned().collect(),
        ticket: hash_token(game.tickets.ticket(&session_token).expose()),
        session_token,
        hello: request.hello,
    };
    match drive(game, &input, begin(&input)).await {
        Outcome::Accepted(session) => {
            count("accepted");
            accept(game, *session)
        }
        Outcome::Redirected(to) => {
            count("redirected");
            Ok(HandshakeResponse::redirect(to))
        }
        Outcome::Rejected(code) => {
            count("rejected");
            Ok(HandshakeResponse::reject(Rejection::of(code)))
        }
        Outcome::Unavailable => {
            count("unavailable");
            Err(Refusal::unavailable())
        }
    }
}

/// Brings back the session of a ledger record that an earlier process had, here or at
/// another instance, if `secret` opens it: it waits for its claim then.
pub async fn run_recovery(
    game: &GameServer,
    secret: &TokenHash,
    record: ResumeLedgerRecord,
) -> Outcome {
    let carried = game.zones.keys().cloned().collect();
    let identity = &game.identity;
    let input = HandshakeInput::of_ledger(&record, identity.id.clone(), carried);
    let first = recover(&input, identity.lease.incarnation(), secret, record);
    drive(game, &input, first).await
}

fn count(outcome: &'static str) {
    metrics::counter!("aether_handshakes_total", "outcome" => outcome).increment(1);
}

async fn drive(game: &GameServer, input: &HandshakeInput, first: (State, Effect)) -> Outcome {
    let (mut state, mut effect) = first;
    loop {
        if let Effect::Finish(outcome) = effect {
            return outcome;
        }
        let event = take(game, input, effect).await;
        (state, effect) = match step(input, state, event) {
            Ok(next) => next,
            Err(error) => {
                tracing::error!(%error, "the handshake flow broke its own order");
                return Outcome::Unavailable;
            }
        };
    }
}

async fn take(game: &GameServer, input: &HandshakeInput, effect: Effect) -> Event {
    let now = game.clock.now();
    match effect {
        Effect::Preflight => {
            let claimant = game.claimant(input.hello.attempt_id);
            let looked = game.control_plane.preflight(&input.token, &claimant).await;
            answered("look a handoff up", looked.map(Event::Looked))
        }
        Effect::Consume => {
            let claimant = game.claimant(input.hello.attempt_id);
            let looked = game.control_plane.consume(&input.token, &claimant).await;
            answered("consume a handoff", looked.map(Event::Looked))
        }
        Effect::ListInstances => match game.control_plane.instances().await {
            Ok(living) => Event::Living(living),
            Err(error) => unavailable("list the instances", &error),
        },
        Effect::Reserve { placement, character } => {
            match game.directory().reserve(&placement, character, now) {
                Ok(seat) => Event::Reserved(seat),
                Err(refused) => Event::Refused(refused),
            }
        }
        Effect::Assign(request) => match game.control_plane.assign(&request).await {
            Ok(assignment) => Event::Assigned(assignment),
            Err(error) => unavailable("find another instance", &error),
        },
        Effect::Redirect(to) => {
            let claimant = game.claimant(input.hello.attempt_id);
            let moved = game.control_plane.redirect(&input.token, &claimant, &to).await;
            answered("redirect a handoff", moved.map(Event::Redirected))
        }
        Effect::ReadCharacter(id, login) => match read_character(game, id, login).await {
            Ok(read) => read,
            Err(error) => unavailable("read the character", &error),
        },
        Effect::FindPending { token, epoch } => find_pending(game, &token, epoch),
        Effect::Release(request) => release(game, &request).await,
        Effect::RaiseEpoch(raise) => match game.characters.raise_epoch(&raise, now).await {
            Ok(raised) => Event::Raised(raised),
            Err(error) => unavailable("raise the epoch", &error),
        },
        Effect::Register(seat, session) => {
            let registered = game.directory().register(seat, session, now);
            match registered {
                Ok(displaced) => {
                    // Waited for by the release that follows.
                    end_displaced(game, displaced, ByeCode::Superseded).await;
                    Event::Registered
                }
                Err(RegistrationRefused::ReservationEnded) => Event::ReservationEnded,
                Err(RegistrationRefused::Outranked) => Event::Outranked,
            }
        }
        Effect::PersistLedger(session) => {
            let phase = session_records::waiting_phase(&session);
            let record = session_records::ledger(&session, &game.identity, phase, now);
            written("write the ledger", game.ledger.put_ledger(&record, now).await)
        }
        Effect::WritePresence(session) => {
            let record = session_records::presence(&session, &game.identity, now);
            written("write presence", game.control_plane.put_presence(&record).await)
        }
        Effect::ConfirmTransfer(session, token) => {
            let record =
                session_records::transfer_activated(&session, token, &game.identity.id, now);
            written("confirm the transfer", game.control_plane.confirm_transfer(&record).await)
        }
        Effect::CheckStanding(session) => match standing_of(game, &session).await {
            Ok(standing) => standing,
            Err(error) => unavailable("look whether it stands", &error),
        },
        Effect::ReleaseReservation(seat) => {
            game.directory().release(seat);
            Event::Undone
        }
        Effect::RemovePending(session) => {
            game.directory().remove_pending(&session.session_token, session.character.epoch);
            Event::Undone
        }
        Effect::RemoveLedger(session) => {
            disconnect::remove_ledger(game, &session).await;
            Event::Undone
        }
        Effect::RemovePresence(session) => {
            disconnect::remove_presence(game, &session).await;
            Event::Undone
        }
        // The loop in `drive` takes Finish itself; reaching the port layer with it is
        // answered by an event that no state waits for.
        Effect::Finish(_) => Event::Undone,
    }
}

/// What came of a question about a handoff. One that is there and cannot be read is an
/// answer, not an outage.
fn answered(what: &str, result: ControlPlaneResult<Event>) -> Event {
    match result {
        Ok(event) => event,
        Err(error @ ControlPlaneError::Unreadable(_)) => {
            tracing::error!(%error, "a handoff was refused");
            Event::PayloadUnreadable
        }
        Err(error @ ControlPlaneError::Unavailable(_)) => unavailable(what, &error),
    }
}

fn written<E: std::fmt::Display>(what: &str, result: Result<EpochWrite, E>) -> Event {
    match result {
        Ok(EpochWrite::Written) => Event::Written,
        Ok(EpochWrite::Superseded) => Event::Outranked,
        Err(error) => unavailable(what, &error),
    }
}

fn unavailable(what: &str, error: &dyn std::fmt::Display) -> Event {
    tracing::error!(%error, "the handshake could not {what}");
    Event::Unavailable
}

/// The control plane first: what it cannot read leaves everybody alone. It has waited for
/// whom presence names, so those here without presence alone are left to wait for.
async fn release(game: &GameServer, request: &ReleaseRequest) -> Event {
    let asked = game.control_plane.release(request).await;
    if let Err(error @ ControlPlaneError::Unreadable(_)) = asked {
        tracing::error!(%error, "nobody is taken over unasked");
        return Event::PayloadUnreadable;
    }
    let leaving = begin_release(game, request).await;
    if let Err(error) = asked {
        tracing::warn!(%error, "a holder was not asked; the raise fences it");
        all_left(&leaving).await;
    }
    Event::Released
}

fn find_pending(game: &GameServer, token: &SessionToken, epoch: SessionEpoch) -> Event {
    let directory = game.directory();
    match directory.pending(token, epoch) {
        // A ticket that an earlier process made cannot be told again: a higher try raises.
        Some((session, true)) if session.ticket == ticket_hash(game, token) => {
            Event::Found(Box::new(session.clone()))
        }
        Some(_) => Event::Unavailable,
        None => Event::NotFound,
    }
}

fn ticket_hash(game: &GameServer, token: &SessionToken) -> TokenHash {
    hash_token(game.tickets.ticket(token).expose())
}

async fn read_character(
    game: &GameServer,
    id: CharacterId,
    login: Option<TokenHash>,
) -> StoreResult<Event> {
    if let Some(login) = login
        && game.logins.account_of_login(&login, game.clock.now()).await?.is_none()
    {
        return Ok(Event::LoginEnded);
    }
    Ok(Event::Read(game.characters.character(id).await?.map(Box::new)))
}

/// The login first: a logout that has ended it by now finds the presence that was written
/// before, and one that comes later finds the session settled.
async fn standing_of(game: &GameServer, session: &PendingRealtimeSession) -> StoreResult<Event> {
    let now = game.clock.now();
    let by_transfer = session.transfer.is_some();
    if !by_transfer && game.logins.account_of_login(&session.login, now).await?.is_none() {
        return Ok(Event::LoginEnded);
    }
    let row = game.characters.character(session.character.id).await?;
    if row.is_none_or(|row| row.epoch != session.character.epoch) {
        return Ok(Event::Gone);
    }
    let stands = game.directory().settle(&session.session_token);
    Ok(if stands { Event::Stands } else { Event::Outranked })
}

fn accept(
    game: &GameServer,
    session: PendingRealtimeSession,
) -> Result<HandshakeResponse, Refusal> {
    let zone = session.placement.zone.clone();
    let Some(baked) = game.world.zones.get(&zone) else {
        tracing::error!(%zone, "an admitted zone has no map");
        return Err(Refusal::unavailable());
    };
    let tile = baked.map.standing_place(session.character.tile).tile();
    let ticket = game.tickets.ticket(&session.session_token);
    let activation = RealtimeSessionActivation {
        session_token: session.session_token,
        instance_id: game.identity.id.clone(),
        placement: session.placement,
        zone,
        tile,
        character: ActivatedCharacter {
            id: session.character.id,
            name: session.character.name,
            appearance: session.character.appearance,
            gathered: session.character.gathered,
        },
        profile: RuntimeProfile::quic_standard(),
        endpoints: game.endpoints(),
        map: baked.map_ref.clone(),
    };
    Ok(HandshakeResponse::accept(ticket, activation))
}
