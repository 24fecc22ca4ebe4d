//! Flows against each other, a hundred times each: one token in a hundred hands, a hundred
//! players for ten seats, one character or one account entered twice at once.

use std::sync::Arc;
use std::time::Duration;

use edge_server::flows::disconnect;
use edge_server::stores::{CharacterStore as _, PresenceStore as _};
use shared::coordination::HandoffLookup;
use shared::gameplay::RejectionCode;
use shared::realtime::message::ByeCode;
use tests::clock::new_attempt;
use tokio::task::JoinSet;

use super::checks;
use super::ground::Family;
use super::heard::{Claimed, Hero, Pass, Playing, Shaken};
use super::rig::{Rig, places};

/// How often each race is run on the embedded family, where a round costs milliseconds.
const ROUNDS_EMBEDDED: usize = 100;
/// The same on the deployed one, whose every step crosses to another process. Its steps race
/// in the contract of the stores as well.
const ROUNDS_DEPLOYED: usize = 30;
/// How many run in it, where a crowd does.
const CROWD: usize = 100;
/// One round in so many is claimed and played, the others are left to the keeper.
const ROUNDS_PER_CLAIM: usize = 10;
/// Seats of the zone that the crowd wants into.
const SEATS: u32 = 10;

fn rounds(family: Family) -> usize {
    match family {
        Family::Embedded => ROUNDS_EMBEDDED,
        Family::Deployed => ROUNDS_DEPLOYED,
    }
}

/// All of them at once; their results in the order of the contestants.
async fn race<C, T, F>(contestants: Vec<C>, run: impl Fn(C) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut running = JoinSet::new();
    for (number, contestant) in contestants.into_iter().enumerate() {
        let part = run(contestant);
        running.spawn(async move { (number, part.await) });
    }
    let mut results = running.join_all().await;
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The first tries of these attempts, all at once.
async fn all_shake(rig: &Arc<Rig>, passes: Vec<Pass>) -> Vec<Shaken> {
    race(passes, |pass| {
        let rig = rig.clone();
        async move { rig.shake(&pass, 1).await }
    })
    .await
}

/// What each client heard, for a race that ended otherwise than it must.
fn shown(round: usize, answers: &[Shaken]) -> String {
    let words: Vec<_> = answers.iter().map(Shaken::word).collect();
    format!("round {round}: {words:?}")
}

/// Claims all that was accepted, at once; gives who plays then.
async fn all_claim(rig: &Arc<Rig>, passes: &[Pass], answers: Vec<Shaken>) -> Vec<Playing> {
    let admitted = passes.iter().cloned().zip(answers).filter_map(|(pass, answer)| match answer {
        Shaken::Accepted(admission) => Some((pass, *admission)),
        _ => None,
    });
    let claimed = race(admitted.collect(), |(pass, admission)| {
        let rig = rig.clone();
        async move {
            let claimed = rig.claim(&admission).await;
            (pass, admission, claimed)
        }
    });
    let playing =
        claimed.await.into_iter().filter_map(|(pass, admission, claimed)| match claimed {
            Claimed::Playing(activated) => Some(Playing { pass, admission, activated: *activated }),
            _ => None,
        });
    playing.collect()
}

async fn of_a_hundred_consumes_of_one_token_one_gets_it(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8)]).await);
    let hero = rig.hero().await;
    for _ in 0..rounds(family) {
        let token = rig.pass(&hero).await.token;
        let hash = edge_server::clock::hash_token(token.expose());
        let answers = race((0..CROWD).collect(), |_| {
            let (rig, hash) = (rig.clone(), hash.clone());
            async move {
                let game = rig.game();
                let claimant = game.claimant(new_attempt());
                game.control_plane.consume(&hash, &claimant).await.unwrap()
            }
        });
        let answers = answers.await;
        let count =
            |wanted: fn(&HandoffLookup) -> bool| answers.iter().filter(|a| wanted(a)).count();
        assert_eq!(count(|a| matches!(a, HandoffLookup::Found { .. })), 1);
        assert_eq!(count(|a| *a == HandoffLookup::AlreadyConsumed), CROWD - 1);
    }
}

async fn of_a_hundred_handshakes_with_one_token_one_plays(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8)]).await);
    let hero = rig.hero().await;
    for round in 0..rounds(family) {
        let pass = rig.pass(&hero).await;
        let passes: Vec<_> = (0..CROWD).map(|_| pass.stolen()).collect();
        let answers = all_shake(&rig, passes.clone()).await;
        let shown = shown(round, &answers);
        assert_eq!(answers.iter().filter(|answer| answer.is_accepted()).count(), 1, "{shown}");
        assert_eq!(rig.seats_taken(), 1, "{shown}");
        let mut playing = all_claim(&rig, &passes, answers).await;
        let playing = playing.pop().expect("who was accepted plays");
        checks::one_epoch_writes(&rig, hero.character).await;
        rig.leave(playing, places()[0]).await.unwrap();
        checks::nothing_is_left(&rig).await;
    }
}

async fn of_a_hundred_players_for_ten_seats_ten_get_one(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", SEATS)]).await);
    let mut heroes = Vec::new();
    for _ in 0..CROWD {
        heroes.push(rig.hero().await);
    }
    // A token that was refused for want of a seat is good for the next round.
    let mut unused: Vec<Option<Pass>> = vec![None; CROWD];
    for round in 0..rounds(family) {
        let mut passes = Vec::new();
        for (hero, pass) in heroes.iter().zip(&mut unused) {
            passes.push(match pass.take() {
                Some(pass) => pass.stolen(),
                None => rig.pass(hero).await,
            });
        }
        let answers = all_shake(&rig, passes.clone()).await;
        let shown = shown(round, &answers);
        let accepted = answers.iter().filter(|answer| answer.is_accepted()).count();
        assert_eq!(accepted, SEATS as usize, "{shown}");
        for ((answer, pass), unused) in answers.iter().zip(&passes).zip(&mut unused) {
            match answer {
                Shaken::Accepted(_) => {}
                Shaken::Rejected(RejectionCode::ZoneFull) => *unused = Some(pass.clone()),
                other => panic!("{other:?} in {shown}"),
            }
        }
        assert_eq!(rig.seats_taken(), SEATS, "{shown}");
        // A ledger entry and presence under two keys.
        assert_eq!(rig.ground().session_keys().await.len(), 3 * accepted, "{shown}");
        if round.is_multiple_of(ROUNDS_PER_CLAIM) {
            let playing = all_claim(&rig, &passes, answers).await;
            assert_eq!((playing.len(), rig.seats_taken()), (accepted, SEATS), "{shown}");
            let leave = |playing| {
                let rig = rig.clone();
                async move { rig.leave(playing, places()[0]).await.unwrap() }
            };
            race(playing, leave).await;
        } else {
            rig.end_unclaimed().await;
        }
        checks::nothing_is_left(&rig).await;
    }
}

/// Exactly one of several entries of one account plays, and presence names it under both
/// keys.
async fn one_plays(
    rig: &Arc<Rig>,
    passes: Vec<Pass>,
    answers: Vec<Shaken>,
    shown: &str,
) -> Playing {
    let mut playing = all_claim(rig, &passes, answers).await;
    assert_eq!(playing.len(), 1, "{shown}");
    let playing = playing.pop().expect("one plays");
    assert_eq!(rig.seats_taken(), 1, "{shown}");
    let session = &playing.activated.session;
    checks::one_epoch_writes(rig, session.character.id).await;
    let character = rig.stores().presence_of_character(session.character.id, Rig::now());
    let named = character.await.unwrap().map(|presence| presence.session_token);
    assert_eq!(named.as_ref(), Some(&session.session_token), "{shown}");
    let account = rig.stores().presence_of_account(session.account_id, Rig::now());
    let named = account.await.unwrap().map(|presence| presence.session_token);
    assert_eq!(named.as_ref(), Some(&session.session_token), "{shown}");
    playing
}

/// The same, and once it has left nothing is left of anybody.
async fn one_plays_and_leaves(
    rig: &Arc<Rig>,
    passes: Vec<Pass>,
    answers: Vec<Shaken>,
    shown: &str,
) {
    let playing = one_plays(rig, passes, answers, shown).await;
    rig.leave(playing, places()[0]).await.unwrap();
    checks::nothing_is_left(rig).await;
}

async fn of_two_attempts_for_one_character_at_once_one_plays(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8)]).await);
    let hero = rig.hero().await;
    for round in 0..rounds(family) {
        let passes = vec![rig.pass(&hero).await, rig.pass(&hero).await];
        let answers = all_shake(&rig, passes.clone()).await;
        let shown = shown(round, &answers);
        assert_eq!(answers.iter().filter(|answer| answer.is_accepted()).count(), 1, "{shown}");
        one_plays_and_leaves(&rig, passes, answers, &shown).await;
    }
}

async fn of_two_characters_of_one_account_at_once_one_plays(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8)]).await);
    let first = rig.hero().await;
    let character = rig.character_of(&first.account, "Another").await;
    let second = Hero { character, ..first.clone() };
    for round in 0..rounds(family) {
        let passes = vec![rig.pass(&first).await, rig.pass(&second).await];
        let answers = all_shake(&rig, passes.clone()).await;
        let shown = shown(round, &answers);
        one_plays_and_leaves(&rig, passes, answers, &shown).await;
    }
}

/// The same with an instance for each: only what they share can order them.
async fn of_two_characters_at_two_instances_at_once_one_plays(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8), ("edge-b", 8)]).await);
    let first = rig.hero().await;
    let character = rig.character_of(&first.account, "Another").await;
    let second = Hero { character, ..first.clone() };
    for round in 0..rounds(family) {
        rig.beat().await;
        let passes = vec![
            rig.pass_to(&rig.games()[0], &first).await,
            rig.pass_to(&rig.games()[1], &second).await,
        ];
        let answers = all_shake(&rig, passes.clone()).await;
        let shown = shown(round, &answers);
        one_plays_and_leaves(&rig, passes, answers, &shown).await;
    }
}

async fn of_two_attempts_for_one_character_at_two_instances_at_once_one_plays(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8), ("edge-b", 8)]).await);
    let hero = rig.hero().await;
    for round in 0..rounds(family) {
        rig.beat().await;
        let passes = vec![
            rig.pass_to(&rig.games()[0], &hero).await,
            rig.pass_to(&rig.games()[1], &hero).await,
        ];
        let answers = all_shake(&rig, passes.clone()).await;
        let shown = shown(round, &answers);
        one_plays_and_leaves(&rig, passes, answers, &shown).await;
    }
}

/// The same over a session that plays, whichever character's it is: it is saved and
/// leaves, whoever comes after it.
async fn of_two_takeovers_at_once_one_plays(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8)]).await);
    let first = rig.hero().await;
    let mut heroes = vec![first.clone()];
    for name in ["Second", "Third"] {
        let character = rig.character_of(&first.account, name).await;
        heroes.push(Hero { character, ..first.clone() });
    }
    let mut older = rig.enter(&first).await;
    for round in 0..rounds(family) {
        let (last, place) = (older.activated.session.character.id, places()[round % 9]);
        rig.serve(older, place);
        let passes =
            vec![rig.pass(&heroes[round % 3]).await, rig.pass(&heroes[(round + 1) % 3]).await];
        let answers = all_shake(&rig, passes.clone()).await;
        let shown = shown(round, &answers);
        older = one_plays(&rig, passes, answers, &shown).await;
        let row = rig.stores().character(last).await.unwrap().unwrap();
        assert_eq!(row.tile, place, "{shown}");
    }
}

async fn of_two_tries_of_one_attempt_at_once_one_plays(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8)]).await);
    let hero = rig.hero().await;
    for round in 0..rounds(family) {
        let pass = rig.pass(&hero).await;
        let answers = race(vec![1, 2], |r#try| {
            let (rig, pass) = (rig.clone(), pass.clone());
            async move { rig.shake(&pass, r#try).await }
        });
        let answers = answers.await;
        let shown = shown(round, &answers);
        one_plays_and_leaves(&rig, vec![pass.clone(), pass], answers, &shown).await;
    }
}

/// Of two claims with one resume token the later one has the session, and the other is told.
async fn of_two_resumes_at_once_one_plays(family: Family) {
    let rig = Arc::new(Rig::start(family, &[("edge-a", 8)]).await);
    let hero = rig.hero().await;
    let first = rig.enter(&hero).await;
    let (pass, admission) = (first.pass.clone(), first.admission.clone());
    let mut secret = first.activated.resume_token.clone();
    rig.serve(first, places()[1]);
    for round in 0..rounds(family) {
        let claims = race(vec![secret.clone(), secret.clone()], |secret| {
            let (rig, admission) = (rig.clone(), admission.clone());
            async move { rig.resume(&admission, &secret).await.playing() }
        });
        let (mut superseded, mut plays) = (0, None);
        for mut activated in claims.await {
            let told = tokio::time::timeout(Duration::ZERO, activated.control.asked_to_end()).await;
            if told == Ok(ByeCode::Superseded) {
                superseded += 1;
                let session = activated.session.clone();
                assert!(!disconnect::begin(rig.game(), &session, activated.claim), "round {round}");
            } else {
                plays = Some(activated);
            }
        }
        let activated = plays.expect("one plays");
        assert_eq!((superseded, rig.seats_taken()), (1, 1), "round {round}");
        rig.game().directory().acknowledge(&activated.session, activated.claim);
        secret = activated.resume_token.clone();
        let playing = Playing { pass: pass.clone(), admission: admission.clone(), activated };
        rig.lose(playing, places()[round % 9]).await;
    }
    checks::one_epoch_writes(&rig, hero.character).await;
    rig.end_unclaimed().await;
    checks::nothing_is_left(&rig).await;
    let row = rig.stores().character(hero.character).await.unwrap().unwrap();
    assert_eq!(row.tile, places()[(rounds(family) - 1) % 9]);
}

over_both_families!(
    of_a_hundred_consumes_of_one_token_one_gets_it,
    of_a_hundred_handshakes_with_one_token_one_plays,
    of_a_hundred_players_for_ten_seats_ten_get_one,
    of_two_attempts_for_one_character_at_once_one_plays,
    of_two_characters_of_one_account_at_once_one_plays,
    of_two_characters_at_two_instances_at_once_one_plays,
    of_two_attempts_for_one_character_at_two_instances_at_once_one_plays,
    of_two_takeovers_at_once_one_plays,
    of_two_tries_of_one_attempt_at_once_one_plays,
    of_two_resumes_at_once_one_plays,
);
