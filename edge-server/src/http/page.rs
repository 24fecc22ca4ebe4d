//! The page: static files with the security policy that they run under.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use shared::coordination::InstanceRecord;
use tower::ServiceExt as _;
use tower_http::compression::CompressionLayer;
use tower_http::services::ServeDir;

use crate::peers::control_plane::ControlPlane;

/// What serving the page needs.
struct PageState {
    control_plane: Arc<dyn ControlPlane>,
    index: PathBuf,
}

/// Serves the files below `folder`. Where it has no `index.html` yet, `/` says how to
/// build the page.
pub fn router(folder: &Path, control_plane: Arc<dyn ControlPlane>) -> Router {
    let state = Arc::new(PageState { control_plane, index: folder.join("index.html") });
    let files = ServeDir::new(folder);
    let serve = move |request: Request| {
        let files = files.clone();
        async move {
            let at_root = request.uri().path() == "/";
            match files.oneshot(request).await {
                Ok(response) if response.status() == axum::http::StatusCode::NOT_FOUND => {
                    if at_root {
                        let hint = "The page is not built. Run `cargo xtask play`, or point \
                                    EDGE_STATIC_DIR to a folder with the built page.\n";
                        (axum::http::StatusCode::NOT_FOUND, hint).into_response()
                    } else {
                        super::not_found().await.into_response()
                    }
                }
                Ok(response) => response.into_response(),
                Err(never) => match never {},
            }
        }
    };
    Router::new()
        .fallback(serve)
        .layer(from_fn_with_state(state, secure))
        .layer(CompressionLayer::new())
}

async fn secure(State(state): State<Arc<PageState>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    // By what is answered, not by how it was asked for: one page has many spellings.
    let is_page = response
        .headers()
        .get(CONTENT_TYPE)
        .is_none_or(|kind| kind.to_str().is_ok_and(|kind| kind.starts_with("text/html")));
    let caching = if response.status().is_success() { caching(&path) } else { "no-store" };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    if is_page {
        let instances = state.control_plane.instances().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the page is served without knowing the game servers");
            Vec::new()
        });
        // Read anew each time: a page that was built again under a running server has other
        // scripts. Where there is none, there is nothing to allow.
        let html = tokio::fs::read_to_string(&state.index).await.unwrap_or_default();
        let policy = content_security_policy(&inline_script_hashes(&html), &instances);
        if let Ok(value) = HeaderValue::from_str(&policy) {
            headers.insert(CONTENT_SECURITY_POLICY, value);
        }
    }
    response
}

/// Files that carry a hash of their content in their name never change; the rest is asked
/// for again each time.
fn caching(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    let hashed = stem
        .rsplit(['-', '_'])
        .any(|part| part.len() == 16 && part.bytes().all(|b| b.is_ascii_hexdigit()));
    if hashed { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn content_security_policy(inline_scripts: &[String], instances: &[InstanceRecord]) -> String {
    let mut connect = vec!["'self'".to_owned()];
    for instance in instances {
        connect.push(origin(&instance.http_url));
        connect.extend(instance.endpoints.iter().map(|endpoint| origin(&endpoint.url)));
    }
    connect.dedup();
    format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' {scripts}; \
         style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src {connect}; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        scripts = inline_scripts.join(" "),
        connect = connect.join(" "),
    )
}

/// Scheme, host and port of a URL.
fn origin(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..].find('/').map_or(url.len(), |at| start + at);
    url[..end].to_owned()
}

fn inline_script_hashes(html: &str) -> Vec<String> {
    let mut hashes = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find("<script") {
        let Some(open_end) = rest[at..].find('>').map(|i| at + i + 1) else { break };
        let Some(close) = rest[open_end..].find("</script>").map(|i| open_end + i) else { break };
        let content = &rest[open_end..close];
        if !content.trim().is_empty() {
            let digest = Sha256::digest(content.as_bytes());
            hashes.push(format!("'sha256-{}'", base64(&digest)));
        }
        rest = &rest[close..];
    }
    hashes
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_are_allowed_by_their_hash_and_others_are_not_listed() {
        let html = r#"<script src="/a.js"></script><script type="module">alert(1)</script>"#;
        // echo -n 'alert(1)' | openssl dgst -sha256 -binary | base64
        let expected = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        assert_eq!(inline_script_hashes(html), [expected]);
    }

    #[test]
    fn files_with_a_hash_in_their_name_are_cached_for_ever() {
        assert!(caching("/aether-0123456789abcdef_bg.wasm").contains("immutable"));
        assert!(caching("/theme-0123456789abcdef.css").contains("immutable"));
        assert_eq!(caching("/"), "no-cache");
        assert_eq!(caching("/assets/tileset.png"), "no-cache");
    }

    #[test]
    fn origins_lose_their_path() {
        assert_eq!(origin("https://127.0.0.1:4433/realtime"), "https://127.0.0.1:4433");
        assert_eq!(origin("http://127.0.0.1:8081"), "http://127.0.0.1:8081");
    }
}
