//! One realtime session as the connection state owns it: transport, world, and the commands
//! that wait for their answers.

use shared::gameplay::{RealtimeEndpoint, RealtimeSessionActivation};
use shared::realtime::command::{Command, CommandAnswer, CommandOutcome};
use shared::realtime::message::Claim;

use super::notice::{NotDone, Notice};
use super::projection::WorldProjection;
use super::reconnect::Located;
use super::reconnect_journal::ReconnectJournal;
use super::transport::{Transport, TransportAction, TransportEvent, TransportState};

/// Numbers the connections of one page, so that events of a dropped one are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RealtimeGeneration(pub u64);

/// Where the player's goodbye to the world leads, once the server has answered it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goodbye {
    /// Out of the account.
    #[default]
    ToLogin,
    /// To the account's characters.
    ToRoster,
}

/// What a realtime session asks of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// To be done with the connection, in order.
    pub actions: Vec<TransportAction>,
    /// To be shown to the player.
    pub notices: Vec<Notice>,
}

/// A realtime session that was activated, in whatever state its transport is.
#[derive(Clone, Debug)]
pub struct RealtimeSessionHandle {
    /// Which connection of the page this is now; each dial has a new one.
    pub generation: RealtimeGeneration,
    /// What was activated.
    pub activation: RealtimeSessionActivation,
    /// The connection.
    pub transport: Transport,
    /// The world as the server shows it.
    pub world: WorldProjection,
    /// Where a goodbye leads.
    pub goodbye: Goodbye,
    journal: ReconnectJournal,
    was_in_world: bool,
}

impl RealtimeSessionHandle {
    /// Applies an activation: the world is known by name, nothing of it is seen yet.
    #[must_use]
    pub fn new(
        generation: RealtimeGeneration,
        activation: RealtimeSessionActivation,
        claim: Claim,
        endpoint: RealtimeEndpoint,
    ) -> Self {
        Self {
            generation,
            transport: Transport::new(endpoint, activation.session_token.clone(), claim),
            world: WorldProjection::new(&activation),
            activation,
            goodbye: Goodbye::default(),
            journal: ReconnectJournal::default(),
            was_in_world: false,
        }
    }

    /// Takes an event of this handle's connection. The world listens to a live transport
    /// only, so nothing that comes before the Welcome or after the end can change it.
    pub fn apply(&mut self, event: &TransportEvent, now: f64) -> Asked {
        let before = self.transport.state();
        if let TransportEvent::Located(Located::At { instance, .. }) = event {
            self.activation.instance_id = instance.clone();
        }
        let mut asked = Asked { actions: self.transport.apply(event, now), notices: Vec::new() };
        if self.transport.state() == TransportState::Live {
            if let TransportEvent::Welcome(welcome) = event
                && before != TransportState::Live
            {
                self.world.welcome(welcome);
                self.world.is_served_by(&self.activation.instance_id);
                let again = self.journal.welcomed(welcome.last_command);
                asked.actions.extend(again.into_iter().map(TransportAction::SendCommand));
            }
            asked.notices.extend(self.hear(event, now));
            self.was_in_world |= self.has_live_player();
        } else if before == TransportState::Live {
            asked.notices.extend(self.lose_what_waits());
        }
        asked
    }

    /// The player leaves, and the goodbye leads there. One that is under way only changes
    /// where it leads.
    pub fn leave(&mut self, goodbye: Goodbye) -> Asked {
        self.goodbye = goodbye;
        let was_live = self.transport.state() == TransportState::Live;
        let actions = self.transport.disconnect();
        let notices = if was_live { self.lose_what_waits() } else { Vec::new() };
        Asked { actions, notices }
    }

    /// The connection is gone, and with it what must not be repeated.
    fn lose_what_waits(&mut self) -> Vec<Notice> {
        let dropped = self.journal.lose_connection();
        dropped.into_iter().map(|command| not_done(command, NotDone::Lost)).collect()
    }

    /// Takes in what a live server says of the world.
    fn hear(&mut self, event: &TransportEvent, now: f64) -> Option<Notice> {
        match event {
            TransportEvent::Snapshot(snapshot) => {
                // Late, doubled and baseless snapshots are part of datagrams; the next
                // one makes them good.
                let _ = self.world.apply_snapshot(snapshot, now);
            }
            TransportEvent::Seen(seen) => self.world.seen(seen.clone()),
            TransportEvent::Gone(entity) => self.world.gone(*entity),
            TransportEvent::Died(entity) => self.world.died_or_lives(*entity, true),
            TransportEvent::Revived(entity) => self.world.died_or_lives(*entity, false),
            TransportEvent::PickedFlowers(picked) => {
                self.world.flowers_picked(picked.iter().copied());
            }
            TransportEvent::Answered(answer) => return self.answered(answer),
            TransportEvent::Said { entity, text } => {
                if self.world.is_own(*entity) {
                    self.journal.heard_own(text);
                }
                let name = self.world.person(*entity).map(|person| person.name.clone());
                return Some(Notice::Said {
                    entity: *entity,
                    name: name.unwrap_or_default(),
                    text: text.clone(),
                    own: self.world.is_own(*entity),
                });
            }
            TransportEvent::Emoted { entity, emote } => {
                return Some(Notice::Emoted { entity: *entity, emote: *emote });
            }
            _ => {}
        }
        None
    }

    fn answered(&mut self, answer: &CommandAnswer) -> Option<Notice> {
        if let CommandOutcome::Gathered { total } = answer.outcome {
            self.world.has_gathered(total);
        }
        // One that does not wait was answered on an earlier connection.
        let command = self.journal.answered(answer.sequence)?;
        let was_heard = self.journal.was_heard(answer.sequence);
        match answer.outcome {
            // Said on a connection that was lost before it could be heard there.
            CommandOutcome::Done => match command {
                Command::Say(text) if !was_heard => Some(Notice::Said {
                    entity: self.world.own_entity()?,
                    name: self.activation.character.name.clone(),
                    text,
                    own: true,
                }),
                _ => None,
            },
            CommandOutcome::Gathered { total } => Some(Notice::Gathered { total }),
            CommandOutcome::Refused(reason) => Some(Notice::Refused { command, reason }),
        }
    }

    /// The player does something. While the connection is away, what may be repeated waits
    /// for it; what means "now" is not done.
    pub fn issue(&mut self, command: Command) -> Asked {
        let reason = match self.transport.state() {
            TransportState::Live => None,
            // Before its first Welcome the session's count of commands is not known.
            TransportState::Reconnecting | TransportState::Transferring if self.was_in_world => {
                (!command.is_replayable()).then_some(NotDone::NoConnection)
            }
            _ => Some(NotDone::NotInWorld),
        };
        if let Some(reason) = reason {
            return Asked { notices: vec![not_done(command, reason)], ..Asked::default() };
        }
        match self.journal.issue(command.clone()) {
            Ok(sent) if self.transport.state() == TransportState::Live => {
                Asked { actions: vec![TransportAction::SendCommand(sent)], ..Asked::default() }
            }
            Ok(_) => Asked::default(),
            Err(_) => {
                Asked { notices: vec![not_done(command, NotDone::TooMany)], ..Asked::default() }
            }
        }
    }

    /// Whether the transport is live and the world contains the authoritative local player.
    #[must_use]
    pub fn has_live_player(&self) -> bool {
        self.transport.state() == TransportState::Live && self.world.local_player().is_some()
    }

    /// Whether the session has ever been in the world: what ends it then is a loss, and not
    /// a failed entry.
    #[must_use]
    pub fn was_in_world(&self) -> bool {
        self.was_in_world
    }
}

fn not_done(command: Command, reason: NotDone) -> Notice {
    Notice::NotDone { command, reason }
}
