//! One connection from its hello to its Bye.

use std::sync::Arc;
use std::time::Duration;

use shared::gameplay::RuntimeProfile;
use shared::ids::Placement;
use shared::realtime::codec::decode_datagram;
use shared::realtime::message::{Bye, ByeCode, ClientMessage, InputPacket, ServerMessage, Welcome};
use shared::secret::{ResumeToken, SessionToken};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use wtransport::{Connection, SendStream};

use super::commands::{CommandBook, Standing};
use super::control_stream::{ControlReader, StreamEnd, WriteEnd, part, refuse, write_all};
use super::endpoint::{Alive, HandshakeSeat};
use super::hello;
use super::seat::Seat;
use super::session_host::SessionHost;
use crate::domain::session_claims::ClaimGeneration;
use crate::flows::activate_session::ActivatedSession;
use crate::flows::disconnect::EndReason;
use crate::flows::lose_connection::Embodied;
use crate::world::zone::{JoinRefused, Joined, JoiningPlayer, PlayerFeed, player_channel};

/// How long a player may say nothing while its connection lives. Whether the connection
/// lives is QUIC's to tell (`REALTIME_IDLE_TIMEOUT`); this is about the page behind it,
/// which browsers slow down to a word a minute while its tab is hidden.
pub(super) const PLAYER_SILENCE_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Input packets that one session may hand to its zone between two snapshots. A page
/// sends one; a flood must not fill the queue that all players share.
pub(super) const INPUT_PACKETS_PER_SNAPSHOT: u32 = 4;

/// Serves a connection until it ends. The seat is given back once the client has shown
/// that it has a session.
pub(super) async fn serve<H: SessionHost>(
    host: Arc<H>,
    connection: Connection,
    handshake: HandshakeSeat,
    book: CommandBook,
    shutdown: CancellationToken,
    alive: Alive,
) {
    let Some(opening) = hello::read(&connection, &shutdown).await else { return };
    let (stream, reader) = (opening.stream, opening.reader);
    let hello = match opening.hello {
        Ok(hello) => hello,
        Err(Some(code)) => return refuse(connection, stream, reader, code).await,
        Err(None) => return,
    };
    // Not under any limit of time: once it has claimed, the session must have a seat.
    let activated = match host.activate(&hello).await {
        Ok(activated) => activated,
        Err(code) => return refuse(connection, stream, reader, code).await,
    };
    drop(handshake);
    let (token, claim) = (activated.session.session_token.clone(), activated.claim.0);
    let remote = connection.remote_address().ip().to_canonical();
    tracing::info!(session = ?token, claim, %remote, "session claimed");
    let wire = Wire { connection, stream, reader };
    play(host, activated, wire, book, shutdown, alive).await;
    tracing::info!(session = ?token, claim, "connection ended");
}

/// The connection with its control stream.
struct Wire {
    connection: Connection,
    stream: SendStream,
    reader: ControlReader,
}

async fn play<H: SessionHost>(
    host: Arc<H>,
    activated: ActivatedSession,
    wire: Wire,
    book: CommandBook,
    shutdown: CancellationToken,
    alive: Alive,
) {
    let ActivatedSession { session, claim, control, resume_token } = activated;
    let zone = host.zone(&session.placement);
    let (token, placement) = (session.session_token.clone(), session.placement.clone());
    let (link, feed) = player_channel();
    let player = JoiningPlayer {
        character_id: session.character.id,
        epoch: session.character.epoch,
        claim,
        name: session.character.name.clone(),
        appearance: session.character.appearance.clone(),
        tile: session.character.tile,
        link,
    };
    let mut seat = Seat::new(host, session, claim, control, book, alive);
    let joined = match &zone {
        Some(zone) => zone.join(player).await,
        None => {
            tracing::error!(%placement, "a session was admitted to a zone that is not carried");
            Err(JoinRefused::Stopped)
        }
    };
    let (zone, joined) = match (zone, joined) {
        (Some(zone), Ok(joined)) => (zone, joined),
        (_, refused) => {
            let code = match refused {
                Err(JoinRefused::Superseded) => ByeCode::Superseded,
                Err(JoinRefused::Stopped) | Ok(_) => ByeCode::ShuttingDown,
            };
            seat.leave(EndReason::Ended(code)).await;
            return refuse(wire.connection, wire.stream, wire.reader, code).await;
        }
    };
    let body = Embodied { zone, entity: joined.entity };
    seat.embody(body.clone());
    let standing = seat.commands().begin(claim, &feed.replies);
    let first = welcome(token, placement, joined, resume_token, standing);
    serve_player(seat, body, claim, feed, first, wire, shutdown).await;
}

fn welcome(
    session_token: SessionToken,
    placement: Placement,
    joined: Joined,
    resume_token: ResumeToken,
    standing: Standing,
) -> ServerMessage {
    ServerMessage::Welcome(Welcome {
        session_token,
        entity: joined.entity,
        placement,
        position: joined.position,
        tick: joined.tick,
        profile: RuntimeProfile::quic_standard(),
        resume_token,
        last_command: standing.last_command,
        gathered: standing.gathered,
    })
}

async fn serve_player<H: SessionHost>(
    mut seat: Seat<H>,
    body: Embodied,
    claim: ClaimGeneration,
    feed: PlayerFeed,
    first: ServerMessage,
    wire: Wire,
    shutdown: CancellationToken,
) {
    let Wire { connection, stream, mut reader } = wire;
    let PlayerFeed { outbox, replies, mut snapshots, mut cut_off } = feed;
    let (commands, host) = (seat.commands(), seat.host());
    let (queue, working) =
        commands.serve(claim, host, body.zone.clone(), body.entity, replies.clone());
    tokio::pin!(working);
    let (bye, bye_given) = oneshot::channel();
    // A future of its own: a client that does not read its stream must not keep the
    // session from hearing it, or from ending it.
    let writing = write_all(stream, first, outbox, bye_given);
    tokio::pin!(writing);
    let silence = tokio::time::sleep(PLAYER_SILENCE_TIMEOUT);
    tokio::pin!(silence);
    let mut packets_left = INPUT_PACKETS_PER_SNAPSHOT;

    let reason = loop {
        tokio::select! {
            code = seat.control().asked_to_end() => break EndReason::Ended(code),
            () = shutdown.cancelled() => break EndReason::Ended(ByeCode::ShuttingDown),
            // An error means that the zone's task is gone.
            code = &mut cut_off => {
                break EndReason::Ended(code.unwrap_or(ByeCode::ShuttingDown));
            }
            () = &mut silence => break EndReason::Ended(ByeCode::TimedOut),
            _ = &mut writing => break EndReason::Lost,
            reason = &mut working => break reason,
            changed = snapshots.changed(), if changed_can_come(&snapshots) => {
                if changed.is_ok() && body.zone.may_act() {
                    let datagram = snapshots.borrow_and_update().clone();
                    if let Err(error) = connection.send_datagram(&datagram) {
                        tracing::debug!(%error, "snapshot not sent");
                    }
                    packets_left = INPUT_PACKETS_PER_SNAPSHOT;
                }
            }
            message = reader.next() => match message.inspect(|_| seat.hear()) {
                Ok(ClientMessage::Bye) => break EndReason::LoggedOut,
                Ok(ClientMessage::Ping(number)) => {
                    // Silence is what a page looks for elsewhere after.
                    if body.zone.may_act() && replies.try_send(ServerMessage::Pong(number)).is_err() {
                        break EndReason::Ended(ByeCode::TimedOut);
                    }
                }
                Ok(ClientMessage::Command(sent)) => {
                    if let Err(code) = queue.push(sent) {
                        break EndReason::Ended(code);
                    }
                }
                Ok(ClientMessage::Hello(_)) | Err(StreamEnd::Malformed) => {
                    break EndReason::Ended(ByeCode::Malformed);
                }
                Err(StreamEnd::Lost) => break EndReason::Lost,
            },
            datagram = connection.receive_datagram() => {
                let Ok(datagram) = datagram else { break EndReason::Lost };
                match decode_datagram::<InputPacket>(&datagram) {
                    Ok(packet) if packet.is_sound() => {
                        seat.hear();
                        silence.set(tokio::time::sleep(PLAYER_SILENCE_TIMEOUT));
                        if packets_left > 0 {
                            packets_left -= 1;
                            body.zone.input(body.entity, claim, packet);
                        }
                    }
                    Ok(_) | Err(_) => break EndReason::Ended(ByeCode::Malformed),
                }
            }
        }
    };

    let code = match &reason {
        EndReason::LoggedOut => Some(ByeCode::LoggedOut),
        EndReason::Ended(code) => Some(*code),
        EndReason::Lost => None,
    };
    // First out of the world and saved, then the Bye: who has its Bye can enter again. A
    // session that has only lost its connection stays, and can be claimed again.
    seat.leave(reason).await;
    if let Some(code) = code {
        let said = bye.send(Bye::of(code)).is_ok();
        let writing = async { if said { writing.await } else { Err(WriteEnd) } };
        part(connection, writing, reader).await;
    }
}

/// A zone that has let go of the player sends no further snapshot; why it has comes by
/// the other channel.
fn changed_can_come<T>(snapshots: &tokio::sync::watch::Receiver<T>) -> bool {
    snapshots.has_changed().is_ok()
}
