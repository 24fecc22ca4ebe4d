//! Routes of the login role.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use shared::account::{
    AccountCreated, CreateCharacter, Credentials, LoginResponse, RealmList, Roster,
    SelectCharacter, SelectResponse,
};
use shared::ids::{CharacterId, RealmId};
use shared::problem::ProblemCode;

use super::extract::{Bearer, JsonBody, PathOf};
use crate::flows::login_server::LoginServer;
use crate::flows::{Refusal, login, logout, roster, select_character};

type Server = State<Arc<LoginServer>>;

/// The routes under `/v1/` of the login role.
pub fn router(server: Arc<LoginServer>) -> Router {
    Router::new()
        .route("/v1/accounts", post(create_account))
        .route("/v1/sessions", post(create_session))
        .route("/v1/sessions/current", delete(delete_session))
        .route("/v1/realms", get(realms))
        .route("/v1/realms/{realm}/characters", get(characters).post(create_character))
        .route("/v1/realms/{realm}/characters/{id}", delete(delete_character))
        .route("/v1/select-character", post(select))
        .with_state(server)
}

async fn create_account(
    State(server): Server,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<(StatusCode, Json<AccountCreated>), Refusal> {
    let account = login::register(&server, credentials).await?;
    Ok((StatusCode::CREATED, Json(AccountCreated { account })))
}

async fn create_session(
    State(server): Server,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<Json<LoginResponse>, Refusal> {
    Ok(Json(login::login(&server, credentials).await?))
}

async fn delete_session(
    State(server): Server,
    Bearer(token): Bearer,
) -> Result<StatusCode, Refusal> {
    logout::run(&server, &token).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn realms(State(server): Server, Bearer(token): Bearer) -> Result<Json<RealmList>, Refusal> {
    server.authenticate(&token).await?;
    Ok(Json(RealmList { realms: server.realms().await? }))
}

async fn characters(
    State(server): Server,
    Bearer(token): Bearer,
    PathOf(realm): PathOf<String>,
) -> Result<Json<Roster>, Refusal> {
    let account = server.authenticate(&token).await?;
    Ok(Json(roster::list(&server, &account, &parse_realm(&realm)?).await?))
}

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

async fn select(
    State(server): Server,
    Bearer(token): Bearer,
    JsonBody(wish): JsonBody<SelectCharacter>,
) -> Result<Json<SelectResponse>, Refusal> {
    Ok(Json(select_character::run(&server, &token, &wish).await?))
}

fn parse_realm(text: &str) -> Result<RealmId, Refusal> {
    text.parse().map_err(|error: shared::ids::NotASlug| {
        Refusal::new(ProblemCode::UnknownRealm, error.to_string())
    })
}
