//! A fault at each step of an entry over a session that waits or plays, the steps of that
//! session's end included.

use edge_server::stores::CharacterStore as _;
use shared::problem::ProblemCode;
use shared::world::Tile;
use tests::faults::{Fault, Run, Step};

use super::checks;
use super::ground::Family;
use super::heard::{Hero, Pass, Shaken};
use super::rig::{Rig, places};
use super::story::{contain, get_in, play_to_the_end};
use super::sweep::{Faults, at_every_step};

/// The steps by which an older session elsewhere is asked to leave.
const RELEASE: [Step; 5] = [
    "control_plane.release",
    "holders.release",
    "presence.presence_of_account",
    "presence.presence_of_character",
    "registry.instances",
];

/// Where the session that is taken over stands.
fn stood() -> Tile {
    places()[7]
}

async fn over_a_live_session(rig: &Rig, faults: Faults<'_>) -> (Hero, [Pass; 2], Shaken, Run) {
    let hero = rig.hero().await;
    let older = rig.enter(&hero).await;
    let used = older.pass.clone();
    rig.serve(older, stood());
    let pass = rig.select(&hero).await;
    rig.plan().begin(faults);
    let answer = rig.shake(&pass, 1).await;
    (hero, [used, pass], answer, rig.plan().end())
}

async fn over_a_linkdead_session(rig: &Rig, faults: Faults<'_>) -> (Hero, [Pass; 2], Shaken, Run) {
    let hero = rig.hero().await;
    let older = rig.enter(&hero).await;
    let used = older.pass.clone();
    rig.lose(older, stood()).await;
    let pass = rig.select(&hero).await;
    rig.plan().begin(faults);
    let answer = rig.shake(&pass, 1).await;
    (hero, [used, pass], answer, rig.plan().end())
}

async fn over_a_waiting_session(rig: &Rig, faults: Faults<'_>) -> (Hero, [Pass; 2], Shaken, Run) {
    let hero = rig.hero().await;
    let unused = rig.select(&hero).await;
    rig.shake(&unused, 1).await.accepted();
    let pass = rig.select(&hero).await;
    rig.plan().begin(faults);
    let answer = rig.shake(&pass, 1).await;
    (hero, [unused, pass], answer, rig.plan().end())
}

/// The older session is at the second instance, and the entry at the first.
async fn over_a_session_elsewhere(rig: &Rig, faults: Faults<'_>) -> (Hero, [Pass; 2], Shaken, Run) {
    let hero = rig.hero().await;
    rig.beat().await;
    let older = rig.enter_with(rig.pass_to(&rig.games()[1], &hero).await).await;
    let used = older.pass.clone();
    rig.serve(older, stood());
    let pass = rig.pass(&hero).await;
    rig.plan().begin(faults);
    let answer = rig.shake(&pass, 1).await;
    (hero, [used, pass], answer, rig.plan().end())
}

#[track_caller]
fn clean((.., answer, run): (Hero, [Pass; 2], Shaken, Run)) -> Vec<Step> {
    assert!(answer.is_accepted(), "{answer:?}");
    run.steps
}

async fn clean_run(rig: &Rig) -> Vec<Step> {
    let steps = clean(over_a_live_session(rig, &[]).await);
    rig.let_time_pass().await;
    steps
}

async fn a_takeover_saves_before_it_raises(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    contain(
        &clean_run(&rig).await,
        &[
            "handoffs.consume",
            "characters.save_locations",
            "presence.remove_presence",
            "ledger.remove_ledger",
            "characters.raise_epoch",
            "ledger.put_ledger",
            "presence.put_presence",
        ],
    );
}

async fn a_takeover_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean_run(&rig).await;
    at_every_step(family, "takeover", &steps, async |faults| {
        let entry = over_a_live_session(&rig, faults).await;
        go_on(&mut rig, entry, stood()).await;
    })
    .await;
}

async fn a_takeover_of_a_linkdead_session_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean(over_a_linkdead_session(&rig, &[]).await);
    contain(&steps, &["characters.save_locations", "characters.raise_epoch"]);
    rig.let_time_pass().await;
    at_every_step(family, "takeover of a linkdead session", &steps, async |faults| {
        let entry = over_a_linkdead_session(&rig, faults).await;
        go_on(&mut rig, entry, stood()).await;
    })
    .await;
}

async fn an_entry_over_a_waiting_session_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean(over_a_waiting_session(&rig, &[]).await);
    contain(&steps, &["characters.raise_epoch", "ledger.remove_ledger", "ledger.put_ledger"]);
    rig.let_time_pass().await;
    at_every_step(family, "entry over a waiting session", &steps, async |faults| {
        let entry = over_a_waiting_session(&rig, faults).await;
        go_on(&mut rig, entry, places()[0]).await;
    })
    .await;
}

async fn a_takeover_from_another_instance_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8), ("edge-b", 8)]).await;
    let steps = clean(over_a_session_elsewhere(&rig, &[]).await);
    contain(
        &steps,
        &[
            "control_plane.release",
            "presence.presence_of_character",
            "holders.release",
            "characters.save_locations",
            "characters.raise_epoch",
        ],
    );
    rig.let_time_pass().await;
    at_every_step(family, "takeover from another instance", &steps, async |faults| {
        let entry = over_a_session_elsewhere(&rig, faults).await;
        go_on(&mut rig, entry, stood()).await;
    })
    .await;
}

/// From the answer to the entry on: whoever stood at `stood` is found there.
async fn go_on(rig: &mut Rig, entry: (Hero, [Pass; 2], Shaken, Run), stood: Tile) {
    let (hero, [used, pass], first, run) = entry;
    assert_eq!(run.struck.len(), 1, "{run:?}");
    // Who could not be asked to leave was not saved, and is fenced by the raise.
    let asked = !run
        .struck
        .iter()
        .any(|(step, fault)| fault.is_crash() || *fault != Fault::Repeat && RELEASE.contains(step));
    match &first {
        Shaken::Lost => rig.restart().await,
        Shaken::Accepted(admission) => {
            if asked {
                assert_eq!(admission.activation.tile, stood, "the older one was saved first");
            }
        }
        Shaken::Refused(code) => assert_eq!(*code, ProblemCode::Unavailable),
        other => panic!("{other:?}"),
    }
    checks::one_epoch_writes(rig, hero.character).await;
    assert!(!asked || rig.seats_taken() <= 1, "one character takes one seat");

    let playing = get_in(rig, &hero, pass.clone(), 2).await;
    let row = rig.stores().character(hero.character).await.unwrap().unwrap();
    if asked {
        assert_eq!(row.tile, stood, "what the older one did is kept");
    }
    assert_eq!(playing.admission.activation.tile, row.tile);
    if let Shaken::Accepted(earlier) = first {
        checks::opens_nothing(&rig.claim(&earlier).await);
    }
    rig.renew().await;
    play_to_the_end(rig, &hero, &[used, pass], playing).await;
}

over_both_families!(
    a_takeover_saves_before_it_raises,
    a_takeover_outlives_a_fault_at_any_step,
    a_takeover_of_a_linkdead_session_outlives_a_fault_at_any_step,
    an_entry_over_a_waiting_session_outlives_a_fault_at_any_step,
    a_takeover_from_another_instance_outlives_a_fault_at_any_step,
);
