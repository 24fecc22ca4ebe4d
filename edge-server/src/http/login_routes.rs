//! Routes of the login role.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Json, Router};
use shared::account::{
    Account, AccountCreated, ChangePassword, CreateCharacter, Credentials, LoginResponse,
    RealmList, ResumeRequest, ResumeResponse, Roster, SelectCharacter, SelectResponse,
};
use shared::ids::{CharacterId, RealmId};
use shared::problem::ProblemCode;
use shared::secret::AccessToken;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Bearer, ClientAddress, JsonBody, PathOf};
use super::openapi::LOGIN;
use super::openapi::refusals::refusals;
use super::rate_limit::LoginLimits;
use super::whole;
use crate::domain::client_address::AddressBlock;
use crate::flows::login_server::LoginServer;
use crate::flows::{
    Refusal, change_password, locate_session, login, logout, roster, select_character,
};

/// What the handlers of the login role share.
#[derive(Clone)]
pub(crate) struct LoginState {
    server: Arc<LoginServer>,
    limits: Arc<LoginLimits>,
}

impl LoginState {
    /// Who the bearer of a token is, within the limit of the address.
    async fn caller(&self, address: AddressBlock, token: &AccessToken) -> Result<Account, Refusal> {
        self.limits.requests.check(&address)?;
        self.server.authenticate(token).await
    }

    /// The same, for what also counts within the limit of the account.
    async fn actor(&self, address: AddressBlock, token: &AccessToken) -> Result<Account, Refusal> {
        let account = self.caller(address, token).await?;
        self.limits.actions.check(&account.id)?;
        Ok(account)
    }
}

/// The routes under `/v1/` of the login role, served.
pub fn router(server: Arc<LoginServer>, limits: Arc<LoginLimits>) -> Router {
    routes().with_state(LoginState { server, limits }).into()
}

/// The routes, described.
pub(crate) fn routes() -> OpenApiRouter<LoginState> {
    OpenApiRouter::default()
        .routes(routes!(create_account))
        .routes(routes!(put_password))
        .routes(routes!(create_session))
        .routes(routes!(delete_session))
        .routes(routes!(realms))
        .routes(routes!(characters, create_character))
        .routes(routes!(delete_character))
        .routes(routes!(select))
        .routes(routes!(resume))
}

refusals! {
    CreateAccountRefused: BODY PARTS
        [InvalidUsername, UsernameReserved, UsernameConfusable, InvalidPassword, UsernameTaken,
         RateLimited, Internal];
    ChangePasswordRefused: BEARER BODY PARTS
        [InvalidCredentials, InvalidPassword, RateLimited, Internal];
    CreateSessionRefused: BODY PARTS [InvalidCredentials, RateLimited];
    DeleteSessionRefused: BEARER PARTS [RateLimited];
    RealmsRefused: BEARER PARTS [RateLimited];
    CharactersRefused: BEARER PATH PARTS [UnknownRealm, RateLimited];
    CreateCharacterRefused: BEARER PATH BODY PARTS
        [UnknownRealm, InvalidCharacterName, CharacterNameReserved, CharacterNameConfusable,
         CharacterNameTaken, RosterFull, RateLimited];
    DeleteCharacterRefused: BEARER PATH PARTS
        [UnknownRealm, UnknownCharacter, CharacterInWorld, RateLimited];
    SelectRefused: BEARER BODY PARTS
        [UnknownRealm, UnknownCharacter, RealmMismatch, ZoneFull, RealmUnavailable, RateLimited];
    ResumeRefused: BODY PARTS [SessionEnded, RateLimited];
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
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<(StatusCode, Json<AccountCreated>), Refusal> {
    state.limits.registrations.check(&address)?;
    let account = login::register(&state.server, address, credentials).await?;
    Ok((StatusCode::CREATED, Json(AccountCreated { account })))
}

/// Changes the password: ends every login of the account, the caller's included, with its
/// handoffs and its world session.
#[utoipa::path(
    put,
    path = "/v1/accounts/current/password",
    operation_id = "change_password",
    tag = LOGIN,
    security(("access_token" = [])),
    request_body = ChangePassword,
    responses((status = 204, description = "The password is changed."), ChangePasswordRefused),
)]
async fn put_password(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
    JsonBody(wish): JsonBody<ChangePassword>,
) -> Result<StatusCode, Refusal> {
    state.limits.password_changes.check(&address)?;
    let account = state.caller(address, &token).await?;
    state.limits.guess(&account.username, address)?;
    let server = state.server.clone();
    whole(async move { change_password::run(&server, address, &account, wish).await }).await?;
    Ok(StatusCode::NO_CONTENT)
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
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<Json<LoginResponse>, Refusal> {
    state.limits.logins.check(&address)?;
    state.limits.guess(&credentials.username, address)?;
    Ok(Json(login::login(&state.server, address, credentials).await?))
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
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
) -> Result<StatusCode, Refusal> {
    state.limits.requests.check(&address)?;
    let server = state.server.clone();
    whole(async move { logout::run(&server, &token).await }).await?;
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
async fn realms(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
) -> Result<Json<RealmList>, Refusal> {
    state.caller(address, &token).await?;
    Ok(Json(RealmList { realms: state.server.realms().await? }))
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
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
    PathOf(realm): PathOf<String>,
) -> Result<Json<Roster>, Refusal> {
    let account = state.caller(address, &token).await?;
    Ok(Json(roster::list(&state.server, &account, &parse_realm(&realm)?).await?))
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
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
    PathOf(realm): PathOf<String>,
    JsonBody(wish): JsonBody<CreateCharacter>,
) -> Result<(StatusCode, Json<Roster>), Refusal> {
    let account = state.actor(address, &token).await?;
    let roster = roster::create(&state.server, &account, &parse_realm(&realm)?, wish).await?;
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
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
    PathOf((realm, id)): PathOf<(String, String)>,
) -> Result<Json<Roster>, Refusal> {
    let account = state.actor(address, &token).await?;
    let realm = parse_realm(&realm)?;
    let id: CharacterId = id.parse().map_err(|_| roster::unknown_character())?;
    Ok(Json(roster::delete(&state.server, &account, &realm, id).await?))
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
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
    JsonBody(wish): JsonBody<SelectCharacter>,
) -> Result<Json<SelectResponse>, Refusal> {
    let account = state.actor(address, &token).await?;
    Ok(Json(select_character::run(&state.server, &account, &token, &wish).await?))
}

/// Tells where the session of a resume token is, whose connection was lost. It uses nothing
/// up: the token claims the session there. `session_ended` is final; whatever else goes wrong,
/// ask again.
#[utoipa::path(
    post,
    path = "/v1/resume",
    operation_id = "locate_session",
    tag = LOGIN,
    request_body = ResumeRequest,
    responses(
        (
            status = 200,
            description = "The game server that has the session, and where it is claimed.",
            body = ResumeResponse,
        ),
        ResumeRefused,
    ),
)]
async fn resume(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    JsonBody(question): JsonBody<ResumeRequest>,
) -> Result<Json<ResumeResponse>, Refusal> {
    state.limits.locations.check(&address)?;
    Ok(Json(locate_session::run(&state.server, &question.resume_token).await?))
}

fn parse_realm(text: &str) -> Result<RealmId, Refusal> {
    text.parse().map_err(|error: shared::ids::NotASlug| {
        Refusal::new(ProblemCode::UnknownRealm, error.to_string())
    })
}
