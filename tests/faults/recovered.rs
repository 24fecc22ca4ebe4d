//! A fault at each step of a claim that brings a session back which was played by a process
//! that is no more: at the same instance, and at another one.

use edge_server::clock::hash_token;
use edge_server::flows::activate_session::ActivatedSession;
use edge_server::stores::{
    CharacterStore as _, LocationSave, LoginStore as _, RegistryStore as _, SaveOutcome,
};
use edge_server::workers::instance_keeper;
use shared::realtime::message::ByeCode;
use shared::secret::ResumeToken;
use tests::api::Admission;
use tests::faults::{Run, Step};
use tests::patience::{HAPPENED, within};

use super::checks;
use super::ground::Family;
use super::heard::{Claimed, Hero, Pass, Playing};
use super::rig::{Rig, harbor, places};
use super::story::{contain, is_harmless, play_to_the_end};
use super::sweep::{Faults, at_every_step};

/// Which instance takes the session up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// The one that had it, in its next process.
    ItsOwn,
    /// Another one, while its own does not come back.
    Another,
}

/// Where the body was last saved.
const STOOD: usize = 7;

/// A session whose process is no more, and what its client has of it.
struct Left {
    hero: Hero,
    pass: Pass,
    /// It names the instance that the client is sent to.
    admission: Admission,
    secret: ResumeToken,
    by: By,
}

async fn rig(family: Family) -> Rig {
    Rig::start(family, &[("edge-a", 8), ("edge-b", 8)]).await
}

/// The first instance's lease has lapsed.
async fn lapse(rig: &Rig) {
    let record = instance_keeper::instance_record(rig.game(), Rig::now());
    rig.stores().remove_instance(&record.id, record.incarnation).await.unwrap();
}

impl Left {
    /// The session has been played at the first instance, and its body saved.
    async fn alive(rig: &Rig, by: By) -> (Self, Playing) {
        let hero = rig.hero().await;
        let playing = rig.enter_with(rig.pass(&hero).await).await;
        let save = LocationSave {
            character_id: hero.character,
            epoch: playing.activated.session.character.epoch,
            zone: harbor().zone,
            tile: places()[STOOD],
        };
        let saved = rig.stores().save_locations(&[save]).await.unwrap();
        assert_eq!(saved, [SaveOutcome::Saved]);
        let mut admission = playing.admission.clone();
        if by == By::Another {
            admission.activation.instance_id = rig.games()[1].identity.id.clone();
        }
        let (pass, secret) = (playing.pass.clone(), playing.activated.resume_token.clone());
        (Self { hero, pass, admission, secret, by }, playing)
    }

    async fn in_play(rig: &mut Rig, by: By) -> Self {
        let (left, _) = Self::alive(rig, by).await;
        left.die(rig).await;
        left
    }

    /// Its process dies, or the one that was taking it up.
    async fn die(&self, rig: &mut Rig) {
        rig.restart().await;
        if self.by == By::Another {
            lapse(rig).await;
        }
    }

    async fn claimed(&self, rig: &Rig) -> Claimed {
        rig.resume(&self.admission, &self.secret).await
    }

    async fn plays_to_the_end(self, rig: &Rig, activated: ActivatedSession) {
        rig.beat().await;
        let Self { hero, pass, admission, .. } = self;
        play_to_the_end(rig, &hero, &[], Playing { pass, admission, activated }).await;
    }
}

async fn clean_run(rig: &mut Rig, by: By) -> Vec<Step> {
    let left = Left::in_play(rig, by).await;
    rig.plan().begin(&[]);
    let activated = left.claimed(rig).await.playing();
    let steps = rig.plan().end().steps;
    left.plays_to_the_end(rig, activated).await;
    steps
}

async fn a_session_is_judged_and_raised_and_written_down_before_it_plays_again(family: Family) {
    let mut rig = rig(family).await;
    let named = [
        "ledger.ledger",
        "logins.account_of_login",
        "characters.character",
        "characters.raise_epoch",
        "ledger.put_ledger",
        "presence.put_presence",
        "logins.account_of_login",
        "characters.character",
        "ledger.put_ledger",
        "characters.mark_claimed",
    ];
    contain(&clean_run(&mut rig, By::ItsOwn).await, &named);
    let elsewhere = clean_run(&mut rig, By::Another).await;
    contain(&elsewhere, &["ledger.ledger", "registry.instances", "characters.raise_epoch"]);
    contain(&elsewhere, &named);
}

async fn a_session_comes_back_at_its_instance_through_a_fault_at_any_step(family: Family) {
    comes_back_through_a_fault_at_any_step(family, By::ItsOwn).await;
}

async fn a_session_comes_back_at_another_instance_through_a_fault_at_any_step(family: Family) {
    comes_back_through_a_fault_at_any_step(family, By::Another).await;
}

async fn comes_back_through_a_fault_at_any_step(family: Family, by: By) {
    let mut rig = rig(family).await;
    let steps = clean_run(&mut rig, by).await;
    let one = async |faults: Faults<'_>| one(&mut rig, by, faults).await;
    at_every_step(family, &format!("claim of a session that died, {by:?}"), &steps, one).await;
}

async fn one(rig: &mut Rig, by: By, faults: Faults<'_>) {
    let left = Left::in_play(rig, by).await;
    let before = rig.stores().character(left.hero.character).await.unwrap().unwrap();
    rig.plan().begin(faults);
    let first = left.claimed(rig).await;
    let run = rig.plan().end();
    assert_eq!(run.struck.len(), faults.len(), "{run:?}");
    let playing = match first {
        Claimed::Playing(activated) => {
            assert!(is_harmless(&run), "a lost answer is not taken for one: {run:?}");
            Some(*activated)
        }
        Claimed::Bye(code) => {
            assert_eq!(code, ByeCode::Unavailable);
            None
        }
        Claimed::Lost => {
            left.die(rig).await;
            None
        }
    };
    checks::one_epoch_writes(rig, left.hero.character).await;
    assert!(rig.seats_taken() <= 1);
    // Whatever has happened, the same claim opens it, and it is the same session.
    let activated = match playing {
        Some(activated) => activated,
        None => left.claimed(rig).await.playing(),
    };
    let (session, own) = (&activated.session, &left.admission.activation);
    assert_eq!(session.session_token, own.session_token);
    assert_eq!(session.character.tile, places()[STOOD]);
    assert!(session.character.epoch > before.epoch, "the process before is fenced");
    assert!(activated.claim.0 > 1, "no secret of before is given again");
    assert_eq!((rig.seats_taken(), rig.holders(left.hero.character).await), (1, 1));
    checks::one_epoch_writes(rig, left.hero.character).await;
    left.plays_to_the_end(rig, activated).await;
}

async fn a_first_welcome_that_was_lost_with_its_process_is_said_again(family: Family) {
    let mut rig = rig(family).await;
    let (left, playing) = Left::alive(&rig, By::ItsOwn).await;
    drop(playing);
    left.die(&mut rig).await;
    // Its page does not know whether the ticket has been used.
    let activated = rig.claim(&left.admission).await.playing();
    assert_eq!(activated.session.character.tile, places()[STOOD]);
    let spent = left.claimed(&rig).await;
    assert!(matches!(spent, Claimed::Bye(ByeCode::UnknownSession)), "nobody holds it: {spent:?}");
    left.plays_to_the_end(&rig, activated).await;
}

async fn after_a_crash_the_last_used_and_the_newest_secret_are_good_and_no_earlier_one(
    family: Family,
) {
    for by_newest in [true, false] {
        let mut rig = rig(family).await;
        let (mut left, first) = Left::alive(&rig, By::ItsOwn).await;
        let second = rig.resume(&left.admission, &first.activated.resume_token).await.playing();
        let third = rig.resume(&left.admission, &second.resume_token).await.playing();
        left.die(&mut rig).await;
        let before = rig.ground().dump().await;
        let name = left.admission.activation.session_token.expose();
        let wrong = format!("resume-{name}-{}", "0".repeat(64)).parse().unwrap();
        for secret in [&first.activated.resume_token, &wrong] {
            let answer = rig.resume(&left.admission, secret).await;
            assert!(matches!(answer, Claimed::Bye(ByeCode::UnknownSession)), "{answer:?}");
        }
        let by_ticket = rig.claim(&left.admission).await;
        assert!(matches!(by_ticket, Claimed::Bye(ByeCode::UnknownSession)), "{by_ticket:?}");
        assert_eq!(rig.ground().dump().await, before, "what opens nothing changes nothing");
        left.secret = if by_newest { third.resume_token } else { second.resume_token };
        let activated = left.claimed(&rig).await.playing();
        left.plays_to_the_end(&rig, activated).await;
    }
}

async fn a_session_whose_process_may_still_live_is_taken_up_by_nobody(family: Family) {
    let rig = rig(family).await;
    let (left, playing) = Left::alive(&rig, By::Another).await;
    let before = rig.ground().dump().await;
    let early = left.claimed(&rig).await;
    assert!(matches!(early, Claimed::Bye(ByeCode::Unavailable)), "{early:?}");
    assert_eq!(rig.ground().dump().await, before);
    play_to_the_end(&rig, &left.hero, &[], playing).await;
}

/// Its process stands still for longer than its lease, and goes on.
async fn a_process_that_comes_back_late_writes_nothing_over_who_took_its_session_up(
    family: Family,
) {
    let rig = rig(family).await;
    let (left, old) = Left::alive(&rig, By::Another).await;
    lapse(&rig).await;
    let own_records = rig.ground().session_keys().await.len();
    rig.serve(old, places()[2]);
    let activated = left.claimed(&rig).await.playing();
    checks::one_epoch_writes(&rig, left.hero.character).await;
    assert_eq!(rig.holders(left.hero.character).await, 1);
    let handle = rig.game().directory().all_active().next().unwrap().handle.clone();
    rig.beat().await;
    rig.renew().await;
    within("the older process hears that it was fenced", HAPPENED, handle.ended()).await;
    let row = rig.stores().character(left.hero.character).await.unwrap().unwrap();
    assert_eq!(row.tile, places()[STOOD], "it saved nothing");
    assert_eq!(rig.ground().session_keys().await.len(), own_records, "and removed nothing");
    left.plays_to_the_end(&rig, activated).await;
}

async fn of_two_claims_at_once_one_brings_the_session_back(family: Family) {
    for by in [By::ItsOwn, By::Another] {
        let mut rig = rig(family).await;
        let left = Left::in_play(&mut rig, by).await;
        let (one, other) = tokio::join!(left.claimed(&rig), left.claimed(&rig));
        let mut playing = None;
        for claimed in [one, other] {
            match claimed {
                // The later claim of two has it.
                Claimed::Playing(activated) => {
                    let later = playing
                        .as_ref()
                        .is_none_or(|before: &ActivatedSession| before.claim < activated.claim);
                    if later {
                        playing = Some(*activated);
                    }
                }
                Claimed::Bye(code) => assert_eq!(code, ByeCode::Unavailable),
                Claimed::Lost => panic!("the process lives"),
            }
        }
        assert_eq!((rig.seats_taken(), rig.holders(left.hero.character).await), (1, 1));
        left.plays_to_the_end(&rig, playing.expect("one of them plays")).await;
    }
}

async fn a_session_whose_login_has_ended_does_not_come_back(family: Family) {
    let mut rig = rig(family).await;
    let left = Left::in_play(&mut rig, By::ItsOwn).await;
    rig.stores().delete_login(&hash_token(left.hero.login.expose())).await.unwrap();
    let before = rig.stores().character(left.hero.character).await.unwrap();
    let answer = left.claimed(&rig).await;
    assert!(matches!(answer, Claimed::Bye(ByeCode::LoginEnded)), "{answer:?}");
    assert_eq!(rig.stores().character(left.hero.character).await.unwrap(), before);
    assert_eq!(rig.seats_taken(), 0);
}

async fn a_session_makes_no_way_over_what_its_account_has_entered_since(family: Family) {
    let mut rig = rig(family).await;
    let left = Left::in_play(&mut rig, By::ItsOwn).await;
    let name = format!("Other of {}", left.hero.account.username);
    let character = rig.character_of(&left.hero.account, &name).await;
    let other = Hero { character, ..left.hero.clone() };
    let playing = rig.enter_with(rig.pass(&other).await).await;
    let answer = left.claimed(&rig).await;
    assert!(matches!(answer, Claimed::Bye(ByeCode::UnknownSession)), "{answer:?}");
    assert_eq!((rig.seats_taken(), rig.holders(character).await), (1, 1));
    play_to_the_end(&rig, &other, &[], playing).await;
}

async fn a_session_waits_for_a_seat_where_others_were_faster(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 1)]).await;
    let left = Left::in_play(&mut rig, By::ItsOwn).await;
    let faster = rig.hero().await;
    let playing = rig.enter(&faster).await;
    let before = rig.stores().character(left.hero.character).await.unwrap();
    let early = left.claimed(&rig).await;
    assert!(matches!(early, Claimed::Bye(ByeCode::Unavailable)), "{early:?}");
    assert_eq!(rig.stores().character(left.hero.character).await.unwrap(), before);
    rig.leave(playing, places()[1]).await.unwrap();
    let activated = left.claimed(&rig).await.playing();
    left.plays_to_the_end(&rig, activated).await;
}

/// The page asks where its session is, and goes there.
async fn a_page_is_sent_to_an_instance_that_can_take_its_session_up(family: Family) {
    let mut rig = rig(family).await;
    let left = Left::in_play(&mut rig, By::Another).await;
    let wrong =
        format!("resume-{}-{}", left.admission.activation.session_token.expose(), "0".repeat(64));
    let refusal = rig.locate(&wrong.parse().unwrap()).await.unwrap().unwrap_err();
    assert_eq!(refusal.problem.code, shared::problem::ProblemCode::SessionEnded);
    for _ in 0..2 {
        let found = rig.locate(&left.secret).await.unwrap().unwrap();
        assert_eq!(found.endpoint.instance_id, left.admission.activation.instance_id);
        assert_eq!(found.realtime.endpoints, rig.games()[1].endpoints());
    }
    let activated = left.claimed(&rig).await.playing();
    let found = rig.locate(&activated.resume_token).await.unwrap().unwrap();
    assert_eq!(found.endpoint.instance_id, left.admission.activation.instance_id);
    left.plays_to_the_end(&rig, activated).await;
}

/// The first instance stops while the session has no connection.
async fn stop(rig: &Rig, faults: Faults<'_>) -> (Left, Run) {
    let (left, playing) = Left::alive(rig, By::Another).await;
    rig.lose(playing, places()[STOOD]).await;
    let handle = rig.game().directory().all_active().next().unwrap().handle.clone();
    rig.plan().begin(faults);
    let stopping = async {
        instance_keeper::drain(rig.game()).await;
        handle.ended().await;
    };
    rig.plan().while_alive(stopping).await;
    (left, rig.plan().end())
}

async fn a_server_that_stops_lets_its_sessions_go_through_a_fault_at_any_step(family: Family) {
    let mut rig = rig(family).await;
    let (left, Run { steps, .. }) = stop(&rig, &[]).await;
    let named = [
        "characters.save_locations",
        "control_plane.remove_presence",
        "presence.remove_presence",
        "ledger.put_ledger",
    ];
    contain(&steps, &named);
    assert_eq!(rig.seats_taken(), 0);
    assert_eq!(rig.ground().session_keys().await.len(), 1, "the ledger's record alone is left");
    // Its instance is still registered, and nobody waits for it.
    let activated = left.claimed(&rig).await.playing();
    left.plays_to_the_end(&rig, activated).await;
    at_every_step(family, "stop", &steps, async |faults| {
        rig.restart().await;
        let (left, run) = stop(&rig, faults).await;
        assert_eq!(run.struck.len(), 1, "{run:?}");
        if run.struck[0].1.is_crash() {
            left.die(&mut rig).await;
        }
        let activated = left.claimed(&rig).await.playing();
        assert_eq!(activated.session.character.tile, places()[STOOD]);
        left.plays_to_the_end(&rig, activated).await;
    })
    .await;
}

over_both_families!(
    a_session_is_judged_and_raised_and_written_down_before_it_plays_again,
    a_session_comes_back_at_its_instance_through_a_fault_at_any_step,
    a_session_comes_back_at_another_instance_through_a_fault_at_any_step,
    a_first_welcome_that_was_lost_with_its_process_is_said_again,
    after_a_crash_the_last_used_and_the_newest_secret_are_good_and_no_earlier_one,
    a_session_whose_process_may_still_live_is_taken_up_by_nobody,
    a_process_that_comes_back_late_writes_nothing_over_who_took_its_session_up,
    of_two_claims_at_once_one_brings_the_session_back,
    a_session_whose_login_has_ended_does_not_come_back,
    a_session_makes_no_way_over_what_its_account_has_entered_since,
    a_session_waits_for_a_seat_where_others_were_faster,
    a_page_is_sent_to_an_instance_that_can_take_its_session_up,
    a_server_that_stops_lets_its_sessions_go_through_a_fault_at_any_step,
);
