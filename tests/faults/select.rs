//! A fault at each step of select.

use shared::problem::ProblemCode;
use tests::faults::{Fault, Step};

use super::checks;
use super::rig::{Pass, Rig};
use super::story::{During, Faults, contain, get_in, is_harmless, play_to_the_end};

async fn clean_run(rig: &Rig) -> Vec<Step> {
    let hero = rig.hero().await;
    rig.plan().begin(&[]);
    rig.try_select(&hero).await.unwrap().unwrap();
    rig.plan().end().steps
}

#[tokio::test(flavor = "multi_thread")]
async fn select_takes_the_steps_that_the_specification_names() {
    let rig = Rig::start(&[("edge-a", 8)]).await;
    contain(
        &clean_run(&rig).await,
        &[
            "logins.account_of_login",
            "characters.character",
            "control_plane.assign",
            "registry.instances",
            "holds.hold",
            "control_plane.prepare",
            "legacy_handoffs.put_handoff_row",
            "handoffs.put_handoff",
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn select_outlives_a_fault_at_any_step() {
    let mut rig = Rig::start(&[("edge-a", 8)]).await;
    let steps = clean_run(&rig).await;
    for number in 0..steps.len() {
        for fault in Fault::ALL {
            let faults = [(number, fault)];
            let _during = During::new(&steps, &faults);
            one(&mut rig, &faults).await;
        }
    }
}

async fn one(rig: &mut Rig, faults: Faults<'_>) {
    let hero = rig.hero().await;
    rig.beat().await;
    rig.plan().begin(faults);
    let selected = rig.try_select(&hero).await;
    let run = rig.plan().end();
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    let (_, fault) = run.struck[0];
    let mut passes = Vec::new();
    match selected {
        None => {
            assert!(fault.is_crash());
            rig.restart().await;
        }
        Some(Ok(selected)) => {
            assert!(is_harmless(&run), "a lost answer is not taken for one");
            passes.push(Pass::of(selected));
        }
        Some(Err(refusal)) => {
            assert_eq!(refusal.problem.code, ProblemCode::Unavailable);
            assert!(refusal.retry_after.is_some(), "the player may come back");
        }
    }
    checks::nothing_is_left(rig).await;
    let pass = match passes.pop() {
        Some(pass) => pass,
        None => rig.select(&hero).await,
    };
    let playing = get_in(rig, &hero, pass, 1).await;
    play_to_the_end(rig, &hero, &[], playing).await;
}
