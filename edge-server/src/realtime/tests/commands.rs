//! Commands over real connections, and a store of flowers that fails on demand.

use shared::realtime::command::{
    Command, CommandAnswer, CommandOutcome, CommandRefused, Emote, SequencedCommand,
};
use shared::realtime::message::EntityId;
use tokio::sync::mpsc;

use super::super::commands::{
    CHAT, COMMAND_QUEUE, COMMANDS, CommandQueue, SessionCommands, Standing,
};
use super::*;
use crate::domain::session_claims::ClaimGeneration;
use crate::stores::StoreError;

/// What the store of flowers says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mood {
    #[default]
    Well,
    Down,
    Stale,
}

/// Counts flowers as the real one does, for one epoch.
#[derive(Default)]
pub(super) struct FlowerStore {
    mood: Mutex<Mood>,
    counted: Mutex<BTreeMap<CharacterId, (CommandSequence, u32)>>,
    asked: Mutex<Vec<CommandSequence>>,
    /// Held by a test while the store hangs.
    gate: tokio::sync::Mutex<()>,
}

impl FlowerStore {
    pub(super) async fn gather(
        &self,
        character: CharacterId,
        sequence: CommandSequence,
    ) -> StoreResult<GatherOutcome> {
        self.asked.lock().unwrap().push(sequence);
        let _open = self.gate.lock().await;
        match *self.mood.lock().unwrap() {
            Mood::Well => {}
            Mood::Down => return Err(StoreError::Unavailable("down for the test".to_owned())),
            Mood::Stale => return Ok(GatherOutcome::Stale),
        }
        let mut counted = self.counted.lock().unwrap();
        let (last, total) = counted.entry(character).or_default();
        if sequence <= *last {
            return Ok(GatherOutcome::Already { total: *total });
        }
        (*last, *total) = (sequence, *total + 1);
        Ok(GatherOutcome::Gathered { total: *total })
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    fn set(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }
}

/// Three flowers around where players begin.
fn start_in_garden() -> Running {
    let row = format!("#@.*{}#", ".".repeat(60));
    let edge = "#".repeat(row.len());
    let beds = format!("#.**{}#", ".".repeat(60));
    start_on(&[&edge, &row, &beds, &edge], config(0), |_, _| {})
}

fn hello_world() -> Command {
    Command::Say("hello world".parse().unwrap())
}

fn gathered(total: u32) -> CommandOutcome {
    CommandOutcome::Gathered { total }
}

fn refused(refused: CommandRefused) -> CommandOutcome {
    CommandOutcome::Refused(refused)
}

fn sequenced(number: u32, command: Command) -> SequencedCommand {
    SequencedCommand { sequence: CommandSequence(number), command }
}

impl Client {
    async fn command(&mut self, number: u32, command: Command) {
        self.say(&ClientMessage::Command(sequenced(number, command))).await;
    }

    /// The next answer, whatever else is told before.
    async fn answer(&mut self) -> (u32, CommandOutcome) {
        loop {
            if let ServerMessage::Answered(CommandAnswer { sequence, outcome }) = self.hear().await
            {
                return (sequence.0, outcome);
            }
        }
    }

    async fn ask(&mut self, number: u32, command: Command) -> CommandOutcome {
        self.command(number, command).await;
        let (answered, outcome) = self.answer().await;
        assert_eq!(answered, number);
        outcome
    }

    async fn hear_until(&mut self, wanted: &ServerMessage) -> Vec<ServerMessage> {
        let mut heard = Vec::new();
        loop {
            let message = self.hear().await;
            let is_wanted = message == *wanted;
            heard.push(message);
            if is_wanted {
                return heard;
            }
        }
    }

    pub(super) async fn until_seen(&mut self, entity: EntityId) {
        while !matches!(self.hear().await, ServerMessage::Seen(seen) if seen.entity == entity) {}
    }

    /// What came until the server answers a ping.
    async fn heard_so_far(&mut self) -> Vec<ServerMessage> {
        self.say(&ClientMessage::Ping(77)).await;
        self.hear_until(&ServerMessage::Pong(77)).await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_reaches_who_is_in_view_and_nobody_else() {
    let running = start_in_garden();
    running.host.tiles.lock().unwrap().insert(3, Tile { x: 60, y: 1 });
    let (mut mara, welcome) = running.enter().await;
    let (mut near, near_welcome) = running.enter().await;
    let (mut far, _) = running.enter().await;
    near.until_seen(welcome.entity).await;
    mara.until_seen(near_welcome.entity).await;
    assert_eq!(welcome.last_command, CommandSequence::NONE);

    mara.command(1, hello_world()).await;
    mara.command(2, Command::Emote(Emote::Wave)).await;
    let entity = welcome.entity;
    let said = ServerMessage::Said { entity, text: "hello world".parse().unwrap() };
    let waved = ServerMessage::Emoted { entity, emote: Emote::Wave };
    near.hear_until(&said).await;
    near.hear_until(&waved).await;
    assert_eq!(mara.answer().await, (1, CommandOutcome::Done));
    assert_eq!(mara.answer().await, (2, CommandOutcome::Done));
    let heard = far.heard_so_far().await;
    assert!(!heard.contains(&said) && !heard.contains(&waved), "{heard:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gathering_counts_once_however_often_its_number_comes() {
    let running = start_in_garden();
    let (mut mara, _) = running.enter().await;
    let (mut other, _) = running.enter().await;
    assert_eq!(mara.ask(3, Command::Gather).await, gathered(1), "numbers may have gaps");
    other.hear_until(&ServerMessage::PickedFlowers(vec![0])).await;
    assert_eq!(mara.ask(3, Command::Gather).await, gathered(1));
    assert_eq!(mara.ask(4, Command::Gather).await, gathered(2));
    // Again with the total of now; a lower number that never came is done as well.
    assert_eq!(mara.ask(3, Command::Gather).await, gathered(2));
    assert_eq!(mara.ask(2, hello_world()).await, CommandOutcome::Done);
    assert_eq!(running.host.flowers.asked(), 2);
    other.hear_until(&ServerMessage::PickedFlowers(vec![0, 1])).await;
    let heard = other.heard_so_far().await;
    let said = |message: &ServerMessage| matches!(message, ServerMessage::Said { .. });
    assert!(!heard.iter().any(said), "{heard:?}");
    let (mut late, _) = running.enter().await;
    late.hear_until(&ServerMessage::PickedFlowers(vec![0, 1])).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_that_come_too_fast_are_refused_for_good_and_the_session_lives() {
    let running = start_in_garden();
    let (mut mara, _) = running.enter().await;
    let wave = || Command::Emote(Emote::Wave);
    let most = COMMANDS.0 * 3;
    for number in 1..=most {
        mara.command(number, wave()).await;
    }
    let mut too_fast = Vec::new();
    for number in 1..=most {
        match mara.answer().await {
            (answered, CommandOutcome::Done) => assert_eq!(answered, number),
            (answered, outcome) => {
                assert_eq!((answered, outcome), (number, refused(CommandRefused::TooFast)));
                too_fast.push(number);
            }
        }
    }
    assert!(too_fast.iter().all(|number| *number > COMMANDS.0), "{too_fast:?}");
    let first = *too_fast.first().expect("thrice the burst is too much");
    assert_eq!(mara.ask(first, wave()).await, refused(CommandRefused::TooFast), "for good");
    let soon = async {
        let mut number = most;
        loop {
            number += 1;
            if mara.ask(number, wave()).await == CommandOutcome::Done {
                return;
            }
        }
    };
    timeout(SOON, soon).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn talk_is_slower_than_other_commands() {
    let running = start_in_garden();
    let (mut mara, _) = running.enter().await;
    let number_of_texts = CHAT.0 + 3;
    for number in 1..=number_of_texts {
        mara.command(number, hello_world()).await;
    }
    let mut done = 0;
    for _ in 1..=number_of_texts {
        done += u32::from(mara.answer().await.1 == CommandOutcome::Done);
    }
    assert!((CHAT.0..number_of_texts).contains(&done), "{done} of {number_of_texts}");
    let wave = Command::Emote(Emote::Wave);
    assert_eq!(mara.ask(number_of_texts + 1, wave).await, CommandOutcome::Done);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn number_zero_breaks_the_protocol() {
    let running = start_in_garden();
    let (mut mara, _) = running.enter().await;
    mara.command(0, Command::Gather).await;
    assert_eq!(mara.hear_bye().await, ByeCode::Malformed);
    assert_eq!(running.host.flowers.asked(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_fails_gives_the_flower_back_and_uses_the_number_up() {
    let running = start_in_garden();
    let (mut mara, _) = running.enter().await;
    running.host.flowers.set(Mood::Down);
    let unavailable = refused(CommandRefused::Unavailable);
    assert_eq!(mara.ask(1, Command::Gather).await, unavailable);
    running.host.flowers.set(Mood::Well);
    assert_eq!(mara.ask(1, Command::Gather).await, unavailable, "for good");
    assert_eq!(mara.ask(2, Command::Gather).await, gathered(1));
    assert_eq!(mara.ask(3, Command::Gather).await, gathered(2));
    assert_eq!(mara.ask(4, Command::Gather).await, gathered(3), "all three glowed");
    assert_eq!(mara.ask(5, Command::Gather).await, refused(CommandRefused::NoFlower));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_has_lost_its_character_ends_at_a_gathering() {
    let running = start_in_garden();
    let (mut mara, _) = running.enter().await;
    running.host.flowers.set(Mood::Stale);
    mara.command(1, Command::Gather).await;
    assert_eq!(mara.hear_bye().await, ByeCode::Superseded);
    let end = (Some(Tile { x: 2, y: 1 }), EndReason::Ended(ByeCode::Superseded));
    assert_eq!(running.wait_for_ends(1).await, [end]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_hangs_delays_its_sessions_commands_and_nothing_else() {
    let running = start_in_garden();
    let (mut mara, _) = running.enter().await;
    let (mut other, _) = running.enter().await;
    let gate = running.host.flowers.gate.lock().await;
    mara.command(1, Command::Gather).await;
    mara.command(2, hello_world()).await;
    other.hear_until(&ServerMessage::PickedFlowers(vec![0])).await;
    let heard = mara.heard_so_far().await;
    let answered = |message: &ServerMessage| matches!(message, ServerMessage::Answered(_));
    assert!(!heard.iter().any(answered), "{heard:?}");
    assert_eq!(other.ask(1, hello_world()).await, CommandOutcome::Done);
    drop(gate);
    assert_eq!(mara.answer().await, (1, gathered(1)));
    assert_eq!(mara.answer().await, (2, CommandOutcome::Done));

    let _gate = running.host.flowers.gate.lock().await;
    mara.command(3, Command::Gather).await;
    mara.say(&ClientMessage::Bye).await;
    assert_eq!(mara.hear_bye().await, ByeCode::LoggedOut);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_waits_for_no_answers_has_broken_the_protocol() {
    let running = start_in_garden();
    let (mut mara, _) = running.enter().await;
    let _gate = running.host.flowers.gate.lock().await;
    for number in 1..=u32::try_from(COMMAND_QUEUE).unwrap() + 2 {
        mara.command(number, Command::Gather).await;
    }
    assert_eq!(mara.hear_bye().await, ByeCode::Malformed);
}

/// A session whose connection is lost while the store takes its time over its first command.
struct Outlived {
    running: Running,
    _mara: Client,
    commands: SessionCommands,
    entity: EntityId,
    lost: CommandQueue,
}

impl Outlived {
    async fn begin(running: Running) -> Self {
        let (mara, welcome) = running.enter().await;
        let commands = SessionCommands::of(&session(1, &welcome.session_token).character);
        let entity = welcome.entity;
        let (replies, _) = mpsc::channel(8);
        let claim = ClaimGeneration::FIRST;
        let standing = commands.begin(claim, &replies);
        assert_eq!(standing, Standing { last_command: CommandSequence::NONE, gathered: 0 });
        let (host, zone) = (running.host.clone(), running.host.zone.clone());
        let (lost, work) = commands.clone().serve(claim, host, zone, entity, replies);
        let work = tokio::spawn(work);
        lost.push(sequenced(1, Command::Gather)).unwrap();
        let asked = async {
            while running.host.flowers.asked() == 0 {
                tokio::task::yield_now().await;
            }
        };
        timeout(SOON, asked).await.unwrap();
        work.abort();
        assert!(work.await.is_err());
        assert_eq!(commands.last(), CommandSequence::NONE, "it is under way, and not done");
        Self { running, _mara: mara, commands, entity, lost }
    }

    /// The next connection, with what its Welcome says.
    fn reconnect(&self) -> (CommandQueue, mpsc::Receiver<ServerMessage>, Standing) {
        let (replies, answers) = mpsc::channel(8);
        let claim = ClaimGeneration(2);
        let standing = self.commands.begin(claim, &replies);
        let (host, zone) = (self.running.host.clone(), self.running.host.zone.clone());
        let (queue, work) = self.commands.clone().serve(claim, host, zone, self.entity, replies);
        tokio::spawn(work);
        (queue, answers, standing)
    }
}

async fn answer_of(answers: &mut mpsc::Receiver<ServerMessage>) -> (u32, CommandOutcome) {
    match timeout(SOON, answers.recv()).await.unwrap().unwrap() {
        ServerMessage::Answered(CommandAnswer { sequence, outcome }) => (sequence.0, outcome),
        other => panic!("no answer: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_outlives_its_connection_is_answered_to_the_next_and_done_once() {
    let running = start_in_garden();
    let host = running.host.clone();
    let gate = host.flowers.gate.lock().await;
    let outlived = Outlived::begin(running).await;
    let (queue, mut answers, _) = outlived.reconnect();
    queue.push(sequenced(1, Command::Gather)).unwrap();
    drop(gate);
    // Once because it is done, and once because it was asked again.
    assert_eq!(answer_of(&mut answers).await, (1, gathered(1)));
    assert_eq!(answer_of(&mut answers).await, (1, gathered(1)));
    assert_eq!(host.flowers.asked(), 1);
    assert_eq!(outlived.commands.last(), CommandSequence(1));
}

/// A page that was loaded anew knows nothing of the command that is under way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_forgot_what_it_sent_gives_no_number_twice_and_is_told_what_became_of_it() {
    let running = start_in_garden();
    let host = running.host.clone();
    let gate = host.flowers.gate.lock().await;
    let outlived = Outlived::begin(running).await;
    let (queue, mut answers, standing) = outlived.reconnect();
    assert_eq!(standing.last_command, CommandSequence(1), "it was heard");
    assert_eq!(standing.gathered, 0, "it is not done");
    queue.push(sequenced(2, hello_world())).unwrap();
    outlived.lost.push(sequenced(3, hello_world())).unwrap();
    drop(gate);
    assert_eq!(answer_of(&mut answers).await, (1, gathered(1)));
    assert_eq!(answer_of(&mut answers).await, (2, CommandOutcome::Done));
    let (_, _, standing) = outlived.reconnect();
    let expected = Standing { last_command: CommandSequence(2), gathered: 1 };
    assert_eq!(standing, expected, "a connection that has been replaced is not listened to");
}

#[tokio::test]
async fn a_session_goes_on_from_the_number_that_its_row_has() {
    let running = start_in_garden();
    let mut character = session(9, &"session-of-a-test".parse().unwrap()).character;
    (character.last_command, character.gathered) = (CommandSequence(6), 40);
    let commands = SessionCommands::of(&character);
    assert_eq!(commands.last(), CommandSequence(6));
    let (replies, mut answers) = mpsc::channel(8);
    let claim = ClaimGeneration::FIRST;
    let standing = commands.begin(claim, &replies);
    assert_eq!(standing, Standing { last_command: CommandSequence(6), gathered: 40 });
    let (host, zone) = (running.host.clone(), running.host.zone.clone());
    let (queue, work) = commands.serve(claim, host, zone, EntityId(1), replies);
    queue.push(sequenced(6, Command::Gather)).unwrap();
    drop(queue);
    assert_eq!(work.await, EndReason::Lost);
    let (sequence, outcome) = (CommandSequence(6), gathered(40));
    let answer = ServerMessage::Answered(CommandAnswer { sequence, outcome });
    assert_eq!(answers.recv().await, Some(answer));
    assert_eq!(running.host.flowers.asked(), 0);
}
