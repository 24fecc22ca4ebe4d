//! Drives a handshake: takes each effect of [`crate::domain::handshake`] to its port and
//! the result back. It decides nothing.

use std::time::Duration;

use shared::coordination::LedgerPhase;
use shared::gameplay::{
    ActivatedCharacter, HandshakeRequest, HandshakeResponse, RealtimeSessionActivation, Rejection,
    RuntimeProfile,
};
use shared::ids::{CharacterId, SessionEpoch};
use shared::realtime::message::ByeCode;
use shared::secret::SessionTicket;

use super::{Refusal, session_records};
use crate::clock::{hash_token, new_session_ticket, new_session_token};
use crate::domain::handshake::{Effect, Event, HandshakeInput, Outcome, begin, step};
use crate::domain::session_directory::{Displaced, PendingRealtimeSession, RegistrationRefused};
use crate::game::GameServer;
use crate::peers::control_plane::{ControlPlaneError, ControlPlaneResult};
use crate::session_handle::SessionHandle;
use crate::stores::EpochWrite;

/// How long a handshake waits for the session that it takes over to save and leave. After
/// that it goes on: the raised epoch refuses whatever the old session still writes.
pub const TAKEOVER_TIMEOUT: Duration = Duration::from_secs(2);

/// Answers a handshake.
///
/// # Errors
/// 503 with Retry-After when a part does not answer; what the handshake held is given
/// back, and the same attempt may come again with a higher try.
pub async fn run(
    game: &GameServer,
    request: HandshakeRequest,
) -> Result<HandshakeResponse, Refusal> {
    let ticket = new_session_ticket();
    let input = HandshakeInput {
        token: hash_token(request.token.expose()),
        instance: game.identity.id.clone(),
        carried: game.zones.keys().cloned().collect(),
        session_token: new_session_token(),
        ticket: hash_token(ticket.expose()),
        hello: request.hello,
    };
    match decide(game, &input).await? {
        Outcome::Accepted(session) => {
            count("accepted");
            accept(game, *session, ticket)
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

fn count(outcome: &'static str) {
    metrics::counter!("aether_handshakes_total", "outcome" => outcome).increment(1);
}

async fn decide(game: &GameServer, input: &HandshakeInput) -> Result<Outcome, Refusal> {
    let (mut state, mut effect) = begin(input);
    loop {
        if let Effect::Finish(outcome) = effect {
            return Ok(outcome);
        }
        let event = take(game, input, effect).await;
        (state, effect) = step(input, state, event).map_err(|error| {
            tracing::error!(%error, "the handshake flow broke its own order");
            Refusal::unavailable()
        })?;
    }
}

async fn take(game: &GameServer, input: &HandshakeInput, effect: Effect) -> Event {
    let now = game.clock.now();
    match effect {
        Effect::Preflight => {
            let claimant = game.claimant(input.hello.attempt_id);
            looked(game.control_plane.preflight(&input.token, &claimant).await)
        }
        Effect::Consume => {
            let claimant = game.claimant(input.hello.attempt_id);
            looked(game.control_plane.consume(&input.token, &claimant).await)
        }
        Effect::Reserve { placement, character } => {
            match game.directory().reserve(&placement, character, now) {
                Ok(seat) => Event::Reserved(seat),
                Err(refused) => Event::Refused(refused),
            }
        }
        Effect::ReadCharacter(id) => match game.characters.character(id).await {
            Ok(row) => Event::Read(row.map(Box::new)),
            Err(error) => unavailable("read the character", &error),
        },
        Effect::ReleaseHolder { character, read } => {
            release_holder(game, character, read).await;
            Event::Released
        }
        Effect::RaiseEpoch(raise) => match game.characters.raise_epoch(&raise, now).await {
            Ok(raised) => Event::Raised(raised),
            Err(error) => unavailable("raise the epoch", &error),
        },
        Effect::Register(seat, session) => {
            let registered = game.directory().register(seat, session, now);
            match registered {
                Ok(displaced) => {
                    end_displaced(game, displaced).await;
                    Event::Registered
                }
                Err(RegistrationRefused::ReservationEnded) => Event::ReservationEnded,
                Err(RegistrationRefused::Outranked) => Event::Outranked,
            }
        }
        Effect::PersistLedger(session) => {
            let record =
                session_records::ledger(&session, &game.identity.id, LedgerPhase::Pending, now);
            match game.ledger.put_ledger(&record, now).await {
                Ok(write) => written(write),
                Err(error) => unavailable("write the ledger", &error),
            }
        }
        Effect::WritePresence(session) => {
            let record = session_records::presence(&session, &game.identity.id, now);
            match game.control_plane.put_presence(&record).await {
                Ok(write) => written(write),
                Err(error) => unavailable("write presence", &error),
            }
        }
        Effect::CheckStanding(session) => {
            if game.directory().is_pending(&session.session_token) {
                Event::Stands
            } else {
                Event::Outranked
            }
        }
        Effect::ReleaseReservation(seat) => {
            game.directory().release(seat);
            Event::Undone
        }
        Effect::RemovePending(session) => {
            game.directory().remove_pending(&session.session_token, session.character.epoch);
            Event::Undone
        }
        Effect::RemoveLedger(session) => {
            remove_ledger(game, &session).await;
            Event::Undone
        }
        Effect::RemovePresence(session) => {
            remove_presence(game, &session).await;
            Event::Undone
        }
        // The loop in `decide` takes Finish itself; reaching the port layer with it is
        // answered by an event that no state waits for.
        Effect::Finish(_) => Event::Undone,
    }
}

fn looked(result: ControlPlaneResult<shared::coordination::HandoffLookup>) -> Event {
    match result {
        Ok(lookup) => Event::Looked(lookup),
        Err(error @ ControlPlaneError::Unreadable(_)) => {
            tracing::error!(%error, "a handoff was refused");
            Event::PayloadUnreadable
        }
        Err(error @ ControlPlaneError::Unavailable(_)) => unavailable("look up a handoff", &error),
    }
}

fn written(write: EpochWrite) -> Event {
    match write {
        EpochWrite::Written => Event::Written,
        EpochWrite::Superseded => Event::Outranked,
    }
}

fn unavailable(what: &str, error: &dyn std::fmt::Display) -> Event {
    tracing::error!(%error, "the handshake could not {what}");
    Event::Unavailable
}

async fn release_holder(game: &GameServer, character: CharacterId, read: SessionEpoch) {
    let holders: Vec<_> = game
        .directory()
        .all_active()
        .filter(|active| {
            let held = &active.session.character;
            held.id == character && held.epoch <= read
        })
        .map(|active| active.handle.clone())
        .collect();
    end_live(holders).await;
}

/// Ends what a registration pushed out: pending sessions lose their records, live ones
/// save and leave.
async fn end_displaced(game: &GameServer, displaced: Displaced<SessionHandle>) {
    for session in displaced.pending {
        remove_ledger(game, &session).await;
        remove_presence(game, &session).await;
    }
    end_live(displaced.live).await;
}

async fn end_live(sessions: Vec<SessionHandle>) {
    for session in &sessions {
        session.end(ByeCode::Superseded);
    }
    let all_ended = async {
        for session in &sessions {
            session.ended().await;
        }
    };
    if tokio::time::timeout(TAKEOVER_TIMEOUT, all_ended).await.is_err() {
        tracing::warn!("a session did not leave in time; its epoch keeps it from writing");
    }
}

async fn remove_ledger(game: &GameServer, session: &PendingRealtimeSession) {
    let (token, epoch) = (&session.session_token, session.character.epoch);
    if let Err(error) = game.ledger.remove_ledger(token, epoch).await {
        tracing::warn!(%error, ?token, "a ledger entry stays until it expires");
    }
}

async fn remove_presence(game: &GameServer, session: &PendingRealtimeSession) {
    let removed = game.control_plane.remove_presence(
        session.account_id,
        session.character.id,
        &session.session_token,
        session.character.epoch,
    );
    if let Err(error) = removed.await {
        tracing::warn!(%error, token = ?session.session_token, "presence stays until it expires");
    }
}

fn accept(
    game: &GameServer,
    session: PendingRealtimeSession,
    ticket: SessionTicket,
) -> Result<HandshakeResponse, Refusal> {
    let zone = session.placement.zone.clone();
    let Some(baked) = game.world.zones.get(&zone) else {
        tracing::error!(%zone, "an admitted zone has no map");
        return Err(Refusal::unavailable());
    };
    let tile = baked.map.standing_place(session.character.tile).tile();
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
