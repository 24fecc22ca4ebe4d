//! The "Never" rules of the architecture: which layer imports which.

use super::imports::{own_module, paths, without_comments_and_texts};
use super::{SourceFile, assert_none, files_below, rust_files_below};

/// Files of a folder that name one of these crates.
fn naming_crates(files: &[SourceFile], crates: &[&str]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        for path in paths(&file.text) {
            let first = path.trim_start_matches("::").split("::").next().unwrap_or_default();
            if crates.contains(&first) {
                findings.push(format!("{} names {path}", file.path));
            }
        }
    }
    findings
}

/// Files of a folder that name one of these modules of their own crate.
fn naming_modules(files: &[SourceFile], modules: &[&str]) -> Vec<String> {
    let mut findings = Vec::new();
    for file in files {
        for path in paths(&file.text) {
            if own_module(&path).is_some_and(|module| modules.contains(&module)) {
                findings.push(format!("{} names {path}", file.path));
            }
        }
    }
    findings
}

#[test]
fn the_wire_contract_knows_no_runtime_no_store_and_no_browser() {
    let banned = ["tokio", "sqlx", "redis", "axum", "wtransport", "web_sys", "leptos"];
    assert_none(naming_crates(&rust_files_below("shared/src"), &banned));
    let manifest = files_below("shared").into_iter().find(|f| f.path == "shared/Cargo.toml");
    let manifest = manifest.expect("shared has a manifest").text;
    let depends = |line: &&str| {
        let name = line.split(['=', '.', ' ']).next().unwrap_or_default().replace('-', "_");
        banned.contains(&name.as_str())
    };
    assert_eq!(manifest.lines().find(depends), None);
}

#[test]
fn the_wire_contract_reads_no_clock_no_file_and_no_chance() {
    let files = rust_files_below("shared/src");
    assert_none(naming_crates(&files, &["rand", "getrandom"]));
    let mut findings = Vec::new();
    for file in &files {
        for path in paths(&file.text) {
            let banned = ["std::fs", "std::net", "std::io", "std::env", "std::thread"];
            if banned.iter().any(|module| path.starts_with(module))
                || path.contains("Instant")
                || path.contains("SystemTime")
            {
                findings.push(format!("{} names {path}", file.path));
            }
        }
    }
    assert_none(findings);
}

#[test]
fn decisions_know_no_store_no_flow_and_nothing_async() {
    let files = rust_files_below("edge-server/src/domain");
    let modules = ["stores", "flows", "http", "realtime", "peers", "workers", "compose", "world"];
    let mut findings = naming_modules(&files, &modules);
    findings.extend(naming_crates(&files, &["tokio", "async_trait", "futures_util", "sqlx"]));
    for file in &files {
        let code = without_comments_and_texts(&file.text);
        for word in ["async ", ".await", "impl Future"] {
            if code.contains(word) {
                findings.push(format!("{} has {word:?}", file.path));
            }
        }
    }
    assert_none(findings);
}

#[test]
fn stores_know_no_flow_no_http_and_no_realtime() {
    let files = rust_files_below("edge-server/src/stores");
    let mut findings = naming_modules(&files, &["flows", "http", "realtime", "workers", "compose"]);
    findings.extend(naming_crates(&files, &["axum", "wtransport", "tower_http"]));
    assert_none(findings);
}

#[test]
fn flows_know_no_socket_and_no_database() {
    let files = rust_files_below("edge-server/src/flows");
    let mut findings = naming_crates(&files, &["axum", "wtransport", "sqlx", "redis"]);
    findings.extend(naming_modules(&files, &["http", "realtime", "compose"]));
    assert_none(findings);
}

#[test]
fn the_clients_pure_parts_know_no_browser_and_no_screen() {
    for folder in ["web-client/src/connection", "web-client/src/realtime"] {
        let files = rust_files_below(folder);
        let mut findings = naming_modules(&files, &["browser", "ui"]);
        findings.extend(naming_crates(&files, &["web_sys", "js_sys", "leptos", "gloo_net"]));
        assert_none(findings);
    }
}

#[test]
fn what_is_shown_is_decided_without_a_browser_and_decides_nothing_of_the_connection() {
    let files = rust_files_below("web-client/src/presentation");
    let mut findings = naming_modules(&files, &["browser", "ui"]);
    findings.extend(naming_crates(&files, &["web_sys", "js_sys", "leptos", "gloo_net"]));
    for folder in ["web-client/src/connection", "web-client/src/realtime"] {
        findings.extend(naming_modules(&rust_files_below(folder), &["presentation"]));
    }
    assert_none(findings);
}

#[test]
fn no_route_is_served_undescribed() {
    let mut findings = Vec::new();
    for file in rust_files_below("edge-server/src") {
        let code = without_comments_and_texts(&file.text);
        let shipped = code.split("#[cfg(test)]").next().unwrap_or_default();
        for call in [".route(", ".route_service(", ".nest_service("] {
            if shipped.contains(call) {
                findings.push(format!("{} calls {call}: take `routes!`", file.path));
            }
        }
    }
    assert_none(findings);
}

#[test]
fn only_composition_names_a_concrete_store() {
    let may = |path: &str| {
        path == "edge-server/src/compose/stores.rs"
            || path.starts_with("edge-server/src/stores/sqlite/")
            || path.starts_with("edge-server/src/stores/postgres/")
            || path.starts_with("edge-server/src/stores/redis/")
    };
    let concrete = ["SqliteStores", "sqlite", "PostgresStores", "postgres", "RedisStores", "redis"];
    let mut findings = Vec::new();
    for file in rust_files_below("edge-server/src") {
        if may(&file.path) {
            continue;
        }
        for path in paths(&file.text) {
            if path.split("::").any(|part| concrete.contains(&part)) {
                findings.push(format!("{} names {path}", file.path));
            }
        }
    }
    assert_none(findings);
}
