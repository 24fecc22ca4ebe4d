//! A fault at each step of the handshake, and a second one at each step that follows a
//! first.

use shared::problem::ProblemCode;
use tests::faults::{Fault, Run, Step};

use super::checks;
use super::rig::{Pass, Rig, Shaken};
use super::story::{During, Faults, contain, get_in, play_to_the_end};

/// The first try of a fresh hero's handshake with these faults, left where it ended.
async fn begun(rig: &Rig, faults: Faults<'_>) -> (super::rig::Hero, Pass, Shaken, Run) {
    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    rig.plan().begin(faults);
    let answer = rig.shake(&pass, 1).await;
    let run = rig.plan().end();
    (hero, pass, answer, run)
}

/// The steps of a run, after which nothing is left.
async fn steps_of(rig: &mut Rig, faults: Faults<'_>) -> Vec<Step> {
    let (.., answer, run) = begun(rig, faults).await;
    assert_eq!(answer.is_accepted(), faults.is_empty(), "{answer:?}");
    rig.let_time_pass().await;
    run.steps
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_takes_the_steps_that_the_specification_names() {
    let mut rig = Rig::start(&[("edge-a", 8)]).await;
    contain(
        &steps_of(&mut rig, &[]).await,
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

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_outlives_a_fault_at_any_step() {
    let mut rig = Rig::start(&[("edge-a", 8)]).await;
    let steps = steps_of(&mut rig, &[]).await;
    for number in 0..steps.len() {
        for fault in Fault::ALL {
            let faults = [(number, fault)];
            let _during = During::new(&steps, &faults);
            one(&mut rig, &faults).await;
        }
    }
}

/// The undo of a handshake has steps as well.
#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_outlives_a_second_fault_at_any_step_after_a_lost_answer() {
    let mut rig = Rig::start(&[("edge-a", 8)]).await;
    let clean = steps_of(&mut rig, &[]).await;
    for first in 0..clean.len() {
        let steps = steps_of(&mut rig, &[(first, Fault::FailAfter)]).await;
        for second in first + 1..steps.len() {
            for fault in Fault::ALL {
                let faults = [(first, Fault::FailAfter), (second, fault)];
                let _during = During::new(&steps, &faults);
                one(&mut rig, &faults).await;
            }
        }
    }
}

async fn one(rig: &mut Rig, faults: Faults<'_>) {
    let (hero, pass, first, run) = begun(rig, faults).await;
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    let only_repeated = run.struck.iter().all(|(_, fault)| *fault == Fault::Repeat);
    match &first {
        Shaken::Lost => rig.restart().await,
        Shaken::Accepted(_) => assert!(only_repeated, "a lost answer is not taken for one"),
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
