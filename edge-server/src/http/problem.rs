//! Refusals as HTTP answers.

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use shared::problem::PROBLEM_MEDIA_TYPE;

use crate::flows::Refusal;

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.problem).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(PROBLEM_MEDIA_TYPE));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(after) = self.retry_after {
            // Whole seconds, rounded up: coming back a little late is better than early.
            let seconds = after.as_millis().div_ceil(1_000);
            if let Ok(value) = HeaderValue::from_str(&seconds.to_string()) {
                headers.insert(RETRY_AFTER, value);
            }
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use shared::problem::ProblemCode;

    use super::*;

    #[test]
    fn a_refusal_tells_its_code_and_when_to_come_back() {
        let refusal =
            Refusal::later(ProblemCode::RateLimited, "slow down", Duration::from_millis(1_200));
        let response = refusal.into_response();
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers()[CONTENT_TYPE], PROBLEM_MEDIA_TYPE);
        assert_eq!(response.headers()[RETRY_AFTER], "2");
    }
}
