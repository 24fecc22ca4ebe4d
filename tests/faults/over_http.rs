//! The way into the world and out of it, with login and game servers that reach the control
//! plane over HTTP, as processes of their own do.

use tests::faults::Fault;

use super::ground::Family;
use super::heard::Shaken;
use super::rig::{Rig, places};
use super::story::{contain, get_in, play_to_the_end};

const HARBORS: [(&str, u32); 2] = [("edge-a", 2), ("edge-b", 2)];

async fn a_player_enters_plays_and_comes_back(family: Family) {
    let rig = Rig::start_over_http(family, &HARBORS).await;
    let hero = rig.hero().await;
    rig.plan().begin(&[]);
    let playing = rig.enter(&hero).await;
    let named = [
        "control_plane.assign",
        "control_plane.prepare",
        "control_plane.preflight",
        "control_plane.consume",
        "characters.raise_epoch",
        "control_plane.put_presence",
    ];
    contain(&rig.plan().end().steps, &named);
    let pass = playing.pass.clone();
    play_to_the_end(&rig, &hero, &[pass], playing).await;
}

async fn a_session_elsewhere_saves_and_leaves_before_its_character_enters_again(family: Family) {
    let rig = Rig::start_over_http(family, &HARBORS).await;
    let hero = rig.hero().await;
    let older = rig.enter_with(rig.pass_to(&rig.games()[1], &hero).await).await;
    let used = older.pass.clone();
    rig.serve(older, places()[7]);
    let playing = rig.enter_with(rig.pass(&hero).await).await;
    assert_eq!(playing.admission.activation.tile, places()[7], "where the older one has saved");
    play_to_the_end(&rig, &hero, &[used], playing).await;
}

/// Behind the socket the answer to a consume is lost: the same attempt asks again.
async fn a_call_of_unknown_outcome_is_made_again_by_the_next_try_alone(family: Family) {
    let rig = Rig::start_over_http(family, &HARBORS).await;
    let clean = rig.hero().await;
    let pass = rig.select(&clean).await;
    rig.plan().begin(&[]);
    rig.shake(&pass, 1).await.accepted();
    let steps = rig.plan().end().steps;
    let consume = steps.iter().position(|step| *step == "control_plane.consume").unwrap();

    let hero = rig.hero().await;
    let pass = rig.select(&hero).await;
    rig.plan().begin(&[(consume, Fault::FailAfter)]);
    let lost = rig.shake(&pass, 1).await;
    let run = rig.plan().end();
    assert_eq!(run.struck, [("control_plane.consume", Fault::FailAfter)]);
    let consumes = run.steps.iter().filter(|step| **step == "control_plane.consume").count();
    assert_eq!(consumes, 1, "{:?}", run.steps);
    assert!(matches!(lost, Shaken::Refused(_)), "{lost:?}");
    let playing = get_in(&rig, &hero, pass.clone(), 2).await;
    assert_eq!(playing.pass.token.expose(), pass.token.expose(), "with the same token");
    rig.end_unclaimed().await;
    play_to_the_end(&rig, &hero, &[pass], playing).await;
}

over_both_families!(
    a_player_enters_plays_and_comes_back,
    a_session_elsewhere_saves_and_leaves_before_its_character_enters_again,
    a_call_of_unknown_outcome_is_made_again_by_the_next_try_alone,
);
