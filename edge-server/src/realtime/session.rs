//! One connection from its hello to its Bye, and one session over all of its connections.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use shared::realtime::codec::decode_datagram;
use shared::realtime::message::{
    Bye, ByeCode, ClientMessage, EntityId, InputPacket, ServerMessage,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use wtransport::{Connection, SendStream};

use super::control_stream::{ControlReader, StreamEnd, WriteEnd, part, refuse, write_all};
use super::endpoint::{Alive, HandshakeSeat};
use super::hello;
use super::seat::Seat;
use super::session_doors::{Arrival, Door, SessionDoors};
use super::session_host::SessionHost;
use crate::domain::session_directory::PendingRealtimeSession;
use crate::flows::activate_session::{ActivatedSession, Claimed, ReclaimedSession};
use crate::flows::disconnect::EndReason;
use crate::world::zone::{JoinRefused, JoiningPlayer, PlayerFeed, ZoneHandle, player_channel};

/// How long a player may say nothing while its connection lives. Whether the connection
/// lives is QUIC's to tell (`REALTIME_IDLE_TIMEOUT`); this is about the page behind it,
/// which browsers slow down to a word a minute while its tab is hidden.
pub(super) const PLAYER_SILENCE_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Input packets that one session may hand to its zone between two snapshots. A page
/// sends one; a flood must not fill the queue that all players share.
pub(super) const INPUT_PACKETS_PER_SNAPSHOT: u32 = 4;

/// Serves a connection until it ends, and the session that it claims first for as long as that
/// lives. The seat is given back once the client has shown that it has a session.
pub(super) async fn serve<H: SessionHost>(
    host: Arc<H>,
    connection: Connection,
    handshake: HandshakeSeat,
    doors: SessionDoors,
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
    let claimed = match host.activate(&hello).await {
        Ok(claimed) => claimed,
        Err(code) => return refuse(connection, stream, reader, code).await,
    };
    drop(handshake);
    let remote = connection.remote_address().ip().to_canonical();
    tracing::info!(session = ?hello.session_token, %remote, "session claimed");
    let wire = Wire { connection, stream, reader };
    match claimed {
        Claimed::First(activated) => {
            play(host, *activated, wire, doors, shutdown, alive).await;
            tracing::info!(session = ?hello.session_token, "session ended");
        }
        Claimed::Again(again) => {
            let ReclaimedSession { session, claims, resume_token } = *again;
            let arrival = Arrival { wire, claims, resume_token };
            if let Err(refused) = doors.knock(&session.session_token, arrival) {
                // It has just ended, or just begun: the next claim will know.
                refused.wire.refuse(ByeCode::Unavailable).await;
            }
        }
    }
}

/// The connection with its control stream.
pub(super) struct Wire {
    connection: Connection,
    stream: SendStream,
    reader: ControlReader,
}

impl Wire {
    /// Says Bye on a connection that has served nobody, and closes it.
    async fn refuse(self, code: ByeCode) {
        refuse(self.connection, self.stream, self.reader, code).await;
    }
}

async fn play<H: SessionHost>(
    host: Arc<H>,
    activated: ActivatedSession,
    wire: Wire,
    doors: SessionDoors,
    shutdown: CancellationToken,
    alive: Alive,
) {
    let ActivatedSession { session, control, resume_token } = activated;
    let zone = host.zone(&session.placement);
    let placement = session.placement.clone();
    let (link, feed) = player_channel();
    let player = JoiningPlayer {
        character_id: session.character.id,
        epoch: session.character.epoch,
        name: session.character.name.clone(),
        appearance: session.character.appearance.clone(),
        tile: session.character.tile,
        link,
    };
    let door = doors.open(session.session_token.clone());
    let mut seat = Seat::new(host, session, control, alive);
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
            let code = refused.err().map_or(ByeCode::ShuttingDown, code_of);
            turn_away(door);
            seat.leave(EndReason::Ended(code)).await;
            return wire.refuse(code).await;
        }
    };
    seat.embody(zone.clone(), joined.entity);
    let first = seat.welcome(joined, resume_token);
    let player = Player { zone, entity: joined.entity, door, shutdown };
    player.stay(seat, Served { wire, feed, first, claims: 1 }).await;
}

fn code_of(refused: JoinRefused) -> ByeCode {
    match refused {
        JoinRefused::Superseded => ByeCode::Superseded,
        JoinRefused::Stopped => ByeCode::ShuttingDown,
    }
}

/// Whoever waits at the door of a session that ends is told so.
fn turn_away(door: Door) {
    for late in door.close() {
        tokio::spawn(late.wire.refuse(ByeCode::UnknownSession));
    }
}

/// A session's body in its zone, over all of its connections.
struct Player {
    zone: ZoneHandle,
    entity: EntityId,
    door: Door,
    shutdown: CancellationToken,
}

/// A connection that is to be served.
struct Served {
    wire: Wire,
    feed: PlayerFeed,
    first: ServerMessage,
    claims: u64,
}

/// Why a connection is not served any more.
enum Next {
    /// The session ends.
    Ended(EndReason),
    /// The connection is lost, or is of no use any more; then the client is told.
    Lost(Option<ByeCode>),
    /// The session goes on with another connection.
    Moved(Box<Arrival>),
}

impl Player {
    /// Serves one connection after the other until the session ends.
    async fn stay<H: SessionHost>(mut self, mut seat: Seat<H>, mut served: Served) {
        loop {
            let claims = served.claims;
            let (next, parting) = self.serve(&mut seat, served).await;
            let arrival = match next {
                Next::Moved(arrival) => {
                    tokio::spawn(parting.say(ByeCode::Superseded));
                    *arrival
                }
                Next::Ended(reason) => return self.end(seat, reason, Some(parting)).await,
                Next::Lost(told) => {
                    seat.host().lose(seat.session(), claims);
                    if let Some(code) = told {
                        tokio::spawn(parting.say(code));
                    } else {
                        drop(parting);
                    }
                    match self.wait(&mut seat).await {
                        Ok(arrival) => arrival,
                        Err(code) => return self.end(seat, EndReason::Ended(code), None).await,
                    }
                }
            };
            let Arrival { wire, claims, resume_token } = arrival;
            let (link, feed) = player_channel();
            let epoch = seat.session().character.epoch;
            served = match self.zone.rejoin(self.entity, epoch, link).await {
                Ok(joined) => {
                    Served { wire, feed, first: seat.welcome(joined, resume_token), claims }
                }
                Err(refused) => {
                    let code = code_of(refused);
                    self.end(seat, EndReason::Ended(code), None).await;
                    return wire.refuse(code).await;
                }
            };
        }
    }

    /// Waits without a connection: for the next one, or for the end.
    async fn wait<H: SessionHost>(&mut self, seat: &mut Seat<H>) -> Result<Arrival, ByeCode> {
        tokio::select! {
            code = seat.control().asked_to_end() => Err(code),
            () = self.shutdown.cancelled() => Err(ByeCode::ShuttingDown),
            arrival = self.door.next() => Ok(arrival),
        }
    }

    /// First out of the world and saved, then the Bye: who has its Bye can enter again.
    async fn end<H: SessionHost>(self, seat: Seat<H>, reason: EndReason, parting: Option<Parting>) {
        let code = match &reason {
            EndReason::LoggedOut => Some(ByeCode::LoggedOut),
            EndReason::Ended(code) => Some(*code),
            EndReason::Lost => None,
        };
        turn_away(self.door);
        seat.leave(reason).await;
        if let (Some(code), Some(parting)) = (code, parting) {
            parting.say(code).await;
        }
    }

    async fn serve<H: SessionHost>(
        &mut self,
        seat: &mut Seat<H>,
        served: Served,
    ) -> (Next, Parting) {
        let Served { wire: Wire { connection, stream, mut reader }, feed, first, claims } = served;
        let PlayerFeed { outbox, replies, mut snapshots, mut cut_off } = feed;
        let (zone, entity, host) = (&self.zone, self.entity, seat.host());
        let (queue, working) =
            seat.commands().serve(host.clone(), zone.clone(), entity, replies.clone());
        tokio::pin!(working);
        let (bye, bye_given) = oneshot::channel();
        // A future of its own: a client that does not read its stream must not keep the
        // session from hearing it, or from ending it.
        let mut writing: Pin<Box<dyn Future<Output = Result<(), WriteEnd>> + Send>> =
            Box::pin(write_all(stream, first, outbox, bye_given));
        let silence = tokio::time::sleep(PLAYER_SILENCE_TIMEOUT);
        tokio::pin!(silence);
        let mut packets_left = INPUT_PACKETS_PER_SNAPSHOT;
        let mut is_heard = false;
        let mut hear = |session: &PendingRealtimeSession| {
            if !is_heard {
                is_heard = true;
                host.heard(session, claims);
            }
        };

        let next = loop {
            tokio::select! {
                code = seat.control().asked_to_end() => break Next::Ended(EndReason::Ended(code)),
                () = self.shutdown.cancelled() => {
                    break Next::Ended(EndReason::Ended(ByeCode::ShuttingDown));
                }
                arrival = self.door.next() => {
                    if arrival.claims > claims {
                        break Next::Moved(Box::new(arrival));
                    }
                    // Claims have an order; connections come to the door in any.
                    tokio::spawn(arrival.wire.refuse(ByeCode::Superseded));
                }
                code = &mut cut_off => match code {
                    Ok(ByeCode::TimedOut) => break Next::Lost(Some(ByeCode::TimedOut)),
                    Ok(code) => break Next::Ended(EndReason::Ended(code)),
                    // The zone's task is gone.
                    Err(_) => break Next::Ended(EndReason::Ended(ByeCode::ShuttingDown)),
                },
                () = &mut silence => break Next::Lost(Some(ByeCode::TimedOut)),
                _ = &mut writing => break Next::Lost(None),
                reason = &mut working => match reason {
                    EndReason::Ended(ByeCode::TimedOut) => {
                        break Next::Lost(Some(ByeCode::TimedOut));
                    }
                    reason => break Next::Ended(reason),
                },
                changed = snapshots.changed(), if changed_can_come(&snapshots) => {
                    if changed.is_ok() {
                        let datagram = snapshots.borrow_and_update().clone();
                        if let Err(error) = connection.send_datagram(&datagram) {
                            tracing::debug!(%error, "snapshot not sent");
                        }
                        packets_left = INPUT_PACKETS_PER_SNAPSHOT;
                    }
                }
                message = reader.next() => match message {
                    Ok(ClientMessage::Bye) => break Next::Ended(EndReason::LoggedOut),
                    Ok(ClientMessage::Ping(number)) => {
                        hear(seat.session());
                        if replies.try_send(ServerMessage::Pong(number)).is_err() {
                            break Next::Lost(Some(ByeCode::TimedOut));
                        }
                    }
                    Ok(ClientMessage::Command(sent)) => {
                        hear(seat.session());
                        if let Err(code) = queue.push(sent) {
                            break Next::Ended(EndReason::Ended(code));
                        }
                    }
                    Ok(ClientMessage::Hello(_)) | Err(StreamEnd::Malformed) => {
                        break Next::Ended(EndReason::Ended(ByeCode::Malformed));
                    }
                    Err(StreamEnd::Lost) => break Next::Lost(None),
                },
                datagram = connection.receive_datagram() => {
                    let Ok(datagram) = datagram else { break Next::Lost(None) };
                    match decode_datagram::<InputPacket>(&datagram) {
                        Ok(packet) if packet.is_sound() => {
                            hear(seat.session());
                            silence.set(tokio::time::sleep(PLAYER_SILENCE_TIMEOUT));
                            if packets_left > 0 {
                                packets_left -= 1;
                                zone.input(entity, packet);
                            }
                        }
                        Ok(_) | Err(_) => {
                            break Next::Ended(EndReason::Ended(ByeCode::Malformed));
                        }
                    }
                }
            }
        };
        (next, Parting { connection, bye, writing, reader })
    }
}

/// A connection that has been served and is to be closed.
struct Parting {
    connection: Connection,
    bye: oneshot::Sender<Bye>,
    writing: Pin<Box<dyn Future<Output = Result<(), WriteEnd>> + Send>>,
    reader: ControlReader,
}

impl Parting {
    /// Says Bye behind whatever is still being written, waits for its echo, and closes.
    async fn say(self, code: ByeCode) {
        let Self { connection, bye, writing, reader } = self;
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
