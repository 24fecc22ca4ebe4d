//! A fault at each step of select.

use edge_server::flows::login_server::DEFAULT_GAME_INSTANCE;
use edge_server::stores::RegistryStore as _;
use edge_server::workers::instance_keeper;
use shared::problem::ProblemCode;
use tests::faults::{Fault, Step};

use super::checks;
use super::ground::Family;
use super::heard::Pass;
use super::rig::Rig;
use super::story::{contain, get_in, is_harmless, play_to_the_end};
use super::sweep::{Faults, at_every_step};

async fn clean_run(rig: &Rig) -> Vec<Step> {
    let hero = rig.hero().await;
    rig.plan().begin(&[]);
    rig.try_select(&hero).await.unwrap().unwrap();
    rig.plan().end().steps
}

async fn select_takes_the_steps_that_the_specification_names(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
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

async fn select_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean_run(&rig).await;
    let one = async |faults: Faults<'_>| one(&mut rig, faults).await;
    at_every_step(family, "select", &steps, one).await;
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

/// The number of the step in a clean run.
fn number_of(steps: &[Step], step: Step) -> usize {
    steps.iter().position(|taken| *taken == step).expect("a clean run takes the step")
}

async fn while_allocation_does_not_answer_the_default_game_server_takes_the_player(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    rig.set_default_game();
    let steps = clean_run(&rig).await;
    for step in ["control_plane.assign", "registry.instances", "holds.hold"] {
        let hero = rig.hero().await;
        rig.beat().await;
        rig.plan().begin(&[(number_of(&steps, step), Fault::FailBefore)]);
        let selected = rig.try_select(&hero).await.unwrap().unwrap();
        assert_eq!(rig.plan().end().struck.len(), 1, "{step}");
        let endpoint = &selected.endpoint;
        assert_eq!(endpoint.instance_id.as_str(), DEFAULT_GAME_INSTANCE);
        assert_eq!(endpoint.http_url, rig.game().identity.http_url);
        // The handoff stands under the legacy scope, which the server there looks under.
        let instance = rig.game().identity.id.clone();
        let pass = Pass { instance, ..Pass::of(selected) };
        let playing = rig.enter_with(pass).await;
        play_to_the_end(&rig, &hero, &[], playing).await;
    }
}

async fn a_no_of_allocation_sends_nobody_to_the_default_game_server(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 1)]).await;
    rig.set_default_game();
    let first = rig.hero().await;
    rig.try_select(&first).await.unwrap().unwrap();
    let second = rig.hero().await;
    let full = rig.try_select(&second).await.unwrap().unwrap_err();
    assert_eq!(full.problem.code, ProblemCode::ZoneFull);
    assert!(full.retry_after.is_some());

    let record = instance_keeper::instance_record(rig.game(), Rig::now());
    rig.stores().remove_instance(&record.id, record.incarnation).await.unwrap();
    let not_carried = rig.try_select(&second).await.unwrap().unwrap_err();
    assert_eq!(not_carried.problem.code, ProblemCode::RealmUnavailable);
}

over_both_families!(
    select_takes_the_steps_that_the_specification_names,
    select_outlives_a_fault_at_any_step,
    while_allocation_does_not_answer_the_default_game_server_takes_the_player,
    a_no_of_allocation_sends_nobody_to_the_default_game_server,
);
