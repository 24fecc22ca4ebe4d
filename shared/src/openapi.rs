//! Schemas of the wire's texts and numbers for the OpenAPI document: what they look like
//! in JSON, with the limits that parsing holds them to. Bodies derive theirs.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::coordination::TokenHash;
use crate::ids::{
    AccountEntry, AccountId, Appearance, AttemptId, CharacterId, DungeonRunId, InstanceId,
    LifecycleId, Placement, RealmId, SessionEpoch, Try, UnixMillis, ZoneId,
};
use crate::limits::{MAX_SLUG_LEN, MAX_TOKEN_LEN, MIN_TOKEN_LEN};
use crate::problem::ProblemCode;
use crate::secret::{AccessToken, HandoffToken, ResumeToken, SessionTicket, SessionToken};
use crate::version::PayloadVersion;

/// What a slug consists of.
const SLUG: &str = "[a-z0-9]([a-z0-9-]*[a-z0-9])?";
/// What a UUID consists of.
const UUID: &str = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description))
}

fn uuid(description: &str) -> ObjectBuilder {
    text(description).format(Some(SchemaFormat::Custom("uuid".to_owned())))
}

fn slug(description: &str) -> ObjectBuilder {
    text(description)
        .min_length(Some(1))
        .max_length(Some(MAX_SLUG_LEN))
        .pattern(Some(format!("^{SLUG}$")))
}

fn token(description: &str) -> ObjectBuilder {
    text(description)
        .min_length(Some(MIN_TOKEN_LEN))
        .max_length(Some(MAX_TOKEN_LEN))
        .pattern(Some("^[A-Za-z0-9_-]+$"))
}

fn number(description: &str, format: KnownFormat, least: u32) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(format)))
        .minimum(Some(least))
        .description(Some(description))
}

fn placement() -> ObjectBuilder {
    text("A zone of a realm (`dawn/harbor`), or one run of a dungeon (`dawn/crypt#{run id}`).")
        .pattern(Some(format!("^{SLUG}/{SLUG}(#{UUID})?$")))
}

fn problem_code() -> ObjectBuilder {
    let codes = ProblemCode::ALL.iter().map(|code| code.as_str());
    text("The stable codes of problems.").enum_values(Some(codes))
}

/// Gives types schemas of their own, under their names.
macro_rules! schemas {
    ($($name:ident: $object:expr;)*) => {$(
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                $object.into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }
    )*};
}

schemas! {
    AccountId: uuid("A player's account.");
    LifecycleId: uuid("An entry of the session lifecycle journal.");
    CharacterId: uuid("A character; belongs to one account and one realm for its whole life.");
    AttemptId: uuid("One wish to enter the world, the same over retries of the handshake.");
    DungeonRunId: uuid("One run of a dungeon.");
    RealmId: slug("A realm, such as `dawn`.");
    ZoneId: slug("A zone of the world, such as `harbor`.");
    InstanceId: slug("A game-server instance, such as `edge-a`.");
    Appearance: slug("How a character looks: the name of a drawing, such as `sailor`.");
    Placement: placement();
    SessionEpoch: number(
        "Raised at every change of authority over a character.", KnownFormat::Int64, 0
    );
    AccountEntry: number(
        "Counts the entries of an account into the world, with whatever character.",
        KnownFormat::Int64,
        0
    );
    Try: number("Counts the retries of one attempt, from 1.", KnownFormat::Int32, 1);
    UnixMillis: number("Milliseconds since the Unix epoch, UTC.", KnownFormat::Int64, 0);
    PayloadVersion: number(
        "The version of a record's payload; unknown ones are refused.", KnownFormat::Int32, 1
    );
    AccessToken: token("A login: bearer of the login role's routes.");
    HandoffToken: token("Enters the world once: `handoff-{uuid}`, good for 60 seconds.");
    SessionToken: token("Names a session, and grants nothing.");
    SessionTicket: token("The secret of a session's first realtime claim.");
    ResumeToken: token("The secret of a later realtime claim; it rotates.");
    TokenHash: text("SHA-256 of a secret, lower-case hex.").pattern(Some("^[0-9a-f]{64}$"));
    ProblemCode: problem_code();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_that_schemas_repeat_are_those_of_the_wire() {
        use crate::limits::{MAX_CHARACTERS_PER_REALM, MAX_CLIENT_BUILD_LEN, MAX_TRANSPORTS};
        let of = |schema: RefOr<Schema>, field: &str, limit: &str| {
            let schema = serde_json::to_value(schema).unwrap();
            schema["properties"][field][limit].as_u64().map(|n| usize::try_from(n).unwrap())
        };
        let roster = crate::account::Roster::schema();
        assert_eq!(of(roster, "characters", "maxItems"), Some(MAX_CHARACTERS_PER_REALM));
        let hello = crate::gameplay::GameHello::schema;
        assert_eq!(of(hello(), "client_build", "maxLength"), Some(MAX_CLIENT_BUILD_LEN));
        assert_eq!(of(hello(), "transports", "maxItems"), Some(MAX_TRANSPORTS));
    }
}
