//! A fault at each step of a claim that brings a linkdead session back, and of the end of
//! one that nobody claims again.

use edge_server::clock::hash_token;
use edge_server::stores::{CharacterStore as _, LoginStore as _};
use shared::realtime::message::ByeCode;
use shared::secret::ResumeToken;
use tests::api::Admission;
use tests::faults::{Fault, Run, Step};
use tests::patience::{HAPPENED, within};

use super::checks;
use super::ground::Family;
use super::heard::{Claimed, Hero, Pass, Playing};
use super::rig::{Rig, places};
use super::story::{contain, play_to_the_end};
use super::sweep::{Faults, at_every_step};

/// A session whose connection is lost, and what its client has of it.
struct Linkdead {
    hero: Hero,
    pass: Pass,
    admission: Admission,
    secret: ResumeToken,
}

/// Where its body stands.
const STOOD: usize = 7;

async fn linkdead(rig: &Rig) -> Linkdead {
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    let (pass, admission) = (playing.pass.clone(), playing.admission.clone());
    let secret = playing.activated.resume_token.clone();
    rig.lose(playing, places()[STOOD]).await;
    Linkdead { hero, pass, admission, secret }
}

async fn clean_run(rig: &Rig) -> Vec<Step> {
    let Linkdead { hero, pass, admission, secret } = linkdead(rig).await;
    rig.plan().begin(&[]);
    let activated = rig.resume(&admission, &secret).await.playing();
    let steps = rig.plan().end().steps;
    play_to_the_end(rig, &hero, &[], Playing { pass, admission, activated }).await;
    steps
}

async fn a_resume_looks_at_login_and_character_and_writes_the_ledger_before_anything_moves(
    family: Family,
) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let named = ["logins.account_of_login", "characters.character", "ledger.put_ledger"];
    contain(&clean_run(&rig).await, &named);
}

async fn a_resume_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let steps = clean_run(&rig).await;
    let one = async |faults: Faults<'_>| one(&mut rig, faults).await;
    at_every_step(family, "resume", &steps, one).await;
}

async fn one(rig: &mut Rig, faults: Faults<'_>) {
    let Linkdead { hero, pass, admission, secret } = linkdead(rig).await;
    rig.plan().begin(faults);
    let first = rig.resume(&admission, &secret).await;
    let run = rig.plan().end();
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    let playing = match first {
        Claimed::Playing(activated) => {
            assert_eq!(run.struck[0].1, Fault::Repeat, "a lost answer is not taken for one");
            Playing { pass: pass.clone(), admission, activated: *activated }
        }
        Claimed::Bye(code) => {
            assert_eq!(code, ByeCode::Unavailable);
            assert_eq!((rig.seats_taken(), rig.holders(hero.character).await), (1, 1));
            // Nothing has changed: the same claim opens it now.
            let activated = rig.resume(&admission, &secret).await.playing();
            Playing { pass: pass.clone(), admission, activated }
        }
        Claimed::Lost => {
            rig.restart().await;
            // The next process has it from the ledger, whether the claim was written or not.
            let activated = rig.resume(&admission, &secret).await.playing();
            Playing { pass: pass.clone(), admission, activated }
        }
    };
    checks::one_epoch_writes(rig, hero.character).await;
    play_to_the_end(rig, &hero, &[pass], playing).await;
}

async fn grace_is_over(rig: &Rig, faults: Faults<'_>) -> (Linkdead, Run) {
    let lost = linkdead(rig).await;
    rig.plan().begin(faults);
    rig.plan().while_alive(rig.end_unclaimed()).await;
    (lost, rig.plan().end())
}

async fn the_end_of_a_grace_outlives_a_fault_at_any_step(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let (_, Run { steps, .. }) = grace_is_over(&rig, &[]).await;
    contain(
        &steps,
        &[
            "characters.save_locations",
            "control_plane.remove_presence",
            "presence.remove_presence",
            "ledger.remove_ledger",
        ],
    );
    checks::nothing_is_left(&rig).await;
    at_every_step(family, "end of a grace", &steps, async |faults| {
        let (lost, run) = grace_is_over(&rig, faults).await;
        assert_eq!(run.struck.len(), 1, "{run:?}");
        if run.struck[0].1.is_crash() {
            rig.restart().await;
            // Whatever its end has left says the truth about it.
            match rig.resume(&lost.admission, &lost.secret).await {
                Claimed::Playing(activated) => {
                    let Linkdead { hero, pass, admission, .. } = lost;
                    let playing = Playing { pass, admission, activated: *activated };
                    return play_to_the_end(&rig, &hero, &[], playing).await;
                }
                other => assert!(matches!(other, Claimed::Bye(ByeCode::UnknownSession))),
            }
        } else {
            let row = rig.stores().character(lost.hero.character).await.unwrap().unwrap();
            assert_eq!(row.tile, places()[STOOD]);
            checks::nothing_is_left(&rig).await;
        }
        let late = rig.resume(&lost.admission, &lost.secret).await;
        assert!(matches!(late, Claimed::Bye(ByeCode::UnknownSession)), "{late:?}");
        let again = checks::enters_where_it_was_committed(&rig, &lost.hero).await;
        play_to_the_end(&rig, &lost.hero, &[lost.pass], again).await;
    })
    .await;
}

/// Nobody could tell the instance: the claim itself finds out.
async fn a_resume_after_the_login_has_ended_ends_the_session_and_keeps_its_place(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let lost = linkdead(&rig).await;
    rig.stores().delete_login(&hash_token(lost.hero.login.expose())).await.unwrap();
    let handle = rig.game().directory().all_active().next().unwrap().handle.clone();
    let answer = rig.resume(&lost.admission, &lost.secret).await;
    assert!(matches!(answer, Claimed::Bye(ByeCode::LoginEnded)), "{answer:?}");
    within("it ends at once", HAPPENED, handle.ended()).await;
    checks::nothing_is_left(&rig).await;
    let row = rig.stores().character(lost.hero.character).await.unwrap().unwrap();
    assert_eq!(row.tile, places()[STOOD]);
}

async fn a_linkdead_session_that_has_lost_its_login_ends_when_it_is_renewed(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let lost = linkdead(&rig).await;
    rig.renew().await;
    assert_eq!(rig.seats_taken(), 1);
    assert_eq!(rig.ground().session_keys().await.len(), 3, "a linkdead session is renewed");
    rig.stores().delete_login(&hash_token(lost.hero.login.expose())).await.unwrap();
    rig.renew().await;
    checks::nothing_is_left(&rig).await;
}

/// A session elsewhere has the character, and this instance was not asked.
async fn a_resume_after_the_character_has_entered_elsewhere_ends_the_session_and_saves_nothing(
    family: Family,
) {
    let rig = Rig::start(family, &[("edge-a", 8), ("edge-b", 8)]).await;
    let lost = linkdead(&rig).await;
    // Without presence nobody knows whom to ask.
    rig.ground().expire_records().await;
    rig.beat().await;
    let newer = rig.enter_with(rig.pass_to(&rig.games()[1], &lost.hero).await).await;
    let before = rig.stores().character(lost.hero.character).await.unwrap().unwrap();
    let handle = rig.game().directory().all_active().next().unwrap().handle.clone();
    let answer = rig.resume(&lost.admission, &lost.secret).await;
    assert!(matches!(answer, Claimed::Bye(ByeCode::Superseded)), "{answer:?}");
    within("it ends at once", HAPPENED, handle.ended()).await;
    let after = rig.stores().character(lost.hero.character).await.unwrap().unwrap();
    assert_eq!(after, before);
    assert_eq!(rig.seats_taken(), 1);
    play_to_the_end(&rig, &lost.hero, &[lost.pass], newer).await;
}

over_both_families!(
    a_resume_looks_at_login_and_character_and_writes_the_ledger_before_anything_moves,
    a_resume_outlives_a_fault_at_any_step,
    the_end_of_a_grace_outlives_a_fault_at_any_step,
    a_resume_after_the_login_has_ended_ends_the_session_and_keeps_its_place,
    a_linkdead_session_that_has_lost_its_login_ends_when_it_is_renewed,
    a_resume_after_the_character_has_entered_elsewhere_ends_the_session_and_saves_nothing,
);
