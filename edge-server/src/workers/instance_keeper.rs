//! Keeps what an instance owes to others alive: its lease in the registry, the presence
//! and ledger of its sessions; and ends what nobody claimed in time, for the first time or
//! again.

use std::sync::Arc;
use std::time::Duration;

use shared::control_plane::HeldSession;
use shared::coordination::InstanceRecord;
use shared::ids::UnixMillis;
use shared::realtime::message::ByeCode;
use shared::secret::SessionToken;
use shared::version::PayloadVersion;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::domain::session_directory::PendingRealtimeSession;
use crate::flows::disconnect::{self, EndReason};
use crate::flows::{release_sessions, resume_session, session_records};
use crate::game::GameServer;
use crate::stores::{EpochWrite, StoreResult};

/// How often an instance tells the registry that it lives.
pub const HEARTBEAT_PERIOD: Duration = Duration::from_secs(1);
/// How long the registry believes it after a heartbeat.
pub const INSTANCE_LEASE: Duration = Duration::from_secs(10);
/// How often presence and ledger of live sessions are renewed: well within the life of those
/// records ([`shared::limits::SESSION_RECORD_LIFE`]).
pub const RENEWAL_PERIOD: Duration = Duration::from_secs(30);

/// The instance as the registry shall know it from `now` on.
#[must_use]
pub fn instance_record(game: &GameServer, now: UnixMillis) -> InstanceRecord {
    let directory = game.directory();
    InstanceRecord {
        payload_version: PayloadVersion::CURRENT,
        id: game.identity.id.clone(),
        incarnation: game.identity.lease.incarnation(),
        http_url: game.identity.http_url.clone(),
        internal_url: game.identity.internal_url.clone(),
        http_port: game.identity.http_port,
        endpoints: game.endpoints(),
        zones: directory.loads(),
        draining: directory.is_draining(),
        expires_at: now.plus(INSTANCE_LEASE),
    }
}

/// A later process has the name of this one in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "another process has taken the name of this instance: stop one of them, or give it another \
     name (EDGE_INSTANCE_ID)"
)]
pub struct NameTaken;

/// Runs until `stopping`, then takes the instance out of the registry.
///
/// # Errors
/// [`NameTaken`]: this process is nobody's any more, and has begun to stop by itself. Its
/// sessions are let go, as in every stop.
pub async fn run(game: Arc<GameServer>, stopping: CancellationToken) -> Result<(), NameTaken> {
    // Beside each other: a store that is slow to take cleanup must not cost the lease.
    let (absent, mut due) = mpsc::channel(1);
    let beat = async {
        let mut turns = Turns::every(HEARTBEAT_PERIOD);
        while turns.next(&stopping).await {
            let named = heartbeat(&game).await.inspect_err(|_| stopping.cancel())?;
            if !named.is_empty() {
                // Where the last ones are still being written, the next heartbeat names these
                // again.
                let _ = absent.try_send(named);
            }
        }
        drop(absent);
        Ok(())
    };
    let absent_again = async {
        while let Some(named) = due.recv().await {
            renew_absent(&game, &named).await;
        }
    };
    let end = async {
        let mut turns = Turns::every(HEARTBEAT_PERIOD);
        while turns.next(&stopping).await {
            end_unclaimed(&game, game.clock.now()).await;
        }
    };
    let renewal = async {
        let mut turns = Turns::every(RENEWAL_PERIOD);
        while turns.next(&stopping).await {
            renew(&game).await;
        }
    };
    let (beaten, ..) = tokio::join!(beat, absent_again, end, renewal);
    drain(&game).await;
    let record = instance_record(&game, game.clock.now());
    if let Err(error) = game.control_plane.deregister(&record).await {
        tracing::warn!(%error, "the instance stays registered until its lease ends");
    }
    beaten
}

/// Nobody comes from here on. Who was let in and never came leaves no trace; who lost the
/// connection is saved and let go, for another process to take up. Those that play are told by their connections.
pub async fn drain(game: &GameServer) {
    let drained = game.directory().drain();
    for handle in drained.live {
        handle.end(ByeCode::ShuttingDown);
    }
    for session in drained.pending {
        disconnect::run(game, &session, None, EndReason::Ended(ByeCode::ShuttingDown)).await;
    }
}

/// When it is time again, until the process stops.
struct Turns(Interval);

impl Turns {
    fn every(pause: Duration) -> Self {
        let mut period = tokio::time::interval(pause);
        period.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self(period)
    }

    async fn next(&mut self, stopping: &CancellationToken) -> bool {
        tokio::select! {
            () = stopping.cancelled() => false,
            _ = self.0.tick() => true,
        }
    }
}

/// Tells the registry that the instance lives; gives those of its sessions whose presence has
/// been lost, or was written under an earlier incarnation.
///
/// # Errors
/// [`NameTaken`].
pub async fn heartbeat(game: &GameServer) -> Result<Vec<SessionToken>, NameTaken> {
    // The lease counts from before the call, as the registry's does.
    let sent = game.clock.moment();
    let lease = &game.identity.lease;
    if !lease.is_held(sent) {
        return register_anew(game).await;
    }
    let record = instance_record(game, game.clock.now());
    for load in &record.zones {
        metrics::gauge!("aether_seats_occupied", "placement" => load.placement.to_string())
            .set(load.occupied);
    }
    match game.control_plane.heartbeat(&record, &held_sessions(game)).await {
        Ok(answer) => {
            end_superseded(game, &answer.superseded);
            if answer.outcome == EpochWrite::Superseded {
                return Err(NameTaken);
            }
            if !lease.renew(sent + INSTANCE_LEASE, game.clock.moment()) {
                tracing::warn!("a heartbeat was answered after the lease had lapsed");
                return Ok(Vec::new());
            }
            Ok(answer.absent)
        }
        Err(error) => {
            tracing::warn!(%error, "a heartbeat was not taken");
            Ok(Vec::new())
        }
    }
}

/// Comes back after the lease has lapsed: registers as a new incarnation, then looks which of
/// the sessions still have their characters. Those go on, and the others end. Where any of it
/// fails the instance stands still until the next turn. Gives the sessions whose presence is
/// still that of the earlier incarnation, and counts for nothing until it is renewed.
///
/// # Errors
/// [`NameTaken`].
pub async fn register_anew(game: &GameServer) -> Result<Vec<SessionToken>, NameTaken> {
    let (lease, id) = (&game.identity.lease, &game.identity.id);
    tracing::warn!(instance = %id, "the lease has lapsed: nothing moves until it is registered");
    match game.control_plane.instances().await {
        // Two that take the name from each other in turn would serve nobody.
        Ok(living)
            if living.iter().any(|one| one.id == *id && one.incarnation > lease.incarnation()) =>
        {
            return Err(NameTaken);
        }
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(%error, "the registry does not answer");
            return Ok(Vec::new());
        }
    }
    lease.begin_incarnation(game.clock.now());
    let sent = game.clock.moment();
    let record = instance_record(game, game.clock.now());
    let answer = match game.control_plane.heartbeat(&record, &held_sessions(game)).await {
        Ok(answer) if answer.outcome == EpochWrite::Written => answer,
        Ok(_) => return Err(NameTaken),
        Err(error) => {
            tracing::warn!(%error, "the instance was not registered");
            return Ok(Vec::new());
        }
    };
    let outranked = match outranked_sessions(game).await {
        Ok(outranked) => outranked,
        Err(error) => {
            tracing::warn!(%error, "sessions were not looked up");
            return Ok(Vec::new());
        }
    };
    lease.begin(sent + INSTANCE_LEASE);
    tracing::info!(instance = %id, outranked = outranked.len(), "registered again");
    for session in &outranked {
        release_sessions::end_one(game, session, ByeCode::Superseded);
    }
    end_superseded(game, &answer.superseded);
    Ok(answer.absent)
}

/// Claimed sessions whose characters have another epoch by now, or are gone.
async fn outranked_sessions(game: &GameServer) -> StoreResult<Vec<PendingRealtimeSession>> {
    let claimed = claimed_sessions(game);
    let mut outranked = Vec::new();
    for session in claimed {
        let row = game.characters.character(session.character.id).await?;
        if row.is_none_or(|row| row.epoch != session.character.epoch) {
            outranked.push(session);
        }
    }
    Ok(outranked)
}

/// The sessions that play here, linkdead or not.
fn claimed_sessions(game: &GameServer) -> Vec<PendingRealtimeSession> {
    let directory = game.directory();
    let playing = directory.all_active().filter(|active| !active.is_leaving());
    playing.map(|active| active.session.clone()).collect()
}

/// The sessions that play here, as a heartbeat tells them.
#[must_use]
pub fn held_sessions(game: &GameServer) -> Vec<HeldSession> {
    let held = claimed_sessions(game).into_iter().map(|session| HeldSession {
        account_id: session.account_id,
        character_id: session.character.id,
        session_token: session.session_token,
        epoch: session.character.epoch,
        entry: session.character.entry,
    });
    held.collect()
}

/// Ends sessions whose character is in the world elsewhere.
fn end_superseded(game: &GameServer, superseded: &[SessionToken]) {
    let asked =
        game.directory().ask_to_end(|active| superseded.contains(&active.session.session_token));
    for handle in asked {
        handle.end(ByeCode::Superseded);
    }
}

/// Ends what was held for somebody who has not come by `now`: reservations, pending
/// sessions with their records, and linkdead sessions, which save and leave by themselves.
pub async fn end_unclaimed(game: &GameServer, now: UnixMillis) {
    let expired = game.directory().expire(now);
    for handle in expired.live {
        handle.end(ByeCode::TimedOut);
    }
    for session in expired.pending {
        tracing::info!(character = %session.character.name, "a session was never claimed");
        disconnect::run(game, &session, None, EndReason::Lost).await;
    }
}

/// Writes presence and ledger of every claimed session again, linkdead or not; one that
/// finds a newer session of its character there is asked to end.
pub async fn renew(game: &GameServer) {
    renew_those(game, claimed_sessions(game)).await;
}

/// The same for the sessions that a [`heartbeat`] has named.
pub async fn renew_absent(game: &GameServer, absent: &[SessionToken]) {
    let mut sessions = claimed_sessions(game);
    sessions.retain(|session| absent.contains(&session.session_token));
    tracing::info!(sessions = sessions.len(), "presence had been lost: it is written again");
    renew_those(game, sessions).await;
}

async fn renew_those(game: &GameServer, sessions: Vec<PendingRealtimeSession>) {
    for session in sessions {
        match game.logins.account_of_login(&session.login, game.clock.now()).await {
            // Whoever ended the login could not ask for the session's end.
            Ok(None) => release_sessions::end_one(game, &session, ByeCode::LoginEnded),
            Ok(Some(_)) => {
                if renew_session(game, &session).await == Some(EpochWrite::Superseded) {
                    release_sessions::end_one(game, &session, ByeCode::Superseded);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "a session was not renewed; the next renewal tries again")
            }
        }
    }
}

async fn renew_session(game: &GameServer, session: &PendingRealtimeSession) -> Option<EpochWrite> {
    let presence = session_records::presence(session, &game.identity, game.clock.now());
    let presence = game.control_plane.put_presence(&presence).await;
    let ledger = resume_session::write_ledger(game, session).await;
    if !game.directory().is_playing(&session.session_token) {
        // It ended between the look and the writes, which may have come after its cleanup.
        disconnect::remove_records(game, session).await;
        return None;
    }
    let ledger = ledger?;
    match (presence, ledger) {
        (Ok(EpochWrite::Superseded), _) | (_, Ok(EpochWrite::Superseded)) => {
            Some(EpochWrite::Superseded)
        }
        (Ok(EpochWrite::Written), Ok(EpochWrite::Written)) => Some(EpochWrite::Written),
        (presence, ledger) => {
            let errors = (presence.err(), ledger.err());
            tracing::warn!(?errors, "a session was not renewed; the next renewal tries again");
            None
        }
    }
}
