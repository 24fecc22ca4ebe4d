//! A player whose server dies and comes back plays on: the session is claimed again from what
//! the ledger has of it.

use shared::gameplay::RealtimeEndpoint;
use shared::realtime::command::{Command, CommandOutcome};
use shared::realtime::message::{Bye, ByeCode};
use shared::secret::ResumeToken;
use tests::api::Admission;
use tests::hero::Hero;
use tests::line::{Dial, Line};
use tests::player::Player;
use tests::server::Server;
use tests::way::{nearest_flower, tile_at};

/// A player as the page knows it, over deaths of the server.
struct Page {
    hero: Hero,
    admission: Admission,
}

impl Page {
    async fn of(server: &Server, name: &str) -> Self {
        let hero = server.hero(name).await;
        let admission = hero.admitted().await;
        Self { hero, admission }
    }

    /// Asks where the session is, as the page does between two dials.
    async fn locate(&mut self, server: &Server, secret: &ResumeToken) -> Vec<RealtimeEndpoint> {
        self.hero = self.hero.at(server.api());
        let place = self.hero.api.resume(secret).await.expect("the session can be gone on with");
        let own = &self.admission.activation.instance_id;
        assert_eq!(&place.endpoint.instance_id, own, "it is its own instance that came back");
        self.admission.activation.endpoints = place.realtime.endpoints.clone();
        place.realtime.endpoints
    }

    async fn resume(&self, secret: &ResumeToken) -> Result<Player, Bye> {
        self.hero.resume(&self.admission, secret).await
    }

    async fn line(&self) -> Line {
        let dial = Dial::of(&self.admission.activation, self.hero.api.origin());
        dial.line().await.expect("the page's origin is let in")
    }

    async fn refusal(&self, secret: &ResumeToken) -> Bye {
        let token = &self.admission.activation.session_token;
        self.line().await.resume(token, secret).await.expect_err("it opens nothing")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_plays_on_after_a_crash_where_it_stood_and_no_command_counts_twice() {
    let mut server = Server::start().await;
    let store = server.store().await;
    let mut page = Page::of(&server, "Mara").await;
    let (id, session) = (page.hero.id, page.admission.activation.session_token.clone());
    let player = page.hero.claim(&page.admission).await;
    let (_, beside) = nearest_flower(&player.map, player.tile());
    player.walk_to(beside).await;
    let sequence = player.command(Command::Gather).await;
    let one = CommandOutcome::Gathered { total: 1 };
    player.until("it is gathered", |s| s.outcome_of(sequence) == Some(&one)).await;
    store.until_saved_at(id, beside).await;
    let before = store.character(id).await;
    let secret = player.welcome.resume_token.clone();
    server.kill9().await;
    server.start_again().await;

    page.locate(&server, &secret).await;
    let again = page.resume(&secret).await.unwrap();
    assert_eq!((again.session(), again.tile()), (&session, beside));
    assert_eq!((again.welcome.gathered, again.welcome.last_command), (1, sequence));
    // The page does not know whether it was applied, and says it again.
    again.command_as(sequence, Command::Gather).await;
    let seen = again.until("it is answered", |s| s.outcome_of(sequence).is_some()).await;
    assert_eq!(seen.outcome_of(sequence), Some(&one));
    let row = store.character(id).await;
    assert_eq!((row.gathered, row.session_epoch), (1, before.session_epoch + 1));
    assert_eq!(row.raised_session_token, before.raised_session_token, "it is the same session");
    assert!(page.hero.in_roster().await.in_world);
    store.until_seats_taken(1).await;
    assert_eq!(store.session_keys().await.len(), 3, "presence and ledger are its own");

    let further = tile_at(&again.map, again.tile(), 4);
    again.walk_to(further).await;
    again.leave().await;
    assert_eq!(store.character(id).await.tile, further);
    super::assert_nothing_is_left(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_crash_the_newest_secret_and_the_last_used_one_are_good_and_nothing_else() {
    let mut server = Server::start().await;
    let store = server.store().await;
    let mut page = Page::of(&server, "Mara").await;
    let first = page.hero.claim(&page.admission).await.welcome.resume_token.clone();
    let second = page.resume(&first).await.unwrap();
    second.is_heard().await;
    let used = second.welcome.resume_token.clone();
    // Its Welcome may be lost; nothing is heard after it.
    let token = page.admission.activation.session_token.clone();
    let newest = page.line().await.resume(&token, &used).await.unwrap().resume_token;
    server.kill9().await;
    server.start_again().await;

    page.locate(&server, &used).await;
    let before = store.character(page.hero.id).await;
    let wrong = format!("resume-{}-{}", token.expose(), "0".repeat(64)).parse().unwrap();
    for secret in [&wrong, &first] {
        assert_eq!(page.refusal(secret).await, Bye::of(ByeCode::UnknownSession));
    }
    let by_ticket = page.line().await.claim(&token, &page.admission.ticket).await;
    assert_eq!(by_ticket.unwrap_err(), Bye::of(ByeCode::UnknownSession));
    assert_eq!(store.character(page.hero.id).await, before, "a wrong secret changes nothing");

    let by_used = page.resume(&used).await.unwrap();
    by_used.is_heard().await;
    for spent in [&used, &newest] {
        assert_eq!(page.refusal(spent).await, Bye::of(ByeCode::UnknownSession));
    }
    let next = by_used.welcome.resume_token.clone();
    by_used.vanish().await;
    page.resume(&next).await.unwrap().is_heard().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_outlives_one_crash_after_the_other() {
    let mut server = Server::start().await;
    let store = server.store().await;
    let mut page = Page::of(&server, "Mara").await;
    let mut player = page.hero.claim(&page.admission).await;
    for _ in 0..3 {
        let goal = tile_at(&player.map, player.tile(), 3);
        player.walk_to(goal).await;
        store.until_saved_at(page.hero.id, goal).await;
        let secret = player.welcome.resume_token.clone();
        server.kill9().await;
        server.start_again().await;
        page.locate(&server, &secret).await;
        player = page.resume(&secret).await.unwrap();
        assert_eq!(player.tile(), goal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_after_the_crash_leaves_nothing_to_come_back_to() {
    let mut server = Server::start().await;
    let mut page = Page::of(&server, "Mara").await;
    let secret = page.hero.claim(&page.admission).await.welcome.resume_token.clone();
    server.kill9().await;
    server.start_again().await;
    page.locate(&server, &secret).await;
    page.hero.api.logout(page.hero.token()).await.unwrap();
    let bye = page.refusal(&secret).await;
    assert_eq!(bye, Bye::of(ByeCode::LoginEnded));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_after_the_crash_ends_what_could_have_come_back() {
    let mut server = Server::start().await;
    let store = server.store().await;
    let mut page = Page::of(&server, "Mara").await;
    let secret = page.hero.claim(&page.admission).await.welcome.resume_token.clone();
    server.kill9().await;
    server.start_again().await;
    page.locate(&server, &secret).await;
    let entered = page.hero.enter().await;
    assert_eq!(page.refusal(&secret).await, Bye::of(ByeCode::UnknownSession));
    entered.is_heard().await;
    assert_eq!(entered.sight().bye, None);
    store.until_seats_taken(1).await;
}
