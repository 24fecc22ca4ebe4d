//! A fault at each step of a handshake at a full instance, which sends the player on to
//! another one.

use shared::gameplay::RejectionCode;
use shared::problem::ProblemCode;
use tests::faults::{Run, Step};

use super::checks;
use super::ground::Family;
use super::heard::{Hero, Pass, Playing, Shaken};
use super::rig::{Rig, places};
use super::story::{contain, get_in, is_harmless, play_to_the_end};
use super::sweep::{Faults, at_every_step};

/// `edge-a` has one seat, which is taken; `edge-b` has room.
async fn crowded(family: Family) -> (Rig, Playing) {
    let rig = Rig::start(family, &[("edge-a", 1), ("edge-b", 8)]).await;
    let settled = settle(&rig).await;
    (rig, settled)
}

/// Somebody takes the only seat of `edge-a`.
async fn settle(rig: &Rig) -> Playing {
    let first = rig.hero().await;
    let settled = rig.enter_with(rig.pass(&first).await).await;
    rig.beat().await;
    settled
}

async fn begun(rig: &Rig, faults: Faults<'_>) -> (Hero, Pass, Shaken, Run) {
    let hero = rig.hero().await;
    rig.beat().await;
    let pass = rig.pass(&hero).await;
    rig.plan().begin(faults);
    let answer = rig.shake(&pass, 1).await;
    (hero, pass, answer, rig.plan().end())
}

async fn clean_run(rig: &Rig) -> Vec<Step> {
    let (_, pass, answer, run) = begun(rig, &[]).await;
    let Shaken::Redirected(to) = answer else { panic!("{answer:?}") };
    // The token is good there, and is told so wherever else it is shown.
    assert_eq!(to.as_str(), "edge-b");
    for r#try in [1, 2] {
        let again = rig.shake(&pass, r#try).await;
        assert!(matches!(again, Shaken::Redirected(there) if there == to));
    }
    run.steps
}

async fn a_full_instance_takes_the_steps_that_the_specification_names(family: Family) {
    let (rig, _settled) = crowded(family).await;
    contain(
        &clean_run(&rig).await,
        &[
            "handoffs.preflight",
            "control_plane.assign",
            "registry.instances",
            "control_plane.redirect",
            "handoffs.redirect",
        ],
    );
}

async fn a_redirect_outlives_a_fault_at_any_step(family: Family) {
    let (mut rig, settled) = crowded(family).await;
    let steps = clean_run(&rig).await;
    rig.leave(settled, places()[0]).await.unwrap();
    let one = async |faults: Faults<'_>| one(&mut rig, faults).await;
    at_every_step(family, "redirect", &steps, one).await;
}

async fn one(rig: &mut Rig, faults: Faults<'_>) {
    let mut settled = settle(rig).await;
    let (hero, pass, first, run) = begun(rig, faults).await;
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    assert_eq!(rig.seats_taken(), 1, "nobody but who was there");
    match first {
        Shaken::Lost => {
            rig.restart().await;
            settled = settle(rig).await;
        }
        Shaken::Redirected(_) => assert!(is_harmless(&run), "{run:?}"),
        Shaken::Refused(code) => assert_eq!(code, ProblemCode::Unavailable),
        other => panic!("{other:?}"),
    }
    let playing = get_in(rig, &hero, pass.clone(), 2).await;
    assert_eq!(playing.pass.instance.as_str(), "edge-b");
    assert_eq!(playing.pass.token, pass.token, "the token that was sent on made the session");
    // Whoever settled would be in the way of the story's end, which empties the world.
    rig.leave(settled, places()[0]).await.unwrap();
    play_to_the_end(rig, &hero, &[pass], playing).await;
}

/// With nowhere to be sent the player hears that the zone is full, and the token stays good.
async fn nowhere_to_be_sent_leaves_nothing_and_the_token_good(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 1), ("edge-b", 1)]).await;
    let mut settled = Vec::new();
    for game in rig.games() {
        let somebody = rig.hero().await;
        settled.push(rig.enter_with(rig.pass_to(game, &somebody).await).await);
    }
    let (hero, pass, answer, _) = begun(&rig, &[]).await;
    assert!(matches!(answer, Shaken::Rejected(RejectionCode::ZoneFull)), "{answer:?}");
    assert_eq!(rig.seats_taken(), 2);
    rig.leave(settled.remove(0), places()[0]).await.unwrap();
    let playing = get_in(&rig, &hero, pass.clone(), 2).await;
    assert_eq!(playing.pass.token, pass.token);
    rig.leave(settled.remove(0), places()[0]).await.unwrap();
    checks::one_epoch_writes(&rig, hero.character).await;
    play_to_the_end(&rig, &hero, &[pass], playing).await;
}

over_both_families!(
    a_full_instance_takes_the_steps_that_the_specification_names,
    a_redirect_outlives_a_fault_at_any_step,
    nowhere_to_be_sent_leaves_nothing_and_the_token_good,
);
