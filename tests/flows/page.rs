//! The page and the maps as files: what they may do, how long they are kept, and what is
//! never served.

use reqwest::Method;
use tempfile::TempDir;
use tests::server::{Server, Setup};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A folder with a page, and a file beside it that is nobody's business.
fn page() -> (TempDir, Setup) {
    let folder = tempfile::tempdir().unwrap();
    let dist = folder.path().join("dist");
    std::fs::create_dir(&dist).unwrap();
    std::fs::write(dist.join("index.html"), "<script>let x = 1;</script>").unwrap();
    std::fs::write(dist.join("aether-0123456789abcdef.js"), "let y = 2;").unwrap();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    let setup = Server::setup().with("EDGE_STATIC_DIR", dist.display());
    (folder, setup)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_may_talk_to_its_game_servers_and_to_nobody_else() {
    let (_folder, setup) = page();
    let server = setup.start().await;
    let hero = server.hero("Mara").await;
    let selected = hero.select().await;
    let endpoint = hero.admitted_with(&selected).await.activation.endpoints[0].url.clone();
    let realtime = endpoint.strip_suffix("/realtime").unwrap();

    let answer = hero.api.send(Method::GET, "/", |r| r).await;
    assert_eq!(answer.status, 200);
    let policy = answer.header("content-security-policy").unwrap();
    let rule = |name: &str| policy.split("; ").find_map(|rule| rule.strip_prefix(name));
    let connect = format!(" 'self' {} {realtime}", selected.endpoint.http_url);
    assert_eq!(rule("connect-src"), Some(connect.as_str()));
    // The page's own inline script, and no other one.
    let script = " 'self' 'wasm-unsafe-eval' 'sha256-qtc3jf64UXA5J6U02kfQ0Cvn9Uz4wXUaN3NNUVgR2v4='";
    assert_eq!(rule("script-src"), Some(script));
    assert_eq!(rule("frame-ancestors"), Some(" 'none'"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_its_content_in_its_name_is_kept_for_ever() {
    let (_folder, setup) = page();
    let server = setup.start().await;
    let hero = server.hero("Mara").await;
    let map = hero.admitted().await.activation.map.path();
    for path in ["/aether-0123456789abcdef.js", map.as_str()] {
        let answer = hero.api.send(Method::GET, path, |r| r).await;
        assert_eq!(answer.status, 200, "{path}");
        let cached = answer.header("cache-control").unwrap();
        assert!(cached.contains("immutable"), "{path}: {cached}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_beside_the_page_is_served() {
    let (folder, setup) = page();
    let server = setup.start().await;
    let secret = folder.path().join("secret.txt").display().to_string();
    for path in [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt",
        "/assets/../../secret.txt",
        "//secret.txt",
        secret.as_str(),
    ] {
        // By hand: a well-behaved client would tidy the path up before it is sent.
        let mut stream = TcpStream::connect(server.http_addr()).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 40"), "{path}: {answer}");
        assert!(!answer.ends_with("secret"), "{path}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_built_page_its_address_says_how_to_build_it() {
    let empty = tempfile::tempdir().unwrap();
    let server = Server::setup().with("EDGE_STATIC_DIR", empty.path().display()).start().await;
    let answer = server.api().send(Method::GET, "/", |r| r).await;
    assert_eq!(answer.status, 404);
    assert!(String::from_utf8(answer.body).unwrap().contains("cargo xtask play"));
    server.hero("Mara").await.enter().await;
}
