//! Who may hold a character: the rule of the epoch, in one place for every store.

use shared::ids::{
    AccountId, Appearance, AttemptId, CharacterId, InstanceId, RealmId, SessionEpoch, Try, ZoneId,
};
use shared::secret::SessionToken;
use shared::world::Tile;

/// A character as the durable store has it: the one arbiter of authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Character {
    /// Its id.
    pub id: CharacterId,
    /// Whose it is.
    pub account_id: AccountId,
    /// Where it lives.
    pub realm: RealmId,
    /// Its name.
    pub name: String,
    /// How it looks.
    pub appearance: Appearance,
    /// The zone where it was last committed.
    pub zone: ZoneId,
    /// The tile in that zone; zone and tile are written together, always.
    pub tile: Tile,
    /// Flowers gathered.
    pub gathered: u32,
    /// Raised at every change of authority.
    pub epoch: SessionEpoch,
    /// Who raised the epoch last; nobody yet for a new character.
    pub raised_by: Option<RaisedBy>,
    /// Whether the session of that raise has been claimed.
    pub claimed: bool,
}

/// Who has raised a character's epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaisedBy {
    /// The client's attempt.
    pub attempt_id: AttemptId,
    /// The try of that attempt.
    pub r#try: Try,
    /// The session that came of it.
    pub session_token: SessionToken,
    /// The instance that admitted it.
    pub instance: InstanceId,
}

/// A change of authority over a character, by compare-and-set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochRaise {
    /// Which character.
    pub character_id: CharacterId,
    /// The epoch that the change was prepared for.
    pub expected: SessionEpoch,
    /// Who asks.
    pub by: RaisedBy,
}

/// What a raise came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "made once an admission and taken apart at once")]
pub enum EpochRaised {
    /// The caller holds the character; this is the state that its session starts from.
    Raised(Character),
    /// Somebody else has raised since.
    Superseded,
    /// The character does not exist (any more).
    Gone,
}

/// What a store has to do about an attempt to raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaiseJudgement {
    /// Raise the epoch and note who asked.
    Raise,
    /// The row is the asker's own already: its answer was lost. Change nothing.
    AlreadyOwn,
    /// Somebody else has the character. Change nothing.
    Superseded,
}

/// Judges a raise that expects `expected`, asked for by `by`, against the row.
///
/// A retry of the attempt that raised last wins with a higher try, whatever it expected:
/// its earlier answer was lost on the way to the client. Once the session has been claimed
/// the answer was not lost, and the attempt is over: a handoff token makes one session. A lower or equal try of that
/// attempt loses, unless it names the session that the row names.
#[must_use]
pub fn judge_raise(row: &Character, expected: SessionEpoch, by: &RaisedBy) -> RaiseJudgement {
    match &row.raised_by {
        Some(last) if last.session_token == by.session_token => RaiseJudgement::AlreadyOwn,
        Some(last) if last.attempt_id == by.attempt_id => {
            if by.r#try > last.r#try && !row.claimed {
                RaiseJudgement::Raise
            } else {
                RaiseJudgement::Superseded
            }
        }
        _ if row.epoch == expected => RaiseJudgement::Raise,
        _ => RaiseJudgement::Superseded,
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn by(attempt: u128, r#try: u32, session: &str) -> RaisedBy {
        RaisedBy {
            attempt_id: AttemptId::new(Uuid::from_u128(attempt)),
            r#try: Try(r#try),
            session_token: format!("session-of-test-{session}").parse().unwrap(),
            instance: "edge-a".parse().unwrap(),
        }
    }

    fn row(epoch: u64, raised_by: Option<RaisedBy>) -> Character {
        Character {
            id: CharacterId::new(Uuid::from_u128(1)),
            account_id: AccountId::new(Uuid::from_u128(2)),
            realm: "dawn".parse().unwrap(),
            name: "Mara".to_owned(),
            appearance: shared::ids::Appearance::default(),
            zone: "harbor".parse().unwrap(),
            tile: Tile { x: 1, y: 1 },
            gathered: 0,
            epoch: SessionEpoch(epoch),
            raised_by,
            claimed: false,
        }
    }

    fn check(row: Character, expected: u64, asker: RaisedBy, judgement: RaiseJudgement) {
        assert_eq!(
            judge_raise(&row, SessionEpoch(expected), &asker),
            judgement,
            "{row:?} {asker:?}"
        );
    }

    #[test]
    fn the_expected_epoch_decides_between_attempts() {
        check(row(3, None), 3, by(1, 1, "a"), RaiseJudgement::Raise);
        check(row(3, Some(by(9, 4, "z"))), 3, by(1, 1, "a"), RaiseJudgement::Raise);
        check(row(4, Some(by(9, 4, "z"))), 3, by(1, 1, "a"), RaiseJudgement::Superseded);
        check(row(2, None), 3, by(1, 1, "a"), RaiseJudgement::Superseded);
    }

    #[test]
    fn a_higher_try_of_the_same_attempt_raises_again() {
        check(row(4, Some(by(1, 1, "a"))), 3, by(1, 2, "b"), RaiseJudgement::Raise);
    }

    #[test]
    fn an_attempt_whose_session_was_claimed_is_over() {
        let claimed = Character { claimed: true, ..row(4, Some(by(1, 1, "a"))) };
        check(claimed.clone(), 3, by(1, 2, "b"), RaiseJudgement::Superseded);
        check(claimed.clone(), 4, by(2, 1, "c"), RaiseJudgement::Raise);
        check(claimed, 3, by(1, 1, "a"), RaiseJudgement::AlreadyOwn);
    }

    #[test]
    fn a_lower_or_equal_try_never_wins_over_a_later_one() {
        check(row(5, Some(by(1, 2, "b"))), 3, by(1, 1, "a"), RaiseJudgement::Superseded);
        check(row(5, Some(by(1, 2, "b"))), 5, by(1, 1, "a"), RaiseJudgement::Superseded);
        check(row(5, Some(by(1, 2, "b"))), 5, by(1, 2, "c"), RaiseJudgement::Superseded);
    }

    #[test]
    fn the_session_that_the_row_names_gets_its_own_answer_again() {
        check(row(4, Some(by(1, 1, "a"))), 3, by(1, 1, "a"), RaiseJudgement::AlreadyOwn);
    }
}
