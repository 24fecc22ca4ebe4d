//! What the tests of single flows share: the steps of a clean run, and how a player's story
//! ends after a fault.

use shared::gameplay::RejectionCode;
use shared::limits::MAX_HANDSHAKE_REDIRECTS;
use tests::faults::{Fault, Run, Step};

use super::checks;
use super::heard::{Hero, Pass, Playing, Shaken};
use super::rig::{Rig, places};

/// The steps of a clean run contain those that the specification names, in this order.
#[track_caller]
pub(super) fn contain(steps: &[Step], named: &[Step]) {
    let mut rest = steps.iter();
    for step in named {
        assert!(rest.any(|taken| taken == step), "{step} is not in its place in {steps:?}");
    }
}

/// Steps whose answer a flow can do without: they spare somebody a wait or a loss, and what
/// must hold does not rest on them.
const HINTS: [Step; 6] = [
    "control_plane.presence_of_character",
    "control_plane.release",
    "holders.release",
    "presence.presence_of_account",
    "presence.presence_of_character",
    "registry.instances",
];

/// Whether nothing of a run went wrong that its flow cannot do without. The registry is a
/// hint to a release, and more than that to an allocation; the row that a redirect moves is
/// read only after Redis has lost everything.
pub(super) fn is_harmless(run: &Run) -> bool {
    let hint = |step: &Step| {
        HINTS.contains(step) && !run.steps.contains(&"control_plane.assign")
            || step.ends_with("presence_of_character")
            || *step == "legacy_handoffs.move_handoff_row"
    };
    run.struck
        .iter()
        .all(|(step, fault)| *fault == Fault::Repeat || hint(step) && !fault.is_crash())
}

/// A client that got no answer, or was told to try again, does what the page does: it
/// tries once more, goes where it is sent, and where that is refused enters anew from the
/// roster.
pub(super) async fn get_in(rig: &Rig, hero: &Hero, mut pass: Pass, r#try: u32) -> Playing {
    for _ in 0..=MAX_HANDSHAKE_REDIRECTS {
        match rig.shake(&pass, r#try).await {
            Shaken::Accepted(admission) => {
                let activated = rig.claim(&admission).await.playing();
                return Playing { pass, admission: *admission, activated };
            }
            Shaken::Redirected(instance) => pass.instance = instance,
            Shaken::Rejected(code) => {
                let clean = [RejectionCode::Superseded, RejectionCode::HandoffMissing];
                assert!(clean.contains(&code), "{code:?}");
                return rig.enter(hero).await;
            }
            other => panic!("a second try ends in {other:?}"),
        }
    }
    panic!("sent on for ever");
}

/// From a session that plays to the end: its token is used up, it alone writes, it leaves
/// at a new place, nothing of it stays, and the character comes back to that place.
pub(super) async fn play_to_the_end(rig: &Rig, hero: &Hero, passes: &[Pass], playing: Playing) {
    for pass in passes.iter().chain([&playing.pass]) {
        checks::a_used_token_makes_no_further_session(rig, pass).await;
    }
    assert_eq!(rig.holders(hero.character).await, 1, "a replay pushes nobody out");
    checks::one_epoch_writes(rig, hero.character).await;
    let (pass, place) = (playing.pass.clone(), places()[5]);
    rig.leave(playing, place).await.expect("the process lives");
    checks::a_used_token_makes_no_further_session(rig, &pass).await;
    rig.let_time_pass().await;
    checks::nothing_is_left(rig).await;

    let again = checks::enters_where_it_was_committed(rig, hero).await;
    assert_eq!(again.admission.activation.tile, place);
    checks::one_epoch_writes(rig, hero.character).await;
    rig.leave(again, place).await.expect("the process lives");
    checks::nothing_is_left(rig).await;
}
