//! The end of a session that meets a store which does not answer: nothing of it is lost, it is
//! done once the store is back, and what never can be is there to be seen (I11). It touches no
//! newer session (I12).

use edge_server::clock::Clock;
use edge_server::stores::{CharacterStore as _, LifecycleJournal as _, RegistryStore as _};
use edge_server::workers::instance_keeper;
use edge_server::workers::lifecycle::{adopt_once, look, recover};
use shared::lifecycle::{LifecycleEntry, LifecycleStep};
use tests::faults::{Fault, Step};
use tests::patience::{HAPPENED, eventually};

use super::checks;
use super::ground::Family;
use super::heard::Hero;
use super::rig::{Rig, places};

/// Everything that has been begun and is not done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct UnfinishedEnds {
    /// In the queue.
    waiting: u64,
    /// Kept by instances, for the journal was away.
    kept: usize,
    /// Instances that have some in hand.
    workers: usize,
    /// Dead letters.
    dead: u64,
}

async fn unfinished(rig: &Rig) -> UnfinishedEnds {
    let counts = rig.stores().lifecycle_counts().await.unwrap();
    UnfinishedEnds {
        waiting: counts.waiting,
        kept: rig.games().iter().map(|game| game.backlog.len()).sum(),
        workers: rig.stores().workers().await.unwrap().len(),
        dead: counts.dead,
    }
}

/// The workers of every instance take up what an earlier process has left, and work until
/// nothing is unfinished.
pub(super) async fn all_is_done(rig: &Rig) {
    for game in rig.games() {
        game.journal.recover_work(&game.identity.id, Rig::now()).await.unwrap();
    }
    eventually("the ends of all sessions are done", HAPPENED, async || {
        for game in rig.games() {
            look(game).await;
        }
        (unfinished(rig).await == UnfinishedEnds::default()).then_some(())
    })
    .await;
}

/// Ends the session of a hero at a new place while these steps do not answer.
async fn leave_without(rig: &Rig, hero: &Hero, away: &[&'static str]) {
    let playing = rig.enter(hero).await;
    rig.plan().keep_away(away);
    rig.leave(playing, places()[3]).await.unwrap();
    rig.plan().keep_away(&[]);
}

async fn what_a_store_did_not_take_is_done_once_it_is_back(family: Family) {
    for away in ["presence.remove_presence", "ledger.remove_ledger", "journal.finish_work"] {
        let rig = Rig::start(family, &[("edge-a", 8)]).await;
        let hero = rig.hero().await;
        leave_without(&rig, &hero, &[away]).await;
        // What failed waits in the queue; what could only not be struck out stays in hand.
        let left = if away == "journal.finish_work" {
            UnfinishedEnds { workers: 1, ..UnfinishedEnds::default() }
        } else {
            UnfinishedEnds { waiting: 1, ..UnfinishedEnds::default() }
        };
        assert_eq!(unfinished(&rig).await, left, "{away}");
        assert_eq!(rig.seats_taken(), 0, "{away}: the player has gone all the same");
        all_is_done(&rig).await;
        checks::nothing_is_left(&rig).await;
        checks::enters_where_it_was_committed(&rig, &hero).await;
    }
}

async fn a_lost_answer_of_the_journal_strands_nothing(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    for fault in [Fault::FailAfter, Fault::Repeat] {
        for step in ["journal.begin_work", "journal.finish_work", "journal.take_work"] {
            let hero = rig.hero().await;
            let playing = rig.enter(&hero).await;
            let away: &[Step] =
                if step.ends_with("take_work") { &["ledger.remove_ledger"] } else { &[] };
            rig.plan().keep_away(away);
            rig.plan().strike_next(step, fault);
            rig.leave(playing, places()[3]).await.unwrap();
            rig.plan().keep_away(&[]);
            eventually("the work is tried", HAPPENED, async || {
                look(rig.game()).await;
                rig.plan().has_struck().then_some(())
            })
            .await;
            all_is_done(&rig).await;
            checks::nothing_is_left(&rig).await;
        }
    }
}

async fn a_journal_that_is_away_is_told_later(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let away = ["journal.begin_work", "ledger.remove_ledger", "journal.defer_work"];
    leave_without(&rig, &hero, &away).await;
    let kept = UnfinishedEnds { kept: 1, ..UnfinishedEnds::default() };
    assert_eq!(unfinished(&rig).await, kept);
    all_is_done(&rig).await;
    checks::nothing_is_left(&rig).await;
}

async fn who_comes_back_while_the_store_is_away_is_not_rolled_back(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    let handle = {
        let directory = rig.game().directory();
        let own = directory.all_active().next().unwrap();
        own.handle.clone()
    };
    rig.plan().keep_away(&["characters.save_locations"]);
    rig.serve(playing, places()[3]);
    handle.end(shared::realtime::message::ByeCode::LoginEnded);
    // Whoever enters asks it to leave, and waits: its place is not saved yet.
    let entering = rig.pass(&hero).await;
    rig.plan().begin(&[]);
    let (admission, ()) = tokio::join!(rig.shake(&entering, 1), async {
        eventually("somebody asks for the character", HAPPENED, async || {
            rig.plan().has_called("control_plane.release").then_some(())
        })
        .await;
        rig.plan().keep_away(&[]);
    });
    let admission = admission.accepted();
    assert_eq!(admission.activation.tile, places()[3], "the last place counts");
    all_is_done(&rig).await;
}

async fn a_process_that_dies_leaves_its_work_to_the_next(family: Family) {
    let mut rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    leave_without(&rig, &hero, &["ledger.remove_ledger"]).await;
    rig.restart().await;
    all_is_done(&rig).await;
    checks::nothing_is_left(&rig).await;
}

/// Its instance does not come back: the control plane gives its work to the others.
async fn work_of_an_instance_that_stays_dead_is_done_by_another(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8), ("edge-b", 8)]).await;
    let hero = rig.hero().await;
    let (dead, other) = (rig.game(), &rig.games()[1]);
    let away = ["ledger.remove_ledger", "journal.defer_work"];
    leave_without(&rig, &hero, &away).await;
    let in_hand = UnfinishedEnds { workers: 1, kept: 1, ..UnfinishedEnds::default() };
    assert_eq!(unfinished(&rig).await, in_hand);
    let adopt = async || adopt_once(rig.stores(), rig.stores(), Clock).await.unwrap();

    adopt().await;
    assert_eq!(unfinished(&rig).await, in_hand, "who lives does its own work");
    let record = instance_keeper::instance_record(dead, Rig::now());
    rig.stores().remove_instance(&record.id, record.incarnation).await.unwrap();
    adopt().await;
    let given = UnfinishedEnds { waiting: 1, kept: 1, ..UnfinishedEnds::default() };
    assert_eq!(unfinished(&rig).await, given);
    eventually("the other instance has done it", HAPPENED, async || {
        look(other).await;
        (unfinished(&rig).await.waiting == 0).then_some(())
    })
    .await;
    checks::nothing_is_left(&rig).await;
}

/// The place goes first, and presence stands until it is saved.
async fn the_end_that_is_under_way_is_not_overtaken_by_its_own_process(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    rig.plan().keep_away(&["characters.save_locations"]);
    let leaving = rig.leave(playing, places()[3]);
    let looking = async {
        let in_hand = UnfinishedEnds { workers: 1, ..UnfinishedEnds::default() };
        eventually("its end is under way", HAPPENED, async || {
            (unfinished(&rig).await == in_hand).then_some(())
        })
        .await;
        assert!(!recover(rig.game()).await, "it waits");
        look(rig.game()).await;
        assert_eq!(unfinished(&rig).await, in_hand);
        assert_eq!(rig.holders(hero.character).await, 1, "whoever enters has it waited for");
        rig.plan().keep_away(&[]);
    };
    let (left, ()) = tokio::join!(leaving, looking);
    left.unwrap();
    assert!(recover(rig.game()).await, "nothing is under way");
    all_is_done(&rig).await;
    checks::nothing_is_left(&rig).await;
    checks::enters_where_it_was_committed(&rig, &hero).await;
}

/// The end of a session as an entry that waits.
async fn given_a_stale_end(rig: &Rig, entry: &LifecycleEntry) {
    let worker = rig.game().identity.id.clone();
    rig.stores().begin_work(&worker, entry).await.unwrap();
    assert!(rig.stores().defer_work(&worker, entry).await.unwrap());
}

async fn a_stale_end_touches_neither_its_session_that_plays_again_nor_a_newer_one(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    let session = playing.activated.session.clone();
    let zone = session.placement.zone.clone();
    let entry = LifecycleEntry {
        payload_version: shared::version::PayloadVersion::CURRENT,
        id: shared::ids::LifecycleId::new(uuid::Uuid::from_u128(7)),
        account_id: session.account_id,
        character_id: session.character.id,
        character_name: session.character.name.clone(),
        session_token: session.session_token.clone(),
        epoch: session.character.epoch,
        instance: rig.game().identity.id.clone(),
        steps: vec![
            LifecycleStep::SavePlace { zone, tile: places()[7] },
            LifecycleStep::RemovePresence,
            LifecycleStep::RemoveLedger,
        ],
        attempts: 0,
        not_before: Rig::now(),
        created_at: Rig::now(),
        last_error: None,
    };
    let (before, row) =
        (rig.ground().session_keys().await, rig.stores().character(hero.character).await);
    given_a_stale_end(&rig, &entry).await;
    all_is_done(&rig).await;
    assert_eq!(rig.ground().session_keys().await, before, "it is active");
    let after = rig.stores().character(hero.character).await;
    assert_eq!(after.unwrap(), row.unwrap());

    rig.leave(playing, places()[3]).await.unwrap();
    let newer = rig.enter(&hero).await;
    let (before, row) =
        (rig.ground().session_keys().await, rig.stores().character(hero.character).await);
    given_a_stale_end(&rig, &entry).await;
    all_is_done(&rig).await;
    assert_eq!(rig.ground().session_keys().await, before, "I12: a newer session is left alone");
    let after = rig.stores().character(hero.character).await;
    assert_eq!(after.unwrap(), row.unwrap(), "I12");
    assert_eq!(rig.holders(hero.character).await, 1);
    rig.leave(newer, places()[3]).await.unwrap();
}

async fn what_cannot_be_done_is_a_dead_letter_that_a_person_may_send_again(family: Family) {
    let rig = Rig::start(family, &[("edge-a", 8)]).await;
    let hero = rig.hero().await;
    let playing = rig.enter(&hero).await;
    rig.ground().write_from_the_future("realtime:resume:").await;
    rig.leave(playing, places()[3]).await.unwrap();
    let dead = UnfinishedEnds { dead: 1, ..UnfinishedEnds::default() };
    assert_eq!(unfinished(&rig).await, dead);
    let letters = rig.stores().dead_letters(None).await.unwrap().records;
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].steps, [LifecycleStep::RemoveLedger], "the rest is done");
    assert!(letters[0].last_error.as_ref().unwrap().contains("realtime:resume:"), "{letters:?}");
    look(rig.game()).await;
    assert_eq!(unfinished(&rig).await, dead, "nobody tries it unasked");
    // It was another build's; by now it has expired.
    rig.ground().expire_records().await;
    assert!(rig.stores().requeue(letters[0].id, Rig::now()).await.unwrap());
    all_is_done(&rig).await;
    checks::nothing_is_left(&rig).await;
}

over_both_families!(
    what_a_store_did_not_take_is_done_once_it_is_back,
    a_lost_answer_of_the_journal_strands_nothing,
    a_journal_that_is_away_is_told_later,
    who_comes_back_while_the_store_is_away_is_not_rolled_back,
    a_process_that_dies_leaves_its_work_to_the_next,
    work_of_an_instance_that_stays_dead_is_done_by_another,
    the_end_that_is_under_way_is_not_overtaken_by_its_own_process,
    a_stale_end_touches_neither_its_session_that_plays_again_nor_a_newer_one,
    what_cannot_be_done_is_a_dead_letter_that_a_person_may_send_again,
);
