//! A fault at each step of the realtime claim.

use shared::realtime::message::ByeCode;
use tests::faults::{Fault, Step};

use super::checks;
use super::ground::Family;
use super::heard::{Claimed, Playing};
use super::rig::Rig;
use super::story::{contain, get_in, play_to_the_end};
use super::sweep::{Faults, at_every_step};

async fn clean_run(rig: &Rig) -> Vec<Step> {
    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    let admission = rig.shake(&pass, 1).await.accepted();
    rig.plan().begin(&[]);
    let activated = rig.claim(&admission).await.playing();
    let steps = rig.plan().end().steps;
    let playing = Playing { pass, admission, activated };
    play_to_the_end(rig, &hero, &[], playing).await;
    steps
}

async fn a_claim_takes_the_steps_that_the_specification_names(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    contain(&clean_run(&rig).await, &["ledger.put_ledger", "characters.mark_claimed"]);
}

async fn a_claim_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean_run(&rig).await;
    for (flow, claims_again) in [("claim, then a claim", true), ("claim, then a try", false)] {
        let one = async |faults: Faults<'_>| one(&mut rig, faults, claims_again).await;
        at_every_step(family, flow, &steps, one).await;
    }
}

/// After a claim that failed, the client dials again, or begins its attempt anew.
async fn one(rig: &mut Rig, faults: Faults<'_>, claims_again: bool) {
    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    let admission = rig.shake(&pass, 1).await.accepted();
    rig.plan().begin(faults);
    let first = rig.claim(&admission).await;
    let run = rig.plan().end();
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    let (_, fault) = run.struck[0];

    let playing = match first {
        Claimed::Playing(activated) => {
            assert_eq!(fault, Fault::Repeat, "a lost answer is not taken for one");
            Playing { pass: pass.clone(), admission, activated: *activated }
        }
        Claimed::Bye(code) => {
            assert_eq!(code, ByeCode::Unavailable);
            assert_eq!(rig.seats_taken(), 1, "the session waits for its claim again");
            assert_eq!(rig.holders(hero.character).await, 0);
            if claims_again {
                let activated = rig.claim(&admission).await.playing();
                Playing { pass: pass.clone(), admission, activated }
            } else {
                get_in(rig, &hero, pass.clone(), 2).await
            }
        }
        Claimed::Lost => {
            rig.restart().await;
            let again = if claims_again { rig.claim(&admission).await } else { Claimed::Lost };
            match again {
                Claimed::Playing(activated) => {
                    Playing { pass: pass.clone(), admission, activated: *activated }
                }
                _ => get_in(rig, &hero, pass.clone(), 2).await,
            }
        }
    };
    checks::one_epoch_writes(rig, hero.character).await;
    play_to_the_end(rig, &hero, &[pass], playing).await;
}

over_both_families!(
    a_claim_takes_the_steps_that_the_specification_names,
    a_claim_outlives_a_fault_at_any_step,
);
