//! Errors over HTTP: RFC 9457 `application/problem+json` with a stable `code`.

use serde::{Deserialize, Serialize};

/// The media type of a [`Problem`].
pub const PROBLEM_MEDIA_TYPE: &str = "application/problem+json";

/// An error as a client sees it (RFC 9457). `detail` is a sentence for people that says
/// what to do; `code` is for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// A URI reference that names the kind of problem: `/problems/{code}`.
    #[serde(rename = "type", default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub kind: String,
    /// The kind of problem in a few words.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub title: String,
    /// The HTTP status, repeated.
    pub status: u16,
    /// The stable code.
    pub code: ProblemCode,
    /// What happened and what can be done about it.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub detail: String,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $status:literal, $title:literal;)*) => {
        /// The stable codes of problems.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum ProblemCode {
            $($(#[$doc])* #[serde(rename = $text)] $name,)*
            /// A code that this build does not know, from a newer server.
            #[serde(other, rename = "unknown")]
            Unknown,
        }

        impl ProblemCode {
            /// Every code that a server of this build may answer.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The code as text, as it stands in JSON.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* Self::Unknown => "unknown" }
            }

            /// The HTTP status that goes with the code.
            #[must_use]
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)* Self::Unknown => 500 }
            }

            /// The kind of problem in a few words.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* Self::Unknown => "Unknown problem" }
            }
        }
    };
}

codes! {
    /// The body is not the JSON that the route expects.
    MalformedBody = "malformed_body", 400, "Malformed body";
    /// What stands behind the question mark is not what the route expects.
    MalformedQuery = "malformed_query", 400, "Malformed query";
    /// The body is larger than [`crate::limits::MAX_HTTP_BODY_BYTES`].
    BodyTooLarge = "body_too_large", 413, "Body too large";
    /// The body is not declared as `application/json`.
    UnsupportedMediaType = "unsupported_media_type", 415, "Unsupported media type";
    /// No such route or file.
    NotFound = "not_found", 404, "Not found";
    /// The route exists, but not with this method.
    MethodNotAllowed = "method_not_allowed", 405, "Method not allowed";
    /// No bearer token, or one that is unknown, expired or logged out.
    Unauthenticated = "unauthenticated", 401, "Not logged in";
    /// Username and password do not match; does not say which of them is wrong.
    InvalidCredentials = "invalid_credentials", 401, "Wrong username or password";
    /// The session in the world is over, for good: enter the world anew.
    SessionEnded = "session_ended", 410, "Session ended";
    /// The username breaks the rules for usernames.
    InvalidUsername = "invalid_username", 422, "Username not allowed";
    /// The password breaks the rules for passwords.
    InvalidPassword = "invalid_password", 422, "Password not allowed";
    /// The username exists already.
    UsernameTaken = "username_taken", 409, "Username taken";
    /// The username has a word of [`crate::account::RESERVED_WORDS`], or looks as if.
    UsernameReserved = "username_reserved", 422, "Username reserved";
    /// The username looks like one that exists.
    UsernameConfusable = "username_confusable", 409, "Username looks like another";
    /// The realm does not exist.
    UnknownRealm = "unknown_realm", 404, "Unknown realm";
    /// The realm does not take players now.
    RealmUnavailable = "realm_unavailable", 503, "Realm unavailable";
    /// The character does not exist, or belongs to somebody else: the answer is the same.
    UnknownCharacter = "unknown_character", 404, "Unknown character";
    /// The character lives in another realm than the one named.
    RealmMismatch = "realm_mismatch", 409, "Character of another realm";
    /// The character's name breaks the rules for names in its length or its alphabet.
    InvalidCharacterName = "invalid_character_name", 422, "Name not allowed";
    /// The character's name exists in this realm already.
    CharacterNameTaken = "character_name_taken", 409, "Name taken";
    /// The character's name has a word of [`crate::account::RESERVED_WORDS`], or looks as if.
    CharacterNameReserved = "character_name_reserved", 422, "Name reserved";
    /// The character's name looks like one that exists in this realm.
    CharacterNameConfusable = "character_name_confusable", 409, "Name looks like another";
    /// The roster of this realm is full.
    RosterFull = "roster_full", 409, "Roster full";
    /// The character is in the world and cannot be deleted now.
    CharacterInWorld = "character_in_world", 409, "Character is in the world";
    /// No instance of the zone has room.
    ZoneFull = "zone_full", 503, "Zone full";
    /// A coordination record is there that the server's build cannot read; nothing was
    /// changed.
    UnreadableRecord = "unreadable_record", 409, "Unreadable record";
    /// Too many requests; `Retry-After` says when to come back.
    RateLimited = "rate_limited", 429, "Too many requests";
    /// A part that the request needs does not answer; `Retry-After` says when to come back.
    Unavailable = "unavailable", 503, "Temporarily unavailable";
    /// A bug of the server; the log of the server says more.
    Internal = "internal", 500, "Server error";
}

impl Problem {
    /// A problem of `code` with a sentence for people.
    #[must_use]
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("/problems/{}", code.as_str()),
            title: code.title().to_owned(),
            status: code.status(),
            code,
            detail: detail.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_survive_the_wire() {
        let mut seen = std::collections::BTreeSet::new();
        for code in ProblemCode::ALL {
            assert!(seen.insert(code.as_str()), "{code:?} twice");
            let json = serde_json::to_string(&Problem::new(*code, "x")).unwrap();
            assert_eq!(serde_json::from_str::<Problem>(&json).unwrap().code, *code);
        }
    }

    #[test]
    fn a_code_of_a_newer_server_is_still_a_problem() {
        let json = r#"{"status":418,"code":"teapot","detail":"short and stout"}"#;
        let problem: Problem = serde_json::from_str(json).unwrap();
        assert_eq!((problem.code, problem.status), (ProblemCode::Unknown, 418));
    }
}
