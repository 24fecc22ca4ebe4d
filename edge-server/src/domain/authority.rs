//! Who may hold a character: the rule of the epoch, in one place for every store.

use shared::coordination::TokenHash;
use shared::ids::{
    AccountEntry, AccountId, Appearance, AttemptId, CharacterId, InstanceId, RealmId, SessionEpoch,
    Try, ZoneId,
};
use shared::realtime::command::CommandSequence;
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
    /// The account's entry that the last raise was.
    pub entry: AccountEntry,
    /// Who raised the epoch last; nobody yet for a new character.
    pub raised_by: Option<RaisedBy>,
    /// Whether the session of that raise has been claimed.
    pub claimed: bool,
    /// The last command of that session whose effect is durable.
    pub last_command: CommandSequence,
}

/// Who has raised a character's epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaisedBy {
    /// Hash of the handoff token that the attempt presented.
    pub handoff: TokenHash,
    /// The client's attempt.
    pub attempt_id: AttemptId,
    /// The try of that attempt.
    pub r#try: Try,
    /// The session that came of it.
    pub session_token: SessionToken,
    /// The instance that admitted it.
    pub instance: InstanceId,
}

/// A place in the world: zone and tile are one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The zone.
    pub zone: ZoneId,
    /// The tile in it.
    pub tile: Tile,
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
    /// On what ground.
    pub ground: RaiseGround,
}

/// On what ground somebody asks for a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RaiseGround {
    /// A handoff of a login, which has to be alive in the same step.
    Admission {
        /// Hash of its access token.
        login: TokenHash,
        /// The zone that it was made for: the character has to be there still, unless it
        /// is given another place.
        zone: ZoneId,
        /// Where the character shall stand from now on, if not where it was last.
        place: Option<Place>,
    },
    /// A zone transfer: the character stands at the target from the raise on.
    Transfer {
        /// The target.
        place: Place,
    },
    /// A session found in the resume ledger by a later process, which may be another
    /// instance's: raising fences the earlier one.
    Recovery {
        /// Whether the ledger knows it as claimed. What it knows as waiting for its first
        /// claim must not have been claimed since.
        claimed: bool,
    },
}

impl RaiseGround {
    /// Where the character stands from the raise on, if not where it was last.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Admission { place, .. } => place.as_ref(),
            Self::Transfer { place } => Some(place),
            Self::Recovery { .. } => None,
        }
    }

    /// Whether the client goes on counting its commands over the raise, so that one it sends
    /// again is known. An admission begins a new count, at 1.
    #[must_use]
    pub fn continues_commands(&self) -> bool {
        match self {
            Self::Admission { .. } => false,
            Self::Transfer { .. } | Self::Recovery { .. } => true,
        }
    }

    /// Whether a claimed session is still claimed after the raise. Only a session that keeps
    /// its name is: its attempt stays over, and no further try of it raises again.
    #[must_use]
    pub fn keeps_claimed(&self) -> bool {
        matches!(self, Self::Recovery { .. })
    }
}

impl RaisedBy {
    /// Whether both are tries of one wish: the same attempt with the same handoff. An attempt
    /// that a client uses for two handoffs is two wishes.
    #[must_use]
    pub fn is_same_wish(&self, other: &Self) -> bool {
        self.attempt_id == other.attempt_id && self.handoff == other.handoff
    }
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
    /// The login of an admission has ended.
    LoginEnded,
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

/// Judges a raise against the row.
///
/// A retry of the wish that raised last wins with a higher try, whatever it expected:
/// its earlier answer was lost on the way to the client. Once the session has been claimed
/// the answer was not lost, and the attempt is over: a handoff token makes one session. A
/// handoff to a zone that the character has left is as stale as one of another epoch: zone
/// and tile are one value. A lower or equal try of that attempt loses, unless it names the session that the row
/// names. A recovery goes on from exactly the session that the row names, at the epoch that
/// was read, and raises, because the process before it may still live.
#[must_use]
pub fn judge_raise(row: &Character, raise: &EpochRaise) -> RaiseJudgement {
    let by = &raise.by;
    let elsewhere = match &raise.ground {
        RaiseGround::Admission { zone, place: None, .. } => row.zone != *zone,
        _ => false,
    };
    let current = row.epoch == raise.expected && !elsewhere;
    let own = is_raised_by(row, &by.session_token);
    match (&raise.ground, &row.raised_by) {
        (RaiseGround::Recovery { claimed }, _) => {
            if own && current && (*claimed || !row.claimed) {
                RaiseJudgement::Raise
            } else {
                RaiseJudgement::Superseded
            }
        }
        (_, Some(_)) if own => RaiseJudgement::AlreadyOwn,
        (_, Some(last)) if last.is_same_wish(by) => {
            if by.r#try > last.r#try && !row.claimed && !elsewhere {
                RaiseJudgement::Raise
            } else {
                RaiseJudgement::Superseded
            }
        }
        _ if current => RaiseJudgement::Raise,
        _ => RaiseJudgement::Superseded,
    }
}

/// The same for whoever knows the account's latest entry. A recovery is no new wish of the
/// player: where the account has entered since with another character, that one plays on.
#[must_use]
pub fn judge_raise_of_account(
    row: &Character,
    latest: AccountEntry,
    raise: &EpochRaise,
) -> RaiseJudgement {
    match judge_raise(row, raise) {
        RaiseJudgement::Raise
            if matches!(raise.ground, RaiseGround::Recovery { .. }) && row.entry != latest =>
        {
            RaiseJudgement::Superseded
        }
        judgement => judgement,
    }
}

/// Whether a row is still that of a session which a recovery could go on from: whoever has
/// entered since has given it another name.
#[must_use]
pub fn is_raised_by(row: &Character, session: &SessionToken) -> bool {
    row.raised_by.as_ref().is_some_and(|last| last.session_token == *session)
}

/// The session that answers a try which loses to an earlier or equal one of its own
/// attempt: the client has not heard of it yet, so it gets that one instead of a second.
#[must_use]
pub fn standing_session<'a>(row: &'a Character, by: &RaisedBy) -> Option<&'a SessionToken> {
    let last = row.raised_by.as_ref()?;
    let same_wish = last.is_same_wish(by) && last.instance == by.instance;
    (same_wish && by.r#try <= last.r#try && !row.claimed).then_some(&last.session_token)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn by(attempt: u128, r#try: u32, session: &str) -> RaisedBy {
        RaisedBy {
            handoff: format!("{attempt:064x}").parse().unwrap(),
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
            entry: AccountEntry::default(),
            raised_by,
            claimed: false,
            last_command: CommandSequence::NONE,
        }
    }

    fn raise(expected: u64, by: RaisedBy, ground: RaiseGround) -> EpochRaise {
        let expected = SessionEpoch(expected);
        EpochRaise { character_id: CharacterId::new(Uuid::from_u128(1)), expected, by, ground }
    }

    fn admission() -> RaiseGround {
        let (login, zone) = ("a".repeat(64).parse().unwrap(), "harbor".parse().unwrap());
        RaiseGround::Admission { login, zone, place: None }
    }

    #[track_caller]
    fn check(row: Character, expected: u64, asker: RaisedBy, judgement: RaiseJudgement) {
        let raise = raise(expected, asker, admission());
        assert_eq!(judge_raise(&row, &raise), judgement, "{row:?} {raise:?}");
    }

    #[track_caller]
    fn check_recovery(row: Character, expected: u64, by: RaisedBy, judgement: RaiseJudgement) {
        let raise = raise(expected, by, RaiseGround::Recovery { claimed: false });
        assert_eq!(judge_raise(&row, &raise), judgement, "{row:?} {raise:?}");
    }

    #[test]
    fn a_recovery_of_a_claimed_session_raises_whether_the_row_knows_of_its_claim_or_not() {
        for claimed in [true, false] {
            let row = Character { claimed, ..row(4, Some(by(1, 1, "a"))) };
            let ground = || RaiseGround::Recovery { claimed: true };
            let own = raise(4, by(1, 1, "a"), ground());
            assert_eq!(judge_raise(&row, &own), RaiseJudgement::Raise);
            for other in [raise(3, by(1, 1, "a"), ground()), raise(4, by(1, 1, "b"), ground())] {
                assert_eq!(judge_raise(&row, &other), RaiseJudgement::Superseded);
            }
        }
    }

    #[test]
    fn a_recovery_makes_no_way_over_a_later_entry_of_the_account() {
        let row = Character { entry: AccountEntry(3), ..row(4, Some(by(1, 1, "a"))) };
        let recovery = raise(4, by(1, 1, "a"), RaiseGround::Recovery { claimed: true });
        let judge = |latest, raise| judge_raise_of_account(&row, AccountEntry(latest), raise);
        assert_eq!(judge(3, &recovery), RaiseJudgement::Raise);
        assert_eq!(judge(4, &recovery), RaiseJudgement::Superseded);
        let admission = raise(4, by(2, 1, "b"), admission());
        assert_eq!(judge(4, &admission), RaiseJudgement::Raise, "who enters is the latest");
    }

    #[test]
    fn a_recovery_raises_the_unclaimed_session_that_the_row_names_and_no_other() {
        let unclaimed = row(4, Some(by(1, 1, "a")));
        check_recovery(unclaimed.clone(), 4, by(1, 1, "a"), RaiseJudgement::Raise);
        check_recovery(unclaimed.clone(), 3, by(1, 1, "a"), RaiseJudgement::Superseded);
        check_recovery(unclaimed.clone(), 4, by(1, 2, "b"), RaiseJudgement::Superseded);
        check_recovery(row(4, None), 4, by(1, 1, "a"), RaiseJudgement::Superseded);
        let claimed = Character { claimed: true, ..unclaimed };
        check_recovery(claimed, 4, by(1, 1, "a"), RaiseJudgement::Superseded);
    }

    #[test]
    fn a_try_that_comes_late_is_answered_by_the_unclaimed_session_of_its_attempt() {
        let session = |row: &Character, asker: RaisedBy| {
            standing_session(row, &asker).map(|token| token.expose().to_owned())
        };
        let second = row(5, Some(by(1, 2, "b")));
        let expected = Some("session-of-test-b".to_owned());
        assert_eq!(session(&second, by(1, 2, "c")), expected, "the same try again");
        assert_eq!(session(&second, by(1, 1, "a")), expected, "a lower try, late");
        assert_eq!(session(&second, by(1, 3, "c")), None, "a higher one raises");
        assert_eq!(session(&second, by(2, 1, "c")), None, "another attempt");
        let elsewhere = RaisedBy { instance: "edge-b".parse().unwrap(), ..by(1, 2, "c") };
        assert_eq!(session(&second, elsewhere), None, "another instance");
        assert_eq!(session(&Character { claimed: true, ..second }, by(1, 2, "c")), None);
        assert_eq!(session(&row(5, None), by(1, 1, "a")), None);
    }

    #[test]
    fn the_expected_epoch_decides_between_attempts() {
        check(row(3, None), 3, by(1, 1, "a"), RaiseJudgement::Raise);
        check(row(3, Some(by(9, 4, "z"))), 3, by(1, 1, "a"), RaiseJudgement::Raise);
        check(row(4, Some(by(9, 4, "z"))), 3, by(1, 1, "a"), RaiseJudgement::Superseded);
        check(row(2, None), 3, by(1, 1, "a"), RaiseJudgement::Superseded);
    }

    #[test]
    fn a_handoff_to_a_zone_that_the_character_has_left_is_stale() {
        let there = Character { zone: "meadow".parse().unwrap(), ..row(3, None) };
        check(there.clone(), 3, by(1, 1, "a"), RaiseJudgement::Superseded);
        let raised = Character { raised_by: Some(by(1, 1, "a")), ..there.clone() };
        check(raised, 3, by(1, 2, "b"), RaiseJudgement::Superseded);
        let place = Place { zone: "harbor".parse().unwrap(), tile: Tile { x: 5, y: 5 } };
        let RaiseGround::Admission { login, zone, .. } = admission() else { unreachable!() };
        let ground = RaiseGround::Admission { login, zone, place: Some(place) };
        let moved = raise(3, by(1, 1, "a"), ground);
        assert_eq!(judge_raise(&there, &moved), RaiseJudgement::Raise, "it is brought there");
    }

    #[test]
    fn a_higher_try_of_the_same_attempt_raises_again() {
        check(row(4, Some(by(1, 1, "a"))), 3, by(1, 2, "b"), RaiseJudgement::Raise);
    }

    #[test]
    fn an_attempt_that_is_used_again_for_another_handoff_is_another_wish() {
        let handoff = |number: u128| format!("{number:064x}").parse().unwrap();
        let first = RaisedBy { handoff: handoff(11), ..by(1, 1, "a") };
        let later = row(9, Some(RaisedBy { handoff: handoff(33), ..by(1, 1, "c") }));
        // The first handoff was played long ago; its epoch decides, not the attempt's name.
        let replay = RaisedBy { r#try: Try(2), ..first.clone() };
        check(later.clone(), 3, replay.clone(), RaiseJudgement::Superseded);
        assert_eq!(standing_session(&later, &first), None);
        check(later, 9, replay, RaiseJudgement::Raise);
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
