//! Identifiers, each a type of its own, parsed at the edge.
//!
//! Accounts, characters and attempts are UUIDs; realms, zones and instances are short
//! slugs that operators write in files; a placement is what an instance carries.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::limits::MAX_SLUG_LEN;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that was made or stored elsewhere.
            #[must_use]
            pub const fn new(id: Uuid) -> Self {
                Self(id)
            }

            /// The UUID inside, for a database column.
            #[must_use]
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// A player's account.
    AccountId
);
uuid_id!(
    /// A character; belongs to one account and one realm for its whole life.
    CharacterId
);
uuid_id!(
    /// One wish of a client to enter the world. It stays the same over retries of the
    /// handshake, which differ in their [`Try`].
    AttemptId
);
uuid_id!(
    /// One run of a dungeon: a zone of its own that its party shares.
    DungeonRunId
);
uuid_id!(
    /// An entry of the session lifecycle journal.
    LifecycleId
);

/// Text that is not a slug: empty, too long, or with a character outside `a-z 0-9 -`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is no {kind}: use 1 to {MAX_SLUG_LEN} of a-z, 0-9 and '-', not starting or ending with '-'"
)]
pub struct NotASlug {
    kind: &'static str,
    text: String,
}

fn parse_slug(kind: &'static str, text: &str) -> Result<String, NotASlug> {
    let legal = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let ok = (1..=MAX_SLUG_LEN).contains(&text.len())
        && text.bytes().all(legal)
        && !text.starts_with('-')
        && !text.ends_with('-');
    if ok {
        Ok(text.to_owned())
    } else {
        let shown = text.chars().take(MAX_SLUG_LEN + 1).collect();
        Err(NotASlug { kind, text: shown })
    }
}

macro_rules! slug_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The slug as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = NotASlug;

            fn from_str(text: &str) -> Result<Self, NotASlug> {
                parse_slug($kind, text).map(Self)
            }
        }

        impl TryFrom<String> for $name {
            type Error = NotASlug;

            fn try_from(text: String) -> Result<Self, NotASlug> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

slug_id!(
    /// A realm: a whole copy of the world with its own characters, such as `dawn`.
    RealmId,
    "realm id"
);
slug_id!(
    /// A zone of the world, such as `harbor`; every realm has each of them.
    ZoneId,
    "zone id"
);
slug_id!(
    /// A game-server instance, such as `edge-a`. It outlives restarts of its process.
    InstanceId,
    "instance id"
);
slug_id!(
    /// How a character looks: the name of a drawing, such as `sailor`. The server carries
    /// it unread; a page that has no drawing of that name shows its default one.
    Appearance,
    "appearance"
);

impl Default for Appearance {
    fn default() -> Self {
        Self("wanderer".to_owned())
    }
}

/// What an instance carries and a character is in: a zone of a realm (`dawn/harbor`) or
/// one run of a dungeon (`dawn/crypt#<run id>`). Written as that text on every wire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Placement {
    /// The realm.
    pub realm: RealmId,
    /// The zone in that realm.
    pub zone: ZoneId,
    /// The dungeon run, where the zone is a dungeon.
    pub run: Option<DungeonRunId>,
}

impl Placement {
    /// The open copy of a zone, outside any dungeon run.
    #[must_use]
    pub fn zone(realm: RealmId, zone: ZoneId) -> Self {
        Self { realm, zone, run: None }
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.realm, self.zone)?;
        match self.run {
            Some(run) => write!(f, "#{run}"),
            None => Ok(()),
        }
    }
}

/// Text that is not a placement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAPlacement {
    /// The slash between realm and zone is missing.
    #[error("{0:?} is no placement: write realm/zone, such as dawn/harbor")]
    NoSlash(String),
    /// The realm or the zone is not a slug.
    #[error(transparent)]
    Slug(#[from] NotASlug),
    /// What follows `#` is not a run id.
    #[error("{0:?} is no dungeon run id: write a UUID after '#'")]
    Run(String),
}

impl FromStr for Placement {
    type Err = NotAPlacement;

    fn from_str(text: &str) -> Result<Self, NotAPlacement> {
        let (place, run) = match text.split_once('#') {
            Some((place, run)) => {
                (place, Some(run.parse().map_err(|_| NotAPlacement::Run(run.to_owned()))?))
            }
            None => (text, None),
        };
        let (realm, zone) =
            place.split_once('/').ok_or_else(|| NotAPlacement::NoSlash(text.to_owned()))?;
        Ok(Self { realm: realm.parse()?, zone: zone.parse()?, run })
    }
}

impl TryFrom<String> for Placement {
    type Error = NotAPlacement;

    fn try_from(text: String) -> Result<Self, NotAPlacement> {
        text.parse()
    }
}

impl From<Placement> for String {
    fn from(placement: Placement) -> Self {
        placement.to_string()
    }
}

/// Which session has authority over a character: raised by compare-and-set at every
/// change of authority, so no two sessions ever share one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct SessionEpoch(pub u64);

impl SessionEpoch {
    /// The epoch that the next holder of the character gets.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for SessionEpoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Counts the entries of an account into the world, with whatever character: raised with the
/// epoch, in the same step. Of two sessions of an account the higher one stays.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct AccountEntry(pub u64);

/// Counts the retries of one [`AttemptId`], from 1. A higher one wins over a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Try(pub u32);

impl Try {
    /// The first try of an attempt.
    pub const FIRST: Self = Self(1);
}

/// A try before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tries count from 1")]
pub struct NotATry;

impl TryFrom<u32> for Try {
    type Error = NotATry;

    fn try_from(number: u32) -> Result<Self, NotATry> {
        if number == 0 { Err(NotATry) } else { Ok(Self(number)) }
    }
}

impl From<Try> for u32 {
    fn from(r#try: Try) -> Self {
        r#try.0
    }
}

/// Milliseconds since the Unix epoch, UTC. Always handed in, never read from a clock here.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct UnixMillis(pub u64);

impl UnixMillis {
    /// The moment `after` later.
    #[must_use]
    pub fn plus(self, after: std::time::Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(after.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Whether something that expires at this moment has expired at `now`.
    #[must_use]
    pub fn has_passed(self, now: Self) -> bool {
        now >= self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placements_read_and_write_the_same_text() {
        for text in ["dawn/harbor", "dusk/crypt#6f1fc0a2-94f5-4f0e-8a8e-2f7a52c1a001"] {
            assert_eq!(text.parse::<Placement>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_placement_says_what_to_write() {
        for (text, hint) in [
            ("dawn", "realm/zone"),
            ("Dawn/harbor", "a-z, 0-9"),
            ("dawn/", "a-z, 0-9"),
            ("dawn/crypt#7", "UUID"),
        ] {
            let error = text.parse::<Placement>().unwrap_err().to_string();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    #[test]
    fn slugs_refuse_what_would_break_a_key_or_a_path() {
        let long = "a".repeat(MAX_SLUG_LEN + 1);
        for text in ["", "-a", "a-", "a b", "a/b", "a:b", "ä", "A", long.as_str()] {
            assert!(text.parse::<InstanceId>().is_err(), "{text:?}");
        }
        assert_eq!("edge-a".parse::<InstanceId>().unwrap().as_str(), "edge-a");
    }

    #[test]
    fn tries_count_from_one() {
        assert_eq!(serde_json::from_str::<Try>("1").unwrap(), Try::FIRST);
        let error = serde_json::from_str::<Try>("0").unwrap_err().to_string();
        assert!(error.contains("count from 1"), "{error}");
    }

    #[test]
    fn expiry_is_reached_at_its_own_moment() {
        let at = UnixMillis(1_000).plus(std::time::Duration::from_secs(60));
        assert!(!at.has_passed(UnixMillis(60_999)));
        assert!(at.has_passed(UnixMillis(61_000)));
    }
}
