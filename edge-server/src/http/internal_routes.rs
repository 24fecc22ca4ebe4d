//! Routes of the control plane, for the other roles of the backend: the port of
//! `peers/control_plane.rs` over HTTP, for whoever shows the service token.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, FromRequestParts};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::{Json, Router};
use serde::{Deserialize, Deserializer};
use shared::control_plane::{
    CharacterPresence, HandoffQuestion, HandoffRedirect, Heartbeat, HeartbeatWrite, InstanceDrain,
    InstanceDrained, InstanceList, PresenceRemoval, RecordWrite, TransferQuestion, TransferStatus,
};
use shared::coordination::{
    AssignRequest, Assignment, HandoffCacheRecord, HandoffLookup, InstanceRecord, PresenceRecord,
    Redirection, ReleaseRequest, TransferActivated,
};
use shared::ids::CharacterId;
use shared::limits::MAX_HEARTBEAT_BYTES;
use shared::problem::ProblemCode;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use super::extract::{JsonBody, PathOf, bearer_text};
use super::openapi::refusals::refusals;
use super::openapi::{CONTROL_PLANE, GAME};
use crate::flows::Refusal;
use crate::peers::control_plane::{ControlPlane, ControlPlaneError};
use crate::peers::service_token::ServiceToken;

/// What the handlers share.
#[derive(Clone)]
pub(crate) struct InternalState {
    control_plane: Arc<dyn ControlPlane>,
    token: ServiceToken,
}

/// The routes under `/internal/v1/`, served.
pub fn router(control_plane: Arc<dyn ControlPlane>, token: ServiceToken) -> Router {
    routes().with_state(InternalState { control_plane, token }).into()
}

/// In their place where there is no token: nothing, whatever is asked.
pub fn closed() -> Router {
    Router::new().nest("/internal", Router::new().fallback(super::not_found))
}

/// The routes, described.
pub(crate) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::default()
        .routes(routes!(assign_game))
        .routes(routes!(prepare_handoff))
        .routes(routes!(preflight_handoff))
        .routes(routes!(consume_handoff))
        .routes(routes!(redirect_handoff))
        .routes(routes!(confirm_transfer))
        .routes(routes!(transfer_status))
        .routes(routes!(release_sessions))
        .routes(
            routes!(list_instances, put_instance).layer(DefaultBodyLimit::max(MAX_HEARTBEAT_BYTES)),
        )
        .routes(routes!(remove_instance))
        .routes(routes!(drain_instance))
        .routes(routes!(put_presence))
        .routes(routes!(presence_of_character))
        .routes(routes!(remove_presence))
}

refusals! {
    BodyRefused: BEARER BODY PARTS [UnreadableRecord];
    AskedRefused: BEARER PARTS [UnreadableRecord];
    PathRefused: BEARER PATH PARTS [UnreadableRecord];
}

/// The control plane. A handler has no other way to it, and this one asks for the token.
struct Trusted(Arc<dyn ControlPlane>);

impl FromRequestParts<InternalState> for Trusted {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &InternalState) -> Result<Self, Refusal> {
        has_token(parts, &state.token)?;
        Ok(Self(state.control_plane.clone()))
    }
}

/// Passes who shows the token.
pub(super) fn has_token(parts: &Parts, token: &ServiceToken) -> Result<(), Refusal> {
    if bearer_text(parts).is_some_and(|presented| token.is(presented)) {
        return Ok(());
    }
    let detail = "send Authorization: Bearer with the EDGE_SERVICE_TOKEN of the backend";
    Err(Refusal::new(ProblemCode::Unauthenticated, detail))
}

/// A value of which this build knows every field, at whatever depth: a part of a request
/// that is passed over would be a part that is lost.
pub(super) struct Known<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Known<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut unknown = None;
        let value = serde_ignored::deserialize(deserializer, |path| {
            unknown.get_or_insert_with(|| path.to_string());
        })?;
        match unknown {
            None => Ok(Self(value)),
            Some(path) => Err(serde::de::Error::custom(format!("unknown field `{path}`"))),
        }
    }
}

type Body<T> = JsonBody<Known<T>>;
type Answer<T> = Result<Json<T>, Refusal>;

fn refused(error: ControlPlaneError) -> Refusal {
    match error {
        ControlPlaneError::Unavailable(_) => error.into(),
        ControlPlaneError::Unreadable(what) => Refusal::new(ProblemCode::UnreadableRecord, what),
    }
}

/// Finds an instance for one handoff, and promises it a seat there.
#[utoipa::path(
    post,
    path = "/internal/v1/assign/game",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = AssignRequest,
    responses((status = 200, description = "Where to.", body = Assignment), BodyRefused),
)]
async fn assign_game(
    Trusted(control_plane): Trusted,
    JsonBody(Known(request)): Body<AssignRequest>,
) -> Answer<Assignment> {
    control_plane.assign(&request).await.map(Json).map_err(refused)
}

/// Stores a handoff record, and its legacy row beside it.
#[utoipa::path(
    post,
    path = "/internal/v1/handoffs/prepare",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = HandoffCacheRecord,
    responses((status = 204, description = "It is stored."), BodyRefused),
)]
async fn prepare_handoff(
    Trusted(control_plane): Trusted,
    JsonBody(Known(record)): Body<HandoffCacheRecord>,
) -> Result<StatusCode, Refusal> {
    control_plane.prepare(&record).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Says what a consume would answer; consumes nothing.
#[utoipa::path(
    post,
    path = "/internal/v1/handoffs/preflight",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = HandoffQuestion,
    responses(
        (status = 200, description = "What the token is good for.", body = HandoffLookup),
        BodyRefused,
    ),
)]
async fn preflight_handoff(
    Trusted(control_plane): Trusted,
    JsonBody(Known(HandoffQuestion { token, claimant })): Body<HandoffQuestion>,
) -> Answer<HandoffLookup> {
    control_plane.preflight(&token, &claimant).await.map(Json).map_err(refused)
}

/// Takes a handoff, in one atomic step. The same attempt at the same instance may ask again.
#[utoipa::path(
    post,
    path = "/internal/v1/handoffs/consume",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = HandoffQuestion,
    responses(
        (status = 200, description = "What the token was good for.", body = HandoffLookup),
        BodyRefused,
    ),
)]
async fn consume_handoff(
    Trusted(control_plane): Trusted,
    JsonBody(Known(HandoffQuestion { token, claimant })): Body<HandoffQuestion>,
) -> Answer<HandoffLookup> {
    control_plane.consume(&token, &claimant).await.map(Json).map_err(refused)
}

/// Moves a handoff to another instance, in one atomic step.
#[utoipa::path(
    post,
    path = "/internal/v1/handoffs/redirect",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = HandoffRedirect,
    responses(
        (status = 200, description = "Where the token is good now.", body = Redirection),
        BodyRefused,
    ),
)]
async fn redirect_handoff(
    Trusted(control_plane): Trusted,
    JsonBody(Known(HandoffRedirect { token, claimant, to })): Body<HandoffRedirect>,
) -> Answer<Redirection> {
    control_plane.redirect(&token, &claimant, &to).await.map(Json).map_err(refused)
}

/// Notes that the target has activated a transfer.
#[utoipa::path(
    post,
    path = "/internal/v1/transfers/confirm",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = TransferActivated,
    responses((status = 200, description = "What it came to.", body = RecordWrite), BodyRefused),
)]
async fn confirm_transfer(
    Trusted(control_plane): Trusted,
    JsonBody(Known(record)): Body<TransferActivated>,
) -> Answer<RecordWrite> {
    let written = control_plane.confirm_transfer(&record).await.map_err(refused)?;
    Ok(Json(written.into()))
}

/// Says whether the target has activated a transfer.
#[utoipa::path(
    post,
    path = "/internal/v1/transfers/status",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = TransferQuestion,
    responses(
        (status = 200, description = "The marker, if there is one.", body = TransferStatus),
        BodyRefused,
    ),
)]
async fn transfer_status(
    Trusted(control_plane): Trusted,
    JsonBody(Known(TransferQuestion { token })): Body<TransferQuestion>,
) -> Answer<TransferStatus> {
    let activated = control_plane.transfer_status(&token).await.map_err(refused)?;
    Ok(Json(TransferStatus { activated }))
}

/// Has whoever holds the sessions in question save their characters and end them; answers
/// once they have left, or after a bounded time. The control plane asks the game server that
/// presence names, by the same route; a game server releases what it holds itself.
#[utoipa::path(
    post,
    path = "/internal/v1/sessions/release",
    tags = [CONTROL_PLANE, GAME],
    security(("service_token" = [])),
    request_body = ReleaseRequest,
    responses(
        (status = 204, description = "They have left, or will write nothing more."),
        BodyRefused,
    ),
)]
async fn release_sessions(
    Trusted(control_plane): Trusted,
    JsonBody(Known(request)): Body<ReleaseRequest>,
) -> Result<StatusCode, Refusal> {
    // A task of its own: a caller that hangs up must not stop half-way what ends a session.
    let release = tokio::spawn(async move { control_plane.release(&request).await });
    match release.await {
        Ok(released) => {
            released.map_err(refused)?;
            Ok(StatusCode::NO_CONTENT)
        }
        Err(error) => {
            tracing::error!(%error, "a release died");
            Err(Refusal::unavailable())
        }
    }
}

/// Lists the instances whose lease is alive.
#[utoipa::path(
    get,
    path = "/internal/v1/instances",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    responses((status = 200, description = "By id.", body = InstanceList), AskedRefused),
)]
async fn list_instances(Trusted(control_plane): Trusted) -> Answer<InstanceList> {
    let instances = control_plane.instances().await.map_err(refused)?;
    Ok(Json(InstanceList { instances }))
}

/// Registers an instance, or renews its lease.
#[utoipa::path(
    put,
    path = "/internal/v1/instances",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = Heartbeat,
    responses(
        (
            status = 200,
            description = "`superseded` as the outcome: a later process of the instance is \
                           registered. Sessions listed there are no longer their character's.",
            body = HeartbeatWrite,
        ),
        BodyRefused,
    ),
)]
async fn put_instance(
    Trusted(control_plane): Trusted,
    JsonBody(Known(beat)): Body<Heartbeat>,
) -> Answer<HeartbeatWrite> {
    let Heartbeat { instance, sessions } = beat;
    let answer = control_plane.heartbeat(&instance, &sessions).await.map_err(refused)?;
    Ok(Json(answer.into()))
}

/// Has an instance admit nobody new, or admit players again; who plays there plays on. The
/// control plane asks the game server by the same route.
#[utoipa::path(
    post,
    path = "/internal/v1/instances/drain",
    tags = [CONTROL_PLANE, GAME],
    security(("service_token" = [])),
    request_body = InstanceDrain,
    responses(
        (status = 200, description = "Whether there is one.", body = InstanceDrained),
        BodyRefused,
    ),
)]
async fn drain_instance(
    Trusted(control_plane): Trusted,
    JsonBody(Known(request)): Body<InstanceDrain>,
) -> Answer<InstanceDrained> {
    let known = control_plane.drain(&request).await.map_err(refused)?;
    Ok(Json(InstanceDrained { known }))
}

/// Takes an instance of this incarnation out.
#[utoipa::path(
    post,
    path = "/internal/v1/instances/remove",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = InstanceRecord,
    responses((status = 204, description = "It is not registered."), BodyRefused),
)]
async fn remove_instance(
    Trusted(control_plane): Trusted,
    JsonBody(Known(record)): Body<InstanceRecord>,
) -> Result<StatusCode, Refusal> {
    control_plane.deregister(&record).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Writes presence by account and by character.
#[utoipa::path(
    put,
    path = "/internal/v1/presence",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = PresenceRecord,
    responses(
        (
            status = 200,
            description = "`superseded`: a later session of the character stands there.",
            body = RecordWrite,
        ),
        BodyRefused,
    ),
)]
async fn put_presence(
    Trusted(control_plane): Trusted,
    JsonBody(Known(record)): Body<PresenceRecord>,
) -> Answer<RecordWrite> {
    let written = control_plane.put_presence(&record).await.map_err(refused)?;
    Ok(Json(written.into()))
}

/// Says where a character is in the world.
#[utoipa::path(
    get,
    path = "/internal/v1/presence/characters/{id}",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    params(("id" = CharacterId, Path, description = "The character.")),
    responses(
        (status = 200, description = "Its presence, if any.", body = CharacterPresence),
        PathRefused,
    ),
)]
async fn presence_of_character(
    Trusted(control_plane): Trusted,
    PathOf(id): PathOf<CharacterId>,
) -> Answer<CharacterPresence> {
    let presence = control_plane.presence_of_character(id).await.map_err(refused)?;
    Ok(Json(CharacterPresence { presence }))
}

/// Removes what of presence still belongs to this session and epoch.
#[utoipa::path(
    post,
    path = "/internal/v1/presence/remove",
    tag = CONTROL_PLANE,
    security(("service_token" = [])),
    request_body = PresenceRemoval,
    responses((status = 204, description = "Nothing of it is there."), BodyRefused),
)]
async fn remove_presence(
    Trusted(control_plane): Trusted,
    JsonBody(Known(removal)): Body<PresenceRemoval>,
) -> Result<StatusCode, Refusal> {
    let PresenceRemoval { account_id, character_id, session_token, epoch } = removal;
    control_plane
        .remove_presence(account_id, character_id, &session_token, epoch)
        .await
        .map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}
