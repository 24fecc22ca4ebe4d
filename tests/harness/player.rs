//! A player in the world: a client without a screen that speaks the realtime protocol as
//! the page does. It walks by ordinary inputs, sent once a tick, and tests look at what
//! it is shown.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use shared::ids::Placement;
use shared::limits::TICK;
use shared::realtime::codec::{decode_datagram, encode_datagram, encode_frame};
use shared::realtime::command::{Command, CommandOutcome, CommandSequence, SequencedCommand};
use shared::realtime::message::{Bye, Claim, ClientMessage, EntityId, ServerMessage, Welcome};
use shared::realtime::snapshot::{Snapshot, SnapshotReceiver};
use shared::secret::{ResumeToken, SessionToken};
use shared::world::map::ZoneMap;
use shared::world::movement::{Body, MoveInput};
use shared::world::{Position, Tile, path};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use crate::api::Admission;
use crate::line::{Dial, Heard, Line};
use crate::patience::{ARRIVED, HAPPENED, within};
use crate::prediction::Prediction;
use crate::sight::Sight;

/// Orders that wait for the player's task.
const ORDERS: usize = 16;

/// A player in the world. Dropping it cuts the connection without a word.
#[derive(Debug)]
pub struct Player {
    /// The answer to its hello.
    pub welcome: Welcome,
    /// The map that it walks on.
    pub map: Arc<ZoneMap>,
    sight: watch::Receiver<Sight>,
    orders: mpsc::Sender<Order>,
    /// The number of the last command that it sent.
    commands: AtomicU32,
}

#[derive(Debug)]
enum Order {
    Go(Plan),
    InputsPerTick(u32),
    Frame(Vec<u8>),
    Datagram(Vec<u8>),
}

#[derive(Debug)]
enum Plan {
    Towards(MoveInput),
    Along(VecDeque<Tile>),
}

impl Player {
    /// Dials the endpoint of an admission, claims the session and waits for the snapshot
    /// that shows the own body.
    ///
    /// # Errors
    /// The server's Bye.
    ///
    /// # Panics
    /// If the server does not let the connection in, or breaks the protocol.
    pub async fn claim(
        page_origin: &str,
        admission: &Admission,
        map: ZoneMap,
    ) -> Result<Self, Bye> {
        let ticket = Claim::Ticket(admission.ticket.clone());
        Self::claim_by(page_origin, admission, ticket, map).await
    }

    /// The same for a session that has been claimed before.
    ///
    /// # Errors
    /// The server's Bye.
    ///
    /// # Panics
    /// As [`Player::claim`].
    pub async fn resume(
        page_origin: &str,
        admission: &Admission,
        resume_token: &ResumeToken,
        map: ZoneMap,
    ) -> Result<Self, Bye> {
        let right = Claim::Resume(resume_token.clone());
        Self::claim_by(page_origin, admission, right, map).await
    }

    async fn claim_by(
        page_origin: &str,
        admission: &Admission,
        right: Claim,
        map: ZoneMap,
    ) -> Result<Self, Bye> {
        let activation = &admission.activation;
        let dial = Dial::of(activation, page_origin);
        let mut line = dial.line().await.expect("the endpoint lets the page's origin in");
        let welcome = line.claim_by(&activation.session_token, right).await?;
        assert_eq!(welcome.session_token, activation.session_token, "the Welcome's echo");
        let player = Self::start(line, welcome, map);
        player.until("the own body is in view", |sight| sight.own_body().is_some()).await;
        Ok(player)
    }

    fn start(line: Line, welcome: Welcome, map: ZoneMap) -> Self {
        let map = Arc::new(map);
        let (orders_sender, orders) = mpsc::channel(ORDERS);
        let (sight, sight_receiver) = watch::channel(Sight::new(welcome.entity));
        let task = PlayerTask {
            line,
            sight,
            snapshots: SnapshotReceiver::default(),
            prediction: Prediction::new(Body::standing(welcome.position)),
            map: map.clone(),
            plan: Plan::Towards(MoveInput::STILL),
            inputs_per_tick: 1,
        };
        tokio::spawn(task.run(orders));
        let commands = AtomicU32::new(welcome.last_command.0);
        Self { welcome, map, sight: sight_receiver, orders: orders_sender, commands }
    }

    /// Names the session.
    #[must_use]
    pub fn session(&self) -> &SessionToken {
        &self.welcome.session_token
    }

    /// The own body's number.
    #[must_use]
    pub fn entity(&self) -> EntityId {
        self.welcome.entity
    }

    /// Where in the world it entered.
    #[must_use]
    pub fn placement(&self) -> &Placement {
        &self.welcome.placement
    }

    /// What it has been shown so far.
    #[must_use]
    pub fn sight(&self) -> Sight {
        self.sight.borrow().clone()
    }

    /// Where the server has its body.
    ///
    /// # Panics
    /// If the body is out of its own sight.
    #[must_use]
    pub fn position(&self) -> Position {
        let body = self.sight.borrow().own_body();
        body.expect("a player sees its own body").position
    }

    /// The tile of that place.
    #[must_use]
    pub fn tile(&self) -> Tile {
        self.position().tile()
    }

    /// Waits until what it sees fulfils a condition; gives the sight that does.
    ///
    /// # Panics
    /// With the last sight, if that does not happen.
    pub async fn until(&self, what: &str, condition: impl FnMut(&Sight) -> bool) -> Sight {
        self.until_within(what, HAPPENED, condition).await
    }

    /// The same with a bound of its own.
    ///
    /// # Panics
    /// With the last sight, if it does not happen.
    pub async fn until_within(
        &self,
        what: &str,
        bound: Duration,
        condition: impl FnMut(&Sight) -> bool,
    ) -> Sight {
        let mut sight = self.sight.clone();
        let outcome = match tokio::time::timeout(bound, sight.wait_for(condition)).await {
            Ok(Ok(seen)) => Ok(seen.clone()),
            Ok(Err(_)) => Err("the connection ended before"),
            Err(_) => Err("in vain waited until"),
        };
        outcome.unwrap_or_else(|why| {
            let mut last = self.sight();
            let kept = last.moments.len().saturating_sub(1);
            last.moments.drain(..kept);
            panic!("{why} {what}: {last:?}")
        })
    }

    /// Waits for the Bye and for the end of the connection.
    ///
    /// # Panics
    /// If the connection ends without a Bye, or not at all.
    pub async fn bye_within(&self, bound: Duration) -> Bye {
        let seen = self.until_within("the connection ends", bound, |sight| sight.ended).await;
        seen.bye.expect("the server says Bye before it ends a connection")
    }

    /// The same within the usual time.
    pub async fn bye(&self) -> Bye {
        self.bye_within(HAPPENED).await
    }

    async fn order(&self, order: Order) {
        // A player whose connection has ended takes no orders; the test sees that by its
        // sight.
        let _ = self.orders.send(order).await;
    }

    /// Waits until the server has heard it: one of its inputs has been walked.
    ///
    /// # Panics
    /// If that does not happen.
    pub async fn is_heard(&self) {
        self.until("an input is acknowledged", |sight| sight.acked_input > 0).await;
    }

    /// Holds a direction from now on; [`MoveInput::STILL`] stands.
    pub async fn hold(&self, input: MoveInput) {
        self.order(Order::Go(Plan::Towards(input))).await;
    }

    /// Sends this many inputs a tick instead of one.
    pub async fn cheat(&self, inputs_per_tick: u32) {
        self.order(Order::InputsPerTick(inputs_per_tick)).await;
    }

    /// Sends bytes on the control stream.
    pub async fn send_on_stream(&self, bytes: Vec<u8>) {
        self.order(Order::Frame(bytes)).await;
    }

    /// Sends bytes as a datagram.
    pub async fn send_datagram(&self, bytes: Vec<u8>) {
        self.order(Order::Datagram(bytes)).await;
    }

    /// Sends a command under its next number; gives the number.
    pub async fn command(&self, command: Command) -> CommandSequence {
        let sequence = CommandSequence(self.commands.fetch_add(1, Ordering::Relaxed)).next();
        self.command_as(sequence, command).await;
        sequence
    }

    /// Sends a command under a number of the test's choice.
    ///
    /// # Panics
    /// If the command is larger than a frame.
    pub async fn command_as(&self, sequence: CommandSequence, command: Command) {
        let message = ClientMessage::Command(SequencedCommand { sequence, command });
        self.send_on_stream(encode_frame(&message).expect("a command fits a frame")).await;
    }

    /// Sends a command and waits for its answer.
    ///
    /// # Panics
    /// If there is none.
    pub async fn ask(&self, command: Command) -> CommandOutcome {
        let sequence = self.command(command).await;
        let seen = self.until("it is answered", |s| s.outcome_of(sequence).is_some()).await;
        seen.outcome_of(sequence).cloned().expect("it has just been there")
    }

    /// Sets out for a tile without waiting for the walk to end.
    ///
    /// # Panics
    /// If no way leads there.
    pub async fn set_out_for(&self, tile: Tile) {
        let way = path::find(&self.map, self.tile(), tile).expect("a way leads there");
        self.order(Order::Go(Plan::Along(way.into()))).await;
    }

    /// Walks to a tile and waits until the server has it standing there.
    ///
    /// # Panics
    /// If no way leads there, or the walk does not arrive.
    pub async fn walk_to(&self, tile: Tile) {
        self.set_out_for(tile).await;
        self.until_within("it has arrived", ARRIVED, |sight| sight.rests_on(tile)).await;
    }

    /// Leaves the world deliberately and waits until the server has let it go.
    ///
    /// # Panics
    /// If the server does not end the connection.
    pub async fn leave(self) {
        let bye = encode_frame(&ClientMessage::Bye).expect("a Bye fits a frame");
        self.send_on_stream(bye).await;
        self.until("the server lets it go", |sight| sight.ended).await;
    }

    /// Cuts the connection without a word.
    pub async fn vanish(self) {
        let mut sight = self.sight.clone();
        drop(self);
        // The task drops the connection and then its end of the sight.
        let gone = async { while sight.changed().await.is_ok() {} };
        within("the player's task is gone", HAPPENED, gone).await;
    }
}

struct PlayerTask {
    line: Line,
    sight: watch::Sender<Sight>,
    snapshots: SnapshotReceiver,
    prediction: Prediction,
    map: Arc<ZoneMap>,
    plan: Plan,
    inputs_per_tick: u32,
}

impl PlayerTask {
    async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            tokio::select! {
                heard = self.line.ears.next() => match heard {
                    Heard::Message(message) => self.hear(message).await,
                    Heard::Ended => break,
                },
                datagram = self.line.session.connection.receive_datagram() => match datagram {
                    Ok(datagram) => self.see(&datagram.payload()),
                    Err(_) => break,
                },
                _ = ticks.tick() => self.tick(),
                order = orders.recv() => match order {
                    Some(order) => self.obey(order).await,
                    None => return,
                },
            }
        }
        // Whatever ended the stream, the connection follows.
        self.line.closed().await;
        self.sight.send_modify(|sight| sight.ended = true);
    }

    async fn hear(&mut self, message: ServerMessage) {
        let is_bye = matches!(message, ServerMessage::Bye(_));
        self.sight.send_modify(|sight| sight.hear(message));
        if is_bye {
            self.line.say(&ClientMessage::Bye).await;
        }
    }

    fn see(&mut self, bytes: &[u8]) {
        let snapshot: Snapshot = decode_datagram(bytes).expect("the server's snapshots are sound");
        // One that is late or has lost its baseline is no fault of anybody.
        let Ok(view) = self.snapshots.apply(&snapshot).cloned() else { return };
        let own = self.sight.borrow().own;
        if let Some(body) = view.get(&own) {
            self.prediction.reconcile(&self.map, *body, snapshot.acked_input);
        }
        self.sight.send_modify(|sight| {
            sight.snapshots += 1;
            sight.largest_datagram = sight.largest_datagram.max(bytes.len());
            sight.acked_input = snapshot.acked_input;
            sight.remember(snapshot.tick, view);
        });
    }

    fn tick(&mut self) {
        for _ in 0..self.inputs_per_tick {
            let input = self.next_input();
            self.prediction.push(&self.map, input);
        }
        let fresh = usize::try_from(self.inputs_per_tick).unwrap_or(usize::MAX);
        let packet = self.prediction.packet(self.snapshots.acked_tick(), fresh);
        let bytes = encode_datagram(&packet).expect("inputs fit a datagram");
        self.send(bytes);
    }

    fn next_input(&mut self) -> MoveInput {
        match &mut self.plan {
            Plan::Towards(input) => *input,
            Plan::Along(way) => {
                let at = self.prediction.body().position;
                while let Some(tile) = way.front() {
                    let input = path::input_towards(at, *tile);
                    if !input.is_still() {
                        return input;
                    }
                    way.pop_front();
                }
                MoveInput::STILL
            }
        }
    }

    async fn obey(&mut self, order: Order) {
        match order {
            Order::Go(plan) => self.plan = plan,
            Order::InputsPerTick(inputs) => self.inputs_per_tick = inputs,
            Order::Frame(bytes) => self.line.write(&bytes).await,
            Order::Datagram(bytes) => self.send(bytes),
        }
    }

    fn send(&self, datagram: Vec<u8>) {
        // A connection that has ended takes no datagrams; the next round notices.
        let _ = self.line.session.connection.send_datagram(datagram);
    }
}
