//! Carries out one HTTP call within the time that it has. What an answer means is decided in
//! [`connection`](crate::connection).

use gloo_net::http::{Method, RequestBuilder};
use shared::limits::CLIENT_HTTP_TIMEOUT;
use wasm_bindgen::JsCast;

use crate::connection::http::{HttpCall, HttpMethod, HttpOutcome};

/// Makes the call and waits for its whole answer.
pub async fn perform(call: &HttpCall) -> HttpOutcome {
    match answer(call).await {
        Ok(outcome) => outcome,
        Err(error) if is_timeout(&error) => HttpOutcome::TimedOut,
        Err(_) => HttpOutcome::Unreachable,
    }
}

/// Fetches bytes that never change for their URL, through the browser's cache.
pub async fn fetch_bytes(url: &str) -> HttpOutcome {
    perform(&HttpCall {
        method: HttpMethod::Get,
        url: url.to_owned(),
        bearer: None,
        body: None,
        timeout: CLIENT_HTTP_TIMEOUT,
    })
    .await
}

async fn answer(call: &HttpCall) -> Result<HttpOutcome, gloo_net::Error> {
    let limit = u32::try_from(call.timeout.as_millis()).unwrap_or(u32::MAX);
    let signal = web_sys::AbortSignal::timeout_with_u32(limit);
    let mut builder = RequestBuilder::new(&call.url)
        .method(match call.method {
            HttpMethod::Get => Method::GET,
            HttpMethod::Post => Method::POST,
            HttpMethod::Delete => Method::DELETE,
        })
        .abort_signal(Some(&signal));
    if let Some(token) = &call.bearer {
        builder = builder.header("Authorization", &format!("Bearer {}", token.expose()));
    }
    let request = match &call.body {
        Some(body) => builder.header("Content-Type", "application/json").body(body.as_str())?,
        None => builder.build()?,
    };
    let response = request.send().await?;
    let retry_after = response.headers().get("Retry-After").and_then(|text| text.parse().ok());
    let status = response.status();
    // The signal bounds the body as well as the headers.
    let body = response.binary().await?;
    Ok(HttpOutcome::Answered { status, body, retry_after })
}

/// Browsers name the abort of a timeout signal `TimeoutError`.
fn is_timeout(error: &gloo_net::Error) -> bool {
    match error {
        gloo_net::Error::JsError(error) => error.name == "TimeoutError",
        _ => false,
    }
}

/// Whether the browser has WebTransport; it hides it from insecure pages.
#[must_use]
pub fn has_web_transport() -> bool {
    let window: Option<js_sys::Object> = web_sys::window().map(JsCast::unchecked_into);
    window.is_some_and(|window| {
        js_sys::Reflect::has(&window, &"WebTransport".into()).unwrap_or(false)
    })
}
