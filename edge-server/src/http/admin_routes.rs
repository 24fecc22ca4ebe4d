//! Routes for those who run the deployment, under `/admin/v1/`, for whoever shows the admin
//! token: what is wrong with a character, and what is left over.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::{Json, Router};
use serde::Deserialize;
use shared::admin::{CharacterCleanup, CharacterDiagnosis, DeadLetterList, Draining, SessionList};
use shared::control_plane::{InstanceDrain, InstanceList};
use shared::ids::{CharacterId, InstanceId, LifecycleId};
use shared::problem::ProblemCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{JsonBody, PathOf, QueryOf, bearer_text};
use super::openapi::ADMIN;
use super::openapi::refusals::refusals;
use crate::clock::Clock;
use crate::flows::Refusal;
use crate::flows::diagnose_character::{self, Diagnosis};
use crate::peers::control_plane::ControlPlane;
use crate::peers::service_token::AdminToken;
use crate::stores::{CoordinationListing, LifecycleJournal, PageMark};

/// What the handlers share.
#[derive(Clone)]
pub struct AdminState {
    /// What characters are diagnosed from.
    pub diagnosis: Diagnosis,
    /// Everything that lives, page by page.
    pub listing: Arc<dyn CoordinationListing>,
    /// The control plane of the same process.
    pub control_plane: Arc<dyn ControlPlane>,
    /// What is left to be done of sessions that have ended.
    pub journal: Arc<dyn LifecycleJournal>,
    /// Judges what has expired.
    pub clock: Clock,
    /// Who may ask.
    pub token: AdminToken,
}

/// The routes under `/admin/v1/`, served.
pub fn router(state: AdminState) -> Router {
    routes().with_state(state).into()
}

/// In their place where there is no token: nothing, whatever is asked.
pub fn closed() -> Router {
    Router::new().nest("/admin", Router::new().fallback(super::not_found))
}

/// The routes, described.
pub(crate) fn routes() -> OpenApiRouter<AdminState> {
    OpenApiRouter::default()
        .routes(routes!(diagnose_character))
        .routes(routes!(clean_up_character))
        .routes(routes!(list_registered))
        .routes(routes!(drain_registered))
        .routes(routes!(list_sessions))
        .routes(routes!(list_dead_letters))
        .routes(routes!(requeue_dead_letter))
}

refusals! {
    AskedRefused: BEARER PARTS;
    PathRefused: BEARER PATH PARTS;
    PageRefused: BEARER PARTS [MalformedQuery];
    InstanceRefused: BEARER BODY PATH PARTS;
}

/// What the routes need. A handler has no other way to it, and this one asks for the token.
struct Operator(AdminState);

impl FromRequestParts<AdminState> for Operator {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &AdminState) -> Result<Self, Refusal> {
        if bearer_text(parts).is_some_and(|presented| state.token.is(presented)) {
            return Ok(Self(state.clone()));
        }
        let detail = "send Authorization: Bearer with the EDGE_ADMIN_TOKEN of the process";
        Err(Refusal::new(ProblemCode::Unauthenticated, detail))
    }
}

/// Says what the stores have of a character, and what is wrong with it. Changes nothing.
#[utoipa::path(
    get,
    path = "/admin/v1/characters/{id}",
    tag = ADMIN,
    security(("admin_token" = [])),
    params(("id" = CharacterId, Path, description = "The character.")),
    responses(
        (status = 200, description = "What was found.", body = CharacterDiagnosis),
        PathRefused,
    ),
)]
async fn diagnose_character(
    Operator(state): Operator,
    PathOf(id): PathOf<CharacterId>,
) -> Result<Json<CharacterDiagnosis>, Refusal> {
    diagnose_character::run(&state.diagnosis, id, state.clock.now()).await.map(Json)
}

/// Removes what sessions have left that no longer have the character. What belongs to the
/// session that has it is left alone. Look at the diagnosis first: it tells whose it is.
#[utoipa::path(
    post,
    path = "/admin/v1/characters/{id}/cleanup",
    tag = ADMIN,
    security(("admin_token" = [])),
    params(("id" = CharacterId, Path, description = "The character.")),
    responses(
        (status = 200, description = "What is gone, and what is left.", body = CharacterCleanup),
        PathRefused,
    ),
)]
async fn clean_up_character(
    Operator(state): Operator,
    PathOf(id): PathOf<CharacterId>,
) -> Result<Json<CharacterCleanup>, Refusal> {
    let now = state.clock.now();
    let cleanup = async move { diagnose_character::clean_up(&state.diagnosis, id, now).await };
    super::whole(cleanup).await.map(Json)
}

/// Lists the game servers whose lease is alive, with their loads.
#[utoipa::path(
    get,
    path = "/admin/v1/instances",
    tag = ADMIN,
    security(("admin_token" = [])),
    responses((status = 200, description = "By id.", body = InstanceList), AskedRefused),
)]
async fn list_registered(Operator(state): Operator) -> Result<Json<InstanceList>, Refusal> {
    let instances = state.diagnosis.registry.instances(state.clock.now()).await?;
    Ok(Json(InstanceList { instances }))
}

/// Has a game server admit nobody new, or admit players again; who plays there plays on. It
/// holds until it is asked otherwise, or the server is started again.
#[utoipa::path(
    put,
    path = "/admin/v1/instances/{id}/draining",
    tag = ADMIN,
    security(("admin_token" = [])),
    params(("id" = InstanceId, Path, description = "The game server.")),
    request_body = Draining,
    responses(
        (status = 204, description = "The game server does as asked."),
        InstanceRefused,
    ),
)]
async fn drain_registered(
    Operator(state): Operator,
    PathOf(instance): PathOf<InstanceId>,
    JsonBody(Draining { draining }): JsonBody<Draining>,
) -> Result<StatusCode, Refusal> {
    let request = InstanceDrain { instance, draining };
    if state.control_plane.drain(&request).await? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let detail = "no game server of that name is registered: look at /admin/v1/instances";
    Err(Refusal::new(ProblemCode::NotFound, detail))
}

/// Which page of a list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PageQuestion {
    after: Option<String>,
}

impl PageQuestion {
    fn mark(self) -> Option<PageMark> {
        self.after.map(PageMark::of_text)
    }
}

/// Lists the sessions that are in the world, as presence has them.
#[utoipa::path(
    get,
    path = "/admin/v1/sessions",
    tag = ADMIN,
    security(("admin_token" = [])),
    params(("after" = Option<String>, Query, description = "The `next` of the page before.")),
    responses((status = 200, description = "A page of them.", body = SessionList), PageRefused),
)]
async fn list_sessions(
    Operator(state): Operator,
    QueryOf(question): QueryOf<PageQuestion>,
) -> Result<Json<SessionList>, Refusal> {
    let after = question.mark();
    let page = state.listing.list_presence(after.as_ref(), state.clock.now()).await?;
    Ok(Json(SessionList {
        sessions: page.records,
        unreadable: page.unreadable,
        next: page.next.map(PageMark::into_text),
    }))
}

/// Lists what is left of sessions that have ended and could not be done: somebody has to look
/// at `last_error`, and send it again once its cause is gone.
#[utoipa::path(
    get,
    path = "/admin/v1/lifecycle/dead-letters",
    tag = ADMIN,
    security(("admin_token" = [])),
    params(("after" = Option<String>, Query, description = "The `next` of the page before.")),
    responses((status = 200, description = "A page of them.", body = DeadLetterList), PageRefused),
)]
async fn list_dead_letters(
    Operator(state): Operator,
    QueryOf(question): QueryOf<PageQuestion>,
) -> Result<Json<DeadLetterList>, Refusal> {
    let after = question.mark();
    let page = state.journal.dead_letters(after.as_ref()).await?;
    let counts = state.journal.lifecycle_counts().await?;
    Ok(Json(DeadLetterList {
        dead_letters: page.records,
        unreadable: page.unreadable,
        next: page.next.map(PageMark::into_text),
        waiting: counts.waiting,
        dead: counts.dead,
    }))
}

/// Puts a dead letter back into the queue: it is tried again at once, as often as the first
/// time.
#[utoipa::path(
    post,
    path = "/admin/v1/lifecycle/dead-letters/{id}/requeue",
    tag = ADMIN,
    security(("admin_token" = [])),
    params(("id" = LifecycleId, Path, description = "The entry.")),
    responses((status = 204, description = "It waits."), PathRefused),
)]
async fn requeue_dead_letter(
    Operator(state): Operator,
    PathOf(id): PathOf<LifecycleId>,
) -> Result<StatusCode, Refusal> {
    if state.journal.requeue(id, state.clock.now()).await? {
        tracing::info!(%id, "a dead letter was sent again on demand");
        return Ok(StatusCode::NO_CONTENT);
    }
    let detail = "there is no such dead letter: it may have been sent again already";
    Err(Refusal::new(ProblemCode::NotFound, detail))
}
