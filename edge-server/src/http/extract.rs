//! What handlers take from a request, parsed at the edge.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{ConnectInfo, FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use shared::limits::{MAX_HEARTBEAT_BYTES, MAX_HTTP_BODY_BYTES};
use shared::problem::ProblemCode;
use shared::secret::AccessToken;

use crate::domain::client_address::{AddressBlock, TrustedProxies};
use crate::flows::Refusal;

/// A JSON body. One that is too large, not declared as JSON or not what the route expects
/// is refused before the handler runs.
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) => Err(body_refused(&rejection)),
        }
    }
}

fn body_refused(rejection: &JsonRejection) -> Refusal {
    if rejection.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        let detail = format!(
            "the body is too large: send at most {MAX_HTTP_BODY_BYTES} bytes, and of a heartbeat \
             {MAX_HEARTBEAT_BYTES}"
        );
        return Refusal::new(ProblemCode::BodyTooLarge, detail);
    }
    match rejection {
        JsonRejection::MissingJsonContentType(_) => {
            let detail = "send the body with Content-Type: application/json";
            Refusal::new(ProblemCode::UnsupportedMediaType, detail)
        }
        // The text names the field and the place, and repeats no value of a secret field:
        // credentials parse as plain strings, and tokens do not repeat themselves.
        other => Refusal::new(ProblemCode::MalformedBody, other.body_text()),
    }
}

/// The bearer token of a request.
pub struct Bearer(pub AccessToken);

impl<S: Send + Sync> FromRequestParts<S> for Bearer {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        match bearer_text(parts).map(str::parse) {
            Some(Ok(token)) => Ok(Self(token)),
            Some(Err(_)) => {
                let detail = "the bearer token has not the form of an access token: log in again";
                Err(Refusal::new(ProblemCode::Unauthenticated, detail))
            }
            None => {
                let detail = "log in and send Authorization: Bearer with the access token";
                Err(Refusal::new(ProblemCode::Unauthenticated, detail))
            }
        }
    }
}

/// What stands behind `Bearer` in a request's Authorization.
pub(crate) fn bearer_text(parts: &Parts) -> Option<&str> {
    let header = parts.headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Path parameters. What does not parse cannot exist, so the answer is 404.
pub struct PathOf<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathOf<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            Err(rejection) => Err(Refusal::new(ProblemCode::NotFound, rejection.body_text())),
        }
    }
}

/// What stands behind the question mark.
pub struct QueryOf<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for QueryOf<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(Refusal::new(ProblemCode::MalformedQuery, rejection.body_text())),
        }
    }
}

/// The header in which proxies say whom they have heard.
const X_FORWARDED_FOR: &str = "x-forwarded-for";

/// The address that a request comes from, as limits count it. Behind proxies that
/// [`TrustedProxies`] (an extension of the request) trusts it is the client's.
pub struct ClientAddress(pub AddressBlock);

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let peer = match ConnectInfo::<SocketAddr>::from_request_parts(parts, state).await {
            Ok(ConnectInfo(address)) => address.ip(),
            Err(error) => {
                tracing::error!(%error, "a router was served without connect info");
                return Err(Refusal::unavailable());
            }
        };
        let Some(proxies) = parts.extensions.get::<TrustedProxies>() else {
            tracing::error!("a router was served without its trusted proxies");
            return Err(Refusal::unavailable());
        };
        let lines = parts.headers.get_all(X_FORWARDED_FOR).iter();
        // A line that is no text is garbage, as the empty one is.
        let lines: Vec<&str> = lines.map(|line| line.to_str().unwrap_or_default()).collect();
        Ok(Self(proxies.client(peer, &lines).into()))
    }
}
