//! A fault at each step of a claim that finds its session in the resume ledger only: the
//! process that accepted the handshake has died.

use shared::realtime::message::ByeCode;
use tests::api::Admission;
use tests::faults::Step;

use super::checks;
use super::ground::Family;
use super::heard::{Claimed, Hero, Pass, Playing};
use super::rig::Rig;
use super::story::{contain, get_in, is_harmless, play_to_the_end};
use super::sweep::{Faults, at_every_step};

/// A session that was accepted by a process that is no more.
async fn accepted_before(rig: &mut Rig) -> (Hero, Pass, Admission) {
    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    let admission = rig.shake(&pass, 1).await.accepted();
    rig.restart().await;
    (hero, pass, admission)
}

async fn clean_run(rig: &mut Rig) -> Vec<Step> {
    let (hero, pass, admission) = accepted_before(rig).await;
    rig.plan().begin(&[]);
    let activated = rig.claim(&admission).await.playing();
    let steps = rig.plan().end().steps;
    let playing = Playing { pass, admission, activated };
    play_to_the_end(rig, &hero, &[], playing).await;
    steps
}

async fn a_claim_after_a_restart_takes_the_steps_that_the_specification_names(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    contain(
        &clean_run(&mut rig).await,
        &[
            "ledger.ledger",
            "characters.raise_epoch",
            "ledger.put_ledger",
            "presence.put_presence",
            "ledger.put_ledger",
            "characters.mark_claimed",
        ],
    );
}

async fn a_claim_after_a_restart_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean_run(&mut rig).await;
    for (flow, claims_again) in [
        ("claim after a restart, then a claim", true),
        ("claim after a restart, then a try", false),
    ] {
        let one = async |faults: Faults<'_>| one(&mut rig, faults, claims_again).await;
        at_every_step(family, flow, &steps, one).await;
    }
}

async fn one(rig: &mut Rig, faults: Faults<'_>, claims_again: bool) {
    let (hero, pass, admission) = accepted_before(rig).await;
    rig.plan().begin(faults);
    let first = rig.claim(&admission).await;
    let run = rig.plan().end();
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    match &first {
        Claimed::Playing(_) => assert!(is_harmless(&run), "a lost answer is not taken for one"),
        Claimed::Bye(code) => assert_eq!(*code, ByeCode::Unavailable),
        Claimed::Lost => rig.restart().await,
    }
    checks::one_epoch_writes(rig, hero.character).await;
    assert!(rig.seats_taken() <= 1);
    let claimed = match first {
        Claimed::Playing(activated) => Claimed::Playing(activated),
        // A page that is told to wait, or that lost its connection, dials again.
        _ if claims_again => rig.claim(&admission).await,
        other => other,
    };
    let playing = match claimed {
        Claimed::Playing(activated) => {
            Playing { pass: pass.clone(), admission, activated: *activated }
        }
        // The ticket opens nothing any more: the attempt tries again.
        _ => get_in(rig, &hero, pass.clone(), 2).await,
    };
    play_to_the_end(rig, &hero, &[pass], playing).await;
}

over_both_families!(
    a_claim_after_a_restart_takes_the_steps_that_the_specification_names,
    a_claim_after_a_restart_outlives_a_fault_at_any_step,
);
