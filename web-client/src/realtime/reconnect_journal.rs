//! The commands of a session that wait for their answers, over losses of the connection.
//!
//! A connection that is lost takes an unknown part of what was sent with it. What may be
//! repeated ([`Command::is_replayable`]) is kept and sent again under the same number after
//! the next Welcome, and the server applies no number twice; what means "now" is dropped at
//! the loss and never repeated (I10).

use std::collections::{BTreeSet, VecDeque};

use shared::limits::MAX_JOURNAL_COMMANDS;
use shared::realtime::command::{ChatText, Command, CommandSequence, SequencedCommand};

/// Too many commands wait for their answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalFull;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReconnectJournal {
    last: CommandSequence,
    waiting: VecDeque<SequencedCommand>,
    /// Those of the waiting whose effect has been heard, though not their answer.
    heard: BTreeSet<CommandSequence>,
}

impl ReconnectJournal {
    /// Numbers a command and keeps it until it is answered.
    ///
    /// # Errors
    /// [`JournalFull`] where [`MAX_JOURNAL_COMMANDS`] wait already; nothing is kept then.
    pub fn issue(&mut self, command: Command) -> Result<SequencedCommand, JournalFull> {
        if self.waiting.len() >= MAX_JOURNAL_COMMANDS {
            return Err(JournalFull);
        }
        self.last = self.last.next();
        let sequenced = SequencedCommand { sequence: self.last, command };
        self.waiting.push_back(sequenced.clone());
        Ok(sequenced)
    }

    /// Takes a command out that the server has answered. `None` for one that does not wait:
    /// it was answered before.
    pub fn answered(&mut self, sequence: CommandSequence) -> Option<Command> {
        let at = self.waiting.iter().position(|waiting| waiting.sequence == sequence)?;
        self.waiting.remove(at).map(|answered| answered.command)
    }

    /// The world has heard the player say this, so that its answer need not tell.
    pub fn heard_own(&mut self, text: &ChatText) {
        let said = self.waiting.iter().find(|waiting| {
            waiting.command == Command::Say(text.clone()) && !self.heard.contains(&waiting.sequence)
        });
        self.heard.extend(said.map(|said| said.sequence));
    }

    /// Whether the effect of an answered command was heard before its answer; asked once.
    pub fn was_heard(&mut self, sequence: CommandSequence) -> bool {
        self.heard.remove(&sequence)
    }

    /// The connection is lost: drops what must not be repeated, and gives it.
    pub fn lose_connection(&mut self) -> Vec<Command> {
        let (kept, dropped): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).partition(|waiting| waiting.command.is_replayable());
        self.waiting = kept.into();
        dropped.into_iter().map(|dropped| dropped.command).collect()
    }

    /// The server has welcomed the session, of which it has heard everything up to
    /// `heard`. Gives what is to be sent again, in order. Commands that have been applied
    /// are among it: their answers are lost, and the server gives them anew.
    pub fn welcomed(&mut self, heard: CommandSequence) -> Vec<SequencedCommand> {
        // A page that was loaded anew has forgotten what it sent; its next number is a new one.
        self.last = self.last.max(heard);
        self.waiting.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shared::realtime::command::Emote;

    use super::*;

    fn say(text: &str) -> Command {
        Command::Say(text.parse().unwrap())
    }

    fn numbers(commands: &[SequencedCommand]) -> Vec<u32> {
        commands.iter().map(|command| command.sequence.0).collect()
    }

    #[test]
    fn commands_are_numbered_from_one_and_wait_for_their_answers() {
        let mut journal = ReconnectJournal::default();
        assert_eq!(journal.issue(Command::Gather).unwrap().sequence, CommandSequence(1));
        assert_eq!(journal.issue(say("hi")).unwrap().sequence, CommandSequence(2));
        assert_eq!(journal.answered(CommandSequence(2)), Some(say("hi")));
        assert_eq!(journal.answered(CommandSequence(2)), None);
        assert_eq!(journal.waiting.len(), 1);
    }

    #[test]
    fn a_reconnect_repeats_what_may_be_repeated_in_order_and_nothing_else() {
        let mut journal = ReconnectJournal::default();
        for command in [say("one"), Command::Emote(Emote::Wave), Command::Gather, Command::Respawn]
        {
            journal.issue(command).unwrap();
        }
        let dropped = journal.lose_connection();
        assert_eq!(dropped, [Command::Emote(Emote::Wave), Command::Respawn]);
        assert_eq!(numbers(&journal.welcomed(CommandSequence(1))), [1, 3]);
        assert_eq!(journal.issue(say("two")).unwrap().sequence, CommandSequence(5));
        assert!(journal.lose_connection().is_empty());
        assert_eq!(numbers(&journal.welcomed(CommandSequence(3))), [1, 3, 5]);
    }

    #[test]
    fn a_page_that_was_loaded_anew_counts_on_from_what_the_server_has() {
        let mut journal = ReconnectJournal::default();
        assert!(journal.welcomed(CommandSequence(7)).is_empty());
        assert_eq!(journal.issue(Command::Gather).unwrap().sequence, CommandSequence(8));
    }

    #[test]
    fn no_more_waits_than_the_limit_and_an_answer_makes_room() {
        let mut journal = ReconnectJournal::default();
        for _ in 0..MAX_JOURNAL_COMMANDS {
            journal.issue(Command::Gather).unwrap();
        }
        assert_eq!(journal.issue(Command::Gather), Err(JournalFull));
        journal.answered(CommandSequence(1));
        assert!(journal.issue(Command::Gather).is_ok());
    }

    proptest! {
        /// I10 on the client's side: against a server that applies each number once, whatever
        /// part of the stream a loss takes, every replayable command is applied exactly once,
        /// in order, and a non-replayable one never after the loss.
        #[test]
        fn replayable_commands_are_applied_exactly_once(
            script in prop::collection::vec((0u8..4, 0usize..3), 1..60)
        ) {
            let (mut journal, mut server) = (ReconnectJournal::default(), Vec::<SequencedCommand>::new());
            let (mut wanted, mut on_the_way) = (Vec::new(), VecDeque::new());
            let mut dropped = Vec::new();
            let apply = |server: &mut Vec<SequencedCommand>, sent: SequencedCommand| {
                let applied = server.last().map_or(CommandSequence::NONE, |last| last.sequence);
                if sent.sequence > applied { server.push(sent); }
            };
            for (what, arrives) in script {
                match what {
                    0 | 1 => {
                        let command =
                            if what == 0 { Command::Gather } else { Command::Emote(Emote::Wave) };
                        if let Ok(sent) = journal.issue(command) {
                            wanted.push(sent.clone());
                            on_the_way.push_back(sent);
                        }
                    }
                    2 => for _ in 0..arrives {
                        let Some(sent) = on_the_way.pop_front() else { break };
                        apply(&mut server, sent.clone());
                        journal.answered(sent.sequence);
                    },
                    _ => {
                        // A loss: some arrive, their answers do not.
                        for _ in 0..arrives {
                            let Some(sent) = on_the_way.pop_front() else { break };
                            apply(&mut server, sent);
                        }
                        on_the_way.clear();
                        dropped.push(journal.lose_connection().len());
                        let applied = server.last().map_or(CommandSequence::NONE, |l| l.sequence);
                        for again in journal.welcomed(applied) {
                            prop_assert!(again.command.is_replayable());
                            on_the_way.push_back(again);
                        }
                    }
                }
            }
            for sent in on_the_way { apply(&mut server, sent); }
            let replayable = |all: &[SequencedCommand]| -> Vec<u32> {
                all.iter().filter(|c| c.command.is_replayable()).map(|c| c.sequence.0).collect()
            };
            prop_assert_eq!(replayable(&server), replayable(&wanted));
        }
    }
}
