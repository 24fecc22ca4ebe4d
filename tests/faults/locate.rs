//! A fault at each step of the question where a session is.

use edge_server::stores::RegistryStore as _;
use edge_server::workers::instance_keeper;
use shared::problem::ProblemCode;
use tests::faults::{Fault, Step};

use super::ground::Family;
use super::heard::Playing;
use super::rig::Rig;
use super::story::contain;

async fn clean_run(rig: &Rig, playing: &Playing) -> Vec<Step> {
    rig.plan().begin(&[]);
    rig.locate(&playing.activated.resume_token).await.unwrap().unwrap();
    rig.plan().end().steps
}

async fn a_session_is_looked_for_and_nothing_of_it_is_touched(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    let steps = clean_run(&rig, &playing).await;
    contain(
        &steps,
        &[
            "ledger.ledger",
            "logins.account_of_login",
            "characters.character",
            "control_plane.instances",
            "registry.instances",
        ],
    );
    assert_eq!(steps.len(), 5, "whatever else it does has to be a look as well: {steps:?}");
}

async fn a_part_that_does_not_answer_ends_no_session(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    let token = &playing.activated.resume_token;
    let steps = clean_run(&rig, &playing).await;
    for (number, step) in steps.iter().enumerate() {
        for fault in [Fault::FailBefore, Fault::FailAfter] {
            rig.plan().begin(&[(number, fault)]);
            let refusal = rig.locate(token).await.unwrap().unwrap_err();
            assert_eq!(rig.plan().end().struck.len(), 1, "{step}");
            assert_eq!(refusal.problem.code, ProblemCode::Unavailable, "{step} {fault:?}");
            assert!(refusal.retry_after.is_some(), "{step}: the page may ask again");
        }
    }
    let found = rig.locate(token).await.unwrap().unwrap();
    assert_eq!(found.endpoint.instance_id, rig.game().identity.id);
}

async fn a_game_server_without_a_lease_may_come_back(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    let token = &playing.activated.resume_token;
    let own = rig.game_of(&playing.pass.instance);
    let record = instance_keeper::instance_record(own, Rig::now());
    rig.stores().remove_instance(&record.id, record.incarnation).await.unwrap();
    let refusal = rig.locate(token).await.unwrap().unwrap_err();
    assert_eq!(refusal.problem.code, ProblemCode::Unavailable);
    assert!(refusal.retry_after.is_some());
    rig.beat().await;
    let found = rig.locate(token).await.unwrap().unwrap();
    assert_eq!(found.endpoint.instance_id, record.id);
    assert_eq!(found.endpoint.http_url, record.http_url);
    assert_eq!(found.realtime.endpoints, record.endpoints);
}

async fn a_session_that_has_lost_its_character_is_over_whoever_still_has_records_of_it(
    family: Family,
) {
    let rig = Rig::start(family, &[("edge-a", 8), ("edge-b", 8)]).await;
    let hero = rig.hero().await;
    let old = rig.enter(&hero).await;
    // Nobody serves the old session here, so nobody tidies up behind it.
    let new = rig.enter(&hero).await;
    let refusal = rig.locate(&old.activated.resume_token).await.unwrap().unwrap_err();
    assert_eq!(refusal.problem.code, ProblemCode::SessionEnded);
    let found = rig.locate(&new.activated.resume_token).await.unwrap().unwrap();
    assert_eq!(found.endpoint.instance_id, new.pass.instance);
}

over_both_families!(
    a_session_is_looked_for_and_nothing_of_it_is_touched,
    a_part_that_does_not_answer_ends_no_session,
    a_game_server_without_a_lease_may_come_back,
    a_session_that_has_lost_its_character_is_over_whoever_still_has_records_of_it,
);
