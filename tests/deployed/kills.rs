//! A `kill -9` of the process that takes it, before and after each step of select, handshake,
//! claim and disconnect. Each time the process is started again as a supervisor does it, the
//! player comes back by itself, and what must always hold holds.

use shared::world::Tile;
use tests::clock::Stopwatch;
use tests::cluster::{Cluster, Part};
use tests::fault_report::During;
use tests::hero::Hero;
use tests::hold_line::Moment;
use tests::line::Dial;
use tests::patience::{BACK_IN, HAPPENED};
use tests::patience::{SEATS_FREE, eventually, within};
use tests::player::Player;
use tests::way::tile_at;
use tokio::task::JoinHandle;

use super::back_in::{Pass, Way, get_in, plays_alone, selected, shaken};
use super::kill_rows::{Flow, Role, STEPS, Step};

/// Tiles that the player walks in each row, so that its place is one of its own.
const STEPS_WALKED: usize = 3;

/// Runs the rows of one flow and role on one backend.
async fn rows(flow: Flow, role: Role, test: &str) {
    let steps: Vec<_> =
        STEPS.iter().filter(|step| step.flow == flow && step.role == role).collect();
    assert!(!steps.is_empty(), "there are rows of {flow:?} and {role:?}");
    let mut cluster = Cluster::start_behind_lines().await;
    let hero = cluster.hero("Mara").await;
    let player = hero.enter().await;
    let mut place = player.tile();
    player.leave().await;
    for step in steps {
        for moment in [Moment::Before, Moment::After] {
            let row = step.row(moment, test);
            if !row.is_wanted() {
                continue;
            }
            let _during = During(row.name());
            let clock;
            (clock, place) = one(&mut cluster, &hero, step, moment, place).await;
            row.record("back in the world, alone, where it was committed", Some(clock));
        }
    }
    nothing_is_left(&cluster).await;
}

/// One row; gives how long it took until the player was back, and where it left.
async fn one(
    cluster: &mut Cluster,
    hero: &Hero,
    step: &Step,
    moment: Moment,
    place: Tile,
) -> (std::time::Duration, Tile) {
    let begun = begun(cluster, hero, step.flow).await;
    let (going, way) = match step.role {
        Role::ControlPlane => (hold_call(cluster, hero, step, moment, &begun).await, None),
        role => {
            let part = asker(cluster, role, &begun);
            part.lines().hold(step.word, moment);
            let going = begun.go_on(hero);
            part.lines().until_held().await;
            (Held { going, index: 0 }, Some(begun.after_a_crash()))
        }
    };
    let Held { going, index } = going;
    let clock = Stopwatch::start();
    let killed = match step.role {
        Role::Login => &mut cluster.login,
        Role::Game => &mut cluster.games[begun.game],
        Role::ControlPlane => &mut cluster.control_planes[index],
    };
    killed.kill9().await;
    killed.lines().lose();
    if matches!(step.flow, Flow::Claim | Flow::Disconnect) {
        // When a client gives a silent connection up is its own affair.
        going.abort();
    }
    // Who was asked is answered by another control plane, or told to come again; who was
    // killed with the player's question leaves it without an answer.
    let comes_back = async {
        let answered = within("the first try ends", BACK_IN, going).await.unwrap_or_default();
        let way = answered.or(way).unwrap_or_else(|| begun.after_a_crash());
        get_in(hero, way).await
    };
    let ((), (player, mut used)) = tokio::join!(killed.start_again(), comes_back);
    let seconds = clock.elapsed();
    used.extend(begun.pass.clone());
    let committed = begun.place.unwrap_or(place);
    plays_alone(cluster, hero, &player, &used, committed).await;

    let goal = tile_at(&player.map, player.tile(), STEPS_WALKED);
    player.walk_to(goal).await;
    player.leave().await;
    cluster.until_saved_at(hero.id, goal).await;
    no_work_is_left(cluster).await;
    (seconds, goal)
}

/// A flow that is about to be taken.
struct Begun {
    flow: Flow,
    /// The game server that the player is sent to.
    game: usize,
    pass: Option<Pass>,
    admission: Option<Box<tests::api::Admission>>,
    player: std::sync::Mutex<Option<Player>>,
    /// Where the player stands that leaves.
    place: Option<Tile>,
}

/// What the player does next, and where it is then, if anybody told it.
type Going = JoinHandle<Option<Way>>;

struct Held {
    going: Going,
    /// Which control plane has the call.
    index: usize,
}

async fn begun(cluster: &Cluster, hero: &Hero, flow: Flow) -> Begun {
    let mut begun = Begun {
        flow,
        game: 0,
        pass: None,
        admission: None,
        player: std::sync::Mutex::default(),
        place: None,
    };
    if flow == Flow::Select {
        return begun;
    }
    let pass = Pass::of(hero.select().await);
    begun.game = usize::from(pass.url == cluster.games[1].front());
    begun.pass = Some(pass.clone());
    if flow == Flow::Handshake {
        return begun;
    }
    let answer = shaken(hero, &pass, 1).await.expect("nothing is wrong yet");
    let admission = tests::api::accepted(answer);
    if flow == Flow::Disconnect {
        let player = hero.claim(&admission).await;
        let goal = tile_at(&player.map, player.tile(), STEPS_WALKED);
        player.walk_to(goal).await;
        cluster.until_saved_at(hero.id, goal).await;
        begun.place = Some(goal);
        begun.player = std::sync::Mutex::new(Some(player));
    }
    begun.admission = Some(Box::new(admission));
    begun
}

impl Begun {
    /// Takes the flow in a task of its own: it may be left without an answer.
    fn go_on(&self, hero: &Hero) -> Going {
        let hero = hero.clone();
        match self.flow {
            Flow::Select => tokio::spawn(async move {
                selected(&hero).await.map(|selected| Way::Handoff(Pass::of(selected), 1))
            }),
            Flow::Handshake => {
                let pass = self.pass.clone().expect("it has been selected");
                tokio::spawn(async move {
                    let answer = shaken(&hero, &pass, 1).await?;
                    Some(Way::Admitted(Box::new(tests::api::accepted(answer))))
                })
            }
            Flow::Claim => {
                let admission = self.admission.clone().expect("it has been admitted");
                tokio::spawn(async move {
                    let activation = &admission.activation;
                    let dial = Dial::of(activation, hero.api.origin());
                    let mut line = dial.line().await.expect("the server lives");
                    // What becomes of it is not heard.
                    let claim = line.claim(&activation.session_token, &admission.ticket);
                    let _ = tokio::time::timeout(HAPPENED, claim).await;
                    None
                })
            }
            Flow::Disconnect => {
                let player = self.player.lock().unwrap().take().expect("it plays");
                tokio::spawn(async move {
                    player.leave().await;
                    None
                })
            }
        }
    }

    /// Where a player is that got no answer.
    fn after_a_crash(&self) -> Way {
        match (&self.pass, self.flow) {
            (Some(pass), Flow::Handshake | Flow::Claim) => Way::Handoff(pass.clone(), 2),
            _ => Way::Roster,
        }
    }
}

/// Who takes a step of a flow.
fn asker<'a>(cluster: &'a Cluster, role: Role, begun: &Begun) -> &'a Part {
    match (role, begun.flow) {
        (Role::Login, _) | (_, Flow::Select) => &cluster.login,
        _ => &cluster.games[begun.game],
    }
}

/// Has the flow go on until a control plane has the step's call in hand.
async fn hold_call(
    cluster: &Cluster,
    hero: &Hero,
    step: &Step,
    moment: Moment,
    begun: &Begun,
) -> Held {
    let asker = asker(cluster, step.role, begun);
    asker.lines().hold(step.word, Moment::Before);
    let going = begun.go_on(hero);
    asker.lines().until_held().await;
    let [first, second] = &cluster.control_planes;
    for part in [first, second] {
        part.lines().hold(step.inner, moment);
    }
    asker.lines().let_go();
    let either = async {
        tokio::select! {
            () = first.lines().held() => 0,
            () = second.lines().held() => 1,
        }
    };
    let index = within("a control plane has the call in hand", HAPPENED, either).await;
    cluster.control_planes[1 - index].lines().let_go();
    Held { going, index }
}

/// I11: what ended sessions left to do is done.
async fn no_work_is_left(cluster: &Cluster) {
    eventually("the journal is empty", BACK_IN, async || {
        let keys: Vec<String> = cluster.redis.ask(&["KEYS", "session:lifecycle:*"]).await;
        keys.is_empty().then_some(())
    })
    .await;
}

/// I3, I6: once their times have passed, no seats are taken, and nothing names a session.
async fn nothing_is_left(cluster: &Cluster) {
    eventually("no seat is taken and nothing names a session", SEATS_FREE, async || {
        let instances = cluster.instances().await;
        let mut zones = instances.values().flat_map(|instance| &instance.zones);
        let free = zones.all(|zone| zone.occupied == 0);
        let presence: Vec<String> = cluster.redis.ask(&["KEYS", "presence:*"]).await;
        (free && presence.is_empty()).then_some(())
    })
    .await;
}

macro_rules! tests_of {
    ($($name:ident: $flow:ident, $role:ident;)+) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            let test = concat!("deployed::kills::", stringify!($name));
            rows(Flow::$flow, Role::$role, test).await;
        }
    )+};
}

tests_of! {
    a_login_server_killed_at_any_step_of_select_keeps_nobody_out: Select, Login;
    a_control_plane_killed_at_any_step_of_select_keeps_nobody_out: Select, ControlPlane;
    a_game_server_killed_at_any_step_of_a_handshake_keeps_nobody_out: Handshake, Game;
    a_control_plane_killed_at_any_step_of_a_handshake_keeps_nobody_out: Handshake, ControlPlane;
    a_game_server_killed_at_any_step_of_a_claim_keeps_nobody_out: Claim, Game;
    a_game_server_killed_at_any_step_of_a_disconnect_keeps_nobody_out: Disconnect, Game;
}
