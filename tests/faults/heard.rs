//! What a client of the little server has, and what it hears.

use edge_server::flows::activate_session::ActivatedSession;
use shared::account::{Account, SelectResponse};
use shared::gameplay::RejectionCode;
use shared::ids::{AttemptId, CharacterId, InstanceId};
use shared::problem::ProblemCode;
use shared::realtime::message::ByeCode;
use shared::secret::{AccessToken, HandoffToken};
use tests::api::Admission;
use tests::clock::new_attempt;

/// A character whose player is logged in.
#[derive(Clone, Debug)]
pub(super) struct Hero {
    pub(super) account: Account,
    pub(super) login: AccessToken,
    pub(super) character: CharacterId,
}

/// The right to enter, and the attempt that uses it.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub(super) instance: InstanceId,
    pub(super) token: HandoffToken,
    pub(super) attempt: AttemptId,
}

/// What a client hears of its handshake.
#[derive(Debug)]
pub(super) enum Shaken {
    Accepted(Box<Admission>),
    Rejected(RejectionCode),
    Redirected(InstanceId),
    Refused(ProblemCode),
    /// No answer: the process died.
    Lost,
}

/// What a client hears of its claim.
#[derive(Debug)]
pub(super) enum Claimed {
    Playing(Box<ActivatedSession>),
    Bye(ByeCode),
    /// No answer: the process died.
    Lost,
}

impl Pass {
    pub(super) fn of(selected: SelectResponse) -> Self {
        Self {
            instance: selected.endpoint.instance_id,
            token: selected.handoff.token,
            attempt: new_attempt(),
        }
    }

    /// The same token in the hands of another attempt.
    pub(super) fn stolen(&self) -> Self {
        Self { attempt: new_attempt(), ..self.clone() }
    }
}

/// A session that plays, with how it came to be.
#[derive(Debug)]
pub(super) struct Playing {
    pub(super) pass: Pass,
    pub(super) admission: Admission,
    pub(super) activated: ActivatedSession,
}

impl Shaken {
    #[track_caller]
    pub(super) fn accepted(self) -> Admission {
        match self {
            Self::Accepted(admission) => *admission,
            other => panic!("not accepted: {other:?}"),
        }
    }

    /// In a word, for a failure that shows many of them.
    pub(super) fn word(&self) -> String {
        match self {
            Self::Accepted(_) => "Accepted".to_owned(),
            other => format!("{other:?}"),
        }
    }

    pub(super) fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted(_))
    }
}

impl Claimed {
    #[track_caller]
    pub(super) fn playing(self) -> ActivatedSession {
        match self {
            Self::Playing(activated) => *activated,
            other => panic!("not playing: {other:?}"),
        }
    }
}
