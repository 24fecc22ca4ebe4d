//! What players do besides walking, over a whole server: talk, flowers, death.

use shared::realtime::command::{Command, CommandOutcome, CommandRefused, CommandSequence, Emote};
use shared::world::movement::MoveInput;
use tests::patience::ARRIVED;
use tests::server::Server;
use tests::way::{nearest_flower, nearest_hazard};

#[tokio::test(flavor = "multi_thread")]
async fn two_players_talk_and_wave() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await.enter().await;
    let orin = server.hero("Orin").await.enter().await;
    for (player, other) in [(&mara, "Orin"), (&orin, "Mara")] {
        player.until("the other is in view with its name", |s| s.entity_of(other).is_some()).await;
    }
    let hello = Command::Say("Grüße, Orin".parse().unwrap());
    assert_eq!(mara.ask(hello).await, CommandOutcome::Done);
    assert_eq!(orin.ask(Command::Emote(Emote::Heart)).await, CommandOutcome::Done);
    for player in [&mara, &orin] {
        let seen = player.until("both are heard", |s| s.said.len() + s.emoted.len() == 2).await;
        assert_eq!(seen.said, [(mara.entity(), "Grüße, Orin".to_owned())]);
        assert_eq!(seen.emoted, [(orin.entity(), Emote::Heart)]);
    }
    let meadow = Command::UseExit("meadow".parse().unwrap());
    assert_eq!(mara.ask(meadow).await, CommandOutcome::Refused(CommandRefused::NoExit));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gathered_flower_is_durable_and_dark_for_everybody() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let mara = hero.enter().await;
    let orin = server.hero("Orin").await.enter().await;
    let no_flower = CommandOutcome::Refused(CommandRefused::NoFlower);
    let (flower, tile) = nearest_flower(&mara.map, mara.tile());
    mara.walk_to(tile).await;

    let sequence = mara.command(Command::Gather).await;
    mara.command_as(sequence, Command::Gather).await;
    let seen = mara.until("both are answered", |sight| sight.answers.len() == 2).await;
    for answer in &seen.answers {
        assert_eq!(answer.sequence, sequence);
        assert_eq!(answer.outcome, CommandOutcome::Gathered { total: 1 });
    }
    assert_eq!(store.character(hero.id).await.gathered, 1);
    let dark = Some(vec![flower]);
    orin.until("the flower is dark for Orin", |sight| sight.picked_flowers == dark).await;
    assert_eq!(mara.ask(Command::Gather).await, no_flower, "it does not glow");

    mara.leave().await;
    let again = hero.enter().await;
    assert_eq!(again.welcome.last_command, CommandSequence::NONE, "a new session counts anew");
    again.until("it is told of the dark flower", |sight| sight.picked_flowers == dark).await;
    assert_eq!(again.ask(Command::Gather).await, no_flower);
    assert_eq!(store.character(hero.id).await.gathered, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_walks_into_the_brambles_dies_and_respawns_at_the_start() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let mara = hero.enter().await;
    let hazard = nearest_hazard(&mara.map, mara.tile());
    let entity = mara.entity();
    mara.set_out_for(hazard).await;
    mara.until_within("it dies where it has walked", ARRIVED, |sight| {
        sight.dead.contains(&entity) && sight.rests_on(hazard)
    })
    .await;
    let lies = mara.position();

    let away = MoveInput::towards(1, 1);
    mara.hold(away).await;
    let tick = mara.sight().tick().unwrap();
    mara.until("it has tried to walk", |s| s.tick().is_some_and(|t| t > tick + 10)).await;
    assert_eq!(mara.position(), lies);
    mara.hold(MoveInput::STILL).await;
    let refused = CommandOutcome::Refused(CommandRefused::Dead);
    assert_eq!(mara.ask(Command::Emote(Emote::Laugh)).await, refused);
    assert_eq!(mara.ask(Command::Gather).await, refused);
    assert_eq!(mara.ask(Command::Say("help".parse().unwrap())).await, CommandOutcome::Done);
    store.until_saved_at(hero.id, hazard).await;

    assert_eq!(mara.ask(Command::Respawn).await, CommandOutcome::Done);
    let start = mara.map.start();
    mara.until("it stands at the start", |s| s.rests_on(start) && !s.dead.contains(&entity)).await;
    assert_eq!(mara.ask(Command::Respawn).await, CommandOutcome::Refused(CommandRefused::Alive));
    let orin = server.hero("Orin").await.enter().await;
    let seen = orin.until("Orin sees it alive", |s| s.entity_of("Mara").is_some()).await;
    assert!(!seen.dead.contains(&entity));
    store.until_saved_at(hero.id, start).await;
}
