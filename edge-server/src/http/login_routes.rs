//! Routes of the login role.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{delete, get, post, put};
use axum::{Json, Router};
use shared::account::{
    Account, AccountCreated, ChangePassword, CreateCharacter, Credentials, LoginResponse,
    RealmList, Roster, SelectCharacter, SelectResponse,
};
use shared::ids::{CharacterId, RealmId};
use shared::problem::ProblemCode;
use shared::secret::AccessToken;

use super::extract::{Bearer, ClientAddress, JsonBody, PathOf};
use super::rate_limit::LoginLimits;
use crate::domain::client_address::AddressBlock;
use crate::flows::login_server::LoginServer;
use crate::flows::{Refusal, change_password, login, logout, roster, select_character};

/// What the handlers of the login role share.
#[derive(Clone)]
struct LoginState {
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

/// The routes under `/v1/` of the login role.
pub fn router(server: Arc<LoginServer>, limits: Arc<LoginLimits>) -> Router {
    Router::new()
        .route("/v1/accounts", post(create_account))
        .route("/v1/accounts/current/password", put(put_password))
        .route("/v1/sessions", post(create_session))
        .route("/v1/sessions/current", delete(delete_session))
        .route("/v1/realms", get(realms))
        .route("/v1/realms/{realm}/characters", get(characters).post(create_character))
        .route("/v1/realms/{realm}/characters/{id}", delete(delete_character))
        .route("/v1/select-character", post(select))
        .with_state(LoginState { server, limits })
}

async fn create_account(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<(StatusCode, Json<AccountCreated>), Refusal> {
    state.limits.registrations.check(&address)?;
    let account = login::register(&state.server, address, credentials).await?;
    Ok((StatusCode::CREATED, Json(AccountCreated { account })))
}

async fn put_password(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
    JsonBody(wish): JsonBody<ChangePassword>,
) -> Result<StatusCode, Refusal> {
    state.limits.password_changes.check(&address)?;
    let account = state.caller(address, &token).await?;
    state.limits.guesses.check(&account.username.as_str().into())?;
    change_password::run(&state.server, address, &account, wish).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn create_session(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    JsonBody(credentials): JsonBody<Credentials>,
) -> Result<Json<LoginResponse>, Refusal> {
    state.limits.logins.check(&address)?;
    state.limits.guesses.check(&credentials.username.as_str().into())?;
    Ok(Json(login::login(&state.server, address, credentials).await?))
}

async fn delete_session(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
) -> Result<StatusCode, Refusal> {
    state.limits.requests.check(&address)?;
    logout::run(&state.server, &token).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn realms(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
) -> Result<Json<RealmList>, Refusal> {
    state.caller(address, &token).await?;
    Ok(Json(RealmList { realms: state.server.realms().await? }))
}

async fn characters(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
    PathOf(realm): PathOf<String>,
) -> Result<Json<Roster>, Refusal> {
    let account = state.caller(address, &token).await?;
    Ok(Json(roster::list(&state.server, &account, &parse_realm(&realm)?).await?))
}

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

async fn select(
    State(state): State<LoginState>,
    ClientAddress(address): ClientAddress,
    Bearer(token): Bearer,
    JsonBody(wish): JsonBody<SelectCharacter>,
) -> Result<Json<SelectResponse>, Refusal> {
    let account = state.actor(address, &token).await?;
    Ok(Json(select_character::run(&state.server, &account, &token, &wish).await?))
}

fn parse_realm(text: &str) -> Result<RealmId, Refusal> {
    text.parse().map_err(|error: shared::ids::NotASlug| {
        Refusal::new(ProblemCode::UnknownRealm, error.to_string())
    })
}
