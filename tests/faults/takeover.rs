//! A fault at each step of an entry over a session that waits or plays, the steps of that
//! session's end included.

use edge_server::stores::CharacterStore as _;
use shared::problem::ProblemCode;
use shared::world::Tile;
use tests::faults::{Fault, Run, Step};

use super::checks;
use super::rig::{Hero, Pass, Rig, Shaken, places};
use super::story::{During, Faults, contain, get_in, play_to_the_end};

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

async fn over_a_waiting_session(rig: &Rig, faults: Faults<'_>) -> (Hero, [Pass; 2], Shaken, Run) {
    let hero = rig.hero().await;
    let unused = rig.select(&hero).await;
    rig.shake(&unused, 1).await.accepted();
    let pass = rig.select(&hero).await;
    rig.plan().begin(faults);
    let answer = rig.shake(&pass, 1).await;
    (hero, [unused, pass], answer, rig.plan().end())
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

#[tokio::test(flavor = "multi_thread")]
async fn a_takeover_saves_before_it_raises() {
    let rig = Rig::start(&[("edge-a", 8)]).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_takeover_outlives_a_fault_at_any_step() {
    let mut rig = Rig::start(&[("edge-a", 8)]).await;
    let steps = clean_run(&rig).await;
    for number in 0..steps.len() {
        for fault in Fault::ALL {
            let faults = [(number, fault)];
            let _during = During::new(&steps, &faults);
            let entry = over_a_live_session(&rig, &faults).await;
            go_on(&mut rig, entry, stood()).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_over_a_waiting_session_outlives_a_fault_at_any_step() {
    let mut rig = Rig::start(&[("edge-a", 8)]).await;
    let steps = clean(over_a_waiting_session(&rig, &[]).await);
    contain(&steps, &["characters.raise_epoch", "ledger.remove_ledger", "ledger.put_ledger"]);
    rig.let_time_pass().await;
    for number in 0..steps.len() {
        for fault in Fault::ALL {
            let faults = [(number, fault)];
            let _during = During::new(&steps, &faults);
            let entry = over_a_waiting_session(&rig, &faults).await;
            go_on(&mut rig, entry, places()[0]).await;
        }
    }
}

/// From the answer to the entry on: whoever stood at `stood` is found there.
async fn go_on(rig: &mut Rig, entry: (Hero, [Pass; 2], Shaken, Run), stood: Tile) {
    let (hero, [used, pass], first, run) = entry;
    assert_eq!(run.struck.len(), 1, "{run:?}");
    match &first {
        Shaken::Lost => rig.restart().await,
        Shaken::Accepted(admission) => {
            assert_eq!(admission.activation.tile, stood, "the older one was saved first");
        }
        Shaken::Refused(code) => assert_eq!(*code, ProblemCode::Unavailable),
        other => panic!("{other:?}"),
    }
    checks::one_epoch_writes(rig, hero.character).await;
    assert!(rig.seats_taken() <= 1, "one character takes one seat");

    let playing = get_in(rig, &hero, pass.clone(), 2).await;
    let row = rig.stores().character(hero.character).await.unwrap().unwrap();
    if !run.struck.iter().any(|(_, fault)| fault.is_crash()) {
        assert_eq!(row.tile, stood, "what the older one did is kept");
    }
    assert_eq!(playing.admission.activation.tile, row.tile);
    if let Shaken::Accepted(earlier) = first {
        checks::opens_nothing(&rig.claim(&earlier).await);
    }
    play_to_the_end(rig, &hero, &[used, pass], playing).await;
}
