//! Realtime claims and what follows: what the control stream and datagrams may carry.

use shared::limits::MAX_FRAME_BYTES;
use shared::realtime::codec::encode_frame;
use shared::realtime::message::{Bye, ByeCode, Claim, ClientMessage, InputPacket, RealtimeHello};
use shared::version::PROTOCOL_VERSION;
use tests::api::Admission;
use tests::hero::Hero;
use tests::line::{Dial, Line, claim};
use tests::patience::HAPPENED;
use tests::server::Server;
use tests::way::tile_at;

async fn line(hero: &Hero, admission: &Admission) -> Line {
    let dial = Dial::of(&admission.activation, hero.api.origin());
    dial.line().await.expect("the page's origin is let in")
}

async fn answer_to(line: &mut Line, bytes: &[u8]) -> Bye {
    line.write(bytes).await;
    let bye = line.bye_within(HAPPENED).await;
    line.say(&ClientMessage::Bye).await;
    line.closed().await;
    bye
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_ticket_opens_nothing_and_leaves_the_session_to_the_right_one() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let token = &admission.activation.session_token;
    let wrong = "ticket-00000000000000000000000000000000".parse().unwrap();
    let bye = line(&hero, &admission).await.claim(token, &wrong).await.unwrap_err();
    assert_eq!(bye, Bye::of(ByeCode::UnknownSession));
    let nobody = "session-00000000-0000-0000-0000-000000000000".parse().unwrap();
    let bye = line(&hero, &admission).await.claim(&nobody, &admission.ticket).await.unwrap_err();
    assert_eq!(bye, Bye::of(ByeCode::UnknownSession), "the same words for both");
    let player = hero.claim(&admission).await;
    assert_eq!(player.session(), token);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_opens_nothing_once_its_session_has_been_heard() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let player = hero.claim(&admission).await;
    player.is_heard().await;
    let token = &admission.activation.session_token;
    let bye = line(&hero, &admission).await.claim(token, &admission.ticket).await.unwrap_err();
    assert_eq!(bye.code, ByeCode::UnknownSession);
    let tick = player.sight().tick().unwrap();
    player.until("the first plays on", |sight| sight.tick().is_some_and(|t| t > tick + 5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hello_of_another_protocol_version_is_told_so_and_the_session_waits_on() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let newer = ClientMessage::Hello(RealtimeHello {
        protocol_version: PROTOCOL_VERSION + 1,
        session_token: admission.activation.session_token.clone(),
        claim: Claim::Ticket(admission.ticket.clone()),
    });
    let mut refused = line(&hero, &admission).await;
    let bye = answer_to(&mut refused, &encode_frame(&newer).unwrap()).await;
    assert_eq!(bye.code, ByeCode::ProtocolVersion);
    hero.claim(&admission).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_hello_is_malformed() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let hello = claim(&admission.activation.session_token, &admission.ticket);
    let mut with_a_byte_left_over = encode_frame(&hello).unwrap();
    with_a_byte_left_over[3] += 1;
    with_a_byte_left_over.push(0);
    let too_large = u32::try_from(MAX_FRAME_BYTES + 1).unwrap().to_be_bytes();
    for bytes in [
        &[0, 0, 0, 1, 0xff][..],
        &[0, 0, 0, 0][..],
        &with_a_byte_left_over[..],
        &too_large[..],
        &u32::MAX.to_be_bytes()[..],
    ] {
        let bye = answer_to(&mut line(&hero, &admission).await, bytes).await;
        assert_eq!(bye.code, ByeCode::Malformed, "{bytes:?}");
    }
    hero.claim(&admission).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_frame_in_the_world_ends_the_session_and_keeps_the_place() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let again = encode_frame(&claim(
        &"session-00000000-0000-0000-0000-000000000000".parse().unwrap(),
        &"ticket-00000000000000000000000000000000".parse().unwrap(),
    ));
    for bytes in [vec![0, 0, 0, 1, 0xff], u32::MAX.to_be_bytes().to_vec(), again.unwrap()] {
        let player = hero.enter().await;
        let goal = tile_at(&player.map, player.tile(), 3);
        player.walk_to(goal).await;
        player.send_on_stream(bytes).await;
        assert_eq!(player.bye().await.code, ByeCode::Malformed);
        store.until_nobody_is_in_the_world().await;
        assert_eq!(store.character(hero.id).await.tile, goal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_datagram_ends_the_session_and_keeps_the_place() {
    let server = Server::start().await;
    let store = server.store().await;
    let hero = server.hero("Mara").await;
    let still = shared::world::movement::MoveInput::STILL;
    let encode = |packet: &InputPacket| shared::realtime::codec::encode_datagram(packet).unwrap();
    let too_many = encode(&InputPacket { acked_tick: None, newest: 99, inputs: vec![still; 17] });
    let out_of_count = encode(&InputPacket { acked_tick: None, newest: 1, inputs: vec![still; 2] });
    let last = encode(&InputPacket { acked_tick: None, newest: u32::MAX, inputs: vec![still] });
    for bytes in [vec![0xff; 12], vec![], too_many, out_of_count, last, vec![0; 1_001]] {
        let player = hero.enter().await;
        let goal = tile_at(&player.map, player.tile(), 2);
        player.walk_to(goal).await;
        player.send_datagram(bytes).await;
        assert_eq!(player.bye().await.code, ByeCode::Malformed);
        store.until_nobody_is_in_the_world().await;
        assert_eq!(store.character(hero.id).await.tile, goal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_from_nobody_who_says_bye_first_is_let_go() {
    let server = Server::start().await;
    let hero = server.hero("Mara").await;
    let admission = hero.admitted().await;
    let mut polite = line(&hero, &admission).await;
    polite.say(&ClientMessage::Bye).await;
    polite.closed().await;
    hero.claim(&admission).await;
}
