//! The commands of one session: each is done once, in the order in which they come, and
//! answered.
//!
//! - Numbers rise; gaps are allowed. A number is used up by whatever is answered to it, a
//!   refusal included. One that comes again has no effect and the same answer: a refusal
//!   again (the last [`MAX_JOURNAL_COMMANDS`] are remembered, which is all that a page keeps
//!   to send again), or else that it is done, a gathering with the total of now.
//! - That holds over every connection of the session: [`SessionCommands`] belongs to the
//!   session, and what has begun is carried to its end, and noted, whatever becomes of the
//!   connection that asked for it.
//! - A connection that has been replaced is not listened to any more, and a Welcome counts
//!   what was heard and is not done yet, so that a page which has forgotten what it sent gives
//!   no number twice. What comes to its end after that is answered to the connection of now.
//! - A gathering counts once even over a crash: its effect and its number are one statement
//!   of the store. Where the store did not answer, nobody knows whether it counted; the flower
//!   glows again, the number is used up, and the answer is
//!   [`Unavailable`](CommandRefused::Unavailable). So the total may show one flower more than
//!   the player was told, and never one twice for one command.
//! - A session whose gathering is stale has lost its character and ends.
//!
//! The zone decides, at once; the store is waited for here, so that a slow one delays the
//! commands of its own session and nothing else.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use shared::ids::{CharacterId, SessionEpoch};
use shared::limits::MAX_JOURNAL_COMMANDS;
use shared::realtime::command::{
    Command, CommandAnswer, CommandOutcome, CommandRefused, CommandSequence, SequencedCommand,
};
use shared::realtime::message::{ByeCode, EntityId, ServerMessage};
use tokio::sync::{Mutex, mpsc};

use super::session_host::SessionHost;
use crate::domain::authority::Character;
use crate::domain::session_claims::ClaimGeneration;
use crate::domain::session_directory::PendingRealtimeSession;
use crate::flows::disconnect::EndReason;
use crate::stores::GatherOutcome;
use crate::world::flowers::PickedFlower;
use crate::world::simulation::deeds::Deed;
use crate::world::zone::ZoneHandle;

/// Commands that wait for the one that is being done. A page waits with the next one when
/// half as many are unanswered, so a client with more has broken the protocol.
pub(super) const COMMAND_QUEUE: usize = 2 * MAX_JOURNAL_COMMANDS;
/// Commands of a session at once, and further ones each second.
pub(super) const COMMANDS: (u32, u32) = (10, 5);
/// Of these, things said.
pub(super) const CHAT: (u32, u32) = (5, 1);

fn limiter((burst, per_second): (u32, u32)) -> DefaultDirectRateLimiter {
    let number = |n| NonZeroU32::new(n).expect("a limit of none lets nothing through");
    RateLimiter::direct(Quota::per_second(number(per_second)).allow_burst(number(burst)))
}

/// What a session knows of its commands, over all of its connections. Clones know the same.
#[derive(Clone)]
pub(super) struct SessionCommands(Arc<Record>);

struct Record {
    character: CharacterId,
    epoch: SessionEpoch,
    /// The last number that was used up. Written only by who has the turn.
    last: AtomicU32,
    /// Flowers gathered, as the store said last. Written only by who has the turn.
    total: AtomicU32,
    line: StdMutex<Line>,
    /// Held while a command is done.
    turn: Mutex<Turn>,
}

/// The connection that is listened to.
struct Line {
    /// The claim that it came by; none before the first.
    claim: Option<ClaimGeneration>,
    /// The highest number that was heard, over all connections.
    heard: CommandSequence,
    /// Where its answers go. Weak: the connection ends when it wants to.
    replies: Option<mpsc::WeakSender<ServerMessage>>,
}

/// What a Welcome tells of the commands of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// See [`Welcome::last_command`](shared::realtime::message::Welcome::last_command).
    pub(super) last_command: CommandSequence,
    /// Flowers gathered so far.
    pub(super) gathered: u32,
}

struct Turn {
    /// The last refusals, oldest first.
    refused: VecDeque<(CommandSequence, CommandRefused)>,
    all: DefaultDirectRateLimiter,
    chat: DefaultDirectRateLimiter,
}

/// The commands of all live sessions, so that every connection of one finds them: no two
/// sessions of a character share an epoch. Clones are the same book.
#[derive(Clone, Default)]
pub(super) struct CommandBook(Arc<StdMutex<Pages>>);

type Pages = BTreeMap<(CharacterId, SessionEpoch), SessionCommands>;

impl CommandBook {
    /// What is known of a session's commands: what its earlier connections have left, or what
    /// its row says.
    pub(super) fn of(&self, session: &PendingRealtimeSession) -> SessionCommands {
        let character = &session.character;
        let mut pages = self.pages();
        let page = pages.entry((character.id, character.epoch));
        page.or_insert_with(|| SessionCommands::of(character)).clone()
    }

    /// Forgets a session that has ended.
    pub(super) fn close(&self, session: &PendingRealtimeSession) {
        self.pages().remove(&(session.character.id, session.character.epoch));
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The way in for the commands of one connection.
pub(super) struct CommandQueue {
    waiting: mpsc::Sender<SequencedCommand>,
    record: Arc<Record>,
    claim: ClaimGeneration,
}

/// Another session has the character.
struct Superseded;

impl SessionCommands {
    /// Of a session that starts from this row.
    pub(super) fn of(character: &Character) -> Self {
        Self(Arc::new(Record {
            character: character.id,
            epoch: character.epoch,
            last: AtomicU32::new(character.last_command.0),
            total: AtomicU32::new(character.gathered),
            line: StdMutex::new(Line { claim: None, heard: character.last_command, replies: None }),
            turn: Mutex::new(Turn {
                refused: VecDeque::new(),
                all: limiter(COMMANDS),
                chat: limiter(CHAT),
            }),
        }))
    }

    /// From here on the connection of this claim is listened to, and no earlier one. Gives
    /// what its Welcome says.
    pub(super) fn begin(
        &self,
        claim: ClaimGeneration,
        replies: &mpsc::Sender<ServerMessage>,
    ) -> Standing {
        let mut line = self.0.line();
        line.claim = line.claim.max(Some(claim));
        line.replies = Some(replies.downgrade());
        Standing { last_command: line.heard, gathered: self.total() }
    }

    /// The last number that was used up. A command that is being done right now is not
    /// counted yet; sent again, it waits for its own answer.
    pub(super) fn last(&self) -> CommandSequence {
        CommandSequence(self.0.last.load(Ordering::Acquire))
    }

    /// Serves the connection of a claim that has [begun](Self::begin): the queue for what it
    /// hears, and the work to be done beside it, which ends only with a reason to end the
    /// session. Answers go to `replies`.
    pub(super) fn serve<H: SessionHost>(
        self,
        claim: ClaimGeneration,
        host: Arc<H>,
        zone: ZoneHandle,
        entity: EntityId,
        replies: mpsc::Sender<ServerMessage>,
    ) -> (CommandQueue, impl Future<Output = EndReason>) {
        let (queue, mut waiting) = mpsc::channel::<SequencedCommand>(COMMAND_QUEUE);
        let record = self.0.clone();
        let work = async move {
            while let Some(sent) = waiting.recv().await {
                let sequence = sent.sequence;
                let (commands, host, zone) = (self.clone(), host.clone(), zone.clone());
                // A task of its own, so that it comes to its end without this connection.
                let doing = tokio::spawn(async move {
                    let outcome = commands.answer(&*host, &zone, entity, sent).await?;
                    commands.tell_later_connection(claim, sequence, outcome.clone());
                    Ok(outcome)
                });
                let outcome = match doing.await {
                    Ok(Ok(outcome)) => outcome,
                    Ok(Err(Superseded)) => return EndReason::Ended(ByeCode::Superseded),
                    Err(error) => {
                        tracing::error!(%error, "a command was not carried to its end");
                        return EndReason::Ended(ByeCode::Unavailable);
                    }
                };
                let answer = ServerMessage::Answered(CommandAnswer { sequence, outcome });
                if replies.try_send(answer).is_err() {
                    return EndReason::Ended(ByeCode::TimedOut);
                }
            }
            EndReason::Lost
        };
        (CommandQueue { waiting: queue, record, claim }, work)
    }

    /// The page on a later connection of the session than the one that asked may have
    /// forgotten that it did.
    fn tell_later_connection(
        &self,
        asked_by: ClaimGeneration,
        sequence: CommandSequence,
        outcome: CommandOutcome,
    ) {
        let line = self.0.line();
        if line.claim <= Some(asked_by) {
            return;
        }
        if let Some(replies) = line.replies.as_ref().and_then(mpsc::WeakSender::upgrade) {
            let answer = ServerMessage::Answered(CommandAnswer { sequence, outcome });
            // A queue that is full ends its connection soon, and the next Welcome tells.
            let _ = replies.try_send(answer);
        }
    }

    fn total(&self) -> u32 {
        self.0.total.load(Ordering::Acquire)
    }

    async fn answer<H: SessionHost>(
        &self,
        host: &H,
        zone: &ZoneHandle,
        entity: EntityId,
        sent: SequencedCommand,
    ) -> Result<CommandOutcome, Superseded> {
        let SequencedCommand { sequence, command } = sent;
        let mut turn = self.0.turn.lock().await;
        if sequence <= self.last() {
            return Ok(turn.answer_again(sequence, &command, self.total()));
        }
        let outcome = if turn.is_too_fast(&command) {
            CommandOutcome::Refused(CommandRefused::TooFast)
        } else {
            match zone.act(entity, command).await {
                Err(refused) => CommandOutcome::Refused(refused),
                Ok(Deed::Done) => CommandOutcome::Done,
                Ok(Deed::Picked(flower)) => {
                    let outcome = self.commit(host, zone, flower, sequence).await?;
                    if let CommandOutcome::Gathered { total } = outcome {
                        self.0.total.store(total, Ordering::Release);
                    }
                    outcome
                }
            }
        };
        turn.note(sequence, &outcome);
        self.0.last.store(sequence.0, Ordering::Release);
        Ok(outcome)
    }

    /// Has the store count a picked flower, or gives it back.
    async fn commit<H: SessionHost>(
        &self,
        host: &H,
        zone: &ZoneHandle,
        flower: PickedFlower,
        sequence: CommandSequence,
    ) -> Result<CommandOutcome, Superseded> {
        let Record { character, epoch, .. } = &*self.0;
        let outcome = match host.gather(*character, *epoch, sequence).await {
            Ok(GatherOutcome::Gathered { total }) => {
                return Ok(CommandOutcome::Gathered { total });
            }
            Ok(GatherOutcome::Already { total }) => Ok(CommandOutcome::Gathered { total }),
            Ok(GatherOutcome::Stale) => Err(Superseded),
            Err(error) => {
                tracing::warn!(%error, %character, "a flower was not saved");
                Ok(CommandOutcome::Refused(CommandRefused::Unavailable))
            }
        };
        zone.give_back(flower).await;
        outcome
    }
}

impl Record {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CommandQueue {
    /// Takes a command in, unless a later connection of the session is listened to.
    ///
    /// # Errors
    /// The Bye for a client that breaks the protocol.
    pub(super) fn push(&self, sent: SequencedCommand) -> Result<(), ByeCode> {
        if sent.sequence == CommandSequence::NONE {
            return Err(ByeCode::Malformed);
        }
        {
            let mut line = self.record.line();
            if line.claim != Some(self.claim) {
                return Ok(());
            }
            line.heard = line.heard.max(sent.sequence);
        }
        self.waiting.try_send(sent).map_err(|_| ByeCode::Malformed)
    }
}

impl Turn {
    fn is_too_fast(&self, command: &Command) -> bool {
        let chat = matches!(command, Command::Say(_));
        self.all.check().is_err() || (chat && self.chat.check().is_err())
    }

    fn answer_again(
        &self,
        sequence: CommandSequence,
        command: &Command,
        total: u32,
    ) -> CommandOutcome {
        match (self.refused.iter().find(|(number, _)| *number == sequence), command) {
            (Some((_, refused)), _) => CommandOutcome::Refused(*refused),
            (None, Command::Gather) => CommandOutcome::Gathered { total },
            (None, _) => CommandOutcome::Done,
        }
    }

    fn note(&mut self, sequence: CommandSequence, outcome: &CommandOutcome) {
        if let CommandOutcome::Refused(refused) = outcome {
            if self.refused.len() >= MAX_JOURNAL_COMMANDS {
                self.refused.pop_front();
            }
            self.refused.push_back((sequence, *refused));
        }
    }
}
