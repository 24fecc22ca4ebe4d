//! `GET /openapi.json`: the OpenAPI document, made of the very routers that are served, so
//! that a route cannot be served without being described.
//!
//! Every process describes all of the project, whichever roles it has: what the login role
//! answers with leads to the game role, and one document tells both.

pub(crate) mod refusals;

use std::sync::LazyLock;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use shared::problem::{Problem, ProblemCode};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, RefOr, Schema,
};
use utoipa::{PartialSchema as _, ToSchema as _};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{admin_routes, game_routes, health, internal_routes, login_routes, world_assets};

/// Tag of what the login role serves.
pub(crate) const LOGIN: &str = "login";
/// Tag of what each game server serves.
pub(crate) const GAME: &str = "game";
/// Tag of what the control plane serves to the other roles.
pub(crate) const CONTROL_PLANE: &str = "control-plane";
/// Tag of what every role serves to those who run it.
pub(crate) const OPERATIONS: &str = "operations";

/// Tag of what the control plane serves to those who run the deployment.
pub(crate) const ADMIN: &str = "admin";

const TAGS: [(&str, &str); 5] = [
    (LOGIN, "Served by the login role, which is the page's origin."),
    (GAME, "Served by each game server, at the `http_url` that select or a redirect names."),
    (
        CONTROL_PLANE,
        "Served to the backend's own parts, never to players: by the control plane, and by role \
         `all` at the page's origin if the process has an `EDGE_SERVICE_TOKEN`.",
    ),
    (
        ADMIN,
        "Served to those who run the deployment, never to players: by the control plane, and by \
         role `all` at the page's origin, if the process has an `EDGE_ADMIN_TOKEN`.",
    ),
    (OPERATIONS, "Served by every role, for those who run it."),
];

/// Name of the security scheme of players: the access token of a login.
const ACCESS_TOKEN: &str = "access_token";

/// Name of the security scheme of the backend's parts: the service token.
const SERVICE_TOKEN: &str = "service_token";

/// Name of the security scheme of those who run the deployment: the admin token.
const ADMIN_TOKEN: &str = "admin_token";

/// Every route of the project, described. A further family of routes joins here, with its
/// tag in [`TAGS`] and its security scheme in [`document`].
fn described() -> [OpenApi; 7] {
    [
        login_routes::routes().into_openapi(),
        game_routes::routes().into_openapi(),
        internal_routes::routes().into_openapi(),
        admin_routes::routes().into_openapi(),
        world_assets::routes().into_openapi(),
        health::routes().into_openapi(),
        own_route().into_openapi(),
    ]
}

/// The route `/openapi.json`.
pub fn router() -> Router {
    own_route().into()
}

fn own_route() -> OpenApiRouter {
    OpenApiRouter::default().routes(routes!(openapi))
}

/// This document.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = OPERATIONS,
    responses((status = 200, description = "An OpenAPI 3.1 document.", body = Object)),
)]
async fn openapi() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], json())
}

/// The document as it is served and committed: indented JSON that ends with a line break.
#[must_use]
pub fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| {
        let text = document().to_pretty_json().expect("the document has text keys alone");
        without_links(&text) + "\n"
    });
    &JSON
}

fn document() -> OpenApi {
    let license = LicenseBuilder::new()
        .name("MIT OR Apache-2.0")
        .identifier(Some("MIT OR Apache-2.0"))
        .build();
    let info = InfoBuilder::new()
        .title("Aether")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "HTTP of Aether's backend. Errors are `application/problem+json` (RFC 9457) with a \
             stable `code`.",
        ))
        .license(Some(license))
        .build();
    let access_token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("The `access_token` of `POST /v1/sessions`."))
        .build();
    let service_token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("The `EDGE_SERVICE_TOKEN` of the process."))
        .build();
    let admin_token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("The `EDGE_ADMIN_TOKEN` of the process."))
        .build();
    let components = ComponentsBuilder::new()
        .schema(Problem::name(), Problem::schema())
        .schema(ProblemCode::name(), ProblemCode::schema())
        .security_scheme(ACCESS_TOKEN, SecurityScheme::Http(access_token))
        .security_scheme(SERVICE_TOKEN, SecurityScheme::Http(service_token))
        .security_scheme(ADMIN_TOKEN, SecurityScheme::Http(admin_token))
        .build();
    let tags = TAGS.map(|(name, about)| TagBuilder::new().name(name).description(Some(about)));
    let mut document = OpenApiBuilder::new()
        .info(info)
        .tags(Some(tags.map(TagBuilder::build)))
        .components(Some(components))
        .build();
    for routes in described() {
        document.merge(routes);
    }
    drop_what_only_clients_say(&mut document);
    document
}

/// Takes `unknown` out of enumerations: it is how a client reads what a newer server says,
/// and no server says it.
fn drop_what_only_clients_say(document: &mut OpenApi) {
    let schemas = document.components.iter_mut().flat_map(|all| all.schemas.values_mut());
    for schema in schemas {
        if let RefOr::T(Schema::Object(object)) = schema
            && let Some(values) = &mut object.enum_values
        {
            values.retain(|value| value != "unknown");
        }
    }
}

/// Turns links of the code's documentation, such as ``[`shared::limits::TICK`]``, into the
/// bare name, as code. The opening of one cannot stand in JSON outside a text.
fn without_links(json: &str) -> String {
    let mut parts = json.split("[`");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once("`]") {
            Some((path, rest)) => {
                let name = path.rsplit("::").next().unwrap_or(path);
                text.extend(["`", name, "`", rest]);
            }
            None => text.extend(["[`", part]),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_the_code_become_names() {
        let text = r#"{"a":"At most [`crate::limits::TICK`], see [`check`].","b":["[`"]}"#;
        let expected = r#"{"a":"At most `TICK`, see `check`.","b":["[`"]}"#;
        assert_eq!(without_links(text), expected);
    }

    #[test]
    fn no_enumeration_holds_what_only_clients_say() {
        assert!(json().contains(r#""offline""#));
        assert!(!json().contains(r#""unknown""#));
    }
}
