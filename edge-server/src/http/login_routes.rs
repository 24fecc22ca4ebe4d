//! Routes of the login role.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Json, Router};
use shared::account::{
    AccountCreated, CreateCharacter, Credentials, LoginResponse, RealmList, Roster,
    SelectCharacter, SelectResponse,
};
use shared::ids::{CharacterId, RealmId};
use shared::problem::ProblemCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Bearer, JsonBody, PathOf};
use super::openapi::LOGIN;
use super::openapi::refusals::refusals;
use crate::flows::login_server::LoginServer;
use crate::flows::{Refusal, login, logout, roster, select_character};

type Server = State<Arc<LoginServer>>;

/// The routes under `/v1/` of the login role, served.
pub fn router(server: Arc<LoginServer>) -> Router {
    routes().with_state(server).into()
}

/// The routes, described.
pub(crate) fn routes() -> OpenApiRouter<Arc<LoginServer>> {
    OpenApiRouter::default()
        .routes(routes!(create_account))
        .routes(routes!(create_session))
        .routes(routes!(delete_session))
        .routes(routes!(realms))
        .routes(routes!(characters, create_character))
        .routes(routes!(delete_character))
        .routes(routes!(select))
}

refusals! {
    CreateAccountRefused: BODY PARTS
        [InvalidUsername, InvalidPassword, UsernameTaken, RateLimited, Internal];
    CreateSessionRefused: BODY PARTS [InvalidCredentials, RateLimited];
    DeleteSessionRefused: BEARER PARTS;
    RealmsRefused: BEARER PARTS;
    CharactersRefused: BEARER PATH PARTS [UnknownRealm];
    CreateCharacterRefused: BEARER PATH BODY PARTS
        [UnknownRealm, InvalidCharacterName, CharacterNameTaken, RosterFull];
    DeleteCharacterRefused: BEARER PATH PARTS [UnknownRealm, UnknownCharacter, CharacterInWorld];
    SelectRefused: BEARER BODY PARTS
        [UnknownRealm, UnknownCharacter, RealmMismatch, ZoneFull, RealmUnavailable];
}

/// Creates an account.
#[utoipa::path(
    post,
    path = "/v1/accounts",
    tag = LOGIN,
    request_body = Credentials,
    responses(
        (status = 201, description = "The new account.", body = AccountCreated),
        CreateAccountRefused,
    ),
)]
async fn create_account(
    State(server): Server,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<(StatusCode, Json<AccountCreated>), Refusal> {
    let account = login::register(&server, credentials).await?;
    Ok((StatusCode::CREATED, Json(AccountCreated { account })))
}

/// Logs in.
#[utoipa::path(
    post,
    path = "/v1/sessions",
    tag = LOGIN,
    request_body = Credentials,
    responses(
        (status = 200, description = "The login.", body = LoginResponse),
        CreateSessionRefused,
    ),
)]
async fn create_session(
    State(server): Server,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<Json<LoginResponse>, Refusal> {
    Ok(Json(login::login(&server, credentials).await?))
}

/// Logs out: ends the login of the bearer. One that has ended already is no error.
#[utoipa::path(
    delete,
    path = "/v1/sessions/current",
    tag = LOGIN,
    security(("access_token" = [])),
    responses((status = 204, description = "The login has ended."), DeleteSessionRefused),
)]
async fn delete_session(
    State(server): Server,
    Bearer(token): Bearer,
) -> Result<StatusCode, Refusal> {
    logout::run(&server, &token).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the realms.
#[utoipa::path(
    get,
    path = "/v1/realms",
    operation_id = "list_realms",
    tag = LOGIN,
    security(("access_token" = [])),
    responses((status = 200, description = "The realms.", body = RealmList), RealmsRefused),
)]
async fn realms(State(server): Server, Bearer(token): Bearer) -> Result<Json<RealmList>, Refusal> {
    server.authenticate(&token).await?;
    Ok(Json(RealmList { realms: server.realms().await? }))
}

/// Lists the characters of the account in a realm.
#[utoipa::path(
    get,
    path = "/v1/realms/{realm}/characters",
    operation_id = "list_characters",
    tag = LOGIN,
    security(("access_token" = [])),
    params(("realm" = RealmId, Path, description = "The realm.")),
    responses((status = 200, description = "The roster.", body = Roster), CharactersRefused),
)]
async fn characters(
    State(server): Server,
    Bearer(token): Bearer,
    PathOf(realm): PathOf<String>,
) -> Result<Json<Roster>, Refusal> {
    let account = server.authenticate(&token).await?;
    Ok(Json(roster::list(&server, &account, &parse_realm(&realm)?).await?))
}

/// Creates a character.
#[utoipa::path(
    post,
    path = "/v1/realms/{realm}/characters",
    tag = LOGIN,
    security(("access_token" = [])),
    params(("realm" = RealmId, Path, description = "The realm.")),
    request_body = CreateCharacter,
    responses(
        (status = 201, description = "The replacement roster.", body = Roster),
        CreateCharacterRefused,
    ),
)]
async fn create_character(
    State(server): Server,
    Bearer(token): Bearer,
    PathOf(realm): PathOf<String>,
    JsonBody(wish): JsonBody<CreateCharacter>,
) -> Result<(StatusCode, Json<Roster>), Refusal> {
    let account = server.authenticate(&token).await?;
    let roster = roster::create(&server, &account, &parse_realm(&realm)?, wish).await?;
    Ok((StatusCode::CREATED, Json(roster)))
}

/// Deletes a character that is not in the world.
#[utoipa::path(
    delete,
    path = "/v1/realms/{realm}/characters/{id}",
    tag = LOGIN,
    security(("access_token" = [])),
    params(
        ("realm" = RealmId, Path, description = "The realm."),
        ("id" = CharacterId, Path, description = "The character."),
    ),
    responses(
        (status = 200, description = "The replacement roster.", body = Roster),
        DeleteCharacterRefused,
    ),
)]
async fn delete_character(
    State(server): Server,
    Bearer(token): Bearer,
    PathOf((realm, id)): PathOf<(String, String)>,
) -> Result<Json<Roster>, Refusal> {
    let account = server.authenticate(&token).await?;
    let realm = parse_realm(&realm)?;
    let id: CharacterId = id.parse().map_err(|_| roster::unknown_character())?;
    Ok(Json(roster::delete(&server, &account, &realm, id).await?))
}

/// Selects a character and prepares its way into the world.
#[utoipa::path(
    post,
    path = "/v1/select-character",
    operation_id = "select_character",
    tag = LOGIN,
    security(("access_token" = [])),
    request_body = SelectCharacter,
    responses(
        (
            status = 200,
            description = "A handoff token, and the game server to present it to.",
            body = SelectResponse,
        ),
        SelectRefused,
    ),
)]
async fn select(
    State(server): Server,
    Bearer(token): Bearer,
    JsonBody(wish): JsonBody<SelectCharacter>,
) -> Result<Json<SelectResponse>, Refusal> {
    let account = server.authenticate(&token).await?;
    Ok(Json(select_character::run(&server, &account, &wish).await?))
}

fn parse_realm(text: &str) -> Result<RealmId, Refusal> {
    text.parse().map_err(|error: shared::ids::NotASlug| {
        Refusal::new(ProblemCode::UnknownRealm, error.to_string())
    })
}
