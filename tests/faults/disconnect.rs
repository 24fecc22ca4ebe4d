//! A fault at each step of a session's end.

use edge_server::stores::CharacterStore as _;
use tests::faults::Step;

use super::ground::Family;
use super::rig::{Rig, places};
use super::story::{contain, play_to_the_end};
use super::sweep::{Faults, at_every_step};
use super::{checks, lifecycle};

async fn clean_run(rig: &Rig) -> Vec<Step> {
    let playing = rig.enter(&rig.hero().await).await;
    rig.plan().begin(&[]);
    rig.leave(playing, places()[3]).await.unwrap();
    rig.plan().end().steps
}

async fn a_sessions_end_takes_the_steps_that_the_specification_names(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    contain(
        &clean_run(&rig).await,
        &[
            "journal.begin_work",
            "characters.save_locations",
            "control_plane.remove_presence",
            "presence.remove_presence",
            "ledger.remove_ledger",
            "journal.finish_work",
        ],
    );
}

async fn a_sessions_end_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean_run(&rig).await;
    let one = async |faults: Faults<'_>| one(&mut rig, faults).await;
    at_every_step(family, "disconnect", &steps, one).await;
}

async fn one(rig: &mut Rig, faults: Faults<'_>) {
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    let (pass, place) = (playing.pass.clone(), places()[3]);
    rig.plan().begin(faults);
    let left = rig.leave(playing, place).await;
    let run = rig.plan().end();
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    if left.is_some() {
        let row = rig.stores().character(hero.character).await.unwrap().unwrap();
        assert_eq!(row.tile, place, "what was acknowledged is kept");
        checks::nothing_is_left(rig).await;
    } else {
        rig.restart().await;
    }
    lifecycle::all_is_done(rig).await;
    checks::a_used_token_makes_no_further_session(rig, &pass).await;
    let again = checks::enters_where_it_was_committed(rig, &hero).await;
    play_to_the_end(rig, &hero, &[pass], again).await;
}

over_both_families!(
    a_sessions_end_takes_the_steps_that_the_specification_names,
    a_sessions_end_outlives_a_fault_at_any_step,
);
