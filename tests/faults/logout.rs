//! A fault at each step of a logout of somebody who plays.

use edge_server::clock::hash_token;
use edge_server::stores::{CharacterStore as _, LoginStore as _};
use shared::gameplay::RejectionCode;
use shared::problem::ProblemCode;
use shared::world::Tile;
use tests::faults::Step;

use super::checks;
use super::ground::Family;
use super::heard::{Hero, Pass, Shaken};
use super::rig::{Rig, places};
use super::story::contain;
use super::sweep::{Faults, at_every_step};

/// Where the session that ends stands.
fn stood() -> Tile {
    places()[9]
}

/// Somebody who plays, and has prepared a further entry.
async fn playing(rig: &Rig) -> (Hero, Pass) {
    let hero = rig.hero().await;
    let session = rig.enter(&hero).await;
    rig.serve(session, stood());
    let further = rig.select(&hero).await;
    (hero, further)
}

async fn clean_run(rig: &Rig) -> Vec<Step> {
    let (hero, _) = playing(rig).await;
    rig.plan().begin(&[]);
    rig.logout(&hero).await.unwrap().unwrap();
    rig.plan().end().steps
}

async fn a_logout_ends_the_login_and_then_has_its_session_saved_and_ended(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    contain(
        &clean_run(&rig).await,
        &[
            "logins.account_of_login",
            "logins.delete_login",
            "control_plane.release",
            "holders.release",
            "characters.save_locations",
        ],
    );
}

async fn a_logout_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean_run(&rig).await;
    let one = async |faults: Faults<'_>| one(&mut rig, faults).await;
    at_every_step(family, "logout", &steps, one).await;
}

async fn one(rig: &mut Rig, faults: Faults<'_>) {
    let (hero, further) = playing(rig).await;
    rig.plan().begin(faults);
    let answer = rig.logout(&hero).await;
    let run = rig.plan().end();
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    match answer {
        None => rig.restart().await,
        Some(Ok(())) => {}
        Some(Err(refusal)) => assert_eq!(refusal.problem.code, ProblemCode::Unavailable),
    }
    // Whoever got no answer asks again.
    rig.logout(&hero).await.expect("the process lives").unwrap();
    let login = hash_token(hero.login.expose());
    let account = rig.stores().account_of_login(&login, Rig::now()).await.unwrap();
    assert_eq!(account, None);
    let entered = rig.shake(&further, 1).await;
    assert!(
        matches!(entered, Shaken::Rejected(RejectionCode::LoginEnded | RejectionCode::Superseded)),
        "{entered:?}"
    );
    rig.let_time_pass().await;
    checks::nothing_is_left(rig).await;
    let row = rig.stores().character(hero.character).await.unwrap().unwrap();
    let crashed = run.struck.iter().any(|(_, fault)| fault.is_crash());
    assert!(row.tile == stood() || crashed, "the last place is saved: {:?}", row.tile);
}

over_both_families!(
    a_logout_ends_the_login_and_then_has_its_session_saved_and_ended,
    a_logout_outlives_a_fault_at_any_step,
);
