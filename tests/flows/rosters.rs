//! Characters: whose they are, where they live, when they can go.

use shared::ids::{CharacterId, RealmId};
use shared::problem::ProblemCode;
use tests::api::{hello, rejected};
use tests::clock::new_attempt;
use tests::server::Server;

fn nobody() -> CharacterId {
    "6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001".parse().unwrap()
}

fn realm(id: &str) -> RealmId {
    id.parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_character_is_as_unknown_as_one_that_does_not_exist() {
    let server = Server::start().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let api = &orin.api;

    let foreign = api.select(orin.token(), &orin.realm, mara.id).await.unwrap_err();
    let unknown = api.select(orin.token(), &orin.realm, nobody()).await.unwrap_err();
    assert_eq!(foreign.code(), ProblemCode::UnknownCharacter);
    assert_eq!(foreign, unknown, "to the letter");

    let foreign = api.delete_character(orin.token(), "dawn", mara.id).await.unwrap_err();
    let unknown = api.delete_character(orin.token(), "dawn", nobody()).await.unwrap_err();
    assert_eq!(foreign.code(), ProblemCode::UnknownCharacter);
    assert_eq!(foreign, unknown, "to the letter");
    assert_eq!(mara.in_roster().await.name, "Mara");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_is_entered_in_its_own_realm_only() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let refused = mara.api.select(mara.token(), &realm("dusk"), mara.id).await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::RealmMismatch);
    assert!(refused.problem.detail.contains("dawn"), "it says where: {refused:?}");
    let refused = mara.api.delete_character(mara.token(), "dusk", mara.id).await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::UnknownCharacter);
    assert_eq!(mara.api.roster(mara.token(), "dusk").await.unwrap().characters, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_realm_is_named_as_such_by_every_route() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let (api, token) = (&mara.api, mara.token());
    for id in ["noon", "No-Slug", "a.b"] {
        let refusals = [
            api.roster(token, id).await.unwrap_err(),
            api.create_character(token, id, "Orin").await.unwrap_err(),
            api.delete_character(token, id, mara.id).await.unwrap_err(),
        ];
        for refused in refusals {
            assert_eq!(refused.code(), ProblemCode::UnknownRealm, "{id}");
        }
    }
    let refused = api.select(token, &realm("noon"), mara.id).await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::UnknownRealm);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_unique_within_its_realm_and_free_again_after_its_character() {
    let server = Server::start().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let (api, token) = (&orin.api, orin.token());
    let refused = api.create_character(token, "dawn", "mARA").await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::CharacterNameTaken);
    assert_eq!(api.create_character(token, "dusk", "Mara").await.unwrap().characters.len(), 1);

    let left = mara.api.delete_character(mara.token(), "dawn", mara.id).await.unwrap();
    assert_eq!(left.characters, []);
    let roster = api.create_character(token, "dawn", "Mara").await.unwrap();
    let names: Vec<&str> = roster.characters.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["Orin", "Mara"], "oldest first");
    assert_ne!(roster.characters[1].id, mara.id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_looks_like_a_living_one_of_the_realm_is_refused_and_says_so() {
    let server = Server::start().await;
    let (mara, orin) = (server.hero("Mara").await, server.hero("Orin").await);
    let (api, token) = (&orin.api, orin.token());
    for name in ["Rnara", "Ma-ra", "M'ara", "Or in"] {
        let refused = api.create_character(token, "dawn", name).await.unwrap_err();
        assert_eq!(refused.code(), ProblemCode::CharacterNameConfusable, "{name}");
        assert!(refused.problem.detail.contains(name), "{refused:?}");
    }
    assert_eq!(api.roster(token, "dawn").await.unwrap().characters.len(), 1);
    api.create_character(token, "dusk", "Rnara").await.unwrap();
    mara.api.delete_character(mara.token(), "dawn", mara.id).await.unwrap();
    api.create_character(token, "dawn", "Rnara").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_roster_has_six_places_and_names_have_rules() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let (api, token) = (&mara.api, mara.token());
    for name in ["ab", "Seventeen Letters", "M4ra", " Mara", "Ma  ra"] {
        let refused = api.create_character(token, "dawn", name).await.unwrap_err();
        assert_eq!(refused.code(), ProblemCode::InvalidCharacterName, "{name:?}");
    }
    for name in ["Admin", "gm Mara", "Mara-Support", "Game Master", "Adrnin"] {
        let refused = api.create_character(token, "dawn", name).await.unwrap_err();
        assert_eq!(refused.code(), ProblemCode::CharacterNameReserved, "{name:?}");
    }
    for name in ["Second", "Third", "Fourth", "Fifth", "Sixth"] {
        api.create_character(token, "dawn", name).await.unwrap();
    }
    for name in ["Seventh", "Mara", "Ma-ra"] {
        let refused = api.create_character(token, "dawn", name).await.unwrap_err();
        assert_eq!(refused.code(), ProblemCode::RosterFull, "{name}: told before its name");
    }
    assert_eq!(api.roster(token, "dawn").await.unwrap().characters.len(), 6);
    assert!(api.create_character(token, "dusk", "Seventh").await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_in_the_world_is_shown_so_and_cannot_be_deleted() {
    let server = Server::start().await;
    let store = server.store().await;
    let mara = server.hero("Mara").await;
    assert!(!mara.in_roster().await.in_world);
    let player = mara.enter().await;
    assert!(mara.in_roster().await.in_world);
    let refused = mara.api.delete_character(mara.token(), "dawn", mara.id).await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::CharacterInWorld);
    assert_eq!(player.sight().bye, None);
    player.leave().await;
    store.until_nobody_is_in_the_world().await;
    assert!(!mara.in_roster().await.in_world);
    let before = store.character(mara.id).await;
    mara.api.delete_character(mara.token(), "dawn", mara.id).await.unwrap();
    let after = store.character(mara.id).await;
    assert!(after.is_deleted);
    assert_eq!(after.session_epoch, before.session_epoch + 1, "no session of before writes it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_deleted_between_select_and_handshake_does_not_enter() {
    let server = Server::start().await;
    let store = server.store().await;
    let mara = server.hero("Mara").await;
    let selected = mara.select().await;
    mara.api.delete_character(mara.token(), "dawn", mara.id).await.unwrap();
    let first = hello(new_attempt(), shared::ids::Try::FIRST);
    let url = &selected.endpoint.http_url;
    let answer = mara.api.handshake(url, first, &selected.handoff.token).await.unwrap();
    assert_eq!(rejected(answer).code, shared::gameplay::RejectionCode::Superseded);
    super::assert_nothing_is_left(&store).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_admitted_and_not_yet_claimed_cannot_be_deleted() {
    let server = Server::start().await;
    let mara = server.hero("Mara").await;
    let admission = mara.admitted().await;
    let refused = mara.api.delete_character(mara.token(), "dawn", mara.id).await.unwrap_err();
    assert_eq!(refused.code(), ProblemCode::CharacterInWorld);
    mara.claim(&admission).await.leave().await;
}
