//! A fault at each step of the handshake, and a second one at each step that follows a
//! first.

use shared::problem::ProblemCode;
use tests::faults::{Fault, Run};

use super::checks;
use super::ground::Family;
use super::heard::{Pass, Shaken};
use super::rig::Rig;
use super::story::{contain, get_in, is_harmless, play_to_the_end};
use super::sweep::{Faults, at_every_later_step, at_every_step};

/// The first try of a fresh hero's handshake with these faults, left where it ended.
async fn begun(rig: &Rig, faults: Faults<'_>) -> (super::heard::Hero, Pass, Shaken, Run) {
    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    rig.plan().begin(faults);
    let answer = rig.shake(&pass, 1).await;
    let run = rig.plan().end();
    (hero, pass, answer, run)
}

/// A run that leaves nothing.
async fn run_of(rig: &Rig, faults: Faults<'_>) -> Run {
    let (.., answer, run) = begun(rig, faults).await;
    assert_eq!(answer.is_accepted(), is_harmless(&run), "{answer:?}");
    rig.let_time_pass().await;
    run
}

async fn a_handshake_takes_the_steps_that_the_specification_names(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    contain(
        &run_of(&rig, &[]).await.steps,
        &[
            "control_plane.preflight",
            "handoffs.preflight",
            "control_plane.consume",
            "handoffs.consume",
            "characters.raise_epoch",
            "ledger.put_ledger",
            "control_plane.put_presence",
            "presence.put_presence",
        ],
    );
}

async fn a_handshake_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = run_of(&rig, &[]).await.steps;
    let one = async |faults: Faults<'_>| one(&mut rig, faults).await;
    at_every_step(family, "handshake", &steps, one).await;
}

/// The undo of a handshake has steps as well.
async fn a_handshake_outlives_a_second_fault_at_any_step_after_a_lost_answer(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let clean = run_of(&rig, &[]).await.steps;
    for first in 0..clean.len() {
        let run = run_of(&rig, &[(first, Fault::FailAfter)]).await;
        if is_harmless(&run) {
            // Nothing was undone: what follows are the steps of a clean run.
            continue;
        }
        let steps = run.steps;
        let one = async |faults: Faults<'_>| one(&mut rig, faults).await;
        let earlier = [(first, Fault::FailAfter)];
        at_every_later_step(family, "handshake after a lost answer", &steps, &earlier, one).await;
    }
}

async fn one(rig: &mut Rig, faults: Faults<'_>) {
    let (hero, pass, first, run) = begun(rig, faults).await;
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    match &first {
        Shaken::Lost => rig.restart().await,
        Shaken::Accepted(_) => assert!(is_harmless(&run), "a lost answer is not taken for one"),
        Shaken::Refused(code) => {
            assert_eq!(*code, ProblemCode::Unavailable);
            if faults.len() == 1 {
                checks::nothing_is_left(rig).await;
            }
        }
        other => panic!("{other:?}"),
    }
    checks::one_epoch_writes(rig, hero.character).await;
    assert!(rig.seats_taken() <= 1);

    let playing = get_in(rig, &hero, pass.clone(), 2).await;
    if let Shaken::Accepted(earlier) = first {
        checks::opens_nothing(&rig.claim(&earlier).await);
    }
    play_to_the_end(rig, &hero, &[pass], playing).await;
}

over_both_families!(
    a_handshake_takes_the_steps_that_the_specification_names,
    a_handshake_outlives_a_fault_at_any_step,
    a_handshake_outlives_a_second_fault_at_any_step_after_a_lost_answer,
);
