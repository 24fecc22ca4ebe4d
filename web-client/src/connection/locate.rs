//! Asking where a session is whose connection was lost: its game server may have been started
//! anew under other certificates, or be gone for good.

use shared::account::{ResumeRequest, ResumeResponse};
use shared::limits::CLIENT_HTTP_TIMEOUT;
use shared::problem::{Problem, ProblemCode};
use shared::secret::ResumeToken;

use super::http::{HttpCall, HttpMethod, HttpOutcome};
use crate::realtime::reconnect::Located;

/// The question.
#[must_use]
pub fn locate_call(login_endpoint: &str, resume_token: ResumeToken) -> HttpCall {
    let body = serde_json::to_string(&ResumeRequest { resume_token })
        .expect("bodies of plain values serialise into memory");
    HttpCall {
        method: HttpMethod::Post,
        url: format!("{login_endpoint}/v1/resume"),
        bearer: None,
        body: Some(body),
        timeout: CLIENT_HTTP_TIMEOUT,
    }
}

/// What the answer says.
#[must_use]
pub fn located(outcome: &HttpOutcome) -> Located {
    let HttpOutcome::Answered { status, body, .. } = outcome else { return Located::Unknown };
    if *status == 200 {
        return serde_json::from_slice::<ResumeResponse>(body).map_or(Located::Unknown, |answer| {
            Located::At {
                instance: answer.endpoint.instance_id,
                endpoints: answer.realtime.endpoints,
            }
        });
    }
    match serde_json::from_slice::<Problem>(body) {
        Ok(problem) if problem.code == ProblemCode::SessionEnded => Located::Ended(problem.detail),
        _ => Located::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use shared::account::RealtimePlace;
    use shared::gameplay::RealtimeEndpoint;

    use super::super::fixtures::{endpoint, ok, problem, welcome};
    use super::*;

    #[test]
    fn only_the_end_of_the_session_is_final() {
        let endpoints = vec![RealtimeEndpoint {
            url: "https://new".into(),
            cert_hashes: vec![],
            healthy: true,
        }];
        let answer = ResumeResponse {
            endpoint: endpoint(2),
            realtime: RealtimePlace { endpoints: endpoints.clone() },
        };
        let instance = endpoint(2).instance_id;
        assert_eq!(located(&ok(&answer)), Located::At { instance, endpoints });
        let ended = problem(ProblemCode::SessionEnded, "the session has ended");
        assert_eq!(located(&ended), Located::Ended("the session has ended".into()));
        for outcome in [
            problem(ProblemCode::Unavailable, "later"),
            problem(ProblemCode::NotFound, "an older server"),
            ok(&"nonsense"),
            HttpOutcome::Unreachable,
            HttpOutcome::TimedOut,
        ] {
            assert_eq!(located(&outcome), Located::Unknown, "{outcome:?}");
        }
    }

    #[test]
    fn the_question_carries_the_token_in_its_body_alone() {
        let call = locate_call("http://login.test", welcome().resume_token);
        assert_eq!(call.url, "http://login.test/v1/resume");
        assert!(call.body.as_deref().unwrap().contains(welcome().resume_token.expose()));
        assert!(!format!("{call:?}").contains(welcome().resume_token.expose()));
    }
}
