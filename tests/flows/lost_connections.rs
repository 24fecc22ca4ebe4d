//! What a lost connection leaves, and who may come back to it.

use shared::problem::ProblemCode;
use shared::realtime::message::{Bye, ByeCode, ClientMessage, ServerMessage};
use shared::secret::ResumeToken;
use shared::world::Tile;
use tests::api::Admission;
use tests::hero::{Hero, PASSWORD};
use tests::line::{Dial, Heard, Line};
use tests::patience::HAPPENED;
use tests::player::Player;
use tests::server::Server;
use tests::store::Store;
use tests::way::tile_at;

async fn line(hero: &Hero, admission: &Admission) -> Line {
    let dial = Dial::of(&admission.activation, hero.api.origin());
    dial.line().await.expect("the page's origin is let in")
}

/// The answer to a claim by a token that opens nothing.
async fn refusal(hero: &Hero, admission: &Admission, secret: &ResumeToken) -> Bye {
    let token = &admission.activation.session_token;
    line(hero, admission).await.resume(token, secret).await.expect_err("it opens nothing")
}

/// Somebody has walked somewhere, and the line was lost.
struct Lost {
    admission: Admission,
    secret: ResumeToken,
    tile: Tile,
    epoch: i64,
}

async fn lose(hero: &Hero, store: &Store) -> Lost {
    let admission = hero.admitted().await;
    let player = hero.claim(&admission).await;
    let tile = tile_at(&player.map, player.tile(), 6);
    player.walk_to(tile).await;
    let secret = player.welcome.resume_token.clone();
    player.vanish().await;
    store.until_saved_at(hero.id, tile).await;
    let epoch = store.character(hero.id).await.session_epoch;
    Lost { admission, secret, tile, epoch }
}

async fn plays_on(player: &Player) {
    let tick = player.sight().tick().unwrap();
    player.until("it plays on", |sight| sight.tick().is_some_and(|t| t > tick + 10)).await;
    assert_eq!(player.sight().bye, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_keeps_body_and_seat_and_is_claimed_again_where_it_stood() {
    let server = Server::start().await;
    let store = server.store().await;
    let (hero, other) = (server.hero("Mara").await, server.hero("Orin").await);
    let watcher = other.enter().await;
    let admission = hero.admitted().await;
    let player = hero.claim(&admission).await;
    let (entity, goal) = (player.entity(), tile_at(&player.map, player.tile(), 6));
    player.walk_to(goal).await;
    let before = store.character(hero.id).await.session_epoch;
    let secret = player.welcome.resume_token.clone();
    player.vanish().await;
    store.until_saved_at(hero.id, goal).await;
    plays_on(&watcher).await;
    let seen = watcher.sight();
    assert_eq!(seen.body(entity).map(|body| body.position.tile()), Some(goal), "it stays");
    store.until_seats_taken(2).await;
    assert!(hero.in_roster().await.in_world);

    let again = hero.resume(&admission, &secret).await.unwrap();
    assert_eq!(again.session(), &admission.activation.session_token);
    assert_eq!((again.entity(), again.tile()), (entity, goal));
    assert_ne!(again.welcome.resume_token, secret);
    // Each name is a message of its own, in no order.
    again
        .until("names come anew", |s| {
            s.entity_of("Orin").is_some() && s.entity_of("Mara") == Some(entity)
        })
        .await;
    // Its inputs are counted anew, and the others saw nothing of all this.
    let further = tile_at(&again.map, goal, 4);
    again.walk_to(further).await;
    watcher
        .until("Mara walks", |s| s.body(entity).is_some_and(|b| b.position.tile() == further))
        .await;
    assert!(!watcher.sight().gone.contains(&entity));
    assert_eq!(store.character(hero.id).await.session_epoch, before, "the same session");
    store.until_seats_taken(2).await;
    again.leave().await;
    assert_eq!(store.character(hero.id).await.tile, further);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_takes_over_a_connection_that_still_lives_and_its_late_end_changes_nothing() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let older = hero.claim(&admission).await;
    older.is_heard().await;
    let newer = hero.resume(&admission, &older.welcome.resume_token).await.unwrap();
    assert_eq!(newer.entity(), older.entity());
    assert_eq!(older.bye().await.code, ByeCode::Superseded);
    drop(older);
    plays_on(&newer).await;
    let goal = tile_at(&newer.map, newer.tile(), 5);
    newer.walk_to(goal).await;
    store.until_saved_at(hero.id, goal).await;
    store.until_seats_taken(1).await;
    assert_eq!(store.session_keys().await.len(), 3, "presence and ledger stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_previous_token_opens_until_something_was_heard_and_nothing_afterwards() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let token = admission.activation.session_token.clone();
    // Nothing was heard after the ticket, as far as the server knows its Welcome was lost.
    let mut first = line(&hero, &admission).await;
    first.claim(&token, &admission.ticket).await.unwrap();
    let mut second = line(&hero, &admission).await;
    let by_ticket = second.claim(&token, &admission.ticket).await.unwrap();
    assert_eq!(first.bye_within(HAPPENED).await.code, ByeCode::Superseded);
    second.is_heard().await;
    let spent = line(&hero, &admission).await.claim(&token, &admission.ticket).await;
    assert_eq!(spent.unwrap_err(), Bye::of(ByeCode::UnknownSession));

    // And so with every later one (case 24).
    let mut third = line(&hero, &admission).await;
    let lost = third.resume(&token, &by_ticket.resume_token).await.unwrap();
    let mut fourth = line(&hero, &admission).await;
    let told = fourth.resume(&token, &by_ticket.resume_token).await.unwrap();
    assert_eq!(third.bye_within(HAPPENED).await.code, ByeCode::Superseded);
    fourth.is_heard().await;
    for spent in [&by_ticket.resume_token, &lost.resume_token] {
        assert_eq!(refusal(&hero, &admission, spent).await, Bye::of(ByeCode::UnknownSession));
    }
    fourth.is_heard().await;
    drop(fourth);
    let player = hero.resume(&admission, &told.resume_token).await.unwrap();
    assert_eq!(player.entity(), told.entity);
    store.until_seats_taken(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_changes_nothing() {
    let server = Server::start().await;
    let store = server.store().await;
    let (hero, other) = (server.hero("Mara").await, server.hero("Orin").await);
    let stranger = other.enter().await;
    let lost = lose(&hero, &store).await;
    let before = (store.character(hero.id).await, store.session_keys().await);
    let wrong = "resume-00000000000000000000000000000000".parse().unwrap();
    for secret in [&wrong, &stranger.welcome.resume_token] {
        let bye = refusal(&hero, &lost.admission, secret).await;
        assert_eq!(bye, Bye::of(ByeCode::UnknownSession));
    }
    let nobody = "session-00000000-0000-0000-0000-000000000000".parse().unwrap();
    let mut line = line(&hero, &lost.admission).await;
    let bye = line.resume(&nobody, &lost.secret).await.unwrap_err();
    assert_eq!(bye, Bye::of(ByeCode::UnknownSession), "the same words for both");
    assert_eq!((store.character(hero.id).await, store.session_keys().await), before);
    let player = hero.resume(&lost.admission, &lost.secret).await.unwrap();
    assert_eq!(player.tile(), lost.tile);
    plays_on(&stranger).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_left_deliberately_is_gone_at_once_and_cannot_be_claimed_again() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let player = hero.claim(&admission).await;
    let secret = player.welcome.resume_token.clone();
    player.leave().await;
    super::assert_nothing_is_left(&store).await;
    let bye = refusal(&hero, &admission, &secret).await;
    assert_eq!(bye, Bye::of(ByeCode::UnknownSession));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_or_a_new_password_ends_a_linkdead_session_at_once() {
    let server = Server::start().await;
    let store = server.store().await;
    for (name, new_password) in [("Mara", false), ("Orin", true)] {
        let hero = server.hero(name).await;
        let lost = lose(&hero, &store).await;
        if new_password {
            let new = "another horse battery";
            hero.api.change_password(hero.token(), PASSWORD, new).await.unwrap();
        } else {
            hero.api.logout(hero.token()).await.unwrap();
        }
        super::assert_nothing_is_left(&store).await;
        let bye = refusal(&hero, &lost.admission, &lost.secret).await;
        assert_eq!(bye, Bye::of(ByeCode::UnknownSession));
        let row = store.character(hero.id).await;
        assert_eq!((row.tile, row.session_epoch), (lost.tile, lost.epoch));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_takes_over_a_linkdead_body_where_it_stood() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let lost = lose(&hero, &store).await;
    let player = hero.enter().await;
    assert_eq!((player.tile(), player.sight().players()), (lost.tile, 1));
    assert_eq!(store.character(hero.id).await.session_epoch, lost.epoch + 1);
    let bye = refusal(&hero, &lost.admission, &lost.secret).await;
    assert_eq!(bye.code, ByeCode::UnknownSession);
    store.until_seats_taken(1).await;
    plays_on(&player).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_character_of_the_account_ends_a_linkdead_session() {
    let server = Server::start().await;
    let store = server.store().await;
    let mara = server.hero("Mara").await;
    let lost = lose(&mara, &store).await;
    let roster = mara.api.create_character(mara.token(), "dawn", "Orin").await.unwrap();
    let orin = Hero { id: roster.characters[1].id, ..mara.clone() };
    let player = orin.enter().await;
    assert_eq!(player.sight().players(), 1);
    assert!(!mara.in_roster().await.in_world);
    assert_eq!(store.character(mara.id).await.tile, lost.tile);
    let bye = refusal(&mara, &lost.admission, &lost.secret).await;
    assert_eq!(bye.code, ByeCode::UnknownSession);
    store.until_seats_taken(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_zone_is_open_to_its_own_linkdead_body_and_to_nobody_else() {
    let server = Server::setup().with("EDGE_ZONE_CAPACITY", 1).start().await;
    let store = server.store().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let lost = lose(&mara, &store).await;
    store.until_seats_taken(1).await;
    let refused = orin.try_select().await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::ZoneFull);
    let player = mara.enter().await;
    assert_eq!(player.tile(), lost.tile);
    store.until_seats_taken(1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_resumes_at_once_one_plays() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let lost = lose(&hero, &store).await;
    let token = lost.admission.activation.session_token.clone();
    let mut lines = [line(&hero, &lost.admission).await, line(&hero, &lost.admission).await];
    let [one, other] = &mut lines;
    let (first, second) =
        tokio::join!(one.resume(&token, &lost.secret), other.resume(&token, &lost.secret));
    let mut plays = 0;
    for (line, answer) in lines.iter_mut().zip([first, second]) {
        // Who was overtaken before it had a body gets its Bye in place of the Welcome.
        let superseded = match answer {
            Err(bye) => bye,
            Ok(_) => {
                line.say(&ClientMessage::Ping(7)).await;
                match pong_or_bye(line).await {
                    None => {
                        plays += 1;
                        continue;
                    }
                    Some(bye) => bye,
                }
            }
        };
        assert_eq!(superseded.code, ByeCode::Superseded);
    }
    assert_eq!(plays, 1);
    store.until_seats_taken(1).await;
    assert_eq!(store.session_keys().await.len(), 3);
}

async fn pong_or_bye(line: &mut Line) -> Option<Bye> {
    loop {
        match line.hear().await {
            Heard::Message(ServerMessage::Pong(7)) => return None,
            Heard::Message(ServerMessage::Bye(bye)) => return Some(bye),
            Heard::Message(_) => {}
            Heard::Ended => panic!("the connection ended without a Bye"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_whose_session_is_linkdead_is_in_the_world_and_cannot_be_deleted() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let lost = lose(&hero, &store).await;
    let refused = hero.api.delete_character(hero.token(), "dawn", hero.id).await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::CharacterInWorld);
    let player = hero.resume(&lost.admission, &lost.secret).await.unwrap();
    player.leave().await;
    hero.api.delete_character(hero.token(), "dawn", hero.id).await.unwrap();
}
