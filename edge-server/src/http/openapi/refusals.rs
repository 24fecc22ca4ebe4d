//! How the document tells what a route refuses: the codes of its problems, gathered by
//! their status. Each route names its codes once, beside its handler.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use shared::problem::{PROBLEM_MEDIA_TYPE, Problem, ProblemCode};
use utoipa::ToSchema as _;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, Type};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};

/// What a route with a JSON body refuses.
pub(crate) const BODY: &[ProblemCode] =
    &[ProblemCode::MalformedBody, ProblemCode::BodyTooLarge, ProblemCode::UnsupportedMediaType];
/// What a route with parameters in its path refuses.
pub(crate) const PATH: &[ProblemCode] = &[ProblemCode::NotFound];
/// What a route refuses that asks for a bearer token.
pub(crate) const BEARER: &[ProblemCode] = &[ProblemCode::Unauthenticated];
/// What a route that needs a store or a peer refuses while that does not answer in time.
pub(crate) const PARTS: &[ProblemCode] = &[ProblemCode::Unavailable];

/// Names what routes refuse, for the `responses` of their descriptions: sets of this module
/// first, then codes of their own.
macro_rules! refusals {
    ($($name:ident: $($set:ident)+ $([$($code:ident),+])?;)*) => {$(
        struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<
                String,
                utoipa::openapi::RefOr<utoipa::openapi::Response>,
            > {
                let own: &[shared::problem::ProblemCode] =
                    &[$($(shared::problem::ProblemCode::$code),+)?];
                $crate::http::openapi::refusals::answers(&[
                    $($crate::http::openapi::refusals::$set,)+
                    own,
                ])
            }
        }
    )*};
}
pub(crate) use refusals;

/// The answers that carry these codes, by their status.
pub(crate) fn answers(sets: &[&[ProblemCode]]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status = BTreeMap::<u16, BTreeSet<ProblemCode>>::new();
    for code in sets.iter().copied().flatten() {
        by_status.entry(code.status()).or_default().insert(*code);
    }
    let answers = by_status.into_iter();
    answers.map(|(status, codes)| (status.to_string(), answer(status, &codes).into())).collect()
}

fn answer(status: u16, codes: &BTreeSet<ProblemCode>) -> Response {
    let titles: Vec<&str> = codes.iter().map(|code| code.title()).collect();
    let code = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(codes.iter().map(|code| code.as_str())));
    let schema = AllOfBuilder::new()
        .item(Ref::from_schema_name(Problem::name()))
        .item(ObjectBuilder::new().property("code", code));
    let mut answer = ResponseBuilder::new()
        .description(titles.join("; "))
        .content(PROBLEM_MEDIA_TYPE, ContentBuilder::new().schema(Some(schema)).build());
    if let Some((name, header)) = header_of(status) {
        answer = answer.header(name, header);
    }
    answer.build()
}

/// The header that comes with a status.
fn header_of(status: u16) -> Option<(&'static str, Header)> {
    let header = |kind, about| {
        let schema = ObjectBuilder::new().schema_type(kind);
        HeaderBuilder::new().schema(schema).description(Some(about)).build()
    };
    match StatusCode::from_u16(status) {
        Ok(StatusCode::UNAUTHORIZED) => {
            Some((WWW_AUTHENTICATE.as_str(), header(Type::String, "`Bearer`.")))
        }
        Ok(StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) => {
            let about = "Seconds after which to come back.";
            Some((RETRY_AFTER.as_str(), header(Type::Integer, about)))
        }
        _ => None,
    }
}
